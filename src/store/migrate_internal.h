/* Inside the store: the rows that store_migrate copies. */
#ifndef STORE_MIGRATE_INTERNAL_H
#define STORE_MIGRATE_INTERNAL_H

#include "store/internal.h"
#include "store/migrate.h"

#define MIGRATE_NOT_EMPTY \
 "the destination already has an arena; name a new directory or an empty database"
#define MIGRATE_INTERRUPTED "interrupted; run the same command again"

/* Reads the rows of a statement one by one. PostgreSQL would send all rows at once, so a cursor
   fetches a few at a time there. */
typedef struct RowReader {
    Transaction *transaction;
    const char *fetch; /* fetches from the cursor; NULL: there is no cursor */
    bool found;        /* a row since the last fetch */
} RowReader;

/* The two statements must live as long as the connection. */
typedef struct RowQuery {
    char *select;
    char *fetch;
} RowQuery;

RowQuery row_query_make(const char *name, const char *select);
void row_query_free(RowQuery *query);

RowReader row_reader_start(Transaction *transaction, const RowQuery *query);
bool row_reader_next(RowReader *reader);

/* The tables of a store, in an order in which rows refer only to earlier ones, except for columns
   that are set at the end. */
typedef struct Catalog Catalog;

Catalog *catalog_load(Error *error); /* NULL on failure */
void catalog_free(Catalog *catalog);

/* Rejects a target that has rows. */
void catalog_check_empty(const Catalog *catalog, Transaction *to);

/* Copies the rows of all tables, and sets the next ids and result numbers to follow them. */
void catalog_copy(const Catalog *catalog, Transaction *from, Transaction *to,
                  StoreMigrated *migrated, MigrateCounts *counts);

#endif
