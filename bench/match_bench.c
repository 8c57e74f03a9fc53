/* Whole matches between two trivial bots, compared with a baseline in the same run: the same bytes
   over the same pipes without a referee. The ratio is what the referee adds (views, framing,
   parsing, rules, times, digests, the record).

   Both are measured in short slices that alternate on one core. The ratio of a match is the median
   over its slices; the figure is the median over the matches. */
#include "base/clock.h"
#include "bench.h"
#include "bots/process.h"
#include "match/match.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    BOTS = 2,
    MATCHES_MAX = 64,
    SLICE = 8, /* turns: about a tenth of a millisecond */
    SLICES_MAX = 4096,
};

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

/* The views that the bots of such a match receive, in order. */
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

/* The two bots of the baseline. They share the core with the match and get the same views as its
   bots, slice by slice. */
typedef struct Floor {
    const Script *script;
    size_t answer; /* bytes */
    Process bots[BOTS];
    uint32_t turn; /* the next one */
    const char *at;
    const size_t *length;
} Floor;

static void floor_open(Floor *floor, const BenchScene *scene, const Script *script) {
    Error error = {0};
    *floor = (Floor){
        .script = script,
        .answer = strlen(scene->trivial_answer),
        .at = script->bytes.data,
        .length = (const size_t *)(const void *)script->lengths.data,
    };
    for (int i = 0; i < BOTS; i++) {
        ProcessStart start = {.command = bot_command};
        if (!process_start(&floor->bots[i], &start, &error)) {
            fprintf(stderr, "%s\n", error.text);
            exit(1);
        }
        fcntl(floor->bots[i].in, F_SETFL, 0);
        fcntl(floor->bots[i].out, F_SETFL, 0);
        read_fully(floor->bots[i].out, strlen(scene->trivial_hello));
    }
}

static void floor_close(Floor *floor) {
    for (int i = 0; i < BOTS; i++)
        process_end(&floor->bots[i]);
}

/* Loads the next views into the cache, because in a match a view was just written and is already
   there. */
static void floor_warm(const Floor *floor, uint32_t turns) {
    enum { LINE = 64 }; /* bytes of a cache line */
    size_t bytes = 0;
    for (uint32_t i = 0; i < turns * BOTS; i++)
        bytes += floor->length[i];
    for (size_t i = 0; i < bytes; i += LINE)
        (void)*(const volatile char *)&floor->at[i];
}

/* Plays until `turn` turns are played; returns the elapsed nanoseconds. */
static double floor_play(Floor *floor, uint32_t turn) {
    uint32_t end = turn < floor->script->turns ? turn : floor->script->turns;
    floor_warm(floor, end - floor->turn);
    int64_t began = clock_now();
    for (; floor->turn < end; floor->turn++)
        for (int i = 0; i < BOTS; i++) {
            write_fully(floor->bots[i].in, floor->at, *floor->length);
            read_fully(floor->bots[i].out, floor->answer);
            floor->at += *floor->length++;
        }
    return (double)(clock_now() - began);
}

/* ---- the match ---- */

/* The measurements during a match. After every SLICE turns of the match, the baseline plays the
   same turns, so that both meet the same noise, and a disturbance spoils one slice, not the
   match. */
typedef struct Meter {
    Floor floor;
    uint32_t slices;
    double match[SLICES_MAX]; /* nanoseconds per turn */
    double bare[SLICES_MAX];
    double ratio[SLICES_MAX];
    int64_t resumed; /* when the current slice of the match began */
    int64_t first;   /* when the first and the last turn ended */
    int64_t last;
} Meter;

static void on_turn(void *context, const Board *board, const PlayerTurn *turns) {
    Meter *meter = context;
    uint32_t turn = (uint32_t)board->state->turn;
    (void)turns;
    if (turn == 1)
        meter->first = clock_now();
    if (turn % SLICE == 0) {
        double match = (double)(clock_now() - meter->resumed) / SLICE;
        double bare = floor_play(&meter->floor, turn) / SLICE;
        /* The first slice includes the start of the programs. */
        if (turn > SLICE && meter->slices < SLICES_MAX) {
            meter->match[meter->slices] = match;
            meter->bare[meter->slices] = bare;
            meter->ratio[meter->slices++] = match / bare;
        }
        meter->resumed = clock_now();
    }
    if (board->state->over) {
        floor_close(&meter->floor);
        meter->last = clock_now();
    }
}

