/* A connection to an SQL database: prepared statements, values in, rows out.

   There are two engines: SQLite for files, and PostgreSQL for URIs. Only sqlite.c and postgres.c
   depend on them. All other SQL uses only what both support (RETURNING, ON CONFLICT, row values,
   CASE), with ?1, ?2 for the values; only tables are created differently. PostgreSQL also runs the
   content of SQL comments that start with "postgres": clauses that it needs because of concurrent
   writers, such as FOR UPDATE SKIP LOCKED. SQLite has one writer and does not support them.

   A connection is used by one thread at a time, and has one statement in progress at a time. */
#ifndef SQL_DATABASE_H
#define SQL_DATABASE_H

#include "base/error.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Database Database;

typedef enum DatabaseKind {
    /* A connection that writes. SQLite allows only one, next to many readers, and the caller makes
       the checkpoints. */
    DATABASE_WRITER,
    DATABASE_READER,
    DATABASE_PLAIN, /* the only connection, with the engine's defaults; name NULL: in memory */
} DatabaseKind;

/* Opens a file, or connects to a PostgreSQL database by its URI (see database_is_uri). Creates a
   file, readable by its owner only, unless it is for a reader. A `relaxed` writer may lose its last
   transactions in a power cut. NULL on failure; messages never contain the password of a URI. */
Database *database_open(const char *name, DatabaseKind kind, bool relaxed, Error *error);
void database_close(Database *database);

/* Whether a name is a URI: it starts with postgresql:// or postgres://. */
bool database_is_uri(const char *name);

/* The part of a URI that may be shown: without password and options. Not longer than the URI. The
   caller frees it. */
char *database_uri_to_show(const char *uri);

/* How often this process has replaced a lost connection, or tried to. */
uint64_t database_reconnects(void);

typedef enum DatabaseEngine { ENGINE_SQLITE, ENGINE_POSTGRES } DatabaseEngine;

DatabaseEngine database_engine(const Database *database);

/* The absolute path of the database's file, "" if it is in memory, or its URI without password and
   options. */
const char *database_path(Database *database);

/* ---- statements ---- */

typedef enum ValueKind { VALUE_NULL, VALUE_NUMBER, VALUE_TEXT, VALUE_BYTES } ValueKind;

typedef struct Value {
    ValueKind kind;
    int64_t number;
    Slice text; /* or bytes */
} Value;

static inline Value as_number(int64_t value) {
    return (Value){.kind = VALUE_NUMBER, .number = value};
}
static inline Value as_slice(Slice value) {
    return (Value){.kind = VALUE_TEXT, .text = value};
}
static inline Value as_bytes(Slice value) {
    return (Value){.kind = VALUE_BYTES, .text = value};
}
/* NULL becomes SQL's NULL, and so does the id 0. */
static inline Value as_text(const char *value) {
    return value ? as_slice(slice_of(value)) : (Value){.kind = VALUE_NULL};
}
static inline Value as_id(uint64_t id) {
    return id ? as_number((int64_t)id) : (Value){.kind = VALUE_NULL};
}

/* An array of values and its length, as two arguments. */
#define VALUES(...) \
 (const Value[]){__VA_ARGS__}, sizeof((const Value[]){__VA_ARGS__}) / sizeof(Value)

typedef enum Step { STEP_ROW, STEP_DONE, STEP_FAILED } Step;

typedef enum DatabaseAccess {
    ACCESS_READ,  /* all statements of the transaction see the same snapshot */
    ACCESS_WRITE, /* waits until no other transaction writes */
    /* writes concurrently with all others, and waits only for those that write the same rows; on
       SQLite the same as ACCESS_WRITE */
    ACCESS_WRITE_BESIDE,
    /* writes concurrently with others of this kind, but never with ACCESS_WRITE; they must
       coordinate by locking rows. On SQLite the same as ACCESS_WRITE */
    ACCESS_WRITE_SHARED,
    /* as ACCESS_WRITE_SHARED, but the commit does not wait for the disk of a PostgreSQL server: if
       the server crashes in the next second, the transaction may be lost as a whole */
    ACCESS_WRITE_RELAXED,
} DatabaseAccess;

