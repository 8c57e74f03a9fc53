/* The queue: which job is next, what a lease is, and that every job has one result whatever its
   holders do. */
#include "base/random.h"
#include "fixture.h"

#include <pthread.h>
#include <sched.h>
#include <time.h>

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

static StoreMatch match_of(Store *store, uint64_t id) {
    Error error;
    StoreMatches matches = {0};
    assert_ok(store_match_get(store, id, &matches, &error));
    StoreMatch match = matches.rows[0];
    match.seats = NULL;
    store_matches_free(&matches);
    return match;
}

static uint32_t lease_many(Store *store, StoreJobKind kinds, StoreJob *jobs, uint32_t wanted) {
    Error error;
    assert_ok(store_queue_lease(store, kinds, "here", 1000, jobs, &wanted, &error));
    return wanted;
}

/* ---- order ---- */

static void requesters_take_turns_and_urgency_breaks_ties(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t expected[6];
    expected[3] = add_match(store, MATCH_LADDER, "aliens", bot, 0);
    expected[5] = add_match(store, MATCH_LADDER, "aliens", bot, 0);
    expected[2] = add_match(store, MATCH_TOURNAMENT, "aliens", bot, 0);
    expected[1] = add_match(store, MATCH_PLAY_NOW, "aliens", bot, 0);
    expected[4] = add_match(store, MATCH_PLAY_NOW, "aliens", bot, 0);
    expected[0] = add_version(store, bot, "x");
    StoreQueueSize size;
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.builds, 1);
    assert_int_equal(size.matches[MATCH_PLAY_NOW], 2);
    assert_int_equal(size.matches[MATCH_TOURNAMENT], 1);
    assert_int_equal(size.matches[MATCH_LADDER], 2);
    assert_int_equal(size.leased, 0);
    uint32_t ahead;
    for (uint32_t i = 1; i < 6; i++) {
        assert_ok(store_queue_ahead(store, expected[i], &ahead, &error));
        assert_int_equal(ahead, i);
    }
    StoreJob jobs[10];
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 2),
                     2); /* in two parts: the order stays the same */
    assert_int_equal(lease_many(store, JOB_ANY, jobs + 2, 8), 4);
    for (uint32_t i = 0; i < 6; i++) {
        assert_int_equal(jobs[i].subject, expected[i]);
        assert_int_equal(jobs[i].kind, i ? JOB_MATCH : JOB_BUILD);
        assert_int_equal(jobs[i].attempt, 1);
        assert_int_equal(jobs[i].expires, test_time + 1000);
    }
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 10), 0);
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.leased, 6);
    assert_result(STORE_NOT_FOUND, store_queue_ahead(store, expected[3], &ahead, &error));
}

/* Queues a casual match of an account, or of a visitor. */
static StoreResult request(Store *store, uint64_t account, uint64_t visitor, uint32_t most,
                           uint64_t *id, Error *error) {
    StoreNewSeat seats[2] = {{.label = "draft"}, {.label = "draft"}};
    StoreNewMatch match = {.game = "aliens",
                           .map = "",
                           .spec = "{}",
                           .requester = account,
                           .visitor = visitor,
                           .most = most,
                           .players = 2,
                           .seats = seats};
    return store_queue_matches(store, &match, 1, id, error);
}

static uint64_t requested(Store *store, uint64_t account, uint64_t visitor) {
    uint64_t id = 0;
    Error error;
    assert_ok(request(store, account, visitor, 0, &id, &error));
    return id;
}

static void the_requester_who_used_the_least_runner_time_is_next(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreJob jobs[4];
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t eve = add_account(store, "eve", ROLE_PLAYER);
    /* A requester with many jobs does not keep other accounts, visitors or the ladder waiting. */
    uint64_t flood[8];
    for (uint32_t i = 0; i < 8; i++)
        flood[i] = requested(store, eve, 0);
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 1), 1);
    assert_int_equal(jobs[0].subject, flood[0]);
    uint64_t hers = requested(store, ada, 0);
    uint64_t visitors = requested(store, 0, 77);
    uint64_t ranked = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    assert_int_equal(lease_many(store, JOB_ANY, jobs + 1, 3), 3);
    assert_int_equal(jobs[1].subject, hers);
    assert_int_equal(jobs[2].subject, visitors);
    assert_int_equal(jobs[3].subject, ranked);
    /* The time that a job used counts, however the job ended. */
    for (uint32_t i = 1; i < 4; i++) {
        test_time += 100;
        if (i == 2)
            assert_ok(store_queue_call_off(store, visitors, NULL, &error));
        else
            assert_ok(store_queue_return(store, jobs[i].id, jobs[i].attempt, &error));
    }
    requested(store, 0, 77);
    visitors = requested(store, 0, 78); /* another visitor */
    assert_int_equal(lease_many(store, JOB_ANY, jobs + 1, 3), 3);
    assert_int_equal(jobs[1].subject, visitors);
    assert_int_equal(jobs[2].subject, hers);
    assert_int_equal(jobs[3].kind, JOB_MATCH);
    assert_int_not_equal(jobs[3].subject, flood[1]); /* eve's first one still runs */
}

