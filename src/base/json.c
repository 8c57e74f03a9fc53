/* See json.h. The writer comes first, then the reader. */
#include "base/json.h"

#include "base/memory.h"
#include "base/utf8.h"

#include <assert.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- out ---- */

/* Whether a byte needs no escape in a JSON string: printable ASCII except the quote and the
   backslash. */
static bool is_plain(unsigned char c) {
    return c >= 0x20 && c < 0x7f && c != '"' && c != '\\';
}

static void json_escape(Buffer *to, unsigned char c) {
    static const char named[] = "\"\\\n\t\r";
    static const char *const names[] = {"\\\"", "\\\\", "\\n", "\\t", "\\r"};
    const char *found = c ? strchr(named, c) : NULL;
    if (found)
        buffer_text(to, names[found - named]);
    else
        buffer_format(to, "\\u%04x", c);
}

void json_string(Buffer *to, Slice text) {
    buffer_char(to, '"');
    for (size_t i = 0; i < text.length;) {
        size_t run = i;
        while (run < text.length && is_plain((unsigned char)text.at[run]))
            run++;
        buffer_add(to, text.at + i, run - i);
        i = run;
        if (i == text.length)
            break;
        while (run < text.length && (unsigned char)text.at[run] >= 0x80)
            run++;
        if (run == i)
            json_escape(to, (unsigned char)text.at[run++]);
        else
            utf8_clean(to, (Slice){text.at + i, run - i}, TEXT_JSON);
        i = run;
    }
    buffer_char(to, '"');
}

void json_double(Buffer *to, double value) {
    assert(isfinite(value));
    double size = fabs(value);
    bool plain = size == 0 || (size >= 1e-5 && size < 1e16);
    char digits[48];
    /* Plain numbers below 1e-4 may need their 17 digits after four zeros. */
    for (int places = 1; places <= 22; places++) {
        snprintf(digits, sizeof digits, plain ? "%.*f" : "%.*e", places, value);
        if (strtod(digits, NULL) == value)
            break;
    }
    buffer_text(to, digits);
}

static void begin(JsonOut *out, const char *key) {
    if (out->comma)
        buffer_char(out->to, ',');
    out->comma = true;
    if (key) {
        json_string(out->to, slice_of(key));
        buffer_char(out->to, ':');
    }
}

void json_open(JsonOut *out, const char *key, char bracket) {
    begin(out, key);
    buffer_char(out->to, bracket);
    out->comma = false;
}

void json_close(JsonOut *out, char bracket) {
    buffer_char(out->to, bracket);
    out->comma = true;
}

void json_out_string(JsonOut *out, const char *key, Slice value) {
    begin(out, key);
    json_string(out->to, value);
}

void json_out_text(JsonOut *out, const char *key, const char *value) {
    json_out_string(out, key, slice_of(value));
}

void json_out_int(JsonOut *out, const char *key, int64_t value) {
    begin(out, key);
    buffer_int(out->to, value);
}

void json_out_uint(JsonOut *out, const char *key, uint64_t value) {
    begin(out, key);
    buffer_uint(out->to, value);
}

void json_out_double(JsonOut *out, const char *key, double value) {
    begin(out, key);
    json_double(out->to, value);
}

void json_out_bool(JsonOut *out, const char *key, bool value) {
    begin(out, key);
    buffer_text(out->to, value ? "true" : "false");
}

void json_out_null(JsonOut *out, const char *key) {
    begin(out, key);
    buffer_text(out->to, "null");
}

void json_out_ms(JsonOut *out, const char *key, int64_t nanoseconds, int decimals) {
    assert(decimals >= 1 && decimals <= 6);
    nanoseconds = nanoseconds > 0 ? nanoseconds : 0;
    int64_t unit = 1;
    for (int i = decimals; i < 6; i++)
        unit *= 10;
    begin(out, key);
    buffer_format(out->to, "%" PRId64 ".%0*" PRId64, nanoseconds / 1000000, decimals,
                  nanoseconds % 1000000 / unit);
}

