/* A store in a new directory and, if TEST_POSTGRES is the URI of a server, in a new database there
   (see tests/with_postgres.py). TEST_FILES is the place of its files: "directory" for one outside
   the data directory, otherwise a value for --files, where "%u" in the URI of a bucket becomes a
   new number (see tests/with_s3.py). The store's clock is test_time, which only moves when a test
   sets it. Helpers that take no Error fail the test if they do not succeed. */
#ifndef TESTS_STORE_FIXTURE_H
#define TESTS_STORE_FIXTURE_H

#include "store/store.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

extern _Atomic int64_t test_time;
int64_t test_now(void);

typedef struct TestStore {
    char root[64];      /* a new directory, removed at the end */
    char directory[80]; /* the store's, inside it */
    char files[256];    /* with TEST_FILES, where the files are */
    Store *store;
} TestStore;

/* cmocka's setup and teardown; *state is the TestStore. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Whether the stores of this run are on PostgreSQL; the URI of the test's database, or NULL on
   SQLite. */
bool on_postgres(void);
const char *test_database(void);

/* Where the files of this run are, as --files names it; NULL: in the data directory. */
const char *test_files(const TestStore *fixture);

/* Runs SQL in the database `postgres` of the server. */
void on_server(const char *sql);

/* Ends all connections of the test's database, as a restart of the server does. */
void cut_connections(void);

void fixture_close(TestStore *fixture);
void fixture_open(TestStore *fixture);
Store *open_store(const char *directory, Error *error); /* with its files in the directory */
Store *open_store_with(const char *directory, const char *files, Error *error);
void remove_all(const char *path);
char *path_in(const TestStore *fixture, const char *name); /* in `root`; the caller frees it */

/* Asserts the result; if it differs, the failure shows the error message in `error`. */
#define assert_result(expected, call) \
 check_result(expected, call, &error, #call, __FILE__, __LINE__)
#define assert_ok(call) assert_result(STORE_OK, call)
void check_result(StoreResult expected, StoreResult result, const Error *error, const char *call,
                  const char *file, int line);

/* Asserts that the error message contains a piece of text. */
void assert_says(const Error *error, const char *piece);

uint64_t add_account(Store *store, const char *name, StoreRole role);
StoreFile add_file(Store *store, const char *content);

/* Adds a bot with one version, which is built and active, and returns the bot's id. *version
   becomes the version's id unless `version` is NULL. */
uint64_t add_bot(Store *store, uint64_t owner, const char *game, const char *name,
                 uint64_t *version);
uint64_t add_version(Store *store, uint64_t bot, const char *content);

/* Finishes all waiting builds, with success if `good`. */
void build_all(Store *store, bool good);

/* Adds a waiting match of two seats; returns its id. */
uint64_t add_match(Store *store, StoreMatchKind kind, const char *game, uint64_t bot,
                   uint64_t other);

/* Leases the next match and returns its job; fails if there is none. */
StoreJob lease_one(Store *store, int64_t lease);

/* Stores a result of two seats; the first wins. */
StoreResult finish(Store *store, StoreJob job, const char *verdict, Error *error);

/* Asserts that the list of matches has these ids, followed by 0, with pages of any size. */
void assert_matches(Store *store, const StoreMatchesWanted *wanted, const uint64_t *ids);

#endif
