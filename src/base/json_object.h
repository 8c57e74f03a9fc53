/* Reading a JSON configuration so that every mistake gets a sentence with file, line and field. */
#ifndef BASE_JSON_OBJECT_H
#define BASE_JSON_OBJECT_H

#include "base/error.h"
#include "base/json.h"

typedef struct Config {
    const char *file;
    Json json;
} Config;

/* Parses `text`, which must hold one JSON object. `name` is what messages call it; without one
   (NULL), the object is empty. Free it in either case. */
bool config_open(Config *config, const char *name, Slice text, Error *error);
void config_free(Config *config);

/* Sets an error "FILE:LINE: sentence" for a node, and returns false. */
bool config_refuse(const Config *config, uint32_t node, Error *error, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Refuses members of `object` that are not in `known` (which ends with NULL). */
bool config_known(const Config *config, uint32_t object, const char *const *known, Error *error);

/* Reads a member as a whole number from `low` to `high`. Absent: *value stays as it is. */
bool config_int(const Config *config, uint32_t object, const char *field, int64_t low, int64_t high,
                int64_t *value, Error *error);
bool config_bool(const Config *config, uint32_t object, const char *field, bool *value,
                 Error *error);

/* Finds a member of one kind. Absent: *node is JSON_NONE. */
bool config_kind(const Config *config, uint32_t object, const char *field, JsonKind kind,
                 uint32_t *node, Error *error);

/* Refuses a member that both files give: neither may silently win. */
bool config_disjoint(const Config *config, const Config *map, Error *error);

#endif
