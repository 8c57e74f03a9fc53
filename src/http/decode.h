/* Takes apart what a client wrote into a request: path, query, cookies, and the few headers that
   are lists.

   Everything here is a pure function of its bytes, works in place or points into them, and
   allocates nothing. What a careful client would not send is refused rather than repaired: two
   programs that repair it differently disagree about what was asked for. */
#ifndef HTTP_DECODE_H
#define HTTP_DECODE_H

#include "base/error.h"
#include "base/slice.h"

typedef struct Pair {
    Slice name;
    Slice value;
} Pair;

/* Resolves %XX in place (and '+' as a blank, in a query) and sets the new length. Refuses half an
   escape, control characters, and what is not UTF-8. */
bool decode_text(char *bytes, size_t *length, bool in_query, Error *error);

/* Splits "/a/b" into its segments, each resolved in place; "/" is one empty segment. Refuses
   segments "." and "..", and a slash or a backslash that was hidden by an escape, since proxies do
   not agree on what those mean. */
bool decode_path(char *path, size_t length, Slice *segments, uint32_t most, uint32_t *count,
                 Error *error);

/* Splits "a=1&b=2", resolved in place. A name without a value has an empty one. Refuses a name that
   stands twice. */
bool decode_query(char *query, size_t length, Pair *pairs, uint32_t most, uint32_t *count,
                  Error *error);

/* The cookies of a header; those beyond `most` are left out, and what is none is passed over. */
void decode_cookies(Slice header, Pair *pairs, uint32_t most, uint32_t *count);

/* The value of that name. False if there is none, or more than one: whoever planted a second cookie
   does not get to choose. */
bool pair_find(const Pair *pairs, uint32_t count, const char *name, Slice *value);

/* Whether an Accept-Encoding header lets us send gzip. */
bool decode_accepts_gzip(Slice header);

/* Whether an If-None-Match header names this tag, given with its quotes; W/ is passed over on both
   sides. */
bool decode_etag_matches(Slice header, Slice tag);

/* Whether a Content-Type header names this media type, whatever its parameters. */
bool decode_is_type(Slice header, const char *type);

/* The same letters, upper or lower case. */
bool decode_same_letters(Slice slice, const char *text);

#endif
