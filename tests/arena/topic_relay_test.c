/* Live topics that several processes share: what one process writes to the table of the store, and
   deletes from it. Needs PostgreSQL. */
#include "arena/play/topic_relay.h"

#include "../store/fixture.h"
#include "base/clock.h"

#include <unistd.h>

enum { WAIT_MAX_MS = 60000 };

#define TOPIC "match-1"
#define RUN (UINT64_C(1) << 32)

typedef struct Seen {
    uint32_t count;
    uint64_t last;
} Seen;

static void note(void *context, uint64_t number, Slice data) {
    Seen *seen = context;
    (void)data;
    seen->count++;
    seen->last = number;
}

/* The rows of the topic. */
static Seen look(Store *store) {
    Error error;
    Seen seen = {0};
    uint32_t count = 100;
    assert_ok(store_relay_read(store, RELAY_MATCHES, TOPIC, 0, (StoreRelayReader){&seen, note},
                               &count, &error));
    return seen;
}

static void await_rows(Store *store, uint32_t count) {
    int64_t deadline = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    while (look(store).count != count) {
        assert_true(clock_now() < deadline);
        usleep(20000);
    }
}

/* A worker that hung does not know yet that another worker plays the match. */
static void a_worker_that_lost_a_match_deletes_no_rows_of_the_next_attempt(void **state) {
    const TestStore *fixture = *state;
    Error error = {0};
    if (!on_postgres())
        return;
    Arena arena = {.store = fixture->store, .options = {.store = test_database()}};
    arena.live = live_new(&(LiveOptions){.heartbeat_ms = 60000, .stall_ms = 60000});
    assert_true(topic_relay_start(&arena, &error));
    live_open(arena.live, TOPIC, 10, 1000);
    live_share(arena.live, TOPIC);
    topic_relay_own(arena.relay, RELAY_MATCHES, TOPIC);
    topic_relay_hear(arena.relay, NEWS_WATCH, store_topic_key(TOPIC));
    live_publish(arena.live, TOPIC, "start", slice_of("{}"));
    await_rows(fixture->store, 1);
    const StoreRelayEvent next = {TOPIC, RUN + 1, slice_of("event: start\n\n")};
    assert_ok(store_relay_put(fixture->store, RELAY_MATCHES, &next, 1, &error));

    live_end(arena.live, TOPIC);
    await_rows(fixture->store, 3); /* including the end */
    int64_t deadline = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    while (look(fixture->store).count == 3) {
        assert_true(clock_now() < deadline);
        usleep(20000);
    }
    assert_int_equal(look(fixture->store).count, 1);
    assert_int_equal(look(fixture->store).last, RUN + 1);

    topic_relay_stop(arena.relay);
    live_close(arena.live);
    live_free(arena.live);
    topic_relay_free(arena.relay);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_worker_that_lost_a_match_deletes_no_rows_of_the_next_attempt)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