static void used_runner_time_counts_less_as_time_passes(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreJob job;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t eve = add_account(store, "eve", ROLE_PLAYER);
    requested(store, eve, 0);
    job = lease_one(store, 100000);
    test_time += 60000;
    assert_ok(finish(store, job, "{}", &error));
    requested(store, ada, 0);
    job = lease_one(store, 100000);
    test_time += 5000;
    assert_ok(finish(store, job, "{}", &error));
    uint64_t first = requested(store, eve, 0); /* eve has used more, ... */
    uint64_t second = requested(store, ada, 0);
    job = lease_one(store, 1000);
    assert_int_equal(job.subject, second);
    assert_ok(store_queue_return(store, job.id, job.attempt, &error));
    test_time += 11 * 60000; /* ... but that was long ago: the older job is next */
    job = lease_one(store, 1000);
    assert_int_equal(job.subject, first);
}

static void waiting_and_running_matches_per_requester_are_limited(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    assert_ok(request(store, ada, 0, 2, &id, &error));
    StoreJob job = lease_one(store, 1000);
    assert_ok(request(store, ada, 0, 2, &id, &error));
    assert_result(STORE_BUSY, request(store, ada, 0, 2, &id, &error)); /* one of them runs */
    assert_says(&error, "2 of your matches are waiting or running");
    assert_ok(request(store, 0, 5, 1, &id, &error)); /* visitors are limited by address */
    assert_result(STORE_BUSY, request(store, 0, 5, 1, &id, &error));
    assert_ok(request(store, 0, 6, 1, &id, &error));
    assert_ok(finish(store, job, "{}", &error));
    assert_ok(request(store, ada, 0, 2, &id, &error));
}

/* Otherwise, requesters with long jobs would cause the jobs of others to be interrupted. */
static void a_job_yields_only_to_requesters_without_a_running_job(void **state) {
    Store *store = store_of(state);
    Error error;
    bool wait;
    requested(store, add_account(store, "ada", ROLE_PLAYER), 0);
    StoreJob long_one = lease_one(store, 1000);
    requested(store, 0, 1);
    StoreJob job = lease_one(store, 1000);
    requested(store, match_of(store, long_one.subject).requester, 0);
    assert_ok(store_queue_others_wait(store, job.id, &wait, &error));
    assert_false(wait);
    requested(store, 0, 2);
    assert_ok(store_queue_others_wait(store, job.id, &wait, &error));
    assert_true(wait);
}

static void an_interrupted_job_is_leased_only_as_a_long_one(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreJob jobs[2];
    bool wait;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t id = requested(store, ada, 0);
    StoreJob job = lease_one(store, 1000);
    requested(store, ada, 0);
    assert_ok(store_queue_others_wait(store, job.id, &wait, &error));
    assert_false(wait); /* only its own requester waits */
    requested(store, 0, 1);
    assert_ok(store_queue_others_wait(store, job.id, &wait, &error));
    assert_true(wait);
    assert_false(job.is_long);
    assert_ok(store_queue_interrupt(store, job.id, job.attempt, &error));
    assert_int_equal(match_of(store, id).state, MATCH_WAITING);
    /* This job and the others of its requester wait for a runner for long jobs. */
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 2), 1);
    assert_int_not_equal(jobs[0].subject, id);
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 2), 0);
    assert_int_equal(lease_many(store, JOB_ANY | JOB_LONG, jobs, 2), 2);
    assert_int_equal(jobs[0].subject, id);
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(jobs[i].is_long);
        assert_int_equal(jobs[i].losses, 0);
    }
    /* Ten minutes later, this is forgotten. */
    for (uint32_t i = 0; i < 2; i++)
        assert_ok(store_queue_call_off(store, jobs[i].subject, NULL, &error));
    test_time += 11 * 60000;
    id = requested(store, ada, 0);
    job = lease_one(store, 1000);
    assert_int_equal(job.subject, id);
    assert_false(job.is_long);
}

static void a_dispatcher_gets_only_the_kinds_it_asks_for(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    add_version(store, bot, "x");
    add_match(store, MATCH_LADDER, "aliens", bot, 0);
    StoreJob jobs[4];
    assert_int_equal(lease_many(store, JOB_MATCH, jobs, 4), 1);
    assert_int_equal(jobs[0].kind, JOB_MATCH);
    assert_int_equal(lease_many(store, JOB_BUILD, jobs, 4), 1);
    assert_int_equal(jobs[0].kind, JOB_BUILD);
    /* A build does not accept the result of a match. */
    assert_result(STORE_CONFLICT, finish(store, jobs[0], "{}", &error));
}

static void matches_with_people_are_leased_separately(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ids[2];
    StoreNewSeat seats[1] = {{.label = "ada (in person)"}};
    StoreNewMatch match = {
        .game = "aliens", .map = "", .spec = "{}", .players = 1, .seats = seats, .person = true};
    assert_ok(store_queue_matches(store, &match, 1, &ids[0], &error));
    assert_ok(store_queue_matches(store, &match, 1, &ids[1], &error));
    uint64_t other = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    uint32_t ahead;
    assert_ok(store_queue_ahead(store, ids[1], &ahead, &error));
    assert_int_equal(ahead, 1);
    assert_ok(store_queue_ahead(store, other, &ahead, &error));
    assert_int_equal(ahead, 0);
    StoreQueueSize size;
    add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.matches[MATCH_PLAY_NOW], 1);
    assert_int_equal(size.people, 2);
    StoreJob jobs[4];
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 4), 2);
    assert_int_equal(lease_many(store, JOB_PERSON, jobs, 4), 2);
    assert_int_equal(jobs[0].subject, ids[0]);
    assert_int_equal(jobs[0].kind, JOB_MATCH);
}

