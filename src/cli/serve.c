/* skirmish serve: reads the options from flags, environment and a file, and starts and stops the
   arena (arena/arena.h). */
#include "arena/arena.h"
#include "arena/bots/bots.h"
#include "arena/settings.h"
#include "base/json_object.h"
#include "base/nearest_name.h"
#include "cli/cli.h"
#include "cli/sandbox_option.h"
#include "cli/stop_signal.h"
#include "league/dispatcher.h"
#include "sql/database.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char help[] =
    "Run an arena.\n"
    "\n"
    "Usage: skirmish serve [options]\n"
    "\n"
    "Listens on http://localhost:3000 by default. The first start creates the data directory\n"
    "and the administrator account admin. Its password is printed at a terminal, and written to\n"
    "the file initial-password in the data directory; you must change it when you first log in.\n"
    "Ctrl-C or SIGTERM stops the arena: running matches finish or return to the queue.\n"
    "\n"
    "  --config FILE            JSON object with options: {\"port\": 8080, \"visitors\": false}\n"
    "  --data DIRECTORY         data directory (./skirmish-data)\n"
    "  --store URI              PostgreSQL database, such as postgresql://arena@db/skirmish, for\n"
    "                           everything but files; keep its password in a file named by\n"
    "                           PGPASSFILE (default: SQLite in the data directory)\n"
    "  --files PLACE            where replays and the sources of bots are: a directory, which\n"
    "                           several machines can share; database, with a PostgreSQL store;\n"
    "                           or a bucket, as s3://BUCKET/PREFIX?endpoint=URL&region=NAME, with\n"
    "                           its keys in AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or in a\n"
    "                           file that AWS_SHARED_CREDENTIALS_FILE names (default: the data\n"
    "                           directory)\n"
    "  --file-cache BYTES       copies of such files in the data directory, if they are not in a\n"
    "                           directory (1073741824)\n"
    "  --web DIRECTORY          web pages (default: those installed with the program)\n"
    "  --address ADDRESS        address to listen on (127.0.0.1)\n"
    "  --port N                 port to listen on (3000; 0 for any free port)\n"
    "  --jobs N                 matches at a time (all cores); 0 leaves them to workers, except\n"
    "                           those with people and remote bots: see skirmish worker\n"
    "  --sandbox MODE           strict (default; fail if any layer is missing),\n"
    "                           strict-except-uid (the same for ordinary users, who cannot give\n"
    "                           each bot its own user), best-effort or none\n"
    "  --registration MODE      who can sign up: open (default), invitation or closed\n"
    "  --visitors on|off        people without an account can play (on)\n"
    "  --ladder on|off          bots play ranked matches when cores are free (on)\n"
    "  --house-bots NAMES       house bots to add, separated by spaces, such as easy medium;\n"
    "                           strong ones need much CPU time on the ladder (all)\n"
    "  --host-names NAMES       host names of the arena, separated by spaces; addresses and\n"
    "                           localhost always work (none)\n"
    "  --secure-cookies on|off  set cookies for TLS only; use it behind a TLS proxy (off)\n"
    "  --proxies NETWORKS       proxies whose X-Forwarded-For is trusted, separated by spaces,\n"
    "                           such as 10.0.0.0/8 (none)\n"
    "  --metrics-from NETWORKS  who can read /metrics, besides administrators with an API token:\n"
    "                           networks separated by spaces, or none (everyone)\n"
    "  --libraries NAMES        libraries that bots can use, separated by spaces, such as\n"
    "                           python:numpy; checked at the start (none)\n"
    "  --people-per-address N   multiply the rate limits per address by N, for networks that\n"
    "                           share one address, such as a school (1)\n"
    "  --http-memory MIB        memory for bodies, responses and streams of all clients; beyond\n"
    "                           it they get 503 (256)\n"
    "  --upload-max BYTES       size of an upload (2097152)\n"
    "  --unpacked-max BYTES     size of an unpacked upload (33554432)\n"
    "  --bots-max N             bots per account (20)\n"
    "  --versions-max N         versions per account and day (100)\n"
    "  --disk-max BYTES         sources and builds of an account's bots (536870912)\n"
    "  --waiting-max N          waiting and running matches per person, and builds (5)\n"
    "  --match-seconds N        how long a casual match of bots can take (600)\n"
    "  --lease-seconds N        after how long without contact another process repeats the jobs\n"
    "                           of a worker or arena, with --store (60)\n"
    "  --worker-speed-min N     minimum speed of machines that play matches of bots, in percent\n"
    "                           of the reference; `skirmish doctor` prints it (0)\n"
    "  --analyses-per-hour N    match analyses per account and hour (10; 0 to turn them off)\n"
    "  --seats-max N            seats one person can hold at a time (2)\n"
    "  --bot-memory-max MIB     memory that organisers can give each bot of a tournament, and the\n"
    "                           most that any bot gets (4096)\n"
    "  --bot-processes-max N    processes that they can give it (256)\n"
    "  --turn-time-max MS       milliseconds per turn that they can give it (60000)\n"
    "  --replay-max BYTES       answers of all players in one match (8388608, or 3145728 per\n"
    "                           player); beyond it, players with more than an equal share are\n"
    "                           disqualified\n"
    "  --visitor-replays-max BYTES\n"
    "                           replays of casual matches, of all visitors together and of each\n"
    "                           account (2147483648; 0 for no limit); the oldest are deleted\n"
    "  --keep-days N            days to keep replays, except those of tournaments (60; 0:\n"
    "                           forever)\n"
    "  --free-min BYTES         below this much free disk space, no matches start and uploads\n"
    "                           are rejected (536870912; 0 to turn this off)\n"
    "\n"
    "Each option can also be set in the environment (SKIRMISH_PORT, SKIRMISH_SECURE_COOKIES)\n"
    "and in the file (\"port\", \"secure_cookies\"). Flags override the environment, which\n"
    "overrides the file. Administrators can change registration, visitors and ladder while the\n"
    "arena runs; their settings override all of these.\n"
    "\n"
    "Exit status: 0 stopped, 2 invalid usage, or the arena cannot start.\n"
    "\n"
    "Examples\n"
    "  skirmish serve\n"
    "  skirmish serve --address 0.0.0.0 --port 8080 --registration invitation\n"
    "  skirmish serve --store postgresql://arena@localhost/skirmish\n";