void json_out_raw(JsonOut *out, const char *key, Slice json) {
    begin(out, key);
    buffer_add(out->to, json.at, json.length);
}

/* ---- in ---- */

typedef struct JsonReader {
    Json *json;
    const char *at;
    const char *end;
    char *strings; /* where the next resolved string goes */
    Error *error;
} JsonReader;

static bool fail(const JsonReader *reader, const char *at, const char *what) {
    unsigned line = 1;
    const char *line_start = reader->json->source.at;
    for (const char *c = line_start; c < at; c++)
        if (*c == '\n') {
            line++;
            line_start = c + 1;
        }
    return error_set(reader->error, "line %u, column %u: %s", line, (unsigned)(at - line_start) + 1,
                     what);
}

static void skip_space(JsonReader *reader) {
    while (reader->at < reader->end && (*reader->at == ' ' || *reader->at == '\t' ||
                                        *reader->at == '\n' || *reader->at == '\r'))
        reader->at++;
}

static uint32_t add_node(JsonReader *reader, JsonKind kind) {
    Json *json = reader->json;
    if (json->count == json->capacity) {
        uint32_t capacity = json->capacity ? json->capacity * 2 : 64;
        json->nodes = xreallocarray(json->nodes, capacity, sizeof *json->nodes);
        json->capacity = capacity;
    }
    json->nodes[json->count] = (JsonNode){
        .kind = kind,
        .offset = (uint32_t)(reader->at - json->source.at),
        .next = json->count + 1,
    };
    return json->count++;
}

static bool read_hex(JsonReader *reader, uint32_t *code) {
    *code = 0;
    for (int i = 0; i < 4; i++, reader->at++) {
        int digit = reader->at < reader->end ? hex_digit_value(*reader->at) : -1;
        if (digit < 0)
            return fail(reader, reader->at, "\\u must be followed by four hexadecimal digits");
        *code = *code << 4 | (uint32_t)digit;
    }
    return true;
}

static void put_utf8(JsonReader *reader, uint32_t code) {
    char *to = reader->strings;
    if (code < 0x80) {
        *to++ = (char)code;
    } else if (code < 0x800) {
        *to++ = (char)(0xc0 | code >> 6);
        *to++ = (char)(0x80 | (code & 0x3f));
    } else if (code < 0x10000) {
        *to++ = (char)(0xe0 | code >> 12);
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    } else {
        *to++ = (char)(0xf0 | code >> 18);
        *to++ = (char)(0x80 | (code >> 12 & 0x3f));
        *to++ = (char)(0x80 | (code >> 6 & 0x3f));
        *to++ = (char)(0x80 | (code & 0x3f));
    }
    reader->strings = to;
}

/* Completes a surrogate pair if its second half follows; otherwise consumes nothing. */
static bool read_pair(JsonReader *reader, uint32_t *code) {
    const char *start = reader->at;
    uint32_t low = 0;
    if (*code >= 0xdc00 || reader->end - reader->at < 6 || start[0] != '\\' || start[1] != 'u')
        return false;
    reader->at += 2;
    if (!read_hex(reader, &low) || low < 0xdc00 || low >= 0xe000) {
        reader->at = start;
        return false;
    }
    *code = 0x10000 + ((*code - 0xd800) << 10) + (low - 0xdc00);
    return true;
}

/* Reads what follows a backslash. Surrogates must come in pairs. */
static bool read_escape(JsonReader *reader) {
    static const char names[] = "\"\\/bfnrt";
    static const char values[] = "\"\\/\b\f\n\r\t";
    const char *start = reader->at - 1;
    char c = reader->at < reader->end ? *reader->at : '\0';
    const char *name = c ? strchr(names, c) : NULL;
    if (name) {
        reader->at++;
        *reader->strings++ = values[name - names];
        return true;
    }
    if (c != 'u')
        return fail(reader, start, "invalid escape sequence");
    reader->at++;
    uint32_t code = 0;
    if (!read_hex(reader, &code))
        return false;
    if (code >= 0xd800 && code < 0xe000 && !read_pair(reader, &code)) {
        if (!reader->json->lenient)
            return fail(reader, start, "incomplete surrogate pair");
        code = 0xfffd;
    }
    put_utf8(reader, code);
    return true;
}