static void matches_with_remote_players_are_leased_only_on_request(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ids[2];
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    StoreNewSeat seats[1] = {{.label = "ada (remote)"}};
    StoreNewMatch match = {.game = "aliens",
                           .map = "",
                           .spec = "{}",
                           .requester = ada,
                           .players = 1,
                           .seats = seats,
                           .remote = true};
    for (uint32_t i = 0; i < 2; i++)
        assert_ok(store_queue_matches(store, &match, 1, &ids[i], &error));
    uint64_t other = requested(store, ada, 0);
    uint32_t ahead;
    assert_ok(store_queue_ahead(store, other, &ahead, &error));
    assert_int_equal(ahead, 2);
    StoreQueueSize size;
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.matches[MATCH_PLAY_NOW], 3);
    /* They count towards the limit like other casual matches. */
    uint64_t id;
    assert_result(STORE_BUSY, request(store, ada, 0, 3, &id, &error));
    StoreJob jobs[4];
    assert_int_equal(lease_many(store, JOB_REMOTE, jobs, 1), 1);
    assert_int_equal(jobs[0].subject, ids[0]);
    assert_int_equal(jobs[0].kind, JOB_MATCH);
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 4), 1);
    assert_int_equal(jobs[0].subject, other);
    assert_int_equal(lease_many(store, JOB_ANY | JOB_REMOTE, jobs, 4), 1);
    assert_int_equal(jobs[0].subject, ids[1]);
}

static uint32_t queued(Store *store, uint64_t version) {
    StoreQueuedVersion rows[4];
    uint32_t count = 4;
    Error error;
    assert_ok(store_queue_ladder(store, rows, &count, &error));
    for (uint32_t i = 0; i < count; i++)
        if (rows[i].version == version)
            return rows[i].seats;
    return 0;
}

static void the_ladder_knows_which_bots_have_matches_left_to_play(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ids[3];
    uint64_t id;
    uint64_t bots[2];
    uint64_t versions[2];
    StoreNewSeat person = {.label = "ada (in person)"};
    StoreNewMatch other = {
        .game = "aliens", .map = "", .spec = "", .players = 1, .seats = &person, .person = true};
    StoreJob jobs[3];
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    for (int i = 0; i < 2; i++)
        bots[i] = add_bot(store, ada, "aliens", i ? "second" : "first", &versions[i]);
    StoreNewSeat seats[2] = {{.bot = bots[0], .version = versions[0]},
                             {.bot = bots[1], .version = versions[1]}};
    StoreNewMatch match = {.kind = MATCH_LADDER,
                           .game = "aliens",
                           .map = "",
                           .spec = "",
                           .players = 2,
                           .seats = seats};
    StoreNewMatch matches[3] = {match, match, match};
    matches[2].players = 1;
    assert_ok(store_queue_matches(store, matches, 3, ids, &error));
    match.kind = MATCH_PLAY_NOW; /* casual matches do not count */
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    assert_int_equal(queued(store, versions[0]), 3);
    assert_int_equal(queued(store, versions[1]), 2);
    /* A person may play for hours; the ladder's count does not depend on it. */
    assert_ok(store_queue_matches(store, &other, 1, &id, &error));
    assert_int_equal(lease_many(store, JOB_PERSON, jobs, 1), 1);
    assert_int_equal(lease_many(store, JOB_ANY, jobs, 3), 3);
    assert_int_equal(queued(store, versions[0]), 3); /* being played, and waiting */
    assert_ok(store_queue_call_off(store, ids[1], NULL, &error));
    assert_int_equal(queued(store, versions[0]), 2);
    assert_int_equal(queued(store, versions[1]), 1);
    assert_ok(store_queue_call_off(store, ids[2], NULL, &error));
    assert_int_equal(queued(store, versions[0]), 1);
    assert_ok(store_bot_retire(store, bots[1], &error));
    assert_int_equal(queued(store, versions[0]), 0);
}

/* ---- leases ---- */

static void a_result_is_stored_with_its_match(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_PLAY_NOW, "aliens", 0, 0);
    assert_int_equal(match_of(store, id).state, MATCH_WAITING);
    StoreJob job = lease_one(store, 1000);
    assert_int_equal(match_of(store, id).state, MATCH_PLAYING);
    test_time += 40;
    assert_ok(finish(store, job, "{\"verdict\":1}", &error));
    StoreMatches matches = {0};
    assert_ok(store_match_get(store, id, &matches, &error));
    const StoreMatch *match = matches.rows;
    assert_int_equal(match->state, MATCH_OVER);
    assert_int_equal(match->ended - match->started, 40);
    assert_int_equal(match->turns, 41);
    assert_true(match->seed == UINT64_MAX);
    assert_int_equal(match->result, 1);
    assert_string_equal(match->reason, "all enemies gone");
    assert_int_equal(match->players, 2);
    assert_string_equal(match->seats[0].name, "visitor");
    assert_int_equal(match->seats[0].rank, 1);
    assert_true(match->seats[0].scored);
    assert_int_equal(match->seats[0].score, -7);
    assert_false(match->seats[1].scored);
    assert_string_equal(match->seats[1].status, "crashed");
    assert_string_equal(match->seats[1].failure, "it ended with status 1");
    store_matches_free(&matches);
    Buffer text = {0};
    assert_ok(store_match_verdict(store, id, &text, &error));
    assert_ok(store_match_spec(store, id, &text, &error));
    assert_string_equal(buffer_string(&text), "{\"verdict\":1}{\"spec\":1}");
    buffer_free(&text);
}