/* ---- the options ---- */

typedef enum OptionKind {
    OPTION_TEXT,
    OPTION_NUMBER,
    OPTION_SWITCH,
    OPTION_LIST, /* a list of words; in the file, an array of strings */
} OptionKind;

typedef enum ServeOption {
    OPTION_CONFIG,
    OPTION_DATA,
    OPTION_STORE,
    OPTION_FILES,
    OPTION_FILE_CACHE,
    OPTION_WEB,
    OPTION_ADDRESS,
    OPTION_PORT,
    OPTION_JOBS,
    OPTION_SANDBOX,
    OPTION_REGISTRATION,
    OPTION_VISITORS,
    OPTION_LADDER,
    OPTION_HOUSE_BOTS,
    OPTION_HOST_NAMES,
    OPTION_SECURE_COOKIES,
    OPTION_PROXIES,
    OPTION_METRICS_FROM,
    OPTION_LIBRARIES,
    OPTION_PEOPLE_PER_ADDRESS,
    OPTION_HTTP_MEMORY,
    OPTION_UPLOAD_MAX,
    OPTION_UNPACKED_MAX,
    OPTION_BOTS_MAX,
    OPTION_VERSIONS_MAX,
    OPTION_DISK_MAX,
    OPTION_WAITING_MAX,
    OPTION_MATCH_SECONDS,
    OPTION_LEASE_SECONDS,
    OPTION_WORKER_SPEED_MIN,
    OPTION_ANALYSES_PER_HOUR,
    OPTION_SEATS_MAX,
    OPTION_BOT_MEMORY_MAX,
    OPTION_BOT_PROCESSES_MAX,
    OPTION_TURN_TIME_MAX,
    OPTION_REPLAY_MAX,
    OPTION_VISITOR_REPLAYS_MAX,
    OPTION_KEEP_DAYS,
    OPTION_FREE_MIN,
    OPTIONS
} ServeOption;

