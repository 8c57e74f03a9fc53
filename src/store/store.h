/* The arena's memory: everything that lasts, in one data directory, behind one interface.

     accounts.h     people: names, roles, password hashes; what is left of an account that was
                    deleted
     sessions.h     what lets somebody in: sessions, tokens, invitation codes; kept as hashes only
     bots.h         bots and their versions
     matches.h      matches: players, map, seed, verdict, replay; what pages list
     queue.h        work to do: matches to play and versions to build; leases, results, failures
     ratings.h      the ladder of each game, and how it came about
     tournaments.h  tournaments and who takes part
     audit.h        who did what; settings
     files.h        replays and bots' sources, named by their content
     backup.h       a copy of it all while it is in use, and back

   One engine is behind it (SQLite); nothing out here can tell. Every function may be called from
   any thread at any time. A read never waits for a write. Writes go one after the other, each a
   whole transaction: when a call returns STORE_OK, what it wrote survives the end of this process
   however it comes, and a power cut too, unless the store was opened as `relaxed`.

   The store interprets nothing: verdicts, plans and job specifications are texts to it, passwords
   are hashes that others made. */
#ifndef STORE_STORE_H
#define STORE_STORE_H

#include "store/accounts.h"
#include "store/audit.h"
#include "store/backup.h"
#include "store/bots.h"
#include "store/files.h"
#include "store/matches.h"
#include "store/queue.h"
#include "store/ratings.h"
#include "store/sessions.h"
#include "store/tournaments.h"
#include "store/types.h"

typedef struct StoreOptions {
    const char *directory; /* made if it is not there, for the owner's eyes only */
    bool read_only;        /* look at the store of a running arena; every write is refused */
    /* a power cut may take the last seconds of writes with it, never less than whole
       transactions */
    bool relaxed;
    int64_t (*now)(void); /* the clock, in milliseconds since 1970; NULL: the machine's */
} StoreOptions;

/* Opens the store, brings an older one up to date, and keeps other processes from writing to it.
   NULL if that cannot be done. */
Store *store_open(const StoreOptions *options, Error *error);

/* Whether there is a store in a directory, and whether a process has it open to write. */
bool store_is_there(const char *directory);
bool store_is_in_use(const char *directory);

/* False if the end of it could not be written. No call may be under way. NULL is fine. */
bool store_close(Store *store, Error *error);

int64_t store_now(const Store *store);

/* What is done when there is nothing else to do, every minute or so: sessions that are over are
   removed and the log is folded into the database. */
StoreResult store_tidy(Store *store, Error *error);

/* Reads everything once: whether the database is sound and every file that it names is there.
   Slow. */
StoreResult store_check(Store *store, Error *error);

#endif
