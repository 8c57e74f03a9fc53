/* See json_object.h. */
#include "base/json_object.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool config_open(Config *config, const char *name, Slice text, Error *error) {
    *config = (Config){.file = name ? name : "default configuration"};
    if (!json_parse(&config->json, name ? text : slice_of("{}"), error))
        return error_prefix(error, "%s", config->file);
    if (config->json.nodes[0].kind != JSON_OBJECT)
        return config_refuse(config, 0, error, "expected a JSON object, found %s",
                             json_kind_name(&config->json, 0));
    return true;
}

void config_free(Config *config) {
    json_free(&config->json);
}

bool config_refuse(const Config *config, uint32_t node, Error *error, const char *format, ...) {
    Error inner;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(inner.text, sizeof inner.text, format, arguments);
    va_end(arguments);
    return error_set(error, "%s:%u: %s", config->file, json_line(&config->json, node), inner.text);
}

bool config_known(const Config *config, uint32_t object, const char *const *known, Error *error) {
    const JsonNode *nodes = config->json.nodes;
    for (uint32_t key = object + 1; key < nodes[object].next; key = nodes[key + 1].next) {
        size_t i = 0;
        while (known[i] && !slice_equals(nodes[key].text, known[i]))
            i++;
        if (known[i])
            continue;
        char list[240] = "";
        size_t used = 0;
        for (i = 0; known[i] && used < sizeof list; i++)
            used +=
                (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", known[i]);
        return config_refuse(config, key, error, "unknown field \"%.*s\"; known here: %s",
                             SLICE_ARGS(nodes[key].text), list);
    }
    return true;
}

bool config_int(const Config *config, uint32_t object, const char *field, int64_t low, int64_t high,
                int64_t *value, Error *error) {
    uint32_t node = json_member(&config->json, object, field);
    if (node == JSON_NONE)
        return true;
    const JsonNode *found = &config->json.nodes[node];
    int64_t number = 0;
    if (!json_whole(&config->json, node, &number) || number < low || number > high) {
        if (found->kind == JSON_NUMBER)
            return config_refuse(config, node, error,
                                 "\"%s\" must be a whole number from %" PRId64 " to %" PRId64
                                 ", not %.*s",
                                 field, low, high, SLICE_ARGS(found->text));
        return config_refuse(config, node, error,
                             "\"%s\" must be a whole number from %" PRId64 " to %" PRId64
                             ", not %s",
                             field, low, high, json_kind_name(&config->json, node));
    }
    *value = number;
    return true;
}

bool config_bool(const Config *config, uint32_t object, const char *field, bool *value,
                 Error *error) {
    uint32_t node = json_member(&config->json, object, field);
    if (node == JSON_NONE)
        return true;
    JsonKind kind = config->json.nodes[node].kind;
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return config_refuse(config, node, error, "\"%s\" must be true or false, not %s", field,
                             json_kind_name(&config->json, node));
    *value = kind == JSON_TRUE;
    return true;
}

bool config_kind(const Config *config, uint32_t object, const char *field, JsonKind kind,
                 uint32_t *node, Error *error) {
    static const char *const names[] = {"null",     "false",    "true",     "a number",
                                        "a string", "an array", "an object"};
    *node = json_member(&config->json, object, field);
    if (*node != JSON_NONE && config->json.nodes[*node].kind != kind)
        return config_refuse(config, *node, error, "\"%s\" must be %s, not %s", field, names[kind],
                             json_kind_name(&config->json, *node));
    return true;
}

bool config_disjoint(const Config *config, const Config *map, Error *error) {
    const JsonNode *nodes = config->json.nodes;
    for (uint32_t key = 1; key < nodes[0].next; key = nodes[key + 1].next) {
        const JsonNode *others = map->json.nodes;
        for (uint32_t other = 1; other < others[0].next; other = others[other + 1].next)
            if (nodes[key].text.length == others[other].text.length &&
                memcmp(nodes[key].text.at, others[other].text.at, nodes[key].text.length) == 0)
                return config_refuse(
                    config, key, error,
                    "\"%.*s\" is given here and in the map %s as well; leave one out",
                    SLICE_ARGS(nodes[key].text), map->file);
    }
    return true;
}
