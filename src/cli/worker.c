/* skirmish worker: starts a worker (arena/worker.h) and stops it. */
#include "arena/worker.h"
#include "cli/cli.h"
#include "cli/sandbox_option.h"
#include "cli/stop_signal.h"
#include "league/dispatcher.h"
#include "sql/database.h"

#include <getopt.h>
#include <stdlib.h>

static const char help[] =
    "Play matches for the arenas of a PostgreSQL database.\n"
    "\n"
    "Usage: skirmish worker --store URI --files PLACE [options]\n"
    "\n"
    "Run workers on as many machines as you like, with the same database and files as\n"
    "`skirmish serve`; start that first. A worker builds bots and plays their matches.\n"
    "`skirmish serve` plays matches with people and remote bots, and sets the limits of all\n"
    "matches.\n"
    "\n"
    "  --store URI           PostgreSQL database of the arena, such as\n"
    "                        postgresql://worker@db/skirmish; keep its password in a file named\n"
    "                        by PGPASSFILE\n"
    "  --files PLACE         where the arena keeps its files, as for skirmish serve\n"
    "  --file-cache BYTES    copies of such files on this machine, if they are not in a directory\n"
    "                        (1073741824)\n"
    "  --data DIRECTORY      this worker's own directory, for what it builds (./skirmish-worker)\n"
    "  --jobs N              matches at a time (all cores)\n"
    "  --sandbox MODE        strict (default; fail if any layer is missing), strict-except-uid,\n"
    "                        best-effort or none\n"
    "  --drain-seconds N     how long running matches can take to finish after SIGTERM (30)\n"
    "  --free-min BYTES      below this much free disk space, no matches start (536870912; 0 to\n"
    "                        turn this off)\n"
    "  --print-grants ROLE   print the SQL that gives a database role what a worker needs, and\n"
    "                        nothing that would reveal passwords or sessions; run it as the\n"
    "                        owner of the database, again after every upgrade\n"
    "\n"
    "Each option can also be set in the environment: SKIRMISH_STORE, SKIRMISH_DRAIN_SECONDS.\n"
    "\n"
    "Ctrl-C or SIGTERM drains the worker: it takes no more matches, finishes running ones or\n"
    "returns them to the queue, and exits. After a second signal it returns them at once.\n"
    "\n"
    "Exit status: 0 stopped, 2 invalid usage, or the worker cannot start.\n"
    "\n"
    "Examples\n"
    "  skirmish worker --store postgresql://worker@db/skirmish --files /srv/skirmish --jobs 16\n"
    "  skirmish worker --print-grants worker | psql postgresql://arena@db/skirmish\n";

enum { FREE_MIN = 512 << 20, DRAIN_SECONDS = 30, DRAIN_MOST = 86400, TICK_MS = 1000 };

typedef enum WorkerOption {
    OPTION_STORE,
    OPTION_FILES,
    OPTION_FILE_CACHE,
    OPTION_DATA,
    OPTION_JOBS,
    OPTION_SANDBOX,
    OPTION_DRAIN_SECONDS,
    OPTION_FREE_MIN,
    OPTION_PRINT_GRANTS,
    OPTIONS
} WorkerOption;

static const struct {
    const char *flag;
    int has_argument;
    const char *variable;
} table[OPTIONS] = {
    [OPTION_STORE] = {"store", required_argument, "SKIRMISH_STORE"},
    [OPTION_FILES] = {"files", required_argument, "SKIRMISH_FILES"},
    [OPTION_FILE_CACHE] = {"file-cache", required_argument, "SKIRMISH_FILE_CACHE"},
    [OPTION_DATA] = {"data", required_argument, "SKIRMISH_DATA"},
    [OPTION_JOBS] = {"jobs", required_argument, "SKIRMISH_JOBS"},
    [OPTION_SANDBOX] = {"sandbox", required_argument, "SKIRMISH_SANDBOX"},
    [OPTION_DRAIN_SECONDS] = {"drain-seconds", required_argument, "SKIRMISH_DRAIN_SECONDS"},
    [OPTION_FREE_MIN] = {"free-min", required_argument, "SKIRMISH_FREE_MIN"},
    [OPTION_PRINT_GRANTS] = {"print-grants", required_argument, NULL},
};

/* The text of each option, or NULL. */
typedef struct WorkerOptions {
    const char *text[OPTIONS];
    char where[OPTIONS][40]; /* for messages */
} WorkerOptions;

static void give(WorkerOptions *given, WorkerOption id, const char *text, const char *prefix,
                 const char *name) {
    given->text[id] = text;
    snprintf(given->where[id], sizeof given->where[id], "%s%s", prefix, name);
}

/* False when the command ends here, with the exit status in *status. */
static bool read_options(WorkerOptions *given, int count, char **arguments, int *status) {
    struct option flags[OPTIONS + 2] = {0};
    int found;
    for (WorkerOption id = 0; id < OPTIONS; id++) {
        const char *value = table[id].variable ? getenv(table[id].variable) : NULL;
        if (value)
            give(given, id, value, "", table[id].variable);
        flags[id] = (struct option){table[id].flag, table[id].has_argument, NULL, (int)id + 1};
    }
    /* The variable may contain a password, and bots without a sandbox inherit the environment. */
    unsetenv(table[OPTION_STORE].variable);
    flags[OPTIONS] = (struct option){"help", no_argument, NULL, 'h'};
    while ((found = next_option(&command_worker, count, arguments, flags, status)) > 0)
        give(given, (WorkerOption)(found - 1), optarg, "--", table[found - 1].flag);
    if (found < 0)
        return false;
    if (optind < count) {
        *status = unexpected_argument(&command_worker, arguments[optind]);
        return false;
    }
    return true;
}

