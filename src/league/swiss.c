/* Swiss: rounds in which bots with equal points meet, without rematches.

   A fixture is won, drawn or lost as a whole, by the points over all its matches: two half points
   for each opponent beaten, one for each tie. A bye counts as a win over a full fixture.

   For two players, the pairing is exact. From the top, each bot gets its preferred opponent (equal
   points, upper half against lower half), provided that the rest can still be paired without
   rematches, which pairing.c decides exactly. If rematches are unavoidable, there are as few as
   possible. In pairing.c's graph, the bye is a vertex joined to all bots, and so is each place for
   a bot that needs a rematch.

   For more players, a round is a partition into groups. Minimising rematches exactly is hard, so a
   local search exchanges bots between groups, from several starting points. */
#include "base/memory.h"
#include "league/formats.h"

#include "base/hash.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

enum {
    SWISS_BOTS_MAX = 10000, /* the table of meetings grows with the square */
    ROUNDS_LEAST = 3,       /* unless all bots have met by then */
    SEARCH_EFFORT = 200000, /* starts of the search for groups, times the square of the bots */
    PASSES_MAX = 50,
};

typedef struct Swiss {
    uint32_t rounds;
    uint32_t fixtures; /* in a round */
    uint32_t round;    /* the current one, from 0 */
    uint32_t pending;  /* results of the current round that are missing */
    uint32_t *points;  /* in halves, by bot */
    uint32_t *wins;
    uint32_t *byes;
    uint8_t *met; /* bots * bots: how often */
} Swiss;

/* A round that is being put together. */
typedef struct SwissRound {
    uint32_t count;
    uint32_t *bots;   /* by standing, without those that have a bye */
    uint32_t *groups; /* the fixtures, one after the other */
    uint32_t filled;
} SwissRound;

static uint8_t *met(const Schedule *schedule, uint32_t a, uint32_t b) {
    const Swiss *swiss = schedule->state;
    return &swiss->met[(size_t)a * schedule->options.bots + b];
}

/* More points first, then the higher seed. */
static bool stands_before(const Swiss *swiss, uint32_t a, uint32_t b) {
    return swiss->points[a] != swiss->points[b] ? swiss->points[a] > swiss->points[b] : a < b;
}

/* Fewest byes first, then the lowest standing. */
static bool bye_before(const Swiss *swiss, uint32_t a, uint32_t b) {
    return swiss->byes[a] != swiss->byes[b] ? swiss->byes[a] < swiss->byes[b]
                                            : stands_before(swiss, b, a);
}

typedef bool Before(const Swiss *swiss, uint32_t a, uint32_t b);

/* Returns all bots in the order of `before` (merge sort); the caller frees the array. */
static uint32_t *ordered(const Swiss *swiss, uint32_t count, Before *before) {
    uint32_t *bots = xcalloc(count, sizeof *bots);
    uint32_t *other = xcalloc(count, sizeof *other);
    for (uint32_t i = 0; i < count; i++)
        bots[i] = i;
    for (uint32_t width = 1; width < count; width *= 2) {
        for (uint32_t start = 0; start < count; start += 2 * width) {
            uint32_t middle = start + width < count ? start + width : count;
            uint32_t end = middle + width < count ? middle + width : count;
            uint32_t left = start;
            uint32_t right = middle;
            for (uint32_t i = start; i < end; i++) {
                bool takes_right =
                    left == middle || (right < end && before(swiss, bots[right], bots[left]));
                other[i] = takes_right ? bots[right++] : bots[left++];
            }
        }
        uint32_t *swap = bots;
        bots = other;
        other = swap;
    }
    free(other);
    return bots;
}

static void give_bye(const Schedule *schedule, uint32_t bot) {
    Swiss *swiss = schedule->state;
    swiss->byes[bot]++;
    swiss->wins[bot]++;
    swiss->points[bot] += 2 * (schedule->options.players - 1);
}

/* ---- two players ---- */

/* Returns a graph that joins all bots that have not met. Vertex `bots` is the bye, if there is one,
   followed by `again` vertices for bots that need a rematch. */
