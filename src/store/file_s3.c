/* Files in a bucket of an S3-compatible object store, as PREFIX/files/ab/abcdef...; see
   file_backend.h. An object is complete and durable once the server has acknowledged it. */
#include "base/memory.h"
#include "store/file_backend.h"
#include "store/file_uses.h"
#include "store/internal.h"
#include "store/s3_client.h"
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { KEY_SIZE = 96 };

typedef struct FileBucket {
    FilePlace base;
    Store *store;
    S3Client *client;
} FileBucket;

static FileBucket *bucket_of(FilePlace *place) {
    return (FileBucket *)place;
}

static const char *key_of(const char *name, char key[KEY_SIZE]) {
    snprintf(key, KEY_SIZE, "files/%.2s/%.64s", name, name);
    return key;
}

static void bucket_close(FilePlace *place) {
    s3_client_close(bucket_of(place)->client);
    free(place->name);
    free(place);
}

static bool bucket_make(FilePlace *place, Error *error) {
    (void)place;
    (void)error;
    return true;
}

/* ---- the id ---- */

static bool bucket_read_id(FilePlace *place, char id[PLACE_ID_SIZE], Error *error) {
    Buffer text = {0};
    memset(id, 0, PLACE_ID_SIZE);
    FileResult result = s3_get_small(bucket_of(place)->client, PLACE_ID_FILE, &text, error);
    bool good = result != FILE_FAILED;
    if (result == FILE_FOUND && text.length == PLACE_ID_SIZE - 1)
        memcpy(id, text.data, PLACE_ID_SIZE - 1);
    else if (result == FILE_FOUND)
        good = error_set(error, "%s: the object " PLACE_ID_FILE " is damaged", place->name);
    buffer_free(&text);
    return good;
}

static bool bucket_write_id(FilePlace *place, const char *id, Error *error) {
    FileSource source = {.bytes = slice_of(id), .fd = -1};
    return source_measure(&source, error) &&
           s3_put(bucket_of(place)->client, PLACE_ID_FILE, &source, error);
}

static void note_any(void *context, const char *key) {
    (void)key;
    *(bool *)context = false;
}

static bool bucket_is_empty(FilePlace *place, bool *empty, Error *error) {
    *empty = true;
    return s3_list(bucket_of(place)->client, "files/", true, note_any, empty, error);
}

/* ---- files ---- */

static bool bucket_put(FilePlace *place, FileSource *source, Error *error) {
    FileBucket *bucket = bucket_of(place);
    char key[KEY_SIZE];
    bool fresh;
    int64_t size;
    if (!file_use(bucket->store, &source->file, source->size, &fresh, error))
        return false;
    FileResult found = fresh
                           ? FILE_MISSING
                           : s3_head(bucket->client, key_of(source->file.name, key), &size, error);
    if (found == FILE_FOUND && size == source->size)
        return true;
    return found != FILE_FAILED &&
           s3_put(bucket->client, key_of(source->file.name, key), source, error);
}

static FileResult bucket_has(FilePlace *place, const char *name, Error *error) {
    char key[KEY_SIZE];
    int64_t size;
    return s3_head(bucket_of(place)->client, key_of(name, key), &size, error);
}

static FileResult bucket_fetch(FilePlace *place, const char *name, int to, Error *error) {
    char key[KEY_SIZE];
    return s3_get(bucket_of(place)->client, key_of(name, key), to, error);
}

/* ---- sweeping ---- */

static void add_name(void *context, const char *key) {
    const char *name = strrchr(key, '/');
    if (name && file_is_name(name + 1))
        buffer_format(context, "%s\n", name + 1);
}

static bool bucket_list(FilePlace *place, uint32_t part, int64_t before, FileVisitor *visit,
                        void *context, Error *error) {
    (void)before;
    if (part >= STORE_SWEEP_PARTS - 1)
        return true; /* there are no unfinished files */
    char under[16];
    Buffer names = {0};
    snprintf(under, sizeof under, "files/%02x/", part);
    bool good = s3_list(bucket_of(place)->client, under, false, add_name, &names, error);
    if (good)
        file_visit_lines(&names, visit, context);
    buffer_free(&names);
    return good;
}

/* If the server does not acknowledge the deletion, the claim on the file remains until it expires,
   because the server may still delete the file. */
static bool bucket_remove_old(FilePlace *place, const char *name, int64_t before, bool *removed,
                              Error *error) {
    FileBucket *bucket = bucket_of(place);
    char key[KEY_SIZE];
    int64_t claim;
    *removed = false;
    if (!file_claim(bucket->store, name, before, &claim, error))
        return false;
    if (!claim)
        return true;
    *removed = s3_delete(bucket->client, key_of(name, key), error) &&
               file_forget(bucket->store, name, claim, error);
    return *removed;
}

static const FileBackend bucket_backend = {
    .close = bucket_close,
    .make = bucket_make,
    .read_id = bucket_read_id,
    .write_id = bucket_write_id,
    .is_empty = bucket_is_empty,
    .put = bucket_put,
    .has = bucket_has,
    .fetch = bucket_fetch,
    .list = bucket_list,
    .remove_old = bucket_remove_old,
};

FilePlace *file_s3_open(Store *store, const char *uri, Error *error) {
    S3Client *client = s3_client_open(uri, error);
    if (!client)
        return NULL;
    FileBucket *bucket = xcalloc(1, sizeof *bucket);
    bucket->base = (FilePlace){.backend = &bucket_backend, .name = xstrdup(s3_client_name(client))};
    bucket->store = store;
    bucket->client = client;
    return &bucket->base;
}
