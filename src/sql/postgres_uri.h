/* Inside sql/: the URI of a PostgreSQL database. */
#ifndef SQL_POSTGRES_URI_H
#define SQL_POSTGRES_URI_H

/* The URI without password and options, which may have a password too. NULL if it is not certain
   where they are. Free it. */
char *postgres_without_secrets(const char *uri);

#endif
