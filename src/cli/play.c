/* skirmish play: plays one match between bots. */
#include "base/clock.h"
#include "base/memory.h"
#include "bots/bot_spec.h"
#include "cli/local_viewer.h"
#include "cli/match_setup.h"
#include "cli/progress_bar.h"
#include "cli/sandbox_option.h"
#include "cli/terminal.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { TAIL_BYTES = 2048, TAIL_LINES = 12, NAME_COLUMNS = 15 };

static const char help[] =
    "Play one match between bots and print the result.\n"
    "\n"
    "Usage: skirmish play GAME [options] BOT BOT...\n"
    "\n"
    "`skirmish games` lists the games, their maps and their configuration fields. In a terminal,\n"
    "without bots, the command asks for them.\n"
    "\n"
    "A BOT is one of\n"
    "  \"python3 my_bot.py\"   a shell command: any program that speaks the protocol\n"
    "  path/to/directory     a directory with a bot.json, such as\n"
    "                        {\"name\": \"mine\", \"build\": \"make\", \"run\": \"./mine\"};\n"
    "                        build (optional) and run are shell commands, run there\n"
    "  house:NAME            a bot that comes with Skirmish, such as house:random\n"
    "  tcp:HOST:PORT         a bot that listens on a TCP port\n"
    "  unix:PATH             a bot that listens on a Unix socket\n"
    "\n"
    "Match options\n"
    "  --config FILE         game configuration (- for standard input)\n"
    "  --map NAME|FILE       a standard map, a file, or generate[:SEED[:SIZE]]\n"
    "  --seed N              seed of all random events, also of bots that use\n"
    "                        SKIRMISH_SEED (default: random, printed)\n"
    "  --turn-time MS        time limit for one turn\n"
    "  --start-time MS       time limit for starting\n"
    "  --think in-turn       bots think one after the other on one core, the others\n"
    "                        are paused (default)\n"
    "  --think together      all bots think at the same time, on all cores\n"
    "  --sandbox MODE        strict (fail if any layer is missing), strict-except-uid (the\n"
    "                        same for ordinary users), best-effort (default: print what is\n"
    "                        missing) or none\n"
    "  --limit NAME=VALUE    resource limit for each bot; can be repeated\n"
    "                          memory     MiB (256, unless the game sets another limit)\n"
    "                          processes  processes and threads (64)\n"
    "                          cpu        percent of one core (its share)\n"
    "                          files      open files (256)\n"
    "                          file-size  MiB per file (64)\n"
    "                          tmp        MiB in the private /tmp (64)\n"
    "                          answer     bytes per answer (set by the game)\n"
    "                          stderr     bytes of standard error kept per match (1048576)\n"
    "                          replay     bytes of answers per match, of all bots together\n"
    "                                     (8388608, or 3145728 per bot); beyond it, bots\n"
    "                                     with more than an equal share are disqualified\n"
    "  --ponder              with in-turn: let bots compute while another one thinks\n"
    "  --replay FILE         write a replay; see `skirmish help replay`\n"
    "\n"
    "Play on from a replay\n"
    "  --from REPLAY         start with its configuration, map, seed and times\n"
    "  --turn N              with --from: use the recorded answers for the first N turns\n"
    "                        and ignore what the bots answer in them\n"
    "\n"
    "Output options\n"
    "  --watch               draw each turn in the terminal\n"
    "  --speed N             with --watch: turns per second, 0 for no limit (default 8)\n"
    "  --view                open the match in the arena's viewer in your browser when it is\n"
    "                        over; the viewer runs on this machine only, until Ctrl-C\n"
    "  --port N              with --view: the viewer's port (default: a free one)\n"
    "  --no-open             with --view: only print the viewer's address\n"
    "  --log                 print events and rejected orders, turn by turn\n"
    "  --stderr              print the bots' standard error, each line with its seat\n"
    "  --json                print the result as one JSON object\n"
    "  --quiet               print only errors and missing sandbox layers\n"
    "\n"
    "Exit status: 0 match played, 1 internal failure, 2 invalid usage, file or bot,\n"
    "130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish play aliens --watch house:medium house:random\n"
    "  skirmish play aliens house:medium \"python3 my_bot.py\"\n"
    "  skirmish play planetwars --map generate:7 --replay match.skr ./mine house:medium\n";

