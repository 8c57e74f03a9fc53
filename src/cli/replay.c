/* skirmish replay: verifies, shows and exports replays. replay_player.c plays them in the terminal,
   local_viewer.c in a browser. */
#include "analysis/analysis.h"
#include "base/nearest_name.h"
#include "cli/cli.h"
#include "cli/local_viewer.h"
#include "cli/progress_bar.h"
#include "cli/replay_player.h"
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char help[] =
    "Verify, show, watch and export replays.\n"
    "\n"
    "Usage: skirmish replay verify FILE...\n"
    "       skirmish replay show FILE [--turn N]\n"
    "       skirmish replay watch FILE [--speed N]\n"
    "       skirmish replay view FILE [--port N] [--no-open]\n"
    "       skirmish replay export FILE\n"
    "       skirmish replay info FILE\n"
    "\n"
    "verify  replay the match from the recorded answers, and check the state after every\n"
    "        turn, the number of rejected orders, and the verdict\n"
    "show    draw the board after turn N (default: the last; 0 is the start)\n"
    "watch   play the match in the terminal:\n"
    "          space         pause or continue     right, left   next, previous turn\n"
    "          + -           faster, slower        Home, End     first, last turn\n"
    "          NUMBER Enter  go to that turn       q             quit\n"
    "view    open the match in the arena's viewer in your browser, without an arena. The\n"
    "        viewer is on this machine only, at a free port or at port N, until Ctrl-C;\n"
    "        --no-open only prints its address. Shows the winning chances, too, if\n"
    "        `skirmish analyze` has written them next to the replay\n"
    "export  print one JSON line per turn: the full state, and for each player the\n"
    "        answer, orders, rejected orders with reasons, standard error and times\n"
    "info    print two JSON lines: the setup of the match, and its verdict\n"
    "\n"
    "Exit status: 0 success, 2 invalid usage, or a file that cannot be read, is not a\n"
    "replay, is damaged or fails verification.\n"
    "\n"
    "Examples\n"
    "  skirmish play aliens --replay match.skr house:medium house:random\n"
    "  skirmish replay verify match.skr\n"
    "  skirmish replay show match.skr --turn 10\n"
    "  skirmish replay watch match.skr --speed 4\n"
    "  skirmish replay view match.skr\n";

/* ---- walking ---- */

typedef struct Walk {
    Replay *replay;
    Board board;
    bool has_board;
    ReplayTurn turn;
    ReplayEnd end;
    Error error;
    const char *path;
} Walk;

static bool walk_open(Walk *walk, const char *path) {
    walk->path = path;
    walk->replay = replay_open(path, &walk->error);
    walk->has_board = walk->replay && replay_board(walk->replay, &walk->board, &walk->error);
    return walk->has_board;
}

/* Plays the next turn; REPLAY_BROKEN also if the result differs from the recorded one. */
static ReplayStep walk_next(Walk *walk) {
    ReplayStep step = replay_next(walk->replay, &walk->turn, &walk->end, &walk->error);
    bool good = step == REPLAY_TURN  ? replay_apply(&walk->board, &walk->turn, &walk->error)
                : step == REPLAY_END ? replay_check_end(&walk->board, &walk->end, &walk->error)
                                     : true;
    if (good)
        return step;
    error_prefix(&walk->error, "%s: verification failed", walk->path);
    return REPLAY_BROKEN;
}

/* Shows the progress of one of several replays. A match may end before its last turn. */
static void walk_progress(const Walk *walk, int index, int count) {
    double turns = walk->board.setup->turns_max;
    double done = turns > 0 ? walk->board.state->turn / turns : 0;
    if (count > 1)
        progress_bar_show((index + done) / count, "%d of %d replays", index, count);
    else
        progress_bar_show(done, "turn %u of at most %.0f", walk->board.state->turn, turns);
}

static int walk_close(Walk *walk, bool good) {
    if (!good)
        print_error("%s", walk->error.text);
    if (walk->has_board)
        board_free(&walk->board);
    replay_free(walk->replay);
    return good ? STATUS_DONE : STATUS_USAGE;
}

