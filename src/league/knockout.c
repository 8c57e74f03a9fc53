/* Knockout and double knockout: seeded brackets.

   A bracket is a list of nodes. The bots that arrive at a node meet; the winner advances to
   `winner_to`, and in a double knockout the loser moves to `loser_to`. The list depends only on the
   number of bots, and so does the number of bots that each node will have. A node with one bot is a
   bye.

   Each node has reserved fixture numbers for its first fixture and its play-offs, so that they do
   not depend on when it is played. */
#include "base/memory.h"
#include "league/formats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    BRACKET_BOTS_MAX = 65536, /* because nodes are large */
    PLAY_OFFS = 3,            /* of a tied fixture; then the seeding decides */
    NUMBERS = 1 + PLAY_OFFS,  /* fixture numbers reserved for a node */
    NOWHERE = UINT32_MAX,
};

typedef struct Node {
    BracketNode shown;
    uint32_t depth;    /* its round over all sides: one more than the nodes it depends on */
    uint32_t expected; /* how many bots will arrive */
    uint32_t arrived;
    uint32_t fixtures; /* added so far */
    uint32_t winner_to;
    uint32_t winner_slot;
    uint32_t loser_to;
    uint32_t loser_slot;
} Node;

typedef struct Bracket {
    uint32_t count;
    Node *nodes; /* in the order of play */
    uint32_t *visible;
    uint32_t visible_count;
    /* the node of a double knockout's grand final, whose second match is the next node; NOWHERE in
       a single knockout */
    uint32_t grand_final;
    uint32_t *out; /* by bot: the node where it was eliminated, or NOWHERE */
} Bracket;

/* ---- the shape ---- */

/* Returns the seed for each of the `players` ^ `levels` slots, such that the best bots meet as late
   as possible: each slot of the list for one level less becomes a heat, and weaker seeds are dealt
   out in snake order. */
static uint32_t *seed_positions(uint32_t players, uint32_t levels) {
    uint32_t length = 1;
    uint32_t *slots = xcalloc(1, sizeof *slots);
    for (; levels > 0; levels--) {
        uint32_t *wider = xcalloc((size_t)length * players, sizeof *wider);
        for (uint32_t i = 0; i < length; i++)
            for (uint32_t j = 0; j < players; j++)
                wider[i * players + j] =
                    j % 2 ? (j + 1) * length - 1 - slots[i] : j * length + slots[i];
        free(slots);
        slots = wider;
        length *= players;
    }
    return slots;
}

/* Computes how many bots start in each slot of the first round. The best bots have byes; all other
   heats except at most one are full. */
static void first_heats(uint32_t bots, uint32_t players, uint32_t slots, uint32_t *sizes) {
    uint32_t surplus = bots - slots;
    for (uint32_t strength = slots; strength-- > 0;) {
        uint32_t more = surplus < players - 1 ? surplus : players - 1;
        sizes[strength] = 1 + more;
        surplus -= more;
    }
}

/* Puts all bots into the nodes of the first round; `positions` has the seed of each node. */
static void seat_bots(Bracket *bracket, const ScheduleOptions *options, uint32_t slots,
                      const uint32_t *positions) {
    uint32_t *sizes = xcalloc(slots, sizeof *sizes);
    uint32_t *node_of = xcalloc(slots, sizeof *node_of);
    first_heats(options->bots, options->players, slots, sizes);
    for (uint32_t i = 0; i < slots; i++)
        node_of[positions[i]] = i;
    uint32_t bot = 0;
    for (uint32_t layer = 0; bot < options->bots; layer++)
        for (uint32_t i = 0; i < slots; i++) {
            uint32_t strength = layer % 2 ? slots - 1 - i : i;
            Node *node = &bracket->nodes[node_of[strength]];
            if (layer >= sizes[strength])
                continue;
            node->shown.bots[layer] = bot++;
            node->expected = node->arrived = layer + 1;
        }
    for (uint32_t i = 0; i < slots; i++)
        if (bracket->nodes[i].expected > 1)
            bracket->nodes[i].shown.players = bracket->nodes[i].expected;
    free(sizes);
    free(node_of);
}

