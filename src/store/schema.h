/* The tables, and the steps by which an older database becomes a present one. */
#ifndef STORE_SCHEMA_H
#define STORE_SCHEMA_H

#include "sql/database.h"

/* Step N of the list leads from version N to version N + 1; an empty database has version 0. A step
   that was ever released is never changed again. */
extern const char *const schema_steps[];
extern const uint32_t schema_version;

/* Brings a database up to date, each step in a transaction of its own. Refuses one that is newer
   than the steps, or no store's. */
bool schema_migrate(Database *database, const char *const *steps, uint32_t count, Error *error);

/* For those who only read: whether it is a store of this very version. */
bool schema_is_current(Database *database, Error *error);

/* Whether it is a store of this version or one before. */
bool schema_is_known(Database *database, Error *error);

#endif
