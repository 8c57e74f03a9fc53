/* See plackett_luce.h. The weights of sets of one and two bots are summed directly. For larger
   sets, the sums over all sets of size k that contain two given bots are elementary symmetric
   polynomials, built by adding one bot at a time: only sums and products of positive numbers, so no
   precision is lost by cancellation. This takes time proportional to k times the square of the
   number of bots. */
#include "league/plackett_luce.h"

#include "base/memory.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

RankingStage *ranking_stage_new(uint32_t bots, uint32_t ties) {
    /* One block for mean, covariance, tie_share and tie_cross; then the scratch space: roots,
       sorted strengths, weights of single bots and of pairs, and polynomials for each bot and for
       the current one. */
    size_t square = (size_t)bots * bots;
    size_t scratch = 3 * (size_t)bots + square + (size_t)(bots + 2) * (bots + 1);
    size_t doubles = bots + square + ties + (size_t)ties * bots + scratch;
    RankingStage *stage = xcalloc(1, sizeof *stage + doubles * sizeof(double));
    stage->mean = (double *)(void *)(stage + 1);
    stage->covariance = stage->mean + bots;
    stage->tie_share = stage->covariance + square;
    stage->tie_cross = stage->tie_share + ties;
    stage->scratch = stage->tie_cross + (size_t)ties * bots;
    return stage;
}

void ranking_stage_free(RankingStage *stage) {
    free(stage);
}

/* Adds a bot to a polynomial, of which the coefficients up to `degree` are needed. */
static void add_root(double *polynomial, uint32_t degree, double root) {
    for (uint32_t power = degree; power > 0; power--)
        polynomial[power] += root * polynomial[power - 1];
}

/* Computes together[i, j] for i < j: the sum of the weights of all sets of `size` (3 or more) that
   contain i and j. `root` is each bot's factor in the weight of a set. */
static void sum_large_sets(uint32_t bots, uint32_t size, const double *root, double *together,
                           double *polynomials) {
    uint32_t degree = size - 2;
    uint32_t stride = bots + 1;
    double *front = polynomials + (size_t)bots * stride; /* bots before j, without i */
    memset(polynomials, 0, (size_t)bots * stride * sizeof *polynomials);
    for (uint32_t j = bots; j-- > 0;) { /* the bots after each bot */
        double *behind = polynomials + (size_t)j * stride;
        if (j + 1 == bots) {
            behind[0] = 1;
            continue;
        }
        memcpy(behind, behind + stride, (degree + 1) * sizeof *behind);
        add_root(behind, degree, root[j + 1]);
    }
    for (uint32_t i = 0; i < bots; i++) {
        memset(front, 0, (degree + 1) * sizeof *front);
        front[0] = 1;
        for (uint32_t j = 0; j < bots; j++) {
            if (j == i)
                continue;
            if (j > i) {
                const double *behind = polynomials + (size_t)j * stride;
                double sum = 0;
                for (uint32_t power = 0; power <= degree; power++)
                    sum += front[power] * behind[degree - power];
                together[i * bots + j] = root[i] * root[j] * sum;
            }
            add_root(front, degree, root[j]);
        }
    }
}

/* Adds the weights of all sets of one size: for each bot to `mean`, for each pair to `covariance`
   above the diagonal, and to the share and cross moments of the size. The results are not
   normalised yet. Returns the sum of the weights. */
static double add_sets(RankingStage *stage, uint32_t bots, uint32_t size, double weight,
                       const double *root, double *cross) {
    double *together = stage->scratch + 3 * (size_t)bots;
    if (size > 2)
        sum_large_sets(bots, size, root, together, together + (size_t)bots * bots);
    for (uint32_t i = 0; i < bots; i++)
        cross[i] = 0;
    for (uint32_t i = 0; i < bots; i++)
        for (uint32_t j = i + 1; j < bots; j++) {
            double sum = weight * (size > 2 ? together[i * bots + j] : root[i] * root[j]);
            stage->covariance[i * bots + j] += sum;
            cross[i] += sum;
            cross[j] += sum;
        }
    double total = 0;
    for (uint32_t i = 0; i < bots; i++) {
        /* Each set with the bot was counted once for each of its size - 1 others. */
        cross[i] /= size - 1;
        stage->mean[i] += cross[i];
        total += cross[i] / size;
    }
    return total;
}

/* The logarithm of the largest weight of a set of this size, which consists of the strongest
   bots. */
static double heaviest(const TieWeights *ties, uint32_t tie, const double *sorted, double middle) {
    double sum = ties->weights[tie] + middle;
    for (uint32_t i = 0; i < ties->sizes[tie]; i++)
        sum += sorted[i] - middle;
    return sum;
}

/* Adds the sets of all sizes, scaled so that the largest weight is 1: none overflows, and not all
   underflow. Returns the sum, and the logarithm of the scale. */
