/* What only PostgreSQL has: a server that cannot be reached or is not ours, connections that are
   lost, other processes that write. Needs a server, see tests/with_postgres.py. */
#include "base/clock.h"
#include "fixture.h"
#include "sql/database.h"
#include "store/internal.h"
#include "store/schema.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

/* The test's URI with its user, password and host replaced, and what follows the host. */
static const char *uri_of(const char *user, const char *host, const char *rest) {
    static char uri[600];
    snprintf(uri, sizeof uri, "postgresql://%s@%s/%s", user, host, rest);
    return uri;
}

static const char *own_host(void) {
    static char host[256];
    const char *at = strchr(test_database(), '@') + 1;
    snprintf(host, sizeof host, "%.*s", (int)strcspn(at, "/"), at);
    return host;
}

static const char *own_user(void) {
    static char user[256];
    const char *at = strstr(test_database(), "://") + 3;
    snprintf(user, sizeof user, "%.*s", (int)strcspn(at, "@"), at);
    return user;
}

static const char *own_password(void) {
    return strchr(own_user(), ':') + 1;
}

/* ---- what cannot be opened ---- */

/* Asserts that a store with this URI is refused with an error that has this cause and remedy but
   not the password, and that no directory is left. */
static void assert_refused(const TestStore *fixture, const char *uri, const char *cause,
                           const char *remedy) {
    Error error = {0};
    char *directory = path_in(fixture, "refused");
    assert_null(store_open(&(StoreOptions){.directory = directory, .database = uri}, &error));
    assert_says(&error, cause);
    assert_says(&error, remedy);
    assert_null(strstr(error.text, own_password()));
    assert_null(strstr(error.text, "secret"));
    assert_int_equal(access(directory, F_OK), -1);
    free(directory);
}

