/* Statistics of shares: how sure a winning chance is that a few matches give. */
#ifndef ANALYSIS_PROPORTION_H
#define ANALYSIS_PROPORTION_H

typedef struct Chance {
    double value;
    double low; /* the 95% confidence interval */
    double high;
} Chance;

/* The chance behind `wins` in `count` matches, with Wilson's score interval. A win shared by
   several players may count as a fraction: the interval is then wider than needed. `count` is not
   0. */
Chance proportion_chance(double wins, double count);

/* How likely a share this much higher than the other, or more, is if both chances are equal: the
   one-sided p-value of the test of Agresti and Caffo. They add a win and a loss to each side, which
   makes the test hold its level also where chances are near 0 or 1, or matches few. */
double proportion_p_value(double wins, double count, double other_wins, double other_count);

#endif