typedef struct Play {
    const char *config;
    const char *map;
    const char *replay;
    const char *from;
    uint32_t from_turn;
    Replay *prelude;
    uint64_t seed;
    bool seed_given;
    MatchOverrides overrides;
    uint64_t speed;
    MatchThink think;
    SandboxMode sandbox_mode;
    Sandbox *sandbox;
    SandboxLimits bot_limits;
    LocalViewerOptions viewer;
    int viewed; /* the replay that --view shows after the match; -1: none */
    bool watch;
    bool view;
    bool log;
    bool errors;
    bool json;
    bool quiet;
    MatchSetup setup;
    const char *names[GAME_PLAYERS_MAX];
    bool colour;
    Buffer picture;
    Buffer tail[GAME_PLAYERS_MAX]; /* the end of each bot's standard error */
} Play;

/* ---- options ---- */

static bool read_think(Play *play, const char *text, Error *error) {
    static const char *const names[] = {"in-turn", "together", NULL};
    static const MatchThink modes[] = {THINK_IN_TURN, THINK_TOGETHER};
    uint32_t index = 0;
    if (!parse_choice("--think", text, names, &index, error))
        return false;
    play->think = modes[index];
    return true;
}

static bool read_option(void *context, int option, const char *value, Error *error) {
    Play *play = context;
    switch (option) {
    case 'c':
        play->config = value;
        return true;
    case 'm':
        play->map = value;
        return true;
    case 's':
        play->seed_given = true;
        return parse_number("--seed", value, 0, UINT64_MAX, &play->seed, error);
    case 't':
        return parse_count("--turn-time", value, 1, 3600000, &play->overrides.turn_ms, error);
    case 'T':
        return parse_count("--start-time", value, 1, 3600000, &play->overrides.start_ms, error);
    case 'k':
        return read_think(play, value, error);
    case 'x':
        return read_sandbox_mode(value, &play->sandbox_mode, error);
    case 'L':
        return read_limit(&play->overrides, value, error);
    case 'p':
        play->overrides.ponder = true;
        return true;
    case 'r':
        play->replay = value;
        return true;
    case 'f':
        play->from = value;
        return true;
    case 'n':
        return parse_count("--turn", value, 1, UINT32_MAX - 1, &play->from_turn, error);
    case 'w':
        play->watch = true;
        return true;
    case 'S':
        return parse_number("--speed", value, 0, 1000, &play->speed, error);
    case 'v':
        play->view = true;
        return true;
    case 'P':
        return parse_count("--port", value, 0, UINT16_MAX, &play->viewer.port, error);
    case 'o':
        play->viewer.no_browser = true;
        return true;
    case 'l':
        play->log = true;
        return true;
    case 'e':
        play->errors = true;
        return true;
    case 'j':
        play->json = true;
        return true;
    default:
        play->quiet = true;
        return true;
    }
}

