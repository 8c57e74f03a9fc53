/* See utf8.h. */
#include "base/utf8.h"

#include <string.h>

size_t utf8_length(const unsigned char *at, size_t left) {
    if (at[0] < 0x80)
        return 1;
    size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || left < length)
        return 0;
    for (size_t i = 1; i < length; i++)
        if ((at[i] & 0xc0) != 0x80)
            return 0;
    if ((at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f))
        return 0;
    return length;
}

uint32_t utf8_next(Slice *rest) {
    const unsigned char *at = (const unsigned char *)rest->at;
    size_t length = utf8_length(at, rest->length);
    uint32_t code = 0xfffd;
    if (length == 1)
        code = at[0];
    else if (length) {
        code = at[0] & (0x7fU >> length);
        for (size_t i = 1; i < length; i++)
            code = code << 6 | (at[i] & 0x3fU);
    }
    size_t step = length ? length : 1;
    *rest = (Slice){rest->at + step, rest->length - step};
    return code;
}

typedef struct CodePointRange {
    uint32_t first;
    uint32_t last;
} CodePointRange;

static bool is_within(uint32_t code, const CodePointRange *ranges, size_t count) {
    for (size_t i = 0; i < count && ranges[i].first <= code; i++)
        if (code <= ranges[i].last)
            return true;
    return false;
}

bool utf8_is_control(uint32_t code) {
    static const CodePointRange controls[] = {
        {0x00, 0x1f},       {0x7f, 0x9f},       {0xad, 0xad},       {0x600, 0x605},
        {0x61c, 0x61c},     {0x6dd, 0x6dd},     {0x70f, 0x70f},     {0x890, 0x891},
        {0x8e2, 0x8e2},     {0x180e, 0x180e},   {0x200b, 0x200f},   {0x2028, 0x202e},
        {0x2060, 0x206f},   {0xfeff, 0xfeff},   {0xfff9, 0xfffb},   {0x110bd, 0x110bd},
        {0x110cd, 0x110cd}, {0x13430, 0x1343f}, {0x1bca0, 0x1bca3}, {0x1d173, 0x1d17a},
        {0xe0000, 0xe007f},
    };
    return is_within(code, controls, sizeof controls / sizeof *controls);
}

/* The length of the colour sequence at the start of a text, or 0. */
static size_t colour_length(Slice text) {
    size_t length = 2;
    if (text.length < 3 || text.at[0] != '\033' || text.at[1] != '[')
        return 0;
    while (length < text.length &&
           ((text.at[length] >= '0' && text.at[length] <= '9') || text.at[length] == ';'))
        length++;
    return length < text.length && text.at[length] == 'm' ? length + 1 : 0;
}

static void add_escape(Buffer *to, uint32_t code) {
    if (code == '\r')
        buffer_char(to, ' '); /* white space between values; in a string it has an escape already */
    else if (code < 0x10000)
        buffer_format(to, "\\u%04x", code);
    else
        buffer_format(to, "\\u%04x\\u%04x", 0xd7c0 + (code >> 10), 0xdc00 + (code & 0x3ff));
}

void utf8_clean(Buffer *to, Slice text, TextForm form) {
    const char *plain = text.at; /* start of the characters that stay unchanged */
    while (text.length) {
        const char *start = text.at;
        size_t colour = form == TEXT_COLOURS ? colour_length(text) : 0;
        if (colour) {
            text = (Slice){text.at + colour, text.length - colour};
            continue;
        }
        uint32_t code = utf8_next(&text);
        bool keeps = form != TEXT_LINE && (code == '\n' || code == '\t');
        if ((code >= 0x20 && code < 0x7f) || keeps || (!utf8_is_control(code) && code != 0xfffd))
            continue;
        buffer_add(to, plain, (size_t)(start - plain));
        plain = text.at;
        if (form == TEXT_JSON)
            add_escape(to, code);
        else
            buffer_text(to, "\xef\xbf\xbd");
    }
    buffer_add(to, plain, (size_t)(text.at - plain));
}

size_t utf8_unfinished(Slice text) {
    for (size_t back = 1; back <= 3 && back <= text.length; back++) {
        unsigned char c = (unsigned char)text.at[text.length - back];
        if (c >= 0xc0)
            return back < (c >= 0xf0 ? 4U : c >= 0xe0 ? 3U : 2U) ? back : 0;
        if (c < 0x80)
            return 0;
    }
    return 0;
}

bool utf8_is_line(Slice text) {
    while (text.length)
        if (utf8_is_control(utf8_next(&text)))
            return false;
    return true;
}

/* An approximation of Unicode: the scripts that terminals show in two columns, and marks that
   combine with the letter before. */
static uint32_t width_of(uint32_t code) {
    static const CodePointRange combining[] = {
        {0x300, 0x36f},   {0x483, 0x489},   {0x591, 0x5bd},   {0x610, 0x61a},   {0x64b, 0x65f},
        {0x93c, 0x93c},   {0x94d, 0x94d},   {0xe34, 0xe3a},   {0xe47, 0xe4e},   {0x1ab0, 0x1aff},
        {0x1dc0, 0x1dff}, {0x20d0, 0x20ff}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xe0100, 0xe01ef},
    };
    static const CodePointRange wide[] = {
        {0x1100, 0x115f},   {0x231a, 0x231b},   {0x2e80, 0x303e},   {0x3041, 0xa4cf},
        {0xa960, 0xa97f},   {0xac00, 0xd7a3},   {0xf900, 0xfaff},   {0xfe30, 0xfe6f},
        {0xff00, 0xff60},   {0xffe0, 0xffe6},   {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff},
        {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd},
    };
    if (code < 0x300)
        return 1;
    if (is_within(code, combining, sizeof combining / sizeof *combining))
        return 0;
    return is_within(code, wide, sizeof wide / sizeof *wide) ? 2 : 1;
}

uint32_t utf8_width(Slice text) {
    uint32_t width = 0;
    while (text.length) {
        uint32_t code = utf8_next(&text);
        width += utf8_is_control(code) ? 1 : width_of(code);
    }
    return width;
}

uint32_t utf8_show(Buffer *to, Slice text, uint32_t most) {
    bool cut = utf8_width(text) > most;
    uint32_t room = cut && most ? most - 1 : most;
    uint32_t width = 0;
    while (text.length) {
        const char *start = text.at;
        uint32_t code = utf8_next(&text);
        uint32_t wide = utf8_is_control(code) ? 1 : width_of(code);
        if (width + wide > room)
            break;
        utf8_clean(to, (Slice){start, (size_t)(text.at - start)}, TEXT_LINE);
        width += wide;
    }
    if (cut && most) {
        buffer_text(to, "\xe2\x80\xa6");
        width++;
    }
    return width;
}

void utf8_quote(Buffer *to, Slice text) {
    enum { COLUMNS = 40 };
    Slice line = {"", 0};
    slice_line(&text, &line);
    buffer_char(to, '"');
    utf8_show(to, line, COLUMNS);
    buffer_char(to, '"');
}

void utf8_skip_mark(Buffer *text) {
    if (text->length >= 3 && memcmp(text->data, "\xef\xbb\xbf", 3) == 0)
        buffer_drop(text, 3);
}
