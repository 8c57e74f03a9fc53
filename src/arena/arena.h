/* A running arena: the state that its parts share, and how it starts and stops. README.md describes
   the parts and the threads. */
#ifndef ARENA_ARENA_H
#define ARENA_ARENA_H

#include "bots/sandbox.h"
#include "http/http.h"
#include "store/store.h"

#include <stdatomic.h>

/* The role that a route needs, for Route.needs. */
typedef enum Needs { NEEDS_NOTHING, NEEDS_SESSION, NEEDS_ORGANISER, NEEDS_ADMINISTRATOR } Needs;

/* The scope that a route requires of API tokens, for Route.scope. All routes of the API have one,
   except those for registering and logging in. */
typedef enum Scope {
    SCOPE_NONE,
    SCOPE_READ,       /* what the account may see */
    SCOPE_PLAY,       /* matches, seats, entering tournaments */
    SCOPE_UPLOAD,     /* bots and their versions */
    SCOPE_ORGANISE,   /* what organisers may do */
    SCOPE_ADMINISTER, /* what administrators may do */
    SCOPE_SESSION,    /* no token has it: the account itself */
} Scope;

typedef enum Registration {
    REGISTRATION_OPEN,
    REGISTRATION_INVITATION,
    REGISTRATION_CLOSED
} Registration;

enum { LEASE_SECONDS = 60 }; /* the default of lease_seconds */

/* Set once, from flags, the environment and a file (cli/serve.c). arena_start replaces 0 with the
   default. */
typedef struct ArenaOptions {
    const char *data;    /* the data directory */
    const char *store;   /* the URI of a PostgreSQL database; NULL: SQLite in the data directory */
    const char *files;   /* where the files are, as in StoreOptions; NULL: in the data directory */
    uint64_t file_cache; /* bytes, as in StoreOptions */
    const char *web; /* the directory of the built pages; NULL: next to the program, if it exists */
    const char *address;
    const char *house_bots;      /* names to add, separated by spaces. NULL: all */
    const char *host_names;      /* besides addresses and localhost; see http.h. NULL: none */
    const Network *proxies;      /* whose X-Forwarded-For is trusted */
    const Network *metrics_from; /* who may read /metrics, besides administrators */
    const char *libraries;       /* for bots: see libraries_check; NULL: none */
    uint64_t upload_max;         /* bytes of an upload */
    uint64_t unpacked_max;       /* bytes of its contents */
    uint64_t disk_max;           /* bytes of sources and builds, per account */
    uint64_t replay_max;         /* bytes of answers in one match; 0: the default of match.h */
    /* Bytes of replays, of all visitors together and of each account; 0: unlimited. */
    uint64_t visitor_replays_max;
    uint64_t free_min;                    /* bytes of free disk space, see disk.h */
    const char *program;                  /* for runners; NULL: this one */
    void (*notify)(const char *sentence); /* prints a sentence to the operator; not the log */
    uint32_t jobs;                        /* 0: all cores */
    SandboxMode sandbox;
    Registration registration;
    uint32_t http_memory; /* MiB for bodies, responses and streams */
    uint32_t proxy_count;
    uint32_t metrics_from_count;
    uint32_t people_per_address; /* expected to share an address; multiplies its limits */
    uint32_t bots_max;           /* per account */
    uint32_t versions_max;       /* per account and day */
    uint32_t waiting_max;        /* casual matches that wait or run, per person */
    uint32_t match_seconds;      /* how long a casual match of bots can take */
    uint32_t lease_seconds;      /* how long a job stays with a process that does not respond */
    uint32_t analyses_per_hour;  /* per account; 0: matches are not analysed */
    uint32_t bot_memory_max;     /* MiB that organisers may give a bot */
    uint32_t bot_processes_max;  /* processes and threads that they may give it */
    uint32_t turn_time_max;      /* milliseconds per turn that they may give it */
    uint32_t seats_max;          /* seats that one person plays at the same time */
    uint32_t worker_speed_min;   /* of machines of workers, see league/calibration.h; 0: any */
    uint32_t keep_days;          /* how long replays are kept; 0: forever */
    uint32_t topic_kept_ms;      /* how long the live stream of a finished match remains */
    uint16_t port;
    bool no_visitors;     /* people without an account can only watch */
    bool no_ladder;       /* ladder matches are not scheduled */
    bool no_jobs;         /* workers play everything except matches with people and remote bots */
    bool is_worker;       /* see worker.h */
    bool secure_cookies;  /* the arena is behind TLS */
    bool metrics_limited; /* false: anyone may read /metrics */
    bool at_terminal;     /* `notify` prints to a person's terminal, not to a log */
} ArenaOptions;

struct Copies;
struct Engine;
struct Figures;
struct Housekeeping;
struct Ladders;
struct Pages;
struct RemoteSeats;
struct SharedSeats;
struct TopicRelay;
struct TournamentScheduler;

enum { SECRET_HEX_SIZE = 65 };

/* Read and changed through settings.h. */
typedef struct ArenaSettings {
    atomic_uint registration;
    atomic_bool visitors;
    atomic_bool ladder;
    char secret[SECRET_HEX_SIZE]; /* the keys of visitors' matches derive from it; never changes */
} ArenaSettings;

/* See disk.h. */
typedef struct ArenaDisk {
    atomic_bool low;
    Metric *free_bytes; /* NULL before the first measurement */
    Metric *low_gauge;
} ArenaDisk;

typedef struct Arena {
    ArenaOptions options;
    ArenaSettings settings;
    ArenaDisk disk;
    Store *store;
    Http *http;
    Live *live; /* owned by http, except in a worker, which has no viewers */
    Log *log;
    Metrics *metrics;
    struct Figures *figures;
    struct Engine *engine;
    struct Ladders *ladders;
    _Atomic int64_t ratings_changed; /* clock_now of the last change of a ladder */
    struct TournamentScheduler *scheduler;
    struct Housekeeping *housekeeping;
    struct RemoteSeats *remote_seats;
    struct SharedSeats *shared_seats; /* NULL with SQLite: see play/shared_seats.h */
    struct TopicRelay *relay;         /* NULL with SQLite: see play/topic_relay.h */
    struct Pages *pages;
    struct Copies *copies;
    Body *openapi; /* the OpenAPI document */
} Arena;

/* options.topic_kept_ms or its default, in nanoseconds. */
static inline int64_t topic_kept(const Arena *arena) {
    return (arena->options.topic_kept_ms ? arena->options.topic_kept_ms : 2 * 60000) *
           INT64_C(1000000);
}

static inline Arena *arena_of(const Request *request) {
    return request->context;
}

/* Opens the store, creates what a new one lacks (an administrator, house bots), resumes unfinished
   work, and serves. NULL on failure, with everything closed again. */
Arena *arena_start(const ArenaOptions *options, Error *error);

/* Running matches finish within this many milliseconds or go back to the queue. Then stops serving
   requests, closes the store and frees the arena. */
void arena_stop(Arena *arena, uint32_t drain_ms);

uint16_t arena_port(const Arena *arena);

#endif
