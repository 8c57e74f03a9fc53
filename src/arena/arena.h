/* A running arena: what the parts of the server share, how it starts and how it stops.

     people.h     who sends a request: sessions, API tokens, passwords, recovery
     settings.h   what administrators can change while it runs
     bots.h       bots' files: archives, languages, the directories that they run in, house bots
     queued_match.h what a match in the queue is to be played with
     engine.h     the thread that plays: from the queue through the dispatcher to results, ratings
                  and live turns
     scheduler.h  tournaments: schedules make matches, results make schedules
     remote_seats.h       seats that are played from elsewhere
     api.h        the routes, group by group

   Threads: libmicrohttpd's, which answer requests and wait for nothing but the store; a few for
   work that takes a while (thread_pool.h); the one of live.h; and the engine's, which alone talks to the
   dispatcher. */
#ifndef ARENA_ARENA_H
#define ARENA_ARENA_H

#include "bots/sandbox.h"
#include "http/http.h"
#include "store/store.h"

#include <stdatomic.h>

/* The role that a route needs, for Route.needs. */
typedef enum Needs { NEEDS_NOTHING, NEEDS_SESSION, NEEDS_ORGANISER, NEEDS_ADMINISTRATOR } Needs;

typedef enum Registration {
    REGISTRATION_OPEN,
    REGISTRATION_INVITATION,
    REGISTRATION_CLOSED
} Registration;

/* Set once, from flags, environment and a file (cli/serve.c). Zero is the usual, which arena_start
   fills in. */
typedef struct ArenaOptions {
    const char *data; /* the directory that everything is in */
    const char *web;  /* that the built pages are in; NULL: beside the program, if they are there */
    const char *address;
    uint16_t port;
    uint32_t jobs;
    SandboxMode sandbox;
    Registration registration;
    bool no_visitors;       /* people without an account may only look */
    bool no_ladder;         /* ladder matches are not played by themselves */
    bool secure_cookies;    /* the arena is behind TLS */
    const Network *proxies; /* whose X-Forwarded-For is believed */
    uint32_t proxy_count;
    uint32_t people_per_address;        /* who may share one: limits of addresses grow with it */
    uint64_t upload_max;                /* bytes of an archive */
    uint64_t unpacked_max;              /* bytes of what is in it */
    uint32_t bots_max;                  /* of one account */
    uint32_t versions_max;              /* of one bot, in a day */
    uint32_t waiting_max;               /* play-now matches of one person that wait */
    uint32_t seats_max;                 /* matches that one person plays in, in person, at a time */
    uint32_t keep_days;                 /* that replays are kept; 0: for ever */
    uint32_t topic_kept_ms;             /* how long the stream of what is over can still be read */
    const char *program;                /* for runners; NULL: this one */
    void (*tell)(const char *sentence); /* for who started it; not the log */
} ArenaOptions;

struct Engine;
struct Housekeeping;
struct Ladders;
struct Pages;
struct RemoteSeats;
struct TournamentScheduler;

/* See settings.h, which reads and changes them. */
typedef struct ArenaSettings {
    atomic_uint registration;
    atomic_bool visitors;
    atomic_bool ladder;
} ArenaSettings;

typedef struct Arena {
    ArenaOptions options;
    ArenaSettings settings;
    Store *store;
    Http *http;
    Live *live; /* http's */
    Log *log;
    Metrics *metrics;
    struct Engine *engine;
    struct Ladders *ladders;
    struct TournamentScheduler *scheduler;
    struct Housekeeping *housekeeping;
    struct RemoteSeats *remote_seats;
    struct Pages *pages;
    Body *openapi; /* the document, made once */
} Arena;

/* The same in nanoseconds, for clock_now. */
static inline int64_t topic_kept(const Arena *arena) {
    return (arena->options.topic_kept_ms ? arena->options.topic_kept_ms : 2 * 60000) *
           INT64_C(1000000);
}

static inline Arena *arena_of(const Request *request) {
    return request->context;
}

/* Opens the store, makes what a new one lacks (an administrator, the house bots), takes up what was
   left, and serves. NULL, and everything closed again, if that cannot be. */
Arena *arena_start(const ArenaOptions *options, Error *error);

/* Takes no more requests; running matches finish within so many milliseconds or go back to the
   queue. */
void arena_stop(Arena *arena, uint32_t drain_ms);

uint16_t arena_port(const Arena *arena);

#endif
