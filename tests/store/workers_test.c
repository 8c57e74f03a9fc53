/* Workers: which ones are present, what administrators ask of them, which speed jobs need, and jobs
   whose worker makes no progress. */
#include "fixture.h"

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

static StoreWorker beat(Store *store, const char *name, uint32_t speed, StoreWorkerState state,
                        const char *previous) {
    StoreWorker worker = {.kind = WORKER_WORKS,
                          .machine = "host",
                          .version = "0.1",
                          .speed = speed,
                          .runners = 2,
                          .state = state};
    Error error;
    snprintf(worker.name, sizeof worker.name, "%s", name);
    assert_ok(store_worker_beat(store, &worker, previous, &error));
    return worker;
}

static StoreWorker get(Store *store, const char *name) {
    StoreWorker worker;
    Error error;
    assert_ok(store_worker_get(store, name, &worker, &error));
    return worker;
}

static uint32_t lease(Store *store, const char *holder, StoreJob *jobs, uint32_t wanted) {
    Error error;
    assert_ok(store_queue_lease(store, JOB_ANY, holder, 60000, jobs, &wanted, &error));
    return wanted;
}

/* ---- presence ---- */

static void a_worker_is_listed_with_its_jobs(void **state) {
    Store *store = store_of(state);
    StoreWorker rows[4];
    uint32_t count = 4;
    Error error;
    StoreJob job;
    uint64_t match = add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    beat(store, "a", 90, WORKER_RUNNING, NULL);
    assert_int_equal(lease(store, "a", &job, 1), 1);
    test_time += 500;
    beat(store, "a", 95, WORKER_DRAINING, NULL);
    assert_ok(store_workers_list(store, "", rows, &count, &error));
    assert_int_equal(count, 1);
    assert_string_equal(rows[0].name, "a");
    assert_string_equal(rows[0].machine, "host");
    assert_string_equal(rows[0].version, "0.1");
    assert_int_equal(rows[0].speed, 95);
    assert_int_equal(rows[0].runners, 2);
    assert_int_equal(rows[0].running, 1);
    assert_int_equal(rows[0].state, WORKER_DRAINING);
    assert_int_equal(rows[0].seen, test_time);
    count = 4;
    assert_ok(store_workers_list(store, "a", rows, &count, &error));
    assert_int_equal(count, 0);
    StoreHeldJob held[2];
    count = 2;
    assert_ok(store_workers_jobs(store, "a", "a", held, &count, &error));
    assert_int_equal(count, 1);
    assert_string_equal(held[0].holder, "a");
    assert_int_equal(held[0].subject, match);
    assert_int_equal(held[0].leased, test_time - 500);
    assert_result(STORE_NOT_FOUND, store_worker_get(store, "b", rows, &error));
    assert_says(&error, "unknown worker \"b\"");
}

static void a_worker_without_heartbeats_is_lost_and_forgotten_after_a_day(void **state) {
    Store *store = store_of(state);
    Error error;
    uint32_t counts[WORKER_STATES];
    beat(store, "a", 90, WORKER_RUNNING, NULL);
    test_time += WORKER_LOST_MS;
    assert_int_equal(get(store, "a").state, WORKER_RUNNING);
    test_time++;
    /* On SQLite, the worker is this process itself, which cannot be lost. */
    StoreWorkerState then = on_postgres() ? WORKER_LOST : WORKER_RUNNING;
    assert_int_equal(get(store, "a").state, then);
    assert_ok(store_workers_count(store, counts, &error));
    assert_int_equal(counts[then], 1);
    bool fit;
    assert_ok(store_workers_fit(store, 0, 0, &fit, &error));
    assert_int_equal(fit, !on_postgres());
    test_time += 24 * 3600 * 1000;
    assert_ok(store_tidy(store, &error));
    StoreWorker worker;
    assert_result(on_postgres() ? STORE_NOT_FOUND : STORE_OK,
                  store_worker_get(store, "a", &worker, &error));
}

