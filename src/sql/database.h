/* A connection to the database: statements that are prepared once, values in, rows out. Only
   sqlite.c knows that it is SQLite; the SQL of the others keeps to what PostgreSQL has too
   (RETURNING, ON CONFLICT, row values), with ?1, ?2 for the values. */
#ifndef STORE_SQLITE_H
#define STORE_SQLITE_H

#include "store/types.h"

typedef struct Connection Connection;

typedef enum ConnectionKind {
    /* the one that writes, and the one that folds the log into the database: see store.c */
    CONNECTION_WRITER,
    CONNECTION_READER,
    CONNECTION_COPY, /* a new file that nobody else sees */
} ConnectionKind;

Connection *connection_open(const char *path, ConnectionKind kind, bool relaxed, Error *error);
void connection_close(Connection *connection);

/* ---- statements. One at a time is under way on a connection ---- */

typedef enum ValueKind { VALUE_NOTHING, VALUE_NUMBER, VALUE_TEXT } ValueKind;

typedef struct Value {
    ValueKind kind;
    int64_t number;
    Slice text;
} Value;

static inline Value as_number(int64_t value) {
    return (Value){.kind = VALUE_NUMBER, .number = value};
}
static inline Value as_slice(Slice value) {
    return (Value){.kind = VALUE_TEXT, .text = value};
}
/* NULL is nothing, and so is the id 0. */
static inline Value as_text(const char *value) {
    return value ? as_slice(slice_of(value)) : (Value){.kind = VALUE_NOTHING};
}
static inline Value as_id(uint64_t id) {
    return id ? as_number((int64_t)id) : (Value){.kind = VALUE_NOTHING};
}

typedef enum Step { STEP_ROW, STEP_DONE, STEP_FAILED } Step;

/* Readies a statement, from those that were prepared before: they are told apart by their address,
   so `sql` is a constant. What is no UTF-8 in a text is replaced, for PostgreSQL would refuse it.
   The values' texts must stay until the statement has ended. */
bool connection_start(Connection *connection, const char *sql, const Value *values, size_t count);
Step connection_step(Connection *connection); /* done, if none is under way */
void connection_end(Connection *connection);  /* of the statement; none is fine */
int64_t connection_changes(Connection *connection);

int64_t column_number(Connection *connection, int column); /* nothing is 0 */
Slice column_text(Connection *connection, int column);     /* until the next step */

/* What went wrong last: a conflict, something missing that was referred to, or a failure; with a
   sentence. */
StoreResult connection_fault(Connection *connection, Error *error);

/* ---- the rest ---- */

bool connection_script(Connection *connection, const char *sql, Error *error);

/* The number that a question has for an answer, or -1. */
int64_t connection_ask(Connection *connection, const char *question);

bool connection_is_open(Connection *connection); /* a transaction is */

/* Pages in the write-ahead log after the last commit. */
uint32_t connection_log_pages(Connection *connection);

/* Folds the log into the database as far as readers allow; `whole` also waits a little for them and
   empties it. */
bool connection_fold(Connection *connection, bool whole, Error *error);

/* Copies the database as it is now over the one of `to`. */
bool connection_copy(Connection *connection, Connection *to, Error *error);

/* Reads the whole database. */
bool connection_sound(Connection *connection, Error *error);

/* Calls `take` with each statement that was prepared so far and the engine's plan for it, for tests
   and the benchmark. */
void connection_plans(Connection *connection,
                      void (*take)(void *context, const char *sql, const char *plan),
                      void *context);

#endif
