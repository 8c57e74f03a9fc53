/* The live topic "activity" across the deletion of an account. */
#include "arena/play/activity.h"

#include "base/json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static Arena arena;
static ActivityMatches matches;

static int setup(void **state) {
    (void)state;
    matches = (ActivityMatches){0};
    arena.live = live_new(&(LiveOptions){.viewers_max = 1, .viewers_per_address = 1});
    activity_open(&arena);
    return 0;
}

static int teardown(void **state) {
    (void)state;
    buffer_free(&matches.items);
    live_close(arena.live);
    live_free(arena.live);
    return 0;
}

static void add(uint64_t id) {
    const StoreSeat seat = {.name = "walker", .owner_name = "eve"};
    const StoreMatch match = {.id = id, .game = "aliens", .players = 1, .seats = &seat};
    activity_add(&matches, &match, MATCH_PLAYING, NULL);
}

/* Whether the events that browsers can receive have all of these texts, in this order. */
static bool events_have(const char *first, const char *second) {
    Buffer text = {0};
    uint64_t id = 0;
    while (live_next(arena.live, ACTIVITY_TOPIC, &id, &text) == LIVE_NEXT_EVENT)
        ;
    buffer_add(&text, "", 1);
    const char *found = strstr(text.data, first);
    bool good = found && strstr(found, second);
    buffer_free(&text);
    return good;
}

static void matches_before_a_deletion_are_missing_and_later_ones_are_not(void **state) {
    (void)state;
    add(1);
    activity_forget(&arena, &matches);
    add(2);
    activity_publish(&arena, &matches);
    assert_true(events_have("{\"complete\":false,\"items\":[]}", "{\"complete\":true,\"items\":["
                                                                 "{\"id\":2,"));
    assert_false(events_have("\"id\":1,", ""));
}

static void events_with_names_are_dropped(void **state) {
    (void)state;
    add(1);
    activity_publish(&arena, &matches);
    assert_true(events_have("\"owner\":\"eve\"", ""));
    activity_forget(&arena, &matches);
    assert_false(events_have("eve", ""));
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        TEST(matches_before_a_deletion_are_missing_and_later_ones_are_not),
        TEST(events_with_names_are_dropped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