static const struct {
    const char *flag;
    OptionKind kind;
    const char *variable;
    const char *member;
} table[OPTIONS] = {
    [OPTION_CONFIG] = {"config", OPTION_TEXT, "SKIRMISH_CONFIG", NULL},
    [OPTION_DATA] = {"data", OPTION_TEXT, "SKIRMISH_DATA", "data"},
    [OPTION_STORE] = {"store", OPTION_TEXT, "SKIRMISH_STORE", "store"},
    [OPTION_FILES] = {"files", OPTION_TEXT, "SKIRMISH_FILES", "files"},
    [OPTION_FILE_CACHE] = {"file-cache", OPTION_NUMBER, "SKIRMISH_FILE_CACHE", "file_cache"},
    [OPTION_WEB] = {"web", OPTION_TEXT, "SKIRMISH_WEB", "web"},
    [OPTION_ADDRESS] = {"address", OPTION_TEXT, "SKIRMISH_ADDRESS", "address"},
    [OPTION_PORT] = {"port", OPTION_NUMBER, "SKIRMISH_PORT", "port"},
    [OPTION_JOBS] = {"jobs", OPTION_NUMBER, "SKIRMISH_JOBS", "jobs"},
    [OPTION_SANDBOX] = {"sandbox", OPTION_TEXT, "SKIRMISH_SANDBOX", "sandbox"},
    [OPTION_REGISTRATION] = {"registration", OPTION_TEXT, "SKIRMISH_REGISTRATION", "registration"},
    [OPTION_VISITORS] = {"visitors", OPTION_SWITCH, "SKIRMISH_VISITORS", "visitors"},
    [OPTION_LADDER] = {"ladder", OPTION_SWITCH, "SKIRMISH_LADDER", "ladder"},
    [OPTION_HOUSE_BOTS] = {"house-bots", OPTION_LIST, "SKIRMISH_HOUSE_BOTS", "house_bots"},
    [OPTION_HOST_NAMES] = {"host-names", OPTION_LIST, "SKIRMISH_HOST_NAMES", "host_names"},
    [OPTION_SECURE_COOKIES] = {"secure-cookies", OPTION_SWITCH, "SKIRMISH_SECURE_COOKIES",
                               "secure_cookies"},
    [OPTION_PROXIES] = {"proxies", OPTION_LIST, "SKIRMISH_PROXIES", "proxies"},
    [OPTION_METRICS_FROM] = {"metrics-from", OPTION_LIST, "SKIRMISH_METRICS_FROM", "metrics_from"},
    [OPTION_LIBRARIES] = {"libraries", OPTION_LIST, "SKIRMISH_LIBRARIES", "libraries"},
    [OPTION_PEOPLE_PER_ADDRESS] = {"people-per-address", OPTION_NUMBER,
                                   "SKIRMISH_PEOPLE_PER_ADDRESS", "people_per_address"},
    [OPTION_HTTP_MEMORY] = {"http-memory", OPTION_NUMBER, "SKIRMISH_HTTP_MEMORY", "http_memory"},
    [OPTION_UPLOAD_MAX] = {"upload-max", OPTION_NUMBER, "SKIRMISH_UPLOAD_MAX", "upload_max"},
    [OPTION_UNPACKED_MAX] = {"unpacked-max", OPTION_NUMBER, "SKIRMISH_UNPACKED_MAX",
                             "unpacked_max"},
    [OPTION_BOTS_MAX] = {"bots-max", OPTION_NUMBER, "SKIRMISH_BOTS_MAX", "bots_max"},
    [OPTION_VERSIONS_MAX] = {"versions-max", OPTION_NUMBER, "SKIRMISH_VERSIONS_MAX",
                             "versions_max"},
    [OPTION_DISK_MAX] = {"disk-max", OPTION_NUMBER, "SKIRMISH_DISK_MAX", "disk_max"},
    [OPTION_WAITING_MAX] = {"waiting-max", OPTION_NUMBER, "SKIRMISH_WAITING_MAX", "waiting_max"},
    [OPTION_MATCH_SECONDS] = {"match-seconds", OPTION_NUMBER, "SKIRMISH_MATCH_SECONDS",
                              "match_seconds"},
    [OPTION_LEASE_SECONDS] = {"lease-seconds", OPTION_NUMBER, "SKIRMISH_LEASE_SECONDS",
                              "lease_seconds"},
    [OPTION_WORKER_SPEED_MIN] = {"worker-speed-min", OPTION_NUMBER, "SKIRMISH_WORKER_SPEED_MIN",
                                 "worker_speed_min"},
    [OPTION_ANALYSES_PER_HOUR] = {"analyses-per-hour", OPTION_NUMBER, "SKIRMISH_ANALYSES_PER_HOUR",
                                  "analyses_per_hour"},
    [OPTION_SEATS_MAX] = {"seats-max", OPTION_NUMBER, "SKIRMISH_SEATS_MAX", "seats_max"},
    [OPTION_BOT_MEMORY_MAX] = {"bot-memory-max", OPTION_NUMBER, "SKIRMISH_BOT_MEMORY_MAX",
                               "bot_memory_max"},
    [OPTION_BOT_PROCESSES_MAX] = {"bot-processes-max", OPTION_NUMBER, "SKIRMISH_BOT_PROCESSES_MAX",
                                  "bot_processes_max"},
    [OPTION_TURN_TIME_MAX] = {"turn-time-max", OPTION_NUMBER, "SKIRMISH_TURN_TIME_MAX",
                              "turn_time_max"},
    [OPTION_REPLAY_MAX] = {"replay-max", OPTION_NUMBER, "SKIRMISH_REPLAY_MAX", "replay_max"},
    [OPTION_VISITOR_REPLAYS_MAX] = {"visitor-replays-max", OPTION_NUMBER,
                                    "SKIRMISH_VISITOR_REPLAYS_MAX", "visitor_replays_max"},
    [OPTION_KEEP_DAYS] = {"keep-days", OPTION_NUMBER, "SKIRMISH_KEEP_DAYS", "keep_days"},
    [OPTION_FREE_MIN] = {"free-min", OPTION_NUMBER, "SKIRMISH_FREE_MIN", "free_min"},
};

