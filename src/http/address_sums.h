/* One sum per client address (address_key): its connections, or the bytes it uses. The memory is
   fixed, however many addresses there are. Safe to use from any thread.

   This is a count-min sketch: an address has one counter in each of several rows, chosen by hash,
   and its sum is the smallest of them. Collisions can only make a counter too large, so a sum is
   wrong only if other addresses share all its counters. A single busy client shares all counters
   with one address in 69 billion. */
#ifndef HTTP_ADDRESS_SUMS_H
#define HTTP_ADDRESS_SUMS_H

#include <stdbool.h>
#include <stdint.h>

typedef struct AddressSums AddressSums;

/* The secret determines the counters, so that nobody can search for addresses that share them. */
AddressSums *address_sums_new(uint64_t secret);
void address_sums_free(AddressSums *sums); /* NULL is fine */

/* Adds, unless the sum would exceed `most`. */
bool address_sums_add(AddressSums *sums, uint64_t address, uint64_t amount, uint64_t most);
void address_sums_subtract(AddressSums *sums, uint64_t address, uint64_t amount);

#endif
