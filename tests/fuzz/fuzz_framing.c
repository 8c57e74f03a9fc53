/* Answers are found at the same positions, in whatever portions a stream arrives. The first byte of
   an input chooses the kind of framing, the second the portions; the rest is the stream. */
#include "fuzz.h"

enum { ANSWERS_MAX = 1 << 16 };

/* Finds the lengths of the answers in a stream that arrives `portion` bytes at a time, or with
   `random` in portions of random size. What is left when the stream is closed comes last. */
static size_t find_answers(FramingKind kind, Slice stream, size_t portion, Random *random,
                           size_t *lengths) {
    Framing framing = {.kind = kind};
    size_t count = 0;
    size_t start = 0;
    size_t arrived = 0;
    for (;;) {
        bool closed = arrived == stream.length;
        /* At the end, look once as if the stream were still open, then once more. */
        for (int look = 0; look <= closed;) {
            size_t length =
                framing_find(&framing, stream.at + start, arrived - start, closed && look == 1);
            if (length > arrived - start)
                fuzz_broken("an answer is longer than what has arrived");
            if (!length) {
                look++;
                continue;
            }
            if (count < ANSWERS_MAX)
                lengths[count++] = length;
            start += length;
            framing_reset(&framing);
        }
        if (closed)
            break;
        size_t more = random ? 1 + random_below(random, (uint32_t)portion) : portion;
        arrived = stream.length - arrived < more ? stream.length : arrived + more;
    }
    if (count < ANSWERS_MAX)
        lengths[count++] = stream.length - start;
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static size_t expected[ANSWERS_MAX];
    static size_t found[ANSWERS_MAX];
    if (size < 2)
        return 0;
    FramingKind kind = (FramingKind)(data[0] % 4);
    Slice stream = {(const char *)data + 2, size - 2};
    Random random = random_seeded(data[1]);
    size_t count = find_answers(kind, stream, stream.length + 1, NULL, expected);
    for (int way = 0; way < 3; way++) {
        size_t portion = way == 0 ? 1 : 1u + data[1];
        size_t others = find_answers(kind, stream, portion, way == 2 ? &random : NULL, found);
        if (others != count)
            fuzz_broken("%zu answers at once, %zu in portions", count, others);
        for (size_t i = 0; i < count; i++)
            if (found[i] != expected[i])
                fuzz_broken("answer %zu has %zu bytes at once, %zu in portions", i, expected[i],
                            found[i]);
    }
    return 0;
}