enum {
    NETWORKS_MAX = 16,
    WHERE_SIZE = 300,
    ANALYSES_PER_HOUR = 10,
    KEEP_DAYS = 60,
    FREE_MIN = 512 << 20
};
#define VISITOR_REPLAYS_MAX (UINT64_C(2) << 30)

/* The text given for each option, and where it was given, for messages. */
typedef struct ServeOptions {
    char *text[OPTIONS]; /* NULL: not given; owned */
    char where[OPTIONS][WHERE_SIZE];
    bool help;
} ServeOptions;

/* Sets an option; the last value takes precedence. */
static void give(ServeOptions *given, ServeOption id, Slice text, const char *where) {
    free(given->text[id]);
    given->text[id] = slice_copy(text);
    snprintf(given->where[id], WHERE_SIZE, "%s", where);
}

static void given_free(ServeOptions *given) {
    for (ServeOption id = 0; id < OPTIONS; id++)
        free(given->text[id]);
}

/* ---- flags ---- */

static bool read_flags(ServeOptions *given, int count, char **arguments, Error *error) {
    struct option flags[OPTIONS + 2] = {0};
    for (ServeOption id = 0; id < OPTIONS; id++)
        flags[id] = (struct option){table[id].flag, required_argument, NULL, (int)id};
    flags[OPTIONS] = (struct option){"help", no_argument, NULL, OPTIONS};
    opterr = 0;
    for (int found; (found = getopt_long(count, arguments, ":", flags, NULL)) != -1;) {
        if (found == ':' || found == '?')
            return option_error(found, arguments, flags, error);
        if (found == OPTIONS) {
            given->help = true;
            continue;
        }
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "--%s", table[found].flag);
        give(given, (ServeOption)found, slice_of(optarg), where);
    }
    return optind == count || error_set(error, "unexpected argument \"%.60s\"", arguments[optind]);
}

/* ---- environment ---- */

static bool unknown_variable(Slice name, Error *error) {
    const char *names[OPTIONS + 1] = {NULL};
    for (ServeOption id = 0; id < OPTIONS; id++)
        names[id] = table[id].variable;
    return unknown_name("environment variable", name, names, error);
}

