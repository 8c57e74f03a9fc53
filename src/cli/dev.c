/* skirmish dev: plays matches of a bot whenever its files change.

   One thread does everything except serving the page: it waits for records of the dispatcher, whose
   runners build the bot and play, for changes of files, for keys and for Ctrl-C. A run is one build
   and then one match per map; a change cancels it and begins the next one. */
#include "base/memory.h"
#include "bots/process.h"
#include "cli/dev_run.h"
#include "cli/sandbox_option.h"
#include "cli/stop_signal.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

static const char help[] =
    "Play matches of a bot whenever its files change, and show them in the browser.\n"
    "\n"
    "Usage: skirmish dev BOT [options]\n"
    "\n"
    "On each save, the bot is rebuilt and plays one match per map. A line per match says how it\n"
    "ended and whether the bot has become slower or faster, and the viewer in the browser shows\n"
    "the new match, with the bot's standard error next to each turn. A save during a run\n"
    "restarts it. BOT is a directory with a bot.json, or a command such as \"python3 my_bot.py\".\n"
    "Changes to hidden files, build products and files in .gitignore are ignored.\n"
    "\n"
    "Keys: r plays again, n plays with another seed, o opens the viewer, q quits.\n"
    "\n"
    "  --game GAME           the game (default: the one in its bot.json)\n"
    "  --against BOT         an opponent, as for `skirmish play`; can be repeated\n"
    "                        (default: house:medium in all other seats)\n"
    "  --map NAME|FILE       a map, as for `skirmish play`; can be repeated; \"all\" are all\n"
    "                        standard maps for the number of players (default: one map)\n"
    "  --config FILE         game configuration\n"
    "  --seed N              seed of all matches (default 1, so that runs are comparable)\n"
    "  --turn-time MS, --start-time MS, --sandbox MODE, --limit NAME=VALUE\n"
    "                        as for `skirmish play`\n"
    "  --port N              port of the viewer on this machine (default: a free one)\n"
    "  --no-open             do not open the browser, only print the address\n"
    "\n"
    "Exit status: 0 ended by q or Ctrl-C, 1 internal failure, 2 invalid usage, file or bot,\n"
    "130 interrupted at the start.\n"
    "\n"
    "Examples\n"
    "  skirmish dev .\n"
    "  skirmish dev my_bot --game aliens --map all --against house:hard\n"
    "  skirmish dev \"python3 my_bot.py\" --game ctf --no-open\n";

/* ---- options ---- */

static bool read_option(void *context, int option, const char *value, Error *error) {
    Dev *dev = context;
    switch (option) {
    case 'g':
        dev->game_name = value;
        return true;
    case 'a':
        if (dev->against_count + 1 >= GAME_PLAYERS_MAX)
            return error_set(error, "too many opponents");
        dev->against[dev->against_count++] = xstrdup(value);
        return true;
    case 'm':
        if (dev->map_count == DEV_MATCHES_MAX)
            return error_set(error, "more than %d maps", DEV_MATCHES_MAX);
        dev->maps[dev->map_count++] = value;
        return true;
    case 'c':
        dev->config = value;
        return true;
    case 's':
        return parse_number("--seed", value, 0, UINT64_MAX, &dev->seed, error);
    case 't':
        return parse_count("--turn-time", value, 1, 3600000, &dev->overrides.turn_ms, error);
    case 'T':
        return parse_count("--start-time", value, 1, 3600000, &dev->overrides.start_ms, error);
    case 'x':
        return read_sandbox_mode(value, &dev->sandbox_mode, error);
    case 'L':
        return read_limit(&dev->overrides, value, error);
    case 'P':
        return parse_count("--port", value, 0, UINT16_MAX, &dev->viewer_options.port, error);
    default:
        dev->viewer_options.no_browser = true;
        return true;
    }
}

/* False when the exit status is in *status. */
static bool read_options(Dev *dev, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"game", required_argument, NULL, 'g'},
        {"against", required_argument, NULL, 'a'},
        {"map", required_argument, NULL, 'm'},
        {"config", required_argument, NULL, 'c'},
        {"seed", required_argument, NULL, 's'},
        {"turn-time", required_argument, NULL, 't'},
        {"start-time", required_argument, NULL, 'T'},
        {"sandbox", required_argument, NULL, 'x'},
        {"limit", required_argument, NULL, 'L'},
        {"port", required_argument, NULL, 'P'},
        {"no-open", no_argument, NULL, 'o'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    if (!read_each_option(&command_dev, count, arguments, options, read_option, dev, status))
        return false;
    if (optind == count)
        *status = usage_error(&command_dev, "BOT is required: a directory, or a command");
    else if (optind + 1 < count)
        *status = unexpected_argument(&command_dev, arguments[optind + 1]);
    else
        dev->bot = xstrdup(arguments[optind]);
    return dev->bot != NULL;
}

