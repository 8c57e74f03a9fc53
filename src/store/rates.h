/* Rate limits that all processes of a store share: token buckets, in a table. For limits that
   protect accounts, so that several arenas on one database do not allow more attempts than one.

   A bucket is one number, the time at which it will be full again (GCRA), so a full bucket needs no
   row. Its name is hashed, so that the table does not reveal whose it is. A check takes one
   statement, and waits only for checks of the same bucket. On PostgreSQL, a crash of the server
   empties the table. */
#ifndef STORE_RATES_H
#define STORE_RATES_H

#include "store/types.h"

typedef struct StoreRate {
    const char *limit; /* its name */
    uint64_t key;      /* whom it limits: a hash of an account or an address */
    int64_t token;     /* milliseconds until there is another one; not 0 */
    int64_t room;      /* milliseconds that an empty bucket takes to be full; at least a token */
} StoreRate;

/* Takes a token: *wait is 0, or how many milliseconds it takes until there is one. */
StoreResult store_rate_take(Store *store, const StoreRate *rate, int64_t *wait, Error *error);

/* Returns a token, because the action that it was taken for does not count. */
StoreResult store_rate_give_back(Store *store, const StoreRate *rate, Error *error);

/* Deletes the buckets that are full again. */
StoreResult store_rates_trim(Store *store, Error *error);

#endif
