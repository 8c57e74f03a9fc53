/* See framing.h. */
#include "base/framing.h"

#include "base/slice.h"

#include <string.h>

void framing_reset(Framing *framing) {
    *framing = (Framing){.kind = framing->kind};
}

/* Whether the line from line_start to `end` (its newline not included) is the last one of an
   answer. */
static bool ends_answer(const Framing *framing, const char *bytes, size_t end) {
    Slice line = {bytes + framing->line_start, end - framing->line_start};
    if (line.length && line.at[line.length - 1] == '\r')
        line.length--;
    switch (framing->kind) {
    case FRAMING_BLANK_LINE:
        return line.length == 0;
    case FRAMING_END_LINE:
        return slice_equals(slice_trim(line), "end");
    default:
        return true;
    }
}

static size_t find_line(Framing *framing, const char *bytes, size_t count, bool closed) {
    for (;;) {
        const char *newline = memchr(bytes + framing->scanned, '\n', count - framing->scanned);
        size_t end = newline ? (size_t)(newline - bytes) : count;
        if (!newline && !(closed && count > framing->line_start)) {
            framing->scanned = count;
            return 0;
        }
        if (ends_answer(framing, bytes, end))
            return newline ? end + 1 : end;
        if (!newline)
            return 0;
        framing->scanned = framing->line_start = end + 1;
    }
}

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

static size_t find_array(Framing *framing, const char *bytes, size_t count, bool closed) {
    for (; framing->scanned < count && !framing->no_array; framing->scanned++) {
        char c = bytes[framing->scanned];
        if (framing->escaped) {
            framing->escaped = false;
        } else if (framing->in_string) {
            framing->escaped = c == '\\';
            framing->in_string = c != '"';
        } else if (framing->depth == 0 && is_space(c)) {
            continue;
        } else if (framing->depth == 0 && c != '[') {
            framing->no_array = true;
            framing->line_start = framing->scanned;
            break;
        } else if (c == '"') {
            framing->in_string = true;
        } else if (c == '[' || c == '{') {
            framing->depth++;
        } else if ((c == ']' || c == '}') && --framing->depth == 0) {
            return framing->scanned + 1;
        }
    }
    return framing->no_array ? find_line(framing, bytes, count, closed) : 0;
}

size_t framing_find(Framing *framing, const char *bytes, size_t count, bool closed) {
    if (count == 0)
        return 0;
    if (framing->kind == FRAMING_JSON_ARRAY)
        return find_array(framing, bytes, count, closed);
    return find_line(framing, bytes, count, closed);
}
