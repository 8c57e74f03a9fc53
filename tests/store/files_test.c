/* Files, in the data directory or, with TEST_FILES, in another place. */
#include "fixture.h"
#include "sql/database.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

static int64_t real_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static bool in_directory(const TestStore *fixture) {
    return !test_files(fixture) || test_files(fixture)[0] == '/';
}

static bool in_database(const TestStore *fixture) {
    return test_files(fixture) && strcmp(test_files(fixture), "database") == 0;
}

static bool in_bucket(const TestStore *fixture) {
    return test_files(fixture) && strncmp(test_files(fixture), "s3://", 5) == 0;
}

/* The path of `name` in the place of the files. The caller frees it. */
static char *place_path(const TestStore *fixture, const char *name) {
    char path[512];
    const char *files = test_files(fixture);
    if (in_bucket(fixture))
        snprintf(path, sizeof path, "%s/objects/%.*s/%s", getenv("TEST_S3"),
                 (int)strcspn(files + 5, "?"), files + 5, name);
    else
        snprintf(path, sizeof path, "%s/%s/%s", fixture->root, files ? "place" : "data", name);
    return strdup(path);
}

static char *file_path(const TestStore *fixture, const char *name) {
    char path[160];
    if (strlen(name) == 64)
        snprintf(path, sizeof path, "files/%.2s/%s", name, name);
    else
        snprintf(path, sizeof path, "files/%s", name);
    return place_path(fixture, path);
}

static void doctor(const TestStore *fixture, const char *sql) {
    Error error = {0};
    char *path = path_in(fixture, "data/arena.db");
    Database *database =
        database_open(on_postgres() ? test_database() : path, DATABASE_PLAIN, false, &error);
    assert_non_null(database);
    if (!database_script(database, sql, &error))
        fail_msg("%s: %s", sql, error.text);
    database_close(database);
    free(path);
}

static char *cached_path(const TestStore *fixture, const StoreFile *file) {
    char path[100];
    snprintf(path, sizeof path, "data/file-cache/%.64s", file->name);
    return path_in(fixture, path);
}

static void forget_copy(const TestStore *fixture, const StoreFile *file) {
    char *path = cached_path(fixture, file);
    unlink(path);
    free(path);
}

static void damage_at(const char *path, off_t size) {
    int fd = open(path, O_RDWR);
    assert_true(fd >= 0);
    assert_int_equal(ftruncate(fd, size), 0);
    if (size)
        assert_int_equal(pwrite(fd, "?", 1, size - 1), 1);
    close(fd);
}

/* Cuts a small file to `size` bytes and changes the last one. */
static void damage(const TestStore *fixture, const StoreFile *file, off_t size) {
    if (!in_database(fixture)) {
        char *path = file_path(fixture, file->name);
        damage_at(path, size);
        free(path);
    } else {
        char sql[200];
        snprintf(sql, sizeof sql,
                 "UPDATE file_chunks SET bytes = substr('?\?\?\?\?\?'::bytea, 1, %d) "
                 "WHERE name = '%s'",
                 (int)size, file->name);
        doctor(fixture, sql);
    }
    forget_copy(fixture, file);
}

/* Like fixture_setup, but at the real time, which directories use. */
static int setup(void **state) {
    int failed = fixture_setup(state);
    test_time = real_now();
    return failed;
}

static void the_same_content_is_the_same_file(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreFile first = add_file(store, "while (1) fight();");
    StoreFile second = add_file(store, "while (1) fight();");
    StoreFile other = add_file(store, "while (1) flee();");
    assert_string_equal(first.name, second.name);
    assert_string_not_equal(first.name, other.name);
    /* BLAKE2b-256 of nothing: names agree with other implementations of BLAKE2b. */
    StoreFile empty = add_file(store, "");
    assert_string_equal(empty.name,
                        "0e5751c026e543b2e8ab2eb06099daa1d1e5df47778f7787faab45cdf12fe3a8");
    Buffer content = {0};
    assert_ok(store_file_read(store, &first, &content, &error));
    assert_string_equal(buffer_string(&content), "while (1) fight();");
    buffer_free(&content);
}

