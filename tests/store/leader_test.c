/* The leader: one process at a time, soon replaced if it closes the store, loses its connection or
   hangs. On SQLite, there is only one process. */
#include "base/clock.h"
#include "fixture.h"
#include "sql/database.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* A little more than an answer is trusted for; the longest wait on a busy machine. */
enum { SETTLED_MS = 4000, WAIT_MAX_MS = 60000 };

static void rest(void) {
    usleep(20000);
}

/* Opens the store as another process does, in its own data directory. */
static Store *open_silent(const TestStore *fixture, const char *name) {
    Error error = {0};
    char *directory = path_in(fixture, name);
    Store *other = open_store_with(directory, test_files(fixture), &error);
    if (!other)
        fail_msg("%s", error.text);
    free(directory);
    return other;
}

/* The same, and starts asking for the lead. */
static Store *open_other(const TestStore *fixture, const char *name) {
    Error error = {0};
    Store *other = open_silent(fixture, name);
    if (!store_leader_start(other, &error))
        fail_msg("%s", error.text);
    return other;
}

static void await_leader(const Store *store) {
    int64_t deadline = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    while (!store_leads(store)) {
        assert_true(clock_now() < deadline);
        rest();
    }
}

static void a_process_leads_only_after_it_has_asked(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    assert_int_equal(store_leads(fixture->store), !on_postgres());
    assert_true(store_leader_start(fixture->store, &error));
    await_leader(fixture->store);
}

static void another_process_leads_when_the_first_one_closes_the_store(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    if (!on_postgres())
        return; /* there is no other process */
    assert_true(store_leader_start(fixture->store, &error));
    await_leader(fixture->store);
    Store *other = open_other(fixture, "other");
    assert_false(store_leads(other));
    fixture_close(fixture);
    await_leader(other);
    fixture_open(fixture);
    assert_true(store_leader_start(fixture->store, &error));
    assert_false(store_leads(fixture->store));
    assert_true(store_close(other, &error));
    await_leader(fixture->store);
}

static void a_lost_connection_never_leads_to_two_leaders(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    if (!on_postgres())
        return; /* there are no connections */
    assert_true(store_leader_start(fixture->store, &error));
    await_leader(fixture->store);
    Store *other = open_other(fixture, "other");
    cut_connections();
    /* The old leader trusts its last answer for a moment; then the first process to ask leads. */
    int64_t settled = clock_now() + SETTLED_MS * CLOCK_MS;
    int64_t deadline = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    bool first;
    bool second;
    do {
        rest();
        first = store_leads(fixture->store);
        second = store_leads(other);
        assert_false(first && second && store_leads(fixture->store)); /* both led at once */
        assert_true(clock_now() < deadline);
    } while (clock_now() < settled || first == second);
    assert_true(store_close(other, &error));
    await_leader(fixture->store);
}

/* The server gives the lock to the next process at once, before the old leader learns of it. */
static void a_new_leader_waits_until_the_old_one_has_noticed(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    if (!on_postgres())
        return; /* there are no connections */
    assert_true(store_leader_start(fixture->store, &error));
    bool replaced = false;
    for (uint32_t i = 0; !replaced; i++) {
        char name[20];
        snprintf(name, sizeof name, "other-%u", i);
        Store *other = open_silent(fixture, name);
        await_leader(fixture->store);
        cut_connections();
        assert_true(store_leader_start(other, &error)); /* asks at once, and nearly always first */
        int64_t settled = clock_now() + SETTLED_MS * CLOCK_MS;
        while (!replaced && clock_now() < settled) {
            bool first = store_leads(fixture->store);
            replaced = store_leads(other);
            assert_false(first && replaced && store_leads(fixture->store));
            rest();
        }
        assert_true(store_close(other, &error));
    }
}

/* Becomes the leader and reports that; then answers each question with whether it still leads. */
static int lead_in_child(const TestStore *fixture, int questions, int answers) {
    Store *store = open_other(fixture, "child");
    await_leader(store);
    char answer = store_leads(store) ? 'y' : 'n';
    char question;
    while (write(answers, &answer, 1) == 1 && read(questions, &question, 1) == 1)
        answer = store_leads(store) ? 'y' : 'n';
    store_close(store, NULL);
    return 0;
}

static char answer_of(int answers) {
    char answer = 0;
    assert_int_equal(read(answers, &answer, 1), 1);
    return answer;
}

static void a_leader_that_stops_responding_is_replaced_and_notices(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    int questions[2];
    int answers[2];
    int status;
    if (!on_postgres())
        return; /* there is no other process */
    assert_int_equal(pipe(questions) | pipe(answers), 0);
    pid_t child = fork();
    if (child == 0) {
        close(questions[1]);
        close(answers[0]);
        _exit(lead_in_child(fixture, questions[0], answers[1]));
    }
    close(questions[0]);
    close(answers[1]);
    assert_int_equal(answer_of(answers[0]), 'y');
    assert_true(store_leader_start(fixture->store, &error));
    assert_false(store_leads(fixture->store));

    assert_int_equal(kill(child, SIGSTOP), 0);
    await_leader(fixture->store);
    assert_int_equal(write(questions[1], "?", 1), 1); /* the first thing it reads */
    assert_int_equal(kill(child, SIGCONT), 0);
    assert_int_equal(answer_of(answers[0]), 'n');
    assert_true(store_leads(fixture->store));

    close(questions[1]);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    close(answers[0]);
}

/* An administrator ends the leader's connection, and another process gets the lock before the
   leader notices. */
static void a_process_that_no_longer_leads_stores_no_ratings(void **state) {
    TestStore *fixture = *state;
    Error error = {0};
    const StoreRating none = {0};
    if (!on_postgres())
        return; /* there is no other process */
    assert_true(store_leader_start(fixture->store, &error));
    await_leader(fixture->store);
    assert_ok(store_ratings_set(fixture->store, "aliens", &none, 0, false, &error));

    Database *other = database_open(test_database(), DATABASE_PLAIN, false, &error);
    assert_non_null(other);
    assert_true(database_script(other,
                                "SELECT pg_terminate_backend(pid, 5000) FROM pg_locks "
                                "WHERE locktype = 'advisory' AND objid = 1397445452 AND pid <> "
                                "pg_backend_pid(); SELECT pg_advisory_lock(1397445452)",
                                &error));
    assert_result(STORE_REJECTED,
                  store_ratings_set(fixture->store, "aliens", &none, 0, false, &error));
    assert_result(STORE_REJECTED, store_ratings_clear(fixture->store, &none, 0, &error));
    assert_says(&error, "no longer leads");

    database_close(other);
    int64_t deadline = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    while (store_ratings_set(fixture->store, "aliens", &none, 0, false, &error) != STORE_OK) {
        assert_true(clock_now() < deadline);
        rest();
    }
    await_leader(fixture->store);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_process_leads_only_after_it_has_asked),
        CASE(another_process_leads_when_the_first_one_closes_the_store),
        CASE(a_lost_connection_never_leads_to_two_leaders),
        CASE(a_new_leader_waits_until_the_old_one_has_noticed),
        CASE(a_leader_that_stops_responding_is_replaced_and_notices),
        CASE(a_process_that_no_longer_leads_stores_no_ratings),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
