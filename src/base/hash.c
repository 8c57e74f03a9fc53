/* See hash.h. Four lanes are folded in parallel, so that a large state costs about a byte for a
   fraction of a cycle. */
#include "base/hash.h"

#include <string.h>

#define FIRST 0x9e3779b185ebca87u
#define SECOND 0xc2b2ae3d27d4eb4fu

static uint64_t rotate(uint64_t value, int by) {
    return value << by | value >> (64 - by);
}

static uint64_t fold(uint64_t lane, uint64_t word) {
    return rotate(lane + word * SECOND, 31) * FIRST;
}

static uint64_t finish(uint64_t value) {
    value = (value ^ value >> 33) * SECOND;
    value = (value ^ value >> 29) * FIRST;
    return value ^ value >> 32;
}

uint64_t hash64(const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t lanes[4] = {FIRST, SECOND, ~FIRST, ~SECOND};
    size_t left = count;
    for (; left >= 32; left -= 32, at += 32) {
        uint64_t words[4];
        memcpy(words, at, sizeof words);
        for (int i = 0; i < 4; i++)
            lanes[i] = fold(lanes[i], words[i]);
    }
    uint64_t result = count;
    for (int i = 0; i < 4; i++)
        result = fold(result, lanes[i]);
    while (left) {
        size_t part = left < 8 ? left : 8;
        uint64_t word = 0;
        memcpy(&word, at, part);
        result = fold(result, word);
        at += part;
        left -= part;
    }
    return finish(result);
}

uint64_t hash64_chain(uint64_t so_far, uint64_t value) {
    return finish(fold(so_far ^ FIRST, value));
}
