/* Statistics of a figure that was measured several times. */
#ifndef BENCH_STATS_H
#define BENCH_STATS_H

#include <stdint.h>

typedef struct Stats {
    double median;
    double low;  /* the lowest sample */
    double high; /* the highest */
    double from; /* with 95% confidence the median lies between these two */
    double to;
    uint32_t count;
} Stats;

/* Sorts the samples, of which there must be at least one. */
Stats stats_of(double *samples, uint32_t count);

/* The quantile of sorted samples: 0.5 is the median; one sample in a hundred exceeds that of
   0.99. */
double stats_share(const double *samples, uint32_t count, double share);

#endif
