/* See memory.h. */
#include "base/memory.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *checked(void *block) {
    if (!block) {
        fputs("skirmish: out of memory\n", stderr);
        abort();
    }
    return block;
}

void *xmalloc(size_t size) {
    return checked(malloc(size ? size : 1));
}

void *xcalloc(size_t count, size_t size) {
    return checked(count && size ? calloc(count, size) : calloc(1, 1));
}

void *xrealloc(void *block, size_t size) {
    return checked(realloc(block, size ? size : 1));
}

void *xreallocarray(void *block, size_t count, size_t size) {
    if (size && count > SIZE_MAX / size)
        checked(NULL);
    return xrealloc(block, count * size);
}

char *xstrdup(const char *text) {
    size_t size = strlen(text) + 1;
    return memcpy(xmalloc(size), text, size);
}

char *xasprintf(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = xvasprintf(format, arguments);
    va_end(arguments);
    return text;
}

char *xvasprintf(const char *format, va_list arguments) {
    char *text = NULL;
    return checked(vasprintf(&text, format, arguments) < 0 ? NULL : text);
}
