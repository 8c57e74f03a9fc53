/* Trouble: older and newer stores, damaged and foreign files, full and read-only disks, two
   processes on one store; and backups, which help afterwards. The first argument is the folder of
   this file. */
#include "fixture.h"
#include "store/internal.h"
#include "store/schema.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

static const char *source_folder;

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

static void write_at(const char *path, off_t at, const void *bytes, size_t count) {
    int file = open(path, O_WRONLY | O_CREAT, 0600);
    assert_true(file >= 0);
    assert_int_equal(pwrite(file, bytes, count, at), count);
    close(file);
}

static void read_all(const char *path, Buffer *to) {
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    for (int c; (c = fgetc(file)) != EOF;)
        buffer_char(to, (char)c);
    fclose(file);
}

/* Runs SQL on the store's own file while it is closed. */
static void doctor(TestStore *fixture, const char *sql) {
    Error error = {0};
    char *path = path_in(fixture, "data/arena.db");
    Database *database = database_open(path, DATABASE_PLAIN, false, &error);
    assert_non_null(database);
    assert_true(database_script(database, sql, &error));
    database_close(database);
    free(path);
}

/* ---- versions of the tables ---- */

static void dump_schema(Store *store, Buffer *to) {
    Error error;
    Transaction transaction = transaction_read(store, &error);
    sql_query(
        &transaction,
        "SELECT coalesce(sql, '') FROM sqlite_master WHERE name NOT LIKE 'sqlite_%' ORDER BY name",
        NULL, 0);
    while (sql_row(&transaction)) {
        Slice text = database_text(transaction.database, 0);
        buffer_format(to, "%.*s\n", (int)text.length, text.at);
    }
    assert_int_equal(transaction_end(&transaction), STORE_OK);
}

static void a_store_of_version_1_still_opens(void **state) {
    TestStore *fixture = *state;
    Error error;
    Buffer fresh = {0};
    dump_schema(fixture->store, &fresh);
    fixture_close(fixture);
    remove_all(fixture->directory);
    assert_int_equal(mkdir(fixture->directory, 0700), 0);

    Buffer dump = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/schema-v1.sql", source_folder);
    read_all(path, &dump);
    doctor(fixture, buffer_string(&dump));
    buffer_free(&dump);

    fixture_open(fixture);
    Store *store = fixture->store;
    Buffer migrated = {0};
    dump_schema(store, &migrated);
    assert_string_equal(buffer_string(&migrated), buffer_string(&fresh));
    buffer_free(&migrated);
    buffer_free(&fresh);
    add_file(store, "hunter"); /* the sources that the dump names */
    add_file(store, "runner");
    assert_ok(store_check(store, &error));
    StoreMatches match = {0};
    assert_ok(store_match_get(store, 1, &match, &error));
    assert_string_equal(match.rows[0].seats[0].name, "hunter");
    assert_string_equal(match.rows[0].seats[1].owner_name, "bob");
    assert_int_equal(match.rows[0].state, MATCH_OVER);
    store_matches_free(&match);
    assert_ok(finish(store, lease_one(store, 1000), "{}", &error)); /* the match that waited */
    assert_int_equal(add_account(store, "carol", ROLE_PLAYER), 3);
}

