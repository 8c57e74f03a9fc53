/* Inside the store: when files in a bucket were last used, as rows of the database. An object store
   has no conditional deletion, so processes coordinate deletions through these rows. */
#ifndef STORE_FILE_USES_H
#define STORE_FILE_USES_H

#include "store/types.h"

/* Marks a file as used now. Waits while another process is deleting it. *fresh: the file must be
   stored again even if it seems to exist, because its deletion may not be complete. */
bool file_use(Store *store, const StoreFile *file, int64_t size, bool *fresh, Error *error);

/* Claims a file for deletion unless it was used since `before`. *claim is 0 if it was, or if
   another process is deleting it. */
bool file_claim(Store *store, const char *name, int64_t before, int64_t *claim, Error *error);

/* Deletes the row of a file that has been deleted. If this is never called, the claim expires. */
bool file_forget(Store *store, const char *name, int64_t claim, Error *error);

#endif