static void a_bad_uri_is_refused(void **state) {
    const TestStore *fixture = *state;
    static const char *const bad[] = {
        "postgresql://arena:with-secret@db/arena?no_such_option=1",
        "postgresql://arena:%zzsecret@db/arena",
        "postgresql://arena:secret@[::1/arena",
        "postgresql://arena:secret@db/arena?password",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        assert_refused(fixture, bad[i], "invalid PostgreSQL URI", "expected postgresql://");
    /* Characters that make it unclear where the password ends. */
    static const char *const unclear[] = {
        "postgresql://arena:sec/ret-secret@db/arena",
        "postgresql://arena:sec@ret-secret@db/arena",
        "postgresql://arena:sec?ret-secret@db/arena",
        "postgresql://db/arena?password=secret@secret",
    };
    for (size_t i = 0; i < sizeof unclear / sizeof *unclear; i++)
        assert_refused(fixture, unclear[i], "invalid PostgreSQL URI", "write \"/\" as %2F");
}

static void an_unreachable_server_is_named(void **state) {
    const TestStore *fixture = *state;
    assert_refused(fixture, "postgresql://arena:secret@%2Fnowhere/arena?password=other-secret",
                   "postgresql://arena@%2Fnowhere/arena: connection to server",
                   "check that the server is running");
    /* Nobody listens on port 1. */
    assert_refused(fixture, "postgres://arena:secret@127.0.0.1:1,127.0.0.1:2/arena",
                   "Connection refused", "check that the server is running");
}

static void a_wrong_password_is_refused_and_not_shown(void **state) {
    const TestStore *fixture = *state;
    assert_refused(fixture, uri_of("skirmish:wrong-secret", own_host(), "postgres"),
                   "password authentication failed", "check the user name and the password");
    assert_refused(fixture, uri_of("skirmish", own_host(), "postgres"), "no password supplied",
                   "PGPASSFILE");
}

static void a_missing_database_is_named(void **state) {
    assert_refused(*state, uri_of(own_user(), own_host(), "no_such_database"),
                   "database \"no_such_database\" does not exist", "create it");
}

static void a_database_without_utf8_is_refused(void **state) {
    on_server("CREATE DATABASE latin ENCODING 'LATIN1' LOCALE_PROVIDER libc LOCALE 'C' "
              "TEMPLATE template0");
    assert_refused(*state, uri_of(own_user(), own_host(), "latin"), "does not store UTF-8",
                   "ENCODING 'UTF8'");
    on_server("DROP DATABASE latin");
}

/* Runs SQL on the test's database while its store is closed. */
static void doctor(const char *sql) {
    Error error = {0};
    Database *database = database_open(test_database(), DATABASE_PLAIN, false, &error);
    assert_non_null(database);
    if (!database_script(database, sql, &error))
        fail_msg("%s: %s", sql, error.text);
    database_close(database);
}

static int64_t number_of(const char *sql) {
    Error error = {0};
    Database *database = database_open(test_database(), DATABASE_PLAIN, false, &error);
    assert_non_null(database);
    int64_t number = database_query_number(database, sql);
    database_close(database);
    return number;
}

static void clear(TestStore *fixture) {
    fixture_close(fixture);
    remove_all(fixture->directory);
    doctor("DROP SCHEMA public CASCADE; CREATE SCHEMA public; "
           "GRANT USAGE ON SCHEMA public TO PUBLIC");
}

static void another_programs_database_is_left_alone(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    clear(fixture);
    doctor("CREATE TABLE recipes (name TEXT); INSERT INTO recipes VALUES ('soup')");
    assert_null(open_store(fixture->directory, &error));
    assert_says(&error, "this is another program's database; use an empty one");
    assert_null(strstr(error.text, own_password()));
    assert_int_equal(number_of("SELECT count(*) FROM recipes"), 1);
    assert_int_equal(number_of("SELECT count(*) FROM pg_tables WHERE schemaname = 'public'"), 1);
}

static void a_newer_store_is_refused(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    fixture_close(fixture);
    doctor("UPDATE skirmish_stamp SET version = 1000, oldest = 999");
    assert_null(open_store(fixture->directory, &error));
    assert_says(&error, "written by a newer version of Skirmish (schema version 1000");
    StoreOptions options = {
        .directory = fixture->directory, .database = test_database(), .read_only = true};
    assert_null(store_open(&options, &error));
    assert_says(&error, "written by a newer version of Skirmish");
}

static void a_role_without_permission_to_create_tables_gets_an_error(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    clear(fixture);
    doctor("CREATE ROLE guest LOGIN PASSWORD 'guest-secret'");
    StoreOptions options = {
        .directory = fixture->directory,
        .database = uri_of("guest:guest-secret", own_host(), strrchr(test_database(), '/') + 1)};
    assert_null(store_open(&options, &error));
    assert_says(&error, "permission denied");
    assert_says(&error, "make this role the owner of the database");
    assert_null(strstr(error.text, "guest-secret"));
    on_server("DROP ROLE guest");
}

/* ---- directories ---- */

static void a_directory_belongs_to_one_store(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    fixture_close(fixture);
    /* Without the URI, an arena would find no row that names its files, and delete them. */
    assert_null(store_open(&(StoreOptions){.directory = fixture->directory}, &error));
    assert_says(&error, "has the files of a store on PostgreSQL");
    char *other = path_in(fixture, "other");
    assert_null(open_store(other, &error));
    assert_says(&error, "is not the data directory of this store");
    assert_int_equal(access(other, F_OK), -1);
    free(other);
    char *sqlite = path_in(fixture, "sqlite");
    Store *store = store_open(&(StoreOptions){.directory = sqlite}, &error);
    assert_non_null(store);
    assert_true(store_close(store, &error));
    assert_null(open_store(sqlite, &error));
    assert_says(&error, "has its own database, arena.db");
    free(sqlite);
    fixture_open(fixture);
}

static void the_backup_command_refers_to_pg_dump(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    char *path = path_in(fixture, "backup");
    assert_result(STORE_FAILED, store_backup(fixture->store, path, NULL, &error));
    assert_says(&error, "use pg_dump");
    assert_int_equal(access(path, F_OK), -1);
    free(path);
    assert_ok(store_check(fixture->store, &error));
    assert_ok(store_tidy(fixture->store, &error));
}

/* ---- the tables ---- */

/* Names of tables, columns and indexes, one per line. `sql` returns two columns. */
static void list_names(Store *store, const char *sql, Buffer *to) {
    Error error;
    Transaction transaction = transaction_read(store, &error);
    sql_query(&transaction, sql, NULL, 0);
    while (sql_row(&transaction)) {
        Slice table = database_text(transaction.database, 0);
        Slice name = database_text(transaction.database, 1);
        buffer_format(to, "%.*s.%.*s\n", (int)table.length, table.at, (int)name.length, name.at);
    }
    assert_ok(transaction_end(&transaction));
}

static void both_engines_have_the_same_tables_columns_and_indexes(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    Buffer here = {0};
    Buffer there = {0};
    list_names(fixture->store,
               "SELECT CAST(table_name AS TEXT) COLLATE \"C\", CAST(column_name AS TEXT) COLLATE "
               "\"C\" FROM information_schema.columns WHERE table_schema = 'public' "
               "AND table_name NOT IN ('skirmish_stamp', 'relay', 'seat_relay', "
               "'remote_seats', 'seat_calls') UNION ALL "
               "SELECT CAST(tablename AS TEXT), CAST(indexname AS TEXT) FROM pg_indexes "
               "WHERE schemaname = 'public' AND indexname NOT LIKE '%\\_pkey' "
               "AND indexname NOT LIKE '%\\_key' ORDER BY 1, 2",
               &here);
    char *path = path_in(fixture, "sqlite");
    Store *sqlite = store_open(&(StoreOptions){.directory = path}, &error);
    assert_non_null(sqlite);
    /* Only SQLite has an index of the matches in progress, see the list of matches. Only PostgreSQL
       has tables for other processes. */
    list_names(sqlite,
               "SELECT t.name, c.name FROM sqlite_master t JOIN pragma_table_info(t.name) c "
               "WHERE t.type = 'table' AND t.name NOT LIKE 'sqlite_%' UNION ALL "
               "SELECT tbl_name, name FROM sqlite_master WHERE type = 'index' "
               "AND name NOT LIKE 'sqlite_%' AND name <> 'matches_live' ORDER BY 1, 2",
               &there);
    assert_true(store_close(sqlite, &error));
    assert_string_equal(buffer_string(&here), buffer_string(&there));
    assert_true(here.length > 1000);
    buffer_free(&here);
    buffer_free(&there);
    free(path);
}

enum { STARTERS = 6, STARTS = 6 };

static void *migrate(void *uri) {
    Error error = {0};
    Database *database = database_open(uri, DATABASE_WRITER, true, &error);
    bool good = database && schema_migrate(database, schema_steps, schema_version, &error);
    if (!good)
        print_error("%s\n", error.text);
    database_close(database);
    return good ? uri : NULL;
}

static void several_processes_can_create_the_tables_at_once(void **state) {
    TestStore *fixture = *state;
    clear(fixture);
    char uri[512];
    snprintf(uri, sizeof uri, "%s", test_database());
    pthread_t threads[STARTERS];
    for (int i = 0; i < STARTERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, migrate, uri), 0);
    void *good[STARTERS];
    for (int i = 0; i < STARTERS; i++)
        pthread_join(threads[i], &good[i]);
    for (int i = 0; i < STARTERS; i++)
        assert_non_null(good[i]);
    assert_int_equal(number_of("SELECT count(*) FROM results"), 1);
    assert_int_equal(number_of("SELECT version FROM skirmish_stamp"), schema_version);
    fixture_open(fixture);
}

