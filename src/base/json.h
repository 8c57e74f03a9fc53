/* Reads and writes JSON.

   Writing: functions that append to a Buffer. JsonOut keeps track of commas.

   Reading: json_parse reads one strict RFC 8259 value (valid UTF-8, unique keys, nothing after
   it) into a flat list of nodes in the order of the text. No library does all that it must: whole
   numbers up to 2^64-1, messages with line and column, no allocation for a bot's small answers, and
   compiling for WebAssembly. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

/* ---- writing ---- */

/* A quoted string. Invalid UTF-8 becomes U+FFFD, so that the output is always valid JSON. All
   control characters (utf8_is_control) are escaped, so that the output cannot affect a terminal. */
void json_string(Buffer *to, Slice text);

/* The fewest digits that read back as the same number, always with a decimal point: 10.0, -0.25;
   with an exponent only where the number is very large or very small. */
void json_double(Buffer *to, double value);

typedef struct JsonOut {
    Buffer *to;
    bool comma; /* this level already has an element */
} JsonOut;

/* `key` is NULL inside arrays and at the top. */
void json_open(JsonOut *out, const char *key, char bracket);
void json_close(JsonOut *out, char bracket);
void json_out_string(JsonOut *out, const char *key, Slice value);
void json_out_text(JsonOut *out, const char *key, const char *value);
void json_out_int(JsonOut *out, const char *key, int64_t value);
void json_out_uint(JsonOut *out, const char *key, uint64_t value);
void json_out_double(JsonOut *out, const char *key, double value);
void json_out_bool(JsonOut *out, const char *key, bool value);
void json_out_null(JsonOut *out, const char *key);

/* A time in milliseconds with 1 to 6 `decimals`, truncated. A negative time, which occurs only in a
   forged replay, becomes 0. */
void json_out_ms(JsonOut *out, const char *key, int64_t nanoseconds, int decimals);

/* A value that already is JSON. */
void json_out_raw(JsonOut *out, const char *key, Slice json);

/* ---- reading ---- */

typedef enum JsonKind {
    JSON_NULL,
    JSON_FALSE,
    JSON_TRUE,
    JSON_NUMBER,
    JSON_STRING,
    JSON_ARRAY,
    JSON_OBJECT
} JsonKind;

enum {
    JSON_NONE = UINT32_MAX, /* no such node */
    JSON_DEPTH_LENIENT = 256,
    JSON_MEMBERS_LENIENT = 1024,
    JSON_DEPTH_MAX = 64,    /* nesting of arrays and objects */
    JSON_MEMBERS_MAX = 256, /* members of one object */
};

/* The nodes of an array or object follow it; `next` is the index after all of them. In an
   object, keys (strings) and values alternate. `text` is a number as written, or a string
   with its escapes resolved. */
typedef struct JsonNode {
    JsonKind kind;
    uint32_t offset; /* where it begins in the source */
    uint32_t next;
    uint32_t count; /* elements of an array, members of an object */
    Slice text;
} JsonNode;

typedef struct Json {
    /* Set these before parsing answers of bots, whose ignored members may contain anything: */
    bool lenient; /* allow more members and deeper nesting; half a surrogate pair becomes U+FFFD */
    bool repeats; /* a name may occur twice: the last one counts */
    Slice source;
    JsonNode *nodes;
    uint32_t count;
    uint32_t capacity;
    char *strings; /* the resolved strings; never longer than the source */
    size_t strings_capacity;
    bool kept_for_thread;
    struct Json *next_of_thread; /* used if `kept_for_thread` */
} Json;

/* Node 0 is the value. The source must outlive the nodes. On failure the error begins
   with "line L, column C". A Json can be reused: it keeps its memory. */
bool json_parse(Json *json, Slice source, Error *error);
void json_free(Json *json);

/* Makes json_free_thread free a _Thread_local Json. Call it before each parse: only the first call
   has an effect. */
void json_keep_for_thread(Json *json);

/* Frees everything that the calling thread keeps. A thread that applies answers calls this before
   it ends. */
void json_free_thread(void);

/* The value of a member, or JSON_NONE. `object` must be an object. */
uint32_t json_member(const Json *json, uint32_t object, const char *key);

/* The line of a node in the source, from 1. */
unsigned json_line(const Json *json, uint32_t node);

/* What a message calls a node: "an array", "a string", ... */
const char *json_kind_name(const Json *json, uint32_t node);

/* True for a number that is written with digits only and fits. */
bool json_uint64(const Json *json, uint32_t node, uint64_t *value);

/* True for a number whose value is whole, however it is written (5, 5.0, 50e-1), and fits. */
bool json_whole(const Json *json, uint32_t node, int64_t *value);

/* True for any number that a double can hold without becoming infinite. */
bool json_number(const Json *json, uint32_t node, double *value);

#endif
