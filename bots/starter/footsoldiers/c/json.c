/* A small JSON reader for views. You need not change this file. */
#include "json.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *rest; /* what has not been read yet */

static void fail(const char *expected) {
    fprintf(stderr, "JSON: expected %s, not: %.60s\n", expected, rest);
    exit(1);
}

static void skip_space(void) {
    rest += strspn(rest, " \t\r\n");
}

/* Reads the character if it comes next. */
static bool take(char character) {
    skip_space();
    if (*rest != character)
        return false;
    rest++;
    return true;
}

void json_begin(char *text) {
    rest = text;
}

const char *json_member(void) {
    if (!take('{'))
        take(',');
    if (take('}'))
        return NULL;
    const char *name = json_string();
    if (!take(':'))
        fail("a colon");
    return name;
}

bool json_element(void) {
    if (!take('['))
        take(',');
    return !take(']');
}

const char *json_string(void) {
    if (!take('"'))
        fail("a string");
    const char *start = rest;
    while (*rest && *rest != '"')
        rest += *rest == '\\' && rest[1] ? 2 : 1;
    if (!*rest)
        fail("a quotation mark");
    *rest++ = '\0';
    return start;
}

long long json_integer(void) {
    char *end;
    long long number = strtoll(rest, &end, 10);
    if (end == rest)
        fail("a whole number");
    rest = end;
    return number;
}

double json_number(void) {
    char *end;
    double number = strtod(rest, &end);
    if (end == rest)
        fail("a number");
    rest = end;
    return number;
}

bool json_word(const char *word) {
    skip_space();
    if (strncmp(rest, word, strlen(word)) != 0)
        return false;
    rest += strlen(word);
    return true;
}

void json_skip(void) {
    skip_space();
    if (*rest == '{') {
        while (json_member())
            json_skip();
    } else if (*rest == '[') {
        while (json_element())
            json_skip();
    } else if (*rest == '"') {
        json_string();
    } else {
        size_t length = strcspn(rest, ",]} \t\r\n"); /* a number, true, false or null */
        if (length == 0)
            fail("a value");
        rest += length;
    }
}