/* False when the exit status is in *status. */
static bool read_options(Play *play, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"config", required_argument, NULL, 'c'},
        {"map", required_argument, NULL, 'm'},
        {"seed", required_argument, NULL, 's'},
        {"turn-time", required_argument, NULL, 't'},
        {"start-time", required_argument, NULL, 'T'},
        {"think", required_argument, NULL, 'k'},
        {"replay", required_argument, NULL, 'r'},
        {"from", required_argument, NULL, 'f'},
        {"turn", required_argument, NULL, 'n'},
        {"sandbox", required_argument, NULL, 'x'},
        {"limit", required_argument, NULL, 'L'},
        {"ponder", no_argument, NULL, 'p'},
        {"watch", no_argument, NULL, 'w'},
        {"speed", required_argument, NULL, 'S'},
        {"view", no_argument, NULL, 'v'},
        {"port", required_argument, NULL, 'P'},
        {"no-open", no_argument, NULL, 'o'},
        {"log", no_argument, NULL, 'l'},
        {"stderr", no_argument, NULL, 'e'},
        {"json", no_argument, NULL, 'j'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    if (!read_each_option(&command_play, count, arguments, options, read_option, play, status))
        return false;
    if (!play->from != !play->from_turn) {
        *status = usage_error(&command_play, "--from and --turn must be given together");
        return false;
    }
    if (play->from && (play->config || play->map || play->seed_given)) {
        *status =
            usage_error(&command_play, "--from cannot be combined with --config, --map or --seed");
        return false;
    }
    if (play->json && (play->log || play->watch || play->errors || play->view)) {
        *status = usage_error(&command_play,
                              "--json cannot be combined with --log, --watch, --view or --stderr");
        return false;
    }
    if (!play->view && (play->viewer.port || play->viewer.no_browser)) {
        *status = usage_error(&command_play, "--port and --no-open require --view");
        return false;
    }
    return true;
}

/* ---- output during the match ---- */

static void keep_tail(Buffer *tail, Slice text) {
    buffer_add(tail, text.at, text.length);
    if (tail->length > TAIL_BYTES)
        buffer_drop(tail, tail->length - TAIL_BYTES);
}

static void print_errors(const Play *play, uint32_t player, Slice text) {
    Slice line;
    while (slice_line(&text, &line)) {
        print_to(stderr, "%u %s: ", player + 1, play->names[player]);
        print_text(stderr, line);
        print_to(stderr, "\n");
    }
}

static void handle_errors(Play *play, uint32_t players, const PlayerTurn *turns) {
    for (uint32_t i = 0; i < players; i++) {
        keep_tail(&play->tail[i], turns[i].errors);
        if (play->errors)
            print_errors(play, i, turns[i].errors);
    }
}

static void print_log(const Play *play, const Board *board, const PlayerTurn *turns) {
    const Notes *notes = board->notes;
    print("turn %u\n", board->state->turn);
    for (uint32_t i = 0; i < board->players; i++)
        if (turns[i].kind != ANSWER_GIVEN && turns[i].kind != ANSWER_NOT_ASKED)
            print("  %u %s: %s\n", i + 1, play->names[i], answer_kind_name(turns[i].kind));
    Slice rest = {notes->events, notes->events_length};
    Slice line;
    while (slice_line(&rest, &line))
        print("  %.*s\n", (int)line.length, line.at);
    if (notes->events_left_out)
        print("  (%u more)\n", notes->events_left_out);
    uint32_t player = 0;
    Slice text;
    uint32_t kept[GAME_PLAYERS_MAX] = {0};
    for (uint32_t at = 0; notes_next_refusal(notes, &at, &player, &text);) {
        print("  %u %s: refused: ", player + 1, play->names[player]);
        print_text(stdout, slice_of(text.at));
        print("\n");
        kept[player]++;
    }
    for (uint32_t i = 0; i < board->players; i++)
        if (kept[i] < notes->refused[i])
            print("  %u %s: refused: %u more\n", i + 1, play->names[i],
                  notes->refused[i] - kept[i]);
}

static void draw_turn(Play *play, const Board *board) {
    char head[160];
    snprintf(head, sizeof head, "%s  seed %" PRIu64 "  turn %u of %u", board->game->title,
             play->seed, board->state->turn, board->setup->turns_max);
    buffer_clear(&play->picture);
    terminal_draw_board(board, play->names, head, play->colour, &play->picture);
    terminal_show(&play->picture, "Press Ctrl-C to stop");
    if (play->speed && terminal_is_open())
        poll(NULL, 0, (int)(1000 / play->speed));
}

