/* The arena's persistent data, in one data directory and perhaps a PostgreSQL database, behind one
   interface.

     accounts.h     accounts: names, roles, password hashes; what remains of deleted ones
     sessions.h     sessions, tokens and invitation codes, stored as hashes
     bots.h         bots and their versions
     matches.h      matches: players, map, seed, verdict, replay; lists of them
     analyses.h     analyses of matches: requests, results
     queue.h        matches to play and versions to build: leases, results, failures
     ratings.h      the ladder of each game, with its history
     records.h      who has beaten whom, and what people have achieved
     tournaments.h  tournaments and their entrants
     audit.h        the audit log; settings
     files.h        replays and bots' sources, named by their content
     backup.h       backups, made while the store is in use

   The engine (SQLite or PostgreSQL) is not visible here. Every function may be called from any
   thread at any time. Reads never wait for writes. Writes are serialized, each one transaction:
   when a call returns STORE_OK, its changes survive a crash of the process and, unless the store is
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
#include "store/matches.h"
#include "store/queue.h"
#include "store/ratings.h"
#include "store/records.h"
#include "store/sessions.h"
#include "store/tournaments.h"
#include "store/types.h"
#include "store/usage.h"

typedef struct StoreOptions {
    const char *directory; /* created if missing, accessible by its owner only */
    /* the URI of a PostgreSQL database, which then has everything but the files; NULL: an SQLite
       database in the directory */
    const char *database;
    bool read_only; /* for reading the store of a running arena; every write fails */
    /* a power cut may lose the last seconds of writes, but only whole transactions */
    bool relaxed;
    int64_t (*now)(void); /* the clock, in milliseconds since 1970; NULL: the system clock */
} StoreOptions;

/* Opens the store, upgrades an older one, and keeps other processes from writing to it. NULL on
   failure. */
Store *store_open(const StoreOptions *options, Error *error);

/* Whether a directory has a store, and whether a process has it open for writing. */
bool store_is_there(const char *directory);
bool store_is_in_use(const char *directory);

/* False if the last changes could not be written. No call may be in progress. NULL is fine. */
bool store_close(Store *store, Error *error);

int64_t store_now(const Store *store);

/* Housekeeping, every minute or so: deletes expired sessions and makes a checkpoint. */
StoreResult store_tidy(Store *store, Error *error);

/* Checks everything: whether the database is undamaged and every file it names exists. Slow. */
StoreResult store_check(Store *store, Error *error);

#endif
