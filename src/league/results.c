/* See results.h. A hash table with open addressing over records in one buffer. The record of a
   match of four takes 32 bytes and two slots. */
#include "league/results.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { SLOTS_FIRST = 64 };

static size_t record_size(uint32_t players) {
    size_t size = sizeof(Result) + players * sizeof(uint32_t);
    return (size + sizeof(uint64_t) - 1) / sizeof(uint64_t) * sizeof(uint64_t);
}

static Result *record_at(const Results *results, size_t offset) {
    return (Result *)(void *)(results->records.data + offset);
}

void results_free(Results *results) {
    buffer_free(&results->records);
    free(results->slots);
    *results = (Results){0};
}

/* The slot of a record that equals this one, or the free slot where it belongs. */
static size_t find_slot(const Results *results, const Result *record) {
    size_t length = record->players * sizeof *record->places;
    size_t slot = (size_t)hash64(record->places, length) & (results->slot_count - 1);
    for (; results->slots[slot]; slot = (slot + 1) & (results->slot_count - 1)) {
        const Result *there = record_at(results, results->slots[slot] - 1);
        if (there->players == record->players && memcmp(there->places, record->places, length) == 0)
            break;
    }
    return slot;
}

static void grow_slots(Results *results) {
    free(results->slots);
    results->slot_count = results->slot_count ? results->slot_count * 2 : SLOTS_FIRST;
    results->slots = xcalloc(results->slot_count, sizeof *results->slots);
    for (size_t at = 0; at < results->records.length;) {
        const Result *record = record_at(results, at);
        results->slots[find_slot(results, record)] = at + 1;
        at += record_size(record->players);
    }
}

/* Orders the bots by rank, then by number, so that equal results have equal records. */
static void order_places(Result *record, const uint32_t *bots, const uint32_t *ranks) {
    uint32_t *seats = record->places; /* contains seats at first, then places */
    for (uint32_t i = 0; i < record->players; i++) {
        uint32_t place = i;
        for (; place > 0; place--) {
            uint32_t front = seats[place - 1];
            if (ranks[front] < ranks[i] || (ranks[front] == ranks[i] && bots[front] < bots[i]))
                break;
            seats[place] = front;
        }
        seats[place] = i;
    }
    for (uint32_t i = record->players; i-- > 0;) {
        bool tied = i > 0 && ranks[seats[i - 1]] == ranks[seats[i]];
        assert(bots[seats[i]] < PLACE_TIED);
        record->places[i] = bots[seats[i]] | (tied ? PLACE_TIED : 0);
    }
}

const Result *results_add(Results *results, uint32_t players, const uint32_t *bots,
                          const uint32_t *ranks, uint64_t times) {
    if (results->count >= results->slot_count / 2)
        grow_slots(results);
    /* Append the new record; it is kept only if there is no equal one. */
    size_t size = record_size(players);
    memset(buffer_reserve(&results->records, size), 0, size);
    Result *record = record_at(results, results->records.length);
    record->players = players;
    order_places(record, bots, ranks);
    size_t *slot = &results->slots[find_slot(results, record)];
    if (*slot) {
        record = record_at(results, *slot - 1);
    } else {
        *slot = results->records.length + 1;
        results->records.length += size;
        results->count++;
    }
    record->times = times > UINT64_MAX - record->times ? UINT64_MAX : record->times + times;
    return record;
}

const Result *results_next(const Results *results, const Result *after) {
    size_t at = 0;
    if (after)
        at = (size_t)((const char *)after - results->records.data) + record_size(after->players);
    return at < results->records.length ? record_at(results, at) : NULL;
}
