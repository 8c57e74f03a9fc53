/* See address_sums.h. */
#include "http/address_sums.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>

enum { ROWS = 3, COLUMNS = 4096 };

struct AddressSums {
    uint64_t secret;
    _Atomic uint64_t counters[ROWS][COLUMNS];
};

AddressSums *address_sums_new(uint64_t secret) {
    AddressSums *sums = xcalloc(1, sizeof *sums);
    sums->secret = secret;
    return sums;
}

void address_sums_free(AddressSums *sums) {
    free(sums);
}

static _Atomic uint64_t *counter(AddressSums *sums, uint64_t address, uint64_t row) {
    uint64_t hash = hash64_chain(hash64_chain(sums->secret, row), address);
    return &sums->counters[row][hash % COLUMNS];
}

bool address_sums_add(AddressSums *sums, uint64_t address, uint64_t amount, uint64_t most) {
    uint64_t before = UINT64_MAX;
    for (uint64_t row = 0; row < ROWS; row++) {
        uint64_t here = atomic_fetch_add(counter(sums, address, row), amount);
        before = here < before ? here : before;
    }
    if (before <= most && amount <= most - before)
        return true;
    address_sums_subtract(sums, address, amount);
    return false;
}

void address_sums_subtract(AddressSums *sums, uint64_t address, uint64_t amount) {
    for (uint64_t row = 0; row < ROWS; row++)
        atomic_fetch_sub(counter(sums, address, row), amount);
}
