/* Checks of versions and analyses of matches. These jobs must not be confused with those that build
   the version and play the match. */
#include "fixture.h"
#include "store/queue_internal.h"

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

static uint32_t lease_many(Store *store, StoreJobKind kinds, StoreJob *jobs, uint32_t wanted) {
    Error error;
    assert_ok(store_queue_lease(store, kinds, "here", 1000, jobs, &wanted, &error));
    return wanted;
}

static StoreVersion version_of(Store *store, uint64_t id) {
    Error error;
    StoreVersion version;
    assert_ok(store_version_get(store, id, &version, &error));
    return version;
}

static StoreMatchState state_of(Store *store, uint64_t match) {
    Error error;
    StoreMatches matches = {0};
    assert_ok(store_match_get(store, match, &matches, &error));
    StoreMatchState state = matches.rows[0].state;
    store_matches_free(&matches);
    return state;
}

/* Reads a number with SQL, where the store has no function for it. */
static int64_t number(Store *store, const char *sql) {
    Error error;
    Transaction transaction = transaction_read(store, &error);
    int64_t read = sql_number(&transaction, sql, NULL, 0);
    assert_ok(transaction_end(&transaction));
    return read;
}

/* Adds a version that is built and active, and whose check is waiting; returns its id. */
static uint64_t upload(Store *store, uint64_t bot, const char *content) {
    Error error;
    uint64_t version = add_version(store, bot, content);
    StoreJob job;
    assert_int_equal(lease_many(store, JOB_BUILD, &job, 1), 1);
    StoreBuildResult result = {.good = true, .activate = true, .check = true};
    assert_ok(store_queue_finish_build(store, job.id, job.attempt, &result, &error));
    return version;
}

static StoreJob lease_check(Store *store) {
    StoreJob job;
    assert_int_equal(lease_many(store, JOB_CHECK | JOB_LONG, &job, 1), 1);
    assert_int_equal(job.kind, JOB_CHECK);
    return job;
}

/* Queues an analysis of a match. */
static void analyse(Store *store, uint64_t match, const char *requester) {
    Error error;
    Transaction transaction = transaction_write(store, &error);
    queue_add(&transaction, JOB_ANALYSIS, URGENCY_ANALYSIS, match, requester, NULL);
    assert_ok(transaction_end(&transaction));
}

static StoreJob lease_analysis(Store *store) {
    StoreJob job;
    assert_int_equal(lease_many(store, JOB_ANALYSIS, &job, 1), 1);
    assert_int_equal(job.kind, JOB_ANALYSIS);
    return job;
}

/* ---- checks ---- */

static void a_version_is_checked_once_it_is_built(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t version = upload(store, bot, "x");
    assert_int_equal(version_of(store, version).check, CHECK_WAITING);
    StoreQueueSize size;
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.checks, 1);
    StoreJob job = lease_check(store);
    assert_int_equal(job.subject, version);
    assert_int_equal(version_of(store, version).check, CHECK_RUNNING);
    StoreCheckResult result = {.errors = 2, .warnings = 1, .report = slice_of("{\"findings\":3}")};
    assert_ok(store_queue_finish_check(store, job.id, job.attempt, &result, &error));
    StoreVersion row = version_of(store, version);
    assert_int_equal(row.check, CHECK_DONE);
    assert_int_equal(row.check_errors, 2);
    assert_int_equal(row.check_warnings, 1);
    Buffer report = {0};
    Buffer failure = {0};
    int64_t time;
    assert_ok(store_version_check(store, version, &time, &report, &failure, &error));
    assert_int_equal(time, test_time);
    assert_string_equal(buffer_string(&report), "{\"findings\":3}");
    assert_int_equal(failure.length, 0);
    /* A second result is rejected. */
    result.errors = 9;
    assert_result(STORE_CONFLICT,
                  store_queue_finish_check(store, job.id, job.attempt, &result, &error));
    assert_int_equal(version_of(store, version).check_errors, 2);
    buffer_free(&report);
    buffer_free(&failure);
    /* A build that requests no check gets none: house bots need none. */
    version = add_version(store, bot, "y");
    build_all(store, true);
    assert_int_equal(version_of(store, version).check, CHECK_NONE);
}

static void the_result_of_another_kind_does_not_finish_a_check(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t version = upload(store, bot, "x");
    StoreJob job = lease_check(store);
    StoreBuildResult build = {.log = slice_of("no")};
    assert_result(STORE_CONFLICT,
                  store_queue_finish_build(store, job.id, job.attempt, &build, &error));
    assert_int_equal(version_of(store, version).build, BUILD_GOOD);
    assert_result(STORE_CONFLICT, finish(store, job, "{}", &error));
    assert_int_equal(version_of(store, version).check, CHECK_RUNNING);
}