static void the_code_in_a_spec_is_deleted_when_its_match_ends(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id;
    StoreNewSeat seats[2] = {{.label = "draft"}, {.label = "visitor"}};
    StoreNewMatch match = {.game = "aliens",
                           .map = "",
                           .spec = "{\"source\":1,\"n\":[1.50,null,true,\"\\u00e9\"],\"seats\":"
                                   "[{\"name\":\"a\",\"language\":\"c\",\"source\":\"int x;\"},"
                                   "{\"archive\":\"UEs=\",\"time\":{\"source\":2}}]}",
                           .players = 2,
                           .seats = seats};
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    StoreJob job = lease_one(store, 1000);
    Buffer spec = {0};
    assert_ok(store_match_spec(store, id, &spec, &error));
    assert_string_equal(buffer_string(&spec), match.spec);
    assert_ok(finish(store, job, "{}", &error));
    buffer_clear(&spec);
    assert_ok(store_match_spec(store, id, &spec, &error));
    assert_string_equal(buffer_string(&spec),
                        "{\"source\":1,\"n\":[1.50,null,true,\"\u00e9\"],\"seats\":"
                        "[{\"name\":\"a\"},{\"time\":{\"source\":2}}]}");
    buffer_free(&spec);
}

static void a_second_result_is_refused(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob job = lease_one(store, 1000);
    assert_ok(finish(store, job, "first", &error));
    assert_result(STORE_CONFLICT, finish(store, job, "second", &error));
    assert_string_equal(
        error.text, "job 1 is not leased as attempt 1; it was finished, cancelled or leased again");
    Buffer verdict = {0};
    assert_ok(store_match_verdict(store, id, &verdict, &error));
    assert_string_equal(buffer_string(&verdict), "first");
    buffer_free(&verdict);
    assert_int_equal(match_of(store, id).result, 1);
}

static void an_expired_lease_passes_on_and_its_late_result_is_refused(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob first = lease_one(store, 1000);
    test_time += 999;
    StoreJob none;
    assert_int_equal(lease_many(store, JOB_ANY, &none, 1), 0);
    test_time += 1;
    StoreJob second = lease_one(store, 1000);
    assert_int_equal(second.id, first.id);
    assert_int_equal(second.attempt, 2);
    assert_int_equal(second.losses, 1);
    assert_result(STORE_CONFLICT, finish(store, first, "late", &error));
    assert_result(STORE_CONFLICT,
                  store_queue_extend(store, first.id, first.attempt, 1000, NULL, &error));
    assert_result(STORE_CONFLICT, store_queue_return(store, first.id, first.attempt, &error));
    assert_int_equal(match_of(store, id).state, MATCH_PLAYING);
    assert_ok(finish(store, second, "in time", &error));
    Buffer verdict = {0};
    assert_ok(store_match_verdict(store, id, &verdict, &error));
    assert_string_equal(buffer_string(&verdict), "in time");
    buffer_free(&verdict);
}

static void a_late_result_is_accepted_while_nobody_else_has_the_job(void **state) {
    Store *store = store_of(state);
    Error error;
    add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob job = lease_one(store, 1000);
    test_time += 5000;
    assert_ok(finish(store, job, "{}", &error));
}

static void a_lease_can_be_extended(void **state) {
    Store *store = store_of(state);
    Error error;
    add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob job = lease_one(store, 1000);
    test_time += 900;
    assert_ok(store_queue_extend(store, job.id, job.attempt, 1000, NULL, &error));
    test_time += 900;
    StoreJob none;
    assert_int_equal(lease_many(store, JOB_ANY, &none, 1), 0);
}

static void returning_a_job_counts_as_an_attempt_but_not_as_a_failure(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    for (uint32_t i = 1; i <= 10; i++) {
        StoreJob job = lease_one(store, 1000);
        assert_int_equal(job.attempt, i);
        assert_int_equal(job.losses, 0);
        assert_ok(store_queue_return(store, job.id, job.attempt, &error));
        assert_int_equal(match_of(store, id).state, MATCH_WAITING);
        assert_result(STORE_CONFLICT, finish(store, job, "{}", &error));
    }
}

static void after_a_restart_a_holder_returns_its_jobs(void **state) {
    Store *store = store_of(state);
    Error error;
    for (int i = 0; i < 3; i++)
        add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob jobs[2];
    uint32_t count = 2;
    assert_ok(store_queue_lease(store, JOB_ANY, "serve", 1000, jobs, &count, &error));
    StoreJob other = lease_one(store, 1000); /* held by "here" */
    assert_ok(store_queue_recover(store, "serve", &count, &error));
    assert_int_equal(count, 2);
    assert_int_equal(match_of(store, jobs[1].subject).state, MATCH_WAITING);
    assert_int_equal(match_of(store, other.subject).state, MATCH_PLAYING);
    StoreJob again[3];
    assert_int_equal(lease_many(store, JOB_ANY, again, 3), 2);
    assert_int_equal(again[0].losses, 0);
    assert_result(STORE_CONFLICT, finish(store, jobs[0], "{}", &error));
}