static void a_file_can_be_stored_from_a_descriptor(void **state) {
    Store *store = store_of(state);
    Error error;
    FILE *from = tmpfile();
    assert_non_null(from);
    Buffer large = {0};
    for (uint32_t i = 0; i < 300000; i++)
        buffer_char(&large, (char)('a' + i % 23));
    assert_int_equal(fwrite(large.data, 1, large.length, from), large.length);
    fflush(from);
    StoreFile file;
    StoreFile same;
    int64_t size = 0;
    assert_ok(store_file_put_fd(store, fileno(from), &file, &size, &error));
    assert_int_equal(size, 300000);
    assert_ok(store_file_put(store, (Slice){large.data, large.length}, &same, &error));
    assert_string_equal(file.name, same.name);
    int fd = store_file_open(store, &file, &size, &error);
    assert_true(fd >= 0);
    assert_int_equal(size, 300000);
    /* The descriptor is at the start of the file, and cannot write. */
    char first[3];
    assert_int_equal(read(fd, first, sizeof first), sizeof first);
    assert_memory_equal(first, "abc", sizeof first);
    assert_int_equal(write(fd, first, sizeof first), -1);
    close(fd);
    fclose(from);
    buffer_free(&large);
}

static void an_invalid_or_unknown_file_name_opens_nothing(void **state) {
    Store *store = store_of(state);
    Error error;
    static const char *const names[] = {"", "../../arena.db", "abc", "ABCDEF"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        StoreFile file = {{0}};
        snprintf(file.name, sizeof file.name, "%s", names[i]);
        assert_int_equal(store_file_open(store, &file, NULL, &error), -1);
    }
    StoreFile absent = add_file(store, "x");
    absent.name[5] = absent.name[5] == '0' ? '1' : '0';
    assert_int_equal(store_file_open(store, &absent, NULL, &error), -1);
    Buffer none = {0};
    assert_result(STORE_NOT_FOUND, store_file_read(store, &absent, &none, &error));
}

static void a_sweep_removes_only_old_unreferenced_files(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    add_bot(store, ada, "aliens", "hunter", NULL); /* its source is "hunter" */
    StoreFile named = add_file(store, "hunter");
    StoreFile loose = add_file(store, "nobody's");
    uint32_t count;
    test_time += 10000;
    assert_ok(store_files_sweep(store, 3600 * 1000, &count, &error));
    assert_int_equal(count, 0);
    test_time += 2 * 3600 * 1000;
    assert_ok(store_files_sweep(store, 3600 * 1000, &count, &error));
    assert_int_equal(count, 1);
    Buffer content = {0};
    assert_ok(store_file_read(store, &named, &content, &error));
    assert_result(STORE_NOT_FOUND, store_file_read(store, &loose, &content, &error));
    buffer_free(&content);
    /* A swept file can be stored again. */
    add_file(store, "nobody's");
    assert_true(store_file_exists(store, &loose));
}

static void a_sweep_removes_unfinished_files(void **state) {
    const TestStore *fixture = *state;
    if (!in_directory(fixture))
        return; /* only directories have unfinished files */
    Error error;
    uint32_t count;
    char *draft = file_path(fixture, "new-abcdef");
    int fd = open(draft, O_CREAT | O_WRONLY, 0600);
    assert_true(fd >= 0);
    close(fd);
    assert_ok(store_files_sweep(fixture->store, 3600 * 1000, &count, &error));
    assert_int_equal(count, 0);
    test_time += 2 * 3600 * 1000;
    assert_ok(store_files_sweep(fixture->store, 3600 * 1000, &count, &error));
    assert_int_equal(count, 1);
    assert_int_equal(access(draft, F_OK), -1);
    free(draft);
}

