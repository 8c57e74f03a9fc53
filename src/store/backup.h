/* Backups: a copy of the whole store, database and files, made while the store is in use. */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include "store/types.h"

/* How many files of the store are copied, or NULL. 0 of 0 while the database is. */
typedef void StoreCopied(uint64_t done, uint64_t total);

/* Copies a snapshot of the store to the new directory `path`, which appears only once it is
   complete. Every file's content is checked. Also works on a store opened read_only, so another
   process can do it. */
StoreResult store_backup(Store *store, const char *path, StoreCopied *copied, Error *error);

/* Creates the data directory `directory`, which must be empty or missing, from a backup. */
StoreResult store_restore(const char *path, const char *directory, StoreCopied *copied,
                          Error *error);

#endif