/* ---- giving up ---- */

static void a_job_that_keeps_failing_is_given_up_with_the_reason(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    bool over;
    for (int i = 0; i < QUEUE_LOSSES_MAX; i++) {
        StoreJob job = lease_one(store, 1000);
        assert_ok(
            store_queue_fail(store, job.id, job.attempt, "the runner died", 0, &over, &error));
        assert_int_equal(over, i == QUEUE_LOSSES_MAX - 1);
    }
    StoreMatch match = match_of(store, id);
    assert_int_equal(match.state, MATCH_GIVEN_UP);
    assert_string_equal(match.reason, "given up after 3 attempts; the last one: the runner died");
    StoreJob none;
    assert_int_equal(lease_many(store, JOB_ANY, &none, 1), 0);
}

static void a_job_that_failed_temporarily_is_delayed(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    bool over;
    StoreJob job = lease_one(store, 1000);
    assert_ok(store_queue_fail(store, job.id, job.attempt, "no files", 5000, &over, &error));
    assert_false(over);
    assert_int_equal(match_of(store, id).state, MATCH_WAITING);
    StoreJob again;
    test_time += 4999;
    assert_int_equal(lease_many(store, JOB_ANY, &again, 1), 0);
    test_time++;
    assert_int_equal(lease_many(store, JOB_ANY, &again, 1), 1);
    assert_int_equal(again.id, job.id);
    assert_int_equal(again.losses, 1); /* resting did not count as a failure */
    /* After the last failure, the job does not rest but ends at once. */
    for (int i = 1; i < QUEUE_LOSSES_MAX; i++) {
        assert_ok(
            store_queue_fail(store, again.id, again.attempt, "no files", 60000, &over, &error));
        assert_int_equal(over, i == QUEUE_LOSSES_MAX - 1);
        test_time += 60000;
        assert_int_equal(lease_many(store, JOB_ANY, &again, 1), !over);
    }
    assert_int_equal(match_of(store, id).state, MATCH_GIVEN_UP);
}

static void a_job_whose_holders_stop_responding_is_given_up(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t version = add_version(store, bot, "x");
    StoreJob job;
    for (int i = 0; i < QUEUE_LOSSES_MAX; i++) {
        assert_int_equal(lease_many(store, JOB_ANY, &job, 1), 1);
        test_time += 1000;
    }
    assert_int_equal(lease_many(store, JOB_ANY, &job, 1), 0);
    StoreVersion row;
    assert_ok(store_version_get(store, version, &row, &error));
    assert_int_equal(row.build, BUILD_FAILED);
    Buffer log = {0};
    assert_ok(store_version_log(store, version, &log, &error));
    assert_string_equal(
        buffer_string(&log),
        "given up after 3 attempts; the last one: its process did not respond in time");
    buffer_free(&log);
}

static void a_cancelled_match_accepts_no_result(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob job = lease_one(store, 1000);
    assert_ok(store_queue_call_off(store, id, "it rains", &error));
    assert_result(STORE_CONFLICT, finish(store, job, "{}", &error));
    assert_result(STORE_CONFLICT, store_queue_call_off(store, id, NULL, &error));
    StoreMatches matches = {0};
    assert_ok(store_match_get(store, id, &matches, &error));
    assert_string_equal(matches.rows[0].reason, "it rains");
    store_matches_free(&matches);
    assert_int_equal(match_of(store, id).state, MATCH_CALLED_OFF);
}

/* ---- refusals ---- */

