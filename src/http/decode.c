/* See decode.h. */
#include "http/decode.h"
#include "base/utf8.h"

#include <string.h>
#include <strings.h>

static bool is_utf8(const char *bytes, size_t length) {
    for (size_t i = 0; i < length;) {
        size_t step = utf8_length((const unsigned char *)bytes + i, length - i);
        if (!step)
            return false;
        i += step;
    }
    return true;
}

bool decode_text(char *bytes, size_t *length, bool in_query, Error *error) {
    size_t to = 0;
    for (size_t from = 0; from < *length; from++) {
        char c = bytes[from];
        if (c == '%') {
            int high = *length - from > 2 ? hex_digit_value(bytes[from + 1]) : -1;
            int low = high >= 0 ? hex_digit_value(bytes[from + 2]) : -1;
            if (low < 0)
                return error_set(error, "%% must be followed by two hexadecimal digits");
            c = (char)(high * 16 + low);
            from += 2;
        } else if (c == '+' && in_query) {
            c = ' ';
        }
        if ((unsigned char)c < 0x20 || c == 0x7f)
            return error_set(error, "control characters are not allowed");
        bytes[to++] = c;
    }
    *length = to;
    return is_utf8(bytes, to) || error_set(error, "invalid UTF-8");
}

bool decode_path(char *path, size_t length, Slice *segments, uint32_t most, uint32_t *count,
                 Error *error) {
    *count = 0;
    if (!length || path[0] != '/')
        return error_set(error, "the path must start with a slash");
    for (size_t start = 1; start <= length;) {
        const char *slash = start < length ? memchr(path + start, '/', length - start) : NULL;
        size_t end = slash ? (size_t)(slash - path) : length;
        size_t size = end - start;
        if (*count == most)
            return error_set(error, "the path has more than %u segments", (unsigned)most);
        if (!decode_text(path + start, &size, false, error))
            return error_prefix(error, "in segment %u of the path", (unsigned)*count + 1);
        Slice segment = {path + start, size};
        if (slice_equals(segment, ".") || slice_equals(segment, ".."))
            return error_set(error, "the path must not contain the segment \".\" or \"..\"");
        if (memchr(segment.at, '/', size) || memchr(segment.at, '\\', size))
            return error_set(error, "the path must not contain an escaped slash or a backslash");
        segments[(*count)++] = segment;
        start = end + 1;
    }
    return true;
}

static bool has_name(const Pair *pairs, uint32_t count, Slice name) {
    for (uint32_t i = 0; i < count; i++)
        if (pairs[i].name.length == name.length &&
            memcmp(pairs[i].name.at, name.at, name.length) == 0)
            return true;
    return false;
}

bool decode_query(char *query, size_t length, Pair *pairs, uint32_t most, uint32_t *count,
                  Error *error) {
    *count = 0;
    for (size_t start = 0; start < length;) {
        const char *ampersand = memchr(query + start, '&', length - start);
        size_t end = ampersand ? (size_t)(ampersand - query) : length;
        char *equals = memchr(query + start, '=', end - start);
        size_t name_size = equals ? (size_t)(equals - query) - start : end - start;
        size_t value_size = equals ? end - start - name_size - 1 : 0;
        char *value = equals ? equals + 1 : query + end;
        if (end > start) {
            if (*count == most)
                return error_set(error, "the query has more than %u parameters", (unsigned)most);
            if (!decode_text(query + start, &name_size, true, error) ||
                !decode_text(value, &value_size, true, error))
                return error_prefix(error, "in parameter %u of the query", (unsigned)*count + 1);
            Pair pair = {{query + start, name_size}, {value, value_size}};
            if (has_name(pairs, *count, pair.name))
                return error_set(error, "duplicate query parameter \"%.*s\"",
                                 SLICE_ARGS(pair.name));
            pairs[(*count)++] = pair;
        }
        start = end + 1;
    }
    return true;
}

/* Takes the text before the next `separator` off `rest`, trimmed. */
static bool next_item(Slice *rest, char separator, Slice *item) {
    if (!rest->length)
        return false;
    const char *found = memchr(rest->at, separator, rest->length);
    size_t length = found ? (size_t)(found - rest->at) : rest->length;
    size_t step = found ? length + 1 : length;
    *item = slice_trim((Slice){rest->at, length});
    *rest = (Slice){rest->at + step, rest->length - step};
    return true;
}

void decode_cookies(Slice header, Pair *pairs, uint32_t most, uint32_t *count) {
    *count = 0;
    Slice item;
    while (*count < most && next_item(&header, ';', &item)) {
        const char *equals = item.length ? memchr(item.at, '=', item.length) : NULL;
        if (!equals || equals == item.at)
            continue;
        size_t size = (size_t)(equals - item.at);
        Slice value = slice_trim((Slice){equals + 1, item.length - size - 1});
        if (value.length >= 2 && value.at[0] == '"' && value.at[value.length - 1] == '"')
            value = (Slice){value.at + 1, value.length - 2};
        pairs[(*count)++] = (Pair){slice_trim((Slice){item.at, size}), value};
    }
}

bool pair_find(const Pair *pairs, uint32_t count, const char *name, Slice *value) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (slice_equals(pairs[i].name, name)) {
            *value = pairs[i].value;
            found++;
        }
    return found == 1;
}

bool decode_same_letters(Slice slice, const char *text) {
    return slice.length == strlen(text) &&
           (!slice.length || strncasecmp(slice.at, text, slice.length) == 0);
}

/* Whether the parameters of a coding include "q=0", in any spelling. */
static bool is_refused(Slice parameters) {
    Slice item;
    while (next_item(&parameters, ';', &item)) {
        if (item.length < 3 || (item.at[0] | 0x20) != 'q' || item.at[1] != '=')
            continue;
        for (size_t i = 2; i < item.length; i++)
            if (item.at[i] != '0' && item.at[i] != '.')
                return false;
        return true;
    }
    return false;
}

bool decode_accepts_encoding(Slice header, const char *encoding) {
    Slice item;
    bool any = false;
    while (next_item(&header, ',', &item)) {
        Slice coding = {0};
        if (!next_item(&item, ';', &coding))
            continue;
        if (decode_same_letters(coding, encoding))
            return !is_refused(item);
        if (slice_equals(coding, "*"))
            any = !is_refused(item);
    }
    return any;
}

bool decode_etag_matches(Slice header, Slice tag) {
    Slice item;
    slice_skip(&tag, "W/");
    while (next_item(&header, ',', &item)) {
        if (slice_equals(item, "*"))
            return true;
        slice_skip(&item, "W/");
        if (item.length == tag.length && tag.length && memcmp(item.at, tag.at, tag.length) == 0)
            return true;
    }
    return false;
}

bool decode_is_type(Slice header, const char *type) {
    Slice item;
    return next_item(&header, ';', &item) && decode_same_letters(item, type);
}
