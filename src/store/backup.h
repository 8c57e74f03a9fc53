/* Backups: a copy of the whole store, database and files, made while the store is in use. */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include "store/types.h"

/* Copies a snapshot of the store to the new directory `path`, which appears only once it is
   complete. Every file's content is checked. Also works on a store opened read_only, so another
   process can do it. */
StoreResult store_backup(Store *store, const char *path, Error *error);

/* Creates the data directory `directory`, which must be empty or missing, from a backup. */
StoreResult store_restore(const char *path, const char *directory, Error *error);

#endif
