/* See paint.h. */
#include "base/paint.h"

static const char *code_of(int paint) {
    /* Orange, blue, green, red, purple, yellow, turquoise, brown: those of the web pages. */
    static const char *const players[] = {"1;38;5;214", "1;38;5;33",  "1;38;5;36", "1;38;5;166",
                                          "1;38;5;134", "1;38;5;184", "1;38;5;43", "1;38;5;137"};
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
        return players[(unsigned)paint % (sizeof players / sizeof *players)];
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