/* The text of --store may contain a password, so it is not shown. */
static bool take_places(const WorkerOptions *given, ArenaOptions *options, Error *error) {
    options->store = given->text[OPTION_STORE];
    if (!options->store)
        return error_set(error, "--store is required; name the PostgreSQL database of the arena");
    if (!database_is_uri(options->store))
        return error_set(error,
                         "%s is not the URI of a PostgreSQL database, which workers need; use the "
                         "form postgresql://USER@HOST/DATABASE",
                         given->where[OPTION_STORE]);
    options->files = given->text[OPTION_FILES];
    if (!options->files)
        return error_set(error, "--files is required; name the place that `skirmish serve` uses");
    if (given->text[OPTION_DATA])
        options->data = given->text[OPTION_DATA];
    return options->data[0] || error_set(error, "%s must not be empty", given->where[OPTION_DATA]);
}

static bool take_all(const WorkerOptions *given, ArenaOptions *options, uint32_t *drain,
                     Error *error) {
    uint32_t sandbox = SANDBOX_STRICT;
    *options = (ArenaOptions){.data = "skirmish-worker", .free_min = FREE_MIN};
    *drain = DRAIN_SECONDS;
    const char *const *text = given->text;
    bool good =
        take_places(given, options, error) &&
        (!text[OPTION_FILE_CACHE] ||
         parse_number(given->where[OPTION_FILE_CACHE], text[OPTION_FILE_CACHE], 1 << 20,
                      UINT64_C(1) << 50, &options->file_cache, error)) &&
        (!text[OPTION_JOBS] || parse_count(given->where[OPTION_JOBS], text[OPTION_JOBS], 1,
                                           dispatcher_cores(), &options->jobs, error)) &&
        (!text[OPTION_SANDBOX] || parse_choice(given->where[OPTION_SANDBOX], text[OPTION_SANDBOX],
                                               sandbox_mode_names, &sandbox, error)) &&
        (!text[OPTION_DRAIN_SECONDS] ||
         parse_count(given->where[OPTION_DRAIN_SECONDS], text[OPTION_DRAIN_SECONDS], 0, DRAIN_MOST,
                     drain, error)) &&
        (!text[OPTION_FREE_MIN] ||
         parse_number(given->where[OPTION_FREE_MIN], text[OPTION_FREE_MIN], 0, UINT64_C(1) << 60,
                      &options->free_min, error));
    options->sandbox = (SandboxMode)sandbox;
    return good;
}

/* ---- start and stop ---- */

static void run_until_stopped(Arena *worker, uint32_t drain_seconds) {
    bool drains = false;
    while (!worker_is_drained(worker)) {
        if (!stop_signal_wait_for(drains ? 20 : TICK_MS)) {
            worker_tick(worker);
            continue;
        }
        worker_drain(worker, drains ? 0 : drain_seconds * 1000);
        if (!drains)
            print("Draining; running matches have %u s to finish\n", drain_seconds);
        print_flush();
        drains = true;
        stop_signal_again();
    }
}

static int work(const ArenaOptions *options, uint32_t drain_seconds) {
    Error error = {0};
    Sandbox *sandbox = open_sandbox(options->sandbox, &error); /* as in serve.c */
    Arena *worker = NULL;
    if (sandbox && sandbox_hides(sandbox, options->data, options->files, &error) &&
        stop_signal_catch(&error) >= 0)
        worker = worker_start(options, &error);
    if (!worker) {
        print_error("%s", error.text);
        sandbox_free(sandbox);
        return STATUS_USAGE;
    }
    print("The worker %s is ready\n", worker_name(worker));
    print_flush();
    run_until_stopped(worker, drain_seconds);
    worker_stop(worker);
    sandbox_free(sandbox);
    return STATUS_DONE;
}

static int print_grants(const char *role) {
    Buffer sql = {0};
    Error error;
    if (!store_grants_write(role, &sql, &error))
        return usage_error(&command_worker, "--print-grants: %s", error.text);
    print("%s", buffer_string(&sql));
    buffer_free(&sql);
    return STATUS_DONE;
}

static int run(int count, char **arguments) {
    WorkerOptions given = {0};
    ArenaOptions options;
    uint32_t drain_seconds;
    Error error = {0};
    int status = STATUS_DONE;
    if (!read_options(&given, count, arguments, &status))
        return status;
    if (given.text[OPTION_PRINT_GRANTS])
        return print_grants(given.text[OPTION_PRINT_GRANTS]);
    if (!take_all(&given, &options, &drain_seconds, &error))
        return usage_error(&command_worker, "%s", error.text);
    return work(&options, drain_seconds);
}

const Command command_worker = {"worker", help, run};
