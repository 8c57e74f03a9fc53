/* See nearest_name.h. */
#include "base/nearest_name.h"

#include <stdio.h>
#include <string.h>

enum { LENGTH_MAX = 60, PREFIX_MIN = 3 };

static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c + 'a' - 'A') : c;
}

static uint32_t least(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* The number of letters to insert, remove, replace or swap with their neighbour to turn one text
   into the other, ignoring case (Damerau-Levenshtein). Both have at most LENGTH_MAX bytes. */
static uint32_t distance(Slice a, Slice b) {
    uint32_t rows[3][LENGTH_MAX + 1]; /* the last three rows of the usual table */
    for (uint32_t j = 0; j <= b.length; j++)
        rows[0][j] = j;
    for (uint32_t i = 1; i <= a.length; i++) {
        uint32_t *row = rows[i % 3];
        const uint32_t *above = rows[(i + 2) % 3];
        const uint32_t *above_that = rows[(i + 1) % 3];
        row[0] = i;
        for (uint32_t j = 1; j <= b.length; j++) {
            bool same = lower(a.at[i - 1]) == lower(b.at[j - 1]);
            row[j] = least(above[j - 1] + !same, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && lower(a.at[i - 1]) == lower(b.at[j - 2]) &&
                lower(a.at[i - 2]) == lower(b.at[j - 1]))
                row[j] = least(row[j], above_that[j - 2] + 1);
        }
    }
    return rows[a.length % 3][b.length];
}

static bool begins_with(Slice name, Slice typed) {
    if (typed.length < PREFIX_MIN || typed.length > name.length)
        return false;
    for (size_t i = 0; i < typed.length; i++)
        if (lower(name.at[i]) != lower(typed.at[i]))
            return false;
    return true;
}

const char *nearest_name(Slice typed, const char *const *names) {
    if (!typed.length || typed.length > LENGTH_MAX)
        return NULL;
    const char *nearest = NULL;
    /* One mistake per three letters. */
    uint32_t nearest_distance = typed.length < 3 ? 1 : (uint32_t)typed.length / 3;
    for (; *names; names++) {
        Slice name = slice_of(*names);
        if (name.length > LENGTH_MAX)
            continue;
        uint32_t letters = begins_with(name, typed) ? 1 : distance(typed, name);
        if (letters <= nearest_distance && letters < typed.length &&
            (!nearest || letters < nearest_distance)) {
            nearest = *names;
            nearest_distance = letters;
        }
    }
    return nearest;
}

bool unknown_name(const char *kind, Slice typed, const char *const *names, Error *error) {
    const char *nearest = nearest_name(typed, names);
    if (nearest)
        return error_set(error, "unknown %s \"%.*s\"; did you mean \"%s\"?", kind,
                         SLICE_ARGS(typed), nearest);
    char list[sizeof error->text] = "";
    size_t used = 0;
    for (size_t i = 0; names[i] && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i ? ", " : "", names[i]);
    return error_set(error, "unknown %s \"%.*s\"; known: %s", kind, SLICE_ARGS(typed),
                     *list ? list : "none");
}

bool find_name(const char *kind, Slice typed, const char *const *names, uint32_t *index,
               Error *error) {
    for (uint32_t i = 0; names[i]; i++)
        if (slice_equals(typed, names[i])) {
            *index = i;
            return true;
        }
    return unknown_name(kind, typed, names, error);
}
