/* See json_object.h. */
#include "base/json_object.h"

#include "base/nearest_name.h"
#include "base/utf8.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool json_object_parse(JsonObject *object, const char *name, Slice text, Error *error) {
    *object = (JsonObject){.file = name ? name : "default configuration"};
    if (!json_parse(&object->json, name ? text : slice_of("{}"), error))
        return error_prefix(error, "%s", object->file);
    if (object->json.nodes[0].kind != JSON_OBJECT)
        return json_object_error(object, 0, error, "expected a JSON object, found %s",
                                 json_kind_name(&object->json, 0));
    return true;
}

void json_object_free(JsonObject *object) {
    json_free(&object->json);
}

/* Writes the path of a node, such as "seats.0.bot"; "" for the whole object. Cut to fit. */
static void write_path(const Json *json, uint32_t node, char *to, size_t size) {
    const JsonNode *nodes = json->nodes;
    size_t used = 0;
    *to = '\0';
    for (uint32_t at = 0; at != node && used < size;) {
        bool object = nodes[at].kind == JSON_OBJECT;
        uint32_t index = 0;
        uint32_t child = at + 1;
        while (nodes[object ? nodes[child].next : child].next <= node) {
            child = nodes[object ? nodes[child].next : child].next;
            index++;
        }
        int length = object ? snprintf(to + used, size - used, "%s%.*s", used ? "." : "",
                                       SLICE_ARGS(nodes[child].text))
                            : snprintf(to + used, size - used, "%s%u", used ? "." : "", index);
        used += length > 0 ? (size_t)length : 0;
        if (child == node)
            return;
        at = object ? nodes[child].next : child;
    }
}

bool json_object_error(const JsonObject *object, uint32_t node, Error *error, const char *format,
                       ...) {
    Error inner;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(inner.text, sizeof inner.text, format, arguments);
    va_end(arguments);
    error_set(error, "%s:%u: %s", object->file, json_line(&object->json, node), inner.text);
    write_path(&object->json, node, inner.field, sizeof inner.field);
    return error_about(error, inner.field);
}

bool json_object_missing(const JsonObject *object, uint32_t at, const char *name, Error *error) {
    Error inner;
    char field[2 * sizeof inner.field];
    json_object_error(object, at, &inner, "\"%s\" is required", name);
    snprintf(field, sizeof field, "%s%s%s", inner.field, inner.field[0] ? "." : "", name);
    return error_set(error, "%s", inner.text) || error_about(error, field);
}

bool json_object_allow_only(const JsonObject *object, uint32_t at, const char *const *known,
                            Error *error) {
    const JsonNode *nodes = object->json.nodes;
    for (uint32_t key = at + 1; key < nodes[at].next; key = nodes[key + 1].next) {
        size_t i = 0;
        while (known[i] && !slice_equals(nodes[key].text, known[i]))
            i++;
        if (known[i])
            continue;
        Error inner;
        unknown_name("field", nodes[key].text, known, &inner);
        return json_object_error(object, key, error, "%s", inner.text);
    }
    return true;
}

bool json_object_disjoint(const JsonObject *object, const JsonObject *other, Error *error) {
    const JsonNode *nodes = object->json.nodes;
    const JsonNode *others = other->json.nodes;
    for (uint32_t key = 1; key < nodes[0].next; key = nodes[key + 1].next)
        for (uint32_t twin = 1; twin < others[0].next; twin = others[twin + 1].next)
            if (nodes[key].text.length == others[twin].text.length &&
                memcmp(nodes[key].text.at, others[twin].text.at, nodes[key].text.length) == 0)
                return json_object_error(object, key, error,
                                         "\"%.*s\" is also set in %s; remove one of them",
                                         SLICE_ARGS(nodes[key].text), other->file);
    return true;
}

bool json_object_member(const JsonObject *object, uint32_t at, const char *name, JsonKind kind,
                        uint32_t *node, Error *error) {
    static const char *const names[] = {"null",     "false",    "true",     "a number",
                                        "a string", "an array", "an object"};
    *node = json_member(&object->json, at, name);
    if (*node != JSON_NONE && object->json.nodes[*node].kind != kind)
        return json_object_error(object, *node, error, "\"%s\" must be %s, not %s", name,
                                 names[kind], json_kind_name(&object->json, *node));
    return true;
}

bool json_object_int(const JsonObject *object, uint32_t at, const char *name, int64_t low,
                     int64_t high, int64_t *value, Error *error) {
    uint32_t node = json_member(&object->json, at, name);
    if (node == JSON_NONE)
        return true;
    int64_t number = 0;
    if (!json_whole(&object->json, node, &number) || number < low || number > high) {
        const JsonNode *found = &object->json.nodes[node];
        Slice given = found->kind == JSON_NUMBER ? found->text
                                                 : slice_of(json_kind_name(&object->json, node));
        return json_object_error(object, node, error,
                                 "\"%s\" must be a whole number from %" PRId64 " to %" PRId64
                                 ", not %.*s",
                                 name, low, high, SLICE_ARGS(given));
    }
    *value = number;
    return true;
}

bool json_object_bool(const JsonObject *object, uint32_t at, const char *name, bool *value,
                      Error *error) {
    uint32_t node = json_member(&object->json, at, name);
    if (node == JSON_NONE)
        return true;
    JsonKind kind = object->json.nodes[node].kind;
    if (kind != JSON_TRUE && kind != JSON_FALSE)
        return json_object_error(object, node, error, "\"%s\" must be true or false, not %s", name,
                                 json_kind_name(&object->json, node));
    *value = kind == JSON_TRUE;
    return true;
}

bool json_object_choice(const JsonObject *object, const char *name, const char *const *words,
                        uint32_t *index, Error *error) {
    uint32_t node = JSON_NONE;
    if (!json_object_member(object, 0, name, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    Error inner;
    return find_name(name, object->json.nodes[node].text, words, index, &inner) ||
           json_object_error(object, node, error, "%s", inner.text);
}

bool json_object_text(const JsonObject *object, const char *name, char *to, size_t size,
                      Error *error) {
    uint32_t node = JSON_NONE;
    *to = '\0';
    if (!json_object_member(object, 0, name, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    Slice text = object->json.nodes[node].text;
    if (text.length >= size)
        return json_object_error(object, node, error,
                                 "\"%s\" may have at most %zu bytes; this one has %zu", name,
                                 size - 1, text.length);
    if (!utf8_is_line(text))
        return json_object_error(object, node, error, "\"%s\" must not contain control characters",
                                 name);
    if (text.length)
        memcpy(to, text.at, text.length);
    to[text.length] = '\0';
    return true;
}

bool json_object_required_text(const JsonObject *object, const char *name, char *to, size_t size,
                               Error *error) {
    return json_object_text(object, name, to, size, error) &&
           (utf8_width(slice_trim(slice_of(to))) || json_object_missing(object, 0, name, error));
}

bool json_object_required_bytes(const JsonObject *object, const char *name, Slice *to,
                                Error *error) {
    uint32_t node = JSON_NONE;
    if (!json_object_member(object, 0, name, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE || !object->json.nodes[node].text.length)
        return json_object_missing(object, 0, name, error);
    *to = object->json.nodes[node].text;
    return true;
}
