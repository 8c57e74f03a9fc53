/* See stats.h. */
#include "stats.h"

#include <assert.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

Stats stats_of(double *samples, uint32_t count) {
    assert(count > 0);
    qsort(samples, count, sizeof *samples, compare);
    return (Stats){
        .median = stats_share(samples, count, 0.5),
        .low = samples[0],
        .high = samples[count - 1],
        .count = count,
    };
}

double stats_share(const double *samples, uint32_t count, double share) {
    assert(count > 0 && share >= 0 && share <= 1);
    double at = share * (count - 1);
    uint32_t below = (uint32_t)at;
    uint32_t above = below + 1 < count ? below + 1 : below;
    return samples[below] + (samples[above] - samples[below]) * (at - below);
}
