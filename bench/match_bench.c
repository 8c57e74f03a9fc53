/* Whole matches between two trivial bots, compared with a baseline in the same run: the same bytes
   over the same pipes without a referee. The ratio is what the referee adds (views, framing,
   parsing, rules, times, digests, the record). */
#include "base/clock.h"
#include "bench.h"
#include "bots/process.h"
#include "match/match.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES_MAX = 256, BOTS = 2 };

static char *bot_command;
static char bot_directory[4096];

/* The trivial bot is next to this program. */
static const char *command_for(const BenchScene *scene) {
    char self[4096] = "";
    Buffer command = {0};
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    snprintf(bot_directory, sizeof bot_directory, "%s", self);
    buffer_format(&command, "exec '%s/trivial_bot' '%s' '%s' '%s'", self, scene->view_end,
                  scene->trivial_hello, scene->trivial_answer);
    buffer_string(&command);
    free(bot_command);
    bot_command = command.data;
    return bot_command;
}

static GameSetup *two_player_setup(const Game *game) {
    GameFile none = {0};
    Error error = {0};
    GameSetup *setup = game->setup(&none, &none, BOTS, &error);
    if (!setup) {
        fprintf(stderr, "%s: %s\n", game->name, error.text);
        exit(1);
    }
    return setup;
}

/* ---- the baseline ---- */

/* What the bots of such a match receive, in order. */
typedef struct Script {
    uint32_t turns;
    Buffer bytes;
    Buffer lengths; /* size_t each, BOTS per turn */
} Script;

static void write_script(const BenchScene *scene, Script *script) {
    Board board;
    board_init(&board, two_player_setup(scene->game), 1);
    PlayerTurn turns[BOTS];
    for (int i = 0; i < BOTS; i++)
        turns[i] = (PlayerTurn){.kind = ANSWER_GIVEN, .answer = slice_of(scene->trivial_answer)};
    while (!board.state->over) {
        for (uint32_t i = 0; i < BOTS; i++) {
            size_t before = script->bytes.length;
            scene->game->view(board.setup, board.state, i, &script->bytes);
            size_t length = script->bytes.length - before;
            buffer_add(&script->lengths, &length, sizeof length);
        }
        board_apply(&board, turns);
        script->turns++;
    }
    board_free(&board);
}

static void read_fully(int fd, size_t count) {
    char bytes[4096];
    while (count) {
        ssize_t got = read(fd, bytes, count < sizeof bytes ? count : sizeof bytes);
        if (got <= 0) {
            fprintf(stderr, "the trivial bot has gone\n");
            exit(1);
        }
        count -= (size_t)got;
    }
}

static void write_fully(int fd, const char *bytes, size_t count) {
    while (count) {
        ssize_t written = write(fd, bytes, count);
        if (written <= 0) {
            fprintf(stderr, "the trivial bot has gone\n");
            exit(1);
        }
        bytes += written;
        count -= (size_t)written;
    }
}

