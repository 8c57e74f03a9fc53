/* See response.h. Compresses with gzip, because not every client and proxy accepts zstd. Brotli is
   only worthwhile for files that are compressed at build time. */
#include "http/response.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

enum {
    GZIP_FROM = 1400,   /* anything smaller fits in one packet anyway */
    GZIP_ONCE = 1,      /* compression level of single responses */
    GZIP_FOR_SHARED = 6 /* compression level of shared bodies */
};

static const struct {
    const char *name;
    bool text; /* worth compressing */
} types[CONTENT_TYPES] = {
    [TYPE_JSON] = {"application/json", true},
    [TYPE_PROBLEM] = {"application/problem+json", true},
    [TYPE_TEXT] = {"text/plain; charset=utf-8", true},
    [TYPE_HTML] = {"text/html; charset=utf-8", true},
    [TYPE_METRICS] = {"text/plain; version=0.0.4; charset=utf-8", true},
    [TYPE_EVENTS] = {"text/event-stream", false},
    [TYPE_SCRIPT] = {"text/javascript; charset=utf-8", true},
    [TYPE_STYLE] = {"text/css; charset=utf-8", true},
    [TYPE_SVG] = {"image/svg+xml", true},
    [TYPE_PNG] = {"image/png", false},
    [TYPE_ICON] = {"image/x-icon", false},
    [TYPE_FONT] = {"font/woff2", false},
    [TYPE_WASM] = {"application/wasm", true},
    [TYPE_MANIFEST] = {"application/manifest+json", true},
    [TYPE_BYTES] = {"application/octet-stream", false},
};

const char *content_type_name(ContentType type) {
    return types[type].name;
}

const char *header_name(HeaderName name) {
    static const char *const names[HEADER_NAMES] = {
        "Allow",      "Content-Disposition", "Link", "Location", "Retry-After",
        "Set-Cookie", "WWW-Authenticate",
    };
    return names[name];
}

/* ---- shared bodies ---- */

struct Body {
    _Atomic uint32_t holders;
    ContentType type;
    Buffer plain;
    Buffer gzip;   /* empty if compression does not help */
    Buffer brotli; /* empty if there is none */
    char etag[ETAG_MAX];
};

/* Makes a weak ETag, because it identifies the content in any encoding. */
static void make_tag(char etag[ETAG_MAX], Slice bytes) {
    snprintf(etag, ETAG_MAX, "W/\"%016llx-%zx\"",
             (unsigned long long)hash64(bytes.at, bytes.length), bytes.length);
}

/* Compresses with gzip. False if the result is not smaller. */
static bool compress_gzip(Slice from, Buffer *to, int level) {
    z_stream stream = {0};
    if (from.length > UINT32_MAX / 2 ||
        deflateInit2(&stream, level, Z_DEFLATED, MAX_WBITS + 16, 8, Z_DEFAULT_STRATEGY) != Z_OK)
        return false;
    /* zlib does not write through next_in, but this version does not declare it const. */
    memcpy(&stream.next_in, &from.at, sizeof from.at);
    stream.avail_in = (uInt)from.length;
    stream.next_out = (Bytef *)buffer_reserve(to, from.length);
    stream.avail_out = (uInt)from.length;
    bool smaller = deflate(&stream, Z_FINISH) == Z_STREAM_END;
    to->length += from.length - stream.avail_out;
    deflateEnd(&stream);
    if (!smaller)
        buffer_clear(to);
    return smaller;
}

Body *body_new(ContentType type, Buffer *bytes) {
    Body *body = xcalloc(1, sizeof *body);
    body->holders = 1;
    body->type = type;
    body->plain = *bytes;
    *bytes = (Buffer){0};
    Slice plain = {body->plain.data, body->plain.length};
    make_tag(body->etag, plain);
    if (types[type].text && plain.length >= GZIP_FROM)
        compress_gzip(plain, &body->gzip, GZIP_FOR_SHARED);
    return body;
}

void body_add_brotli(Body *body, Buffer *bytes) {
    buffer_free(&body->brotli);
    body->brotli = *bytes;
    *bytes = (Buffer){0};
}