/* Rejects a mistyped SKIRMISH_ variable instead of ignoring it. */
static bool check_environment(Error *error) {
    /* Variables that other commands read, and the variable by which tests find their processes. */
    static const char *const others[] = {"SKIRMISH_BUILD_SECONDS", "SKIRMISH_TEST_MARK",
                                         "SKIRMISH_TOKEN", "SKIRMISH_URL"};
    for (char **variable = environ; *variable; variable++) {
        Slice rest = slice_of(*variable);
        if (!slice_skip(&rest, "SKIRMISH_"))
            continue;
        Slice name = {*variable, strcspn(*variable, "=")};
        bool known = false;
        for (ServeOption id = 0; id < OPTIONS; id++)
            known = known || slice_equals(name, table[id].variable);
        for (size_t i = 0; i < sizeof others / sizeof *others; i++)
            known = known || slice_equals(name, others[i]);
        if (!known)
            return unknown_variable(name, error);
    }
    return true;
}

static void read_environment(ServeOptions *given) {
    for (ServeOption id = 0; id < OPTIONS; id++) {
        const char *value = getenv(table[id].variable);
        if (value)
            give(given, id, slice_of(value), table[id].variable);
    }
    /* The variable may contain a password, and bots without a sandbox inherit the environment. */
    unsetenv(table[OPTION_STORE].variable);
}

/* ---- the file ---- */

/* A list is an array of strings in the file, and separated by spaces elsewhere. */
static bool read_words(const JsonObject *config, uint32_t array, Buffer *to, Error *error) {
    const JsonNode *nodes = config->json.nodes;
    for (uint32_t node = array + 1; node < nodes[array].next; node = nodes[node].next) {
        if (nodes[node].kind != JSON_STRING)
            return json_object_error(config, node, error, "expected a string, found %s",
                                     json_kind_name(&config->json, node));
        buffer_add(to, nodes[node].text.at, nodes[node].text.length);
        buffer_char(to, ' ');
    }
    return true;
}

static bool read_member(ServeOptions *given, const JsonObject *config, ServeOption id,
                        Error *error) {
    static const JsonKind kinds[] = {
        [OPTION_TEXT] = JSON_STRING, [OPTION_NUMBER] = JSON_NUMBER, [OPTION_LIST] = JSON_ARRAY};
    OptionKind kind = table[id].kind;
    uint32_t node = json_member(&config->json, 0, table[id].member);
    bool on = false;
    if (node == JSON_NONE)
        return true;
    if (kind == OPTION_SWITCH
            ? !json_object_bool(config, 0, table[id].member, &on, error)
            : !json_object_member(config, 0, table[id].member, kinds[kind], &node, error))
        return false;
    Buffer words = {0};
    Slice text = config->json.nodes[node].text;
    bool good = kind != OPTION_LIST || read_words(config, node, &words, error);
    if (kind == OPTION_SWITCH)
        text = slice_of(on ? "on" : "off");
    else if (kind == OPTION_LIST)
        text = (Slice){words.data, words.length};
    if (good && text.length && memchr(text.at, '\0', text.length))
        good = json_object_error(config, node, error, "\"%s\" contains a NUL character",
                                 table[id].member);
    if (good) {
        char where[WHERE_SIZE];
        snprintf(where, sizeof where, "%.200s:%u: \"%s\"", config->file,
                 json_line(&config->json, node), table[id].member);
        give(given, id, text, where);
    }
    buffer_free(&words);
    return good;
}

static bool read_config(ServeOptions *given, const char *path, Error *error) {
    Buffer text = {0};
    JsonObject config = {0};
    const char *known[OPTIONS + 1] = {NULL};
    uint32_t count = 0;
    for (ServeOption id = 0; id < OPTIONS; id++)
        if (table[id].member)
            known[count++] = table[id].member;
    bool good = load_file(path, &text, error);
    if (good) {
        Slice content = {text.data, text.length};
        good = json_object_parse(&config, path, content, error) &&
               json_object_allow_only(&config, 0, known, error);
        for (ServeOption id = 0; id < OPTIONS && good; id++)
            good = !table[id].member || read_member(given, &config, id, error);
        json_object_free(&config);
    }
    buffer_free(&text);
    return good;
}

/* ---- values ---- */

static bool take_number(const ServeOptions *given, ServeOption id, uint64_t low, uint64_t high,
                        uint64_t *value, Error *error) {
    return !given->text[id] ||
           parse_number(given->where[id], given->text[id], low, high, value, error);
}

