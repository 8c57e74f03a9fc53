/* A response, which a handler fills and send.c sends.

   A handler cannot inject anything: content types, header names and cache rules come from enums,
   header values are escaped, and security headers are added to every response. */
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

/* The value of the header Content-Type. */
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
    CACHE_NEVER,   /* no-store */
    CACHE_ASK,     /* cached, revalidated each time (ETag) */
    CACHE_FOREVER, /* immutable: for names that contain a hash */
} CacheRule;

typedef enum Encoding { ENCODING_NONE, ENCODING_GZIP, ENCODING_BROTLI, ENCODING_ZSTD } Encoding;

/* A reference-counted body shared by many responses, stored plain and compressed with gzip. */
typedef struct Body Body;

/* Takes ownership of the bytes and leaves the buffer empty. */
Body *body_new(ContentType type, Buffer *bytes);
/* Adds the Brotli form of the body; call this before the body is sent for the first time. Takes
   ownership of the bytes and leaves the buffer empty. */
void body_add_brotli(Body *body, Buffer *bytes);
Body *body_hold(Body *body);
void body_release(Body *body); /* NULL is fine */

enum { RESPONSE_HEADERS_MAX = 8, ETAG_MAX = 40 };

typedef struct ResponseHeader {
    HeaderName name;
    char *value;
} ResponseHeader;

typedef struct Response {
    unsigned status;
    ContentType type;
    CacheRule cache;
    bool secret;       /* mixes a secret with input from others: never compressed (BREACH) */
    Encoding encoding; /* of `bytes` or `file`, if already compressed */
    Buffer bytes;
    Body *shared; /* instead of `bytes`; holds a reference */
    int file;     /* instead of both: a file, sent from its start and then closed; -1: none */
    uint64_t file_size;
    const char *policy;  /* Content-Security-Policy of HTML, a constant; NULL: default */
    bool framed;         /* other sites may show it in a frame, if the policy allows it */
    char etag[ETAG_MAX]; /* with quotes; "" for none */
    ResponseHeader headers[RESPONSE_HEADERS_MAX];
    uint32_t header_count;
} Response;

void response_reset(Response *response); /* frees its content and makes it empty, with status 200 */
void response_init(Response *response);

/* Adds a header, at most RESPONSE_HEADERS_MAX. Bytes that are not printable ASCII become %XX. */
void response_header(Response *response, HeaderName name, Slice value);

/* Sets a cookie: HttpOnly, SameSite=Lax, Path=/. Bytes that are not allowed in a cookie become %XX.
   `seconds` 0 deletes it. `secure`: sent over TLS only. */
void response_cookie(Response *response, const char *name, Slice value, int64_t seconds,
                     bool secure);

/* Adds an ETag, which is a digest of the bytes, and lets clients cache the response. */
void response_tag(Response *response);

/* Sends a shared body with its ETag; holds a reference. */
void response_share(Response *response, Body *body);

/* ---- for send.c ---- */

/* The encodings that a client accepts. */
typedef struct AcceptedEncodings {
    bool gzip;
    bool brotli;
} AcceptedEncodings;

/* The bytes to send and their encoding. */
typedef struct Payload {
    Slice bytes;
    Encoding encoding;
    ContentType type;
    const char *etag;
    bool varies; /* on Accept-Encoding */
} Payload;

/* May compress the response's bytes in place. */
Payload response_payload(Response *response, AcceptedEncodings accepted);

#endif