static void a_stopped_worker_is_not_listed_unless_it_is_blocked(void **state) {
    Store *store = store_of(state);
    StoreWorker rows[4];
    uint32_t count = 4;
    Error error;
    beat(store, "a", 90, WORKER_STOPPED, NULL);
    assert_ok(store_workers_list(store, "", rows, &count, &error));
    assert_int_equal(count, 0);
    assert_ok(store_worker_ask(store, "a", WANTED_BLOCK, &error));
    count = 4;
    assert_ok(store_workers_list(store, "", rows, &count, &error));
    assert_int_equal(count, 1);
    assert_int_equal(rows[0].state, WORKER_STOPPED);
    /* A restart does not lift the block. */
    if (on_postgres()) {
        assert_int_equal(beat(store, "b", 90, WORKER_RUNNING, "a").wanted, WANTED_BLOCK);
        beat(store, "c", 90, WORKER_RUNNING, NULL);
        beat(store, "d", 90, WORKER_RUNNING, "c");
        assert_int_equal(get(store, "c").state, WORKER_STOPPED);
        assert_int_equal(get(store, "d").wanted, WANTED_PLAY);
    } else {
        assert_int_equal(beat(store, "a", 90, WORKER_RUNNING, "a").wanted, WANTED_BLOCK);
        assert_int_equal(get(store, "a").state, WORKER_RUNNING);
    }
}

/* ---- what administrators ask ---- */

static void a_draining_worker_leases_nothing_and_keeps_its_jobs(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreJob jobs[2];
    add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    beat(store, "a", 90, WORKER_RUNNING, NULL);
    assert_int_equal(lease(store, "a", jobs, 1), 1);
    assert_ok(store_worker_ask(store, "a", WANTED_DRAIN, &error));
    assert_int_equal(beat(store, "a", 90, WORKER_RUNNING, NULL).wanted, WANTED_DRAIN);
    assert_int_equal(lease(store, "a", jobs + 1, 1), 0);
    assert_ok(finish(store, jobs[0], "{}", &error));
    assert_ok(store_worker_ask(store, "a", WANTED_PLAY, &error));
    assert_int_equal(lease(store, "a", jobs + 1, 1), 1);
    assert_result(STORE_NOT_FOUND, store_worker_ask(store, "z", WANTED_DRAIN, &error));
}

static void the_jobs_of_a_blocked_worker_return_to_the_queue(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreJob job;
    uint64_t match = add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    beat(store, "a", 90, WORKER_RUNNING, NULL);
    assert_int_equal(lease(store, "a", &job, 1), 1);
    assert_ok(store_worker_ask(store, "a", WANTED_BLOCK, &error));
    assert_int_equal(get(store, "a").running, 0);
    assert_result(STORE_CONFLICT, finish(store, job, "{}", &error));
    StoreJob again;
    assert_int_equal(lease(store, "a", &again, 1), 0);
    assert_int_equal(lease(store, "b", &again, 1), 1);
    assert_int_equal(again.subject, match);
    assert_int_equal(again.losses, 0);
    assert_result(STORE_CONFLICT, finish(store, job, "{}", &error));
    assert_ok(finish(store, again, "{}", &error));
}

/* ---- speed ---- */

static uint64_t add_match_for(Store *store, uint32_t speed_min, uint32_t speed_max) {
    StoreNewSeat seats[2] = {{.label = "draft"}, {.label = "draft"}};
    StoreNewMatch match = {.game = "aliens",
                           .map = "",
                           .spec = "{}",
                           .visitor = 1,
                           .speed_min = speed_min,
                           .speed_max = speed_max,
                           .players = 2,
                           .seats = seats};
    uint64_t id = 0;
    Error error;
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    return id;
}

/* Sends a heartbeat as a worker of this speed, and asserts which match it leases; 0: none. */
static void assert_leases(Store *store, uint32_t speed, uint64_t expected) {
    StoreJob job = {0};
    Error error;
    beat(store, "a", speed, WORKER_RUNNING, NULL);
    lease(store, "a", &job, 1);
    assert_int_equal(job.subject, expected);
    if (job.id)
        assert_ok(store_queue_return(store, job.id, job.attempt, &error));
}

static void a_job_waits_for_a_worker_of_suitable_speed(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreQueueSize size;
    bool fit;
    StoreJob job;
    uint64_t fast = add_match_for(store, 120, 0);
    uint64_t slow = add_match_for(store, 0, 80);
    uint64_t exact = add_match_for(store, 100, 100);
    assert_int_equal(lease(store, "unknown", &job, 1), 1); /* its speed counts as 0 */
    assert_int_equal(job.subject, slow);
    assert_ok(store_queue_return(store, job.id, job.attempt, &error));
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.without_worker, 3);
    assert_leases(store, 119, 0);
    assert_leases(store, 101, 0);
    assert_leases(store, 99, 0);
    assert_leases(store, 81, 0);
    assert_leases(store, 120, fast);
    assert_leases(store, 80, slow);
    assert_leases(store, 100, exact);
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.without_worker, 2);
    assert_ok(store_workers_fit(store, 100, 100, &fit, &error));
    assert_true(fit);
    assert_ok(store_workers_fit(store, 101, 0, &fit, &error));
    assert_false(fit);
    assert_ok(store_workers_fit(store, 0, 99, &fit, &error));
    assert_false(fit);
    beat(store, "a", 100, WORKER_TOO_SLOW, NULL);
    assert_ok(store_workers_fit(store, 100, 100, &fit, &error));
    assert_false(fit);
}