static bool take_count(const ServeOptions *given, ServeOption id, uint32_t low, uint32_t high,
                       uint32_t *value, Error *error) {
    return !given->text[id] ||
           parse_count(given->where[id], given->text[id], low, high, value, error);
}

static bool take_choice(const ServeOptions *given, ServeOption id, const char *const *names,
                        uint32_t *index, Error *error) {
    return !given->text[id] || parse_choice(given->where[id], given->text[id], names, index, error);
}

static bool take_switch(const ServeOptions *given, ServeOption id, bool *on, Error *error) {
    static const char *const names[] = {"off", "on", NULL};
    uint32_t index = *on;
    bool good = take_choice(given, id, names, &index, error);
    *on = index == 1;
    return good;
}

static bool take_modes(const ServeOptions *given, ArenaOptions *options, Error *error) {
    uint32_t sandbox = options->sandbox;
    uint32_t registration = options->registration;
    bool good = take_choice(given, OPTION_SANDBOX, sandbox_mode_names, &sandbox, error) &&
                take_choice(given, OPTION_REGISTRATION, registration_names, &registration, error);
    options->sandbox = (SandboxMode)sandbox;
    options->registration = (Registration)registration;
    return good;
}

static bool take_networks(const ServeOptions *given, ServeOption id, Slice rest, Network *networks,
                          uint32_t *count, Error *error) {
    Slice word;
    while (slice_word(&rest, &word)) {
        if (*count == NETWORKS_MAX)
            return error_set(error, "%s has more than %d networks", given->where[id], NETWORKS_MAX);
        if (!network_parse(word, &networks[(*count)++], error))
            return error_prefix(error, "%s", given->where[id]);
    }
    return true;
}

static bool take_proxies(const ServeOptions *given, ArenaOptions *options, Network *proxies,
                         Error *error) {
    const char *text = given->text[OPTION_PROXIES];
    options->proxies = proxies;
    return take_networks(given, OPTION_PROXIES, slice_of(text ? text : ""), proxies,
                         &options->proxy_count, error);
}

/* "none" leaves only administrators. */
static bool take_metrics(const ServeOptions *given, ArenaOptions *options, Network *networks,
                         Error *error) {
    const char *text = given->text[OPTION_METRICS_FROM];
    options->metrics_from = networks;
    options->metrics_limited = text != NULL;
    return !text || strcmp(text, "none") == 0 ||
           take_networks(given, OPTION_METRICS_FROM, slice_of(text), networks,
                         &options->metrics_from_count, error);
}

static bool take_host_names(const ServeOptions *given, ArenaOptions *options, Error *error) {
    options->host_names = given->text[OPTION_HOST_NAMES];
    Slice rest = slice_of(options->host_names ? options->host_names : "");
    Slice word;
    while (slice_word(&rest, &word))
        for (size_t i = 0; i < word.length; i++)
            if (strchr(":/@?#,*[]", word.at[i]))
                return error_set(error,
                                 "%s: invalid host name \"%.*s\"; use the form arena.example.org, "
                                 "without a scheme and a port",
                                 given->where[OPTION_HOST_NAMES], SLICE_ARGS(word));
    return true;
}

/* A client may use an eighth of the memory (http/budget.h), and an upload takes up to twice its
   size while it grows. So without the option, the memory follows the size of uploads. */
static bool take_memory(const ServeOptions *given, ArenaOptions *options, Error *error) {
    enum { USUAL = 256, UPLOADS = 16 };
    uint64_t least = ((options->upload_max >> 20) + 1) * UPLOADS;
    if (!take_count(given, OPTION_HTTP_MEMORY, 16, 1 << 20, &options->http_memory, error))
        return false;
    if (!options->http_memory)
        options->http_memory = (uint32_t)(least > USUAL ? least : USUAL);
    return options->http_memory >= least ||
           error_set(error, "%s is too small for uploads of %llu bytes; use at least %llu",
                     given->where[OPTION_HTTP_MEMORY], (unsigned long long)options->upload_max,
                     (unsigned long long)least);
}