static void a_file_that_is_stored_again_counts_as_used(void **state) {
    const TestStore *fixture = *state;
    Error error;
    StoreFile file = add_file(fixture->store, "nobody's");
    if (in_directory(fixture)) {
        char *path = file_path(fixture, file.name);
        struct timespec old[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
        assert_int_equal(utimensat(AT_FDCWD, path, old, 0), 0);
        free(path);
    } else {
        test_time += 2 * 3600 * 1000;
    }
    add_file(fixture->store, "nobody's");
    uint32_t count;
    assert_ok(store_files_sweep(fixture->store, 3600 * 1000, &count, &error));
    assert_int_equal(count, 0);
    assert_true(store_file_exists(fixture->store, &file));
}

static void a_damaged_file_is_not_read(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreFile file = add_file(store, "hunter");
    Buffer content = {0};
    for (off_t size = 0; size <= 6; size += 3) {
        damage(*state, &file, size);
        assert_int_equal(store_file_open(store, &file, NULL, &error), -1);
        assert_says(&error, file.name);
        assert_says(&error, "is damaged: its content does not match its name");
        assert_result(STORE_FAILED, store_file_read(store, &file, &content, &error));
        assert_int_equal(content.length, 0);
    }
    buffer_free(&content);
}

/* ---- bytes in a database ---- */

static void a_database_returns_any_bytes_unchanged(void **state) {
    (void)state;
    Error error = {0};
    char bytes[512];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (char)i;
    Database *database =
        database_open(on_postgres() ? test_database() : NULL, DATABASE_PLAIN, false, &error);
    assert_non_null(database);
    assert_true(database_script(database,
                                on_postgres()
                                    ? "CREATE TABLE things (id BIGINT, bytes BYTEA)"
                                    : "CREATE TABLE things (id INTEGER, bytes BLOB) STRICT",
                                &error));
    for (size_t length = 0; length <= sizeof bytes; length += 64)
        assert_true(database_run(
            database, "INSERT INTO things (id, bytes) VALUES (?1, ?2)",
            VALUES(as_number((int64_t)length), as_bytes((Slice){bytes, length})), &error));
    assert_true(database_start(database, "SELECT id, bytes FROM things ORDER BY id", NULL, 0));
    size_t count = 0;
    for (; database_step(database) == STEP_ROW; count++) {
        Slice found = database_bytes(database, 1);
        assert_int_equal(found.length, database_number(database, 0));
        assert_memory_equal(found.at, bytes, found.length);
    }
    assert_int_equal(count, sizeof bytes / 64 + 1);
    database_close(database);
}

/* ---- local copies of remote files ---- */

static void a_damaged_copy_is_fetched_again(void **state) {
    const TestStore *fixture = *state;
    if (in_directory(fixture))
        return; /* there are no copies */
    Error error;
    StoreFile file = add_file(fixture->store, "hunter");
    char *path = cached_path(fixture, &file);
    for (off_t size = 0; size <= 6; size += 3) {
        Buffer content = {0};
        assert_ok(store_file_read(fixture->store, &file, &content, &error));
        damage_at(path, size);
        buffer_clear(&content);
        assert_ok(store_file_read(fixture->store, &file, &content, &error));
        assert_string_equal(buffer_string(&content), "hunter");
        buffer_free(&content);
    }
    free(path);
}

static void a_cached_copy_is_read_even_if_the_original_is_gone(void **state) {
    TestStore *fixture = *state;
    if (in_directory(fixture))
        return;
    Error error;
    Buffer content = {0};
    StoreFile file = add_file(fixture->store, "hunter");
    assert_ok(store_file_read(fixture->store, &file, &content, &error));
    if (in_database(fixture)) {
        doctor(fixture, "DELETE FROM file_chunks");
    } else {
        char *path = file_path(fixture, file.name);
        assert_int_equal(unlink(path), 0);
        free(path);
    }
    fixture_close(fixture);
    fixture_open(fixture); /* copies outlive a restart */
    buffer_clear(&content);
    assert_ok(store_file_read(fixture->store, &file, &content, &error));
    assert_string_equal(buffer_string(&content), "hunter");
    buffer_free(&content);
}

static uint32_t count_copies(const TestStore *fixture, const StoreFile *files, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++) {
        char *path = cached_path(fixture, &files[i]);
        found += access(path, F_OK) == 0;
        free(path);
    }
    return found;
}

static void read_once(Store *store, const StoreFile *file) {
    Error error;
    Buffer content = {0};
    assert_ok(store_file_read(store, file, &content, &error));
    buffer_free(&content);
}

