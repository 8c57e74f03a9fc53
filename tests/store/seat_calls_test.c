/* Seats of remote players that several front ends share: only the front end that owns a match
   leases it, and the others ask the owner. Only PostgreSQL has rows of seats. */
#include "fixture.h"

enum { LEASE_MS = 60000, NOBODY = 77 };

static uint64_t add_owned(Store *store, const char *owner) {
    Error error;
    uint64_t id = 0;
    const StoreNewSeat seats[2] = {{.label = "ann (remote)"}, {.label = "visitor"}};
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .remote = true,
                           .owner = owner,
                           .game = "aliens",
                           .map = "plain",
                           .spec = "{}",
                           .players = 2,
                           .seats = seats};
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    return id;
}

static void beat(Store *store, const char *name, StoreWorkerState state) {
    StoreWorker worker = {.kind = WORKER_SERVES, .machine = "host", .version = "1", .runners = 1};
    Error error;
    worker.state = state;
    snprintf(worker.name, sizeof worker.name, "%s", name);
    assert_ok(store_worker_beat(store, &worker, NULL, &error));
}

/* The match that this holder leases next; 0: none. */
static uint64_t lease(Store *store, const char *holder) {
    Error error;
    StoreJob job = {0};
    uint32_t count = 1;
    assert_ok(
        store_queue_lease(store, JOB_ANY | JOB_REMOTE, holder, LEASE_MS, &job, &count, &error));
    return count ? job.subject : 0;
}

static void only_its_owner_can_lease_a_match(void **state) {
    const TestStore *fixture = *state;
    Store *store = fixture->store;
    Error error;
    uint32_t count = 0;
    uint64_t first = add_owned(store, "one");
    uint64_t second = add_owned(store, "one");
    uint64_t anybody = add_owned(store, NULL);
    assert_int_equal(lease(store, "other"), anybody);
    assert_int_equal(lease(store, "other"), 0);
    assert_int_equal(lease(store, "one"), first);
    assert_int_equal(lease(store, "one"), second);
    /* A match still belongs to its owner after it returns to the queue. */
    assert_ok(store_queue_recover(store, "one", &count, &error));
    assert_int_equal(count, 2);
    assert_int_equal(lease(store, "other"), 0);
    assert_int_equal(lease(store, "one"), first);
}

static StoreMatchState state_of(Store *store, uint64_t match) {
    Error error;
    StoreMatches matches = {0};
    assert_ok(store_match_get(store, match, &matches, &error));
    StoreMatchState state = matches.rows[0].state;
    store_matches_free(&matches);
    return state;
}

static void matches_whose_owner_is_gone_are_cancelled(void **state) {
    const TestStore *fixture = *state;
    Store *store = fixture->store;
    Error error;
    if (!on_postgres())
        return; /* the only process owns all matches */
    beat(store, "one", WORKER_RUNNING);
    beat(store, "two", WORKER_RUNNING);
    uint64_t lost = add_owned(store, "one");
    uint64_t kept = add_owned(store, "two");
    uint64_t anybody = add_owned(store, NULL);
    assert_ok(store_queue_call_off_orphans(store, "gone", &error));
    assert_int_equal(state_of(store, lost), MATCH_WAITING);
    test_time += WORKER_LOST_MS + 1;
    beat(store, "two", WORKER_RUNNING);
    assert_ok(store_queue_call_off_orphans(store, "gone", &error));
    assert_int_equal(state_of(store, lost), MATCH_CALLED_OFF);
    assert_int_equal(state_of(store, kept), MATCH_WAITING);
    assert_int_equal(state_of(store, anybody), MATCH_WAITING);
    beat(store, "two", WORKER_STOPPED);
    assert_ok(store_queue_call_off_orphans(store, "gone", &error));
    assert_int_equal(state_of(store, kept), MATCH_CALLED_OFF);
    assert_int_equal(state_of(store, anybody), MATCH_WAITING);
}

static void seats_are_found_by_topic_while_they_are_renewed(void **state) {
    const TestStore *fixture = *state;
    Store *store = fixture->store;
    Error error;
    StoreRemoteSeat seat = {.match = 7, .account = 3};
    StoreRemoteSeat found = {0};
    if (!on_postgres())
        return;
    store_seat_topic(slice_of("the secret"), seat.topic);
    assert_null(strstr(seat.topic, "secret"));
    assert_result(STORE_NOT_FOUND, store_seat_find(store, seat.topic, &found, &error));
    assert_ok(store_seats_renew(store, &seat, 1, &error));
    test_time += 400000;
    assert_ok(store_seats_renew(store, &seat, 1, &error));
    test_time += 400000;
    assert_ok(store_seats_trim(store, &error));
    assert_ok(store_seat_find(store, seat.topic, &found, &error));
    assert_int_equal(found.match, 7);
    assert_int_equal(found.account, 3);
    assert_int_equal(found.seen, test_time - 400000);
    test_time += 400000;
    assert_ok(store_seats_trim(store, &error));
    assert_result(STORE_NOT_FOUND, store_seat_find(store, seat.topic, &found, &error));
}

static void a_question_is_answered_only_once(void **state) {
    const TestStore *fixture = *state;
    Store *store = fixture->store;
    Error error;
    StoreSeatCall calls[4];
    uint32_t count = 4;
    uint64_t first = 0;
    uint64_t second = 0;
    uint32_t answer = NOBODY;
    if (!on_postgres())
        return;
    assert_ok(store_seat_ask(store, "s", slice_of("how?"), &first, &error));
    assert_ok(store_seat_ask(store, "t", slice_of(""), &second, &error));
    assert_result(STORE_NOT_FOUND, store_seat_take_answer(store, first, &answer, &error));
    assert_ok(store_seat_calls(store, 0, calls, &count, &error));
    assert_int_equal(count, 2);
    assert_int_equal(calls[0].id, first);
    assert_string_equal(calls[0].topic, "s");
    assert_string_equal(buffer_string(&calls[0].question), "how?");
    buffer_free(&calls[0].question);
    buffer_free(&calls[1].question);
    assert_ok(store_seat_answer(store, first, 0, &error));
    assert_ok(store_seat_give_up(store, second, &error));
    count = 4;
    assert_ok(store_seat_calls(store, 0, calls, &count, &error));
    assert_int_equal(count, 0);
    assert_ok(store_seat_take_answer(store, first, &answer, &error));
    assert_int_equal(answer, 0);
    assert_result(STORE_NOT_FOUND, store_seat_take_answer(store, first, &answer, &error));
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(only_its_owner_can_lease_a_match),
        CASE(matches_whose_owner_is_gone_are_cancelled),
        CASE(seats_are_found_by_topic_while_they_are_renewed),
        CASE(a_question_is_answered_only_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
