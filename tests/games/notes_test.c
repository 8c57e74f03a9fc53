/* Notes of a turn: rejected orders by player, events on request, and the limits of both. */
#include "games/notes.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static Notes *fresh(void) {
    return calloc(1, sizeof(Notes));
}

static uint32_t count_kept(const Notes *notes, uint32_t of_player) {
    uint32_t at = 0;
    uint32_t kept = 0;
    uint32_t player = 0;
    Slice text;
    while (notes_next_refusal(notes, &at, &player, &text))
        kept += player == of_player;
    return kept;
}

static void rejected_orders_are_listed_in_order(void **unused) {
    (void)unused;
    Notes *notes = fresh();
    notes_refuse(notes, 1, "move %d: occupied", 3);
    notes_refuse(notes, 0, "%s", "");
    notes_refuse(notes, 63, "last");
    uint32_t at = 0;
    uint32_t player = 9;
    Slice text;
    assert_true(notes_next_refusal(notes, &at, &player, &text));
    assert_int_equal(player, 1);
    assert_true(slice_equals(text, "move 3: occupied"));
    assert_true(notes_next_refusal(notes, &at, &player, &text));
    assert_int_equal(player, 0);
    assert_int_equal(text.length, 0);
    assert_true(notes_next_refusal(notes, &at, &player, &text));
    assert_int_equal(player, 63);
    assert_true(slice_equals(text, "last"));
    assert_false(notes_next_refusal(notes, &at, &player, &text));
    free(notes);
}

static void null_notes_are_ignored(void **unused) {
    (void)unused;
    notes_refuse(NULL, 0, "nobody reads this");
    notes_event(NULL, "nor this");
}

static void beyond_the_limit_rejected_orders_are_only_counted(void **unused) {
    (void)unused;
    Notes *notes = fresh();
    for (uint32_t i = 0; i < 1000; i++)
        notes_refuse(notes, 0, "the same reason over and over again, number %u", i);
    notes_refuse(notes, 1, "another player's");
    assert_int_equal(notes->refused[0], 1000);
    assert_in_range(count_kept(notes, 0), 15, 30);
    assert_true(notes->refused_bytes[0] <= NOTES_PLAYER_BYTES);
    assert_int_equal(count_kept(notes, 1), 1);
    free(notes);
}

static void all_players_together_do_not_overflow_the_notes(void **unused) {
    (void)unused;
    Notes *notes = fresh();
    for (uint32_t i = 0; i < 100; i++)
        for (uint32_t player = 0; player < 64; player++)
            notes_refuse(notes, player, "reason %u of player %u", i, player);
    assert_true(notes->refusals_length <= NOTES_BYTES);
    for (uint32_t player = 0; player < 64; player++) {
        assert_int_equal(notes->refused[player], 100);
        assert_true(count_kept(notes, player) > 0);
    }
    free(notes);
}

static void a_long_reason_is_truncated(void **unused) {
    (void)unused;
    Notes *notes = fresh();
    char reason[1000];
    memset(reason, 'r', sizeof reason);
    notes_refuse(notes, 0, "%.*s", (int)sizeof reason, reason);
    uint32_t at = 0;
    uint32_t player = 0;
    Slice text;
    assert_true(notes_next_refusal(notes, &at, &player, &text));
    assert_int_equal(text.length, 255);
    free(notes);
}

static void events_are_lines_and_only_recorded_on_request(void **unused) {
    (void)unused;
    Notes *notes = fresh();
    notes_event(notes, "unheard");
    assert_int_equal(notes->events_length, 0);
    notes->wants_events = true;
    notes_event(notes, "one %d", 1);
    notes_event(notes, "two");
    assert_int_equal(notes->events_length, 10);
    assert_memory_equal(notes->events, "one 1\ntwo\n", 10);
    free(notes);
}

static void events_beyond_the_limit_are_counted_and_none_is_truncated(void **unused) {
    (void)unused;
    Notes *notes = fresh();
    notes->wants_events = true;
    for (uint32_t i = 0; i < 2000; i++)
        notes_event(notes, "event number %04u", i);
    assert_true(notes->events_length <= NOTES_BYTES);
    assert_int_equal(notes->events_length % 18, 0);
    assert_int_equal(notes->events_length / 18 + notes->events_left_out, 2000);
    assert_int_equal(notes->events[notes->events_length - 1], '\n');
    /* A short event may still fit. */
    uint32_t left_out = notes->events_left_out;
    while (notes->events_length < NOTES_BYTES)
        notes_event(notes, "%s", "");
    notes_event(notes, "%s", "");
    assert_int_equal(notes->events_left_out, left_out + 1);
    free(notes);
}

static void clearing_removes_everything_except_wants_events(void **unused) {
    (void)unused;
    Notes *notes = fresh();
    notes->wants_events = true;
    notes_refuse(notes, 5, "reason");
    notes_event(notes, "event");
    notes_clear(notes);
    uint32_t at = 0;
    uint32_t player = 0;
    Slice text;
    assert_false(notes_next_refusal(notes, &at, &player, &text));
    assert_int_equal(notes->refused[5], 0);
    assert_int_equal(notes->refused_bytes[5], 0);
    assert_int_equal(notes->events_length, 0);
    assert_int_equal(notes->events_left_out, 0);
    assert_true(notes->wants_events);
    free(notes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rejected_orders_are_listed_in_order),
        cmocka_unit_test(null_notes_are_ignored),
        cmocka_unit_test(beyond_the_limit_rejected_orders_are_only_counted),
        cmocka_unit_test(all_players_together_do_not_overflow_the_notes),
        cmocka_unit_test(a_long_reason_is_truncated),
        cmocka_unit_test(events_are_lines_and_only_recorded_on_request),
        cmocka_unit_test(events_beyond_the_limit_are_counted_and_none_is_truncated),
        cmocka_unit_test(clearing_removes_everything_except_wants_events),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
