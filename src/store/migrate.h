/* Moving a store: copies its rows and files, between SQLite and PostgreSQL and between all places
   for files. */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/types.h"

/* A data directory with an SQLite database, or the URI of a PostgreSQL database; and the place for
   the files, as in StoreOptions, which is required with a URI. */
typedef struct StorePlace {
    const char *store;
    const char *files;
} StorePlace;

/* Reports the progress of a copy; `what` is "files" or "rows". Returning false cancels the copy. */
typedef bool StoreMigrated(const char *what, uint64_t done, uint64_t total);

/* How much was copied. */
typedef struct MigrateCounts {
    uint64_t rows;
    uint64_t tables; /* that have rows */
    uint64_t files;
} MigrateCounts;

/* Copies the store `from` to `to`, which must be new or have no rows yet. No arena may use either.
   Copies the files first and verifies each against its name, then all rows in one transaction, so
   that an interrupted copy can be repeated. STORE_REJECTED if one of the places cannot be used. */
StoreResult store_migrate(const StorePlace *from, const StorePlace *to, StoreMigrated *migrated,
                          MigrateCounts *counts, Error *error);

#endif