/* Step 17 of the schema recreates the table of jobs. */
static void jobs_of_an_older_store_keep_their_places_and_no_id_is_used_twice(void **state) {
    TestStore *fixture = *state;
    Error error;
    fixture_close(fixture);
    remove_all(fixture->directory);
    assert_int_equal(mkdir(fixture->directory, 0700), 0);
    Buffer dump = {0};
    char path[512];
    snprintf(path, sizeof path, "%s/schema-v1.sql", source_folder);
    read_all(path, &dump);
    doctor(fixture, buffer_string(&dump));
    buffer_free(&dump);
    /* Urgencies 0, 2, 3 and 4; 1 is in the dump. Job 3 is leased, and has failed twice. */
    doctor(fixture,
           "INSERT INTO matches (id, kind, state, open, game, map, seed, fixture, leg, created, "
           "started, ended, turns, reason, replay) "
           "SELECT id + 2, kind, 0, open, game, map, seed, fixture, leg, created, 0, 0, 0, '', '' "
           "FROM matches UNION SELECT 5, 2, 0, 0, 'aliens', '', 0, 0, 0, 1000, 0, 0, 0, '', '';"
           "INSERT INTO jobs VALUES (1, 2, 4, 3, NULL, 0, 0, 0, '', '');"
           "INSERT INTO jobs VALUES (2, 2, 3, 5, NULL, 0, 0, 0, '', '');"
           "INSERT INTO jobs VALUES (3, 2, 2, 4, NULL, 7, 2, 9000000000000, 'here', 'it died');"
           "INSERT INTO jobs VALUES (5, 1, 0, NULL, 1, 0, 0, 0, '', '');"
           "UPDATE sqlite_sequence SET seq = 90 WHERE name = 'jobs'");
    fixture_open(fixture);
    Store *store = fixture->store;
    StoreQueueSize size;
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.builds, 1);
    assert_int_equal(size.matches[MATCH_PLAY_NOW], 1);
    assert_int_equal(size.matches[MATCH_LADDER], 1);
    assert_int_equal(size.people, 1);
    assert_int_equal(size.checks + size.analyses, 0);
    assert_int_equal(size.leased, 1);
    bool over;
    assert_ok(store_queue_fail(store, 3, 7, "it died again", 0, &over, &error));
    assert_true(over);
    StoreJob job;
    uint32_t count = 1;
    add_version(store, 1, "newer");
    do
        assert_ok(store_queue_lease(store, JOB_ANY, "here", 1000, &job, &count, &error));
    while (count && job.id <= 5);
    assert_int_equal(count, 1);
    assert_int_equal(job.id, 91);
}

static void a_newer_store_is_refused(void **state) {
    TestStore *fixture = *state;
    Error error;
    fixture_close(fixture);
    doctor(fixture, "PRAGMA user_version = 1000");
    assert_null(open_store(fixture->directory, &error));
    assert_says(&error, "written by a newer version of Skirmish (schema version 1000");
    StoreOptions options = {.directory = fixture->directory, .read_only = true};
    assert_null(store_open(&options, &error));
    assert_says(&error, "written by a newer version of Skirmish");
}

static void a_failed_upgrade_step_changes_nothing_and_earlier_ones_stay(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    char *path = path_in(fixture, "steps.db");
    Database *database = database_open(path, DATABASE_WRITER, true, &error);
    free(path);
    static const SchemaStep steps[] = {
        {"CREATE TABLE one (x INTEGER)", NULL, 0},
        {"CREATE TABLE two (x INTEGER); INSERT INTO two VALUES (7)", NULL, 1},
        {"CREATE TABLE three (x INTEGER); INSERT INTO nowhere VALUES (1)", NULL, 0},
    };
    assert_true(schema_migrate(database, steps, 1, &error));
    assert_int_equal(database_query_number(database, "PRAGMA user_version"), 1);
    assert_true(schema_migrate(database, steps, 2, &error));
    assert_true(schema_migrate(database, steps, 2, &error)); /* no step runs twice */
    assert_int_equal(database_query_number(database, "SELECT sum(x) FROM two"), 7);
    assert_false(schema_migrate(database, steps, 3, &error));
    assert_says(&error, "upgrading the store to schema version 3");
    assert_says(&error, "nowhere");
    assert_int_equal(database_query_number(database, "PRAGMA user_version"), 2);
    assert_int_equal(
        database_query_number(database, "SELECT count(*) FROM sqlite_master WHERE name = 'three'"),
        0);
    assert_false(schema_migrate(database, steps, 1, &error)); /* there is no downgrade */
    assert_says(&error, "newer");
    database_close(database);
}

/* ---- damaged and foreign files ---- */

static void another_programs_database_is_left_alone(void **state) {
    TestStore *fixture = *state;
    Error error;
    fixture_close(fixture);
    remove_all(fixture->directory);
    assert_int_equal(mkdir(fixture->directory, 0700), 0);
    doctor(fixture, "CREATE TABLE recipes (name TEXT)");
    char *path = path_in(fixture, "data/arena.db");
    Buffer before = {0};
    Buffer after = {0};
    read_all(path, &before);
    assert_null(open_store(fixture->directory, &error));
    assert_says(&error, "arena.db: this is another program's database");
    read_all(path, &after);
    assert_int_equal(before.length, after.length);
    assert_memory_equal(before.data, after.data, before.length);
    buffer_free(&before);
    buffer_free(&after);
    free(path);
}

