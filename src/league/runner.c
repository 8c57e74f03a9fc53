/* See runner.h. */
#include "league/runner.h"

#include "base/clock.h"
#include "bots/bot_build.h"
#include "bots/process.h"
#include "check/check.h"
#include "league/job.h"
#include "league/message.h"

#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

static volatile sig_atomic_t stop_requested;
static volatile sig_atomic_t interrupt; /* ends the current match */

static void on_stop(int signal_number) {
    stop_requested = interrupt = signal_number;
}

/* Closes all descriptors except the socket and the standard three. Makes this process get SIGTERM
   when the dispatcher dies. */
static void prepare_process(int core, bool yields) {
    struct sigaction action = {.sa_handler = on_stop};
    sigaction(SIGTERM, &action, NULL);
    close_range(RUNNER_SOCKET + 1, ~0U, 0);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    if (core >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET((unsigned)core, &one);
        sched_setaffinity(0, sizeof one, &one); /* if this fails, matches are only slower */
    }
    if (yields) /* bots inherit the policy, and cannot change it without privileges */
        sched_setscheduler(0, SCHED_IDLE, &(struct sched_param){0});
}

static bool send_record(const Record *record, Buffer *text) {
    buffer_clear(text);
    record_encode(record, text);
    return message_send(RUNNER_SOCKET, (Slice){text->data, text->length}, -1);
}

/* ---- live matches ---- */

typedef struct LiveMatch {
    Record record; /* only id, kind and text */
    const char *names[GAME_PLAYERS_MAX];
    Buffer *message;
} LiveMatch;

static void send_live(LiveMatch *live, RecordKind kind) {
    live->record.kind = kind;
    send_record(&live->record, live->message); /* if this fails, so does the final record */
    buffer_clear(&live->record.text);
}

static void send_header(void *context, const ReplayHeader *header) {
    LiveMatch *live = context;
    replay_header_write(header, &live->record.text);
    send_live(live, RECORD_START);
}

static void send_turn(void *context, const Board *board, const PlayerTurn *turns) {
    LiveMatch *live = context;
    replay_turn_json(board, live->names, turns, false, &live->record.text);
    send_live(live, RECORD_TURN);
}

/* ---- jobs ---- */

static void play(const JobCopy *copy, int replay, const Sandbox *sandbox, Buffer *message,
                 Record *record) {
    static const RecordKind kinds[] = {
        [MATCH_PLAYED] = RECORD_PLAYED,
        [MATCH_BAD_BOT] = RECORD_BAD_BOT,
        [MATCH_FAILED] = RECORD_FAILED,
        [MATCH_INTERRUPTED] = RECORD_STOPPED,
    };
    const Job *job = &copy->job;
    static LiveMatch live;
    live = (LiveMatch){.record = {.id = job->id}, .message = message};
    MatchWatcher watcher = {
        .context = &live, .wants_events = true, .header = send_header, .turn = send_turn};
    for (uint32_t i = 0; i < job->players; i++)
        live.names[i] = copy->bots[i].name;
    MatchOptions options = {
        .setup = job->game->setup(&job->config, &job->map, job->players, &record->error),
        .seed = job->seed,
        .think = THINK_IN_TURN,
        .sandbox = sandbox,
        .ponder = job->overrides.ponder,
        .stderr_match = job->overrides.limits[LIMIT_STDERR],
        .replay_bytes = job->overrides.limits[LIMIT_REPLAY],
        .bots = copy->bots,
        .person_ms = job->person_ms,
        .prelude_turns = job->prelude_turns,
        .variation = job->variation,
        .config = &job->config,
        .map = &job->map,
        .watcher = job->live ? &watcher : NULL,
        .interrupt = &interrupt,
    };
    record->kind = RECORD_FAILED;
    if (!options.setup) {
        if (replay >= 0)
            close(replay);
        return;
    }
    options.limits = overrides_apply(&job->overrides, options.setup);
    bool good = true;
    if (job->prelude.length)
        good = (options.prelude =
                    replay_open_memory("the recorded match", job->prelude, &record->error));
    if (good && replay >= 0) {
        good = (options.replay = replay_create_on(replay, &record->error));
        replay = -1;
    }
    if (good)
        record->kind = kinds[match_play(&options, &record->verdict, &record->error)];
    else
        job->game->setup_free(options.setup);
    if (replay >= 0)
        close(replay);
    replay_free(options.prelude);
    replay_close(options.replay);
    buffer_free(&live.record.text);
}

/* ---- builds ---- */

/* Keeps the standard error of a seat that failed, or else of the first seat. All seats have the
   same bot. */
static void keep_errors(void *context, const Board *board, const PlayerTurn *turns) {
    Buffer *said = context;
    uint32_t seat = 0;
    while (seat + 1 < board->players && board->status[seat] == STATUS_OK)
        seat++;
    if (board->status[seat] == STATUS_OK)
        seat = 0;
    buffer_add(said, turns[seat].errors.at, turns[seat].errors.length);
    interrupt = 1;
}

