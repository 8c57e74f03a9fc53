/* Reads the members of a JSON object: configurations, plans, request bodies. Every mistake becomes
   an error that names the file, the line and the member.

   Functions that read a member return false, with the error set, if it has the wrong type or
   value. A member that is absent leaves the result as it was, unless the function says "required".
 */
#ifndef BASE_JSON_OBJECT_H
#define BASE_JSON_OBJECT_H

#include "base/error.h"
#include "base/json.h"

typedef struct JsonObject {
    const char *file; /* for messages */
    Json json;
} JsonObject;

/* Parses `text`, which must be one JSON object. `name` is used in messages; if it is NULL, the
   object is empty. Free the object in either case. */
bool json_object_parse(JsonObject *object, const char *name, Slice text, Error *error);
void json_object_free(JsonObject *object);

/* Sets the error "FILE:LINE: MESSAGE" about a node and names its field. Returns false. */
bool json_object_error(const JsonObject *object, uint32_t node, Error *error, const char *format,
                       ...) __attribute__((format(printf, 4, 5)));

/* The same for a required member that the object at node `at` does not have. */
bool json_object_missing(const JsonObject *object, uint32_t at, const char *name, Error *error);

/* Fails on a member that is not in `known`, which ends with NULL. `at` is the node of the object
   that has the members: 0, or an object inside it. */
bool json_object_allow_only(const JsonObject *object, uint32_t at, const char *const *known,
                            Error *error);

/* Fails on a member that both objects have: neither may silently take precedence. */
bool json_object_disjoint(const JsonObject *object, const JsonObject *other, Error *error);

/* Finds a member of one kind. Absent: *node is JSON_NONE. */
bool json_object_member(const JsonObject *object, uint32_t at, const char *name, JsonKind kind,
                        uint32_t *node, Error *error);

/* A whole number from `low` to `high`. */
bool json_object_int(const JsonObject *object, uint32_t at, const char *name, int64_t low,
                     int64_t high, int64_t *value, Error *error);

bool json_object_bool(const JsonObject *object, uint32_t at, const char *name, bool *value,
                      Error *error);

/* One of the words of a list, which ends with NULL; sets *index to its position. */
bool json_object_choice(const JsonObject *object, const char *name, const char *const *words,
                        uint32_t *index, Error *error);

/* Copies a string of at most `size` - 1 bytes without control characters. Absent: "". */
bool json_object_text(const JsonObject *object, const char *name, char *to, size_t size,
                      Error *error);

/* The same, required and not blank. */
bool json_object_required_text(const JsonObject *object, const char *name, char *to, size_t size,
                               Error *error);

/* A required string with any content, for example a password. Valid until the object is freed. */
bool json_object_required_bytes(const JsonObject *object, const char *name, Slice *to,
                                Error *error);

#endif