/* A starting process with its own data directory. */
typedef struct Starter {
    char *directory;
    const char *files;
    Store *store;
    Error error;
} Starter;

static void *start(void *context) {
    Starter *starter = context;
    starter->store = store_open(&(StoreOptions){.directory = starter->directory,
                                                .database = test_database(),
                                                .files = starter->files,
                                                .relaxed = true},
                                &starter->error);
    return NULL;
}

static void several_processes_can_open_a_new_store_at_once(void **state) {
    TestStore *fixture = *state;
    for (int round = 0; round < STARTS; round++) {
        pthread_t threads[STARTERS];
        Starter starters[STARTERS] = {0};
        clear(fixture);
        char name[40];
        snprintf(name, sizeof name, "files-%d", round);
        char *files = path_in(fixture, name);
        for (int i = 0; i < STARTERS; i++) {
            snprintf(name, sizeof name, "data-%d-%d", round, i);
            starters[i].directory = path_in(fixture, name);
            starters[i].files = round % 2 ? files : "database";
            assert_int_equal(pthread_create(&threads[i], NULL, start, &starters[i]), 0);
        }
        for (int i = 0; i < STARTERS; i++)
            pthread_join(threads[i], NULL);
        for (int i = 0; i < STARTERS; i++) {
            if (!starters[i].store)
                fail_msg("%s", starters[i].error.text);
            assert_true(store_close(starters[i].store, NULL));
            free(starters[i].directory);
        }
        free(files);
    }
}

