/* Ladder: rounds of the most informative fixtures, until the ratings are precise enough.

   A round is chosen from exactly the results of all rounds before the previous one, as soon as
   these are complete. So a round can start while the previous one finishes, and the order of
   results does not matter. Half of its fixtures go to the bots that have played least; the other
   half to the pairs with the highest information gain. Only opponents with similar ratings are
   considered, because other matches give little information. A bot that has fixtures pending counts
   less, because its rating will have changed by then. */
#include "base/memory.h"
#include "league/formats.h"
#include "league/rating.h"

#include "base/hash.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

enum {
    LADDER_BOTS_MAX = 5000, /* the matrix grows with the square, the time with the cube */
    FIXTURES_LEAST = 8,     /* in a round, so that a few bots can keep many runners busy */
    NEIGHBOURS = 24,        /* in each direction of the ranking */
};

typedef struct Ladder {
    Ratings *ratings;
    uint32_t fixtures;   /* in a round */
    uint32_t round;      /* the last one chosen, from 1 */
    uint32_t missing[2]; /* results missing in the last two rounds, by round % 2 */
    bool ended;          /* no more rounds */
    uint32_t *chosen;    /* by bot: its fixtures in all rounds */
    uint32_t *latest;    /* by bot: its fixtures in the round chosen last */
} Ladder;

/* A bot in the ranking. */
typedef struct RankedBot {
    double elo;
    uint32_t tie_break; /* random; orders equal ratings */
    uint32_t bot;
} RankedBot;

/* A round that is being put together. A pair is two places in the ranking, at most `window`
   apart. */
typedef struct Draft {
    const Schedule *schedule;
    uint32_t count;
    uint32_t window;
    RankedBot *ranked;
    uint32_t *busy;  /* by place: fixtures in this round and the previous one */
    double *gains;   /* count * window: the gain with the next place down, the one after it, ... */
    uint32_t *taken; /* with the same indices: how often the pair is in this round */
} Draft;

static int compare_ranked(const void *a, const void *b) {
    const RankedBot *left = a;
    const RankedBot *right = b;
    if (left->elo != right->elo)
        return left->elo > right->elo ? -1 : 1;
    return left->tie_break < right->tie_break ? -1 : 1;
}

static size_t pair_at(const Draft *draft, uint32_t a, uint32_t b) {
    uint32_t upper = a < b ? a : b;
    uint32_t lower = a < b ? b : a;
    assert(lower > upper && lower - upper <= draft->window);
    return (size_t)upper * draft->window + lower - upper - 1;
}

static Draft draft_new(const Schedule *schedule, Random *random) {
    const Ladder *ladder = schedule->state;
    uint32_t bots = schedule->options.bots;
    uint32_t wanted =
        schedule->options.players > NEIGHBOURS ? schedule->options.players : NEIGHBOURS;
    Draft draft = {.schedule = schedule,
                   .count = bots,
                   .window = wanted < bots - 1 ? wanted : bots - 1,
                   .ranked = xcalloc(bots, sizeof *draft.ranked),
                   .busy = xcalloc(bots, sizeof *draft.busy)};
    uint32_t *tie_breaks = xcalloc(bots, sizeof *tie_breaks);
    for (uint32_t i = 0; i < bots; i++)
        tie_breaks[i] = i;
    formats_shuffle(random, tie_breaks, bots);
    for (uint32_t i = 0; i < bots; i++)
        draft.ranked[i] = (RankedBot){ratings_elo(ladder->ratings, i), tie_breaks[i], i};
    free(tie_breaks);
    qsort(draft.ranked, bots, sizeof *draft.ranked, compare_ranked);
    draft.gains = xcalloc((size_t)bots * draft.window, sizeof *draft.gains);
    draft.taken = xcalloc((size_t)bots * draft.window, sizeof *draft.taken);
    for (uint32_t a = 0; a < bots; a++) {
        draft.busy[a] = ladder->latest[draft.ranked[a].bot];
        for (uint32_t b = a + 1; b < bots && b - a <= draft.window; b++) {
            double information =
                ratings_information_gain(ladder->ratings, draft.ranked[a].bot, draft.ranked[b].bot);
            draft.gains[pair_at(&draft, a, b)] =
                isfinite(information) && information > 0 ? information : 0;
        }
    }
    return draft;
}

