/* JSON, in and out, for everything that bots, files and people say in it.

   Out: functions that append to a Buffer. JsonOut keeps count of the commas where an object is
   built up from many places.

   In: json_parse reads one strict RFC 8259 value (UTF-8 checked, no duplicate keys, nothing behind
   it) into a flat list of nodes that stand in the order of the text. It was written rather than
   taken from a library because one reader has to do three things together: whole numbers up to
   2^64-1, messages with line and column, and bots' small answers without allocating in a turn; and
   because it must compile for WebAssembly with the rules. */
#ifndef BASE_JSON_H
#define BASE_JSON_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

/* ---- out ---- */

/* A quoted string. Bytes that are no valid UTF-8 come out as U+FFFD, so that the output always is
   JSON. */
void json_string(Buffer *to, Slice text);

/* The fewest digits that read back as the same number, always with a decimal point: 10.0, -0.25;
   with an exponent only where the number is very large or very small. */
void json_double(Buffer *to, double value);

typedef struct JsonOut {
    Buffer *to;
    bool comma; /* something stands in front at this level */
} JsonOut;

/* `key` is NULL inside arrays and at the top. */
void json_open(JsonOut *out, const char *key, char bracket);
void json_close(JsonOut *out, char bracket);
void json_out_string(JsonOut *out, const char *key, Slice value);
void json_out_text(JsonOut *out, const char *key, const char *value);
void json_out_int(JsonOut *out, const char *key, int64_t value);
void json_out_uint(JsonOut *out, const char *key, uint64_t value);
void json_out_bool(JsonOut *out, const char *key, bool value);
void json_out_null(JsonOut *out, const char *key);

/* A value that already is JSON. */
void json_out_raw(JsonOut *out, const char *key, Slice json);

/* ---- in ---- */

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
    JSON_DEPTH_MAX = 64,    /* arrays and objects inside each other */
    JSON_MEMBERS_MAX = 256, /* members of one object */
};

/* The nodes of an array or object follow it; `next` is the index behind all of them. In an object
   keys (strings) and values take turns. `text` is the number as written, or the string's content
   with its escapes resolved. */
typedef struct JsonNode {
    JsonKind kind;
    uint32_t offset; /* where it begins in the source */
    uint32_t next;
    uint32_t count; /* elements of an array, members of an object */
    Slice text;
} JsonNode;

typedef struct Json {
    /* Set before parsing. For what bots say, who may put anything into members that nobody
       reads: */
    bool lenient; /* more members, deeper nesting, and half a surrogate pair becomes U+FFFD */
    bool repeats; /* a name may stand twice: the last counts */
    Slice source;
    JsonNode *nodes;
    uint32_t count;
    uint32_t capacity;
    char *strings; /* the resolved strings; never longer than the source */
    size_t strings_capacity;
} Json;

/* Node 0 is the value. The source must outlive the use of the nodes. On failure the error begins
   with "line L, column C". May be called again and again on one Json: it keeps its memory. */
bool json_parse(Json *json, Slice source, Error *error);
void json_free(Json *json);

/* The value of a member, or JSON_NONE. `object` must be an object. */
uint32_t json_member(const Json *json, uint32_t object, const char *key);

/* The line of a node in the source, from 1. */
unsigned json_line(const Json *json, uint32_t node);

/* What a message calls a node: "an array", "a string", ... */
const char *json_kind_name(const Json *json, uint32_t node);

/* True for a number written as digits only that fits. */
bool json_uint64(const Json *json, uint32_t node, uint64_t *value);

/* True for a number whose value is whole, however written (5, 5.0, 50e-1), and fits. */
bool json_whole(const Json *json, uint32_t node, int64_t *value);

/* True for any number that a double can hold without becoming infinite. */
bool json_number(const Json *json, uint32_t node, double *value);

#endif
