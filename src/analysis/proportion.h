/* Statistics of proportions: how precise a winning chance is that was estimated from a few
   matches. */
#ifndef ANALYSIS_PROPORTION_H
#define ANALYSIS_PROPORTION_H

typedef struct Chance {
    double value;
    double low; /* the 95% confidence interval */
    double high;
} Chance;

/* The chance estimated from `wins` in `count` matches, with Wilson's score interval. A win shared
   by several players may count as a fraction: the interval is then wider than necessary. `count`
   must not be 0. */
Chance proportion_chance(double wins, double count);

/* The probability of a difference this large or larger between the first share and the other one if
   both chances are equal: the one-sided p-value of the test of Agresti and Caffo. The test adds a
   win and a loss to each side, so that it holds its level even if chances are near 0 or 1, or there
   are few matches. */
double proportion_p_value(double wins, double count, double other_wins, double other_count);

#endif
