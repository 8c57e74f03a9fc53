/* A reference implementation of the rating model that follows its definition literally: it
   considers every set of bots that may come next. For up to REFERENCE_PLAYERS players: the
   probability of a result, and random results. Strengths are logarithms; tie_weights[k] is the
   logarithm of the weight of a tie of k, with tie_weights[1] = 0, and -INFINITY for impossible
   ties. */
#ifndef TESTS_LEAGUE_REFERENCE_H
#define TESTS_LEAGUE_REFERENCE_H

#include "base/random.h"

#include <math.h>
#include <stdint.h>

enum { REFERENCE_PLAYERS = 8 };

#define REFERENCE_ELO (400 / log(10))

/* A random number in [0, 1). */
static inline double reference_uniform(Random *random) {
    return (double)(random_next(random) >> 11) / 9007199254740992.0;
}

/* A random number from the standard normal distribution. */
static inline double reference_normal(Random *random) {
    double radius = sqrt(-2 * log(1 - reference_uniform(random)));
    return radius * cos(2 * acos(-1) * reference_uniform(random));
}

/* The weight of the set of players `chosen` (one bit each) among those `left`. */
static inline double reference_weight(uint32_t chosen, uint32_t left, const double *strengths,
                                      const double *tie_weights) {
    double sum = 0;
    double sum_left = 0;
    int size = 0;
    int size_left = 0;
    for (uint32_t i = 0; i < REFERENCE_PLAYERS; i++) {
        if (chosen >> i & 1) {
            sum += strengths[i];
            size++;
        }
        if (left >> i & 1) {
            sum_left += strengths[i];
            size_left++;
        }
    }
    return exp(tie_weights[size] + sum - (size - 1) * sum_left / size_left);
}

static inline double reference_total(uint32_t left, const double *strengths,
                                     const double *tie_weights) {
    double total = 0;
    for (uint32_t chosen = left; chosen; chosen = (chosen - 1) & left)
        total += reference_weight(chosen, left, strengths, tie_weights);
    return total;
}

/* The logarithm of the probability of these ranks. */
static inline double reference_log(uint32_t players, const double *strengths, const uint32_t *ranks,
                                   const double *tie_weights) {
    uint32_t left = (1U << players) - 1;
    double sum = 0;
    while (left) {
        uint32_t best = UINT32_MAX;
        uint32_t chosen = 0;
        for (uint32_t i = 0; i < players; i++) {
            if (!(left >> i & 1) || ranks[i] > best)
                continue;
            chosen = ranks[i] < best ? 1U << i : chosen | 1U << i;
            best = ranks[i];
        }
        sum += log(reference_weight(chosen, left, strengths, tie_weights) /
                   reference_total(left, strengths, tie_weights));
        left &= ~chosen;
    }
    return sum;
}

/* Draws random ranks. */
static inline void reference_draw(Random *random, uint32_t players, const double *strengths,
                                  const double *tie_weights, uint32_t *ranks) {
    uint32_t left = (1U << players) - 1;
    uint32_t rank = 1;
    while (left) {
        double rest = reference_uniform(random) * reference_total(left, strengths, tie_weights);
        uint32_t chosen = left;
        for (uint32_t set = left; set; set = (set - 1) & left) {
            double weight = reference_weight(set, left, strengths, tie_weights);
            if (weight > 0)
                chosen = set;
            rest -= weight;
            if (rest < 0)
                break;
        }
        uint32_t tied = 0;
        for (uint32_t i = 0; i < players; i++)
            if (chosen >> i & 1) {
                ranks[i] = rank;
                tied++;
            }
        rank += tied;
        left &= ~chosen;
    }
}

#endif
