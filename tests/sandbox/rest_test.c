/* A bot takes nothing from the turns of others, from its first answer on.

   Usage: rest_test BURDENS, the program of hostile/burdens.c. CPU time is measured, so
   that the result does not depend on what else the machine does. */
#include "base/clock.h"
#include "bots/match_bots.h"

#include <libgen.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { BOTS = 2, HOSTILE = 0, HONEST = 1 };

static char *directory;

static void take_turn(MatchBots *bots, uint32_t bot) {
    match_bots_ask(bots, bot, slice_of("view\n"), 60000 * CLOCK_MS);
    assert_true(match_bots_wait(bots));
    assert_int_equal(match_bots_reply(bots, bot)->kind, REPLY_ANSWER);
}

/* CPU time that the hostile bot uses in a turn of the honest one. */
static int64_t cpu_in_turn_of_other(MatchBots *bots) {
    take_turn(bots, HOSTILE);
    int64_t before = match_bots_cpu(bots, HOSTILE);
    take_turn(bots, HONEST);
    return match_bots_cpu(bots, HOSTILE) - before;
}

static Sandbox *sandbox;

/* Starts a match of a hostile bot, which runs this command, and an honest one. */
static MatchBots *start(char *hostile) {
    static BotSpec specs[BOTS];
    Error error = {0};
    static char honest[] = "exec ./burdens steps 5";
    specs[HOSTILE].command = hostile;
    specs[HONEST].command = honest;
    specs[HOSTILE].directory = specs[HONEST].directory = directory;
    MatchBotsOptions options = {
        .framing = FRAMING_LINE,
        .answer_limit = 1 << 16,
        .sandbox = sandbox,
        .limits = sandbox_standard_limits,
        .in_turn = true,
    };
    MatchBots *bots = match_bots_new(BOTS, specs, &options, &error);
    assert_non_null(bots);
    for (uint32_t i = 0; i < BOTS; i++)
        assert_true(match_bots_start(bots, i, &error));
    return bots;
}

static void end(MatchBots *bots) {
    match_bots_end(bots);
    match_bots_free(bots);
}

static void many_threads_do_not_compute_in_the_first_turn_of_another(void **state) {
    (void)state;
    Error error = {0};
    if (!sandbox_has(sandbox, LAYER_FREEZE)) {
        print_message("without control groups, bots are stopped by signals\n");
        skip();
    }
    static char hostile[] = "exec ./burdens threads 30";
    MatchBots *bots = start(hostile);
    for (int turn = 0; turn < 3; turn++)
        assert_in_range(cpu_in_turn_of_other(bots), 0, CLOCK_MS / 4);
    /* Nor after a restart. */
    assert_true(match_bots_start(bots, HOSTILE, &error));
    assert_in_range(cpu_in_turn_of_other(bots), 0, CLOCK_MS / 4);
    end(bots);
}

/* CPU time of the referee: this process. */
static int64_t own_cpu(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

static void standard_error_is_not_read_in_the_turn_of_another(void **state) {
    (void)state;
    static char hostile[] = "exec ./burdens watches 40";
    MatchBots *bots = start(hostile);
    for (int turn = 0; turn < 3; turn++) {
        take_turn(bots, HOSTILE);
        int64_t before = own_cpu();
        take_turn(bots, HONEST);
        assert_in_range(own_cpu() - before, 0, 10 * CLOCK_MS);
        match_bots_settle(bots);
        assert_true(match_bots_errors(bots, HOSTILE).length > 0);
    }
    end(bots);
}

static int new_sandbox(void **state) {
    (void)state;
    Error error = {0};
    sandbox = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    return sandbox ? 0 : -1;
}

static int free_sandbox(void **state) {
    (void)state;
    sandbox_free(sandbox);
    return 0;
}

int main(int count, char **arguments) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(many_threads_do_not_compute_in_the_first_turn_of_another),
        cmocka_unit_test(standard_error_is_not_read_in_the_turn_of_another),
    };
    if (count != 2)
        return 2;
    directory = dirname(arguments[1]);
    return cmocka_run_group_tests(tests, new_sandbox, free_sandbox);
}
