/* Inside sql/: the URI of a PostgreSQL database. */
#ifndef SQL_POSTGRES_URI_H
#define SQL_POSTGRES_URI_H

/* The URI without the password and without the options, which may contain a password too. NULL if
   their position in the URI is ambiguous. The caller frees it. */
char *postgres_without_secrets(const char *uri);

#endif
