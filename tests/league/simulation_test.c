/* Simulated leagues and tests with known strengths: do the intervals have their coverage, and does
   the sequential test keep its error rates?

   Tolerances: a share measured over n independent trials is off by more than four times sqrt(p (1 -
   p) / n) once in 16,000. The intervals of the bots in one league are correlated, so a league
   counts as one and a half trials; the limits are wider than that. Seeds are fixed, so the results
   are reproducible. */
#include "league/rating.h"
#include "league/sprt.h"

#include "reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { SEED = 20261, LEAGUES = 300, BOTS = 10, BINS = 5 };

/* ---- leagues ---- */

typedef struct Setting {
    const char *name;
    uint32_t players; /* per match; 0: two and four alternately */
    uint32_t matches;
    double spread;                     /* standard deviation of the true strengths, in Elo points */
    double tie[REFERENCE_PLAYERS + 1]; /* weights of ties, not logarithms */
} Setting;

static const Setting settings[] = {
    {"two players", 2, 900, 200, {0, 1}},
    {"two players with draws", 2, 900, 200, {0, 1, 1.0}},
    {"two players, few matches", 2, 200, 200, {0, 1, 0.5}},
    {"four players", 4, 300, 200, {0, 1}},
    {"four players with ties", 4, 300, 200, {0, 1, 0.3, 0.2, 0.5}},
    {"two and four players", 0, 400, 200, {0, 1, 0.5}},
};

/* The counts over all leagues of a setting. */
typedef struct Tally {
    uint32_t intervals;
    uint32_t covered;
    double claimed[BINS]; /* claimed superiority, by its size */
    uint32_t right[BINS];
    uint32_t pairs[BINS];
} Tally;

/* Puts the numbers of all bots in random order. */
static void shuffle(Random *random, uint32_t bots[BOTS]) {
    for (uint32_t i = 0; i < BOTS; i++) {
        uint32_t j = random_below(random, i + 1);
        bots[i] = bots[j];
        bots[j] = i;
    }
}

static void play_league(const Setting *setting, Random *random, double *truth, Ratings *ratings) {
    double tie_weights[REFERENCE_PLAYERS + 1];
    double mean = 0;
    for (int i = 0; i <= REFERENCE_PLAYERS; i++)
        tie_weights[i] = log(setting->tie[i]);
    for (int i = 0; i < BOTS; i++) {
        truth[i] = setting->spread * reference_normal(random);
        mean += truth[i] / BOTS;
    }
    for (int i = 0; i < BOTS; i++)
        truth[i] -= mean;
    for (uint32_t match = 0; match < setting->matches; match++) {
        uint32_t players = setting->players ? setting->players : match % 2 ? 2 : 4;
        uint32_t bots[BOTS];
        uint32_t ranks[REFERENCE_PLAYERS];
        double strengths[REFERENCE_PLAYERS] = {0};
        shuffle(random, bots);
        for (uint32_t i = 0; i < players; i++)
            strengths[i] = truth[bots[i]] / REFERENCE_ELO;
        reference_draw(random, players, strengths, tie_weights, ranks);
        ratings_add(ratings, players, bots, ranks, 1);
    }
    Error error = {0};
    if (!ratings_fit(ratings, &error))
        fail_msg("%s", error.text);
}

static void count_league(const double *truth, const Ratings *ratings, Tally *tally) {
    for (uint32_t a = 0; a < BOTS; a++) {
        tally->intervals++;
        tally->covered += fabs(ratings_elo(ratings, a) - truth[a]) <= ratings_error(ratings, a);
        for (uint32_t b = 0; b < BOTS; b++) {
            double claim = ratings_superiority(ratings, a, b);
            if (a == b || claim < 0.5)
                continue;
            uint32_t bin = (uint32_t)((claim - 0.5) * 2 * BINS);
            bin = bin < BINS ? bin : BINS - 1;
            tally->pairs[bin]++;
            tally->claimed[bin] += claim;
            tally->right[bin] += truth[a] > truth[b];
        }
    }
}

