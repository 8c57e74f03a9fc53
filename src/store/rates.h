/* Rate limits that all processes of a store share: token buckets in a table. They are for limits
   that protect accounts, so that several arenas on one database do not allow more attempts than
   one.

   A bucket is one number, the time at which it will be full again (GCRA), so a full bucket needs no
   row. Its name is hashed, so that the table does not reveal whom it limits. A check takes one
   statement, and waits only for checks of the same bucket. On PostgreSQL, a crash of the server
   empties the table. */
#ifndef STORE_RATES_H
#define STORE_RATES_H

#include "store/types.h"

typedef struct StoreRate {
    const char *limit; /* its name */
    uint64_t key;      /* a hash of the account or address that is limited */
    int64_t token;     /* milliseconds between two tokens; not 0 */
    int64_t room;      /* milliseconds in which an empty bucket fills up; at least `token` */
} StoreRate;

/* Takes a token. *wait is 0, or if there is none the number of milliseconds until there is one. */
StoreResult store_rate_take(Store *store, const StoreRate *rate, int64_t *wait, Error *error);

/* Returns a token because the action for which it was taken does not count. */
StoreResult store_rate_give_back(Store *store, const StoreRate *rate, Error *error);

/* Deletes the buckets that are full again. */
StoreResult store_rates_trim(Store *store, Error *error);

#endif
