/* The time of a store. On SQLite it is that of this machine. Machines that share a PostgreSQL
   database may disagree by minutes, and a lease must not expire because of that, so they all use
   the database server's time.

   It is the monotonic clock of this machine plus the difference to the server's, which is measured
   again every few seconds. So a jump of this machine's own clock changes nothing. */
#ifndef STORE_STORE_CLOCK_H
#define STORE_STORE_CLOCK_H

#include "sql/database.h"

#include <stdatomic.h>

typedef struct StoreClock {
    int64_t (*now)(void);            /* NULL: the server's time */
    _Atomic int64_t ahead;           /* of the monotonic clock, in milliseconds */
    _Atomic int64_t next_comparison; /* clock_now */
} StoreClock;

/* `now` replaces every other clock; NULL: the machine's or the server's (`shared`). */
void store_clock_init(StoreClock *clock, int64_t (*now)(void), bool shared);

/* Compares the clocks when it is due. The connection has no transaction in progress. The next user
   of the connection notices a failure. */
void store_clock_follow(StoreClock *clock, Database *database);

#endif