/* Makes a copy look as if it was last used at the time `used`. */
static void age_copy(const TestStore *fixture, const StoreFile *file, time_t used) {
    char *path = cached_path(fixture, file);
    struct timespec then[2] = {{.tv_sec = used}, {.tv_sec = used}};
    assert_int_equal(utimensat(AT_FDCWD, path, then, 0), 0);
    free(path);
}

static void the_least_recently_used_copies_make_room(void **state) {
    TestStore *fixture = *state;
    if (in_directory(fixture))
        return;
    enum { FILES = 8 };
    Error error = {0};
    StoreFile files[FILES];
    fixture_close(fixture);
    fixture->store = store_open(&(StoreOptions){.directory = fixture->directory,
                                                .database = test_database(),
                                                .files = test_files(fixture),
                                                .file_cache = 4000,
                                                .now = test_now},
                                &error);
    assert_non_null(fixture->store);
    char text[1001] = {0};
    for (uint32_t i = 0; i < FILES; i++) {
        memset(text, 'a' + (int)i, 1000);
        files[i] = add_file(fixture->store, text);
        read_once(fixture->store, &files[i]);
        assert_true(count_copies(fixture, files, i + 1) <= 4);
        assert_int_equal(count_copies(fixture, &files[i], 1), 1);
        /* The first copy is used in every round; the others were last used a long time ago. */
        assert_int_equal(count_copies(fixture, files, 1), 1);
        age_copy(fixture, &files[i], 1000 + i);
        read_once(fixture->store, &files[0]);
    }
    assert_int_equal(count_copies(fixture, &files[1], 1), 0);
    /* A copy that is larger than the cache is not kept. */
    Buffer large = {0};
    for (uint32_t i = 0; i < 5000; i++)
        buffer_char(&large, 'x');
    StoreFile whale = add_file(fixture->store, buffer_string(&large));
    buffer_clear(&large);
    assert_ok(store_file_read(fixture->store, &whale, &large, &error));
    assert_int_equal(large.length, 5000);
    assert_int_equal(count_copies(fixture, &whale, 1), 0);
    buffer_free(&large);
}

/* ---- an object store that fails ---- */

/* Sets what happens to the next requests; see tests/with_s3.py. */
static void set_faults(const char *faults) {
    char path[200];
    snprintf(path, sizeof path, "%s/faults", getenv("TEST_S3"));
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fputs(faults, file);
    fclose(file);
}

/* The number of faults that have not happened yet. */
static size_t count_faults(void) {
    char path[200];
    char word[16];
    size_t count = 0;
    snprintf(path, sizeof path, "%s/faults", getenv("TEST_S3"));
    FILE *file = fopen(path, "r");
    assert_non_null(file);
    while (fscanf(file, "%15s", word) == 1)
        count++;
    fclose(file);
    return count;
}

static void a_temporary_failure_is_retried(void **state) {
    const TestStore *fixture = *state;
    if (!in_bucket(fixture))
        return;
    Error error = {0};
    StoreFile file;
    Buffer content = {0};
    static const char *const faults[] = {"500 503", "429", "close"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        char text[40];
        char both[40];
        snprintf(text, sizeof text, "stored in spite of %s", faults[i]);
        snprintf(both, sizeof both, "%s ok %s", faults[i], faults[i]); /* the HEAD and the PUT */
        set_faults(both);
        assert_ok(store_file_put(fixture->store, slice_of(text), &file, &error));
        assert_int_equal(count_faults(), 0);
        set_faults(faults[i]);
        assert_ok(store_file_read(fixture->store, &file, &content, &error));
        assert_int_equal(count_faults(), 0);
        assert_string_equal(buffer_string(&content), text);
        buffer_clear(&content);
    }
    forget_copy(fixture, &file);
    set_faults("hang");
    assert_ok(store_file_read(fixture->store, &file, &content, &error));
    assert_int_equal(count_faults(), 0);
    buffer_free(&content);
}

