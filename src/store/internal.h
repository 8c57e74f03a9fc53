/* Inside the store: the Store itself, its connections, and what its parts lend each other. */
#ifndef STORE_INTERNAL_H
#define STORE_INTERNAL_H

#include "store/accounts.h"
#include "store/transaction.h"

#include <pthread.h>

enum { READERS_MAX = 16 };

/* One database writes. It alone folds the write-ahead log into the database too: SQLite 3.40 can
   lose a commit when one database resets the log while another writes. Readers cannot write, and
   do not fold. They are kept in a pool: a thread takes one for a question and gives it back. */
struct Store {
    char *directory;
    int lock; /* a descriptor that holds the lock of the directory, or -1 */
    bool read_only;
    int64_t (*now)(void);

    pthread_mutex_t writing; /* held from the beginning of a transaction to its end */
    Database *writer;
    uint32_t fold_at; /* pages of log */

    pthread_mutex_t pool; /* guards what follows */
    pthread_cond_t returned;
    Database *idle[READERS_MAX];
    uint32_t idle_count;
    uint32_t readers;

    /* held while a file is found and marked as wanted, or found old and removed */
    pthread_mutex_t files;
};

Database *store_take_reader(Store *store, Error *error);
void store_give_reader(Store *store, Database *reader);
Database *store_take_writer(Store *store, Error *error);
void store_give_writer(Store *store);

#define STORE_DATABASE "arena.db"

/* ---- files ---- */

/* Every file that a row names. */
#define NAMED_FILES                                                                                       \
 "SELECT source FROM versions WHERE source <> '' UNION SELECT product FROM versions WHERE product <> '' " \
 "UNION SELECT replay FROM matches WHERE replay <> '' UNION SELECT source FROM seats WHERE source <> ''"

/* The folders for files in a data directory, which may be there already. */
bool files_make(const char *directory, Error *error);

/* Whether a file is in the directory; "" is. */
bool files_has(const char *directory, const StoreFile *file);

/* STORE_REFUSED, with a sentence, unless it is there. */
StoreResult files_need(Store *store, const StoreFile *file, Error *error);

/* Copies a file from one data directory to another, looking whether the content is what the name
   says. */
bool files_copy(const char *from, const char *to, const char *name, Error *error);

/* A lock that backups share, for which they wait, and that a sweep has alone or not at all: then
   FILES_BUSY. -1 if it fails. Close it to let go. */
enum { FILES_BUSY = -2 };
int files_lock(const char *directory, bool shared, Error *error);

bool directory_make(const char *path, Error *error); /* it may be there already */
bool directory_sync(const char *path, Error *error);

/* ---- names ---- */

enum { SEARCH_SIZE = STORE_NAME_SIZE + 2 };

/* For LIKE, on a column of store_name_key: names that have this piece of text in them. What no name
   can hold finds none. */
void search_pattern(Slice text, char pattern[SEARCH_SIZE]);

/* ---- secrets ---- */

enum { SECRET_SIZE = 65 };
void secret_hash(Slice secret, char hash[SECRET_SIZE]);

/* ---- parts of one part's transaction that are another's ---- */

/* Takes a bot out of everything that goes on: jobs, ladder, tournaments that have not begun. */
void bot_withdraw(Transaction *transaction, uint64_t bot);

/* Uses an invitation once; gives the role. */
StoreRole invitation_use(Transaction *transaction, const char *code);

#endif