/* One match: medians of its slices. */
typedef struct Measured {
    double match; /* nanoseconds per turn */
    double bare;
    double ratio;
    double around; /* nanoseconds for starting and ending the match */
} Measured;

static Measured measure_match(const BenchScene *scene, const Script *script, const Sandbox *sandbox,
                              const char *replay) {
    static char name[] = "trivial";
    static Meter meter;
    BotSpec bots[BOTS];
    for (int i = 0; i < BOTS; i++)
        bots[i] = (BotSpec){
            .name = name, .text = bot_command, .command = bot_command, .directory = bot_directory};
    Error error = {0};
    GameFile none = {0};
    meter = (Meter){0};
    floor_open(&meter.floor, scene, script);
    MatchWatcher watcher = {.context = &meter, .turn = on_turn};
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
    Measured measured = {
        .match = stats_of(meter.match, meter.slices).median,
        .bare = stats_of(meter.bare, meter.slices).median,
        .ratio = stats_of(meter.ratio, meter.slices).median,
        .around = (double)(ended - began - (meter.last - meter.first)),
    };
    replay_close(options.replay);
    verdict_free(&verdict);
    return measured;
}

/* One figure for every match of one kind. */
typedef struct Series {
    double match[MATCHES_MAX]; /* turns per second */
    double bare[MATCHES_MAX];
    double ratio[MATCHES_MAX];
    double around[MATCHES_MAX]; /* matches per second, without their turns */
} Series;

static void series_set(Series *series, uint32_t i, Measured measured) {
    series->match[i] = 1e9 / measured.match;
    series->bare[i] = 1e9 / measured.bare;
    series->ratio[i] = measured.ratio;
    series->around[i] = 1e9 / measured.around;
}

void bench_match(const BenchScene *scene, const BenchOptions *options, Report *report) {
    static Series plain;
    static Series recorded;
    static Series guarded;
    const char *game = scene->game->name;
    char replay[] = "/tmp/skirmish-bench-XXXXXX";
    uint32_t matches = options->quick ? 3 : 51;
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
    for (uint32_t i = 0; i < matches; i++) {
        series_set(&plain, i, measure_match(scene, &script, NULL, NULL));
        series_set(&recorded, i, measure_match(scene, &script, NULL, replay));
        series_set(&guarded, i, measure_match(scene, &script, sandbox, NULL));
    }
    unlink(replay);
    report_figure(report, game, "bare pipes", "turns/s", stats_of(plain.bare, matches),
                  "the floor: the same bytes, two bots");
    report_figure(report, game, "match", "turns/s", stats_of(plain.match, matches),
                  "two trivial bots, in turn");
    report_figure(report, game, "match / floor", "times", stats_of(plain.ratio, matches),
                  "time of a turn, as a multiple of the floor");
    report_figure(report, game, "match recorded", "turns/s", stats_of(recorded.match, matches),
                  "with a replay");
    report_figure(report, game, "recorded / floor", "times", stats_of(recorded.ratio, matches),
                  NULL);
    report_figure(report, game, "start and end", "matches/s", stats_of(plain.around, matches),
                  "turns not counted");
    report_figure(report, game, "sandboxed", "turns/s", stats_of(guarded.match, matches),
                  "a match with every layer there is");
    report_figure(report, game, "sandboxed / floor", "times", stats_of(guarded.ratio, matches),
                  NULL);
    report_figure(report, game, "start and end", "matches/s", stats_of(guarded.around, matches),
                  "sandboxed");
    sandbox_free(sandbox);
    buffer_free(&script.bytes);
    buffer_free(&script.lengths);
    free(bot_command);
    bot_command = NULL;
}
