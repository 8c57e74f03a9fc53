/* See head.h. */
#include "http/head.h"

#include <string.h>

HeadEnd head_find_end(Slice bytes, size_t *searched, size_t *size) {
    while (*searched < bytes.length) {
        const char *line = bytes.at + *searched;
        const char *end = memchr(line, '\n', bytes.length - *searched);
        if (!end)
            return HEAD_INCOMPLETE;
        if (end == line || end[-1] != '\r')
            return HEAD_BARE_LF;
        *searched += (size_t)(end - line) + 1;
        if (end - line == 1) {
            *size = *searched;
            return HEAD_COMPLETE;
        }
    }
    return HEAD_INCOMPLETE;
}

/* ---- characters ---- */

/* Whether the text is a token in the sense of RFC 9110: a method or a header name. */
static bool is_token(Slice text) {
    static const char others[] = "!#$%&'*+-.^_`|~";
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        char lower = (char)(c | 0x20);
        if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') &&
            (!c || !strchr(others, c)))
            return false;
    }
    return text.length > 0;
}

static bool has_control(Slice text, bool blanks_allowed) {
    for (size_t i = 0; i < text.length; i++) {
        unsigned char c = (unsigned char)text.at[i];
        if (c == 0x7f || (c <= 0x20 && !(blanks_allowed && (c == ' ' || c == '\t'))))
            return true;
    }
    return false;
}

/* Whether the text has only the characters of a host name or an address with an optional port. None
   of them can end the authority of a URL. */
static bool is_host(Slice text) {
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        char lower = (char)(c | 0x20);
        if (!(lower >= 'a' && lower <= 'z') && !(c >= '0' && c <= '9') &&
            (!c || !strchr("-._~%:[]", c)))
            return false;
    }
    return true;
}

/* ---- the request line ---- */

static unsigned parse_version(Slice version, Head *head, Error *error) {
    Slice rest = version;
    if (!slice_skip(&rest, "HTTP/") || rest.length != 3 || rest.at[1] != '.' || rest.at[0] < '0' ||
        rest.at[0] > '9' || rest.at[2] < '0' || rest.at[2] > '9') {
        error_set(error, "the first line is not an HTTP request");
        return 400;
    }
    if (rest.at[0] != '1') {
        error_set(error, "this version of HTTP is not supported; use HTTP/1.1");
        return 505;
    }
    head->old = rest.at[2] == '0';
    return 0;
}

static unsigned parse_first_line(Slice line, Head *head, Error *error) {
    const char *first = memchr(line.at, ' ', line.length);
    const char *last = memrchr(line.at, ' ', line.length);
    if (!first || first == last) {
        error_set(error, "the first line is not an HTTP request");
        return 400;
    }
    const char *end = line.at + line.length;
    head->method = (Slice){line.at, (size_t)(first - line.at)};
    head->target = (Slice){first + 1, (size_t)(last - first) - 1};
    unsigned status = parse_version((Slice){last + 1, (size_t)(end - last) - 1}, head, error);
    if (status)
        return status;
    if (head->target.length > HEAD_URI_MAX) {
        error_set(error, "the URL is longer than %d bytes", HEAD_URI_MAX);
        return 414;
    }
    if (!is_token(head->method) || !head->target.length || has_control(head->target, false)) {
        error_set(error, "the method or the URL contains a character that is not allowed");
        return 400;
    }
    return 0;
}

/* ---- headers ---- */

/* Which headers that affect parsing were seen. */
typedef struct Seen {
    uint32_t hosts;
    uint32_t lengths;
    uint32_t encodings;
    bool keep_alive;
    size_t bytes;
} Seen;

static void read_connection(Slice value, Head *head, Seen *seen) {
    while (value.length) {
        const char *comma = memchr(value.at, ',', value.length);
        size_t length = comma ? (size_t)(comma - value.at) : value.length;
        Slice word = slice_trim((Slice){value.at, length});
        head->close = head->close || decode_same_letters(word, "close");
        seen->keep_alive = seen->keep_alive || decode_same_letters(word, "keep-alive");
        length += comma != NULL;
        value = (Slice){value.at + length, value.length - length};
    }
}