/* The text may contain a password, so it is not shown. */
static bool take_store(const ServeOptions *given, ArenaOptions *options, Error *error) {
    options->store = given->text[OPTION_STORE];
    return !options->store || database_is_uri(options->store) ||
           error_set(error,
                     "%s is not the URI of a PostgreSQL database; use the form "
                     "postgresql://USER@HOST/DATABASE",
                     given->where[OPTION_STORE]);
}

/* Call it after take_store. */
static bool take_jobs(const ServeOptions *given, ArenaOptions *options, Error *error) {
    if (!take_count(given, OPTION_JOBS, 0, dispatcher_cores(), &options->jobs, error))
        return false;
    options->no_jobs = given->text[OPTION_JOBS] && !options->jobs;
    return !options->no_jobs || options->store ||
           error_set(error,
                     "%s is 0, but only a store on PostgreSQL can have workers; set --store or "
                     "use at least 1",
                     given->where[OPTION_JOBS]);
}

static bool take_libraries(const ServeOptions *given, ArenaOptions *options, Error *error) {
    options->libraries = given->text[OPTION_LIBRARIES];
    return libraries_check(options->libraries, error) ||
           error_prefix(error, "%s", given->where[OPTION_LIBRARIES]);
}

static bool take_all(const ServeOptions *given, ArenaOptions *options,
                     Network networks[2][NETWORKS_MAX], Error *error) {
    uint32_t port = 3000;
    bool visitors = true;
    bool ladder = true;
    *options = (ArenaOptions){.data = "skirmish-data",
                              .sandbox = SANDBOX_STRICT,
                              .visitor_replays_max = VISITOR_REPLAYS_MAX,
                              .analyses_per_hour = ANALYSES_PER_HOUR,
                              .keep_days = KEEP_DAYS,
                              .free_min = FREE_MIN};
    if (given->text[OPTION_DATA])
        options->data = given->text[OPTION_DATA];
    if (!options->data[0])
        return error_set(error, "%s must not be empty", given->where[OPTION_DATA]);
    options->files = given->text[OPTION_FILES];
    if (options->files && !options->files[0])
        return error_set(error, "%s must not be empty", given->where[OPTION_FILES]);
    options->web = given->text[OPTION_WEB];
    if (options->web && !options->web[0])
        return error_set(error, "%s must not be empty", given->where[OPTION_WEB]);
    options->address = given->text[OPTION_ADDRESS];
    options->house_bots = given->text[OPTION_HOUSE_BOTS];
    bool good =
        take_store(given, options, error) &&
        take_number(given, OPTION_FILE_CACHE, 1 << 20, UINT64_C(1) << 50, &options->file_cache,
                    error) &&
        take_count(given, OPTION_PORT, 0, 65534, &port, error) &&
        take_jobs(given, options, error) && take_modes(given, options, error) &&
        take_switch(given, OPTION_VISITORS, &visitors, error) &&
        take_switch(given, OPTION_LADDER, &ladder, error) &&
        take_host_names(given, options, error) &&
        take_switch(given, OPTION_SECURE_COOKIES, &options->secure_cookies, error) &&
        take_proxies(given, options, networks[0], error) &&
        take_metrics(given, options, networks[1], error) &&
        take_count(given, OPTION_PEOPLE_PER_ADDRESS, 1, 10000, &options->people_per_address,
                   error) &&
        take_number(given, OPTION_UPLOAD_MAX, 1024, 1 << 30, &options->upload_max, error) &&
        take_memory(given, options, error) &&
        take_number(given, OPTION_UNPACKED_MAX, 1024, UINT64_C(1) << 34, &options->unpacked_max,
                    error) &&
        take_count(given, OPTION_BOTS_MAX, 1, 100000, &options->bots_max, error) &&
        take_count(given, OPTION_VERSIONS_MAX, 1, 100000, &options->versions_max, error) &&
        take_number(given, OPTION_DISK_MAX, 1024, UINT64_C(1) << 50, &options->disk_max, error) &&
        take_count(given, OPTION_WAITING_MAX, 1, 100000, &options->waiting_max, error) &&
        take_count(given, OPTION_MATCH_SECONDS, 1, 100000, &options->match_seconds, error) &&
        take_count(given, OPTION_LEASE_SECONDS, 5, 3600, &options->lease_seconds, error) &&
        take_count(given, OPTION_WORKER_SPEED_MIN, 0, 100000, &options->worker_speed_min, error) &&
        take_count(given, OPTION_ANALYSES_PER_HOUR, 0, 100000, &options->analyses_per_hour,
                   error) &&
        take_count(given, OPTION_SEATS_MAX, 1, 100000, &options->seats_max, error) &&
        take_count(given, OPTION_BOT_MEMORY_MAX, 16, 1 << 20, &options->bot_memory_max, error) &&
        take_count(given, OPTION_BOT_PROCESSES_MAX, 1, 100000, &options->bot_processes_max,
                   error) &&
        take_count(given, OPTION_TURN_TIME_MAX, 1, 600000, &options->turn_time_max, error) &&
        take_number(given, OPTION_REPLAY_MAX, 1024, 1 << 30, &options->replay_max, error) &&
        take_number(given, OPTION_VISITOR_REPLAYS_MAX, 0, UINT64_C(1) << 60,
                    &options->visitor_replays_max, error) &&
        take_number(given, OPTION_FREE_MIN, 0, UINT64_C(1) << 60, &options->free_min, error) &&
        take_count(given, OPTION_KEEP_DAYS, 0, 36500, &options->keep_days, error) &&
        take_libraries(given, options, error);
    options->no_visitors = !visitors;
    options->no_ladder = !ladder;
    options->port = (uint16_t)(port ? port : UINT16_MAX); /* as in arena.c */
    return good;
}

