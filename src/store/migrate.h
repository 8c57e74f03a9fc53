/* Moving a store: its rows and files are copied from one place to another, between SQLite and
   PostgreSQL and between all places of files. */
#ifndef STORE_MIGRATE_H
#define STORE_MIGRATE_H

#include "store/types.h"

/* A data directory with an SQLite database, or the URI of a PostgreSQL database; and the place of
   the files, as in StoreOptions. With a URI, it is required. */
typedef struct StorePlace {
    const char *store;
    const char *files;
} StorePlace;

/* How far a copy is: `what` is "files" or "rows". False ends it. */
typedef bool StoreMigrated(const char *what, uint64_t done, uint64_t total);

/* What was copied. */
typedef struct MigrateCounts {
    uint64_t rows;
    uint64_t tables; /* that have rows */
    uint64_t files;
} MigrateCounts;

/* Copies the store `from` to `to`, which must be new or have no rows yet. No arena may use either.
   Copies the files first and compares each with its name, then all rows in one transaction, so that
   an interrupted copy can be repeated. STORE_REJECTED if one of the places cannot be used. */
StoreResult store_migrate(const StorePlace *from, const StorePlace *to, StoreMigrated *migrated,
                          MigrateCounts *counts, Error *error);

#endif