static void on_turn(void *context, const Board *board, const PlayerTurn *turns) {
    Play *play = context;
    if (play->log)
        print_log(play, board, turns);
    if (play->watch)
        draw_turn(play, board);
    progress_bar_show((double)board->state->turn / board->setup->turns_max, "turn %u of at most %u",
                      board->state->turn, board->setup->turns_max);
    handle_errors(play, board->players, turns);
}

static void on_end(void *context, const Board *board, const PlayerTurn *last_turns) {
    Play *play = context;
    handle_errors(play, board->players, last_turns);
}

/* ---- output at the end ---- */

static void print_json(const Play *play, const Verdict *verdict) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_text(&out, "game", play->setup.game->name);
    json_out_uint(&out, "seed", play->seed);
    json_out_text(&out, "think", think_name(play->think));
    const char *layers[LAYERS];
    SandboxLimits limits = match_limits(&play->bot_limits, play->think, play->overrides.ponder);
    uint32_t layer_count = sandbox_names(play->sandbox, &limits, layers);
    json_open(&out, "sandbox", '[');
    for (uint32_t i = 0; i < layer_count; i++)
        json_out_text(&out, NULL, layers[i]);
    json_close(&out, ']');
    verdict_json(verdict, &out);
    json_close(&out, '}');
    buffer_char(&text, '\n');
    print_buffer(TEXT_JSON, &text);
    buffer_free(&text);
}

static void print_tail(const Play *play, uint32_t player) {
    Slice rest = {play->tail[player].data, play->tail[player].length};
    Slice line;
    unsigned lines = 0;
    for (Slice count = rest; slice_line(&count, &line);)
        lines++;
    for (unsigned i = 0; slice_line(&rest, &line); i++)
        if (i + TAIL_LINES >= lines) {
            print("      | ");
            print_text(stdout, line);
            print("\n");
        }
}

static void print_verdict(const Play *play, const Verdict *verdict) {
    uint32_t winners = 0;
    uint32_t winner = 0;
    for (uint32_t i = 0; i < verdict->players; i++)
        if (verdict->player[i].rank == 1) {
            winners++;
            winner = i;
        }
    print("%s, seed %" PRIu64 ", %u %s: ", play->setup.game->name, play->seed, verdict->turns,
          verdict->turns == 1 ? "turn" : "turns");
    if (winners == 1)
        print("%u %s wins", winner + 1, verdict->player[winner].name);
    else if (winners == verdict->players)
        print("draw");
    else
        print("%u players tie for first place", winners);
    /* Eighty columns. Times are in milliseconds: the sum over the match, and the longest turn. */
    print(" (%s)\n\n"
          " rank player            %s status       rejected   wall ms   max   cpu ms   max\n",
          verdict->reason, verdict->scored ? "  score" : "");
    for (uint32_t i = 0; i < verdict->players; i++) {
        const PlayerVerdict *player = &verdict->player[i];
        print("%5u %2u ", player->rank, i + 1);
        print_column(player->name, NAME_COLUMNS);
        if (verdict->scored)
            print("%7" PRId64, player->score);
        print(" %-14s%7" PRIu64 "%10.1f%6.0f%9.1f%6.0f\n", status_name(player->status),
              player->refused, (double)player->wall_total / 1e6, (double)player->wall_longest / 1e6,
              (double)player->cpu_total / 1e6, (double)player->cpu_longest / 1e6);
        if (player->graces)
            print("        granted extra time in %u %s because the machine was busy\n",
                  player->graces, player->graces == 1 ? "turn" : "turns");
        if (player->failure[0]) {
            print("        %s\n", player->failure);
            print_tail(play, i);
        }
    }
}

/* ---- the command ---- */

/* Creates the replay; in memory if only the viewer needs it. */
static bool create_replay(Play *play, ReplayWriter **writer, Error *error) {
    if (play->replay)
        return (*writer = replay_create(play->replay, error)) != NULL;
    if (!play->view)
        return true;
    play->viewed = memfd_create("replay", MFD_CLOEXEC);
    int file = play->viewed < 0 ? -1 : fcntl(play->viewed, F_DUPFD_CLOEXEC, 0);
    if (file < 0)
        return error_set(error, "cannot create a replay: %s", strerror(errno));
    return (*writer = replay_create_on(file, error)) != NULL;
}

