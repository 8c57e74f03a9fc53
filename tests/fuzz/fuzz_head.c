/* The bytes of a connection: heads of requests and chunked bodies, in the pieces in which they
   might arrive. The first byte is the size of a piece. However they arrive, the result must be the
   same, and a head that was accepted must satisfy its contract. */
#include "fuzz.h"

#include "http/chunks.h"
#include "http/head.h"

#include <stdlib.h>
#include <string.h>

static Pair headers[HEAD_LINES_MAX];

/* A name or a value that two programs could understand differently must not get this far. */
static void check_header(Pair header) {
    for (size_t i = 0; i < header.name.length; i++)
        if (header.name.at[i] <= 0x20 || header.name.at[i] >= 0x7f || header.name.at[i] == ':')
            fuzz_broken("a name with a byte that should have been rejected");
    for (size_t i = 0; i < header.value.length; i++) {
        unsigned char c = (unsigned char)header.value.at[i];
        if ((c < 0x20 && c != '\t') || c == 0x7f)
            fuzz_broken("a value with a control character");
    }
}

static void check_head(const Head *head) {
    uint32_t hosts = 0;
    uint32_t lengths = 0;
    if (!head->method.length || !head->target.length || head->target.length > HEAD_URI_MAX)
        fuzz_broken("a request without a method or a target");
    for (uint32_t i = 0; i < head->header_count; i++) {
        check_header(head->headers[i]);
        hosts += decode_same_letters(head->headers[i].name, "Host");
        lengths += decode_same_letters(head->headers[i].name, "Content-Length");
        lengths += decode_same_letters(head->headers[i].name, "Transfer-Encoding");
    }
    if (hosts > 1 || (!hosts && !head->old) || lengths > 1)
        fuzz_broken("%u Host headers, %u lengths", hosts, lengths);
    if (head->announced != (head->chunked || head->body_size))
        fuzz_broken("a body that is not announced");
}

/* Finds the end in pieces, and at once. */
static HeadEnd find_end(Slice text, size_t step, size_t *size) {
    size_t searched = 0;
    size_t all = 0;
    HeadEnd end = HEAD_INCOMPLETE;
    for (size_t length = step; end == HEAD_INCOMPLETE; length += step) {
        length = length < text.length ? length : text.length;
        end = head_find_end((Slice){text.at, length}, &searched, size);
        if (length == text.length)
            break;
    }
    searched = 0;
    if (head_find_end(text, &searched, &all) != end || (end == HEAD_COMPLETE && all != *size))
        fuzz_broken("the end of the head depends on the pieces");
    return end;
}

/* The number of decoded bytes. */
static uint64_t take_chunks(Slice text, size_t step, ChunksState *state, size_t *left) {
    Chunks chunks = {0};
    uint64_t length = 0;
    while (text.length && chunks.state < CHUNKS_DONE) {
        size_t size = step < text.length ? step : text.length;
        Slice piece = {text.at, size};
        while (piece.length && chunks.state < CHUNKS_DONE)
            length += chunks_take(&chunks, &piece).length;
        size -= piece.length;
        text = (Slice){text.at + size, text.length - size};
    }
    *state = chunks.state;
    *left = text.length;
    return length;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Error error = {0};
    Head head = {.headers = headers};
    size_t head_size = 0;
    if (size < 2 || size > HEAD_SIZE_MAX)
        return 0;
    size_t step = data[0] ? data[0] : 1;
    /* A copy of exactly this size, so that reading beyond its end is detected. */
    char *text = malloc(size - 1);
    if (!text)
        abort();
    memcpy(text, data + 1, size - 1);
    Slice rest = {text, size - 1};
    if (find_end(rest, step, &head_size) == HEAD_COMPLETE && head_size > 2) {
        unsigned status = head_parse((Slice){text, head_size}, &head, &error);
        if (!status)
            check_head(&head);
        else if (status < 400 || !error.text[0])
            fuzz_broken("rejected with %u and no reason", status);
        rest = (Slice){text + head_size, size - 1 - head_size};
    }
    ChunksState states[2];
    size_t left[2];
    if (take_chunks(rest, step, &states[0], &left[0]) !=
            take_chunks(rest, rest.length, &states[1], &left[1]) ||
        states[0] != states[1] || left[0] != left[1])
        fuzz_broken("the body depends on the pieces");
    free(text);
    return 0;
}
