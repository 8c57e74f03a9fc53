/* Inside sql/: connecting to PostgreSQL. */
#ifndef SQL_POSTGRES_CONNECT_H
#define SQL_POSTGRES_CONNECT_H

struct pg_conn; /* PGconn of libpq */

/* Connects to a database by its URI, with default options that the URI and the environment
   override. Check the status of the connection, and PQfinish it in any case. */
struct pg_conn *postgres_connect(const char *uri);

#endif
