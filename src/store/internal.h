/* Inside the store: the Store itself, its connections, and what its parts share. */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "store/accounts.h"
#include "store/transaction.h"

#include <pthread.h>

enum { READERS_MAX = 16 };

/* One connection writes. With SQLite it alone makes checkpoints too: SQLite 3.40 can lose a commit
   when one connection resets the write-ahead log while another writes. Readers cannot write, and
   are kept in a pool: a thread borrows one for a query. */
struct Store {
    char *directory;
    char *database; /* a URI, or a file in the directory; a URI may have a password */
    int lock;       /* a descriptor that holds the directory's lock, or -1 */
    bool read_only;
    int64_t (*now)(void);

    pthread_mutex_t writing; /* held during a transaction */
    Database *writer;
    uint32_t checkpoint_at; /* pages of the write-ahead log */

    pthread_mutex_t pool; /* guards what follows */
    pthread_cond_t returned;
    Database *idle[READERS_MAX];
    uint32_t idle_count;
    uint32_t readers;

    /* held while a file is found and marked as used, or found old and deleted */
    pthread_mutex_t files;
};

Database *store_take_reader(Store *store, Error *error);
void store_return_reader(Store *store, Database *reader);
Database *store_take_writer(Store *store, Error *error);
void store_return_writer(Store *store);

#define STORE_DATABASE "arena.db"

/* What names a deleted account and its bots, followed by an id, and it as a player in person or
   with a remote bot. Nobody can choose such a name. */
#define DELETED_PREFIX "deleted-"
#define DELETED_LABEL "deleted account"

/* ---- files ---- */

/* Every file that a row names. */
#define NAMED_FILES                                        \
 "SELECT source FROM versions WHERE source <> '' "         \
 "UNION SELECT product FROM versions WHERE product <> '' " \
 "UNION SELECT replay FROM matches WHERE replay <> '' "    \
 "UNION SELECT source FROM seats WHERE source <> ''"

/* Creates the folders for files in a data directory; they may exist. */
bool files_make(const char *directory, Error *error);

/* Whether a file is in the directory; true for "". */
bool files_has(const char *directory, const StoreFile *file);

/* STORE_REJECTED unless the file exists. */
StoreResult files_need(Store *store, const StoreFile *file, Error *error);

/* Copies a file to another data directory, and checks that its content matches its name. */
bool files_copy(const char *from, const char *to, const char *name, Error *error);

/* Takes a lock. Backups share it and wait for it; a sweep needs it alone and does not wait
   (FILES_BUSY). -1 on failure. Close it to release it. */
enum { FILES_BUSY = -2 };
int files_lock(const char *directory, bool shared, Error *error);

bool directory_make(const char *path, Error *error); /* it may exist */
bool directory_sync(const char *path, Error *error);

/* ---- the data directory of a store; see data_directory.c ---- */

/* Whether it is the directory of a store on SQLite, or on PostgreSQL (`uri`). */
bool directory_has_files_of(const char *directory, bool uri);

/* Before opening: false if the directory is one for the other engine. */
bool directory_suits(const char *directory, bool uri, Error *error);

/* After opening a store on PostgreSQL: false if it was created with another directory. */
bool directory_bind(Store *store, Error *error);

/* ---- names ---- */

enum { SEARCH_SIZE = STORE_NAME_SIZE + 2 };

/* A LIKE pattern for a column of store_name_key: names that contain this text. A text that no name
   can contain matches none. */
void search_pattern(Slice text, char pattern[SEARCH_SIZE]);

/* ---- secrets ---- */

enum { SECRET_SIZE = 65 };
void secret_hash(Slice secret, char hash[SECRET_SIZE]);

/* ---- steps of another part's transactions ---- */

/* Removes a bot from jobs, the ladder and open tournaments. */
void bot_withdraw(Transaction *transaction, uint64_t bot);

/* Uses an invitation once; returns its role. */
StoreRole invitation_use(Transaction *transaction, const char *code);

#endif
