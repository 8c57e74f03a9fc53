/* Inside the store: the Store itself, its connections, and what its parts share. */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "store/accounts.h"
#include "store/file_backend.h"
#include "store/store_clock.h"
#include "store/transaction.h"
#include "store/watch.h"

#include <pthread.h>

/* Limits on the connections of a store. SQLite has one writer. */
enum { READERS_MAX = 16, WRITERS_MAX = 8, FILE_WRITERS_MAX = 4, CONNECTIONS_MAX = READERS_MAX };

/* Connections of one kind. A thread borrows one for a transaction. */
typedef struct ConnectionPool {
    DatabaseKind kind;
    bool relaxed;
    uint32_t most;
    pthread_cond_t returned;
    Database *idle[CONNECTIONS_MAX];
    uint32_t idle_count;
    uint32_t open;
} ConnectionPool;

/* On SQLite one connection writes, and it alone makes checkpoints too: SQLite 3.40 can lose a
   commit when one connection resets the write-ahead log while another writes. On PostgreSQL several
   can write at the same time, see transaction_share. Readers cannot write. */
struct Store {
    char *directory;
    char *database; /* a URI, which may contain a password, or a file in the directory */
    int lock;       /* a descriptor that holds the directory's lock, or -1 */
    bool read_only;
    StoreClock clock;
    StoreWatch watch;

    /* held during a transaction that writes alone, so that only one connection of this process
       waits for other processes */
    pthread_mutex_t writing;
    uint32_t checkpoint_at; /* pages of the write-ahead log */

    pthread_mutex_t pools; /* guards what follows */
    ConnectionPool readers;
    ConnectionPool writers;
    ConnectionPool file_writers; /* only on PostgreSQL; see file_connections.c */

    FilePlace *files;     /* NULL if the store was opened without files */
    bool files_elsewhere; /* the files are not in the data directory */

    struct News *news;     /* NULL: no news is sent */
    struct Leader *leader; /* NULL: store_leader_start was not called */
};

Database *pool_take(Store *store, ConnectionPool *pool, Error *error);
void pool_return(Store *store, ConnectionPool *pool, Database *database);

Database *store_take_reader(Store *store, Error *error);
void store_return_reader(Store *store, Database *reader);

/* `alone`: waits until no other thread has taken a writer with `alone`. */
Database *store_take_writer(Store *store, bool alone, Error *error);
void store_return_writer(Store *store, Database *writer, bool alone);

/* Whether results are counted after the transactions that store them; see queue_internal.h. */
bool store_counts_later(const Store *store);

#define STORE_DATABASE "arena.db"

/* The names of deleted accounts and their bots, each followed by an id, and the name of a deleted
   account that played in person or with a remote bot. Users cannot choose such names. */
#define DELETED_PREFIX "deleted-"
#define DELETED_LABEL "deleted account"

/* ---- files ---- */

/* Every file that a row names. */
#define NAMED_FILES                                        \
 "SELECT source FROM versions WHERE source <> '' "         \
 "UNION SELECT product FROM versions WHERE product <> '' " \
 "UNION SELECT replay FROM matches WHERE replay <> '' "    \
 "UNION SELECT source FROM seats WHERE source <> ''"

/* STORE_REJECTED unless the file exists or its name is "". */
StoreResult files_need(Store *store, const StoreFile *file, Error *error);

/* A transaction on a connection for rows about files, which does not block other writers on
   PostgreSQL. After a failure, every further step is skipped and the transaction is rolled back. */
typedef struct FileRows {
    Store *store;
    Database *database;
    Error *error;
    bool good;
} FileRows;

bool file_rows_begin(FileRows *rows, Store *store, DatabaseAccess access, Error *error);
/* Starts a statement; true if it has a row, which is then the current one. */
bool file_rows_start(FileRows *rows, const char *sql, const Value *values, size_t count);
/* Runs a statement; returns how many rows it changed. */
int64_t file_rows_run(FileRows *rows, const char *sql, const Value *values, size_t count);
/* Commits, or rolls back after a failure. Returns whether it committed. */
bool file_rows_end(FileRows *rows);

/* Takes the lock of a data directory. Backups take a shared lock and wait for it; a sweep takes an
   exclusive lock and does not wait (FILES_BUSY). -1 on failure. Close the descriptor to release
   it. */
enum { FILES_BUSY = -2 };
int files_lock(const char *directory, bool shared, Error *error);

bool directory_make(const char *path, Error *error); /* it may exist */
bool directory_sync(const char *path, Error *error);
void directory_remove(const char *path, int depth); /* down to `depth` levels */

/* ---- the data directory, and the place for the files; see file_place.c ---- */

#define PLACE_ID_FILE "store-id"
#define PLACE_ID_SETTING "files_id"
#define PLACE_ID_HERE "files_here" /* the id of the database as a place for files */

/* Whether a directory has an SQLite database, or the files of a store on PostgreSQL (`uri`). */
bool directory_has_files_of(const char *directory, bool uri);

bool is_same_directory(const char *one, const char *other);

/* Call this before opening. False if the data directory belongs to the other engine. */
bool directory_suits(const char *directory, bool uri, Error *error);

/* Opens the place for the files; NULL means the data directory. Creates nothing. */
bool place_open(Store *store, const char *name, Error *error);
void place_close(FilePlace *place);

/* Call this before the tables are created or upgraded. False if the place belongs to another store.
   Changes nothing. */
bool place_check(Store *store, bool is_new, Error *error);

/* Creates what the place needs. Call this once it is known to be the right place. */
bool place_prepare(Store *store, int64_t cache_bytes, Error *error);

/* Call this after opening. Binds a new store to its place. False if the place belongs to another
   store. */
bool place_bind(Store *store, Error *error);

/* ---- news ---- */

/* Stops sending and receiving news, and frees the state. */
void news_close(Store *store);

/* ---- the leader ---- */

/* Stops leading. */
void leader_close(Store *store);

/* The first step of a transaction that writes alone: rejects it if store_leader_start was called
   and this process does not have the lock now. A process that has hung, or whose connection the
   server has closed, may not know that another process leads and has already written. */
void leader_require(Transaction *transaction);

/* Prevents other processes from leading the arena of this PostgreSQL database until the connection
   is closed. False if a process leads now. */
bool leader_keep_out(Database *database);

/* ---- names ---- */

enum { SEARCH_SIZE = STORE_NAME_SIZE + 2 };

/* Writes a LIKE pattern, for a column with values of store_name_key, that matches names which
   contain this text. A text that no name can contain matches none. */
void search_pattern(Slice text, char pattern[SEARCH_SIZE]);

/* ---- secrets ---- */

enum { SECRET_SIZE = 65 };
void secret_hash(Slice secret, char hash[SECRET_SIZE]);

/* ---- steps of another part's transactions ---- */

/* A worker that was last seen before this time counts as lost. */
int64_t workers_seen_since(const Store *store);

/* Deletes the rows of workers that are gone. */
void workers_forget(Transaction *transaction);

/* Removes a bot from jobs, the ladder and open tournaments. */
void bot_withdraw(Transaction *transaction, uint64_t bot);

/* Uses an invitation once; returns its role. */
StoreRole invitation_use(Transaction *transaction, const char *code);

#endif
