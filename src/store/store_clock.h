/* The time of a store. On SQLite this is the machine's time. The clocks of machines that share a
   PostgreSQL database may differ by minutes, and a lease must not expire because of that, so they
   all use the database server's time.

   The server's time is computed as this machine's monotonic clock plus an offset, which is measured
   again every few seconds. So a jump of this machine's wall clock has no effect. */
#ifndef STORE_STORE_CLOCK_H
#define STORE_STORE_CLOCK_H

#include "sql/database.h"

#include <stdatomic.h>

typedef struct StoreClock {
    int64_t (*now)(void);            /* NULL: the server's time */
    _Atomic int64_t ahead;           /* the offset to the monotonic clock, in milliseconds */
    _Atomic int64_t next_comparison; /* clock_now */
} StoreClock;

/* `now` replaces every other clock. NULL: the server's time if `shared`, else the machine's. */
void store_clock_init(StoreClock *clock, int64_t (*now)(void), bool shared);

/* Compares the clocks if a comparison is due. The connection must have no transaction in progress.
   Failures are not reported here; the next user of the connection notices them. */
void store_clock_follow(StoreClock *clock, Database *database);

#endif
