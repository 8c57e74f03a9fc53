/* Backups: a copy of the whole store, database and files, made while the store is in use. */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include "store/types.h"

/* Reports the progress: how many files were copied; 0 of 0 while the database is being copied. A
   caller that needs no reports passes NULL. */
typedef void StoreCopied(uint64_t done, uint64_t total);

/* Copies a snapshot of the store to the new directory `path`, which appears only once it is
   complete. Verifies every file's content. Also works on a store opened read_only, so a separate
   process can make backups. */
StoreResult store_backup(Store *store, const char *path, StoreCopied *copied, Error *error);

/* Creates the data directory `directory`, which must be empty or missing, from a backup. */
StoreResult store_restore(const char *path, const char *directory, StoreCopied *copied,
                          Error *error);

#endif