/* ---- verify ---- */

/* Verifies one of several replays. */
static int verify(const char *path, int index, int count) {
    static Walk walk;
    walk = (Walk){0};
    ReplayStep step = REPLAY_BROKEN;
    if (walk_open(&walk, path))
        do {
            step = walk_next(&walk);
            walk_progress(&walk, index, count);
        } while (step == REPLAY_TURN);
    if (step == REPLAY_END)
        print("%s: verified: %s, seed %" PRIu64 ", %u turns, %.*s\n", path,
              replay_header(walk.replay)->game->name, replay_header(walk.replay)->seed,
              walk.end.turns, (int)walk.end.reason.length, walk.end.reason.at);
    return walk_close(&walk, step == REPLAY_END);
}

static int run_verify(int count, char **arguments) {
    if (count < 2)
        return usage_error(&command_replay, "verify: expected at least one FILE");
    int status = STATUS_DONE;
    progress_bar_begin(false, PROGRESS_DELAY_MS);
    for (int i = 1; i < count; i++)
        if (verify(arguments[i], i - 1, count - 1) != STATUS_DONE)
            status = STATUS_USAGE;
    progress_bar_end();
    return status;
}

/* ---- show ---- */

static int show(const char *path, uint64_t turn) {
    static Walk walk;
    walk = (Walk){0};
    ReplayStep step = walk_open(&walk, path) ? REPLAY_TURN : REPLAY_BROKEN;
    while (step == REPLAY_TURN && walk.board.state->turn < turn)
        step = walk_next(&walk);
    bool good = step != REPLAY_BROKEN;
    if (good && turn != UINT64_MAX && walk.board.state->turn != turn)
        good = error_set(&walk.error, "%s has no turn %" PRIu64 "; its last turn is %u", path, turn,
                         walk.board.state->turn);
    if (good) {
        const ReplayHeader *header = replay_header(walk.replay);
        char head[160];
        snprintf(head, sizeof head, "%s  seed %" PRIu64 "  after turn %u", header->game->title,
                 header->seed, walk.board.state->turn);
        Buffer picture = {0};
        terminal_draw_board(&walk.board, header->names, head, terminal_has_colour(stdout),
                            &picture);
        if (step == REPLAY_END)
            buffer_format(&picture, "\nThe match ended: %.*s.\n", SLICE_ARGS(walk.end.reason));
        print_buffer(TEXT_COLOURS, &picture);
        buffer_free(&picture);
    }
    return walk_close(&walk, good);
}

/* ---- export ---- */

static int export(const char *path) {
    static Walk walk;
    walk = (Walk){0};
    Buffer line = {0};
    ReplayStep step = REPLAY_BROKEN;
    bool reader = true;
    progress_bar_begin(isatty(STDOUT_FILENO), PROGRESS_DELAY_MS);
    if (walk_open(&walk, path)) {
        walk.board.notes->wants_events = true;
        while ((step = walk_next(&walk)) == REPLAY_TURN && reader) {
            replay_turn_json(&walk.board, replay_header(walk.replay)->names, walk.turn.players,
                             true, &line);
            buffer_char(&line, '\n');
            reader = print_buffer(TEXT_JSON, &line);
            walk_progress(&walk, 0, 1);
        }
    }
    progress_bar_end();
    buffer_free(&line);
    return walk_close(&walk, step != REPLAY_BROKEN);
}

/* ---- info ---- */

static int info(const char *path) {
    static Walk walk;
    walk = (Walk){0};
    ReplayStep step = REPLAY_BROKEN;
    if (walk_open(&walk, path)) {
        print_as(stdout, TEXT_JSON, replay_header_json(walk.replay));
        print("\n");
        do
            step = replay_next(walk.replay, &walk.turn, &walk.end, &walk.error);
        while (step == REPLAY_TURN);
    }
    if (step == REPLAY_END) {
        print_as(stdout, TEXT_JSON, walk.end.json);
        print("\n");
    }
    return walk_close(&walk, step == REPLAY_END);
}

/* ---- view ---- */

