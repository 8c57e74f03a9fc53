/* See paint.h. */
#include "base/paint.h"

static const char *code_of(int paint) {
    /* Orange, blue, green, red, purple, yellow, turquoise, brown: as on the web pages. */
    static const char *const players[PAINT_PLAYERS] = {"1;38;5;214", "1;38;5;33",  "1;38;5;36",
                                                       "1;38;5;166", "1;38;5;134", "1;38;5;184",
                                                       "1;38;5;43",  "1;38;5;137"};
    switch (paint) {
    case PAINT_PLAIN:
        return "0";
    case PAINT_DIM:
        return "2";
    case PAINT_BRIGHT:
        return "1";
    case PAINT_DEAD:
        return "7;31";
    default:
        return players[(unsigned)paint % PAINT_PLAYERS];
    }
}

void paint_text(Buffer *to, bool colour, int paint, const char *text) {
    if (!colour || paint == PAINT_PLAIN) {
        buffer_text(to, text);
        return;
    }
    buffer_text(to, "\033[");
    buffer_text(to, code_of(paint));
    buffer_char(to, 'm');
    buffer_text(to, text);
    buffer_text(to, "\033[0m");
}

void paint_char(Buffer *to, bool colour, int paint, char c) {
    paint_text(to, colour, paint, (char[2]){c, '\0'});
}

bool paint_read(Slice *text, int *paint, char *c) {
    while (slice_skip(text, "\033[")) {
        Slice code = {text->at, 0};
        while (code.length < text->length && code.at[code.length] != 'm')
            code.length++;
        for (int one = PAINT_DEAD; one < PAINT_PLAYERS; one++)
            if (slice_equals(code, code_of(one)))
                *paint = one;
        text->at += code.length;
        text->length -= code.length;
        slice_skip(text, "m");
    }
    if (!text->length)
        return false;
    *c = *text->at++;
    text->length--;
    return true;
}
