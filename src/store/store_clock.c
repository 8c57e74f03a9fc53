/* See store_clock.h; store_now is declared in store.h. */
#include "store/store_clock.h"

#include "base/clock.h"
#include "store/internal.h"
#include "store/store.h"

#include <stdlib.h>
#include <time.h>

enum {
    COMPARE_MS = 5000,
    /* With a longer round trip, it is too uncertain when the server read its clock. */
    ANSWER_MS = 500,
};

static int64_t machine_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_REALTIME, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int64_t monotonic_ms(void) {
    return clock_now() / CLOCK_MS;
}

void store_clock_init(StoreClock *clock, int64_t (*now)(void), bool shared) {
    clock->now = now ? now : shared ? NULL : machine_now;
    clock->ahead = machine_now() - monotonic_ms(); /* until the first comparison */
    clock->next_comparison = 0;
}

int64_t store_now(const Store *store) {
    const StoreClock *clock = &store->clock;
    return clock->now ? clock->now() : monotonic_ms() + atomic_load(&clock->ahead);
}

void store_clock_follow(StoreClock *clock, Database *database) {
    int64_t due = atomic_load(&clock->next_comparison);
    int64_t before = clock_now();
    /* Only one thread makes the comparison. */
    if (clock->now || before < due ||
        !atomic_compare_exchange_strong(&clock->next_comparison, &due,
                                        before + COMPARE_MS * CLOCK_MS))
        return;
    int64_t server = database_query_number(
        database, "SELECT CAST(extract(epoch FROM clock_timestamp()) * 1000 AS BIGINT)");
    int64_t took = (clock_now() - before) / CLOCK_MS;
    int64_t ahead = server - before / CLOCK_MS - took / 2;
    bool exact = took <= ANSWER_MS;
    /* Even a slow answer is better than an offset that is wrong by more than the round trip. */
    if (server > 0 && (exact || llabs(ahead - atomic_load(&clock->ahead)) > took))
        atomic_store(&clock->ahead, ahead);
    if (server <= 0 || !exact)
        atomic_store(&clock->next_comparison, 0);
}
