/* A response as a value, which a handler fills and http.c sends.

   Nothing that a handler puts in can become something else: content types, names of headers and
   rules for caches are from lists, values of headers are escaped, and the headers that protect a
   browser are on every response whatever a handler does. */
#ifndef HTTP_RESPONSE_H
#define HTTP_RESPONSE_H

#include "base/buffer.h"
#include "base/slice.h"

#include <stdbool.h>

typedef enum ContentType {
    TYPE_JSON,
    TYPE_PROBLEM,
    TYPE_TEXT,
    TYPE_HTML,
    TYPE_METRICS,
    TYPE_EVENTS,
    TYPE_SCRIPT,
    TYPE_STYLE,
    TYPE_SVG,
    TYPE_PNG,
    TYPE_ICON,
    TYPE_FONT,
    TYPE_WASM,
    TYPE_MANIFEST,
    TYPE_BYTES,
    CONTENT_TYPES
} ContentType;

/* As it stands in the header. */
const char *content_type_name(ContentType type);

typedef enum HeaderName {
    HEADER_ALLOW,
    HEADER_CONTENT_DISPOSITION,
    HEADER_LINK,
    HEADER_LOCATION,
    HEADER_RETRY_AFTER,
    HEADER_SET_COOKIE,
    HEADER_WWW_AUTHENTICATE,
    HEADER_NAMES
} HeaderName;

const char *header_name(HeaderName name);

typedef enum CacheRule {
    CACHE_NEVER,   /* kept nowhere */
    CACHE_ASK,     /* kept, and asked about each time (ETag) */
    CACHE_FOREVER, /* what a name with a hash in it stands for */
} CacheRule;

typedef enum Encoding { ENCODING_NONE, ENCODING_GZIP, ENCODING_ZSTD } Encoding;

/* A body that many responses share: made once, sent as it is or compressed, freed by the last who
   lets go. */
typedef struct Body Body;

/* Takes the buffer over, and leaves it empty. */
Body *body_new(ContentType type, Buffer *bytes);
Body *body_hold(Body *body);
void body_release(Body *body); /* NULL is fine */

enum { RESPONSE_HEADERS_MAX = 8, ETAG_MAX = 40 };

typedef struct ResponseHeader {
    HeaderName name;
    char *value;
} ResponseHeader;

/* `{.file = -1}` with status 200, empty, is where response_reset begins. */
typedef struct Response {
    unsigned status;
    ContentType type;
    CacheRule cache;
    bool secret;       /* hold a secret beside what others chose: never compressed */
    Encoding encoding; /* of `bytes` or `file`, when it is compressed already */
    Buffer bytes;
    Body *shared; /* instead of bytes; held */
    int file;     /* instead of both: a file, from its beginning; taken over. -1: none */
    uint64_t file_size;
    const char *policy;  /* Content-Security-Policy of HTML, a constant; NULL: the usual */
    char etag[ETAG_MAX]; /* with quotes; "" for none */
    ResponseHeader headers[RESPONSE_HEADERS_MAX];
    uint32_t header_count;
} Response;

void response_reset(Response *response); /* empty, with status 200; frees what it had */
void response_init(Response *response);

/* Adds a header. Bytes that are not printable ASCII are written as %XX. There is room for
   RESPONSE_HEADERS_MAX. */
void response_header(Response *response, HeaderName name, Slice value);

/* Sets a cookie: HttpOnly, SameSite=Lax, Path=/. Bytes of the value that no cookie may have are
   written as %XX. With `seconds` 0 the browser forgets it. `secure`: sent over TLS only. */
void response_cookie(Response *response, const char *name, Slice value, int64_t seconds,
                     bool secure);

/* Tags the response with a digest of its bytes, and lets clients keep it. */
void response_tag(Response *response);

/* Sends a shared body, with its tag; holds it. */
void response_share(Response *response, Body *body);

/* ---- for http.c ---- */

/* The bytes to send, and what they are; `gzip` tells if the client takes it. May compress `bytes`
   in place. */
typedef struct Payload {
    Slice bytes;
    Encoding encoding;
    ContentType type;
    const char *etag;
    bool varies; /* on Accept-Encoding */
} Payload;

Payload response_payload(Response *response, bool gzip);

#endif
