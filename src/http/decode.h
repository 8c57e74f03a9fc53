/* Parses the parts of a request: path, query, cookies, and headers that are lists.

   All functions are pure, work in place, and allocate nothing. Rejects malformed input instead of
   repairing it, because two programs that repair it differently disagree about the request. */
#ifndef HTTP_DECODE_H
#define HTTP_DECODE_H

#include "base/error.h"
#include "base/slice.h"

typedef struct Pair {
    Slice name;
    Slice value;
} Pair;

/* Decodes %XX in place (and '+' as a space, in a query) and sets the new length. Rejects incomplete
   escapes, control characters and invalid UTF-8. */
bool decode_text(char *bytes, size_t *length, bool in_query, Error *error);

/* Splits "/a/b" into its segments, each decoded in place; "/" is one empty segment. Rejects the
   segments "." and "..", escaped slashes, and backslashes, because proxies disagree about their
   meaning. */
bool decode_path(char *path, size_t length, Slice *segments, uint32_t most, uint32_t *count,
                 Error *error);

/* Splits "a=1&b=2" and decodes it in place. A name without a value gets an empty value. Rejects
   duplicate names. */
bool decode_query(char *query, size_t length, Pair *pairs, uint32_t most, uint32_t *count,
                  Error *error);

/* The cookies of a header; malformed ones and those beyond `most` are ignored. */
void decode_cookies(Slice header, Pair *pairs, uint32_t most, uint32_t *count);

/* Finds the value with this name. False if it is absent or repeated, so that a second cookie
   planted by an attacker is never used. */
bool pair_find(const Pair *pairs, uint32_t count, const char *name, Slice *value);

/* Whether an Accept-Encoding header allows this encoding. */
bool decode_accepts_encoding(Slice header, const char *encoding);

/* Whether an If-None-Match header contains this ETag (with its quotes); W/ is ignored on both
   sides. */
bool decode_etag_matches(Slice header, Slice tag);

/* Whether a Content-Type header has this media type, ignoring parameters. */
bool decode_is_type(Slice header, const char *type);

/* Whether the texts are equal, ignoring case. */
bool decode_same_letters(Slice slice, const char *text);

#endif