static void requests_to_a_server_that_does_not_respond_end_soon(void **state) {
    TestStore *fixture = *state;
    if (!in_bucket(fixture) || on_postgres())
        return; /* once is enough, as it takes 16 s */
    Error error = {0};
    StoreFile file = add_file(fixture->store, "a replay of many turns");
    char *uri = strdup(test_files(fixture));
    size_t last = strlen(uri) - 1;
    assert_int_equal(uri[last], '1'); /* timeout=1 */
    uri[last] = '8';
    fixture_close(fixture);
    fixture->store = open_store_with(fixture->directory, uri, &error);
    free(uri);
    if (!fixture->store)
        fail_msg("%s", error.text);
    forget_copy(fixture, &file);
    set_faults("hang hang hang");
    assert_int_equal(store_file_open(fixture->store, &file, NULL, &error), -1);
    assert_says(&error, "did not answer within 8 s");
    assert_int_equal(count_faults(), 1); /* the third attempt would begin after 16 s */
    set_faults("");
}

static void a_truncated_or_altered_download_is_repeated(void **state) {
    const TestStore *fixture = *state;
    if (!in_bucket(fixture))
        return;
    Error error = {0};
    StoreFile file = add_file(fixture->store, "a replay of many turns");
    static const char *const faults[] = {"truncate", "corrupt", "truncate corrupt"};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++) {
        Buffer content = {0};
        set_faults(faults[i]);
        assert_ok(store_file_read(fixture->store, &file, &content, &error));
        assert_string_equal(buffer_string(&content), "a replay of many turns");
        assert_int_equal(count_faults(), 0);
        forget_copy(fixture, &file);
        buffer_free(&content);
    }
    set_faults("corrupt corrupt corrupt");
    assert_int_equal(store_file_open(fixture->store, &file, NULL, &error), -1);
    assert_says(&error, file.name);
    assert_says(&error, "is damaged");
    assert_int_equal(count_faults(), 1); /* there was one retry, not more */
    set_faults("");
}

static void a_denied_request_is_not_repeated(void **state) {
    const TestStore *fixture = *state;
    if (!in_bucket(fixture))
        return;
    Error error = {0};
    StoreFile file;
    set_faults("403 403 403");
    assert_result(STORE_FAILED, store_file_put(fixture->store, slice_of("x"), &file, &error));
    assert_says(&error, "access denied");
    assert_says(&error, "check the credentials");
    assert_null(strstr(error.text, "secret"));
    assert_null(strstr(error.text, "TESTKEY"));
    assert_int_equal(count_faults(), 2);
    set_faults("");
}

static void a_permanent_failure_is_reported(void **state) {
    const TestStore *fixture = *state;
    if (!in_bucket(fixture))
        return;
    Error error = {0};
    StoreFile file;
    set_faults("500 500 500 500 500 500");
    assert_result(STORE_FAILED, store_file_put(fixture->store, slice_of("x"), &file, &error));
    assert_says(&error, "status 500");
    assert_int_equal(count_faults(), 1);
    set_faults("");
}

/* A deletion that the server did not confirm may still happen. */
static void a_file_whose_deletion_failed_is_stored_again(void **state) {
    const TestStore *fixture = *state;
    if (!in_bucket(fixture))
        return;
    Error error = {0};
    uint32_t count;
    StoreFile file = add_file(fixture->store, "nobody's");
    uint32_t part = (uint32_t)strtoul((char[]){file.name[0], file.name[1], 0}, NULL, 16);
    test_time += 2 * 3600 * 1000;
    set_faults("ok 403"); /* the list and the deletion */
    assert_result(STORE_FAILED,
                  store_files_sweep_part(fixture->store, part, 3600 * 1000, &count, &error));
    test_time += 3600 * 1000; /* the claim has expired */
    set_faults("");
    /* The file seems to exist but is stored again, which replaces the damaged content. */
    damage(fixture, &file, 8);
    add_file(fixture->store, "nobody's");
    read_once(fixture->store, &file);
    assert_ok(store_files_sweep_part(fixture->store, part, 3600 * 1000, &count, &error));
    assert_int_equal(count, 0);
}

/* ---- places ---- */

