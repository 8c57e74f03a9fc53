/* Inside the store: where its files are, behind one interface. files.c calls it, and knows nothing
   about directories, tables and buckets.

   All backends keep the same promises:

   - A file is durable when `put` returns.
   - A file that exists already counts as used from the moment of `put`, also for other processes:
     `remove_old` does not delete it before the row that names it is committed.
   - Nobody sees half a file. What a backend returns may still be damaged; files.c compares every
     content with its name. */
#ifndef STORE_FILE_BACKEND_H
#define STORE_FILE_BACKEND_H

#include "store/types.h"
#include "store/watch.h"

#include <sodium.h>
#include <sys/types.h>

enum { FILE_HASH_BYTES = 32, FILE_CHUNK = 256 * 1024 };

/* ---- content to store ---- */

/* Bytes or a descriptor. It is read twice: once for its name, once or more to store it. */
typedef struct FileSource {
    Slice bytes;
    int fd; /* -1: the bytes. It is read by position, which leaves its offset alone */
    int64_t size;
    StoreFile file;
    int64_t at; /* how much was read since source_rewind */
    crypto_generichash_state hash;
} FileSource;

/* Computes name and size. */
bool source_measure(FileSource *source, Error *error);

void source_rewind(FileSource *source);

/* Reads the next bytes; returns how many, 0 at the end, -1 on failure. Fails at the end if the
   content is not the one that was measured. */
ssize_t source_read(FileSource *source, char *to, size_t room, Error *error);

/* Whether it can be the name of a file. */
bool file_is_name(const char *name);

/* ---- places ---- */

typedef enum FileResult { FILE_FOUND, FILE_MISSING, FILE_FAILED } FileResult;

/* A random id that the place of the files shares with the database; see file_place.c. */
enum { PLACE_ID_SIZE = 33 };

typedef struct FilePlace FilePlace;
typedef void FileVisitor(void *context, const char *name);

typedef struct FileBackend {
    void (*close)(FilePlace *place);
    /* Creates what the place needs before the first file; it may exist. */
    bool (*make)(FilePlace *place, Error *error);

    /* The id of the place; "" if it has none. It is written once. */
    bool (*read_id)(FilePlace *place, char id[PLACE_ID_SIZE], Error *error);
    bool (*write_id)(FilePlace *place, const char *id, Error *error);
    /* Whether there are no files, for a place without an id. */
    bool (*is_empty)(FilePlace *place, bool *empty, Error *error);

    bool (*put)(FilePlace *place, FileSource *source, Error *error);
    FileResult (*has)(FilePlace *place, const char *name, Error *error);
    /* A descriptor for reading, which the caller closes; -1 unless *result is FILE_FOUND. NULL for
       a remote place, which has `fetch`. */
    int (*open)(FilePlace *place, const char *name, FileResult *result, Error *error);
    /* Writes the content to a new file; it may be damaged. */
    FileResult (*fetch)(FilePlace *place, const char *name, int to, Error *error);

    /* For the sweep: calls `visit` for files of one of STORE_SWEEP_PARTS parts, at least for those
       that were not used since `before`. Names in another form belong to unfinished files. */
    bool (*list)(FilePlace *place, uint32_t part, int64_t before, FileVisitor *visit, void *context,
                 Error *error);
    /* Deletes a file unless it was used since `before`. */
    bool (*remove_old)(FilePlace *place, const char *name, int64_t before, bool *removed,
                       Error *error);
} FileBackend;

/* The first member of each backend's own struct. */
struct FilePlace {
    const FileBackend *backend;
    char *name;              /* for messages; it has no secrets */
    struct FileCache *cache; /* of a place that is far away */
    StoreWatch watch;
};

/* Reads a file whose content matches its name; otherwise it fails. As `open`, with the size. */
int place_open_file(FilePlace *place, const StoreFile *file, int64_t *size, FileResult *result,
                    Error *error);

/* The requests of FileBackend, which are reported to the place's `watch`. */
bool place_put(FilePlace *place, FileSource *source, Error *error);
FileResult place_has(FilePlace *place, const char *name, Error *error);
bool place_remove_old(FilePlace *place, const char *name, int64_t before, bool *removed,
                      Error *error);

/* Copies a file, and checks that its content matches its name. */
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