/* Flags are read first, because they may name the file, and applied last, because they override
   everything else. */
static bool read_options(ServeOptions *given, int count, char **arguments, Error *error) {
    ServeOptions flags = {0};
    bool good = read_flags(&flags, count, arguments, error);
    given->help = flags.help;
    if (good && !given->help) {
        good = check_environment(error);
        const char *config = flags.text[OPTION_CONFIG] ? flags.text[OPTION_CONFIG]
                                                       : getenv(table[OPTION_CONFIG].variable);
        if (good && config)
            good = read_config(given, config, error);
        if (good)
            read_environment(given);
        for (ServeOption id = 0; id < OPTIONS && good; id++)
            if (flags.text[id])
                give(given, id, slice_of(flags.text[id]), flags.where[id]);
    }
    given_free(&flags);
    return good;
}

/* ---- start and stop ---- */

static void notify(const char *sentence) {
    print("%s\n", sentence);
    print_flush();
}

static int serve(ArenaOptions *options) {
    enum { DRAIN_MS = 10000 };
    Error error = {0};
    /* Runners open their own sandboxes. This one is opened to check that an arena can play before
       it starts. It stays open: with delegated cgroups (v2), it keeps this process out of the group
       in which the runners create theirs. */
    Sandbox *sandbox = open_sandbox(options->sandbox, &error);
    options->notify = notify;
    options->at_terminal = isatty(STDOUT_FILENO);
    Arena *arena = NULL;
    if (sandbox && sandbox_hides(sandbox, options->data, options->files, &error) &&
        stop_signal_catch(&error) >= 0)
        arena = arena_start(options, &error);
    if (!arena) {
        print_error("%s", error.text);
        sandbox_free(sandbox);
        return STATUS_USAGE;
    }
    bool six = options->address && strchr(options->address, ':');
    print(six ? "The arena is at http://[%s]:%u\n" : "The arena is at http://%s:%u\n",
          options->address ? options->address : "localhost", arena_port(arena));
    print_flush();
    stop_signal_wait();
    arena_stop(arena, DRAIN_MS);
    sandbox_free(sandbox);
    return STATUS_DONE;
}

static int run(int count, char **arguments) {
    ServeOptions given = {0};
    Network networks[2][NETWORKS_MAX]; /* proxies; networks that may read the metrics */
    ArenaOptions options;
    Error error = {0};
    int status = STATUS_USAGE;
    bool good = read_options(&given, count, arguments, &error);
    if (given.help)
        status = show_help(&command_serve);
    else if (!good || !take_all(&given, &options, networks, &error))
        status = usage_error(&command_serve, "%s", error.text);
    else
        status = serve(&options);
    given_free(&given);
    return status;
}

const Command command_serve = {"serve", help, run};
