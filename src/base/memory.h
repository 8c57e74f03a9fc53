/* Allocation that never returns NULL. When memory runs out, the program prints one message and
   aborts: nothing else can be done, and every caller would have to repeat that.

   Limit sizes that come from outside before they get here. All blocks are freed with free(). A size
   of 0 also gives a block. */
#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include <stdarg.h>
#include <stddef.h>

void *xmalloc(size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1)));

/* Zeroed. */
void *xcalloc(size_t count, size_t size) __attribute__((malloc, returns_nonnull, alloc_size(1, 2)));

void *xrealloc(void *block, size_t size) __attribute__((returns_nonnull, alloc_size(2)));

/* An array of `count` items. A product that does not fit in size_t counts as out of memory. */
void *xreallocarray(void *block, size_t count, size_t size)
    __attribute__((returns_nonnull, alloc_size(2, 3)));

char *xstrdup(const char *text) __attribute__((malloc, returns_nonnull));

/* A formatted text, as by sprintf. */
char *xasprintf(const char *format, ...)
    __attribute__((malloc, returns_nonnull, format(printf, 1, 2)));
char *xvasprintf(const char *format, va_list arguments)
    __attribute__((malloc, returns_nonnull, format(printf, 1, 0)));

#endif
