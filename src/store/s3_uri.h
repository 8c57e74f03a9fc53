/* Inside the store: where a bucket is, s3://BUCKET/PREFIX?endpoint=URL&region=NAME&timeout=SECONDS,
   and the answers of an object store. Nothing here contacts it. */
#ifndef STORE_S3_URI_H
#define STORE_S3_URI_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

enum { S3_TEXT_SIZE = 256, S3_TIMEOUT = 20 };

typedef struct S3Uri {
    char bucket[64];
    char prefix[S3_TEXT_SIZE];   /* "" or "arena/files/", as keys begin */
    char endpoint[S3_TEXT_SIZE]; /* "https://host:port"; "": Amazon's */
    char region[64];             /* "": not named */
    uint32_t timeout;            /* seconds without a byte after which a request times out */
} S3Uri;

/* False with the cause if the text is not such a URI. */
bool s3_uri_parse(const char *text, S3Uri *uri, Error *error);

/* Where the objects are, without the slash before a key: "https://host/bucket". */
void s3_uri_base(const S3Uri *uri, Buffer *to);

/* ---- answers ---- */

/* The content of the first element with this name, decoded; false if there is none. */
bool s3_xml_text(Slice xml, const char *element, Buffer *to);

/* Calls `take` for every key of a list; `next` receives the token of the next page, or nothing.
   False if it is not a list. */
bool s3_list_parse(Slice xml, void (*take)(void *context, const char *key), void *context,
                   Buffer *next);

#endif
