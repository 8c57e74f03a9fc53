/* See fields.h. */
#include "arena/fields.h"

#include "base/utf8.h"

#include <stdio.h>
#include <string.h>

bool field_text(const Config *config, const char *field, char *to, size_t size, Error *error) {
    uint32_t node = JSON_NONE;
    *to = '\0';
    if (!config_kind(config, 0, field, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    Slice text = config->json.nodes[node].text;
    if (text.length >= size)
        return config_refuse(config, node, error,
                             "\"%s\" may have at most %zu bytes; this one has %zu", field, size - 1,
                             text.length);
    if (!utf8_is_line(text))
        return config_refuse(config, node, error, "\"%s\" must not hold control characters", field);
    if (text.length)
        memcpy(to, text.at, text.length);
    to[text.length] = '\0';
    return true;
}

static bool refuse_missing(const Config *config, const char *field, Error *error) {
    return config_refuse(config, 0, error, "\"%s\" is missing or empty", field);
}

bool field_needed(const Config *config, const char *field, char *to, size_t size, Error *error) {
    return field_text(config, field, to, size, error) &&
           (utf8_width(slice_trim(slice_of(to))) || refuse_missing(config, field, error));
}

bool field_bytes(const Config *config, const char *field, Slice *to, Error *error) {
    uint32_t node = JSON_NONE;
    if (!config_kind(config, 0, field, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE || !config->json.nodes[node].text.length)
        return refuse_missing(config, field, error);
    *to = config->json.nodes[node].text;
    return true;
}

bool field_choice(const Config *config, const char *field, const char *const *words,
                  uint32_t *index, Error *error) {
    uint32_t node = JSON_NONE;
    if (!config_kind(config, 0, field, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    char list[160] = "";
    for (uint32_t i = 0; words[i]; i++) {
        if (slice_equals(config->json.nodes[node].text, words[i])) {
            *index = i;
            return true;
        }
        size_t used = strlen(list);
        snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", words[i]);
    }
    return config_refuse(config, node, error, "\"%s\" must be one of %s", field, list);
}
