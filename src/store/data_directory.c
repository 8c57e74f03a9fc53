/* Inside the store: which data directory belongs to which database. With SQLite the database is in
   the directory. With PostgreSQL only the files are, so an arena that is started with the wrong one
   of the two would delete files that it does not know. Therefore the first start gives both the
   same random id: the database as a setting, the directory as a file. */
#include "base/path.h"
#include "store/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define ID_FILE "store-id"
#define ID_SETTING "data_directory"

enum { ID_BYTES = 16, ID_SIZE = 2 * ID_BYTES + 1 };

bool directory_has_files_of(const char *directory, bool uri) {
    char *path = path_join(directory, uri ? ID_FILE : STORE_DATABASE);
    bool there = access(path, F_OK) == 0;
    free(path);
    return there;
}

bool directory_suits(const char *directory, bool uri, Error *error) {
    if (uri && directory_has_files_of(directory, false))
        return error_set(error,
                         "%s has its own database, " STORE_DATABASE
                         "; choose another data directory for a store on PostgreSQL",
                         directory);
    if (!uri && directory_has_files_of(directory, true))
        return error_set(error,
                         "%s has the files of a store on PostgreSQL; name its database with "
                         "--store, and use pg_dump to back it up",
                         directory);
    return true;
}

/* Reads the id of a directory; "" if it has none. */
static bool read_id(const char *path, char id[ID_SIZE], Error *error) {
    memset(id, 0, ID_SIZE);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return errno == ENOENT || error_set(error, "cannot open %s: %s", path, strerror(errno));
    bool good = read(file, id, ID_SIZE - 1) == ID_SIZE - 1;
    close(file);
    return good || error_set(error, "cannot read %s", path);
}

static bool write_id(const char *path, const char id[ID_SIZE], Error *error) {
    int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
    bool good = file >= 0 && write(file, id, ID_SIZE - 1) == ID_SIZE - 1 && fsync(file) == 0;
    int reason = errno;
    if (file >= 0)
        close(file);
    return good || error_set(error, "cannot write %s: %s", path, strerror(reason));
}

static void set_id(Transaction *transaction, const char *path) {
    unsigned char bytes[ID_BYTES];
    char id[ID_SIZE];
    randombytes_buf(bytes, sizeof bytes);
    sodium_bin2hex(id, sizeof id, bytes, sizeof bytes);
    sql_run(transaction, "INSERT INTO settings (name, value) VALUES (?1, ?2)",
            VALUES(as_text(ID_SETTING), as_text(id)));
    /* Before the commit: a database whose directory has no id could not be opened again. */
    Error error;
    if (transaction->result == STORE_OK && !write_id(path, id, &error))
        transaction_reject(transaction, STORE_FAILED, "%s", error.text);
}

bool directory_bind(Store *store, Error *error) {
    char *path = path_join(store->directory, ID_FILE);
    char id[ID_SIZE];
    Buffer known = {0};
    bool good = read_id(path, id, error);
    if (good) {
        Transaction transaction = transaction_write(store, error);
        sql_text(&transaction, "SELECT value FROM settings WHERE name = ?1",
                 VALUES(as_text(ID_SETTING)), &known);
        if (!known.length && !id[0])
            set_id(&transaction, path);
        else if (strcmp(buffer_string(&known), id) != 0)
            transaction_reject(&transaction, STORE_REJECTED,
                               "%s is not the data directory of this store; use the one that it "
                               "was created with, which has its files",
                               store->directory);
        good = transaction_end(&transaction) == STORE_OK;
    }
    buffer_free(&known);
    free(path);
    return good;
}
