/* What a figure measured several times comes to. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stdint.h>

typedef struct Stats {
    double median;
    double low;
    double high;
    uint32_t count;
} Stats;

/* Sorts the samples. At least one. */
Stats stats_of(double *samples, uint32_t count);

/* The value below which a share of the samples lies: 0.5 is the median, 0.99 what one in a hundred
   exceeds. `samples` are sorted. */
double stats_share(const double *samples, uint32_t count, double share);

#endif
