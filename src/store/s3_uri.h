/* Inside the store: parses the URI of a bucket,
   s3://BUCKET/PREFIX?endpoint=URL&region=NAME&timeout=SECONDS, and the responses of an object
   store. Nothing here contacts the object store. */
#ifndef STORE_S3_URI_H
#define STORE_S3_URI_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

enum { S3_TEXT_SIZE = 256, S3_TIMEOUT = 20 };

typedef struct S3Uri {
    char bucket[64];
    char prefix[S3_TEXT_SIZE];   /* the start of all keys: "" or such as "arena/files/" */
    char endpoint[S3_TEXT_SIZE]; /* "https://host:port"; "": Amazon's */
    char region[64];             /* "": not specified */
    uint32_t timeout;            /* seconds without a byte after which a request times out */
} S3Uri;

/* Parses a URI. False with an error if it is invalid. */
bool s3_uri_parse(const char *text, S3Uri *uri, Error *error);

/* Appends the URL of the bucket, without the slash before a key: "https://host/bucket". */
void s3_uri_base(const S3Uri *uri, Buffer *to);

/* ---- answers ---- */

/* Appends the decoded content of the first element with this name; false if there is none. */
bool s3_xml_text(Slice xml, const char *element, Buffer *to);

/* Calls `take` with every key of a list. Appends the token of the next page, if there is one, to
   `next`. False if the XML is not a list. */
bool s3_list_parse(Slice xml, void (*take)(void *context, const char *key), void *context,
                   Buffer *next);

#endif