static void init_nodes(Bracket *bracket, uint32_t first, uint32_t count, BracketSide side,
                       uint32_t round, uint32_t players) {
    for (uint32_t i = 0; i < count; i++) {
        Node *node = &bracket->nodes[first + i];
        *node = (Node){.shown = {.side = side,
                                 .round = round,
                                 .position = i,
                                 .players = players,
                                 .winner = BRACKET_NOBODY},
                       .depth = 1,
                       .winner_to = NOWHERE,
                       .loser_to = NOWHERE};
        for (uint32_t j = 0; j < GAME_PLAYERS_MAX; j++)
            node->shown.bots[j] = BRACKET_NOBODY;
    }
}

/* Makes the winners' side, from node 0. Returns its number of nodes. */
static uint32_t make_winners(Bracket *bracket, uint32_t slots, uint32_t players) {
    uint32_t first = 0;
    uint32_t round = 1;
    assert(players >= 2);
    for (uint32_t width = slots;; width /= players) {
        init_nodes(bracket, first, width, SIDE_WINNERS, round++, players);
        for (uint32_t i = 0; i < width && width > 1; i++) {
            bracket->nodes[first + i].winner_to = first + width + i / players;
            bracket->nodes[first + i].winner_slot = i % players;
        }
        first += width;
        if (width == 1)
            return first;
    }
}

/* Chooses the mask that permutes the losers of a winners' round when they drop (position ^ mask),
   so that rematches come as late as possible. `crossings` has the masks of earlier rounds. For each
   earlier round, a loser and a bot that it beat can meet again in the round where their positions
   coincide; the fewer fixtures both must win until then, the more likely is a rematch. */
static uint32_t choose_crossing(const uint32_t *crossings, uint32_t round, uint32_t width) {
    uint32_t best = 0;
    double best_chance = INFINITY;
    for (uint32_t crossing = width; crossing-- > 0;) {
        double chance = 0;
        for (uint32_t before = 1; before < round; before++) {
            uint32_t meets = round;
            while (crossing >> (meets - round) != crossings[before] >> (meets - before))
                meets++;
            chance += exp2(-2.0 * (meets - before) - 2.0 * (meets - round));
        }
        if (chance >= best_chance)
            continue;
        best = crossing;
        best_chance = chance;
    }
    return best;
}

/* Makes the losers' side, from node `first`. Two kinds of rounds alternate: survivors against each
   other, then survivors against bots that drop from the winners' side. */
static uint32_t make_losers(Bracket *bracket, uint32_t slots, uint32_t first) {
    uint32_t crossings[32] = {0};
    uint32_t above = 0; /* the first node of the winners' round whose losers drop */
    uint32_t round = 1; /* of the winners' side */
    for (uint32_t width = slots / 2; width > 0; width /= 2) {
        uint32_t drop = first + width;
        init_nodes(bracket, first, width, SIDE_LOSERS, 2 * round - 1, 2);
        init_nodes(bracket, drop, width, SIDE_LOSERS, 2 * round, 2);
        for (uint32_t i = 0; round == 1 && i < 2 * width; i++) {
            bracket->nodes[i].loser_to = first + i / 2;
            bracket->nodes[i].loser_slot = i % 2;
        }
        above += 2 * width;
        round++;
        crossings[round] = choose_crossing(crossings, round, width);
        for (uint32_t i = 0; i < width; i++) {
            bracket->nodes[first + i].winner_to = drop + i;
            bracket->nodes[first + i].winner_slot = 1;
            bracket->nodes[above + i].loser_to = drop + (i ^ crossings[round]);
            bracket->nodes[above + i].loser_slot = 0;
            bracket->nodes[drop + i].winner_to = drop + width + i / 2;
            bracket->nodes[drop + i].winner_slot = i % 2;
        }
        first = drop + width;
    }
    return first;
}

static void make_final(Bracket *bracket, uint32_t winners, uint32_t final) {
    init_nodes(bracket, final, 1, SIDE_FINAL, 1, 2);
    init_nodes(bracket, final + 1, 1, SIDE_FINAL, 2, 2);
    bracket->grand_final = final;
    bracket->nodes[winners - 1].winner_to = final;
    bracket->nodes[winners - 1].winner_slot = 0;
    if (final == winners) { /* two bots: there are no losers' rounds */
        bracket->nodes[winners - 1].loser_to = final;
        bracket->nodes[winners - 1].loser_slot = 1;
    } else {
        bracket->nodes[final - 1].winner_to = final;
        bracket->nodes[final - 1].winner_slot = 1;
    }
}