static void a_result_with_a_missing_seat_changes_nothing(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob job = lease_one(store, 1000);
    StoreSeatResult seat = {.rank = 1, .status = "alive"};
    StoreMatchResult result = {.reason = "", .players = 1, .seats = &seat};
    assert_result(STORE_REJECTED,
                  store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    assert_says(&error, "has 2 players, but the result has 1");
    assert_int_equal(match_of(store, id).state, MATCH_PLAYING);
    assert_ok(finish(store, job, "{}", &error));
}

static void a_result_with_an_unknown_replay_is_refused(void **state) {
    Store *store = store_of(state);
    Error error;
    add_match(store, MATCH_LADDER, "aliens", 0, 0);
    StoreJob job = lease_one(store, 1000);
    StoreSeatResult seats[2] = {{.rank = 1, .status = ""}, {.rank = 2, .status = ""}};
    StoreMatchResult result = {.reason = "", .players = 2, .seats = seats};
    memset(result.replay.name, 'b', 64);
    assert_result(STORE_REJECTED,
                  store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    result.replay = add_file(store, "a replay");
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    assert_string_equal(match_of(store, job.subject).replay.name, result.replay.name);
}

/* Plays a match that this account requested, or no account if it is 0; returns the match's id. */

static uint64_t play_for(Store *store, StoreMatchKind kind, uint64_t account, int64_t bytes) {
    Error error;
    uint64_t id = 0;
    StoreNewSeat nobody[2] = {{.label = "draft"}, {.label = "draft"}};
    StoreNewMatch match = {.kind = kind,
                           .game = "aliens",
                           .map = "",
                           .spec = "{}",
                           .requester = account,
                           .players = 2,
                           .seats = nobody};
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    StoreJob job = lease_one(store, 1000);
    StoreSeatResult seats[2] = {{.rank = 1, .status = ""}, {.rank = 2, .status = ""}};
    StoreMatchResult result = {.reason = "", .players = 2, .seats = seats, .replay_bytes = bytes};
    result.replay = add_file(store, "a replay");
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    return id;
}

static uint64_t play_with_replay(Store *store, StoreMatchKind kind, int64_t bytes) {
    return play_for(store, kind, 0, bytes);
}

static void the_oldest_casual_replays_of_an_account_beyond_the_limit_are_dropped(void **state) {
    Store *store = store_of(state);
    Error error;
    uint32_t count = 0;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t visitors = play_for(store, MATCH_PLAY_NOW, 0, 100);
    uint64_t his = play_for(store, MATCH_PLAY_NOW, bob, 20);
    uint64_t hers[3];
    for (int i = 0; i < 3; i++)
        hers[i] = play_for(store, MATCH_PLAY_NOW, ada, 10);
    assert_ok(store_matches_forget_casual(store, 30, 10, &count, &error));
    assert_int_equal(count, 0);
    assert_ok(store_matches_forget_casual(store, 20, 10, &count, &error));
    assert_int_equal(count, 1);
    for (int i = 0; i < 3; i++)
        assert_int_equal(match_of(store, hers[i]).replay.name[0] != '\0', i > 0);
    assert_true(match_of(store, his).replay.name[0]);
    assert_true(match_of(store, visitors).replay.name[0]);
}

static void the_oldest_replays_of_visitors_beyond_the_limit_are_dropped(void **state) {
    Store *store = store_of(state);
    Error error;
    uint32_t count = 0;
    uint64_t ranked = play_with_replay(store, MATCH_LADDER, 100);
    uint64_t matches[3];
    for (int i = 0; i < 3; i++)
        matches[i] = play_with_replay(store, MATCH_PLAY_NOW, 10);
    assert_ok(store_matches_forget_visitors(store, 30, 10, &count, &error));
    assert_int_equal(count, 0);
    assert_ok(store_matches_forget_visitors(store, 15, 10, &count, &error));
    assert_int_equal(count, 2);
    for (int i = 0; i < 3; i++)
        assert_int_equal(match_of(store, matches[i]).replay.name[0] != '\0', i == 2);
    assert_true(match_of(store, ranked).replay.name[0]);
}

static void a_tournament_has_each_fixture_once(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_ORGANISER);
    StoreNewTournament tournament = {
        .organiser = ada, .name = "Cup", .game = "aliens", .format = "swiss", .plan = ""};
    uint64_t cup;
    assert_ok(store_tournament_add(store, &tournament, &cup, &error));
    StoreNewSeat seat = {.label = "one"};
    StoreNewMatch matches[2] = {
        {.kind = MATCH_TOURNAMENT,
         .tournament = cup,
         .fixture = 1,
         .game = "aliens",
         .map = "",
         .spec = "",
         .players = 1,
         .seats = &seat},
        {.kind = MATCH_TOURNAMENT,
         .tournament = cup,
         .fixture = 1,
         .leg = 1,
         .game = "aliens",
         .map = "",
         .spec = "",
         .players = 1,
         .seats = &seat},
    };
    uint64_t ids[2];
    assert_ok(store_queue_matches(store, matches, 2, ids, &error));
    matches[0].fixture = 2;
    assert_result(STORE_CONFLICT, store_queue_matches(store, matches, 2, ids, &error));
    assert_string_equal(error.text, "leg 1 of fixture 1 is already in the tournament");
    StoreQueueSize size;
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.matches[MATCH_TOURNAMENT], 2); /* all, or none */
}

static void code_without_a_bot_is_kept_until_its_match_is_over(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreNewSeat seat = {.label = "visitor", .source = add_file(store, "typed in")};
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .game = "aliens",
                           .map = "",
                           .spec = "",
                           .players = 1,
                           .seats = &seat};
    uint64_t ids[3];
    StoreNewMatch matches[3] = {match, match, match};
    assert_ok(store_queue_matches(store, matches, 3, ids, &error));
    int64_t before = test_time;
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t swept;
        test_time = INT64_MAX / 2;
        assert_ok(store_files_sweep(store, 0, &swept, &error));
        assert_int_equal(swept, 0);
        test_time = before;
        StoreMatches found = {0};
        assert_ok(store_match_get(store, ids[i], &found, &error));
        assert_string_equal(found.rows[0].seats[0].source.name, seat.source.name);
        StoreSeatResult ranks[1] = {{.rank = 1, .status = ""}};
        StoreMatchResult result = {.reason = "", .players = 1, .seats = ranks};
        bool over = false;
        if (i == 0) {
            StoreJob job = lease_one(store, 1000);
            assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
        } else if (i == 1) {
            assert_ok(store_queue_call_off(store, ids[1], NULL, &error));
        }
        while (i == 2 && !over) {
            StoreJob job = lease_one(store, 1000);
            assert_ok(store_queue_fail(store, job.id, job.attempt, "tripped", 0, &over, &error));
        }
        assert_ok(store_match_get(store, ids[i], &found, &error));
        assert_string_equal(found.rows[0].seats[0].source.name, "");
        store_matches_free(&found);
    }
    uint32_t swept;
    test_time = INT64_MAX / 2;
    assert_ok(store_files_sweep(store, 0, &swept, &error));
    assert_int_equal(swept, 1);
    assert_result(STORE_REJECTED, store_queue_matches(store, matches, 1, ids, &error));
}