/* The schema of a program that is one version ahead; the caller frees it. */
static SchemaStep *next_version(uint32_t oldest) {
    SchemaStep *steps = calloc(schema_version + 1, sizeof *steps);
    memcpy(steps, schema_steps, schema_version * sizeof *steps);
    steps[schema_version] =
        (SchemaStep){NULL,
                     "ALTER TABLE jobs ADD COLUMN later BIGINT NOT NULL DEFAULT 7;"
                     "ALTER TABLE matches ADD COLUMN later TEXT;"
                     "CREATE TABLE later (x BIGINT)",
                     oldest};
    return steps;
}

static void upgrade_beyond(uint32_t oldest) {
    Error error = {0};
    SchemaStep *steps = next_version(oldest);
    Database *database = database_open(test_database(), DATABASE_WRITER, true, &error);
    assert_non_null(database);
    if (!schema_migrate(database, steps, schema_version + 1, &error))
        fail_msg("%s", error.text);
    database_close(database);
    free(steps);
}

static void an_older_program_uses_a_newer_store_that_allows_it(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    uint64_t before = add_match(fixture->store, MATCH_LADDER, "g", 0, 0);
    upgrade_beyond(schema_version);
    /* The running program continues with its connections and prepared statements. */
    uint64_t between = add_match(fixture->store, MATCH_LADDER, "g", 0, 0);
    assert_true(between > before);
    fixture_close(fixture);
    /* It also restarts, even read-only; nothing is upgraded or downgraded. */
    fixture_open(fixture);
    assert_true(add_match(fixture->store, MATCH_LADDER, "g", 0, 0) > between);
    StoreOptions options = {
        .directory = fixture->directory, .database = test_database(), .read_only = true};
    Store *reader = store_open(&options, &error);
    assert_non_null(reader);
    assert_true(store_close(reader, &error));
    assert_int_equal(number_of("SELECT version FROM skirmish_stamp"), schema_version + 1);
    assert_int_equal(number_of("SELECT oldest FROM skirmish_stamp"), schema_version);
    assert_int_equal(number_of("SELECT count(*) FROM jobs WHERE later = 7"), 3);
    fixture_close(fixture);
    /* Now the newer version allows no older programs. */
    doctor("UPDATE skirmish_stamp SET oldest = version");
    assert_null(open_store(fixture->directory, &error));
    assert_says(&error, "written by a newer version of Skirmish");
    assert_says(&error, "upgrade this program");
}

/* Statements that a program of version 19 prepares. */
static const char old_add[] = "INSERT INTO jobs (kind, urgency, match, version, attempt, losses, "
                              "expires, holder, trouble, requester, long) VALUES (?1, ?2, ?3, "
                              "NULL, 0, 0, 0, '', '', ?4, 0)";
static const char old_lease[] = "SELECT id, kind, attempt + 1, losses, coalesce(match, version), "
                                "long, urgency << 48 | id FROM jobs WHERE expires = 0 LIMIT ?1 "
                                "/*postgres FOR UPDATE SKIP LOCKED*/";

static void add_old_job(Database *old, int64_t match) {
    Error error = {0};
    assert_true(database_begin(old, ACCESS_WRITE));
    if (!database_run(old, old_add,
                      VALUES(as_number(2), as_number(1), as_number(match), as_text("ladder")),
                      &error))
        fail_msg("%s", error.text);
    assert_true(database_start(old, old_lease, VALUES(as_number(1))));
    assert_int_equal(database_step(old), STEP_ROW);
    assert_int_equal(database_number(old, 2), 1);
    database_end(old);
    assert_true(database_script(old, "COMMIT", &error));
}

static void a_program_of_version_19_keeps_working_during_an_upgrade(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    clear(fixture);
    Database *old = database_open(test_database(), DATABASE_WRITER, true, &error);
    assert_non_null(old);
    assert_true(schema_migrate(old, schema_steps, 19, &error));
    doctor("INSERT INTO matches (id, kind, state, open, game, map, seed, fixture, leg, created, "
           "started, ended, turns, reason, replay) SELECT n, 2, 0, 1, 'g', 'm', 1, 0, 0, 1, 0, 0, "
           "0, '', '' FROM generate_series(1, 2) n");
    assert_int_equal(number_of("SELECT count(*) FROM pg_attribute WHERE attrelid = "
                               "'skirmish_stamp'::regclass AND attname = 'oldest'"),
                     1);
    doctor("ALTER TABLE skirmish_stamp DROP COLUMN oldest"); /* version 19 had none */
    add_old_job(old, 1);
    fixture_open(fixture); /* this upgrades the store */
    assert_int_equal(number_of("SELECT version FROM skirmish_stamp"), schema_version);
    assert_int_equal(number_of("SELECT oldest FROM skirmish_stamp"), 20);
    add_old_job(old, 2);
    assert_int_equal(number_of("SELECT count(*) FROM jobs WHERE request = '' AND added = 0"), 2);
    database_close(old);
}

