/* See hash.h. Four lanes are folded in parallel, so that hashing a large state takes a fraction of
   a cycle per byte. */
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

static uint64_t word_at(const unsigned char *at) {
    uint64_t word;
    memcpy(&word, at, sizeof word);
    return word;
}

/* Four variables instead of an array, which compilers would keep in memory: that takes twice as
   long. */
uint64_t hash64(const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t a = FIRST;
    uint64_t b = SECOND;
    uint64_t c = ~FIRST;
    uint64_t d = ~SECOND;
    size_t left = count;
    for (; left >= 32; left -= 32, at += 32) {
        a = fold(a, word_at(at));
        b = fold(b, word_at(at + 8));
        c = fold(c, word_at(at + 16));
        d = fold(d, word_at(at + 24));
    }
    uint64_t result = fold(fold(fold(fold(count, a), b), c), d);
    for (; left >= 8; left -= 8, at += 8)
        result = fold(result, word_at(at));
    if (left) {
        uint64_t word = 0;
        memcpy(&word, at, left);
        result = fold(result, word);
    }
    return finish(result);
}

uint64_t hash64_chain(uint64_t so_far, uint64_t value) {
    return finish(fold(so_far ^ FIRST, value));
}

/* ---- SipHash-2-4 ---- */

static void sip_rounds(uint64_t v[4], int count) {
    for (int i = 0; i < count; i++) {
        v[0] += v[1];
        v[2] += v[3];
        v[1] = rotate(v[1], 13) ^ v[0];
        v[3] = rotate(v[3], 16) ^ v[2];
        v[0] = rotate(v[0], 32);
        v[2] += v[1];
        v[0] += v[3];
        v[1] = rotate(v[1], 17) ^ v[2];
        v[3] = rotate(v[3], 21) ^ v[0];
        v[2] = rotate(v[2], 32);
    }
}

static void sip_word(uint64_t v[4], uint64_t word) {
    v[3] ^= word;
    sip_rounds(v, 2);
    v[0] ^= word;
}

uint64_t hash64_keyed(const uint64_t key[2], const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t v[4] = {key[0] ^ 0x736f6d6570736575u, key[1] ^ 0x646f72616e646f6du,
                     key[0] ^ 0x6c7967656e657261u, key[1] ^ 0x7465646279746573u};
    size_t left = count;
    for (; left >= 8; left -= 8, at += 8)
        sip_word(v, word_at(at));
    uint64_t last = (uint64_t)count << 56;
    for (size_t i = 0; i < left; i++)
        last |= (uint64_t)at[i] << 8 * i;
    sip_word(v, last);
    v[2] ^= 0xff;
    sip_rounds(v, 4);
    return v[0] ^ v[1] ^ v[2] ^ v[3];
}