/* Two matches share a replay file, which happens if their moves are the same. The file is deleted
   with the last of them. */
static void old_replays_are_dropped_except_those_of_tournaments(void **state) {
    Store *store = store_of(state);
    Error error;
    static const StoreMatchKind kinds[] = {MATCH_LADDER, MATCH_TOURNAMENT, MATCH_PLAY_NOW,
                                           MATCH_LADDER, MATCH_LADDER};
    static const char *const replays[] = {"same", "cup", "mine", "other", "same"};
    enum { COUNT = sizeof kinds / sizeof *kinds };
    uint64_t ids[COUNT];
    int64_t began = test_time;
    for (uint32_t i = 0; i < COUNT; i++) {
        StoreSeatResult seats[2] = {{.rank = 1, .status = ""}, {.rank = 2, .status = ""}};
        StoreMatchResult result = {.turns = 9,
                                   .reason = "score",
                                   .replay = add_file(store, replays[i]),
                                   .players = 2,
                                   .seats = seats};
        ids[i] = add_match(store, kinds[i], "aliens", 0, 0);
        test_time = began + i * 10;
        StoreJob job = lease_one(store, 1000);
        assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    }
    /* Each step forgets the replays of matches before a time, at most `limit` of them. */
    static const struct {
        int64_t before;
        uint32_t limit;
        uint32_t gone;
        const char *kept;
    } steps[] = {{0, 9, 0, "11111"},  {10, 1, 1, "01111"}, {40, 1, 1, "01011"},
                 {40, 9, 1, "01001"}, {40, 9, 0, "01001"}, {41, 9, 1, "01000"}};
    for (size_t step = 0; step < sizeof steps / sizeof *steps; step++) {
        uint32_t count;
        assert_ok(store_matches_forget(store, began + steps[step].before, steps[step].limit, &count,
                                       &error));
        assert_int_equal(count, steps[step].gone);
        uint32_t swept;
        test_time = INT64_MAX / 2;
        assert_ok(store_files_sweep(store, 0, &swept, &error));
        assert_ok(store_check(store, &error)); /* all files that rows name exist */
        char kept[COUNT + 1] = "";
        StoreMatches found = {0};
        for (uint32_t i = 0; i < COUNT; i++) {
            assert_ok(store_match_get(store, ids[i], &found, &error));
            assert_int_equal(found.rows[0].turns, 9);
            kept[i] = found.rows[0].replay.name[0] ? '1' : '0';
        }
        store_matches_free(&found);
        assert_string_equal(kept, steps[step].kept);
        assert_int_equal(swept, (step == 2 || step == 3 || step == 5));
    }
}

/* ---- many at once ---- */

enum { THREADS = 6, MATCHES = 400, ROUNDS_MAX = 200000 };

typedef struct Crowd {
    Store *store;
    uint64_t seed;
    _Atomic uint32_t accepted[MATCHES + 1]; /* results, by match */
    _Atomic uint32_t last[MATCHES + 1];     /* attempt that was accepted */
    _Atomic uint32_t left;
    _Atomic bool wrong;
} Crowd;

typedef struct Member {
    Crowd *crowd;
    uint32_t number;
} Member;

static void try_finish(Crowd *crowd, StoreJob job) {
    Error error = {0};
    char verdict[32];
    snprintf(verdict, sizeof verdict, "attempt %u", job.attempt);
    StoreResult result = finish(crowd->store, job, verdict, &error);
    if (result == STORE_OK) {
        crowd->accepted[job.subject]++;
        crowd->last[job.subject] = job.attempt;
        crowd->left--;
    } else if (result != STORE_CONFLICT) {
        fprintf(stderr, "%s\n", error.text);
        crowd->wrong = true;
    }
}

/* Does one of the things, good or bad, that a holder can do to a job. */
static void handle(Crowd *crowd, Random *random, StoreJob job) {
    Error error = {0};
    bool over = false;
    switch (random_below(random, 8)) {
    case 0: /* finishes it late */
        test_time += 20;
        sched_yield();
        try_finish(crowd, job);
        break;
    case 1: /* never answers */
        test_time += 20;
        break;
    case 2:
        store_queue_return(crowd->store, job.id, job.attempt, &error);
        break;
    case 3:
        if (random_below(random, 4) == 0 &&
            store_queue_fail(crowd->store, job.id, job.attempt, "tripped", 0, &over, &error) ==
                STORE_OK &&
            over)
            crowd->left--;
        break;
    case 4: /* finishes it twice */
        try_finish(crowd, job);
        try_finish(crowd, job);
        break;
    case 5:
        store_queue_extend(crowd->store, job.id, job.attempt, 1000, NULL, &error);
        try_finish(crowd, job);
        break;
    default:
        try_finish(crowd, job);
    }
}

