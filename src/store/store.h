/* The arena's persistent data, behind one interface: a data directory, optionally with a PostgreSQL
   database and another place for files.

     accounts.h     accounts: names, roles, password hashes; what remains of deleted ones
     sessions.h     sessions, tokens and invitation codes, stored as hashes
     bots.h         bots and their versions
     matches.h      matches: players, map, seed, verdict, replay; lists of them
     analyses.h     analyses of matches: requests, results
     queue.h        matches to play and versions to build: leases, results, failures
     rates.h        rate limits that all processes of a store share
     ratings.h      the ladder of each game, with its history
     records.h      head-to-head records, and people's achievements
     tournaments.h  tournaments and their entrants
     audit.h        the audit log; settings
     grants.h       the rights of workers in a PostgreSQL database
     usage.h        the disk usage of an account's bots; which files are still needed
     news.h         notifications between processes that share a database
     relay.h        events of live topics that these processes pass to each other
     seat_calls.h   seats of remote players that other front ends serve
     leader.h       which of these processes does the work that must not happen twice
     workers.h      which of these processes play, and whether administrators drain or block them
     watch.h        what a store reports about its work, for metrics
     files.h        replays and bots' sources, named by their content
     backup.h       backups, made while the store is in use
     migrate.h      moving a store to PostgreSQL, and back

   The engine (SQLite or PostgreSQL) is not visible here. Every function may be called from any
   thread at any time. Reads never wait for writes. Every write is one isolated transaction: when a
   call returns STORE_OK, its changes survive a crash of the process and, unless the store is
   `relaxed`, a power cut.

   The store does not interpret verdicts, plans and job specs, and passwords reach it hashed. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/accounts.h"
#include "store/analyses.h"
#include "store/audit.h"
#include "store/backup.h"
#include "store/bots.h"
#include "store/files.h"
#include "store/grants.h"
#include "store/leader.h"
#include "store/matches.h"
#include "store/migrate.h"
#include "store/news.h"
#include "store/queue.h"
#include "store/rates.h"
#include "store/ratings.h"
#include "store/records.h"
#include "store/relay.h"
#include "store/seat_calls.h"
#include "store/sessions.h"
#include "store/tournaments.h"
#include "store/types.h"
#include "store/usage.h"
#include "store/watch.h"
#include "store/workers.h"

typedef struct StoreOptions {
    const char *directory; /* created if missing, accessible by its owner only */
    /* the URI of a PostgreSQL database for everything but the files; NULL: an SQLite database in
       the directory */
    const char *database;
    /* the place for files: a directory, which several machines may share, "database", or a bucket,
       s3://BUCKET/PREFIX?endpoint=URL&region=NAME; NULL: the data directory */
    const char *files;
    int64_t file_cache; /* bytes of cached copies of remote files; 0: 1 GiB */
    bool without_files; /* every call that needs a file fails */
    /* joins the store that an arena has on PostgreSQL: neither creates nor upgrades it */
    bool joins;
    bool read_only; /* for reading the store of a running arena; every write fails */
    /* a power cut may lose the last seconds of writes, but only whole transactions */
    bool relaxed;
    int64_t (*now)(void); /* the clock, in milliseconds since 1970; NULL: see store_now */
    StoreWatch watch;     /* receives measurements of the store's work */
} StoreOptions;

/* Opens the store, upgrades it if it is older, and locks its directory against other writing
   processes. NULL on failure. */
Store *store_open(const StoreOptions *options, Error *error);

/* Whether StoreOptions.files names a directory. */
bool store_files_are_in_directory(const char *files);

/* Whether a directory contains a store, and whether a process has opened it for writing. */
bool store_is_there(const char *directory);
bool store_is_in_use(const char *directory);

/* False if the last changes could not be written. No call may be in progress. NULL is fine. */
bool store_close(Store *store, Error *error);

/* The time in milliseconds since 1970, by this machine's clock or the PostgreSQL server's: see
   store_clock.h. From any thread; never waits. */
int64_t store_now(const Store *store);

/* The number of connections to the database, and how many of them are in use. Does not count the
   connections of the news and the leader. */
typedef struct StoreConnections {
    uint32_t open;
    uint32_t used;
    uint64_t reconnects; /* how often this process has replaced a lost one */
} StoreConnections;
StoreConnections store_connections(Store *store);

/* Housekeeping, every minute or so: deletes expired sessions and makes a checkpoint. */
StoreResult store_tidy(Store *store, Error *error);

/* Vacuums the queue's table in a PostgreSQL database if it has many dead rows. Call it every few
   seconds, in one process. Each lease reads the index of waiting jobs from its front, where the
   entries of leased jobs remain until they are vacuumed. */
StoreResult store_tidy_queue(Store *store, Error *error);

/* Checks everything: whether the database is undamaged and every file it names exists. Slow. */
StoreResult store_check(Store *store, Error *error);

#endif
