/* From its first answer on, a bot does not compute in the turns of others.

   Usage: rest_test BURDENS [nobody]. BURDENS is the program of hostile/burdens.c. With "nobody",
   root switches to that user first. The tests measure CPU time, so that other load on the machine
   does not affect them. */
#include "base/clock.h"
#include "bots/match_bots.h"
#include "workplace.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { BOTS = 2, HOSTILE = 0, HONEST = 1, LATE_TURNS = 22, LATE_MATCHES = 7 };

static Workplace workplace;

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
    static char honest[] = "exec ./burdens steps 3";
    specs[HOSTILE].command = hostile;
    specs[HONEST].command = honest;
    specs[HOSTILE].directory = specs[HONEST].directory = workplace.directory;
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
    /* The same holds after a restart. */
    assert_true(match_bots_start(bots, HOSTILE, &error));
    assert_in_range(cpu_in_turn_of_other(bots), 0, CLOCK_MS / 4);
    end(bots);
}

/* The most CPU time that the hostile bot uses in any turn of the honest one, in one match. */
static int64_t worst_cpu_in_turns_of_other(char *hostile) {
    int64_t worst = 0;
    MatchBots *bots = start(hostile);
    for (int turn = 0; turn < LATE_TURNS; turn++) {
        int64_t used = cpu_in_turn_of_other(bots);
        worst = used > worst ? used : worst;
    }
    end(bots);
    return worst;
}

static int compare_times(const void *left, const void *right) {
    int64_t a = *(const int64_t *)left;
    int64_t b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* The median of several matches against each of these bots. */
static int64_t median_of_matches(char (*hostile)[32], size_t kinds) {
    int64_t used[2 * LATE_MATCHES];
    size_t count = LATE_MATCHES * kinds;
    assert_in_range(count, 1, sizeof used / sizeof *used);
    for (size_t match = 0; match < count; match++) {
        used[match] = worst_cpu_in_turns_of_other(hostile[match % kinds]);
        print_message("%s: %.2f ms\n", hostile[match % kinds], (double)used[match] / CLOCK_MS);
    }
    qsort(used, count, sizeof *used, compare_times);
    return used[count / 2];
}

/* After some quiet turns, a bot is not stopped right after its answer. This one then computes in
   many threads, which also keep the referee from running. The guard stops it after 2 to 4 ms, or
   later if the guard has to wait for a core: hence the median. On a machine with 50 runnable
   threads it was at most 12 ms, and at least 53 ms without the guard. */
static void a_bot_is_soon_stopped_even_if_it_computes_only_later(void **state) {
    (void)state;
    static char later[][32] = {"exec ./burdens later 40", "exec ./burdens forks 40"};
    static char alternates[][32] = {"exec ./burdens alternates 40"};
    assert_in_range(median_of_matches(later, 2), 0, 20 * CLOCK_MS);
    assert_in_range(median_of_matches(alternates, 1), 0, 20 * CLOCK_MS);
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
        cmocka_unit_test(a_bot_is_soon_stopped_even_if_it_computes_only_later),
        cmocka_unit_test(standard_error_is_not_read_in_the_turn_of_another),
    };
    bool nobody = count == 3 && strcmp(arguments[2], "nobody") == 0;
    if (count < 2 || !workplace_open(&workplace, arguments[1], nobody))
        return 1;
    int failed = cmocka_run_group_tests(tests, new_sandbox, free_sandbox);
    workplace_remove(&workplace);
    return failed;
}