static double add_all_sets(RankingStage *stage, uint32_t bots, const double *strengths,
                           const TieWeights *ties, double *scale) {
    double *root = stage->scratch;
    double *sorted = root + bots;
    double middle = 0;
    for (uint32_t i = 0; i < bots; i++) {
        uint32_t place = i;
        for (; place > 0 && sorted[place - 1] < strengths[i]; place--)
            sorted[place] = sorted[place - 1];
        sorted[place] = strengths[i];
        middle += strengths[i] / bots;
    }
    *scale = sorted[0];
    for (uint32_t tie = 0; tie < ties->count && ties->sizes[tie] <= bots; tie++) {
        double weight = heaviest(ties, tie, sorted, middle);
        *scale = weight > *scale ? weight : *scale;
    }
    double total = 0;
    double *alone = sorted + bots;
    for (uint32_t i = 0; i < bots; i++) {
        alone[i] = exp(strengths[i] - sorted[0]);
        stage->mean[i] = alone[i];
        total += alone[i];
    }
    if (*scale > sorted[0]) {
        double factor = exp(sorted[0] - *scale);
        for (uint32_t i = 0; i < bots; i++)
            stage->mean[i] *= factor;
        total *= factor;
    }
    for (uint32_t tie = 0; tie < ties->count && ties->sizes[tie] <= bots; tie++) {
        uint32_t size = ties->sizes[tie];
        /* Roots are relative to the mean of the strongest bots, so that the largest product is
           1. */
        double below = 0;
        for (uint32_t i = 0; i < size; i++)
            below += (sorted[0] - sorted[i]) / size;
        double factor = exp(below);
        for (uint32_t i = 0; i < bots; i++)
            root[i] = alone[i] * factor;
        double weight = exp(heaviest(ties, tie, sorted, middle) - *scale);
        stage->tie_share[tie] =
            add_sets(stage, bots, size, weight, root, stage->tie_cross + (size_t)tie * bots);
        total += stage->tie_share[tie];
    }
    return total;
}

/* Turns the sums of weights of bots, pairs and sizes into the moments of the bots' parts. */
static void take_moments(RankingStage *stage, uint32_t bots, const TieWeights *ties) {
    /* The covariance of a bot's membership with the amount that is subtracted from all parts. */
    double *leaning = stage->scratch;
    double off = 0;
    double off_square = 0;
    memset(leaning, 0, bots * sizeof *leaning);
    for (uint32_t tie = 0; tie < ties->count; tie++) {
        double taken = (ties->sizes[tie] - 1.0) / bots;
        off += stage->tie_share[tie] * taken;
        off_square += stage->tie_share[tie] * taken * taken;
        for (uint32_t i = 0; i < bots; i++) {
            double *cross = &stage->tie_cross[(size_t)tie * bots + i];
            *cross -= stage->tie_share[tie] * stage->mean[i];
            leaning[i] += *cross * taken;
        }
    }
    /* The parts of all bots add up to 1, so each row of covariances adds up to 0. If the outcome is
       almost certain, this is more precise than 1 - mean. */
    for (uint32_t i = 0; i < bots; i++)
        stage->covariance[i * bots + i] = 0;
    for (uint32_t i = 0; i < bots; i++)
        for (uint32_t j = i + 1; j < bots; j++) {
            double covariance = stage->covariance[i * bots + j] - stage->mean[i] * stage->mean[j] -
                                leaning[i] - leaning[j] + (off_square - off * off);
            stage->covariance[i * bots + j] = stage->covariance[j * bots + i] = covariance;
            stage->covariance[i * bots + i] -= covariance;
            stage->covariance[j * bots + j] -= covariance;
        }
    for (uint32_t tie = 0; tie < ties->count; tie++)
        for (uint32_t i = 0; i < bots; i++)
            stage->tie_cross[(size_t)tie * bots + i] -=
                stage->tie_share[tie] * ((ties->sizes[tie] - 1.0) / bots - off);
    for (uint32_t i = 0; i < bots; i++)
        stage->mean[i] -= off;
}

void ranking_stage_compute(RankingStage *stage, uint32_t bots, const double *strengths,
                           const TieWeights *ties) {
    double scale = 0;
    memset(stage->covariance, 0, (size_t)bots * bots * sizeof *stage->covariance);
    memset(stage->tie_share, 0, ties->count * sizeof *stage->tie_share);
    memset(stage->tie_cross, 0, (size_t)ties->count * bots * sizeof *stage->tie_cross);
    double total = add_all_sets(stage, bots, strengths, ties, &scale);
    stage->log_total = scale + log(total);
    for (uint32_t i = 0; i < bots; i++) {
        stage->mean[i] /= total;
        for (uint32_t j = i + 1; j < bots; j++)
            stage->covariance[i * bots + j] /= total;
    }
    for (uint32_t tie = 0; tie < ties->count; tie++) {
        stage->tie_share[tie] /= total;
        for (uint32_t i = 0; i < bots; i++)
            stage->tie_cross[(size_t)tie * bots + i] /= total;
    }
    take_moments(stage, bots, ties);
}