static void check_setting(const Setting *setting, uint64_t seed) {
    Random random = random_seeded(seed);
    Tally tally = {0};
    for (int league = 0; league < LEAGUES; league++) {
        double truth[BOTS];
        Ratings *ratings = ratings_new(BOTS);
        play_league(setting, &random, truth, ratings);
        count_league(truth, ratings, &tally);
        ratings_free(ratings);
    }
    double coverage = (double)tally.covered / tally.intervals;
    printf("%-26s 95%% intervals cover %.1f%%; superiority claimed/right:", setting->name,
           100 * coverage);
    for (int bin = 0; bin < BINS; bin++)
        if (tally.pairs[bin])
            printf(" %.2f/%.2f (%u)", tally.claimed[bin] / tally.pairs[bin],
                   (double)tally.right[bin] / tally.pairs[bin], tally.pairs[bin]);
    printf("\n");
    assert_true(coverage > 0.93 && coverage < 0.97);
    for (int bin = 0; bin < BINS; bin++) {
        if (tally.pairs[bin] < 100)
            continue;
        double claimed = tally.claimed[bin] / tally.pairs[bin];
        double right = (double)tally.right[bin] / tally.pairs[bin];
        double tolerance = 0.01 + 4 * sqrt(claimed * (1 - claimed) / tally.pairs[bin]);
        assert_true(fabs(claimed - right) < tolerance);
    }
}

static void intervals_have_the_stated_coverage(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        check_setting(&settings[i], SEED + i);
}

/* Ties that do not follow the model: with probability `tied`, the game cannot separate two
   neighbours, whatever their strengths. Returns by how much this compresses 600 points of
   rating. */
static double compression_by(double tied, Random *random) {
    enum { MATCHES = 20000, PLAYERS = 4 };
    double no_ties[REFERENCE_PLAYERS + 1];
    for (int i = 0; i <= REFERENCE_PLAYERS; i++)
        no_ties[i] = i == 1 ? 0 : -INFINITY;
    Ratings *ratings = ratings_new(BOTS);
    for (int match = 0; match < MATCHES; match++) {
        uint32_t bots[BOTS];
        uint32_t order[PLAYERS];
        uint32_t ranks[PLAYERS];
        double strengths[REFERENCE_PLAYERS] = {0};
        shuffle(random, bots);
        for (uint32_t i = 0; i < PLAYERS; i++)
            strengths[i] = (600.0 * bots[i] / (BOTS - 1) - 300) / REFERENCE_ELO;
        reference_draw(random, PLAYERS, strengths, no_ties, order); /* all ranks are different */
        for (uint32_t rank = 1, shown = 1; rank <= PLAYERS; rank++) {
            shown = rank > 1 && reference_uniform(random) < tied ? shown : rank;
            for (uint32_t i = 0; i < PLAYERS; i++)
                if (order[i] == rank)
                    ranks[i] = shown;
        }
        ratings_add(ratings, PLAYERS, bots, ranks, 1);
    }
    Error error = {0};
    if (!ratings_fit(ratings, &error))
        fail_msg("%s", error.text);
    double spread = ratings_elo(ratings, BOTS - 1) - ratings_elo(ratings, 0);
    for (uint32_t i = 1; i < BOTS; i++)
        assert_true(ratings_elo(ratings, i) > ratings_elo(ratings, i - 1));
    ratings_free(ratings);
    return 1 - spread / 600;
}

static void random_ties_compress_ratings_only_slightly(void **unused) {
    (void)unused;
    static const double tied[] = {0, 0.1, 0.3};
    static const double known[] = {0, 0.03, 0.08};
    Random random = random_seeded(SEED + 50);
    for (size_t i = 0; i < sizeof tied / sizeof *tied; i++) {
        double pressed = compression_by(tied[i], &random);
        printf("neighbours tied at random in %.0f%%: ratings are compressed by %.1f%%\n",
               100 * tied[i], 100 * pressed);
        assert_true(fabs(pressed - known[i]) < 0.015);
    }
}

/* ---- the sequential test ---- */

static int trials = 3000; /* for each bound of a base; a quarter of that if its tests are long */

/* The distribution of pairs between equal bots; for lopsided bases, about that between bots whose
   difference lies between the bounds. */
typedef struct Base {
    const char *name;
    double share[5];
    double elo0;
    double elo1;
    double alpha;
    double beta;
    uint32_t pairs_limit; /* limit of the mean number of pairs */
} Base;