/* ---- choosing the match ---- */

/* Finds the game: from the option, the bot's bot.json, or a question. */
static bool choose_game(Dev *dev, Error *error) {
    BotSpec spec = {0};
    bool good =
        dev->game_name || !dev->has_directory || bot_spec_parse(&spec, dev->bot, "", NULL, error);
    const char *name = dev->game_name ? dev->game_name : spec.game;
    if (good && name)
        dev->game = game_find(slice_of(name), error);
    else if (good && isatty(STDIN_FILENO))
        dev->game = prompt_game(error);
    else if (good)
        error_set(error, GAME_REQUIRED);
    bot_spec_free(&spec);
    return dev->game != NULL;
}

/* Uses the opponents that were given, repeated if there are too few; house:medium by default. */
static bool choose_opponents(Dev *dev, Error *error) {
    uint32_t given = dev->against_count;
    uint32_t least = dev->game->players_min;
    dev->players = given + 1 > least ? given + 1 : least;
    if (!game_takes(dev->game, dev->players, error))
        return false;
    for (uint32_t i = 1; i < dev->players; i++) {
        const char *text = given ? dev->against[(i - 1) % given] : "house:medium";
        if (!bot_spec_parse(&dev->opponents[i], text, dev->game->name, dev->sandbox, error) ||
            (i <= (given ? given : 1) && !build_bot(&dev->opponents[i], dev->sandbox, error)))
            return false;
    }
    return true;
}

static bool add_match(Dev *dev, const char *map, Error *error) {
    DevMatch *match = &dev->matches[dev->match_count];
    bool good = dev_match_load(match, dev->game, dev->config, map, dev->players, dev->seed, error);
    uint32_t columns = (uint32_t)strlen(dev_match_name(match));
    dev->columns = columns > dev->columns ? columns : dev->columns;
    dev->match_count++;
    return good;
}

static bool add_all_maps(Dev *dev, Error *error) {
    for (const GameMap *map = dev->game->maps; map && map->name; map++)
        if ((!map->players || map->players == dev->players) && dev->match_count < DEV_MATCHES_MAX &&
            !add_match(dev, map->name, error))
            return false;
    return dev->match_count ||
           error_set(error, "%s has no standard map for %u players", dev->game->name, dev->players);
}

static bool choose_maps(Dev *dev, Error *error) {
    for (uint32_t i = 0; i < dev->map_count; i++)
        if (strcmp(dev->maps[i], "all") == 0 ? !add_all_maps(dev, error)
            : dev->match_count == DEV_MATCHES_MAX
                ? !error_set(error, "more than %d maps", DEV_MATCHES_MAX)
                : !add_match(dev, dev->maps[i], error))
            return false;
    return dev->map_count || add_match(dev, NULL, error);
}

/* The directory of a file, or NULL if it is not a file. */
static char *directory_of(Slice file) {
    struct stat about;
    char *path = slice_copy(file);
    char *directory =
        stat(path, &about) == 0 && S_ISREG(about.st_mode) ? xstrdup(dirname(path)) : NULL;
    free(path);
    return directory;
}

/* The directory with the bot's files: the bot itself, or the directory of the first file that the
   command names. The command's first word has the lowest priority: in "/usr/bin/python3 bot.py" it
   is not the bot. */
static char *watched_directory(const Dev *dev) {
    if (dev->has_directory)
        return xstrdup(dev->bot);
    Slice rest = slice_of(dev->bot);
    Slice program = {"", 0};
    Slice word;
    char *directory = NULL;
    slice_word(&rest, &program);
    while (!directory && slice_word(&rest, &word))
        directory = directory_of(word);
    if (!directory)
        directory = directory_of(program);
    return directory ? directory : xstrdup(".");
}

/* Checks the bot. A mistake in the bot.json can be fixed while the command watches, but a wrong
   name cannot. */
static bool check_bot(const Dev *dev, Error *error) {
    BotSpec spec = {0};
    bool good =
        dev->has_directory || bot_spec_parse(&spec, dev->bot, dev->game->name, dev->sandbox, error);
    bot_spec_free(&spec);
    return good;
}