/* Shows the finished match until Ctrl-C. */
static int view_match(Play *play) {
    const char *slash = play->replay ? strrchr(play->replay, '/') : NULL;
    const char *title = slash ? slash + 1 : play->replay ? play->replay : "";
    if (play->replay)
        play->viewed = open(play->replay, O_RDONLY | O_CLOEXEC);
    if (play->viewed < 0) {
        print_error("cannot read %s: %s", play->replay, strerror(errno));
        return STATUS_FAILURE;
    }
    print("\n");
    int file = play->viewed;
    play->viewed = -1;
    return local_viewer_show(&play->viewer, title, play->setup.game, file, -1);
}

static int play_match(Play *play) {
    Error error = {0};
    MatchWatcher watcher = {
        .context = play, .wants_events = play->log, .turn = on_turn, .ended = on_end};
    progress_bar_begin(play->quiet || play->watch || play->log, PROGRESS_DELAY_MS);
    MatchOptions options = {
        .setup = play->setup.game_setup,
        .seed = play->seed,
        .think = play->think,
        .sandbox = play->sandbox,
        .limits = play->bot_limits,
        .ponder = play->overrides.ponder,
        .stderr_match = play->overrides.limits[LIMIT_STDERR],
        .replay_bytes = play->overrides.limits[LIMIT_REPLAY],
        .bots = play->setup.bots,
        .prelude = play->prelude,
        .prelude_turns = play->from_turn,
        .config = &play->setup.config,
        .map = &play->setup.map,
        .watcher = play->quiet || (play->json && !progress_bar_is_on()) ? NULL : &watcher,
        .interrupt = &interrupt_seen,
    };
    if (!create_replay(play, &options.replay, &error)) {
        print_error("%s", error.text);
        return STATUS_USAGE;
    }
    if (play->watch)
        terminal_open();
    Verdict verdict;
    play->setup.game_setup = NULL; /* the match frees it */
    MatchOutcome outcome = match_play(&options, &verdict, &error);
    progress_bar_end();
    terminal_close();
    replay_close(options.replay);
    int status = STATUS_DONE;
    if (outcome == MATCH_INTERRUPTED) {
        print_error("interrupted in turn %u%s", verdict.turns + 1,
                    play->replay ? "; no replay was written" : "");
        status = STATUS_INTERRUPTED;
    } else if (outcome != MATCH_PLAYED) {
        print_error("%s", error.text);
        status = outcome == MATCH_BAD_BOT ? STATUS_USAGE : STATUS_FAILURE;
    } else if (play->json) {
        print_json(play, &verdict);
    } else if (!play->quiet) {
        if (play->watch)
            print_buffer(TEXT_COLOURS, &play->picture);
        print_verdict(play, &verdict);
        if (play->replay)
            print("\n  replay: %s\n", play->replay);
    }
    verdict_free(&verdict);
    return play->view && outcome == MATCH_PLAYED ? view_match(play) : status;
}

/* Takes game, configuration, map, seed and times from the replay. */
static bool start_from_replay(Play *play, uint32_t players, Error *error) {
    play->prelude = replay_open(play->from, error);
    if (!play->prelude || !match_setup_replay(&play->setup, play->prelude, players, error) ||
        !replay_goes_beyond(play->prelude, play->from_turn, error))
        return false;
    const ReplayHeader *header = replay_header(play->prelude);
    play->seed = header->seed;
    play->overrides.turn_ms = play->overrides.turn_ms ? play->overrides.turn_ms : header->turn_ms;
    play->overrides.start_ms =
        play->overrides.start_ms ? play->overrides.start_ms : header->start_ms;
    return true;
}

