/* See fixture.h. */
#include "fixture.h"

#include "sql/database.h"

#include <ftw.h>
#include <unistd.h>

_Atomic int64_t test_time = 1000000;

int64_t test_now(void) {
    return test_time;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

void remove_all(const char *path) {
    nftw(path, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- PostgreSQL ---- */

static char database_uri[512]; /* of the test's database; "" on SQLite */

bool on_postgres(void) {
    return getenv("TEST_POSTGRES") != NULL;
}

const char *test_database(void) {
    return on_postgres() ? database_uri : NULL;
}

void on_server(const char *sql) {
    Error error = {0};
    Database *server = database_open(getenv("TEST_POSTGRES"), DATABASE_PLAIN, false, &error);
    if (!server || !database_script(server, sql, &error))
        fail_msg("%s: %s", sql, error.text);
    database_close(server);
}

/* Creates a new, empty database on the server. */
static void create_database(void) {
    static uint32_t count;
    const char *server = getenv("TEST_POSTGRES");
    char sql[64];
    snprintf(sql, sizeof sql, "CREATE DATABASE test_%u", ++count);
    on_server(sql);
    snprintf(database_uri, sizeof database_uri, "%.*s/test_%u",
             (int)(strrchr(server, '/') - server), server, count);
}

static void drop_database(void) {
    char sql[64];
    snprintf(sql, sizeof sql, "DROP DATABASE %s WITH (FORCE)", strrchr(database_uri, '/') + 1);
    on_server(sql);
}

void cut_connections(void) {
    char sql[200];
    snprintf(sql, sizeof sql,
             "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = '%s'",
             strrchr(test_database(), '/') + 1);
    on_server(sql);
}

/* ---- the store ---- */

Store *open_store_with(const char *directory, const char *files, Error *error) {
    /* These tests do not cut the power, so commits need not wait for the disk. */
    return store_open(&(StoreOptions){.directory = directory,
                                      .database = test_database(),
                                      .files = files,
                                      .now = test_now,
                                      .relaxed = true},
                      error);
}

Store *open_store(const char *directory, Error *error) {
    return open_store_with(directory, NULL, error);
}

const char *test_files(const TestStore *fixture) {
    return fixture->files[0] ? fixture->files : NULL;
}

void fixture_open(TestStore *fixture) {
    Error error = {0};
    fixture->store = open_store_with(fixture->directory, test_files(fixture), &error);
    assert_string_equal(error.text, "");
    assert_non_null(fixture->store);
}

void fixture_close(TestStore *fixture) {
    Error error = {0};
    assert_true(store_close(fixture->store, &error));
    fixture->store = NULL;
}

/* Each test has its own prefix in the bucket. */
static void name_bucket(const char *files, char *to, size_t size) {
    static uint32_t count;
    const char *number = strstr(files, "%u");
    if (number)
        snprintf(to, size, "%.*s%u%s", (int)(number - files), files, ++count, number + 2);
    else
        snprintf(to, size, "%s", files);
}

int fixture_setup(void **state) {
    TestStore *fixture = calloc(1, sizeof *fixture);
    /* In memory if possible: the tests do not depend on the kind of disk, and sync hundreds of
       times. */
    snprintf(fixture->root, sizeof fixture->root, "%s/skirmish-store-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(fixture->root));
    snprintf(fixture->directory, sizeof fixture->directory, "%s/data", fixture->root);
    const char *files = getenv("TEST_FILES");
    if (files && strcmp(files, "directory") == 0)
        snprintf(fixture->files, sizeof fixture->files, "%s/place", fixture->root);
    else if (files)
        name_bucket(files, fixture->files, sizeof fixture->files);
    test_time = 1000000;
    if (on_postgres())
        create_database();
    fixture_open(fixture);
    *state = fixture;
    return 0;
}

int fixture_teardown(void **state) {
    TestStore *fixture = *state;
    store_close(fixture->store, NULL);
    if (on_postgres())
        drop_database();
    remove_all(fixture->root);
    free(fixture);
    return 0;
}

char *path_in(const TestStore *fixture, const char *name) {
    size_t size = sizeof fixture->root + strlen(name) + 2;
    char *path = malloc(size);
    snprintf(path, size, "%s/%s", fixture->root, name);
    return path;
}

void check_result(StoreResult expected, StoreResult result, const Error *error, const char *call,
                  const char *file, int line) {
    if (result == expected)
        return;
    print_error("%s gave %d and not %d: %s\n", call, result, expected,
                result == STORE_OK ? "" : error->text);
    _fail(file, line);
}

void assert_says(const Error *error, const char *piece) {
    if (!strstr(error->text, piece))
        fail_msg("\"%s\" does not contain \"%s\"", error->text, piece);
}

uint64_t add_account(Store *store, const char *name, StoreRole role) {
    Error error;
    uint64_t id = 0;
    assert_ok(store_account_add(
        store, &(StoreNewAccount){.name = name, .password = "hash", .role = role}, &id, &error));
    return id;
}

StoreFile add_file(Store *store, const char *content) {
    Error error;
    StoreFile file;
    assert_ok(store_file_put(store, slice_of(content), &file, &error));
    return file;
}

uint64_t add_version(Store *store, uint64_t bot, const char *content) {
    Error error;
    uint64_t id = 0;
    StoreNewVersion version = {.bot = bot,
                               .language = "c",
                               .file_name = "bot.c",
                               .source = add_file(store, content),
                               .size = (int64_t)strlen(content),
                               .spec = "{}"};
    assert_ok(store_version_add(store, &version, &id, &error));
    return id;
}

void build_all(Store *store, bool good) {
    Error error;
    for (;;) {
        StoreJob job;
        uint32_t count = 1;
        assert_ok(store_queue_lease(store, JOB_BUILD, "builder", 1000, &job, &count, &error));
        if (!count)
            return;
        StoreBuildResult result = {.good = good, .activate = true, .log = slice_of("compiled")};
        assert_ok(store_queue_finish_build(store, job.id, job.attempt, &result, &error));
    }
}

uint64_t add_bot(Store *store, uint64_t owner, const char *game, const char *name,
                 uint64_t *version) {
    Error error;
    uint64_t id = 0;
    assert_ok(store_bot_add(store, owner, game, name, &id, &error));
    uint64_t made = add_version(store, id, name);
    build_all(store, true);
    if (version)
        *version = made;
    return id;
}

uint64_t add_match(Store *store, StoreMatchKind kind, const char *game, uint64_t bot,
                   uint64_t other) {
    Error error;
    uint64_t id = 0;
    StoreNewSeat seats[2] = {{.bot = bot, .label = bot ? "" : "visitor"},
                             {.bot = other, .label = other ? "" : "visitor"}};
    StoreNewMatch match = {.kind = kind,
                           .game = game,
                           .map = "plain",
                           .seed = UINT64_MAX,
                           .spec = "{\"spec\":1}",
                           .players = 2,
                           .seats = seats};
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    return id;
}

StoreJob lease_one(Store *store, int64_t lease) {
    Error error;
    StoreJob job = {0};
    uint32_t count = 1;
    assert_ok(store_queue_lease(store, JOB_MATCH, "here", lease, &job, &count, &error));
    assert_int_equal(count, 1);
    return job;
}

StoreResult finish(Store *store, StoreJob job, const char *verdict, Error *error) {
    StoreSeatResult seats[2] = {
        {.rank = 1, .scored = true, .score = -7, .status = "alive"},
        {.rank = 2, .status = "crashed", .failure = "it ended with status 1"}};
    StoreMatchResult result = {.turns = 41,
                               .reason = "all enemies gone",
                               .verdict = slice_of(verdict),
                               .players = 2,
                               .seats = seats};
    return store_queue_finish_match(store, job.id, job.attempt, &result, error);
}

void assert_matches(Store *store, const StoreMatchesWanted *wanted, const uint64_t *ids) {
    StoreMatches matches = {0};
    Error error;
    for (uint32_t limit = 1; limit < 7; limit++) {
        StorePage page = {.limit = limit};
        uint32_t at = 0;
        do {
            assert_ok(store_matches_list(store, wanted, &page, &matches, &error));
            for (uint32_t row = 0; row < page.count; row++)
                assert_int_equal(matches.rows[row].id, ids[at++]);
            page.from = page.next;
        } while (page.next.id);
        assert_int_equal(ids[at], 0);
    }
    store_matches_free(&matches);
}
