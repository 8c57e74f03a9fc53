/* See budget.h. */
#include "http/budget.h"

#include "base/memory.h"
#include "http/address_sums.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>

enum { KEPT_FOR_SMALL = 8 };

struct Budget {
    uint64_t most;
    uint64_t share;
    AddressSums *by_address;
    _Atomic uint64_t used;
    _Atomic uint64_t refused;
};

Budget *budget_new(uint64_t bytes_max, uint32_t people_per_address) {
    Budget *budget = xcalloc(1, sizeof *budget);
    uint64_t people = people_per_address ? people_per_address : 1;
    budget->most = bytes_max;
    budget->share = people >= BUDGET_SHARE ? bytes_max : bytes_max / BUDGET_SHARE * people;
    uint64_t secret;
    if (getrandom(&secret, sizeof secret, 0) != sizeof secret)
        abort();
    budget->by_address = address_sums_new(secret);
    return budget;
}

void budget_free(Budget *budget) {
    if (budget)
        address_sums_free(budget->by_address);
    free(budget);
}

/* Adds, unless the sum would exceed `most`. */
static bool add_within(_Atomic uint64_t *sum, uint64_t bytes, uint64_t most) {
    uint64_t before = atomic_fetch_add(sum, bytes);
    if (before <= most && bytes <= most - before)
        return true;
    atomic_fetch_sub(sum, bytes);
    return false;
}

bool budget_take(Budget *budget, uint64_t address, size_t bytes, bool small) {
    uint64_t kept = budget->most / KEPT_FOR_SMALL;
    if (address_sums_add(budget->by_address, address, bytes, budget->share + (small ? kept : 0))) {
        if (add_within(&budget->used, bytes, budget->most - (small ? 0 : kept)))
            return true;
        address_sums_subtract(budget->by_address, address, bytes);
    }
    atomic_fetch_add(&budget->refused, 1);
    return false;
}

void budget_return(Budget *budget, uint64_t address, size_t bytes) {
    address_sums_subtract(budget->by_address, address, bytes);
    atomic_fetch_sub(&budget->used, bytes);
}

void budget_add(Budget *budget, size_t bytes) {
    atomic_fetch_add(&budget->used, bytes);
}

void budget_subtract(Budget *budget, size_t bytes) {
    atomic_fetch_sub(&budget->used, bytes);
}

BudgetCounts budget_counts(const Budget *budget) {
    return (BudgetCounts){.used = atomic_load(&budget->used),
                          .most = budget->most,
                          .refused = atomic_load(&budget->refused)};
}
