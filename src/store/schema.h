/* The tables, and the migrations from older versions. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "sql/database.h"

/* Step N upgrades from version N to N + 1; an empty database has version 0. A released step never
   changes, so enum values in it stay literal numbers. Stores on PostgreSQL begin with version 17:
   the step to version 17 creates all tables, and earlier steps are NULL.

   Programs of adjacent versions use a PostgreSQL database side by side while it is upgraded. So a
   step only adds: tables, indexes, and columns that have a default. Changes that would break older
   programs (a dropped column, a value that they misunderstand) come one release after the last
   program that needs the old form. `oldest` is the oldest schema version whose programs may use the
   database after this step; 0: only programs that know this step. */
typedef struct SchemaStep {
    const char *sqlite;
    const char *postgres;
    uint32_t oldest;
} SchemaStep;

extern const SchemaStep schema_steps[];
extern const char schema_postgres_17[];
extern const char schema_postgres_18[];
extern const char schema_postgres_19[];
extern const char schema_postgres_20[];
extern const uint32_t schema_version;

/* Upgrades a database, each step in its own transaction; other processes may do so at the same
   time. Leaves a newer database unchanged if programs of this version may use it. Fails if they may
   not, or if the database is not a store. */
bool schema_migrate(Database *database, const SchemaStep *steps, uint32_t count, Error *error);

/* For readers: whether the database is a store of exactly this version, or a newer one that
   programs of this version may use. */
bool schema_is_current(Database *database, Error *error);

/* For copies, which must be complete: whether the database is a store of exactly this version. */
bool schema_is_own(Database *database, Error *error);

/* Whether the database is a store of this or an older version, or a newer one that programs of this
   version may use. */
bool schema_is_known(Database *database, Error *error);

#endif