/* ---- start and end ---- */

static bool add_wake(const Dev *dev, int fd) {
    struct epoll_event event = {.events = EPOLLIN};
    return epoll_ctl(dev->wake, EPOLL_CTL_ADD, fd, &event) == 0;
}

/* Makes keys take effect at once, without echo. */
static void take_keys(Dev *dev) {
    if (!isatty(STDIN_FILENO) || tcgetattr(STDIN_FILENO, &dev->terminal_before) != 0 ||
        !add_wake(dev, STDIN_FILENO))
        return;
    struct termios raw = dev->terminal_before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    dev->has_keys = true;
}

static void report(void *context, const char *sentence) {
    (void)context;
    print_error("%s", sentence);
}

static bool start(Dev *dev, Error *error) {
    uint32_t cores = dispatcher_cores();
    char *directory = watched_directory(dev);
    DispatcherOptions options = {
        .runners = dev->match_count < cores ? dev->match_count : cores,
        .sandbox = dev->sandbox_mode,
        .report = report,
    };
    int stop = stop_signal_catch(error);
    bool good = stop >= 0 && (dev->watch = file_watch_new(directory, error)) &&
                (dev->viewer = local_viewer_start(&dev->viewer_options, error));
    free(directory);
    if (!good)
        return false;
    dev->wake = epoll_create1(EPOLL_CLOEXEC);
    if (dev->wake < 0 || !add_wake(dev, stop) || !add_wake(dev, file_watch_descriptor(dev->watch)))
        return error_set(error, "cannot wait for changes: %s", strerror(errno));
    options.wake = dev->wake;
    dev->dispatcher = dispatcher_new(&options, error);
    return dev->dispatcher != NULL;
}

static void greet(Dev *dev) {
    print("%s, seed %" PRIu64 ", against", dev->game->title, dev->seed);
    for (uint32_t i = 1; i < dev->players && i < 4; i++)
        print("%s %s", i > 1 ? "," : "", dev->opponents[i].name);
    if (dev->players > 4)
        print(" and %u more", dev->players - 4);
    print("\nViewer: %s\n", local_viewer_address(dev->viewer));
    take_keys(dev);
    print(dev->has_keys ? "Keys: r plays again, n another seed, o opens the viewer, q quits\n\n"
                        : "Press Ctrl-C to stop\n\n");
    print_flush();
    local_viewer_browse(dev->viewer);
}

static int run_dev(Dev *dev) {
    Error error = {0};
    catch_interrupts();
    dev->has_directory = is_directory(dev->bot);
    if (strncmp(dev->bot, "house:", 6) == 0 || strncmp(dev->bot, "tcp:", 4) == 0 ||
        strncmp(dev->bot, "unix:", 5) == 0)
        return usage_error(&command_dev,
                           "\"%s\" has no files to watch; name a directory or a command", dev->bot);
    if (!choose_game(dev, &error) || !(dev->sandbox = open_sandbox(dev->sandbox_mode, &error)) ||
        !process_prepare(&error) || !check_bot(dev, &error) || !choose_opponents(dev, &error) ||
        !choose_maps(dev, &error) || !start(dev, &error)) {
        print_error("%s", error.text);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    greet(dev);
    dev_begin(dev, "first run");
    int status = dev_loop(dev);
    if (dev->has_keys)
        tcsetattr(STDIN_FILENO, TCSANOW, &dev->terminal_before);
    return status;
}

static int run(int count, char **arguments) {
    static Dev dev;
    dev = (Dev){.seed = 1, .sandbox_mode = SANDBOX_BEST_EFFORT, .wake = -1};
    int status = STATUS_DONE;
    if (read_options(&dev, count, arguments, &status))
        status = run_dev(&dev);
    dispatcher_free(dev.dispatcher);
    local_viewer_stop(dev.viewer);
    file_watch_free(dev.watch);
    for (uint32_t i = 0; i < dev.match_count; i++)
        dev_match_free(&dev.matches[i]);
    for (uint32_t i = 1; i < dev.players; i++)
        bot_spec_free(&dev.opponents[i]);
    for (uint32_t i = 0; i < dev.against_count; i++)
        free(dev.against[i]);
    bot_spec_free(&dev.mine);
    sandbox_free(dev.sandbox);
    buffer_free(&dev.problem);
    buffer_free(&dev.log);
    if (dev.wake >= 0)
        close(dev.wake);
    free(dev.bot);
    return status;
}

const Command command_dev = {"dev", help, run};