static void a_file_that_is_not_a_database_is_reported(void **state) {
    TestStore *fixture = *state;
    Error error;
    fixture_close(fixture);
    char *path = path_in(fixture, "data/arena.db");
    char noise[8192];
    memset(noise, 'x', sizeof noise);
    write_at(path, 0, noise, sizeof noise);
    free(path);
    assert_null(open_store(fixture->directory, &error));
    assert_says(&error, "the file is damaged or not a database");
}

static void a_damaged_page_gives_an_error_message(void **state) {
    TestStore *fixture = *state;
    Error error;
    for (int i = 0; i < 50; i++)
        add_match(fixture->store, MATCH_LADDER, "aliens", 0, 0);
    fixture_close(fixture);
    char *path = path_in(fixture, "data/arena.db");
    Database *database = database_open(path, DATABASE_PLAIN, false, &error);
    assert_non_null(database);
    int64_t root = database_query_number(
        database, "SELECT rootpage FROM sqlite_master WHERE name = 'matches'");
    int64_t size = database_query_number(database, "PRAGMA page_size");
    database_close(database);
    char noise[4096];
    memset(noise, 0xA5, sizeof noise);
    write_at(path, (root - 1) * size, noise, (size_t)size);
    free(path);
    fixture_open(fixture);
    StoreMatches matches = {0};
    StorePage page = {.limit = 50};
    assert_result(STORE_FAILED, store_matches_list(fixture->store, &(StoreMatchesWanted){0}, &page,
                                                   &matches, &error));
    assert_says(&error, "the file is damaged");
    assert_int_equal(page.count, 0);
    store_matches_free(&matches);
    assert_result(STORE_FAILED, store_check(fixture->store, &error));
    char *copy = path_in(fixture, "copy");
    assert_result(STORE_FAILED, store_backup(fixture->store, copy, NULL, &error));
    assert_int_equal(access(copy, F_OK), -1);
    free(copy);
}

static void a_missing_file_is_found_by_the_check(void **state) {
    TestStore *fixture = *state;
    Error error;
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    add_bot(fixture->store, ada, "aliens", "hunter", NULL);
    assert_ok(store_check(fixture->store, &error));
    StoreFile file = add_file(fixture->store, "hunter");
    char name[100];
    snprintf(name, sizeof name, "data/files/%.2s/%s", file.name, file.name);
    char *path = path_in(fixture, name);
    assert_int_equal(unlink(path), 0);
    free(path);
    assert_result(STORE_FAILED, store_check(fixture->store, &error));
    assert_says(&error, "the store refers to the file");
}

/* ---- two processes ---- */

static void only_one_process_can_write(void **state) {
    TestStore *fixture = *state;
    Error error;
    assert_null(open_store(fixture->directory, &error));
    assert_says(&error, "is in use by another Skirmish");
    StoreOptions options = {.directory = fixture->directory, .read_only = true, .now = test_now};
    Store *reader = store_open(&options, &error);
    assert_non_null(reader);
    uint64_t id = add_account(fixture->store, "ada", ROLE_PLAYER);
    StoreAccount account;
    assert_ok(store_account_get(reader, id, &account, &error));
    StoreNewAccount bob = {.name = "bob", .password = ""};
    assert_result(STORE_FAILED, store_account_add(reader, &bob, NULL, &error));
    assert_string_equal(error.text, "the store is open for reading only");
    StoreFile file;
    assert_result(STORE_FAILED, store_file_put(reader, slice_of("x"), &file, &error));
    assert_true(store_close(reader, &error));
    options.directory = "/nowhere/at/all";
    assert_null(store_open(&options, &error));
    options.read_only = false;
    assert_null(store_open(&options, &error));
    assert_says(&error, "cannot create the directory /nowhere/at/all");
}

/* ---- disks ---- */

enum { SKIPPED = 77 };

/* Runs `body` in a child that has its own small disk at the fixture's root. Skips the test if the
   child may not mount one. */
