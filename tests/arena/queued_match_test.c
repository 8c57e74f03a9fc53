/* The settings of a queued match: the store returns them unchanged, and requests are checked. */
#include "arena/play/queued_match.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static void a_specification_is_restored_unchanged(void **unused) {
    (void)unused;
    Error error;
    QueuedMatch setup = {.overrides = {.turn_ms = 250, .start_ms = 900, .ponder = true}};
    QueuedMatch back;
    Buffer text = {0};
    Buffer again = {0};
    setup.overrides.limits[LIMIT_MEMORY] = 64;
    assert_true(queued_match_choose(&setup, game_find(slice_of("planetwars"), NULL), "drift", NULL,
                                    2, 1, &error));
    setup.seats[0].language = strdup("python");
    setup.seats[0].source = strdup("print(\"\\n\")\n\t\xc3\xa4");
    setup.seats[1].archive = strdup("UEsF+/8=");
    setup.seats[1].remote = true;
    setup.seats[1].person_ms = 600000;
    setup.from_match = 1234567890123;
    setup.from_turn = 40;
    queued_match_write(&setup, &text);
    assert_true(queued_match_read(&back, (Slice){text.data, text.length}, &error));
    assert_int_equal(back.players, 2);
    assert_string_equal(back.map.name, "drift");
    assert_string_equal(back.map.text, setup.map.text);
    assert_null(back.config.name);
    assert_string_equal(back.seats[0].source, setup.seats[0].source);
    assert_string_equal(back.seats[1].archive, setup.seats[1].archive);
    assert_null(back.seats[0].archive);
    assert_true(back.seats[1].remote && !back.seats[1].language && !back.seats[0].remote);
    assert_int_equal(back.overrides.turn_ms, 250);
    assert_int_equal(back.seats[1].person_ms, 600000);
    assert_true(back.from_match == 1234567890123 && back.from_turn == 40);
    assert_int_equal(back.overrides.limits[LIMIT_MEMORY], 64);
    assert_true(back.overrides.ponder);
    queued_match_write(&back, &again);
    assert_string_equal(buffer_string(&text), buffer_string(&again));
    buffer_free(&text);
    buffer_free(&again);
    queued_match_free(&setup);
    queued_match_free(&back);
}

static void invalid_specifications_are_rejected(void **unused) {
    (void)unused;
    static const char *const bad[] = {
        "",
        "[]",
        "{}",
        "{\"seats\":[]}",
        "{\"seats\":[1]}",
        "{\"seats\":[{}],\"map\":{\"name\":\"x\"}}",
        "{\"seats\":[{}],\"turn_time\":0}",
        "{\"seats\":[{\"remote\":1}]}",
        "{\"seats\":[{}],\"limits\":{\"memory\":0}}",
    };
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        QueuedMatch setup;
        Error error = {0};
        assert_false(queued_match_read(&setup, slice_of(bad[i]), &error));
        assert_true(error.text[0]);
        queued_match_free(&setup);
    }
}

/* Whether the game accepts the request. */
static bool takes(const char *game, const char *map, const char *config, uint32_t players) {
    QueuedMatch setup = {0};
    Error error = {0};
    bool good = queued_match_choose(&setup, game_find(slice_of(game), NULL), map, config, players,
                                    5, &error);
    assert_true(good || error.text[0]);
    queued_match_free(&setup);
    return good;
}

static void a_request_can_set_map_and_configuration(void **unused) {
    (void)unused;
    assert_true(takes("planetwars", NULL, NULL, 2));
    assert_true(takes("planetwars", "generate", NULL, 2));
    assert_true(takes("planetwars", "generate:7", NULL, 3));
    assert_true(takes("planetwars", NULL, "{\"max_turns\": 5}", 2));
    assert_false(takes("planetwars", "atlantis", NULL, 2));
    assert_false(takes("planetwars", "generate:", NULL, 2));
    assert_false(takes("planetwars", "generate:x", NULL, 2));
    assert_false(takes("planetwars", "generate:1:2:3", NULL, 2));
    assert_false(takes("planetwars", "generated", NULL, 2));
    assert_false(takes("planetwars", NULL, "{\"nonsense\": 5}", 2));
    assert_false(takes("planetwars", NULL, NULL, 0));
    assert_false(takes("footsoldiers", NULL, NULL, 3));
    for (const Game *const *game = games_all; *game; game++)
        assert_true(
            takes((*game)->name, NULL, NULL, (*game)->players_min > 2 ? (*game)->players_min : 2));
}

static void a_generated_map_keeps_its_name_with_the_seed(void **unused) {
    (void)unused;
    QueuedMatch one = {0};
    QueuedMatch two = {0};
    Error error;
    assert_true(queued_match_choose(&one, game_find(slice_of("planetwars"), NULL), "generate", NULL,
                                    2, 1 << 20, &error));
    assert_true(queued_match_choose(&two, game_find(slice_of("planetwars"), NULL), one.map.name,
                                    NULL, 2, 3, &error));
    assert_string_equal(one.map.text, two.map.text);
    assert_string_equal(one.map.name, two.map.name);
    queued_match_free(&one);
    queued_match_free(&two);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_specification_is_restored_unchanged),
        cmocka_unit_test(invalid_specifications_are_rejected),
        cmocka_unit_test(a_request_can_set_map_and_configuration),
        cmocka_unit_test(a_generated_map_keeps_its_name_with_the_seed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
