/* See valid_text.h. */
#include "sql/valid_text.h"

#include "base/utf8.h"

/* The length in bytes of the first character; 0 if it is not valid. */
static size_t character(const unsigned char *at, size_t left) {
    return at[0] ? utf8_length(at, left) : 0;
}

bool valid_text_is(Slice text) {
    size_t i = 0;
    while (i < text.length) {
        size_t length = character((const unsigned char *)text.at + i, text.length - i);
        if (!length)
            return false;
        i += length;
    }
    return true;
}

void valid_text_add(Buffer *to, Slice text) {
    size_t i = 0;
    while (i < text.length) {
        size_t length = character((const unsigned char *)text.at + i, text.length - i);
        if (length)
            buffer_add(to, text.at + i, length);
        else
            buffer_text(to, "\xEF\xBF\xBD");
        i += length ? length : 1;
    }
}