Body *body_hold(Body *body) {
    atomic_fetch_add(&body->holders, 1);
    return body;
}

void body_release(Body *body) {
    if (body && atomic_fetch_sub(&body->holders, 1) == 1) {
        buffer_free(&body->plain);
        buffer_free(&body->gzip);
        buffer_free(&body->brotli);
        free(body);
    }
}

/* ---- responses ---- */

void response_init(Response *response) {
    *response = (Response){.status = 200, .file = -1};
}

void response_reset(Response *response) {
    buffer_free(&response->bytes);
    body_release(response->shared);
    if (response->file >= 0)
        close(response->file);
    for (uint32_t i = 0; i < response->header_count; i++)
        free(response->headers[i].value);
    response_init(response);
}

static void escape(Buffer *to, Slice value, const char *also) {
    for (size_t i = 0; i < value.length; i++) {
        unsigned char c = (unsigned char)value.at[i];
        if (c >= 0x20 && c < 0x7f && !strchr(also, c))
            buffer_char(to, (char)c);
        else
            buffer_format(to, "%%%02X", c);
    }
}

static void take_header(Response *response, HeaderName name, Buffer *value) {
    assert(response->header_count < RESPONSE_HEADERS_MAX);
    buffer_string(value);
    response->headers[response->header_count++] = (ResponseHeader){name, value->data};
}

void response_header(Response *response, HeaderName name, Slice value) {
    Buffer text = {0};
    escape(&text, value, "");
    take_header(response, name, &text);
}

void response_cookie(Response *response, const char *name, Slice value, int64_t seconds,
                     bool secure) {
    Buffer text = {0};
    buffer_format(&text, "%s=", name);
    escape(&text, value, " \",;\\%");
    buffer_format(&text, "; Path=/; Max-Age=%lld; HttpOnly; SameSite=Lax%s", (long long)seconds,
                  secure ? "; Secure" : "");
    take_header(response, HEADER_SET_COOKIE, &text);
}

void response_tag(Response *response) {
    make_tag(response->etag, (Slice){response->bytes.data, response->bytes.length});
    if (response->cache == CACHE_NEVER)
        response->cache = CACHE_ASK;
}

void response_share(Response *response, Body *body) {
    response->shared = body_hold(body);
    response->type = body->type;
    memcpy(response->etag, body->etag, sizeof response->etag);
    if (response->cache == CACHE_NEVER)
        response->cache = CACHE_ASK;
}

/* Chooses the smallest form that the client accepts. */
static void choose_form(const Body *body, AcceptedEncodings accepted, Payload *payload) {
    const Buffer *chosen = &body->plain;
    payload->encoding = ENCODING_NONE;
    if (accepted.gzip && body->gzip.length) {
        chosen = &body->gzip;
        payload->encoding = ENCODING_GZIP;
    }
    if (accepted.brotli && body->brotli.length && body->brotli.length < chosen->length) {
        chosen = &body->brotli;
        payload->encoding = ENCODING_BROTLI;
    }
    payload->bytes = (Slice){chosen->data, chosen->length};
    payload->varies = body->gzip.length || body->brotli.length;
}

Payload response_payload(Response *response, AcceptedEncodings accepted) {
    Payload payload = {.type = response->type, .etag = response->etag};
    payload.encoding = response->encoding;
    if (response->shared) {
        choose_form(response->shared, accepted, &payload);
        return payload;
    }
    payload.bytes = (Slice){response->bytes.data, response->bytes.length};
    if (response->file < 0 && response->encoding == ENCODING_NONE && !response->secret &&
        types[response->type].text && payload.bytes.length >= GZIP_FROM) {
        payload.varies = true;
        Buffer packed = {0};
        if (accepted.gzip && compress_gzip(payload.bytes, &packed, GZIP_ONCE)) {
            buffer_free(&response->bytes);
            response->bytes = packed;
            payload.bytes = (Slice){packed.data, packed.length};
            payload.encoding = ENCODING_GZIP;
        } else {
            buffer_free(&packed);
        }
    }
    return payload;
}
