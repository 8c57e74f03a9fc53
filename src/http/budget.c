/* See budget.h. The use of each address is counted by hash slot, so two addresses may share one. */
#include "http/budget.h"

#include "base/hash.h"
#include "base/memory.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>

enum { SLOTS = 4096, KEPT_FOR_SMALL = 8 };

struct Budget {
    uint64_t most;
    uint64_t share;
    uint64_t secret; /* so that nobody can choose addresses that collide */
    _Atomic uint64_t used;
    _Atomic uint64_t refused;
    _Atomic uint64_t slots[SLOTS];
};

Budget *budget_new(uint64_t bytes_max, uint32_t people_per_address) {
    Budget *budget = xcalloc(1, sizeof *budget);
    uint64_t people = people_per_address ? people_per_address : 1;
    budget->most = bytes_max;
    budget->share = people >= BUDGET_SHARE ? bytes_max : bytes_max / BUDGET_SHARE * people;
    if (getrandom(&budget->secret, sizeof budget->secret, 0) != sizeof budget->secret)
        abort();
    return budget;
}

void budget_free(Budget *budget) {
    free(budget);
}

static _Atomic uint64_t *slot_of(Budget *budget, uint64_t address) {
    return &budget->slots[hash64_chain(budget->secret, address) % SLOTS];
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
    _Atomic uint64_t *slot = slot_of(budget, address);
    uint64_t kept = budget->most / KEPT_FOR_SMALL;
    if (add_within(slot, bytes, budget->share + (small ? kept : 0))) {
        if (add_within(&budget->used, bytes, budget->most - (small ? 0 : kept)))
            return true;
        atomic_fetch_sub(slot, bytes);
    }
    atomic_fetch_add(&budget->refused, 1);
    return false;
}

void budget_return(Budget *budget, uint64_t address, size_t bytes) {
    atomic_fetch_sub(slot_of(budget, address), bytes);
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
