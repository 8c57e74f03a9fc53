/* A store in a new directory, and with TEST_POSTGRES, the URI of a server, in a new database there
   (see tests/with_postgres.py). TEST_FILES says where its files are: "directory" is one outside of
   the data directory, everything else is as for --files, where "%u" in the URI of a bucket becomes
   a new number (see tests/with_s3.py). It has a clock that stands still until it
   is told, and short ways to fill it. Every helper asserts its success. */
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
    char root[64];      /* a new directory, removed in the end */
    char directory[80]; /* the store's, inside it */
    char files[256];    /* with TEST_FILES, where the files are */
    Store *store;
} TestStore;

/* cmocka's setup and teardown; *state is the TestStore. */
int fixture_setup(void **state);
int fixture_teardown(void **state);

/* Whether the stores of this run are on PostgreSQL, and the URI of the test's database; NULL on
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

/* Asserts the result, and shows the sentence when it is another. */
#define assert_result(expected, call) \
 check_result(expected, call, &error, #call, __FILE__, __LINE__)
#define assert_ok(call) assert_result(STORE_OK, call)
void check_result(StoreResult expected, StoreResult result, const Error *error, const char *call,
                  const char *file, int line);

/* Asserts that the sentence has a piece of text in it. */
void assert_says(const Error *error, const char *piece);

uint64_t add_account(Store *store, const char *name, StoreRole role);
StoreFile add_file(Store *store, const char *content);

/* A bot with one version that was built well and is active; *version may be NULL. */
uint64_t add_bot(Store *store, uint64_t owner, const char *game, const char *name,
                 uint64_t *version);
uint64_t add_version(Store *store, uint64_t bot, const char *content);

/* Builds whatever waits to be built. */
void build_all(Store *store, bool good);

/* A match of two seats, waiting. */
uint64_t add_match(Store *store, StoreMatchKind kind, const char *game, uint64_t bot,
                   uint64_t other);

/* Leases the next match; its job. None is a failure. */
StoreJob lease_one(Store *store, int64_t lease);

/* A result of two seats; the first wins. */
StoreResult finish(Store *store, StoreJob job, const char *verdict, Error *error);

/* The list of matches has these ids, which end with 0, with pages of any size. */
void assert_matches(Store *store, const StoreMatchesWanted *wanted, const uint64_t *ids);

#endif
