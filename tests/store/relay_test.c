/* Events of live topics that processes on one PostgreSQL database pass to each other. On SQLite,
   there is only one process, and nothing to pass. */
#include "fixture.h"

enum { AGE_MS = 1000, READ_MAX = 10 };

/* The events that were read, as "1=a 2=b ". */
static char seen[200];

static void take(void *context, uint64_t number, Slice data) {
    size_t length = strlen(seen);
    (void)context;
    snprintf(seen + length, sizeof seen - length, "%llu=%.*s ", (unsigned long long)number,
             (int)data.length, data.at);
}

static const char *read_events(Store *store, StoreRelayKind kind, const char *topic, uint64_t after,
                               uint32_t most) {
    Error error;
    uint32_t count = most;
    seen[0] = '\0';
    assert_ok(store_relay_read(store, kind, topic, after, (StoreRelayReader){NULL, take}, &count,
                               &error));
    return seen;
}

static void put(Store *store, StoreRelayKind kind, const char *topic, uint64_t number,
                const char *text) {
    Error error;
    const StoreRelayEvent event = {topic, number, slice_of(text)};
    assert_ok(store_relay_put(store, kind, &event, 1, &error));
}

static void only_a_shared_store_relays_events(void **state) {
    const TestStore *fixture = *state;
    Error error;
    const StoreRelayEvent event = {"m", 1, slice_of("a")};
    if (!on_postgres())
        assert_result(STORE_FAILED,
                      store_relay_put(fixture->store, RELAY_MATCHES, &event, 1, &error));
}

static void events_are_read_in_order_and_in_parts(void **state) {
    const TestStore *fixture = *state;
    Error error;
    if (!on_postgres())
        return;
    const StoreRelayEvent events[] = {{"m", 1, slice_of("a")},
                                      {"n", 1, slice_of("x\ny")},
                                      {"m", 2, slice_of("b")},
                                      {"m", 3, {"", 0}}};
    assert_ok(store_relay_put(fixture->store, RELAY_MATCHES, events, 4, &error));
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "m", 0, 2), "1=a 2=b ");
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "m", 2, READ_MAX), "3= ");
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "n", 0, READ_MAX), "1=x\ny ");
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "m", 3, READ_MAX), "");
}

static void an_existing_event_is_never_replaced(void **state) {
    const TestStore *fixture = *state;
    if (!on_postgres())
        return;
    put(fixture->store, RELAY_MATCHES, "m", 1, "a");
    put(fixture->store, RELAY_MATCHES, "m", 1, "late");
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "m", 0, READ_MAX), "1=a ");
}

static void events_of_matches_and_seats_are_separate(void **state) {
    const TestStore *fixture = *state;
    if (!on_postgres())
        return;
    put(fixture->store, RELAY_SEATS, "t", 1, "secret");
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "t", 0, READ_MAX), "");
    assert_string_equal(read_events(fixture->store, RELAY_SEATS, "t", 0, READ_MAX), "1=secret ");
}

static void old_events_are_dropped(void **state) {
    const TestStore *fixture = *state;
    Error error;
    if (!on_postgres())
        return;
    for (uint64_t i = 1; i <= 4; i++)
        put(fixture->store, RELAY_MATCHES, "m", i, "e");
    assert_ok(store_relay_drop(fixture->store, RELAY_MATCHES, "m", 3, &error));
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "m", 0, READ_MAX), "3=e 4=e ");
    assert_ok(store_relay_drop(fixture->store, RELAY_MATCHES, "m", UINT64_MAX, &error));
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "m", 0, READ_MAX), "");
}

static void topics_without_new_events_are_deleted_completely(void **state) {
    const TestStore *fixture = *state;
    Error error;
    if (!on_postgres())
        return;
    put(fixture->store, RELAY_MATCHES, "gone", 1, "a");
    put(fixture->store, RELAY_MATCHES, "goes on", 1, "b");
    put(fixture->store, RELAY_SEATS, "gone", 1, "c");
    test_time += AGE_MS + 1;
    put(fixture->store, RELAY_MATCHES, "goes on", 2, "d");
    assert_ok(store_relay_trim(fixture->store, AGE_MS, &error));
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "gone", 0, READ_MAX), "");
    assert_string_equal(read_events(fixture->store, RELAY_SEATS, "gone", 0, READ_MAX), "");
    assert_string_equal(read_events(fixture->store, RELAY_MATCHES, "goes on", 0, READ_MAX),
                        "1=b 2=d ");
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(only_a_shared_store_relays_events),
        CASE(events_are_read_in_order_and_in_parts),
        CASE(an_existing_event_is_never_replaced),
        CASE(events_of_matches_and_seats_are_separate),
        CASE(old_events_are_dropped),
        CASE(topics_without_new_events_are_deleted_completely),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