static void a_store_is_not_upgraded_without_its_files(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    clear(fixture);
    Database *old = database_open(test_database(), DATABASE_WRITER, true, &error);
    assert_non_null(old);
    assert_true(schema_migrate(old, schema_steps, 19, &error));
    database_close(old);
    doctor("INSERT INTO settings (name, value) VALUES ('files_id', repeat('0', 32))");
    char *other = path_in(fixture, "other");
    assert_null(open_store(other, &error));
    assert_says(&error, "is not the data directory of this store");
    assert_int_equal(number_of("SELECT version FROM skirmish_stamp"), 19);
    assert_int_equal(access(other, F_OK), -1);
    free(other);
}

static void a_failed_step_changes_nothing(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    clear(fixture);
    static const SchemaStep steps[] = {
        {NULL, "CREATE TABLE one (x BIGINT)", 0},
        {NULL, "CREATE TABLE two (x BIGINT); INSERT INTO nowhere VALUES (1)", 0},
    };
    Database *database = database_open(test_database(), DATABASE_WRITER, true, &error);
    assert_non_null(database);
    assert_false(schema_migrate(database, steps, 2, &error));
    assert_says(&error, "upgrading the store to schema version 2");
    assert_says(&error, "nowhere");
    assert_int_equal(database_query_number(database, "SELECT version FROM skirmish_stamp"), 1);
    assert_int_equal(
        database_query_number(database, "SELECT count(*) FROM pg_tables WHERE tablename = 'two'"),
        0);
    database_close(database);
}

/* ---- several writers ---- */

enum { WRITERS = 4, ADDITIONS = 50 };

/* Reads a number and writes the next one, in two statements. */
static void *add(void *uri) {
    Error error = {0};
    Database *database = database_open(uri, DATABASE_WRITER, true, &error);
    bool good = database != NULL;
    for (int i = 0; good && i < ADDITIONS; i++) {
        good = database_begin(database, ACCESS_WRITE) &&
               database_start(database, "SELECT last FROM results", NULL, 0) &&
               database_step(database) == STEP_ROW;
        int64_t next = good ? database_number(database, 0) + 1 : 0;
        good = good &&
               database_run(database, "UPDATE results SET last = ?1", VALUES(as_number(next)),
                            &error) &&
               database_run(database, "COMMIT", NULL, 0, &error);
    }
    if (!good)
        print_error("%s\n", error.text);
    database_close(database);
    return good ? uri : NULL;
}

static void write_transactions_of_several_connections_run_one_after_the_other(void **state) {
    (void)state;
    char uri[512];
    snprintf(uri, sizeof uri, "%s", test_database());
    pthread_t threads[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, add, uri), 0);
    void *good[WRITERS];
    for (int i = 0; i < WRITERS; i++)
        pthread_join(threads[i], &good[i]);
    for (int i = 0; i < WRITERS; i++)
        assert_non_null(good[i]);
    assert_int_equal(number_of("SELECT last FROM results"), WRITERS * ADDITIONS);
}

static void a_snapshot_does_not_see_later_commits(void **state) {
    Store *store = store_of(state);
    Error error;
    Transaction transaction = transaction_read(store, &error);
    transaction_snapshot(&transaction);
    static const char count[] = "SELECT count(*) FROM accounts";
    assert_int_equal(sql_number(&transaction, count, NULL, 0), 0);
    add_account(store, "ada", ROLE_PLAYER);
    assert_int_equal(sql_number(&transaction, count, NULL, 0), 0);
    assert_ok(transaction_end(&transaction));
    transaction = transaction_read(store, &error);
    assert_int_equal(sql_number(&transaction, count, NULL, 0), 1);
    assert_ok(transaction_end(&transaction));
}

static void a_reader_cannot_write(void **state) {
    Error error = {0};
    Transaction transaction = transaction_read(store_of(state), &error);
    sql_run(&transaction, "DELETE FROM results", NULL, 0);
    assert_result(STORE_FAILED, transaction_end(&transaction));
    assert_says(&error, "the database is read-only");
}

enum { WAIT_MAX_S = 60 };