static void builds_and_casual_matches_of_the_owner_precede_a_check(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    upload(store, bot, "x");
    StoreNewSeat seats[1] = {{.label = "draft"}};
    StoreNewMatch match = {
        .game = "aliens", .map = "", .spec = "{}", .requester = ada, .players = 1, .seats = seats};
    uint64_t id;
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    analyse(store, id, "account 1");
    uint32_t ahead;
    assert_ok(store_queue_ahead(store, id, &ahead, &error));
    assert_int_equal(ahead, 0);
    add_version(store, bot, "y");
    StoreJob jobs[5];
    assert_int_equal(lease_many(store, JOB_ANY | JOB_LONG, jobs, 5), 4);
    static const StoreJobKind order[] = {JOB_BUILD, JOB_MATCH, JOB_ANALYSIS, JOB_CHECK};
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(jobs[i].kind, order[i]);
    /* Neither job counts towards the limit of casual matches. */
    assert_ok(store_queue_call_off(store, id, NULL, &error));
    match.most = 1;
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
}

static void a_check_that_keeps_failing_does_not_affect_the_build(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t version = upload(store, bot, "x");
    bool over = false;
    for (int i = 0; i < QUEUE_LOSSES_MAX; i++) {
        StoreJob job = lease_check(store);
        assert_false(over);
        assert_ok(
            store_queue_fail(store, job.id, job.attempt, "the runner died", 0, &over, &error));
    }
    assert_true(over);
    StoreVersion row = version_of(store, version);
    assert_int_equal(row.check, CHECK_FAILED);
    assert_int_equal(row.build, BUILD_GOOD);
    Buffer report = {0};
    Buffer failure = {0};
    int64_t time;
    assert_ok(store_version_check(store, version, &time, &report, &failure, &error));
    assert_int_equal(report.length, 0);
    assert_string_equal(buffer_string(&failure),
                        "given up after 3 attempts; the last one: the runner died");
    buffer_free(&report);
    buffer_free(&failure);
}

static void a_check_is_a_long_job_that_delays_no_short_one(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t version = upload(store, bot, "x");
    StoreJob job;
    assert_int_equal(lease_many(store, JOB_ANY, &job, 1), 0);
    StoreJob check = lease_check(store);
    assert_true(check.is_long);
    /* A match of another requester is interrupted while the check runs. */
    add_match(store, MATCH_LADDER, "aliens", 0, 0);
    job = lease_one(store, 1000);
    assert_ok(store_queue_interrupt(store, job.id, job.attempt, &error));
    add_version(store, bot, "y");
    assert_int_equal(lease_many(store, JOB_ANY, &job, 1), 1);
    assert_false(job.is_long);
    StoreCheckResult result = {.failure = "it took too long"};
    assert_ok(store_queue_finish_check(store, check.id, check.attempt, &result, &error));
    assert_int_equal(version_of(store, version).check, CHECK_FAILED);
}

static void a_retired_bot_is_not_checked(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    upload(store, bot, "x");
    assert_ok(store_bot_retire(store, bot, &error));
    StoreJob job;
    assert_int_equal(lease_many(store, JOB_ANY | JOB_LONG, &job, 1), 0);
}

static void a_version_that_is_being_checked_can_be_deleted(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t first = upload(store, bot, "x");
    StoreJob job = lease_check(store);
    upload(store, bot, "y");
    bool needed;
    assert_ok(store_usage_needs_build(store, first, &needed, &error));
    assert_true(needed);
    assert_ok(store_usage_delete(store, first, &error));
    StoreCheckResult result = {.errors = 1};
    assert_result(STORE_CONFLICT,
                  store_queue_finish_check(store, job.id, job.attempt, &result, &error));
    assert_int_equal(version_of(store, first).check, CHECK_NONE);
    assert_ok(store_usage_needs_build(store, first, &needed, &error));
    assert_false(needed);
}

static void reports_and_analyses_are_deleted_with_the_account(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t version = upload(store, bot, "x");
    StoreJob job = lease_check(store);
    StoreCheckResult result = {.errors = 1, .report = slice_of("{}")};
    assert_ok(store_queue_finish_check(store, job.id, job.attempt, &result, &error));
    uint64_t match = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    assert_ok(finish(store, lease_one(store, 1000), "{}", &error));
    uint64_t other = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    assert_ok(finish(store, lease_one(store, 1000), "{}", &error));
    analyse(store, match, "account 1");
    analyse(store, other, "account 2");
    bool over = false;
    while (!over) { /* until it is given up, which is a result too */
        job = lease_analysis(store);
        assert_ok(store_queue_fail(store, job.id, job.attempt, "it died", 0, &over, &error));
    }
    uint64_t given_up = job.subject;
    uint64_t owner = given_up == match ? ada : bob;
    assert_int_equal(number(store, "SELECT count(*) FROM analyses"), 1);
    assert_int_equal(number(store, "SELECT requester FROM analyses"), owner);
    assert_ok(store_account_delete(store, ada, &error));
    assert_int_equal(version_of(store, version).check, CHECK_NONE);
    assert_ok(store_account_delete(store, bob, &error));
    assert_int_equal(number(store, "SELECT count(*) FROM analyses"), 0);
    assert_int_equal(number(store, "SELECT count(*) FROM jobs"), 0);
}

/* ---- analyses ---- */

