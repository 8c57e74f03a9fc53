/* A growing byte buffer: views, records, JSON and drawings are appended to one of these.

   It owns its bytes. `{0}` is an empty buffer. Clearing keeps the memory: a buffer that is reused
   each turn stops allocating after its largest turn. */
#ifndef BASE_BUFFER_H
#define BASE_BUFFER_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct Buffer {
    char *data;
    size_t length;
    size_t capacity;
} Buffer;

void buffer_free(Buffer *buffer);
void buffer_clear(Buffer *buffer);

/* For buffer_reserve, when there is not enough room. */
void buffer_grow(Buffer *buffer, size_t extra);

/* Makes room for `extra` more bytes and returns where they go; the caller then adds the number of
   bytes written to `length`. Inline, like the next four functions, because they write most of a
   view. */
static inline char *buffer_reserve(Buffer *buffer, size_t extra) {
    if (buffer->capacity - buffer->length < extra)
        buffer_grow(buffer, extra);
    return buffer->data + buffer->length;
}

static inline void buffer_add(Buffer *buffer, const void *bytes, size_t count) {
    if (count) {
        memcpy(buffer_reserve(buffer, count), bytes, count);
        buffer->length += count;
    }
}

static inline void buffer_text(Buffer *buffer, const char *text) {
    buffer_add(buffer, text, strlen(text));
}

static inline void buffer_char(Buffer *buffer, char c) {
    *buffer_reserve(buffer, 1) = c;
    buffer->length++;
}

/* Used by buffer_put_uint for values of 10 and more. */
char *buffer_put_digits(char *to, uint64_t value);

enum { BUFFER_UINT_MAX = 20 }; /* bytes of the longest number */

/* Writes a number to reserved room of at least BUFFER_UINT_MAX bytes, and returns where it ends. */
static inline char *buffer_put_uint(char *to, uint64_t value) {
    if (value >= 10)
        return buffer_put_digits(to, value);
    *to = (char)('0' + value);
    return to + 1;
}

static inline void buffer_uint(Buffer *buffer, uint64_t value) {
    char *start = buffer_reserve(buffer, BUFFER_UINT_MAX);
    buffer->length += (size_t)(buffer_put_uint(start, value) - start);
}

void buffer_int(Buffer *buffer, int64_t value);
void buffer_format(Buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Removes the first `count` bytes; what follows moves to the front. */
void buffer_drop(Buffer *buffer, size_t count);

/* The bytes as a C string, with a NUL that `length` does not count. */
const char *buffer_string(Buffer *buffer);

/* Appends a number in groups of 7 bits, least significant first: small numbers take one byte. */
void buffer_varint(Buffer *buffer, uint64_t value);

#endif