static void dead_rows_of_a_long_queue_are_removed(void **state) {
    Store *store = store_of(state);
    Error error = {0};
    static const char vacuums[] = "SELECT pg_stat_get_vacuum_count('jobs'::regclass)";
    Database *database = database_open(test_database(), DATABASE_WRITER, true, &error);
    assert_non_null(database);
    assert_ok(store_tidy_queue(store, &error));
    assert_int_equal(number_of(vacuums), 0);
    assert_true(database_script(
        database,
        "INSERT INTO jobs (kind, urgency, attempt, losses, expires, holder, trouble, requester) "
        "SELECT 2, 5, 0, 0, 0, '', '', 'ladder' FROM generate_series(1, 1000); "
        "DELETE FROM jobs",
        &error));
    assert_int_equal(database_query_number(database, "SELECT count(pg_stat_force_next_flush())"),
                     1);
    database_close(database); /* this also sends the statistics */
    int64_t deadline = clock_now() + WAIT_MAX_S * 1000 * CLOCK_MS;
    while (number_of(vacuums) == 0) {
        assert_true(clock_now() < deadline);
        assert_ok(store_tidy_queue(store, &error));
    }
}

/* The writer may have been stopped, or its machine cut off. */
static void a_writer_that_stops_responding_does_not_block_others(void **state) {
    Error error = {0};
    Database *hangs = database_open(test_database(), DATABASE_WRITER, true, &error);
    assert_true(database_begin(hangs, ACCESS_WRITE));
    assert_true(database_run(hangs, "UPDATE results SET last = 5", NULL, 0, &error));
    add_account(store_of(state), "ada", ROLE_PLAYER); /* waits but does not give up */
    assert_false(database_run(hangs, "UPDATE results SET last = 6", NULL, 0, &error));
    database_close(hangs);
    assert_int_equal(number_of("SELECT last FROM results"), 0);
}

/* ---- lost connections ---- */

/* Reopens the test's store, with the clocks of the machine and the server. */
static void open_with_clocks(TestStore *fixture) {
    Error error = {0};
    char *directory = path_in(fixture, "data");
    fixture_close(fixture);
    fixture->store =
        store_open(&(StoreOptions){.directory = directory, .database = test_database()}, &error);
    free(directory);
    if (!fixture->store)
        fail_msg("%s", error.text);
}

static void an_idle_connection_that_was_lost_is_replaced(void **state) {
    Store *store = store_of(state);
    Error error = {0};
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    StoreAccount account;
    assert_ok(store_account_get(store, ada, &account, &error));
    cut_connections();
    assert_ok(store_account_get(store, ada, &account, &error));
    assert_string_equal(account.name, "ada");
    add_account(store, "bob", ROLE_PLAYER);
    cut_connections();
    StoreRating rating;
    assert_result(STORE_NOT_FOUND, store_rating_get(store, 1, &rating, &error)); /* in a snapshot */
}

static void a_transaction_fails_with_its_connection_and_the_next_one_works(void **state) {
    Store *store = store_of(state);
    Error error = {0};
    Transaction transaction = transaction_write(store, &error);
    sql_run(&transaction, "UPDATE results SET last = 7", NULL, 0);
    cut_connections();
    sql_run(&transaction, "UPDATE results SET last = 8", NULL, 0);
    assert_result(STORE_FAILED, transaction_end(&transaction));
    assert_says(&error, "the connection was lost");
    assert_null(strstr(error.text, own_password()));
    assert_int_equal(number_of("SELECT last FROM results"), 0);

    add_account(store, "bob", ROLE_PLAYER);
    transaction = transaction_write(store, &error);
    sql_run(&transaction, "UPDATE results SET last = 9", NULL, 0);
    cut_connections();
    assert_result(STORE_FAILED, transaction_end(&transaction));
    assert_says(&error, "the connection was lost during a commit");
    assert_int_equal(number_of("SELECT last FROM results"), 0);

    transaction = transaction_read(store, &error);
    transaction_snapshot(&transaction);
    sql_number(&transaction, "SELECT last FROM results", NULL, 0);
    cut_connections();
    sql_number(&transaction, "SELECT last FROM results", NULL, 0);
    assert_result(STORE_FAILED, transaction_end(&transaction));
    assert_says(&error, "the connection was lost; try again");
    add_account(store, "ada", ROLE_PLAYER);
}

/* Runs a statement during which the server may be silent; returns its time in milliseconds. */
static int64_t time_of(Database *database, const char *sql, bool *good, Error *error) {
    int64_t began = clock_now();
    *good = database_run(database, sql, NULL, 0, error);
    return (clock_now() - began) / CLOCK_MS;
}