static const Base bases[] = {
    {"few draws", {0.20, 0.10, 0.40, 0.10, 0.20}, 0, 20, 0.05, 0.05, 850},
    {"many draws", {0.02, 0.13, 0.70, 0.13, 0.02}, 0, 20, 0.05, 0.05, 230},
    {"no draws", {0.25, 0, 0.50, 0, 0.25}, 0, 20, 0.05, 0.05, 950},
    {"the seat decides", {0.02, 0, 0.96, 0, 0.02}, 0, 20, 0.05, 0.05, 150},
    {"the seat decides, narrow", {0.02, 0, 0.96, 0, 0.02}, 0, 8, 0.05, 0.05, 620},
    {"the seat decides nearly all", {0.002, 0, 0.996, 0, 0.002}, 0, 20, 0.05, 0.05, 120},
    {"nearly all are draws", {0, 0.01, 0.98, 0.01, 0}, 0, 5, 0.05, 0.05, 450},
    {"both matches of a pair have the same result", {0.50, 0, 0, 0, 0.50}, 0, 20, 0.05, 0.05, 1900},
    {"wide bounds", {0.20, 0.10, 0.40, 0.10, 0.20}, 0, 100, 0.05, 0.05, 45},
    {"very wide bounds, no draws", {0.25, 0, 0.50, 0, 0.25}, 0, 200, 0.05, 0.05, 18},
    {"lopsided", {0.01, 0.02, 0.07, 0.20, 0.70}, 330, 370, 0.05, 0.05, 520},
    {"very lopsided", {0.001, 0.001, 0.008, 0.03, 0.96}, 700, 800, 0.05, 0.05, 760},
    {"lopsided the other way", {0.70, 0.20, 0.07, 0.02, 0.01}, -370, -330, 0.05, 0.05, 520},
    {"uneven errors", {0.20, 0.10, 0.40, 0.10, 0.20}, -5, 25, 0.01, 0.10, 600},
    {"0 to 10", {0.20, 0.10, 0.40, 0.10, 0.20}, 0, 10, 0.05, 0.05, 3300},
    {"0 to 5, many draws", {0.02, 0.13, 0.70, 0.13, 0.02}, 0, 5, 0.05, 0.05, 3300},
    {"non-inferiority, many draws", {0.02, 0.13, 0.70, 0.13, 0.02}, -5, 0, 0.05, 0.05, 3300},
};

/* The distribution nearest to the base with the right mean: each share times exp(tilt x points). */
static void tilt_to(const double *base, double elo, double *share) {
    double mean = 1 / (1 + exp(-elo / REFERENCE_ELO));
    double low = -60;
    double high = 60;
    for (int round = 0; round < 200; round++) {
        double tilt = (low + high) / 2;
        double sum = 0;
        double points = 0;
        for (int i = 0; i < 5; i++) {
            share[i] = base[i] * exp(tilt * (i / 4.0 - 0.5));
            sum += share[i];
            points += share[i] * i / 4.0;
        }
        for (int i = 0; i < 5; i++)
            share[i] /= sum;
        *(points / sum < mean ? &low : &high) = tilt;
    }
}

static int draw_outcome(const double *share, Random *random) {
    double rest = reference_uniform(random);
    int outcome = 0;
    while (outcome < 4 && (rest -= share[outcome]) >= 0)
        outcome++;
    return outcome;
}

/* Runs one test until its verdict and counts the pairs. */
static SprtVerdict run_sequence(const Base *base, const double *share, Random *random,
                                uint64_t *pairs) {
    Sprt sprt = {.elo0 = base->elo0, .elo1 = base->elo1, .alpha = base->alpha, .beta = base->beta};
    for (; sprt.verdict == SPRT_UNDECIDED; (*pairs)++)
        sprt_add(&sprt, draw_outcome(share, random));
    return sprt.verdict;
}

