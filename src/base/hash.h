/* A 64-bit digest of a block of bytes, the same on every little-endian machine, in one pass. It
   detects differences; only hash64_keyed is cryptographic. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash64(const void *bytes, size_t count);

/* The digest of a sequence: `so_far` is the digest of the values before `value`. */
uint64_t hash64_chain(uint64_t so_far, uint64_t value);

/* SipHash-2-4: without the key, nobody can compute the digest of other bytes or recover the key. */
uint64_t hash64_keyed(const uint64_t key[2], const void *bytes, size_t count);

#endif