/* A casual match that is over, with its replay. */
static uint64_t play(Store *store, uint64_t bot) {
    Error error;
    StoreNewSeat seats[2] = {{.bot = bot}, {.label = "draft", .source = add_file(store, "code")}};
    StoreNewMatch match = {.game = "aliens",
                           .map = "",
                           .spec = "{\"seats\":[{},{\"source\":\"code\"}]}",
                           .players = 2,
                           .seats = seats};
    uint64_t id;
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    StoreJob job = lease_one(store, 1000);
    StoreSeatResult results[2] = {{.rank = 1, .status = "alive"}, {.rank = 2, .status = "alive"}};
    StoreMatchResult result = {.reason = "over",
                               .verdict = slice_of("{}"),
                               .replay = add_file(store, "replay"),
                               .players = 2,
                               .seats = results};
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    return id;
}

static void a_match_stays_over_however_its_analysis_ends(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t match = play(store, 0);
    analyse(store, match, "account 1");
    StoreJob job = lease_analysis(store);
    assert_int_equal(job.subject, match);
    assert_int_equal(state_of(store, match), MATCH_OVER);
    assert_ok(store_queue_return(store, job.id, job.attempt, &error));
    assert_int_equal(state_of(store, match), MATCH_OVER);
    job = lease_analysis(store);
    uint32_t count;
    assert_ok(store_queue_recover(store, "here", &count, &error));
    assert_int_equal(count, 1);
    assert_int_equal(state_of(store, match), MATCH_OVER);
    job = lease_analysis(store);
    test_time += 1001; /* the lease expires */
    job = lease_analysis(store);
    assert_int_equal(job.losses, 1);
    assert_int_equal(state_of(store, match), MATCH_OVER);
    bool over;
    assert_ok(store_queue_fail(store, job.id, job.attempt, "it died", 0, &over, &error));
    assert_int_equal(state_of(store, match), MATCH_OVER);
    /* The match is over, so there is nothing to wait for or to cancel. */
    uint32_t ahead;
    assert_result(STORE_NOT_FOUND, store_queue_ahead(store, match, &ahead, &error));
    assert_result(STORE_CONFLICT, store_queue_call_off(store, match, NULL, &error));
    assert_result(STORE_CONFLICT, finish(store, lease_analysis(store), "{}", &error));
    assert_int_equal(state_of(store, match), MATCH_OVER);
}

static void an_analysis_does_not_keep_the_code_of_its_match(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreNewSeat seats[1] = {{.label = "draft", .source = add_file(store, "code")}};
    StoreNewMatch match = {.game = "aliens",
                           .map = "",
                           .spec = "{\"seats\":[{\"source\":\"code\"}]}",
                           .players = 1,
                           .seats = seats};
    uint64_t id;
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    analyse(store, id, "account 1");
    assert_ok(store_queue_call_off(store, id, NULL, &error));
    assert_int_equal(number(store, "SELECT count(*) FROM seats WHERE source <> ''"), 0);
    assert_int_equal(number(store, "SELECT count(*) FROM match_texts WHERE code = 1"), 0);
}

static void an_analysis_is_deleted_with_the_replay(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t first = play(store, 0);
    test_time += 10;
    uint64_t second = play(store, 0);
    analyse(store, first, "account 1");
    analyse(store, second, "account 1");
    uint32_t count;
    assert_ok(store_matches_forget(store, test_time, 10, &count, &error));
    assert_int_equal(count, 1);
    StoreJob jobs[2];
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 2), 1);
    assert_int_equal(jobs[0].subject, second);
}

static void suspending_an_account_cancels_its_analyses_and_those_of_its_bots(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    add_account(store, "bob", ROLE_PLAYER);
    uint64_t hers = add_bot(store, ada, "aliens", "hunter", NULL);
    uint64_t with_her_bot = play(store, hers);
    uint64_t others = play(store, 0);
    uint64_t kept = play(store, 0);
    analyse(store, with_her_bot, "account 2");
    analyse(store, others, "account 1");
    analyse(store, kept, "account 2");
    assert_ok(store_account_suspend(store, ada, true, &error));
    StoreJob jobs[3];
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 3), 1);
    assert_int_equal(jobs[0].subject, kept);
    assert_int_equal(state_of(store, with_her_bot), MATCH_OVER);
    assert_int_equal(number(store, "SELECT count(*) FROM seats WHERE status = 'withdrawn'"), 0);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_version_is_checked_once_it_is_built),
        CASE(the_result_of_another_kind_does_not_finish_a_check),
        CASE(builds_and_casual_matches_of_the_owner_precede_a_check),
        CASE(a_check_that_keeps_failing_does_not_affect_the_build),
        CASE(a_check_is_a_long_job_that_delays_no_short_one),
        CASE(a_retired_bot_is_not_checked),
        CASE(a_version_that_is_being_checked_can_be_deleted),
        CASE(reports_and_analyses_are_deleted_with_the_account),
        CASE(a_match_stays_over_however_its_analysis_ends),
        CASE(an_analysis_does_not_keep_the_code_of_its_match),
        CASE(an_analysis_is_deleted_with_the_replay),
        CASE(suspending_an_account_cancels_its_analyses_and_those_of_its_bots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