static void a_reopened_store_finds_its_files(void **state) {
    TestStore *fixture = *state;
    Error error;
    StoreFile file = add_file(fixture->store, "hunter");
    fixture_close(fixture);
    fixture_open(fixture);
    assert_true(store_file_exists(fixture->store, &file));
    assert_ok(store_check(fixture->store, &error));
    /* As `skirmish backup` opens it. */
    StoreOptions options = {.directory = fixture->directory,
                            .database = test_database(),
                            .files = test_files(fixture),
                            .read_only = true};
    Store *reader = store_open(&options, &error);
    assert_non_null(reader);
    assert_true(store_file_exists(reader, &file));
    assert_true(store_close(reader, &error));
}

/* Asserts that opening fails with an error that contains `cause`, and leaves no directory. */
static void assert_refused(const TestStore *fixture, const StoreOptions *options,
                           const char *cause) {
    Error error = {0};
    char *directory = path_in(fixture, "refused");
    StoreOptions with = *options;
    with.directory = with.directory ? with.directory : directory;
    assert_null(store_open(&with, &error));
    assert_says(&error, cause);
    assert_int_equal(access(directory, F_OK), -1);
    free(directory);
}

static void a_store_cannot_be_opened_without_its_files(void **state) {
    TestStore *fixture = *state;
    add_file(fixture->store, "hunter");
    fixture_close(fixture);
    char *empty = path_in(fixture, "empty");
    StoreOptions elsewhere = {
        .directory = fixture->directory, .database = test_database(), .files = empty};
    if (test_files(fixture) || on_postgres()) {
        assert_refused(fixture, &elsewhere, "does not have the files of this store");
        assert_int_equal(access(empty, F_OK), -1);
    }
    if (test_files(fixture)) {
        elsewhere.files = NULL;
        assert_refused(fixture, &elsewhere, "name their place with --files");
        elsewhere.read_only = true;
        assert_refused(fixture, &elsewhere, "name their place with --files");
    }
    free(empty);
    fixture_open(fixture);
}

/* Its rows already name files in the data directory. */
static void a_store_that_has_files_cannot_move_elsewhere(void **state) {
    TestStore *fixture = *state;
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    add_bot(fixture->store, ada, "aliens", "hunter", NULL);
    fixture_close(fixture);
    if (!test_files(fixture) && !on_postgres()) {
        char *empty = path_in(fixture, "empty");
        StoreOptions elsewhere = {.directory = fixture->directory, .files = empty};
        assert_refused(fixture, &elsewhere, "the files of this store are in its data directory");
        assert_int_equal(access(empty, F_OK), -1);
        free(empty);
    }
    fixture_open(fixture);
}

/* A new store on SQLite may not use the place of another store, whatever that one's engine. */
static void the_files_of_another_store_are_refused(void **state) {
    TestStore *fixture = *state;
    add_file(fixture->store, "hunter");
    const char *place = test_files(fixture) ? fixture->files : fixture->directory;
    if (in_database(fixture)) {
        assert_refused(fixture, &(StoreOptions){.files = place}, "only if it is PostgreSQL");
        return;
    }
    assert_refused(fixture, &(StoreOptions){.files = place},
                   test_files(fixture) || on_postgres() ? "does not have the files of this store"
                                                        : "is the data directory of another store");
    /* There are files, but nothing that says whose they are. */
    char *id = place_path(fixture, "store-id");
    if (unlink(id) == 0) {
        Error error = {0};
        char *other = path_in(fixture, "other");
        assert_null(store_open(&(StoreOptions){.directory = other, .files = place}, &error));
        assert_says(&error, "has files of an unknown store; choose an empty place");
        assert_int_equal(access(other, F_OK), -1);
        free(other);
    }
    free(id);
}

/* ---- a crash during the first start ---- */

static void a_crash_during_the_first_start_does_no_harm(void **state) {
    TestStore *fixture = *state;
    if (in_database(fixture) || (!test_files(fixture) && !on_postgres()))
        return; /* the files have no separate place */
    static const char mark[] = "UPDATE settings SET value = 'new:' || value "
                               "WHERE name = 'files_id'";
    char *id = place_path(fixture, "store-id");
    /* A crash before the place got its id, */
    fixture_close(fixture);
    doctor(fixture, mark);
    assert_int_equal(unlink(id), 0);
    fixture_open(fixture);
    assert_int_equal(access(id, F_OK), 0);
    /* and one after that. */
    fixture_close(fixture);
    doctor(fixture, mark);
    fixture_open(fixture);
    fixture_close(fixture);
    fixture_open(fixture);
    /* A place with another id is still rejected. */
    Error error = {0};
    fixture_close(fixture);
    doctor(fixture, mark);
    int file = open(id, O_WRONLY);
    assert_int_equal(write(file, "x", 1), 1);
    close(file);
    assert_null(open_store_with(fixture->directory, test_files(fixture), &error));
    assert_says(&error, test_files(fixture) ? "does not have the files"
                                            : "is not the data directory of this store");
    free(id);
}