static unsigned read_length(Slice value, Head *head, Error *error) {
    int64_t length = 0;
    if (!value.length || value.at[0] < '0' || value.at[0] > '9' || !slice_int(value, &length)) {
        error_set(error, "the value of Content-Length must be a whole number");
        return 400;
    }
    head->body_size = (uint64_t)length;
    return 0;
}

static unsigned take_header(Pair header, Head *head, Seen *seen, Error *error) {
    if (decode_same_letters(header.name, "Host")) {
        seen->hosts++;
        head->host = header.value;
    } else if (decode_same_letters(header.name, "Content-Length")) {
        seen->lengths++;
        return read_length(header.value, head, error);
    } else if (decode_same_letters(header.name, "Transfer-Encoding")) {
        seen->encodings++;
        head->chunked = decode_same_letters(header.value, "chunked");
    } else if (decode_same_letters(header.name, "Connection")) {
        read_connection(header.value, head, seen);
    } else if (decode_same_letters(header.name, "Expect")) {
        head->expects = decode_same_letters(header.value, "100-continue");
        if (!head->expects) {
            error_set(error, "the only supported value of Expect is 100-continue");
            return 417;
        }
    }
    return 0;
}

static unsigned parse_header(Slice line, Head *head, Seen *seen, Error *error) {
    const char *colon = memchr(line.at, ':', line.length);
    if (!colon || colon == line.at) {
        error_set(error, "a header line has no name or no colon");
        return 400;
    }
    size_t length = (size_t)(colon - line.at);
    Slice value = {colon + 1, line.length - length - 1};
    Pair header = {{line.at, length}, slice_trim(value)};
    if (!is_token(header.name)) {
        error_set(error, "the name of a header contains white space or another character that is "
                         "not allowed");
        return 400;
    }
    if (has_control(value, true)) {
        error_set(error, "the value of a header contains a control character");
        return 400;
    }
    seen->bytes += header.name.length + header.value.length;
    if (head->header_count == HEAD_LINES_MAX || seen->bytes > HEAD_BYTES_MAX) {
        error_set(error, "too many headers: at most %d headers and %d bytes are allowed",
                  HEAD_LINES_MAX, HEAD_BYTES_MAX);
        return 431;
    }
    head->headers[head->header_count++] = header;
    return take_header(header, head, seen, error);
}

/* Checks the combination of headers. */
static unsigned check(Head *head, const Seen *seen, Error *error) {
    head->announced = head->chunked || head->body_size > 0;
    head->close = head->close || (head->old && !seen->keep_alive);
    if (seen->hosts > 1 || (!head->old && !seen->hosts) || !is_host(head->host)) {
        error_set(error, "the request must have one valid Host header");
        return 400;
    }
    if (seen->lengths > 1 || seen->encodings > 1 || (seen->lengths && seen->encodings) ||
        (seen->encodings && head->old)) {
        error_set(error, "the headers Content-Length and Transfer-Encoding contradict each other");
        return 400;
    }
    if (seen->encodings && !head->chunked) {
        error_set(error, "the only supported value of Transfer-Encoding is chunked");
        return 501;
    }
    return 0;
}

/* Takes the next line, which ends in CR LF, from the front of a complete head. */
static Slice take_line(Slice *rest) {
    const char *end = memchr(rest->at, '\n', rest->length);
    size_t length = (size_t)(end - rest->at) + 1;
    Slice line = {rest->at, length - 2};
    *rest = (Slice){rest->at + length, rest->length - length};
    return line;
}

unsigned head_parse(Slice bytes, Head *head, Error *error) {
    Seen seen = {0};
    Slice rest = bytes;
    *head = (Head){.headers = head->headers};
    unsigned status = parse_first_line(take_line(&rest), head, error);
    for (Slice line; !status && (line = take_line(&rest)).length;)
        status = parse_header(line, head, &seen, error);
    return status ? status : check(head, &seen, error);
}
