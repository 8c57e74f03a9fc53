/* Inside sql/: connecting to PostgreSQL, and waiting for its answers.

   libpq waits for as long as a connection exists, and a connection to a server that hangs does:
   the kernel of its machine answers. So whoever waits for more than 10 s tries to connect once
   more, and gives up if that gets no answer within 5 s either. A statement may take any time while
   the server accepts connections. */
#ifndef SQL_POSTGRES_CONNECT_H
#define SQL_POSTGRES_CONNECT_H

#include <stdbool.h>

struct pg_conn;   /* PGconn of libpq */
struct pg_result; /* PGresult of libpq */

/* Connects to a database by its URI, with default options that the URI and the environment
   override. Check the status of the connection, and PQfinish it in any case. Sending does not wait
   on it; use the functions below instead of PQgetResult. */
struct pg_conn *postgres_connect(const char *uri);

/* Waits for the next result of what was sent; *next is as from PQgetResult. False if the server
   does not answer; then close the connection. */
bool postgres_next(struct pg_conn *handle, const char *uri, struct pg_result **next);

/* Waits for the last result of a statement, or the first failure. NULL if the server does not
   answer, and if it was not sent. `sent`: what PQsend... returned. */
struct pg_result *postgres_result(struct pg_conn *handle, const char *uri, int sent);

#endif
