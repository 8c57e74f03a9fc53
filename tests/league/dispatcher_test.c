/* The dispatcher reports room only for jobs that it can send to a runner at once. */
#include "base/clock.h"
#include "games/game.h"
#include "league/dispatcher.h"

#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

enum { WAIT_MAX_MS = 60000 };

static char directory[] = "/tmp/skirmish-dispatcher-XXXXXX";
static Dispatcher *dispatcher;

static int start(void **unused) {
    (void)unused;
    Error error;
    DispatcherOptions options = {
        .runners = 1, .sandbox = SANDBOX_NONE, .program = getenv("SKIRMISH")};
    assert_non_null(options.program);
    dispatcher = dispatcher_new(&options, &error);
    return dispatcher ? 0 : -1;
}

static int stop(void **unused) {
    (void)unused;
    dispatcher_free(dispatcher);
    return 0;
}

static int make_directory(void **unused) {
    (void)unused;
    return mkdtemp(directory) ? 0 : -1;
}

static int remove_directory(void **unused) {
    (void)unused;
    return rmdir(directory);
}

/* Gives the dispatcher a build with this command. */
static void give(uint64_t id, const char *command, bool alone) {
    char text[64];
    snprintf(text, sizeof text, "%s", command);
    BotSpec bot = {.kind = BOT_PROCESS,
                   .name = (char[]){"bot"},
                   .text = (char[]){"bot"},
                   .command = (char[]){"true"},
                   .build = text,
                   .directory = directory};
    Job job = {.id = id,
               .task = TASK_BUILD,
               .alone = alone,
               .game = games_all[0],
               .players = 1,
               .bots = {&bot}};
    dispatcher_give(dispatcher, &job, -1);
}

/* Waits until the dispatcher reports that this job has ended. */
static void wait_ended(uint64_t id) {
    Record record;
    Error error;
    int64_t until = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    DispatcherEvent event = DISPATCHER_NONE;
    while (event == DISPATCHER_NONE && clock_now() < until)
        event = dispatcher_take(dispatcher, 1000, &record, &error);
    assert_int_equal(event, DISPATCHER_RECORD);
    assert_int_equal(record.id, id);
    assert_int_equal(record.kind, RECORD_PLAYED);
    record_free(&record);
}

/* Runs short jobs until the dispatcher sends jobs ahead; the first one may be slow. */
static void make_short(void) {
    int64_t until = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    do {
        give(1, "true", false);
        wait_ended(1);
    } while (dispatcher_room(dispatcher, false) == 1 && clock_now() < until);
    assert_int_equal(dispatcher_room(dispatcher, false), 2);
}

static void no_job_is_sent_to_a_runner_whose_job_must_run_alone(void **unused) {
    (void)unused;
    make_short();
    give(2, "sleep 1000", true);
    assert_int_equal(dispatcher_room(dispatcher, false), 0);
    assert_false(dispatcher_waits(dispatcher));
    dispatcher_cancel(dispatcher, 2);
    assert_int_equal(dispatcher_room(dispatcher, false), 0); /* its runner is being replaced */
    give(3, "true", false);
    assert_true(dispatcher_waits(dispatcher));
    wait_ended(3);
    assert_false(dispatcher_waits(dispatcher));
}

static void no_job_is_sent_to_a_runner_whose_job_has_run_for_long(void **unused) {
    (void)unused;
    make_short();
    give(2, "sleep 1000", false);
    int64_t until = clock_now() + WAIT_MAX_MS * CLOCK_MS;
    while (dispatcher_room(dispatcher, false) && clock_now() < until)
        poll(NULL, 0, 10);
    assert_int_equal(dispatcher_room(dispatcher, false), 0);
    give(3, "true", false);
    assert_true(dispatcher_waits(dispatcher));
    dispatcher_cancel(dispatcher, 2);
    wait_ended(3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(no_job_is_sent_to_a_runner_whose_job_must_run_alone, start,
                                        stop),
        cmocka_unit_test_setup_teardown(no_job_is_sent_to_a_runner_whose_job_has_run_for_long,
                                        start, stop),
    };
    return cmocka_run_group_tests(tests, make_directory, remove_directory);
}