enum { SILENCE_MS = 10000 };

static void a_slow_statement_does_not_time_out(void **state) {
    (void)state;
    Error error = {0};
    bool good;
    Database *database = database_open(test_database(), DATABASE_WRITER, true, &error);
    int64_t took = time_of(database, "DO $$ BEGIN PERFORM pg_sleep(11); END $$", &good, &error);
    if (!good)
        fail_msg("%s", error.text);
    assert_true(took > SILENCE_MS);
    database_close(database);
}

static void a_server_that_stops_responding_counts_as_lost(void **state) {
    (void)state;
    Error error = {0};
    bool good;
    Database *database = database_open(test_database(), DATABASE_WRITER, true, &error);
    pid_t processes[] = {
        (pid_t)number_of(
            "SELECT CAST(split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS int)"),
        (pid_t)database_query_number(database, "SELECT pg_backend_pid()"),
    };
    assert_true(processes[0] > 1 && processes[1] > 1);
    for (size_t i = 0; i < 2; i++)
        kill(processes[i], SIGSTOP);
    int64_t took = time_of(database, "SELECT 1 WHERE false", &good, &error);
    for (size_t i = 0; i < 2; i++)
        kill(processes[i], SIGCONT);
    assert_false(good);
    assert_says(&error, "the connection was lost; try again");
    assert_true(took > SILENCE_MS);
    time_of(database, "SELECT 1 WHERE false", &good, &error);
    assert_true(good); /* on a new connection */
    database_close(database);
}

enum { JOBS = 50 };

/* A match that is finished on its own thread. */
typedef struct Finishing {
    Store *store;
    StoreJob job;
    _Atomic bool done;
    StoreResult result;
    Error error;
} Finishing;

static void *finish_on_thread(void *context) {
    Finishing *finishing = context;
    finishing->result = finish(finishing->store, finishing->job, "{}", &finishing->error);
    finishing->done = true;
    return NULL;
}

/* Lets commits wait, after they took effect, for a standby that does not exist. */
static void let_commits_wait(bool wait) {
    on_server(wait ? "ALTER SYSTEM SET synchronous_standby_names = 'nobody'"
                   : "ALTER SYSTEM RESET synchronous_standby_names");
    on_server("SELECT pg_reload_conf()");
}

/* Finishes a match, and ends the connection while its commit waits. Returns false if the commit did
   not wait. */
static bool finish_and_cut(Finishing *finishing) {
    pthread_t thread;
    bool cut = false;
    finishing->done = false;
    assert_int_equal(pthread_create(&thread, NULL, finish_on_thread, finishing), 0);
    while (!finishing->done) {
        cut |= number_of("SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity "
                         "WHERE datname = current_database() AND wait_event = 'SyncRep'") == 1;
        usleep(1000);
    }
    pthread_join(thread, NULL);
    return cut;
}