/* Nanoseconds per turn from the second turn on: the first includes the start of the programs. */
static double time_floor(const BenchScene *scene, const Script *script) {
    Process bots[BOTS];
    Error error = {0};
    for (int i = 0; i < BOTS; i++) {
        ProcessStart start = {.command = bot_command};
        if (!process_start(&bots[i], &start, &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        fcntl(bots[i].in, F_SETFL, 0);
        fcntl(bots[i].out, F_SETFL, 0);
        read_fully(bots[i].out, strlen(scene->trivial_hello));
    }
    const char *at = script->bytes.data;
    const size_t *length = (const size_t *)(const void *)script->lengths.data;
    size_t answer = strlen(scene->trivial_answer);
    int64_t began = 0;
    for (uint32_t turn = 0; turn < script->turns; turn++) {
        for (int i = 0; i < BOTS; i++) {
            write_fully(bots[i].in, at, *length);
            read_fully(bots[i].out, answer);
            at += *length++;
        }
        if (turn == 0)
            began = clock_now();
    }
    int64_t ended = clock_now();
    for (int i = 0; i < BOTS; i++)
        process_end(&bots[i]);
    return (double)(ended - began) / (script->turns - 1);
}

/* ---- the match ---- */

typedef struct Clock {
    int64_t first; /* when the first turn ended */
    int64_t last;
} Clock;

static void on_turn(void *context, const Board *board, const PlayerTurn *turns) {
    Clock *clock = context;
    (void)turns;
    if (board->state->turn == 1)
        clock->first = clock_now();
    if (board->state->over)
        clock->last = clock_now();
}

/* Nanoseconds per turn; the time of start and end goes to `around`. */
static double time_match(const BenchScene *scene, const Sandbox *sandbox, const char *replay,
                         double *around) {
    static char name[] = "trivial";
    BotSpec bots[BOTS];
    for (int i = 0; i < BOTS; i++)
        bots[i] = (BotSpec){
            .name = name, .text = bot_command, .command = bot_command, .directory = bot_directory};
    Error error = {0};
    GameFile none = {0};
    Clock clock = {0};
    MatchWatcher watcher = {.context = &clock, .turn = on_turn};
    MatchOptions options = {
        .setup = two_player_setup(scene->game),
        .seed = 1,
        .bots = bots,
        .config = &none,
        .map = &none,
        .watcher = &watcher,
        .sandbox = sandbox,
        .limits = sandbox_standard_limits,
        .replay = replay ? replay_create(replay, &error) : NULL,
    };
    Verdict verdict;
    int64_t began = clock_now();
    if ((replay && !options.replay) || match_play(&options, &verdict, &error) != MATCH_PLAYED) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    int64_t ended = clock_now();
    for (int i = 0; i < BOTS; i++)
        if (verdict.player[i].status != STATUS_OK || verdict.player[i].refused) {
            fprintf(stderr, "%s: the trivial bot fails: %s\n", scene->game->name,
                    verdict.player[i].failure);
            exit(1);
        }
    *around = (double)(ended - began - (clock.last - clock.first));
    double turn = (double)(clock.last - clock.first) / (verdict.turns - 1);
    replay_close(options.replay);
    verdict_free(&verdict);
    return turn;
}

void bench_match(const BenchScene *scene, const BenchOptions *options, Report *report) {
    /* Alternately, so that noise affects all of them. Each match takes only a few milliseconds, so
       there are more samples than of other figures. */
    static double match[SAMPLES_MAX];
    static double recorded[SAMPLES_MAX];
    static double bare[SAMPLES_MAX];
    static double ratio[SAMPLES_MAX];
    static double guarded[SAMPLES_MAX];
    static double guarded_ratio[SAMPLES_MAX];
    static double guarded_around[SAMPLES_MAX];
    static double around[SAMPLES_MAX];
    char replay[] = "/tmp/skirmish-bench-XXXXXX";
    uint32_t samples = options->quick ? 3 : 101;
    Script script = {0};
    Error error = {0};
    int fd = mkstemp(replay);
    if (fd < 0 || !process_prepare(&error)) {
        fprintf(stderr, "cannot prepare matches: %s\n", fd < 0 ? replay : error.text);
        exit(1);
    }
    close(fd);
    Sandbox *sandbox = sandbox_new(SANDBOX_BEST_EFFORT, &error);
    command_for(scene);
    write_script(scene, &script);
    for (uint32_t i = 0; i < samples; i++) {
        double unused = 0;
        double floor = time_floor(scene, &script);
        double turn = time_match(scene, NULL, NULL, &around[i]);
        bare[i] = 1e9 / floor;
        match[i] = 1e9 / turn;
        ratio[i] = turn / floor;
        around[i] = 1e9 / around[i];
        recorded[i] = 1e9 / time_match(scene, NULL, replay, &unused);
        double inside = time_match(scene, sandbox, NULL, &guarded_around[i]);
        guarded[i] = 1e9 / inside;
        guarded_ratio[i] = inside / floor;
        guarded_around[i] = 1e9 / guarded_around[i];
    }
    unlink(replay);
    report_figure(report, scene->game->name, "bare pipes", "turns/s", stats_of(bare, samples),
                  "the floor: the same bytes, two bots");
    report_figure(report, scene->game->name, "match", "turns/s", stats_of(match, samples),
                  "two trivial bots, in turn");
    report_figure(report, scene->game->name, "match recorded", "turns/s",
                  stats_of(recorded, samples), "with a replay");
    report_figure(report, scene->game->name, "match / floor", "times", stats_of(ratio, samples),
                  "time of a turn, as a multiple of the floor");
    report_figure(report, scene->game->name, "start and end", "matches/s",
                  stats_of(around, samples), "turns not counted");
    report_figure(report, scene->game->name, "sandboxed", "turns/s", stats_of(guarded, samples),
                  "a match with every layer there is");
    report_figure(report, scene->game->name, "sandboxed / floor", "times",
                  stats_of(guarded_ratio, samples), NULL);
    report_figure(report, scene->game->name, "start and end", "matches/s",
                  stats_of(guarded_around, samples), "sandboxed");
    sandbox_free(sandbox);
    buffer_free(&script.bytes);
    buffer_free(&script.lengths);
    free(bot_command);
    bot_command = NULL;
}
