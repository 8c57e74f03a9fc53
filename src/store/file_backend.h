/* Inside the store: the interface of all places for files. files.c calls it, and knows nothing
   about directories, tables and buckets.

   All backends give the same guarantees:

   - A file is durable when `put` returns.
   - A `put` of a file that already exists marks it as used, for other processes too, so that
     `remove_old` does not delete it before the row that names it is committed.
   - No reader sees a partly written file. What a backend returns may still be damaged, so every
     content is verified against its name. */
#ifndef STORE_FILE_BACKEND_H
#define STORE_FILE_BACKEND_H

#include "store/types.h"
#include "store/watch.h"

#include <sodium.h>
#include <sys/types.h>

enum { FILE_HASH_BYTES = 32, FILE_CHUNK = 256 * 1024 };

/* ---- content to store ---- */

/* Bytes or a descriptor. The content is read once to compute its name, and then once or more to
   store it. */
typedef struct FileSource {
    Slice bytes;
    int fd; /* -1: use `bytes`. Read with pread, so its offset does not change */
    int64_t size;
    StoreFile file;
    int64_t at; /* bytes read since source_rewind */
    crypto_generichash_state hash;
} FileSource;

/* Computes the name and the size of the content. */
bool source_measure(FileSource *source, Error *error);

void source_rewind(FileSource *source);

/* Reads the next bytes; returns how many, 0 at the end, -1 on failure. Fails at the end if the
   content is not the one that was measured. */
ssize_t source_read(FileSource *source, char *to, size_t room, Error *error);

/* Whether the text has the form of a file's name. */
bool file_is_name(const char *name);

/* ---- places ---- */

typedef enum FileResult { FILE_FOUND, FILE_MISSING, FILE_FAILED } FileResult;

/* The size of the random id that a place for files shares with its database; see file_place.c. */
enum { PLACE_ID_SIZE = 33 };

typedef struct FilePlace FilePlace;
typedef void FileVisitor(void *context, const char *name);

typedef struct FileBackend {
    void (*close)(FilePlace *place);
    /* Creates what the place needs before the first file, unless it exists. */
    bool (*make)(FilePlace *place, Error *error);

    /* The id of the place; "" if it has none. It is written once. */
    bool (*read_id)(FilePlace *place, char id[PLACE_ID_SIZE], Error *error);
    bool (*write_id)(FilePlace *place, const char *id, Error *error);
    /* Whether a place without an id has no files. */
    bool (*is_empty)(FilePlace *place, bool *empty, Error *error);

    bool (*put)(FilePlace *place, FileSource *source, Error *error);
    FileResult (*has)(FilePlace *place, const char *name, Error *error);
    /* A descriptor for reading, which the caller closes; -1 unless *result is FILE_FOUND. NULL for
       a remote place, which has `fetch`. */
    int (*open)(FilePlace *place, const char *name, FileResult *result, Error *error);
    /* Writes the content, which may be damaged, to the descriptor of a new file. */
    FileResult (*fetch)(FilePlace *place, const char *name, int to, Error *error);

    /* For the sweep: calls `visit` for the files of one of STORE_SWEEP_PARTS parts, at least for
       those that were not used since `before`. Names in any other form are those of unfinished
       files. */
    bool (*list)(FilePlace *place, uint32_t part, int64_t before, FileVisitor *visit, void *context,
                 Error *error);
    /* Deletes a file unless it was used since `before`. */
    bool (*remove_old)(FilePlace *place, const char *name, int64_t before, bool *removed,
                       Error *error);
} FileBackend;

/* The first member of each backend's own struct. */
struct FilePlace {
    const FileBackend *backend;
    char *name;              /* for messages; contains no secrets */
    struct FileCache *cache; /* of a remote place */
    StoreWatch watch;
};

/* Opens a file for reading, from any place, and sets its size. Returns -1 unless *result is
   FILE_FOUND. Fails if the content does not match the name. */
int place_open_file(FilePlace *place, const StoreFile *file, int64_t *size, FileResult *result,
                    Error *error);

/* The functions of FileBackend with these names; the work is reported to the place's `watch`. */
bool place_put(FilePlace *place, FileSource *source, Error *error);
FileResult place_has(FilePlace *place, const char *name, Error *error);
bool place_remove_old(FilePlace *place, const char *name, int64_t before, bool *removed,
                      Error *error);

/* Copies a file and verifies that its content matches its name. */
bool place_copy_file(FilePlace *from, FilePlace *to, const StoreFile *file, Error *error);

bool file_write_bytes(int fd, const char *bytes, size_t count, Error *error);

/* Writes the whole content to a descriptor. */
bool file_write(int fd, FileSource *source, Error *error);

/* Visits the names in a buffer, one per line. */
void file_visit_lines(const Buffer *names, FileVisitor *visit, void *context);

/* ---- backends ---- */

/* Files in DIRECTORY/files. If `shared`, other processes may use the directory too. Creates nothing
   before `make`. */
FilePlace *file_directory_open(const char *directory, bool shared);

/* Files in a bucket, s3://BUCKET/PREFIX?endpoint=URL&region=NAME. NULL if the URI is invalid, or
   there are no credentials. */
FilePlace *file_s3_open(Store *store, const char *uri, Error *error);

/* Files in the store's PostgreSQL database. NULL if it has none. */
FilePlace *file_table_open(Store *store, Error *error);

#endif