static void a_result_whose_commit_was_not_confirmed_is_not_stored_twice(void **state) {
    TestStore *fixture = *state;
    Store *store = store_of(state);
    StoreJob jobs[JOBS];
    Finishing finishing = {.result = STORE_OK};
    for (uint32_t i = 0; i < JOBS; i++) {
        add_match(store, MATCH_LADDER, "g", 0, 0);
        jobs[i] = lease_one(store, 3600000);
    }
    open_with_clocks(fixture); /* its commits wait for the disk, and for standbys */
    let_commits_wait(true);
    bool cut = false;
    for (uint32_t i = 0; !cut && i < JOBS; i++) { /* until the setting has effect */
        finishing.store = fixture->store;
        finishing.job = jobs[i];
        cut = finish_and_cut(&finishing);
    }
    let_commits_wait(false);
    assert_true(cut);
    Error error = finishing.error;
    assert_result(STORE_FAILED, finishing.result);
    assert_says(&error, "may or may not have been saved");
    /* It was saved, so neither a second result nor a failure is accepted. */
    bool over;
    const StoreJob *job = &finishing.job;
    assert_result(STORE_CONFLICT, finish(fixture->store, *job, "{\"second\":1}", &error));
    assert_result(STORE_CONFLICT,
                  store_queue_fail(fixture->store, job->id, job->attempt, "why", 0, &over, &error));
    StoreMatches matches = {0};
    assert_ok(store_match_get(fixture->store, job->subject, &matches, &error));
    assert_int_equal(matches.rows[0].state, MATCH_OVER);
    store_matches_free(&matches);
    Buffer verdict = {0};
    assert_ok(store_match_verdict(fixture->store, job->subject, &verdict, &error));
    assert_string_equal(buffer_string(&verdict), "{}");
    buffer_free(&verdict);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

/* ---- the server's clock ---- */

enum { HOUR_MS = 3600000 };

/* From now on, the server's clock is this many hours ahead of the machine's, and reading it takes
   this many milliseconds. */
static void set_server_clock(int hours, int milliseconds) {
    char sql[500];
    Error error = {0};
    snprintf(sql, sizeof sql,
             "ALTER DATABASE %s SET search_path = public, pg_catalog; "
             "CREATE OR REPLACE FUNCTION public.clock_timestamp() RETURNS timestamptz LANGUAGE sql "
             "AS 'SELECT pg_sleep(%d / 1000.0); "
             "SELECT pg_catalog.clock_timestamp() + make_interval(hours => %d)'",
             strrchr(test_database(), '/') + 1, milliseconds, hours);
    Database *database = database_open(test_database(), DATABASE_PLAIN, false, &error);
    if (!database || !database_script(database, sql, &error))
        fail_msg("%s", error.text);
    database_close(database);
}

/* How far the time of the store is ahead of the machine's, rounded to hours. */
static int64_t hours_ahead(Store *store) {
    struct timespec machine;
    StoreQueueSize size;
    Error error = {0};
    assert_int_equal(store_queue_size(store, &size, &error), STORE_OK); /* compares the clocks */
    clock_gettime(CLOCK_REALTIME, &machine);
    int64_t ahead = store_now(store) - (int64_t)machine.tv_sec * 1000;
    return (ahead + HOUR_MS / 2 + HOUR_MS * INT64_C(1000)) / HOUR_MS - 1000;
}

static void times_come_from_the_server(void **state) {
    TestStore *fixture = *state;
    set_server_clock(3, 0);
    open_with_clocks(fixture);
    assert_int_equal(hours_ahead(fixture->store), 3);
    /* The store's time follows when the server's clock is set or another server takes over. */
    set_server_clock(-2, 0);
    int64_t deadline = clock_now() + WAIT_MAX_S * 1000 * CLOCK_MS;
    while (hours_ahead(fixture->store) != -2) {
        assert_true(clock_now() < deadline);
        usleep(20000);
    }
}

static void times_come_from_the_server_even_if_it_answers_slowly(void **state) {
    TestStore *fixture = *state;
    set_server_clock(3, 700);
    open_with_clocks(fixture);
    assert_int_equal(hours_ahead(fixture->store), 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_bad_uri_is_refused),
        CASE(an_unreachable_server_is_named),
        CASE(a_wrong_password_is_refused_and_not_shown),
        CASE(a_missing_database_is_named),
        CASE(a_database_without_utf8_is_refused),
        CASE(another_programs_database_is_left_alone),
        CASE(a_newer_store_is_refused),
        CASE(a_role_without_permission_to_create_tables_gets_an_error),
        CASE(a_directory_belongs_to_one_store),
        CASE(the_backup_command_refers_to_pg_dump),
        CASE(both_engines_have_the_same_tables_columns_and_indexes),
        CASE(several_processes_can_create_the_tables_at_once),
        CASE(several_processes_can_open_a_new_store_at_once),
        CASE(a_store_is_not_upgraded_without_its_files),
        CASE(a_failed_step_changes_nothing),
        CASE(an_older_program_uses_a_newer_store_that_allows_it),
        CASE(a_program_of_version_19_keeps_working_during_an_upgrade),
        CASE(write_transactions_of_several_connections_run_one_after_the_other),
        CASE(a_writer_that_stops_responding_does_not_block_others),
        CASE(a_snapshot_does_not_see_later_commits),
        CASE(a_reader_cannot_write),
        CASE(dead_rows_of_a_long_queue_are_removed),
        CASE(an_idle_connection_that_was_lost_is_replaced),
        CASE(a_transaction_fails_with_its_connection_and_the_next_one_works),
        CASE(a_slow_statement_does_not_time_out),
        CASE(a_server_that_stops_responding_counts_as_lost),
        CASE(a_result_whose_commit_was_not_confirmed_is_not_stored_twice),
        CASE(times_come_from_the_server),
        CASE(times_come_from_the_server_even_if_it_answers_slowly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