/* ---- several processes ---- */

/* The timestamps of files lag up to 10 ms, so a file may seem that much older. */
enum { AGE_MS = 30, BEHIND_MS = 10, ROUNDS = 40 };

/* Sweeps until it is killed. It uses this machine's clock: the server's time, which processes
   usually share, is off by up to half of the time that reading it took. */
static void sweep_on(const TestStore *fixture, const StoreFile *file) {
    Error error = {0};
    char *directory = path_in(fixture, "sweeper");
    StoreOptions options = {.directory = directory,
                            .database = test_database(),
                            .files = test_files(fixture),
                            .now = real_now};
    Store *store = store_open(&options, &error);
    uint32_t part = (uint32_t)strtoul((char[]){file->name[0], file->name[1], 0}, NULL, 16);
    uint32_t count;
    while (store && store_files_sweep_part(store, part, AGE_MS, &count, &error) == STORE_OK)
        continue;
    fprintf(stderr, "%s\n", error.text);
    _exit(1);
}

/* A file that is old when it is stored again exists afterwards, even if a sweep runs meanwhile. */
static void a_sweep_of_another_process_spares_a_file_that_is_stored_again(void **state) {
    const TestStore *fixture = *state;
    if (!test_files(fixture) || !on_postgres())
        return; /* no other process can sweep */
    StoreFile file = add_file(fixture->store, "again and again");
    pid_t child = fork();
    if (!child)
        sweep_on(fixture, &file);
    uint32_t swept = 0;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        while (i % 2 == 0 && store_file_exists(fixture->store, &file))
            usleep(1000); /* until the sweep has deleted it */
        swept += i % 2 == 0;
        test_time = real_now();
        int64_t before = real_now();
        add_file(fixture->store, "again and again");
        do {
            bool there = store_file_exists(fixture->store, &file);
            assert_true(there || real_now() - before >= AGE_MS - BEHIND_MS);
        } while (real_now() - before < AGE_MS / 2);
        while (i % 2 == 0 && real_now() - before < AGE_MS)
            usleep(500); /* until the file has just become old */
    }
    assert_int_equal(swept, ROUNDS / 2);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(the_same_content_is_the_same_file),
        CASE(a_file_can_be_stored_from_a_descriptor),
        CASE(an_invalid_or_unknown_file_name_opens_nothing),
        CASE(a_sweep_removes_only_old_unreferenced_files),
        CASE(a_sweep_removes_unfinished_files),
        CASE(a_file_that_is_stored_again_counts_as_used),
        CASE(a_damaged_file_is_not_read),
        CASE(a_database_returns_any_bytes_unchanged),
        CASE(a_damaged_copy_is_fetched_again),
        CASE(a_cached_copy_is_read_even_if_the_original_is_gone),
        CASE(the_least_recently_used_copies_make_room),
        CASE(a_temporary_failure_is_retried),
        CASE(requests_to_a_server_that_does_not_respond_end_soon),
        CASE(a_truncated_or_altered_download_is_repeated),
        CASE(a_denied_request_is_not_repeated),
        CASE(a_permanent_failure_is_reported),
        CASE(a_file_whose_deletion_failed_is_stored_again),
        CASE(a_reopened_store_finds_its_files),
        CASE(a_store_cannot_be_opened_without_its_files),
        CASE(a_store_that_has_files_cannot_move_elsewhere),
        CASE(the_files_of_another_store_are_refused),
        CASE(a_crash_during_the_first_start_does_no_harm),
        CASE(a_sweep_of_another_process_spares_a_file_that_is_stored_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
