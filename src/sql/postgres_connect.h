/* Inside sql/: connecting to PostgreSQL, and waiting for its responses.

   libpq waits for as long as the connection exists, even if the server hangs, because the kernel of
   its machine keeps the connection alive. Therefore, after waiting for 10 s, the functions below
   open a second connection, and give up if that gets no response within 5 s either. A statement may
   take any time while the server accepts connections. */
#ifndef SQL_POSTGRES_CONNECT_H
#define SQL_POSTGRES_CONNECT_H

#include <stdbool.h>

struct pg_conn;   /* PGconn of libpq */
struct pg_result; /* PGresult of libpq */

/* Connects to a database by its URI, with default options that the URI and the environment
   override. Check the status of the connection, and call PQfinish in any case. The connection is
   non-blocking; use the functions below instead of PQgetResult. */
struct pg_conn *postgres_connect(const char *uri);

/* Waits for the next result of the statements that were sent; *next is what PQgetResult returns.
   False if the server does not respond; then close the connection. */
bool postgres_next(struct pg_conn *handle, const char *uri, struct pg_result **next);

/* Waits for the last result of a statement, or the first failure. NULL if the server does not
   respond, or if the statement was not sent. `sent`: what PQsend... returned. */
struct pg_result *postgres_result(struct pg_conn *handle, const char *uri, int sent);

#endif