static void draft_free(Draft *draft) {
    free(draft->ranked);
    free(draft->busy);
    free(draft->gains);
    free(draft->taken);
}

static double gain(const Draft *draft, uint32_t a, uint32_t b) {
    size_t pair = pair_at(draft, a, b);
    return draft->gains[pair] / (1.0 + draft->busy[a]) / (1.0 + draft->busy[b]) /
           (1.0 + draft->taken[pair]);
}

/* The place of the bot with the fewest fixtures; ties are broken at random. */
static uint32_t least_played(const Draft *draft) {
    const Ladder *ladder = draft->schedule->state;
    uint32_t best = 0;
    for (uint32_t i = 1; i < draft->count; i++) {
        uint32_t here = ladder->chosen[draft->ranked[i].bot];
        uint32_t there = ladder->chosen[draft->ranked[best].bot];
        if (here < there ||
            (here == there && draft->ranked[i].tie_break < draft->ranked[best].tie_break))
            best = i;
    }
    return best;
}

/* The upper place of the pair with the highest gain. */
static uint32_t most_informative(const Draft *draft) {
    uint32_t best = 0;
    double best_gain = -1;
    for (uint32_t a = 0; a < draft->count; a++)
        for (uint32_t b = a + 1; b < draft->count && b - a <= draft->window; b++) {
            double here = gain(draft, a, b);
            if (here > best_gain) {
                best = a;
                best_gain = here;
            }
        }
    return best;
}

/* Fills `places` after the first entry with the places that have the highest gain against it. */
static void choose_group(const Draft *draft, uint32_t players, uint32_t *places) {
    uint32_t centre = places[0];
    uint32_t top = centre > draft->window ? centre - draft->window : 0;
    for (uint32_t i = 1; i < players; i++) {
        double best_gain = -1;
        for (uint32_t b = top; b < draft->count && b <= centre + draft->window; b++) {
            bool there = false;
            for (uint32_t j = 0; j < i; j++)
                there |= places[j] == b;
            if (there || gain(draft, centre, b) <= best_gain)
                continue;
            best_gain = gain(draft, centre, b);
            places[i] = b;
        }
    }
}

/* Adds the fixture and updates the counts on which the next choice depends. */
static void add_group(Schedule *schedule, Draft *draft, uint32_t number, const uint32_t *places) {
    Ladder *ladder = schedule->state;
    uint32_t players = schedule->options.players;
    uint32_t bots[GAME_PLAYERS_MAX] = {0};
    for (uint32_t i = 0; i < players; i++) {
        bots[i] = draft->ranked[places[i]].bot;
        ladder->chosen[bots[i]]++;
        ladder->latest[bots[i]]++;
        draft->busy[places[i]]++;
        if (i > 0)
            draft->taken[pair_at(draft, places[0], places[i])]++;
    }
    schedule_add(schedule, number, ladder->round, players, bots);
}

static void choose_round(Schedule *schedule) {
    Ladder *ladder = schedule->state;
    ladder->round++;
    Random random = random_seeded(hash64_chain(schedule->options.seed, ladder->round));
    Draft draft = draft_new(schedule, &random);
    for (uint32_t i = 0; i < draft.count; i++)
        ladder->latest[i] = 0;
    for (uint32_t i = 0; i < ladder->fixtures; i++) {
        uint32_t places[GAME_PLAYERS_MAX] = {0};
        places[0] =
            i < (ladder->fixtures + 1) / 2 ? least_played(&draft) : most_informative(&draft);
        choose_group(&draft, schedule->options.players, places);
        add_group(schedule, &draft, (ladder->round - 1) * ladder->fixtures + i, places);
    }
    ladder->missing[ladder->round % 2] = ladder->fixtures;
    draft_free(&draft);
}

