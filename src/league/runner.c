/* See runner.h. */
#include "league/runner.h"

#include "base/clock.h"
#include "bots/process.h"
#include "league/job.h"
#include "league/wire.h"

#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t stop_asked;

static void on_stop(int signal_number) {
    stop_asked = signal_number;
}

/* Nothing but the socket and the standard three; gone when the dispatcher is. */
static void settle_in(int core) {
    struct sigaction action = {.sa_handler = on_stop};
    sigaction(SIGTERM, &action, NULL);
    close_range(RUNNER_SOCKET + 1, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (core >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET((unsigned)core, &one);
        sched_setaffinity(0, sizeof one,
                          &one); /* where it is forbidden, matches are slower, not wrong */
    }
}

static bool send_record(const Record *record, Buffer *text) {
    buffer_clear(text);
    record_encode(record, text);
    return wire_send(RUNNER_SOCKET, (Slice){text->data, text->length}, -1);
}

static void build(const Job *job, const Sandbox *sandbox, Record *record) {
    record->kind = bot_spec_build(job->bots[0], sandbox, &stop_asked, &record->error)
                       ? RECORD_PLAYED
                       : RECORD_BAD_BOT;
}

static void play(const JobCopy *copy, int replay, const Sandbox *sandbox, Record *record) {
    static const RecordKind kinds[] = {
        [MATCH_PLAYED] = RECORD_PLAYED,
        [MATCH_BAD_BOT] = RECORD_BAD_BOT,
        [MATCH_FAILED] = RECORD_FAILED,
        [MATCH_INTERRUPTED] = RECORD_STOPPED,
    };
    const Job *job = &copy->job;
    MatchOptions options = {
        .setup = job->game->setup(&job->config, &job->map, job->players, &record->error),
        .seed = job->seed,
        .think = THINK_IN_TURN,
        .sandbox = sandbox,
        .ponder = job->terms.ponder,
        .stderr_match = job->terms.limits[LIMIT_STDERR],
        .bots = copy->bots,
        .config = &job->config,
        .map = &job->map,
        .interrupt = &stop_asked,
    };
    record->kind = RECORD_FAILED;
    if (!options.setup) {
        if (replay >= 0)
            close(replay);
        return;
    }
    options.limits = terms_apply(&job->terms, options.setup);
    if (replay >= 0 && !(options.replay = replay_create_on(replay, &record->error))) {
        job->game->setup_free(options.setup);
        return;
    }
    record->kind = kinds[match_play(&options, &record->verdict, &record->error)];
    replay_close(options.replay);
}

/* One job; `replay` is closed. False when the dispatcher is gone. */
static bool serve(Slice message, int replay, const Sandbox *sandbox, Buffer *text) {
    JobCopy copy;
    Record record = {.kind = RECORD_FAILED};
    int64_t began = clock_now();
    if (!job_decode(&copy, message)) {
        error_set(&record.error, "a runner was given a job that makes no sense");
        if (replay >= 0)
            close(replay);
    } else if (copy.job.build) {
        build(&copy.job, sandbox, &record);
    } else {
        play(&copy, replay, sandbox, &record);
    }
    record.id = copy.job.id;
    record.wall = clock_now() - began;
    if (stop_asked)
        record.kind = RECORD_STOPPED;
    bool sent = send_record(&record, text);
    record_free(&record);
    job_free(&copy);
    return sent;
}

int runner_run(SandboxMode mode, int core) {
    Record record = {.kind = RECORD_READY};
    Buffer text = {0};
    Buffer message = {0};
    settle_in(core);
    Sandbox *sandbox = sandbox_new(mode, &record.error);
    if (!sandbox || !process_prepare(&record.error))
        record.kind = RECORD_FAILED;
    bool alive = send_record(&record, &text) && record.kind == RECORD_READY;
    int replay = -1;
    while (alive && !stop_asked && wire_read(RUNNER_SOCKET, &message, &replay))
        alive = serve((Slice){message.data, message.length}, replay, sandbox, &text);
    sandbox_free(sandbox);
    buffer_free(&message);
    buffer_free(&text);
    return record.kind == RECORD_READY ? 0 : 1;
}
