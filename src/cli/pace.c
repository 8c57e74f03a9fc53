/* See pace.h. */
#include "cli/pace.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { COMMON_MIN = 8 }; /* turns */

/* Smaller differences are noise. */
static const double noise_ratio = 1.25;
static const double noise_ms = 0.05;

void pace_free(Pace *pace) {
    free(pace->turns);
    *pace = (Pace){0};
}

void pace_add(Pace *pace, int64_t cpu, int64_t wall) {
    /* All times are of one kind: times before the first measured CPU time are discarded. */
    for (uint32_t i = 0; cpu > 0 && !pace->cpu && i < pace->count; i++)
        pace->turns[i] = 0;
    pace->cpu = pace->cpu || cpu > 0;
    if ((pace->count & (pace->count + 1)) == 0) /* full: 0, 1, 3, 7, ... */
        pace->turns = xreallocarray(pace->turns, 2 * (size_t)pace->count + 1, sizeof *pace->turns);
    pace->turns[pace->count++] = pace->cpu ? cpu : wall;
}

static int by_size(const void *a, const void *b) {
    const int64_t *x = a;
    const int64_t *y = b;
    return (*x > *y) - (*x < *y);
}

/* The median in milliseconds of the turns from the second to number `count`. */
static double median_ms(const Pace *pace, uint32_t count) {
    uint32_t used = count - 1;
    int64_t *sorted = xcalloc(used, sizeof *sorted);
    memcpy(sorted, pace->turns + 1, used * sizeof *sorted);
    qsort(sorted, used, sizeof *sorted, by_size);
    /* if there is one in the middle, twice its value */
    int64_t both = sorted[(used - 1) / 2] + sorted[used / 2];
    free(sorted);
    return (double)both / 2 / 1e6;
}

/* Whether three of four turns differ in the same direction as the medians do. */
static bool most_turns_agree(const Pace *before, const Pace *now, uint32_t common, bool slower) {
    uint32_t agree = 0;
    for (uint32_t i = 1; i < common; i++)
        agree += slower ? now->turns[i] > before->turns[i] : now->turns[i] < before->turns[i];
    return 4 * (uint64_t)agree >= 3 * (uint64_t)(common - 1);
}

static void write_change(const Pace *before, const Pace *now, uint32_t common, Buffer *to) {
    double old_ms = median_ms(before, common);
    double new_ms = median_ms(now, common);
    bool slower = new_ms > old_ms;
    double ratio = slower ? new_ms / old_ms : old_ms / new_ms;
    if (fabs(new_ms - old_ms) < noise_ms || ratio < noise_ratio ||
        !most_turns_agree(before, now, common, slower))
        buffer_text(to, ", as fast as before");
    else if (ratio >= 2)
        buffer_format(to, ", %.1f times %s", ratio, slower ? "slower" : "faster");
    else
        buffer_format(to, ", %.0f%% %s", 100 * (ratio - 1), slower ? "slower" : "faster");
}

void pace_write(const Pace *before, const Pace *now, Buffer *to) {
    uint32_t common = before->count < now->count ? before->count : now->count;
    if (now->count < 2)
        return;
    double typical = median_ms(now, now->count);
    buffer_format(to, "%.*f ms per turn", typical < 10 ? 2 : 1, typical);
    if (common > COMMON_MIN && before->cpu == now->cpu)
        write_change(before, now, common, to);
}
