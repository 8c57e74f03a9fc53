/* The tables, and the migrations from older versions. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "sql/database.h"

/* Step N leads from version N to N + 1; an empty database has version 0. A released step never
   changes, so enum values in it stay literal numbers. Stores on PostgreSQL begin with version 17:
   the step to it creates all tables, and there are none before it (NULL). */
typedef struct SchemaStep {
    const char *sqlite;
    const char *postgres;
} SchemaStep;

extern const SchemaStep schema_steps[];
extern const char schema_postgres_17[];
extern const char schema_postgres_18[];
extern const char schema_postgres_19[];
extern const uint32_t schema_version;

/* Upgrades a database, each step in its own transaction; others may do so at the same time. Fails
   if it is newer than the steps, or not a store. */
bool schema_migrate(Database *database, const SchemaStep *steps, uint32_t count, Error *error);

/* For readers: whether it is a store of exactly this version. */
bool schema_is_current(Database *database, Error *error);

/* Whether it is a store of this version or an older one. */
bool schema_is_known(Database *database, Error *error);

#endif