static void on_a_small_disk(void **state, void (*body)(TestStore *fixture)) {
    TestStore *fixture = *state;
    fixture_close(fixture);
    remove_all(fixture->directory);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (unshare(CLONE_NEWNS) != 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
            mount("none", fixture->root, "tmpfs", 0, "size=2m") != 0)
            _exit(SKIPPED);
        /* a failed assertion jumps to the end of the test, which ends the child */
        body(fixture);
        fflush(NULL);
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
        fixture_open(fixture);
        skip();
    }
    assert_int_equal(status, 0);
    fixture_open(fixture);
}

/* Fills the rest of the disk, to the last page. */
static void fill_disk(const char *path) {
    static const char zeros[4096];
    int file = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
    while (write(file, zeros, sizeof zeros) > 0)
        continue;
    close(file);
}

#define EXPECT(condition)                                                          \
 do {                                                                              \
  if (!(condition)) {                                                              \
   fprintf(stderr, "line %d: false: %s (%s)\n", __LINE__, #condition, error.text); \
   fflush(NULL);                                                                   \
   _exit(1);                                                                       \
  }                                                                                \
 } while (0)

static void fill_up(TestStore *fixture) {
    Error error = {0};
    Store *store = open_store(fixture->directory, &error);
    EXPECT(store);
    StoreNewAccount account = {.name = "before", .password = "x"};
    EXPECT(store_account_add(store, &account, NULL, &error) == STORE_OK);
    char *filler = path_in(fixture, "filler");
    fill_disk(filler);
    StoreResult result = STORE_OK;
    uint32_t added = 0;
    for (; result == STORE_OK && added < 1000; added++) {
        char name[16];
        snprintf(name, sizeof name, "during%u", added);
        account.name = name;
        result = store_account_add(store, &account, NULL, &error);
    }
    EXPECT(result == STORE_FAILED);
    EXPECT(strstr(error.text, "the disk is full"));
    Buffer large = {0};
    buffer_reserve(&large, 100000);
    memset(large.data, 'x', 100000);
    StoreFile file;
    EXPECT(store_file_put(store, (Slice){large.data, 100000}, &file, &error) == STORE_FAILED);
    EXPECT(strstr(error.text, "the disk is full"));
    buffer_free(&large);
    StoreAccount found;
    EXPECT(store_account_find(store, slice_of("before"), &found, &error) == STORE_OK);
    EXPECT(unlink(filler) == 0);
    free(filler);
    account.name = "after";
    EXPECT(store_account_add(store, &account, NULL, &error) == STORE_OK);
    EXPECT(store_check(store, &error) == STORE_OK);
    /* All accounts whose addition succeeded exist; the one whose addition failed does not. */
    StorePage page = {.limit = 200};
    static StoreAccount rows[200];
    EXPECT(store_accounts_list(store, &page, rows, &error) == STORE_OK);
    EXPECT(page.count == added - 1 + 2);
    EXPECT(store_close(store, &error));
}

static void a_full_disk_gives_an_error_message_and_loses_nothing(void **state) {
    on_a_small_disk(state, fill_up);
}

static void protect(TestStore *fixture) {
    Error error = {0};
    Store *store = open_store(fixture->directory, &error);
    EXPECT(store);
    EXPECT(store_close(store, &error));
    EXPECT(mount("none", fixture->root, "tmpfs", MS_REMOUNT | MS_RDONLY, "size=2m") == 0);
    EXPECT(!open_store(fixture->directory, &error));
    EXPECT(strstr(error.text, "Read-only file system"));
}

static void a_read_only_disk_gives_an_error_message(void **state) {
    on_a_small_disk(state, protect);
}

/* ---- backups ---- */

/* What a backup or restore reported. */
static uint64_t copied_calls;
static uint64_t copied_done;
static uint64_t copied_total;

static void note_copied(uint64_t done, uint64_t total) {
    assert_int_equal(done, copied_calls); /* 0 of 0 first, then one file after the other */
    copied_calls++;
    copied_done = done;
    copied_total = total;
}

static void a_copy_reports_its_progress(void **state) {
    TestStore *fixture = *state;
    Error error;
    uint64_t version;
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    add_bot(fixture->store, ada, "aliens", "hunter", &version);
    add_bot(fixture->store, ada, "aliens", "gatherer", &version);
    char *copy = path_in(fixture, "copy");
    char *other = path_in(fixture, "other");
    for (int i = 0; i < 2; i++) {
        copied_calls = 0;
        assert_ok(i ? store_restore(copy, other, note_copied, &error)
                    : store_backup(fixture->store, copy, note_copied, &error));
        assert_int_equal(copied_done, 2);
        assert_int_equal(copied_total, 2);
    }
    free(copy);
    free(other);
}

static void a_backup_restores_everything(void **state) {
    TestStore *fixture = *state;
    Error error;
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    uint64_t version;
    uint64_t bot = add_bot(fixture->store, ada, "aliens", "hunter", &version);
    add_match(fixture->store, MATCH_LADDER, "aliens", bot, bot);
    StoreFile loose = add_file(fixture->store, "nobody's");
    char *copy = path_in(fixture, "copy");
    char *other = path_in(fixture, "other");
    assert_ok(store_backup(fixture->store, copy, NULL, &error));
    assert_result(STORE_REJECTED, store_backup(fixture->store, copy, NULL, &error));
    assert_says(&error, "exists already");
    assert_result(STORE_REJECTED, store_restore(copy, fixture->directory, NULL, &error));
    assert_says(&error, "is not empty");
    assert_int_equal(mkdir(other, 0700), 0); /* an empty directory is accepted */
    assert_ok(store_restore(copy, other, NULL, &error));
    Store *restored = open_store(other, &error);
    assert_non_null(restored);
    assert_ok(store_check(restored, &error));
    StoreVersion row;
    assert_ok(store_version_get(restored, version, &row, &error));
    Buffer content = {0};
    assert_ok(store_file_read(restored, &row.source, &content, &error));
    assert_string_equal(buffer_string(&content), "hunter");
    assert_result(STORE_NOT_FOUND, store_file_read(restored, &loose, &content, &error));
    buffer_free(&content);
    assert_ok(finish(restored, lease_one(restored, 1000), "{}", &error)); /* its queue works */
    assert_true(store_close(restored, &error));
    char *third = path_in(fixture, "third");
    assert_result(STORE_FAILED,
                  store_restore(fixture->root, third, NULL, &error)); /* not a backup */
    assert_says(&error, "restoring failed");
    assert_int_equal(access(third, F_OK), -1);
    free(third);
    free(copy);
    free(other);
}

static void a_backup_with_a_damaged_file_is_not_made(void **state) {
    TestStore *fixture = *state;
    Error error;
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    add_bot(fixture->store, ada, "aliens", "hunter", NULL);
    StoreFile file = add_file(fixture->store, "hunter");
    char name[100];
    snprintf(name, sizeof name, "data/files/%.2s/%s", file.name, file.name);
    char *path = path_in(fixture, name);
    write_at(path, 0, "b", 1);
    char *copy = path_in(fixture, "copy");
    assert_result(STORE_FAILED, store_backup(fixture->store, copy, NULL, &error));
    assert_says(&error, "its content does not match its name");
    assert_int_equal(access(copy, F_OK), -1);
    char *part = path_in(fixture, "copy.part");
    assert_int_equal(access(part, F_OK), -1);
    free(part);
    free(copy);
    free(path);
}

typedef struct Writer {
    Store *store;
    uint64_t bot;
    _Atomic uint32_t written;
    _Atomic bool stop;
    _Atomic bool wrong;
} Writer;

/* Adds versions, each with its own file, until `stop` is set; sweeps now and then. */
static void *write_on(void *context) {
    Writer *writer = context;
    while (!writer->stop) {
        Error error = {0};
        char content[32];
        int length = snprintf(content, sizeof content, "version %u", writer->written + 1);
        StoreNewVersion version = {
            .bot = writer->bot, .language = "c", .file_name = "a.c", .spec = "", .size = length};
        uint32_t swept;
        if (store_file_put(writer->store, slice_of(content), &version.source, &error) != STORE_OK ||
            store_version_add(writer->store, &version, NULL, &error) != STORE_OK ||
            (writer->written % 50 == 0 &&
             store_files_sweep(writer->store, 1000000, &swept, &error) != STORE_OK)) {
            fprintf(stderr, "%s\n", error.text);
            writer->wrong = true;
            break;
        }
        writer->written++;
    }
    return NULL;
}

static void a_backup_made_during_writes_is_complete(void **state) {
    TestStore *fixture = *state;
    Error error;
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    static Writer writer;
    writer = (Writer){.store = fixture->store};
    assert_ok(store_bot_add(fixture->store, ada, "aliens", "hunter", &writer.bot, &error));
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, write_on, &writer), 0);
    /* Every other backup uses a store that only reads, as another process would. */
    StoreOptions options = {.directory = fixture->directory, .read_only = true, .now = test_now};
    Store *reader = store_open(&options, &error);
    assert_non_null(reader);
    for (uint32_t i = 0; i < 5; i++) {
        uint32_t before = writer.written;
        while (writer.written < before + 20 && !writer.wrong)
            sched_yield();
        char names[2][16];
        snprintf(names[0], sizeof names[0], "copy%u", i);
        snprintf(names[1], sizeof names[1], "back%u", i);
        char *copy = path_in(fixture, names[0]);
        char *back = path_in(fixture, names[1]);
        uint32_t least = writer.written;
        assert_ok(store_backup(i % 2 ? reader : fixture->store, copy, NULL, &error));
        uint32_t most = writer.written + 1;
        assert_ok(store_restore(copy, back, NULL, &error));
        Store *restored = open_store(back, &error);
        assert_non_null(restored);
        assert_ok(store_check(restored, &error));
        StoreVersion last;
        StorePage page = {.limit = 1};
        assert_ok(store_versions_list(restored, writer.bot, &page, &last, &error));
        assert_in_range(last.number, least, most);
        store_close(restored, NULL);
        free(copy);
        free(back);
    }
    writer.stop = true;
    pthread_join(thread, NULL);
    assert_false(writer.wrong);
    store_close(reader, NULL);
}