/* Computes how many bots each node will have, and its depth. */
static void count_arrivals(Bracket *bracket) {
    bracket->visible = xcalloc(bracket->count, sizeof *bracket->visible);
    for (uint32_t i = 0; i < bracket->count; i++) {
        const Node *node = &bracket->nodes[i];
        const uint32_t to[2] = {node->winner_to, node->loser_to};
        for (uint32_t j = 0; j < 2 && node->expected > j; j++) {
            if (to[j] == NOWHERE)
                continue;
            Node *next = &bracket->nodes[to[j]];
            assert(to[j] > i);
            next->expected++;
            next->depth = next->depth > node->depth ? next->depth : node->depth + 1;
        }
        bracket->nodes[i].shown.bye = node->expected == 1;
        if (node->expected > 0)
            bracket->visible[bracket->visible_count++] = i;
    }
}

/* ---- play ---- */

static void arrive(Schedule *schedule, uint32_t index, uint32_t slot, uint32_t bot);

static void add_fixture(Schedule *schedule, uint32_t index) {
    const Bracket *bracket = schedule->state;
    Node *node = &bracket->nodes[index];
    schedule_add(schedule, index * NUMBERS + node->fixtures++, node->depth, node->shown.players,
                 node->shown.bots);
}

static void go_out(const Bracket *bracket, uint32_t index, uint32_t bot) {
    bracket->out[bot] = index;
}

static void decide(Schedule *schedule, uint32_t index, uint32_t winner) {
    Bracket *bracket = schedule->state;
    Node *node = &bracket->nodes[index];
    node->shown.winner = winner;
    if (index == bracket->grand_final && winner == node->shown.bots[1]) {
        /* Both have lost once now, so there is a second final. */
        Node *again = &bracket->nodes[index + 1];
        again->expected = 2;
        again->depth = node->depth + 1;
        bracket->visible[bracket->visible_count++] = index + 1;
        for (uint32_t i = 0; i < 2; i++)
            arrive(schedule, index + 1, i, node->shown.bots[i]);
        return;
    }
    if (node->winner_to != NOWHERE)
        arrive(schedule, node->winner_to, node->winner_slot, winner);
    for (uint32_t i = 0; i < node->shown.players; i++) {
        uint32_t bot = node->shown.bots[i];
        if (bot == winner || bot == BRACKET_NOBODY)
            continue;
        if (node->loser_to != NOWHERE)
            arrive(schedule, node->loser_to, node->loser_slot, bot);
        else
            go_out(bracket, index, bot);
    }
}

static void arrive(Schedule *schedule, uint32_t index, uint32_t slot, uint32_t bot) {
    const Bracket *bracket = schedule->state;
    Node *node = &bracket->nodes[index];
    node->shown.bots[slot] = bot;
    if (++node->arrived < node->expected)
        return;
    if (node->expected == 1)
        decide(schedule, index, bot);
    else
        add_fixture(schedule, index);
}

static void bracket_add_result(Schedule *schedule, uint32_t number, const FixtureResult *result) {
    const Bracket *bracket = schedule->state;
    uint32_t index = number / NUMBERS;
    Node *node = &bracket->nodes[index];
    const uint32_t *points = node->shown.points;
    result_points(result, node->shown.points);
    uint32_t best = 0;
    uint32_t level = 1;
    for (uint32_t i = 1; i < node->shown.players; i++) {
        bool better_seed = node->shown.bots[i] < node->shown.bots[best];
        level = points[i] > points[best] ? 1 : level + (points[i] == points[best]);
        if (points[i] > points[best] || (points[i] == points[best] && better_seed))
            best = i;
    }
    if (level > 1 && node->fixtures < NUMBERS) {
        add_fixture(schedule, index);
        return;
    }
    node->shown.by_seeding = level > 1;
    decide(schedule, index, node->shown.bots[best]);
}

/* ---- the formats ---- */

