/* An interrupted match ends with the turn that is being played, however quick its bots are. Usage:
   interrupt_test BOT, a bot for Aliens. */
#include "match/match.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

static volatile sig_atomic_t interrupt;
static uint32_t turns_seen;
static char *program;

static void on_turn(void *context, const Board *board, const PlayerTurn *turns) {
    (void)context;
    (void)board;
    (void)turns;
    turns_seen++;
    interrupt = 1;
}

static void a_match_of_quick_bots_is_interrupted_after_the_turn(void **state) {
    enum { MATCHES = 20 };
    (void)state;
    for (uint32_t i = 0; i < MATCHES; i++) {
        GameFile none = {0};
        Error error = {0};
        Verdict verdict;
        BotSpec bots[2] = {{.name = program, .text = program, .program = program},
                           {.name = program, .text = program, .program = program}};
        MatchWatcher watcher = {.turn = on_turn};
        MatchOptions options = {
            .setup = game_find(slice_of("aliens"), NULL)->setup(&none, &none, 2, &error),
            .seed = i,
            .think = THINK_IN_TURN, /* on one core the answer is ready before anyone has to wait */
            .bots = bots,
            .config = &none,
            .map = &none,
            .watcher = &watcher,
            .interrupt = &interrupt,
        };
        interrupt = 0;
        turns_seen = 0;
        assert_non_null(options.setup);
        assert_int_equal(match_play(&options, &verdict, &error), MATCH_INTERRUPTED);
        assert_int_equal(turns_seen, 1);
        verdict_free(&verdict);
    }
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_match_of_quick_bots_is_interrupted_after_the_turn)};
    if (count != 2)
        return 1;
    program = arguments[1];
    return cmocka_run_group_tests(tests, NULL, NULL);
}