/* ---- the log ---- */

static void a_long_log_is_checkpointed_without_disturbing_readers(void **state) {
    TestStore *fixture = *state;
    Error error;
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    Buffer large = {0};
    for (int i = 0; i < 400000; i++)
        buffer_char(&large, 'x');
    StoreNewTournament tournament = {.organiser = ada,
                                     .name = "Cup",
                                     .game = "aliens",
                                     .format = "swiss",
                                     .plan = buffer_string(&large)};
    for (int i = 0; i < 100; i++) /* 40 MB */
        assert_ok(store_tournament_add(fixture->store, &tournament, NULL, &error));
    char *path = path_in(fixture, "data/arena.db-wal");
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    assert_in_range(status.st_size, 1, 20 << 20);
    assert_ok(store_tidy(fixture->store, &error));
    assert_int_equal(stat(path, &status), 0);
    assert_int_equal(status.st_size, 0);
    free(path);
    buffer_free(&large);
    assert_ok(store_check(fixture->store, &error));
}

static void tidying_removes_expired_sessions(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    assert_ok(store_session_add(store, ada, slice_of("old"), "", test_time + 10, NULL, &error));
    assert_ok(store_session_add(store, ada, slice_of("new"), "", test_time + 20, NULL, &error));
    test_time += 10;
    assert_ok(store_tidy(store, &error));
    test_time -= 10; /* both sessions would be listed if they existed */
    StoreSession rows[3];
    StorePage page = {.limit = 3};
    assert_ok(store_sessions_list(store, ada, &page, rows, &error));
    assert_int_equal(page.count, 1);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(int count, char **arguments) {
    source_folder = count > 1 ? arguments[1] : "tests/store";
    const struct CMUnitTest tests[] = {
        CASE(a_store_of_version_1_still_opens),
        CASE(a_newer_store_is_refused),
        CASE(jobs_of_an_older_store_keep_their_places_and_no_id_is_used_twice),
        CASE(a_failed_upgrade_step_changes_nothing_and_earlier_ones_stay),
        CASE(another_programs_database_is_left_alone),
        CASE(a_file_that_is_not_a_database_is_reported),
        CASE(a_damaged_page_gives_an_error_message),
        CASE(a_missing_file_is_found_by_the_check),
        CASE(only_one_process_can_write),
        CASE(a_full_disk_gives_an_error_message_and_loses_nothing),
        CASE(a_read_only_disk_gives_an_error_message),
        CASE(a_backup_restores_everything),
        CASE(a_copy_reports_its_progress),
        CASE(a_backup_with_a_damaged_file_is_not_made),
        CASE(a_backup_made_during_writes_is_complete),
        CASE(a_long_log_is_checkpointed_without_disturbing_readers),
        CASE(tidying_removes_expired_sessions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
