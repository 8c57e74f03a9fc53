/* The disk usage of an account's bots, and which of their files are still needed. */
#ifndef STORE_USAGE_H
#define STORE_USAGE_H

#include "store/types.h"

/* Bytes. Equal sources are one file and count once. */
typedef struct StoreUsage {
    int64_t sources;
    int64_t builds; /* builds that are on the disk now */
    int64_t most;   /* the quota that an administrator has set for this account; 0: the default */
} StoreUsage;

/* The usage of all bots of the account; retired bots count as long as they have sources. */
StoreResult store_usage(Store *store, uint64_t owner, StoreUsage *usage, Error *error);

/* Sets the account's quota in bytes; 0: the default. */
StoreResult store_usage_allow(Store *store, uint64_t owner, int64_t bytes, Error *error);

/* Counts the versions that the account has added since that time, including those of bots that are
   retired now. */
StoreResult store_usage_added(Store *store, uint64_t owner, int64_t since, uint32_t *count,
                              Error *error);

/* Records the size of the build of a version; 0: it was removed. */
StoreResult store_usage_set_build(Store *store, uint64_t version, int64_t bytes, Error *error);

/* Reads the recorded size of the build of a version. */
StoreResult store_usage_of_build(Store *store, uint64_t version, int64_t *bytes, Error *error);

/* Reads the versions with a recorded build and ids above `after`, in ascending order, at most
   *count; sets *count to how many. */
StoreResult store_usage_builds(Store *store, uint64_t after, uint64_t *ids, uint32_t *count,
                               Error *error);

/* Whether a build of the version is needed soon: it is active, plays in a tournament that is not
   over, or in a match in the queue; or it is being built. */
StoreResult store_usage_needs_build(Store *store, uint64_t version, bool *needed, Error *error);

/* Deletes the source of a version. The version stays in lists and matches, but cannot play again.
   STORE_CONFLICT if it is active or needed for a match or tournament. */
StoreResult store_usage_delete(Store *store, uint64_t version, Error *error);

/* Drops the sources of at most `limit` versions of retired bots that are not needed for any match
   or tournament. Sweeping deletes the files. *count: how many were dropped. */
StoreResult store_usage_forget(Store *store, uint32_t limit, uint32_t *count, Error *error);

#endif