static void a_job_for_another_speed_interrupts_nothing(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreJob job;
    bool wait;
    add_match(store, MATCH_LADDER, "aliens", 0, 0);
    beat(store, "a", 100, WORKER_RUNNING, NULL);
    assert_int_equal(lease(store, "a", &job, 1), 1);
    add_match_for(store, 120, 0);
    assert_ok(store_queue_others_wait(store, job.id, &wait, &error));
    assert_false(wait);
    add_match_for(store, 90, 110);
    assert_ok(store_queue_others_wait(store, job.id, &wait, &error));
    assert_true(wait);
}

static void a_result_includes_the_machine_and_its_speed(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreJob job;
    StoreMatches matches = {0};
    uint64_t match = add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    assert_int_equal(lease(store, "a", &job, 1), 1);
    const StoreSeatResult seats[2] = {{.rank = 1, .status = "ok"}, {.rank = 2, .status = "ok"}};
    StoreMatchResult result = {
        .reason = "", .machine = "host", .speed = 97, .players = 2, .seats = seats};
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    assert_ok(store_match_get(store, match, &matches, &error));
    assert_string_equal(matches.rows[0].machine, "host");
    assert_int_equal(matches.rows[0].speed, 97);
    store_matches_free(&matches);
}

/* ---- progress ---- */

static void extend(Store *store, const StoreJob *job, uint64_t steps, int64_t stall_ms) {
    Error error;
    StoreProgress progress = {.steps = steps, .stall_ms = stall_ms};
    assert_ok(store_queue_extend(store, job->id, job->attempt, 60000, &progress, &error));
}

static uint32_t end_stuck(Store *store) {
    uint32_t count = 0;
    Error error;
    assert_ok(store_queue_end_stuck(store, &count, &error));
    return count;
}

static void a_job_without_progress_fails_although_its_lease_is_extended(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t match = add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    for (uint32_t attempt = 1; attempt <= QUEUE_LOSSES_MAX; attempt++) {
        StoreJob job;
        assert_int_equal(lease(store, "a", &job, 1), 1);
        assert_int_equal(job.losses, attempt - 1);
        assert_int_equal(end_stuck(store), 0); /* progress of the last attempt does not count */

        for (uint64_t turn = 0; turn < 5; turn++) {
            test_time += 50000;
            extend(store, &job, turn, 100000);
            assert_int_equal(end_stuck(store), 0);
        }
        test_time += 50000;
        extend(store, &job, 4, 100000);
        test_time += 49999;
        extend(store, &job, 4, 100000);
        assert_int_equal(end_stuck(store), 0);
        test_time++;
        extend(store, &job, 4, 100000);
        assert_int_equal(end_stuck(store), 1);
        assert_result(STORE_CONFLICT, finish(store, job, "{}", &error));
    }
    StoreMatches matches = {0};
    assert_ok(store_match_get(store, match, &matches, &error));
    assert_int_equal(matches.rows[0].state, MATCH_GIVEN_UP);
    assert_non_null(strstr(matches.rows[0].reason, "without making progress"));
    store_matches_free(&matches);
}

static void a_job_without_a_time_limit_is_left_alone(void **state) {
    Store *store = store_of(state);
    StoreJob job;
    add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    assert_int_equal(lease(store, "a", &job, 1), 1);
    extend(store, &job, 1, 1000);
    extend(store, &job, 1, 0); /* a person takes a seat */
    for (uint32_t i = 0; i < 200; i++) {
        test_time += 50000;
        extend(store, &job, 1, 0);
        assert_int_equal(end_stuck(store), 0);
    }
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_worker_is_listed_with_its_jobs),
        TEST(a_worker_without_heartbeats_is_lost_and_forgotten_after_a_day),
        TEST(a_stopped_worker_is_not_listed_unless_it_is_blocked),
        TEST(a_draining_worker_leases_nothing_and_keeps_its_jobs),
        TEST(the_jobs_of_a_blocked_worker_return_to_the_queue),
        TEST(a_job_waits_for_a_worker_of_suitable_speed),
        TEST(a_job_for_another_speed_interrupts_nothing),
        TEST(a_result_includes_the_machine_and_its_speed),
        TEST(a_job_without_progress_fails_although_its_lease_is_extended),
        TEST(a_job_without_a_time_limit_is_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
