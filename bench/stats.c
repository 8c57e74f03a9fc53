/* See stats.h. */
#include "stats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

static int compare(const void *left, const void *right) {
    double a = *(const double *)left;
    double b = *(const double *)right;
    return (a > b) - (a < b);
}

Stats stats_of(double *samples, uint32_t count) {
    assert(count > 0);
    qsort(samples, count, sizeof *samples, compare);
    /* The number of samples below the true median is binomial, so its confidence limits are two of
       the samples. */
    double spread = 0.98 * sqrt(count);
    double below = floor((count - 1) / 2.0 - spread);
    uint32_t first = below > 0 ? (uint32_t)below : 0;
    return (Stats){
        .median = stats_share(samples, count, 0.5),
        .from = samples[first],
        .to = samples[count - 1 - first],
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