/* Begins a transaction; "COMMIT" or "ROLLBACK" ends it. On PostgreSQL, it is the first statement
   that waits for other transactions, and fails if the transaction cannot begin. */
bool database_begin(Database *database, DatabaseAccess access);

/* Starts a statement, and ends the one in progress. Prepared statements are cached by the address
   of `sql`, so it must be a constant. Bytes in a text that are not UTF-8 are replaced, because
   PostgreSQL would reject them. The values' texts must remain valid until the statement has
   ended. */
bool database_start(Database *database, const char *sql, const Value *values, size_t count);
Step database_step(Database *database); /* STEP_DONE if no statement is in progress */
void database_end(Database *database);  /* ends the statement, if there is one */

/* Runs a statement of a transaction without waiting for its end, which saves a round trip. If it
   fails, so does a later one, which may be the COMMIT. It returns no rows. The texts of its values
   may change after the call. */
bool database_send(Database *database, const char *sql, const Value *values, size_t count);

/* Runs a statement that returns no rows. */
bool database_run(Database *database, const char *sql, const Value *values, size_t count,
                  Error *error);

/* How many rows the last statement changed. */
int64_t database_changes(Database *database);

/* The id of the row that was inserted last. On SQLite this is cheaper than RETURNING, which goes
   through a temporary table. */
int64_t database_last_id(Database *database);

/* A column of the current row. NULL is 0 or "". A text is valid until the next step, and bytes (a
   BLOB or BYTEA) are until then or the next call. */
int64_t database_number(Database *database, int column);
Slice database_text(Database *database, int column);
Slice database_bytes(Database *database, int column);

typedef enum DatabaseError {
    DATABASE_DUPLICATE,         /* a unique key already exists */
    DATABASE_MISSING_REFERENCE, /* a row that this one refers to does not exist */
    DATABASE_NOT_A_DATABASE,
    DATABASE_COLLIDED, /* with another transaction; nothing has changed, and a retry can succeed */
    DATABASE_FAILED,
} DatabaseError;

/* Why the last call failed. */
DatabaseError database_error(Database *database, Error *error);

bool database_in_transaction(Database *database);

/* ---- outside of the usual statements ---- */

/* Runs statements separated by semicolons. */
bool database_script(Database *database, const char *sql, Error *error);

/* Runs a query for one number; -1 if it fails. */
int64_t database_query_number(Database *database, const char *sql);

/* Which program a database belongs to, and the version of its tables. */
typedef struct DatabaseStamp {
    uint32_t application;
    uint32_t version;
    /* the oldest version of the tables whose programs may also use this version; on SQLite the same
       as `version` */
    uint32_t oldest;
    bool empty; /* there are no tables */
} DatabaseStamp;

bool database_read_stamp(Database *database, DatabaseStamp *stamp, Error *error);
/* Does not write `empty`. */
bool database_write_stamp(Database *database, const DatabaseStamp *stamp, Error *error);

/* Whether a file has the stamp of this application, without opening it as a database. */
bool database_has_stamp(const char *path, uint32_t application);

/* ---- files; no-ops for PostgreSQL, which manages its own ---- */

/* Enables the write-ahead log: from then on, readers never wait for the writer. */
bool database_use_wal(Database *database, Error *error);

/* Pages in the write-ahead log after the last commit. */
uint32_t database_wal_pages(Database *database);

/* Moves the write-ahead log into the database as far as readers allow. With `whole`, also waits
   briefly for readers and empties the log. */
bool database_checkpoint(Database *database, bool whole, Error *error);

/* Disables the write-ahead log, so that readers need no write access. Has no effect while another
   connection reads. */
void database_remove_wal(Database *database);

/* Replaces the content of `to` with a snapshot of `from`. Fails for PostgreSQL. */
bool database_copy(Database *from, Database *to, Error *error);

/* Reads the whole database and fails if it is damaged. */
bool database_check(Database *database, Error *error);

/* Calls `take` with every statement prepared so far and the engine's plan for it: for tests and
   benchmarks of SQLite. */
void database_query_plans(Database *database,
                          void (*take)(void *context, const char *sql, const char *plan),
                          void *context);

#endif
