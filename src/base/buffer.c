/* See buffer.h. */
#include "base/buffer.h"

#include "base/memory.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void buffer_free(Buffer *buffer) {
    free(buffer->data);
    *buffer = (Buffer){0};
}

void buffer_clear(Buffer *buffer) {
    buffer->length = 0;
}

void buffer_grow(Buffer *buffer, size_t extra) {
    size_t wanted = buffer->length + extra;
    if (wanted < extra)
        abort();
    size_t capacity = buffer->capacity ? buffer->capacity : 128;
    while (capacity < wanted)
        capacity = capacity > SIZE_MAX / 2 ? wanted : capacity * 2;
    buffer->data = xrealloc(buffer->data, capacity);
    buffer->capacity = capacity;
}

char *buffer_put_digits(char *to, uint64_t value) {
    char digits[BUFFER_UINT_MAX];
    size_t at = sizeof digits;
    for (; value >= 10; value /= 10)
        digits[--at] = (char)('0' + value % 10);
    digits[--at] = (char)('0' + value);
    /* A loop: memcpy of a few bytes takes longer when their number is not a constant. */
    while (at < sizeof digits)
        *to++ = digits[at++];
    return to;
}

void buffer_int(Buffer *buffer, int64_t value) {
    if (value < 0)
        buffer_char(buffer, '-');
    buffer_uint(buffer, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void buffer_format(Buffer *buffer, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length > 0) {
        char *to = buffer_reserve(buffer, (size_t)length + 1);
        vsnprintf(to, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}

void buffer_drop(Buffer *buffer, size_t count) {
    assert(count <= buffer->length);
    buffer->length -= count;
    if (buffer->length)
        memmove(buffer->data, buffer->data + count, buffer->length);
}

const char *buffer_string(Buffer *buffer) {
    *buffer_reserve(buffer, 1) = '\0';
    return buffer->data;
}

void buffer_varint(Buffer *buffer, uint64_t value) {
    while (value >= 0x80) {
        buffer_char(buffer, (char)((value & 0x7f) | 0x80));
        value >>= 7;
    }
    buffer_char(buffer, (char)value);
}