/* Adds the results of a complete round to the ratings. */
static void rate_round(Schedule *schedule, uint32_t round) {
    const Ladder *ladder = schedule->state;
    uint32_t first = (round - 1) * ladder->fixtures;
    for (uint32_t number = first; number < first + ladder->fixtures; number++) {
        const FixtureResult *result = schedule_known(schedule, number);
        for (uint32_t m = 0; m < result->matches; m++)
            ratings_add(ladder->ratings, result->players, result->bots,
                        result->ranks + (size_t)m * result->players, 1);
        schedule_forget(schedule, number);
    }
    /* If this fails, the next round uses the previous ratings. */
    (void)ratings_fit(ladder->ratings, NULL);
}

static bool precise_enough(const Schedule *schedule) {
    const Ladder *ladder = schedule->state;
    if (schedule->options.error <= 0)
        return false;
    for (uint32_t bot = 0; bot < schedule->options.bots; bot++)
        if (ratings_error(ladder->ratings, bot) > schedule->options.error)
            return false;
    return true;
}

/* Chooses rounds as long as the results that they depend on are complete. */
static void choose_rounds(Schedule *schedule) {
    Ladder *ladder = schedule->state;
    uint32_t most = schedule->options.rounds ? schedule->options.rounds : UINT32_MAX;
    uint32_t numbered = UINT32_MAX / ladder->fixtures;
    while (!ladder->ended) {
        /* The next round is round + 1, so it depends on round - 1. */
        if (ladder->round > 1 && ladder->missing[(ladder->round - 1) % 2] > 0)
            return;
        if (ladder->round > 1)
            rate_round(schedule, ladder->round - 1);
        ladder->ended =
            ladder->round >= most || ladder->round >= numbered || precise_enough(schedule);
        if (!ladder->ended)
            choose_round(schedule);
    }
}

static bool ladder_begin(Schedule *schedule, Error *error) {
    const ScheduleOptions *options = &schedule->options;
    if (options->bots > LADDER_BOTS_MAX)
        return error_set(error, "at most %u are allowed", (unsigned)LADDER_BOTS_MAX);
    Ladder *ladder = xcalloc(1, sizeof *ladder);
    schedule->state = ladder;
    ladder->ratings = ratings_new(options->bots);
    ladder->chosen = xcalloc(options->bots, sizeof *ladder->chosen);
    ladder->latest = xcalloc(options->bots, sizeof *ladder->latest);
    ladder->fixtures = options->bots / options->players;
    if (ladder->fixtures < FIXTURES_LEAST)
        ladder->fixtures = FIXTURES_LEAST;
    if (!ratings_fit(ladder->ratings, error))
        return false;
    choose_round(schedule);
    choose_rounds(schedule);
    return true;
}

static void ladder_end(void *state) {
    Ladder *ladder = state;
    ratings_free(ladder->ratings);
    free(ladder->chosen);
    free(ladder->latest);
}

static void ladder_add_result(Schedule *schedule, uint32_t number, const FixtureResult *result) {
    (void)result;
    Ladder *ladder = schedule->state;
    ladder->missing[(number / ladder->fixtures + 1) % 2]--;
    choose_rounds(schedule);
}

/* The same bots may meet several times in a round. With the same seed they would repeat the same
   match, which would count as new information. */
static uint32_t ladder_again(const Schedule *schedule, uint32_t number) {
    const Ladder *ladder = schedule->state;
    return number % ladder->fixtures;
}

/* The total is unknown if the ladder ends by its error. */
static uint32_t ladder_total(const Schedule *schedule) {
    const Ladder *ladder = schedule->state;
    uint64_t total = (uint64_t)schedule->options.rounds * ladder->fixtures;
    return schedule->options.error > 0 || total > UINT32_MAX ? 0 : (uint32_t)total;
}

const FormatRules format_ladder = {
    .keeps_results = true,
    .begin = ladder_begin,
    .add_result = ladder_add_result,
    .total = ladder_total,
    .again = ladder_again,
    .end = ladder_end,
};