static Pairing round_graph(const Schedule *schedule, uint32_t again) {
    uint32_t bots = schedule->options.bots;
    uint32_t behind = bots + bots % 2;
    Pairing pairing = pairing_new(behind + again);
    for (uint32_t a = 0; a < bots; a++) {
        for (uint32_t b = a + 1; b < bots; b++)
            if (!*met(schedule, a, b))
                pairing_join(&pairing, a, b);
        for (uint32_t other = bots; other < pairing.count; other++)
            pairing_join(&pairing, a, other);
    }
    return pairing;
}

/* Tries opponents for the best bot of `rest` in order of preference: among bots with equal points,
   from the middle down, then from the middle up; then the other bots from the top. NULL if it needs
   a rematch. */
static const uint32_t *choose_opponent(const Swiss *swiss, Pairing *pairing, const uint32_t *rest,
                                       uint32_t count) {
    uint32_t equals = 1;
    while (equals < count && swiss->points[rest[equals]] == swiss->points[rest[0]])
        equals++;
    uint32_t half = equals / 2 ? equals / 2 : 1;
    for (uint32_t i = half; i < equals; i++)
        if (pairing_fix(pairing, rest[0], rest[i]))
            return &rest[i];
    for (uint32_t i = half; i-- > 1;)
        if (pairing_fix(pairing, rest[0], rest[i]))
            return &rest[i];
    for (uint32_t i = equals; i < count; i++)
        if (pairing_fix(pairing, rest[0], rest[i]))
            return &rest[i];
    return NULL;
}

/* Pairs bots that need a rematch, preferring the opponent met least often, then the nearest. */
static void pair_again(const Schedule *schedule, uint32_t *bots, uint32_t count,
                       SwissRound *round) {
    while (count > 0) {
        uint32_t best = 1;
        for (uint32_t i = 2; i < count; i++)
            if (*met(schedule, bots[0], bots[i]) < *met(schedule, bots[0], bots[best]))
                best = i;
        round->groups[round->filled++] = bots[0];
        round->groups[round->filled++] = bots[best];
        memmove(bots + best, bots + best + 1, (count - best - 1) * sizeof *bots);
        memmove(bots, bots + 1, (count - 2) * sizeof *bots);
        count -= 2;
    }
}

static void fix_bye(const Schedule *schedule, Pairing *pairing) {
    uint32_t bots = schedule->options.bots;
    uint32_t *candidates = ordered(schedule->state, bots, bye_before);
    uint32_t i = 0;
    while (!pairing_fix(pairing, bots, candidates[i]))
        i++; /* terminates, because the current pairing gives one of the bots the bye */
    give_bye(schedule, candidates[i]);
    free(candidates);
}

static void pair_round(const Schedule *schedule, SwissRound *round) {
    uint32_t bots = schedule->options.bots;
    Pairing pairing = round_graph(schedule, 0);
    uint32_t again_count = pairing_solve(&pairing);
    if (again_count > 0) {
        pairing_free(&pairing);
        pairing = round_graph(schedule, again_count);
        again_count = pairing_solve(&pairing);
        assert(again_count == 0);
    }
    /* Order the bots before the bye is given, because it changes points. */
    uint32_t *rest = ordered(schedule->state, bots, stands_before);
    if (bots % 2)
        fix_bye(schedule, &pairing);
    uint32_t *again = xcalloc(bots, sizeof *again);
    for (uint32_t i = 0; i < bots; i++) {
        uint32_t count = 0;
        for (uint32_t j = i; j < bots; j++)
            if (!pairing.gone[rest[j]])
                rest[i + count++] = rest[j];
        if (count == 0)
            break;
        bots = i + count;
        const uint32_t *opponent = choose_opponent(schedule->state, &pairing, rest + i, count);
        if (opponent) {
            round->groups[round->filled++] = rest[i];
            round->groups[round->filled++] = *opponent;
            continue;
        }
        uint32_t place = schedule->options.bots + schedule->options.bots % 2;
        while (pairing.gone[place] || !pairing_fix(&pairing, rest[i], place))
            place++;
        again[again_count++] = rest[i];
    }
    pair_again(schedule, again, again_count, round);
    free(again);
    free(rest);
    pairing_free(&pairing);
}