static bool bracket_begin(Schedule *schedule, Error *error) {
    const ScheduleOptions *options = &schedule->options;
    bool twice = options->format == FORMAT_DOUBLE;
    if (options->bots > BRACKET_BOTS_MAX)
        return error_set(error, "at most %u are allowed", (unsigned)BRACKET_BOTS_MAX);
    if (twice && options->players != 2)
        return error_set(error,
                         "it requires matches of 2 players, not %u; use a knockout, where one bot "
                         "advances from each heat",
                         options->players);
    uint32_t slots = 1; /* heats of the first round */
    uint32_t levels = 0;
    for (; slots * options->players < options->bots; levels++)
        slots *= options->players;
    Bracket *bracket = xcalloc(1, sizeof *bracket);
    schedule->state = bracket;
    bracket->nodes = xcalloc((size_t)slots * 4 + 2, sizeof *bracket->nodes);
    bracket->grand_final = NOWHERE;
    bracket->count = make_winners(bracket, slots, options->players);
    if (twice) {
        uint32_t winners = bracket->count;
        uint32_t final = make_losers(bracket, slots, winners);
        make_final(bracket, winners, final);
        bracket->count = final + 2;
    }
    uint32_t *positions = seed_positions(options->players, levels);
    seat_bots(bracket, options, slots, positions);
    free(positions);
    bracket->out = xcalloc(options->bots, sizeof *bracket->out);
    memset(bracket->out, 0xff, options->bots * sizeof *bracket->out);
    count_arrivals(bracket);
    for (uint32_t i = 0; i < slots; i++)
        if (bracket->nodes[i].expected > 1)
            add_fixture(schedule, i);
    for (uint32_t i = 0; i < slots; i++)
        if (bracket->nodes[i].expected == 1)
            decide(schedule, i, bracket->nodes[i].shown.bots[0]);
    return true;
}

static void bracket_end(void *state) {
    Bracket *bracket = state;
    free(bracket->nodes);
    free(bracket->visible);
    free(bracket->out);
}

/* The number of fixtures so far, plus one for each node still to be played. */
static uint32_t bracket_total(const Schedule *schedule) {
    const Bracket *bracket = schedule->state;
    uint32_t total = schedule->queue_used;
    for (uint32_t i = 0; i < bracket->count; i++)
        total += bracket->nodes[i].expected > 1 && bracket->nodes[i].fixtures == 0;
    return total;
}

/* How far a bot came; the maximum if it has not been eliminated. */
static uint32_t reach(const Bracket *bracket, uint32_t bot) {
    uint32_t node = bracket->out[bot];
    return node == NOWHERE ? UINT32_MAX : bracket->nodes[node].depth;
}

static bool bracket_places(const Schedule *schedule, uint32_t *places) {
    const Bracket *bracket = schedule->state;
    uint32_t bots = schedule->options.bots;
    uint32_t *farther = xcalloc((size_t)bracket->count + 1, sizeof *farther); /* by depth */
    uint32_t still_in = 0;
    for (uint32_t bot = 0; bot < bots; bot++) {
        uint32_t depth = reach(bracket, bot);
        if (depth == UINT32_MAX)
            still_in++;
        else
            farther[depth]++;
    }
    uint32_t before = still_in;
    for (uint32_t depth = bracket->count; depth > 0; depth--) {
        uint32_t here = farther[depth];
        farther[depth] = before;
        before += here;
    }
    for (uint32_t bot = 0; bot < bots; bot++) {
        uint32_t depth = reach(bracket, bot);
        places[bot] = depth == UINT32_MAX ? 1 : farther[depth] + 1;
    }
    /* The bots in the last heat are placed by their points in it. */
    const BracketNode *last = &bracket->nodes[bracket->count - 1].shown;
    for (uint32_t i = 0; i < last->players; i++)
        for (uint32_t j = 0; j < last->players && last->winner != BRACKET_NOBODY; j++)
            if (last->bots[i] != last->winner && last->bots[j] != last->winner)
                places[last->bots[i]] += last->points[j] > last->points[i];
    free(farther);
    return true;
}

uint32_t bracket_count(const Schedule *schedule) {
    const Bracket *bracket = schedule->state;
    return bracket->visible_count;
}

const BracketNode *bracket_node(const Schedule *schedule, uint32_t index) {
    const Bracket *bracket = schedule->state;
    return &bracket->nodes[bracket->visible[index]].shown;
}

const FormatRules format_knockout = {
    .numbers = NUMBERS,
    .begin = bracket_begin,
    .add_result = bracket_add_result,
    .total = bracket_total,
    .places = bracket_places,
    .end = bracket_end,
};

const FormatRules format_double = {
    .numbers = NUMBERS,
    .begin = bracket_begin,
    .add_result = bracket_add_result,
    .total = bracket_total,
    .places = bracket_places,
    .end = bracket_end,
};