static int run_play(Play *play, const char *game, char **bots, uint32_t count) {
    Error error = {0};
    MatchSetup *setup = &play->setup;
    catch_interrupts();
    if (!play->seed_given)
        play->seed = draw_seed();
    if (!match_setup_game(setup, game, &error) ||
        !(play->from
              ? start_from_replay(play, count, &error)
              : match_setup_load(setup, play->config, play->map, count, play->seed, &error)) ||
        !(setup->sandbox = play->sandbox = open_sandbox(play->sandbox_mode, &error)) ||
        !match_setup_bots(setup, bots, count, &error)) {
        print_error("%s", error.text);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    play->bot_limits = overrides_apply(&play->overrides, setup->game_setup);
    for (uint32_t i = 0; i < setup->bot_count; i++)
        play->names[i] = setup->bots[i].name;
    play->colour = terminal_has_colour(stdout);
    return play_match(play);
}

/* ---- questions ---- */

static bool is_project(void) {
    return access("bot.json", R_OK) == 0;
}

/* Asks for a bot until there is one with this name; NULL if there is no input. */
static char *ask_bot(const Game *game, uint32_t player, const char *standard, Error *error) {
    char question[40];
    char typed[4096];
    snprintf(question, sizeof question, "Player %u", player);
    while (prompt_or(question, standard, typed, sizeof typed, error)) {
        BotSpec spec = {0};
        bool good = bot_spec_parse(&spec, typed, game->name, NULL, error);
        bot_spec_free(&spec);
        if (good)
            return xstrdup(typed);
        print_error("%s", error->text);
    }
    return NULL;
}

/* Asks for the bots of a match of `count`. By default the first one is the bot in this directory,
   or the best house bot (the one that is not random), and the others are random. */
static bool ask_bots(const Game *game, char **bots, uint32_t count, Error *error) {
    Buffer names = {0};
    bot_house_names(game->name, &names);
    Slice rest = {names.data, names.length};
    Slice name;
    char best[80] = "house:random";
    print_to(stderr, "Bots:%s", is_project() ? " ." : "");
    while (slice_word(&rest, &name)) {
        print_to(stderr, " house:%.*s", (int)name.length, name.at);
        if (!slice_equals(name, "random"))
            snprintf(best, sizeof best, "house:%.*s", (int)name.length, name.at);
    }
    print_to(stderr, ", a directory with a bot.json, or a command\n");
    buffer_free(&names);
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        const char *standard = i ? "house:random" : is_project() ? "." : best;
        good = (bots[i] = ask_bot(game, i + 1, standard, error)) != NULL;
    }
    return good;
}

/* Asks for missing arguments and plays. */
static int ask_and_play(Play *play, const char *typed) {
    Error error = {0};
    char *bots[GAME_PLAYERS_MAX] = {NULL};
    const Game *game = typed ? game_find(slice_of(typed), &error) : prompt_game(&error);
    int status = STATUS_USAGE;
    if (game && ask_bots(game, bots, game->players_min, &error))
        status = run_play(play, game->name, bots, game->players_min);
    else
        print_error("%s", error.text);
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++)
        free(bots[i]);
    return interrupt_seen ? STATUS_INTERRUPTED : status;
}

static int run(int count, char **arguments) {
    Play play = {.speed = 8, .sandbox_mode = SANDBOX_BEST_EFFORT, .viewed = -1};
    int status = STATUS_DONE;
    if (!read_options(&play, count, arguments, &status))
        return status;
    bool asks = count - optind < 2 && !play.config && !play.from && isatty(STDIN_FILENO);
    if (optind == count && !asks)
        return usage_error(&command_play, "GAME is required; `skirmish games` lists all games");
    status = asks ? ask_and_play(&play, arguments[optind])
                  : run_play(&play, arguments[optind], arguments + optind + 1,
                             (uint32_t)(count - optind - 1));
    match_setup_free(&play.setup);
    replay_free(play.prelude);
    sandbox_free(play.sandbox);
    if (play.viewed >= 0)
        close(play.viewed);
    buffer_free(&play.picture);
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++)
        buffer_free(&play.tail[i]);
    return status;
}

const Command command_play = {"play", help, run};
