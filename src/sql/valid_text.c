/* See clean.h. */
#include "sql/valid_text.h"

/* The length of the good character at the front, or 0. */
static size_t character(const unsigned char *at, size_t left) {
    if (at[0] < 0x80)
        return at[0] != 0;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || left < length)
        return 0;
    /* The second byte keeps out what could be written shorter, surrogates, and what lies beyond
       Unicode. */
    unsigned low = at[0] == 0xe0 ? 0xa0 : at[0] == 0xf0 ? 0x90 : 0x80;
    unsigned high = at[0] == 0xed ? 0x9f : at[0] == 0xf4 ? 0x8f : 0xbf;
    if (at[1] < low || at[1] > high)
        return 0;
    for (size_t i = 2; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    return length;
}

bool clean_is(Slice text) {
    size_t i = 0;
    while (i < text.length) {
        size_t length = character((const unsigned char *)text.at + i, text.length - i);
        if (!length)
            return false;
        i += length;
    }
    return true;
}

void clean_text(Buffer *to, Slice text) {
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
