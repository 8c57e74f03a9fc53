/* Inside the store: when files in a bucket were last used, as rows of the database. An object store
   has no conditional deletion, so processes agree here. */
#ifndef STORE_FILE_USES_H
#define STORE_FILE_USES_H

#include "store/types.h"

/* Notes that a file is used from now on. Waits while another process is deleting it. *fresh: it
   must be stored again even if it seems to exist, because its deletion may not be over. */
bool file_use(Store *store, const StoreFile *file, int64_t size, bool *fresh, Error *error);

/* Claims a file that was not used since `before` for deletion; *claim is 0 if it was, or if another
   process is deleting it. */
bool file_claim(Store *store, const char *name, int64_t before, int64_t *claim, Error *error);

/* The file has been deleted. If this is never called, the claim expires. */
bool file_forget(Store *store, const char *name, int64_t claim, Error *error);

#endif
