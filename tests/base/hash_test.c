/* The digest: stable, and different for different bytes. */
#include "base/hash.h"

#include "base/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Replays keep digests: if these change, no existing replay can be verified. */
static void digests_never_change(void **unused) {
    (void)unused;
    char bytes[100];
    for (int i = 0; i < 100; i++)
        bytes[i] = (char)i;
    static const struct {
        size_t length;
        uint64_t digest;
    } cases[] = {
        {0, 0x163c19e227cf35e4u},  {1, 0xad86f6774fa85a65u},   {7, 0xc781f9cb809f3195u},
        {8, 0xc936f771462aa68bu},  {9, 0xc21dc3b9b3d5f705u},   {31, 0x35a0762d92990d34u},
        {32, 0xb8029c575dd9faeau}, {33, 0x74d183461aacae8eu},  {40, 0x71291fd17c67a913u},
        {64, 0xe241574b006e44bfu}, {100, 0x75e1ce0d94e56b0cu},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t digest = hash64(bytes, cases[i].length);
        if (digest != cases[i].digest)
            fail_msg("%zu bytes: 0x%016llx", cases[i].length, (unsigned long long)digest);
    }
    assert_true(hash64_chain(hash64_chain(0, 1), 2) == 0x25ea212fa65b96efu);
}

/* From the reference implementation: the key is 00 01 ... 0f, the bytes are 00 01 02 ... */
static void keyed_digests_match_siphash(void **unused) {
    (void)unused;
    static const uint64_t key[2] = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
    static const struct {
        size_t length;
        uint64_t digest;
    } cases[] = {
        {0, 0x726fdb47dd0e0e31u},
        {1, 0x74f839c593dc67fdu},
        {8, 0x93f5f5799a932462u},
        {15, 0xa129ca6149be45e5u},
    };
    unsigned char bytes[16];
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)i;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        assert_true(hash64_keyed(key, bytes, cases[i].length) == cases[i].digest);
}

static void empty_input_has_a_digest(void **unused) {
    (void)unused;
    assert_true(hash64(NULL, 0) == hash64("", 0));
}

static void every_flipped_bit_changes_the_digest(void **unused) {
    (void)unused;
    unsigned char bytes[77];
    Random random = random_seeded(5);
    for (size_t i = 0; i < sizeof bytes; i++)
        bytes[i] = (unsigned char)random_next(&random);
    uint64_t digest = hash64(bytes, sizeof bytes);
    for (size_t bit = 0; bit < 8 * sizeof bytes; bit++) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        uint64_t other = hash64(bytes, sizeof bytes);
        assert_true(other != digest);
        /* About half of the digest's bits change: less than 12 would be a weak spot. */
        assert_in_range(__builtin_popcountll(other ^ digest), 12, 52);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    assert_true(hash64(bytes, sizeof bytes) == digest);
}

static void trailing_zeros_change_the_digest(void **unused) {
    (void)unused;
    static const char zeros[200];
    uint64_t seen[200];
    for (size_t length = 0; length < 200; length++) {
        seen[length] = hash64(zeros, length);
        for (size_t other = 0; other < length; other++)
            assert_true(seen[other] != seen[length]);
    }
}

static void swapping_two_words_changes_the_digest(void **unused) {
    (void)unused;
    uint64_t words[12] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12};
    uint64_t digest = hash64(words, sizeof words);
    for (int i = 0; i < 12; i++)
        for (int j = 0; j < i; j++) {
            uint64_t kept = words[i];
            words[i] = words[j];
            words[j] = kept;
            assert_true(hash64(words, sizeof words) != digest);
            words[j] = words[i];
            words[i] = kept;
        }
}

static void the_alignment_of_the_bytes_does_not_matter(void **unused) {
    (void)unused;
    char room[120];
    uint64_t digest = 0;
    for (size_t at = 0; at < 16; at++) {
        for (int i = 0; i < 100; i++)
            room[at + (size_t)i] = (char)(i * 7);
        uint64_t here = hash64(room + at, 100);
        assert_true(at == 0 || here == digest);
        digest = here;
    }
}

static void chained_digests_depend_on_the_order(void **unused) {
    (void)unused;
    assert_true(hash64_chain(hash64_chain(0, 1), 2) != hash64_chain(hash64_chain(0, 2), 1));
    assert_true(hash64_chain(0, 0) != 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(digests_never_change),
        cmocka_unit_test(keyed_digests_match_siphash),
        cmocka_unit_test(empty_input_has_a_digest),
        cmocka_unit_test(every_flipped_bit_changes_the_digest),
        cmocka_unit_test(trailing_zeros_change_the_digest),
        cmocka_unit_test(swapping_two_words_changes_the_digest),
        cmocka_unit_test(the_alignment_of_the_bytes_does_not_matter),
        cmocka_unit_test(chained_digests_depend_on_the_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
