/* A limit on the memory that clients make the server use: bodies, responses and streams. Each
   address may use a share of it, so that one client cannot take all. Safe to use from any
   thread. */
#ifndef HTTP_BUDGET_H
#define HTTP_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct Budget Budget;

enum { BUDGET_SHARE = 8 }; /* an address may use 1/BUDGET_SHARE of the limit */

Budget *budget_new(uint64_t bytes_max, uint32_t people_per_address);
void budget_free(Budget *budget); /* NULL is fine */

/* Takes bytes for an address (address_key). False if that exceeds its share or the limit; then
   nothing is taken. A part of the limit is reserved for `small` requests, so that a server whose
   memory is used up still answers most requests. */
bool budget_take(Budget *budget, uint64_t address, size_t bytes, bool small);
void budget_return(Budget *budget, uint64_t address, size_t bytes);

/* Counts bytes that belong to no client; they reduce what is left for clients. */
void budget_add(Budget *budget, size_t bytes);
void budget_subtract(Budget *budget, size_t bytes);

typedef struct BudgetCounts {
    uint64_t used;
    uint64_t most;    /* the limit */
    uint64_t refused; /* calls of budget_take that returned false */
} BudgetCounts;

BudgetCounts budget_counts(const Budget *budget);

#endif