static bool read_string(JsonReader *reader) {
    uint32_t node = add_node(reader, JSON_STRING);
    const char *start = reader->at++;
    char *text = reader->strings;
    for (;;) {
        if (reader->at == reader->end)
            return fail(reader, start, "unterminated string");
        unsigned char c = (unsigned char)*reader->at;
        if (c == '"')
            break;
        if (c < 0x20)
            return fail(reader, reader->at, "control character in a string");
        if (c == '\\') {
            reader->at++;
            if (!read_escape(reader))
                return false;
            continue;
        }
        size_t length =
            utf8_length((const unsigned char *)reader->at, (size_t)(reader->end - reader->at));
        if (!length)
            return fail(reader, reader->at, "invalid UTF-8");
        memcpy(reader->strings, reader->at, length);
        reader->strings += length;
        reader->at += length;
    }
    reader->at++;
    reader->json->nodes[node].text = (Slice){text, (size_t)(reader->strings - text)};
    return true;
}

static size_t skip_digits(JsonReader *reader) {
    const char *start = reader->at;
    while (reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9')
        reader->at++;
    return (size_t)(reader->at - start);
}

static bool read_number(JsonReader *reader) {
    uint32_t node = add_node(reader, JSON_NUMBER);
    const char *start = reader->at;
    if (*reader->at == '-')
        reader->at++;
    const char *digits = reader->at;
    size_t count = skip_digits(reader);
    bool good = count == 1 || (count > 1 && *digits != '0');
    if (good && reader->at < reader->end && *reader->at == '.') {
        reader->at++;
        good = skip_digits(reader) > 0;
    }
    if (good && reader->at < reader->end && (*reader->at == 'e' || *reader->at == 'E')) {
        reader->at++;
        if (reader->at < reader->end && (*reader->at == '+' || *reader->at == '-'))
            reader->at++;
        good = skip_digits(reader) > 0;
    }
    if (!good)
        return fail(reader, start, "invalid number");
    reader->json->nodes[node].text = (Slice){start, (size_t)(reader->at - start)};
    return true;
}

static bool read_word(JsonReader *reader) {
    static const struct {
        const char *word;
        JsonKind kind;
    } words[] = {{"null", JSON_NULL}, {"false", JSON_FALSE}, {"true", JSON_TRUE}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        Slice rest = {reader->at, (size_t)(reader->end - reader->at)};
        if (slice_skip(&rest, words[i].word)) {
            add_node(reader, words[i].kind);
            reader->at = rest.at;
            return true;
        }
    }
    return fail(reader, reader->at, "expected a JSON value");
}

static bool read_value(JsonReader *reader, unsigned depth);

static bool same_text(Slice a, Slice b) {
    return a.length == b.length && (a.length == 0 || memcmp(a.at, b.at, a.length) == 0);
}

/* Whether `object` already had `key`, its newest member. */
static bool is_duplicate(const Json *json, uint32_t object, uint32_t key) {
    for (uint32_t other = object + 1; other < key; other = json->nodes[other + 1].next)
        if (same_text(json->nodes[other].text, json->nodes[key].text))
            return true;
    return false;
}

static bool read_key(JsonReader *reader, uint32_t object) {
    const char *start = reader->at;
    if (reader->at == reader->end || *reader->at != '"')
        return fail(reader, start, "expected a member name in quotes");
    uint32_t key = reader->json->count;
    if (!read_string(reader))
        return false;
    if (!reader->json->repeats && is_duplicate(reader->json, object, key))
        return fail(reader, start, "duplicate member name");
    skip_space(reader);
    if (reader->at == reader->end || *reader->at != ':')
        return fail(reader, reader->at, "expected a colon");
    reader->at++;
    skip_space(reader);
    return true;
}

/* Reads an array or an object; they differ only in the bracket and in the names. */
static bool read_container(JsonReader *reader, JsonKind kind, char closing, unsigned depth) {
    Json *json = reader->json;
    if (depth == (json->lenient ? (unsigned)JSON_DEPTH_LENIENT : (unsigned)JSON_DEPTH_MAX))
        return fail(reader, reader->at,
                    json->lenient ? "arrays and objects nested more than 256 deep"
                                  : "arrays and objects nested more than 64 deep");
    const char *start = reader->at;
    uint32_t node = add_node(reader, kind);
    uint32_t count = 0;
    reader->at++;
    skip_space(reader);
    bool closed = reader->at < reader->end && *reader->at == closing;
    while (!closed) {
        if (kind == JSON_OBJECT &&
            count == (json->lenient ? (unsigned)JSON_MEMBERS_LENIENT : (unsigned)JSON_MEMBERS_MAX))
            return fail(reader, reader->at,
                        json->lenient ? "more than 1024 members in one object"
                                      : "more than 256 members in one object");
        if (kind == JSON_OBJECT && !read_key(reader, node))
            return false;
        if (!read_value(reader, depth + 1))
            return false;
        count++;
        skip_space(reader);
        if (reader->at == reader->end)
            return fail(reader, start,
                        kind == JSON_OBJECT ? "unterminated object" : "unterminated array");
        closed = *reader->at == closing;
        if (!closed && *reader->at != ',')
            return fail(reader, reader->at,
                        kind == JSON_OBJECT ? "expected a comma or }" : "expected a comma or ]");
        if (!closed) {
            reader->at++;
            skip_space(reader);
        }
    }
    reader->at++;
    json->nodes[node].count = count;
    json->nodes[node].next = json->count;
    return true;
}

static bool read_value(JsonReader *reader, unsigned depth) {
    if (reader->at == reader->end)
        return fail(reader, reader->at, "unexpected end; expected a JSON value");
    switch (*reader->at) {
    case '{':
        return read_container(reader, JSON_OBJECT, '}', depth);
    case '[':
        return read_container(reader, JSON_ARRAY, ']', depth);
    case '"':
        return read_string(reader);
    case '-':
    case '0':
    case '1':
    case '2':
    case '3':
    case '4':
    case '5':
    case '6':
    case '7':
    case '8':
    case '9':
        return read_number(reader);
    default:
        return read_word(reader);
    }
}

bool json_parse(Json *json, Slice source, Error *error) {
    if (!source.at)
        source = slice_of("");
    json->source = source;
    json->count = 0;
    if (source.length > UINT32_MAX / 2)
        return error_set(error, "line 1, column 1: more than 2 GiB of JSON");
    if (json->strings_capacity < source.length) {
        free(json->strings);
        json->strings = xmalloc(source.length);
        json->strings_capacity = source.length;
    }
    JsonReader reader = {
        .json = json,
        .at = source.at,
        .end = source.at + source.length,
        .strings = json->strings,
        .error = error,
    };
    skip_space(&reader);
    if (!read_value(&reader, 0))
        return false;
    skip_space(&reader);
    if (reader.at != reader.end)
        return fail(&reader, reader.at, "unexpected text after the JSON value");
    return true;
}

void json_free(Json *json) {
    free(json->nodes);
    free(json->strings);
    *json = (Json){0};
}

static _Thread_local Json *of_thread; /* everything that json_free_thread frees */

void json_keep_for_thread(Json *json) {
    if (json->kept_for_thread)
        return;
    json->kept_for_thread = true;
    json->next_of_thread = of_thread;
    of_thread = json;
}

void json_free_thread(void) {
    while (of_thread) {
        Json *json = of_thread;
        of_thread = json->next_of_thread;
        json_free(json);
    }
}

uint32_t json_member(const Json *json, uint32_t object, const char *key) {
    assert(json->nodes[object].kind == JSON_OBJECT);
    uint32_t found = JSON_NONE;
    for (uint32_t node = object + 1;
         node < json->nodes[object].next && (json->repeats || found == JSON_NONE);
         node = json->nodes[node + 1].next)
        if (slice_equals(json->nodes[node].text, key))
            found = node + 1;
    return found;
}

unsigned json_line(const Json *json, uint32_t node) {
    unsigned line = 1;
    for (uint32_t i = 0; i < json->nodes[node].offset; i++)
        line += json->source.at[i] == '\n';
    return line;
}

const char *json_kind_name(const Json *json, uint32_t node) {
    static const char *const names[] = {"null",     "false",    "true",     "a number",
                                        "a string", "an array", "an object"};
    return names[json->nodes[node].kind];
}

bool json_uint64(const Json *json, uint32_t node, uint64_t *value) {
    Slice text = json->nodes[node].text;
    if (json->nodes[node].kind != JSON_NUMBER)
        return false;
    uint64_t sum = 0;
    for (size_t i = 0; i < text.length; i++) {
        if (text.at[i] < '0' || text.at[i] > '9')
            return false;
        uint64_t digit = (uint64_t)(text.at[i] - '0');
        if (sum > (UINT64_MAX - digit) / 10)
            return false;
        sum = sum * 10 + digit;
    }
    *value = sum;
    return true;
}

/* Decimal arithmetic on the digits as written, since a double would round. */
bool json_whole(const Json *json, uint32_t node, int64_t *value) {
    if (json->nodes[node].kind != JSON_NUMBER)
        return false;
    Slice rest = json->nodes[node].text;
    if (slice_int(rest, value))
        return true;
    bool negative = slice_skip(&rest, "-");
    size_t digits = 0;
    while (digits < rest.length && rest.at[digits] != 'e' && rest.at[digits] != 'E')
        digits++;
    int64_t exponent = 0;
    if (digits < rest.length) {
        Slice text = {rest.at + digits + 1, rest.length - digits - 1};
        slice_skip(&text, "+");
        if (!slice_int(text, &exponent) || exponent > 1000000 || exponent < -1000000)
            exponent = text.at[0] == '-' ? -1000000 : 1000000;
    }
    /* The value is the digits without the point, times ten to the power of `exponent` minus the
       number of digits after the point. */
    uint64_t limit = (uint64_t)INT64_MAX + negative;
    uint64_t sum = 0;
    bool overflow = false;
    const char *point = memchr(rest.at, '.', digits);
    exponent -= point ? (int64_t)(rest.at + digits - point - 1) : 0;
    /* the end of the significant digits: trailing zeros only shift the exponent */
    size_t last = digits;
    while (last > 0 && (rest.at[last - 1] == '0' || rest.at[last - 1] == '.')) {
        exponent += rest.at[last - 1] == '0';
        last--;
    }
    for (size_t i = 0; i < last; i++) {
        if (rest.at[i] == '.')
            continue;
        uint64_t digit = (uint64_t)(rest.at[i] - '0');
        overflow |= sum > (limit - digit) / 10;
        sum = sum * 10 + digit;
    }
    if (sum == 0 && !overflow) {
        *value = 0;
        return true;
    }
    for (; exponent > 0 && !overflow; exponent--) {
        overflow = sum > limit / 10;
        sum *= 10;
    }
    if (overflow || exponent < 0)
        return false;
    *value = negative ? (int64_t)(0 - sum) : (int64_t)sum;
    return true;
}

bool json_number(const Json *json, uint32_t node, double *value) {
    char text[64];
    Slice number = json->nodes[node].text;
    if (json->nodes[node].kind != JSON_NUMBER)
        return false;
    /* strtod needs a NUL after the number. Few numbers need a larger buffer than `text`. */
    char *copy = number.length < sizeof text ? text : xmalloc(number.length + 1);
    memcpy(copy, number.at, number.length);
    copy[number.length] = '\0';
    *value = strtod(copy, NULL);
    if (copy != text)
        free(copy);
    return isfinite(*value);
}