static void check_base(const Base *base, uint64_t seed) {
    Random random = random_seeded(seed);
    int runs = base->pairs_limit > 1500 ? trials / 4 : trials;
    double wrong[2];
    double mean_pairs[2];
    for (int side = 0; side < 2; side++) {
        double share[5];
        uint64_t pairs = 0;
        uint32_t errors = 0;
        tilt_to(base->share, side ? base->elo1 : base->elo0, share);
        for (int trial = 0; trial < runs; trial++)
            errors += run_sequence(base, share, &random, &pairs) !=
                      (side ? SPRT_ACCEPTS_ELO1 : SPRT_ACCEPTS_ELO0);
        wrong[side] = (double)errors / runs;
        mean_pairs[side] = (double)pairs / runs;
    }
    printf("%-27s elo %g to %g: elo0 true: %.2f%% wrong (alpha %.0f%%), %.0f pairs; elo1 true: "
           "%.2f%% wrong (beta %.0f%%), %.0f pairs\n",
           base->name, base->elo0, base->elo1, 100 * wrong[0], 100 * base->alpha, mean_pairs[0],
           100 * wrong[1], 100 * base->beta, mean_pairs[1]);
    fflush(stdout);
    assert_true(wrong[0] <= base->alpha + 4 * sqrt(base->alpha * (1 - base->alpha) / runs));
    assert_true(wrong[1] <= base->beta + 4 * sqrt(base->beta * (1 - base->beta) / runs));
    assert_true(mean_pairs[0] < base->pairs_limit && mean_pairs[1] < base->pairs_limit);
}

/* Nine points in ten are 382 Elo points, far above the bound of 20. */
static void a_clear_difference_takes_few_pairs(void **unused) {
    (void)unused;
    Random random = random_seeded(SEED + 150);
    for (size_t i = 0; i < 4; i++) {
        double share[5];
        uint64_t pairs = 0;
        tilt_to(bases[i].share, 382, share);
        for (int trial = 0; trial < trials; trial++)
            run_sequence(&bases[i], share, &random, &pairs);
        printf("%s, 90%% of the points: %.1f pairs\n", bases[i].name, (double)pairs / trials);
        assert_true((double)pairs / trials < 20);
    }
}

static void the_sequential_test_keeps_its_error_rates(void **unused) {
    (void)unused;
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
        check_base(&bases[i], SEED + 100 + i);
}

/* The coverage of the estimate's interval for a fixed number of pairs. */
static double coverage_of(const Base *base, double elo, uint32_t pairs, Random *random) {
    enum { TRIALS = 3000 };
    double share[5];
    uint32_t covered = 0;
    tilt_to(base->share, elo, share);
    for (int trial = 0; trial < TRIALS; trial++) {
        Sprt sprt = {.elo0 = 0, .elo1 = 5};
        for (uint32_t pair = 0; pair < pairs; pair++)
            sprt.pairs[draw_outcome(share, random)]++;
        SprtEstimate estimate = sprt_estimate(&sprt);
        covered += estimate.elo_low <= elo && elo <= estimate.elo_high;
    }
    double coverage = (double)covered / TRIALS;
    printf("%s, true elo %g, %u pairs: the interval covers it %.1f%%\n", base->name, elo, pairs,
           100 * coverage);
    return coverage;
}

static void the_estimate_has_the_stated_coverage_even_for_skewed_pairs(void **unused) {
    (void)unused;
    static const double elos[] = {0, 100, 350, 700, 1000};
    Random random = random_seeded(SEED + 200);
    for (size_t i = 0; i < sizeof elos / sizeof *elos; i++)
        for (uint32_t pairs = 50; pairs <= 800; pairs *= 4)
            assert_true(coverage_of(&bases[0], elos[i], pairs, &random) > 0.93);
    /* Only four pairs in a hundred are decisive: eight of two hundred, too few for a normal
       distribution. */
    for (int elo = 0; elo <= 10; elo += 10)
        for (uint32_t pairs = 200; pairs <= 800; pairs *= 4)
            assert_true(coverage_of(&bases[3], elo, pairs, &random) > 0.93);
}

/* The argument is the number of tests of each kind; docs/ratings.md has the results for 20,000. */
int main(int count, char **arguments) {
    if (count > 1)
        trials = (int)strtol(arguments[1], NULL, 10);
    printf("seed %d\n", SEED);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(intervals_have_the_stated_coverage),
        cmocka_unit_test(random_ties_compress_ratings_only_slightly),
        cmocka_unit_test(the_sequential_test_keeps_its_error_rates),
        cmocka_unit_test(a_clear_difference_takes_few_pairs),
        cmocka_unit_test(the_estimate_has_the_stated_coverage_even_for_skewed_pairs),
    };
    return cmocka_run_group_tests_name("simulation", tests, NULL, NULL);
}