/* ---- more players ---- */

/* How often the bot at `place` has met the other members of the group of `seat`, if it took that
   seat. */
static uint32_t rematches(const Schedule *schedule, const SwissRound *round, uint32_t place,
                          uint32_t seat) {
    uint32_t players = schedule->options.players;
    uint32_t first = seat / players * players;
    uint32_t sum = 0;
    for (uint32_t i = first; i < first + players; i++)
        if (i != seat && i != place)
            sum += *met(schedule, round->groups[place], round->groups[i]);
    return sum;
}

static uint32_t rematches_in_all(const Schedule *schedule, const SwissRound *round) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < round->count; i++)
        sum += rematches(schedule, round, i, i);
    return sum / 2;
}

/* Starts each group with the best remaining bot, and fills it with the bots that its members have
   met least often, best first. */
static void group_greedily(const Schedule *schedule, const uint32_t *order, SwissRound *round) {
    uint32_t players = schedule->options.players;
    bool *taken = xcalloc(round->count, sizeof *taken);
    for (uint32_t seat = 0; seat < round->count; seat++) {
        uint32_t first = seat / players * players;
        uint32_t best = UINT32_MAX;
        uint32_t best_sum = UINT32_MAX;
        for (uint32_t i = 0; i < round->count && best_sum > 0; i++) {
            uint32_t sum = 0;
            for (uint32_t j = first; j < seat && !taken[i]; j++)
                sum += *met(schedule, order[i], round->groups[j]);
            if (taken[i] || sum >= best_sum)
                continue;
            best = i;
            best_sum = sum;
        }
        taken[best] = true;
        round->groups[seat] = order[best];
    }
    free(taken);
}

/* Exchanges bots between groups as long as this reduces rematches. */
static void exchange(const Schedule *schedule, SwissRound *round) {
    uint32_t players = schedule->options.players;
    bool better = true;
    for (uint32_t pass = 0; better && pass < PASSES_MAX; pass++) {
        better = false;
        for (uint32_t a = 0; a < round->count; a++) {
            uint32_t a_now = rematches(schedule, round, a, a);
            uint32_t best = a;
            uint32_t best_gain = 0;
            for (uint32_t b = 0; b < round->count && a_now > 0; b++) {
                if (b / players == a / players)
                    continue;
                uint32_t now = a_now + rematches(schedule, round, b, b);
                uint32_t then = rematches(schedule, round, a, b) + rematches(schedule, round, b, a);
                if (now <= then || now - then <= best_gain)
                    continue;
                best = b;
                best_gain = now - then;
            }
            uint32_t bot = round->groups[a];
            round->groups[a] = round->groups[best];
            round->groups[best] = bot;
            better |= best_gain > 0;
        }
    }
}

/* Starts from the order of the standings. As long as there are rematches, tries orders that are
   shuffled more and more. Keeps the best result. */
static void group_round(const Schedule *schedule, Random *random, SwissRound *round) {
    assert(round->count > 0);
    uint32_t tries = 1 + (uint32_t)(SEARCH_EFFORT / ((uint64_t)round->count * round->count));
    uint32_t *order = xcalloc(round->count, sizeof *order);
    uint32_t *best = xcalloc(round->count, sizeof *best);
    uint32_t best_sum = UINT32_MAX;
    for (uint32_t try = 0; try < tries && best_sum > 0; try++) {
        memcpy(order, round->bots, round->count * sizeof *order);
        uint32_t reach = 2 + (uint32_t)((uint64_t)round->count * try / tries);
        for (uint32_t i = 0; try > 0 && i + reach <= round->count; i++)
            formats_shuffle(random, order + i, reach);
        group_greedily(schedule, order, round);
        exchange(schedule, round);
        uint32_t sum = rematches_in_all(schedule, round);
        if (sum < best_sum) {
            best_sum = sum;
            memcpy(best, round->groups, round->count * sizeof *best);
        }
    }
    memcpy(round->groups, best, round->count * sizeof *best);
    round->filled = round->count;
    free(best);
    free(order);
}