static void keep_last_errors(void *context, const Board *board, const PlayerTurn *last_words) {
    keep_errors(context, board, last_words);
}

/* Plays one turn; a bot that fails in this turn is rejected. */
static void try_turn(const JobCopy *copy, const Sandbox *sandbox, Record *record) {
    const Job *job = &copy->job;
    BotSpec seats[GAME_PLAYERS_MAX];
    MatchWatcher watcher = {
        .context = &record->text, .turn = keep_errors, .ended = keep_last_errors};
    MatchOptions options = {
        .setup = job->game->setup(&job->config, &job->map, job->players, &record->error),
        .seed = job->seed,
        .think = THINK_IN_TURN,
        .sandbox = sandbox,
        .bots = seats,
        .config = &job->config,
        .map = &job->map,
        .watcher = &watcher,
        .interrupt = &interrupt,
    };
    record->kind = RECORD_FAILED;
    if (!options.setup)
        return;
    options.limits = overrides_apply(&job->overrides, options.setup);
    for (uint32_t i = 0; i < job->players; i++)
        seats[i] = copy->bots[0];
    MatchOutcome outcome = match_play(&options, &record->verdict, &record->error);
    interrupt = stop_requested;
    record->kind = outcome == MATCH_FAILED ? RECORD_FAILED : RECORD_PLAYED;
    for (uint32_t i = 0; i < record->verdict.players && record->kind == RECORD_PLAYED; i++)
        if (record->verdict.player[i].status != STATUS_OK) {
            record->kind = RECORD_BAD_BOT;
            error_set(&record->error, "it failed in its first turn: it %s",
                      record->verdict.player[i].failure[0] ? record->verdict.player[i].failure
                                                           : "does not start");
        }
    verdict_free(&record->verdict);
}

static void build(const JobCopy *copy, const Sandbox *sandbox, Record *record) {
    bool good =
        bot_build(copy->job.bots[0], sandbox, &stop_requested, &record->build, &record->error);
    record->built = good;
    record->kind = good ? RECORD_PLAYED : RECORD_BAD_BOT;
    if (good && copy->job.try_turn)
        try_turn(copy, sandbox, record);
    if (good && copy->job.bots[0]->directory)
        record->left = bot_build_size(copy->job.bots[0]->directory);
}

/* ---- checks ---- */

static void check(const JobCopy *copy, const Sandbox *sandbox, Record *record) {
    static CheckReport report; /* too large for the stack */
    const Job *job = &copy->job;
    CheckOptions options = {
        .game = job->game,
        .bot = job->bots[0],
        .sandbox = sandbox,
        .overrides = &job->overrides,
        .seed = job->seed,
        .interrupt = &interrupt,
    };
    if (check_run(&options, &report, &record->error)) {
        JsonOut out = {.to = &record->text};
        json_open(&out, NULL, '{');
        check_json(&report, &out);
        json_close(&out, '}');
        record->check_errors = report.errors;
        record->check_warnings = report.finding_count - report.errors;
        record->kind = RECORD_PLAYED;
    }
    check_free(&report);
}

/* Does one job and closes `replay`. False if the dispatcher is gone. */
static bool serve(Slice message, int replay, const Sandbox *sandbox, Buffer *text) {
    JobCopy copy;
    Record record = {.kind = RECORD_FAILED};
    int64_t began = clock_now();
    if (!job_decode(&copy, message)) {
        error_set(&record.error, "a runner received an invalid job");
        if (replay >= 0)
            close(replay);
    } else if (copy.job.task == TASK_BUILD) {
        build(&copy, sandbox, &record);
    } else if (copy.job.task == TASK_CHECK) {
        check(&copy, sandbox, &record);
    } else {
        play(&copy, replay, sandbox, text, &record);
    }
    record.id = copy.job.id;
    record.wall = clock_now() - began;
    if (stop_requested)
        record.kind = RECORD_STOPPED;
    bool sent = send_record(&record, text);
    record_free(&record);
    job_free(&copy);
    return sent;
}

int runner_run(SandboxMode mode, int core, bool yields) {
    Record record = {.kind = RECORD_READY};
    Buffer text = {0};
    Buffer message = {0};
    prepare_process(core, yields);
    Sandbox *sandbox = sandbox_new(mode, &record.error);
    if (!sandbox || !process_prepare(&record.error))
        record.kind = RECORD_FAILED;
    if (sandbox && yields)
        sandbox_yield(sandbox);
    bool alive = send_record(&record, &text) && record.kind == RECORD_READY;
    int replay = -1;
    while (alive && !stop_requested && message_read(RUNNER_SOCKET, &message, &replay))
        alive = serve((Slice){message.data, message.length}, replay, sandbox, &text);
    sandbox_free(sandbox);
    buffer_free(&message);
    buffer_free(&text);
    return record.kind == RECORD_READY ? 0 : 1;
}
