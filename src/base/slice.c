/* See slice.h. */
#include "base/slice.h"

#include "base/memory.h"

#include <string.h>

Slice slice_of(const char *text) {
    return (Slice){text, strlen(text)};
}

static void advance(Slice *rest, size_t count) {
    rest->at += count;
    rest->length -= count;
}

bool slice_line(Slice *rest, Slice *line) {
    if (!rest->length)
        return false;
    const char *newline = memchr(rest->at, '\n', rest->length);
    size_t length = newline ? (size_t)(newline - rest->at) : rest->length;
    *line = (Slice){rest->at, length};
    if (length && rest->at[length - 1] == '\r')
        line->length--;
    advance(rest, newline ? length + 1 : length);
    return true;
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t';
}

static bool is_space(char c) {
    return is_blank(c) || c == '\n' || c == '\r' || c == '\v' || c == '\f';
}

bool slice_word(Slice *rest, Slice *word) {
    *word = *rest;
    if (!rest->length)
        return false;
    while (rest->length && is_blank(*rest->at))
        advance(rest, 1);
    size_t length = 0;
    while (length < rest->length && !is_blank(rest->at[length]))
        length++;
    *word = (Slice){rest->at, length};
    advance(rest, length);
    return length > 0;
}

bool slice_skip(Slice *rest, const char *text) {
    size_t length = strlen(text);
    if (length == 0)
        return true;
    if (rest->length < length || memcmp(rest->at, text, length) != 0)
        return false;
    advance(rest, length);
    return true;
}

Slice slice_trim(Slice slice) {
    while (slice.length && is_space(*slice.at))
        advance(&slice, 1);
    while (slice.length && is_space(slice.at[slice.length - 1]))
        slice.length--;
    return slice;
}

char *slice_copy(Slice slice) {
    char *copy = xmalloc(slice.length + 1);
    if (slice.length)
        memcpy(copy, slice.at, slice.length);
    copy[slice.length] = '\0';
    return copy;
}

bool slice_to(Slice slice, char *to, size_t size) {
    bool fits = slice.length < size && (!slice.length || !memchr(slice.at, '\0', slice.length));
    size_t length = fits ? slice.length : 0;
    if (length)
        memcpy(to, slice.at, length);
    to[length] = '\0';
    return fits;
}

bool slice_equals(Slice slice, const char *text) {
    return slice.length == strlen(text) &&
           (slice.length == 0 || memcmp(slice.at, text, slice.length) == 0);
}

bool slice_int(Slice slice, int64_t *value) {
    bool negative = slice.length && *slice.at == '-';
    if (negative)
        advance(&slice, 1);
    if (!slice.length)
        return false;
    uint64_t limit = negative ? (uint64_t)INT64_MAX + 1 : (uint64_t)INT64_MAX;
    uint64_t sum = 0;
    for (size_t i = 0; i < slice.length; i++) {
        if (slice.at[i] < '0' || slice.at[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(slice.at[i] - '0');
        if (sum > (limit - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

int hex_digit_value(char c) {
    if (c >= '0' && c <= '9')
        return c - '0';
    char lower = (char)(c | 0x20);
    return lower >= 'a' && lower <= 'f' ? lower - 'a' + 10 : -1;
}