static void *take_part(void *context) {
    Member *member = context;
    Crowd *crowd = member->crowd;
    Random random = random_seeded(crowd->seed + member->number);
    for (uint32_t round = 0; round < ROUNDS_MAX && !crowd->wrong; round++) {
        StoreJob jobs[4];
        uint32_t count = 1 + random_below(&random, 4);
        Error error = {0};
        if (store_queue_lease(crowd->store, JOB_ANY, "crowd", 100, jobs, &count, &error) !=
            STORE_OK) {
            fprintf(stderr, "%s\n", error.text);
            crowd->wrong = true;
        }
        for (uint32_t i = 0; i < count; i++)
            handle(crowd, &random, jobs[i]);
        StoreQueueSize size;
        if (!count) {
            test_time += 10; /* so that the leases of forgotten jobs expire */
            if (store_queue_size(crowd->store, &size, &error) == STORE_OK && !size.leased &&
                !size.matches[MATCH_LADDER])
                break;
        }
    }
    return NULL;
}

static void every_match_has_one_result_whatever_its_holders_do(void **state) {
    Store *store = store_of(state);
    static Crowd crowd;
    const char *chosen = getenv("STORE_SEED");
    crowd =
        (Crowd){.store = store, .seed = chosen ? strtoull(chosen, NULL, 10) : (uint64_t)time(NULL)};
    print_message("STORE_SEED=%llu\n", (unsigned long long)crowd.seed);
    for (int i = 0; i < MATCHES; i++)
        add_match(store, MATCH_LADDER, "aliens", 0, 0);
    pthread_t threads[THREADS];
    Member members[THREADS];
    for (uint32_t i = 0; i < THREADS; i++) {
        members[i] = (Member){&crowd, i};
        assert_int_equal(pthread_create(&threads[i], NULL, take_part, &members[i]), 0);
    }
    for (uint32_t i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_false(crowd.wrong);
    Error error;
    uint32_t given_up = 0;
    for (uint64_t id = 1; id <= MATCHES; id++) {
        StoreMatch match = match_of(store, id);
        if (match.state == MATCH_GIVEN_UP) {
            given_up++;
            assert_int_equal(crowd.accepted[id], 0);
            continue;
        }
        assert_int_equal(match.state, MATCH_OVER);
        assert_int_equal(crowd.accepted[id], 1);
        char expected[32];
        snprintf(expected, sizeof expected, "attempt %u", crowd.last[id]);
        Buffer verdict = {0};
        assert_ok(store_match_verdict(store, id, &verdict, &error));
        assert_string_equal(buffer_string(&verdict), expected);
        buffer_free(&verdict);
    }
    /* The results are numbered without gaps, in the order of the list. */
    StoreMatches matches = {0};
    uint64_t next = 0;
    do {
        assert_ok(store_matches_results(store, "aliens", next, 37, &matches, &error));
        for (uint32_t i = 0; i < matches.count; i++)
            assert_int_equal(matches.rows[i].result, ++next);
    } while (matches.count);
    assert_int_equal(next, MATCHES - given_up);
    assert_true(given_up < MATCHES / 2); /* each must have failed three times */
    store_matches_free(&matches);
    assert_ok(store_check(store, &error));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(requesters_take_turns_and_urgency_breaks_ties),
        CASE(the_requester_who_used_the_least_runner_time_is_next),
        CASE(used_runner_time_counts_less_as_time_passes),
        CASE(waiting_and_running_matches_per_requester_are_limited),
        CASE(a_job_yields_only_to_requesters_without_a_running_job),
        CASE(an_interrupted_job_is_leased_only_as_a_long_one),
        CASE(a_dispatcher_gets_only_the_kinds_it_asks_for),
        CASE(matches_with_people_are_leased_separately),
        CASE(matches_with_remote_players_are_leased_only_on_request),
        CASE(the_ladder_knows_which_bots_have_matches_left_to_play),
        CASE(a_result_is_stored_with_its_match),
        CASE(the_code_in_a_spec_is_deleted_when_its_match_ends),
        CASE(a_second_result_is_refused),
        CASE(an_expired_lease_passes_on_and_its_late_result_is_refused),
        CASE(a_late_result_is_accepted_while_nobody_else_has_the_job),
        CASE(a_lease_can_be_extended),
        CASE(returning_a_job_counts_as_an_attempt_but_not_as_a_failure),
        CASE(after_a_restart_a_holder_returns_its_jobs),
        CASE(a_job_that_keeps_failing_is_given_up_with_the_reason),
        CASE(a_job_that_failed_temporarily_is_delayed),
        CASE(a_job_whose_holders_stop_responding_is_given_up),
        CASE(a_cancelled_match_accepts_no_result),
        CASE(a_result_with_a_missing_seat_changes_nothing),
        CASE(a_result_with_an_unknown_replay_is_refused),
        CASE(the_oldest_casual_replays_of_an_account_beyond_the_limit_are_dropped),
        CASE(the_oldest_replays_of_visitors_beyond_the_limit_are_dropped),
        CASE(a_tournament_has_each_fixture_once),
        CASE(code_without_a_bot_is_kept_until_its_match_is_over),
        CASE(old_replays_are_dropped_except_those_of_tournaments),
        CASE(every_match_has_one_result_whatever_its_holders_do),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