/* Groups the first round: each group gets a bot from each part of the seeding. */
static void group_by_seeding(const Schedule *schedule, SwissRound *round) {
    uint32_t players = schedule->options.players;
    uint32_t groups = round->count / players;
    assert(groups > 0);
    for (uint32_t i = 0; i < round->count; i++)
        round->groups[i % groups * players + i / groups] = round->bots[i];
    round->filled = round->count;
}

static void make_groups(const Schedule *schedule, Random *random, SwissRound *round) {
    Swiss *swiss = schedule->state;
    uint32_t bots = schedule->options.bots;
    uint32_t *order = ordered(swiss, bots, stands_before);
    uint32_t *candidates = ordered(swiss, bots, bye_before);
    bool *idle = xcalloc(bots, sizeof *idle);
    for (uint32_t i = 0; i < bots % schedule->options.players; i++) {
        idle[candidates[i]] = true;
        give_bye(schedule, candidates[i]);
    }
    for (uint32_t i = 0; i < bots; i++)
        if (!idle[order[i]])
            round->bots[round->count++] = order[i];
    if (swiss->round == 0)
        group_by_seeding(schedule, round);
    else
        group_round(schedule, random, round);
    free(idle);
    free(candidates);
    free(order);
}

/* ---- the format ---- */

/* Adds the groups as fixtures, in an order and with seats drawn from the seed. */
static void publish(Schedule *schedule, Random *random, const SwissRound *round) {
    Swiss *swiss = schedule->state;
    uint32_t players = schedule->options.players;
    assert(round->filled == swiss->fixtures * players);
    uint32_t *order = xcalloc(swiss->fixtures, sizeof *order);
    for (uint32_t i = 0; i < swiss->fixtures; i++)
        order[i] = i;
    formats_shuffle(random, order, swiss->fixtures);
    for (uint32_t i = 0; i < swiss->fixtures; i++) {
        uint32_t *group = round->groups + (size_t)order[i] * players;
        formats_shuffle(random, group, players);
        for (uint32_t a = 0; a < players; a++)
            for (uint32_t b = 0; b < players; b++)
                if (a != b && *met(schedule, group[a], group[b]) < UINT8_MAX)
                    ++*met(schedule, group[a], group[b]);
        schedule_add(schedule, swiss->round * swiss->fixtures + i, swiss->round + 1, players,
                     group);
    }
    swiss->pending = swiss->fixtures;
    free(order);
}

static void start_round(Schedule *schedule) {
    const Swiss *swiss = schedule->state;
    uint32_t bots = schedule->options.bots;
    Random random = random_seeded(hash64_chain(schedule->options.seed, swiss->round));
    SwissRound round = {.bots = xcalloc(bots, sizeof *round.bots),
                        .groups = xcalloc(bots, sizeof *round.groups)};
    if (schedule->options.players == 2)
        pair_round(schedule, &round);
    else
        make_groups(schedule, &random, &round);
    publish(schedule, &random, &round);
    free(round.bots);
    free(round.groups);
}

/* The number of rounds after which all bots have met. */
static uint32_t rounds_most(const ScheduleOptions *options) {
    if (options->players == 2)
        return options->bots - 1 + options->bots % 2;
    return (options->bots - 1) / (options->players - 1);
}

/* The default number of rounds, after which at most one bot can have won everything. */
static uint32_t rounds_default(const ScheduleOptions *options) {
    uint32_t rounds = 0;
    while (rounds < 31 && UINT32_C(1) << rounds < options->bots)
        rounds++;
    rounds = rounds < ROUNDS_LEAST ? ROUNDS_LEAST : rounds;
    uint32_t most = rounds_most(options);
    return rounds < most ? rounds : most;
}

