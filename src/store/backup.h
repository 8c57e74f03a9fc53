/* A copy of the whole store, database and files, made while the store is in use, and the way
   back. */
#ifndef STORE_BACKUP_H
#define STORE_BACKUP_H

#include "store/types.h"

/* Copies the store, as it is at one moment, into the new directory `path`. It appears there under
   its name only when it is whole; every file's content is checked on the way. Works on a store
   opened read_only too, so another process can do it. */
StoreResult store_backup(Store *store, const char *path, Error *error);

/* Makes the data directory `directory`, which must be empty or not there, from a backup. */
StoreResult store_restore(const char *path, const char *directory, Error *error);

#endif
