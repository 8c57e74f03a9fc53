/* A 64-bit digest of a block of bytes, the same on every little-endian machine, in one pass. It
   detects differences; it is not cryptographic. */
#ifndef BASE_HASH_H
#define BASE_HASH_H

#include <stddef.h>
#include <stdint.h>

uint64_t hash64(const void *bytes, size_t count);

/* The digest of a sequence: what came so far, then this value. */
uint64_t hash64_chain(uint64_t so_far, uint64_t value);

#endif
