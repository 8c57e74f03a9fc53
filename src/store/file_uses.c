/* See file_uses.h. The column `doomed` is the time of a claim, or 0. Claims last much longer than a
   request to delete an object takes. */
#include "store/file_uses.h"

#include "store/internal.h"
#include "store/store.h"

#include <time.h>

enum { CLAIM_MS = 10 * 60 * 1000, POLL_MS = 20 };

/* Marks the file as used; returns the claim on it. */
static bool mark(Store *store, const StoreFile *file, int64_t size, int64_t *claim, Error *error) {
    FileRows rows;
    *claim = 0;
    file_rows_begin(&rows, store, ACCESS_WRITE_BESIDE, error);
    if (file_rows_start(&rows,
                        "INSERT INTO files (name, size, used) VALUES (?1, ?2, ?3) "
                        "ON CONFLICT (name) DO UPDATE SET used = ?3 RETURNING doomed",
                        VALUES(as_text(file->name), as_number(size), as_number(store_now(store)))))
        *claim = database_number(rows.database, 0);
    return file_rows_end(&rows);
}

bool file_use(Store *store, const StoreFile *file, int64_t size, bool *fresh, Error *error) {
    int64_t claim;
    *fresh = false;
    while (mark(store, file, size, &claim, error)) {
        if (!claim)
            return true;
        *fresh = true;
        /* The claim has expired: the process that made it is gone. */
        if (claim < store_now(store) - CLAIM_MS) {
            FileRows rows;
            file_rows_begin(&rows, store, ACCESS_WRITE_BESIDE, error);
            file_rows_run(&rows, "UPDATE files SET doomed = 0 WHERE name = ?1 AND doomed = ?2",
                          VALUES(as_text(file->name), as_number(claim)));
            if (!file_rows_end(&rows))
                return false;
        } else {
            nanosleep(&(struct timespec){.tv_nsec = POLL_MS * 1000000L}, NULL);
        }
    }
    return false;
}

bool file_claim(Store *store, const char *name, int64_t before, int64_t *claim, Error *error) {
    FileRows rows;
    int64_t now = store_now(store);
    file_rows_begin(&rows, store, ACCESS_WRITE_BESIDE, error);
    bool claimed =
        file_rows_run(&rows,
                      "INSERT INTO files (name, size, used, doomed) VALUES (?1, 0, 0, ?2) "
                      "ON CONFLICT (name) DO UPDATE SET doomed = ?2 "
                      "WHERE files.used <= ?3 AND files.doomed <= ?4",
                      VALUES(as_text(name), as_number(now), as_number(before),
                             as_number(now - CLAIM_MS))) > 0;
    *claim = claimed ? now : 0;
    return file_rows_end(&rows);
}

bool file_forget(Store *store, const char *name, int64_t claim, Error *error) {
    FileRows rows;
    file_rows_begin(&rows, store, ACCESS_WRITE_BESIDE, error);
    file_rows_run(&rows, "DELETE FROM files WHERE name = ?1 AND doomed = ?2",
                  VALUES(as_text(name), as_number(claim)));
    return file_rows_end(&rows);
}