static bool swiss_begin(Schedule *schedule, Error *error) {
    const ScheduleOptions *options = &schedule->options;
    if (options->bots > SWISS_BOTS_MAX)
        return error_set(error, "at most %u are allowed", (unsigned)SWISS_BOTS_MAX);
    if (options->players == 2 && options->rounds > rounds_most(options))
        return error_set(error,
                         "all bots have met after %u %s, so %u are too many; choose fewer, or a "
                         "round robin",
                         rounds_most(options), rounds_most(options) == 1 ? "round" : "rounds",
                         options->rounds);
    Swiss *swiss = xcalloc(1, sizeof *swiss);
    schedule->state = swiss;
    swiss->rounds = options->rounds ? options->rounds : rounds_default(options);
    swiss->fixtures = options->bots / options->players;
    if (!schedule_fits((double)swiss->rounds * swiss->fixtures, error))
        return false;
    swiss->points = xcalloc(options->bots, sizeof *swiss->points);
    swiss->wins = xcalloc(options->bots, sizeof *swiss->wins);
    swiss->byes = xcalloc(options->bots, sizeof *swiss->byes);
    swiss->met = xcalloc((size_t)options->bots * options->bots, sizeof *swiss->met);
    start_round(schedule);
    return true;
}

static void swiss_end(void *state) {
    Swiss *swiss = state;
    free(swiss->points);
    free(swiss->wins);
    free(swiss->byes);
    free(swiss->met);
}

static void swiss_add_result(Schedule *schedule, uint32_t number, const FixtureResult *result) {
    (void)number;
    Swiss *swiss = schedule->state;
    uint32_t totals[GAME_PLAYERS_MAX] = {0};
    result_points(result, totals);
    for (uint32_t a = 0; a < result->players; a++) {
        uint32_t bot = result->bots[a];
        bool won = true;
        for (uint32_t b = 0; b < result->players; b++) {
            if (a == b)
                continue;
            swiss->points[bot] += totals[a] > totals[b] ? 2 : totals[a] == totals[b] ? 1 : 0;
            won &= totals[a] > totals[b];
        }
        swiss->wins[bot] += won;
    }
    if (--swiss->pending > 0 || swiss->round + 1 == swiss->rounds)
        return;
    swiss->round++;
    start_round(schedule);
}

static uint32_t swiss_total(const Schedule *schedule) {
    const Swiss *swiss = schedule->state;
    return swiss->rounds * swiss->fixtures;
}

/* The sum of the points of a bot's opponents; for a bye, its own points. */
static uint64_t buchholz(const Schedule *schedule, uint32_t bot) {
    const Swiss *swiss = schedule->state;
    uint64_t sum =
        (uint64_t)swiss->byes[bot] * (schedule->options.players - 1) * swiss->points[bot];
    for (uint32_t other = 0; other < schedule->options.bots; other++)
        sum += (uint64_t)*met(schedule, bot, other) * swiss->points[other];
    return sum;
}

static bool swiss_places(const Schedule *schedule, uint32_t *places) {
    const Swiss *swiss = schedule->state;
    uint32_t bots = schedule->options.bots;
    uint64_t *sums = xcalloc(bots, sizeof *sums);
    for (uint32_t bot = 0; bot < bots; bot++)
        sums[bot] = buchholz(schedule, bot);
    for (uint32_t a = 0; a < bots; a++) {
        places[a] = 1;
        for (uint32_t b = 0; b < bots; b++)
            places[a] += swiss->points[b] != swiss->points[a] ? swiss->points[b] > swiss->points[a]
                         : sums[b] != sums[a]                 ? sums[b] > sums[a]
                                                              : swiss->wins[b] > swiss->wins[a];
    }
    free(sums);
    return true;
}

static void swiss_score(const Schedule *schedule, uint32_t bot, SwissScore *score) {
    const Swiss *swiss = schedule->state;
    *score = (SwissScore){swiss->points[bot], buchholz(schedule, bot), swiss->byes[bot]};
}

const FormatRules format_swiss = {
    .begin = swiss_begin,
    .add_result = swiss_add_result,
    .total = swiss_total,
    .places = swiss_places,
    .swiss = swiss_score,
    .end = swiss_end,
};
