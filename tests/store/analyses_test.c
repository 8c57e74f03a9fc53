/* Analyses of matches: who can request one and how often, and how it ends. checks_test.c tests how
   they share the queue with other jobs. */
#include "fixture.h"

enum { MOST = 2, HOUR = 3600 * 1000 };

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

/* A match that is over and has a replay. */
static uint64_t played(Store *store) {
    Error error;
    uint64_t match = add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    StoreJob job = lease_one(store, 1000);
    StoreSeatResult seats[2] = {{.rank = 1, .status = "ok"}, {.rank = 2, .status = "ok"}};
    StoreMatchResult result = {.reason = "over",
                               .verdict = slice_of("{}"),
                               .replay = add_file(store, "replay"),
                               .players = 2,
                               .seats = seats};
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    return match;
}

static void request(Store *store, uint64_t match, uint64_t account) {
    Error error;
    uint32_t wait;
    assert_ok(store_queue_analysis(store, match, account, MOST, NULL, &wait, &error));
}

static StoreJob lease_analysis(Store *store) {
    Error error;
    StoreJob job;
    uint32_t count = 1;
    assert_ok(store_queue_lease(store, JOB_ANALYSIS, "here", 1000, &job, &count, &error));
    assert_int_equal(count, 1);
    assert_int_equal(job.kind, JOB_ANALYSIS);
    return job;
}

static void end(Store *store, const char *result, const char *failure) {
    Error error;
    StoreJob job = lease_analysis(store);
    StoreAnalysisResult what = {.result = slice_of(result), .failure = failure};
    assert_ok(store_queue_finish_analysis(store, job.id, job.attempt, &what, &error));
}

static StoreAnalysis analysis_of(Store *store, uint64_t match, Buffer *result) {
    Error error;
    StoreAnalysis analysis;
    assert_ok(store_analysis_get(store, match, &analysis, result, &error));
    return analysis;
}

static void an_analysis_waits_runs_and_has_a_result(void **state) {
    Store *store = store_of(state);
    Error error;
    Buffer text = {0};
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t match = played(store);
    assert_int_equal(analysis_of(store, match, NULL).state, ANALYSIS_NONE);
    request(store, match, ada);
    assert_int_equal(analysis_of(store, match, NULL).state, ANALYSIS_WAITING);
    StoreJob job = lease_analysis(store);
    assert_int_equal(job.subject, match);
    assert_int_equal(analysis_of(store, match, &text).state, ANALYSIS_RUNNING);
    assert_int_equal(text.length, 0);
    test_time += 500;
    StoreAnalysisResult result = {.result = slice_of("{\"turns\":3}")};
    assert_ok(store_queue_finish_analysis(store, job.id, job.attempt, &result, &error));
    StoreAnalysis done = analysis_of(store, match, &text);
    assert_int_equal(done.state, ANALYSIS_DONE);
    assert_int_equal(done.time, test_time);
    assert_string_equal(done.failure, "");
    assert_string_equal(buffer_string(&text), "{\"turns\":3}");
    /* A late result changes nothing. */
    assert_result(STORE_CONFLICT,
                  store_queue_finish_analysis(store, job.id, job.attempt, &result, &error));
    buffer_free(&text);
}

static void a_match_is_analysed_only_once(void **state) {
    Store *store = store_of(state);
    Error error;
    uint32_t wait;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t match = played(store);
    request(store, match, ada);
    assert_result(STORE_CONFLICT,
                  store_queue_analysis(store, match, bob, MOST, NULL, &wait, &error));
    assert_says(&error, "is already being analysed");
    end(store, "{}", NULL);
    assert_result(STORE_CONFLICT,
                  store_queue_analysis(store, match, bob, MOST, NULL, &wait, &error));
    assert_says(&error, "has already been analysed");
}

static void a_failed_analysis_says_why_and_can_be_repeated(void **state) {
    Store *store = store_of(state);
    Buffer text = {0};
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t match = played(store);
    request(store, match, ada);
    end(store, "{}", "it took too long");
    StoreAnalysis failed = analysis_of(store, match, &text);
    assert_int_equal(failed.state, ANALYSIS_FAILED);
    assert_string_equal(failed.failure, "it took too long");
    assert_int_equal(text.length, 0);
    request(store, match, ada);
    assert_int_equal(analysis_of(store, match, NULL).state, ANALYSIS_WAITING);
    end(store, "{}", NULL);
    assert_int_equal(analysis_of(store, match, NULL).state, ANALYSIS_DONE);
}

static void a_match_without_a_replay_is_not_analysed(void **state) {
    Store *store = store_of(state);
    Error error;
    uint32_t wait;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t match = add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    assert_result(STORE_NOT_FOUND,
                  store_queue_analysis(store, match, ada, MOST, NULL, &wait, &error));
    assert_says(&error, "has no replay");
}

static void analyses_per_account_and_hour_are_limited(void **state) {
    Store *store = store_of(state);
    Error error;
    uint32_t wait;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t third = played(store);
    uint64_t fourth = played(store);
    request(store, played(store), ada);
    end(store, "{}", NULL);
    int64_t first = test_time;
    test_time += HOUR / 4;
    request(store, played(store), ada); /* counts while it waits */
    assert_result(STORE_BUSY, store_queue_analysis(store, third, ada, MOST, NULL, &wait, &error));
    assert_says(&error, "the limit of 2 analyses per hour; try again in 46 minutes");
    assert_int_equal(wait, HOUR / 1000 * 3 / 4 + 1);
    end(store, "", "no"); /* and after it failed */
    assert_result(STORE_BUSY, store_queue_analysis(store, third, ada, MOST, NULL, &wait, &error));
    request(store, third, bob); /* others have their own limit */
    test_time = first + HOUR - 1000;
    assert_result(STORE_BUSY, store_queue_analysis(store, fourth, ada, MOST, NULL, &wait, &error));
    assert_says(&error, "try again in 1 minute");
    assert_true(wait >= 1 && wait <= 2);
    test_time = first + HOUR;
    request(store, fourth, ada);
}

static void an_analysis_that_takes_long_does_not_delay_matches_of_its_requester(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t id;
    request(store, played(store), ada);
    lease_analysis(store);
    test_time += 500;
    add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    StoreJob other = lease_one(store, 1000);
    test_time += 400;
    assert_ok(store_queue_interrupt(store, other.id, other.attempt, &error));
    StoreNewSeat seats[2] = {{.label = "draft"}, {.label = "draft"}};
    StoreNewMatch hers = {
        .game = "aliens", .map = "", .spec = "{}", .requester = ada, .players = 2, .seats = seats};
    assert_ok(store_queue_matches(store, &hers, 1, &id, &error));
    assert_int_equal(lease_one(store, 1000).subject, id);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(an_analysis_waits_runs_and_has_a_result),
        CASE(a_match_is_analysed_only_once),
        CASE(a_failed_analysis_says_why_and_can_be_repeated),
        CASE(a_match_without_a_replay_is_not_analysed),
        CASE(analyses_per_account_and_hour_are_limited),
        CASE(an_analysis_that_takes_long_does_not_delay_matches_of_its_requester),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
