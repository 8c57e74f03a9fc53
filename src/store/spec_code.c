/* See spec_code.h. */
#include "store/spec_code.h"

#include "base/json.h"

#include <string.h>

bool spec_has_code(const char *spec) {
    return strstr(spec, "\"source\":") || strstr(spec, "\"archive\":");
}

typedef enum JsonPlace { PLACE_TOP, PLACE_SEATS, PLACE_SEAT, PLACE_ELSEWHERE } JsonPlace;

/* The place of the value of member `key` of an object at `place`. */
static JsonPlace below(JsonPlace place, Slice key) {
    return place == PLACE_TOP && slice_equals(key, "seats") ? PLACE_SEATS : PLACE_ELSEWHERE;
}

static bool is_code(JsonPlace place, Slice key) {
    return place == PLACE_SEAT && (slice_equals(key, "language") || slice_equals(key, "source") ||
                                   slice_equals(key, "archive"));
}

/* Recursive; the parser limits the depth of JSON. */
static void copy(const Json *json, uint32_t node, JsonPlace place, Buffer *to) {
    static const char *const words[] = {
        [JSON_NULL] = "null", [JSON_FALSE] = "false", [JSON_TRUE] = "true"};
    const JsonNode *nodes = json->nodes;
    const JsonNode *at = &nodes[node];
    bool comma = false;
    switch (at->kind) {
    case JSON_NUMBER:
        buffer_add(to, at->text.at, at->text.length);
        break;
    case JSON_STRING:
        json_string(to, at->text);
        break;
    case JSON_ARRAY:
        buffer_char(to, '[');
        for (uint32_t i = node + 1; i < at->next; i = nodes[i].next, comma = true) {
            if (comma)
                buffer_char(to, ',');
            copy(json, i, place == PLACE_SEATS ? PLACE_SEAT : PLACE_ELSEWHERE, to);
        }
        buffer_char(to, ']');
        break;
    case JSON_OBJECT:
        buffer_char(to, '{');
        for (uint32_t i = node + 1; i < at->next; i = nodes[i + 1].next) {
            if (is_code(place, nodes[i].text))
                continue;
            if (comma)
                buffer_char(to, ',');
            comma = true;
            json_string(to, nodes[i].text);
            buffer_char(to, ':');
            copy(json, i + 1, below(place, nodes[i].text), to);
        }
        buffer_char(to, '}');
        break;
    default:
        buffer_text(to, words[at->kind]);
    }
}

void spec_without_code(Slice spec, Buffer *to) {
    Json json = {0};
    if (json_parse(&json, spec, NULL))
        copy(&json, 0, PLACE_TOP, to);
    json_free(&json);
}