static int view(const char *path, const LocalViewerOptions *options) {
    Error error = {0};
    Replay *replay = replay_open(path, &error);
    int file = replay ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (replay && file < 0)
        error_set(&error, "cannot read %s: %s", path, strerror(errno));
    const Game *game = replay ? replay_header(replay)->game : NULL;
    replay_free(replay);
    if (file < 0) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    Buffer analysis_path = {0};
    analysis_file_name(path, &analysis_path);
    int analysis = open(buffer_string(&analysis_path), O_RDONLY | O_CLOEXEC);
    buffer_free(&analysis_path);
    const char *slash = strrchr(path, '/');
    return local_viewer_show(options, slash ? slash + 1 : path, game, file, analysis);
}

static int run_view(int count, char **arguments) {
    static const struct option known[] = {
        {"port", required_argument, NULL, 'p'},
        {"no-open", no_argument, NULL, 'n'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    LocalViewerOptions options = {0};
    Error error = {0};
    int status = STATUS_DONE;
    int option;
    while ((option = next_option(&command_replay, count, arguments, known, &status)) != 0) {
        if (option < 0)
            return status;
        if (option == 'n')
            options.no_browser = true;
        else if (!parse_count("--port", optarg, 0, UINT16_MAX, &options.port, &error))
            return usage_error(&command_replay, "view: %s", error.text);
    }
    if (count - optind != 1)
        return usage_error(&command_replay, "view: expected one FILE");
    return view(arguments[optind], &options);
}

/* ---- the command ---- */

/* FILE and one option with a number, in either order. */
static bool read_file_and_number(int count, char **arguments, const char *option, uint64_t most,
                                 const char **path, uint64_t *number, Error *error) {
    *path = NULL;
    size_t length = strlen(option);
    for (int i = 1; i < count; i++) {
        const char *word = arguments[i];
        const char *value = NULL;
        if (strcmp(word, option) == 0)
            value = i + 1 < count ? arguments[++i] : "";
        else if (strncmp(word, option, length) == 0 && word[length] == '=')
            value = word + length + 1;
        if (value) {
            if (!parse_number(option, value, 0, most, number, error))
                return false;
        } else if (word[0] == '-' && word[1]) {
            return error_set(error, "unknown option \"%s\"; did you mean \"%s\"?", word, option);
        } else if (*path) {
            return error_set(error, "unexpected argument \"%s\"", word);
        } else {
            *path = word;
        }
    }
    return *path || error_set(error, "expected one FILE");
}

static int run(int count, char **arguments) {
    const char *what = count > 1 ? arguments[1] : "";
    const char *path = NULL;
    uint64_t turn = UINT64_MAX;
    uint64_t speed = 8;
    Error error = {0};
    if (strcmp(what, "verify") == 0)
        return run_verify(count - 1, arguments + 1);
    if (strcmp(what, "show") == 0)
        return read_file_and_number(count - 1, arguments + 1, "--turn", UINT32_MAX, &path, &turn,
                                    &error)
                   ? show(path, turn)
                   : usage_error(&command_replay, "show: %s", error.text);
    if (strcmp(what, "watch") == 0)
        return read_file_and_number(count - 1, arguments + 1, "--speed", 1000, &path, &speed,
                                    &error)
                   ? replay_player_run(path, (unsigned)speed)
                   : usage_error(&command_replay, "watch: %s", error.text);
    if (strcmp(what, "view") == 0)
        return run_view(count - 1, arguments + 1);
    bool exports = strcmp(what, "export") == 0;
    if (exports || strcmp(what, "info") == 0) {
        if (count != 3)
            return usage_error(&command_replay, "%s: expected one FILE", what);
        return exports ? export(arguments[2]) : info(arguments[2]);
    }
    if (!*what)
        return usage_error(&command_replay, "expected verify, show, watch, view, export or info");
    static const char *const actions[] = {"verify", "show", "watch", "view",
                                          "export", "info", NULL};
    unknown_name("action", slice_of(what), actions, &error);
    return usage_error(&command_replay, "%s", error.text);
}

const Command command_replay = {"replay", help, run};
