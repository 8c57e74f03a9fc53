/* See standings.h.

   Pairs are in a hash table, because with many bots most pairs never meet. Results are kept in
   order, a few bytes each, for the history of the ratings. */
#include "league/standings.h"

#include "base/hash.h"
#include "base/memory.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

/* Ratings that differ by less count as equal, because even symmetric results lead to ratings that
   differ in the last digits. */
static const double LEVEL_ELO = 1e-6;

typedef struct PairSlot {
    uint32_t a; /* a < b; both 0 in a free slot */
    uint32_t b;
    StandingsPair score; /* from a's view */
} PairSlot;

struct Standings {
    uint32_t bots;
    char **names;
    char **failures;
    StandingsRow *rows;
    uint32_t *order; /* of the table */
    uint32_t *places;
    uint64_t matches;
    Ratings *ratings;
    Buffer results; /* per match: players, then bot and rank of each, as varints */
    PairSlot *pairs;
    size_t pair_slots; /* a power of two, at most half of them taken */
    size_t pairs_taken;
};

Standings *standings_new(uint32_t bots, const char *const *names) {
    Standings *standings = xcalloc(1, sizeof *standings);
    standings->bots = bots;
    standings->names = xcalloc(bots, sizeof *standings->names);
    standings->failures = xcalloc(bots, sizeof *standings->failures);
    standings->rows = xcalloc(bots, sizeof *standings->rows);
    standings->order = xcalloc(bots, sizeof *standings->order);
    standings->places = xcalloc(bots, sizeof *standings->places);
    standings->ratings = ratings_new(bots);
    standings->pair_slots = 64;
    standings->pairs = xcalloc(standings->pair_slots, sizeof *standings->pairs);
    for (uint32_t i = 0; i < bots; i++) {
        standings->names[i] = xstrdup(names[i]);
        standings->rows[i].name = standings->names[i];
        standings->rows[i].place = 1;
        standings->order[i] = i;
    }
    return standings;
}

void standings_free(Standings *standings) {
    if (!standings)
        return;
    for (uint32_t i = 0; i < standings->bots; i++) {
        free(standings->names[i]);
        free(standings->failures[i]);
    }
    free(standings->names);
    free(standings->failures);
    free(standings->rows);
    free(standings->order);
    free(standings->places);
    free(standings->pairs);
    buffer_free(&standings->results);
    ratings_free(standings->ratings);
    free(standings);
}

/* ---- pairs ---- */

/* The slot of a pair, or the free one where it belongs. */
static PairSlot *find_pair(PairSlot *slots, size_t count, uint32_t a, uint32_t b) {
    size_t at = hash64_chain(a, b) & (count - 1);
    while (slots[at].b && (slots[at].a != a || slots[at].b != b))
        at = (at + 1) & (count - 1);
    return &slots[at];
}

static void grow_pairs(Standings *standings) {
    size_t count = standings->pair_slots * 2;
    PairSlot *slots = xcalloc(count, sizeof *slots);
    for (size_t i = 0; i < standings->pair_slots; i++)
        if (standings->pairs[i].b)
            *find_pair(slots, count, standings->pairs[i].a, standings->pairs[i].b) =
                standings->pairs[i];
    free(standings->pairs);
    standings->pairs = slots;
    standings->pair_slots = count;
}

/* Counts a result. `better` is positive if `a` won, 0 for a draw, negative if `a` lost. */
static void add_pair(Standings *standings, uint32_t a, uint32_t b, int better) {
    if (a > b) {
        add_pair(standings, b, a, -better);
        return;
    }
    if (standings->pairs_taken * 2 >= standings->pair_slots)
        grow_pairs(standings);
    PairSlot *slot = find_pair(standings->pairs, standings->pair_slots, a, b);
    standings->pairs_taken += slot->b == 0;
    slot->a = a;
    slot->b = b;
    slot->score.wins += better > 0;
    slot->score.draws += better == 0;
    slot->score.losses += better < 0;
}

StandingsPair standings_pair(const Standings *standings, uint32_t a, uint32_t b) {
    assert(a < standings->bots && b < standings->bots);
    if (a == b)
        return (StandingsPair){0};
    const PairSlot *slot =
        find_pair(standings->pairs, standings->pair_slots, a < b ? a : b, a < b ? b : a);
    StandingsPair score = slot->score;
    return a < b ? score : (StandingsPair){score.losses, score.draws, score.wins};
}

/* ---- adding ---- */

static bool is_crash(PlayerStatus status) {
    return status != STATUS_OK && status != STATUS_TIMEOUT && status != STATUS_LEFT;
}

static void add_seat(StandingsRow *row, const PlayedMatch *match, const PlayedSeat *seat) {
    uint32_t best = UINT32_MAX;
    uint32_t sharing = 0;
    for (uint32_t i = 0; i < match->players; i++) {
        uint32_t rank = match->seats[i].rank;
        sharing = rank < best ? 1 : sharing + (rank == best);
        best = rank < best ? rank : best;
        if (&match->seats[i] != seat)
            row->points += rank > seat->rank ? 1 : rank == seat->rank ? 0.5 : 0;
    }
    row->matches++;
    row->wins += seat->rank == best && sharing == 1;
    row->draws += seat->rank == best && sharing > 1;
    row->losses += seat->rank != best;
    row->points_most += match->players - 1;
    row->refused += seat->refused;
    row->timeouts += seat->timeouts;
    row->graces += seat->graces;
    row->crashes += is_crash(seat->status);
    row->turns += match->turns;
    row->wall += seat->wall;
    row->cpu += seat->cpu;
    if (seat->wall_longest > row->wall_longest)
        row->wall_longest = seat->wall_longest;
}

static void keep_failure(Standings *standings, const PlayedSeat *seat) {
    char *failure = xstrdup(seat->failure);
    free(standings->failures[seat->bot]);
    standings->failures[seat->bot] = failure;
    standings->rows[seat->bot].failure = failure;
}

void standings_add(Standings *standings, const PlayedMatch *match) {
    uint32_t bots[GAME_PLAYERS_MAX];
    uint32_t ranks[GAME_PLAYERS_MAX];
    assert(match->players >= 1 && match->players <= GAME_PLAYERS_MAX);
    buffer_varint(&standings->results, match->players);
    for (uint32_t i = 0; i < match->players; i++) {
        const PlayedSeat *seat = &match->seats[i];
        assert(seat->bot < standings->bots);
        bots[i] = seat->bot;
        ranks[i] = seat->rank;
        buffer_varint(&standings->results, seat->bot);
        buffer_varint(&standings->results, seat->rank);
        add_seat(&standings->rows[seat->bot], match, seat);
        if (seat->failure)
            keep_failure(standings, seat);
        for (uint32_t j = 0; j < i; j++)
            add_pair(standings, seat->bot, bots[j],
                     (seat->rank < ranks[j]) - (seat->rank > ranks[j]));
    }
    if (match->players > 1)
        ratings_add(standings->ratings, match->players, bots, ranks, 1);
    standings->matches++;
}

/* ---- settling ---- */

/* What determines the position of a bot in the table. */
typedef struct SortKey {
    uint32_t bot;
    uint32_t place;
    bool idle;
    double elo;
} SortKey;

static int compare_keys(const void *left, const void *right) {
    const SortKey *a = left;
    const SortKey *b = right;
    if (a->place != b->place)
        return a->place < b->place ? -1 : 1;
    if (a->idle != b->idle)
        return a->idle ? 1 : -1;
    if (a->elo != b->elo)
        return a->elo > b->elo ? -1 : 1;
    return a->bot < b->bot ? -1 : a->bot > b->bot;
}

/* Assigns places by rating to sorted keys. Level bots are then ordered by number. */
static void place_by_rating(SortKey *keys, uint32_t count) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
        bool level = i > 0 && keys[i].idle == keys[i - 1].idle &&
                     (keys[i].idle || keys[i - 1].elo - keys[i].elo < LEVEL_ELO);
        if (!level) {
            for (uint32_t j = first; j < i; j++)
                keys[j].elo = 0;
            first = i;
        }
        keys[i].place = first + 1;
    }
    for (uint32_t j = first; j < count; j++)
        keys[j].elo = 0;
    qsort(keys, count, sizeof *keys, compare_keys);
}

bool standings_settle(Standings *standings, const Schedule *schedule, Error *error) {
    if (!ratings_fit(standings->ratings, error))
        return false;
    bool ordered = schedule && schedule_places(schedule, standings->places);
    SortKey *keys = xcalloc(standings->bots, sizeof *keys);
    for (uint32_t i = 0; i < standings->bots; i++) {
        StandingsRow *row = &standings->rows[i];
        row->elo = ratings_elo(standings->ratings, i);
        if (fabs(row->elo) < LEVEL_ELO)
            row->elo = 0; /* avoids rounding errors and negative zero */
        row->error = ratings_error(standings->ratings, i);
        row->is_swiss = schedule && schedule_swiss(schedule, i, &row->swiss);
        keys[i] = (SortKey){i, ordered ? standings->places[i] : 0, row->matches == 0, row->elo};
    }
    if (standings->bots)
        qsort(keys, standings->bots, sizeof *keys, compare_keys);
    if (!ordered)
        place_by_rating(keys, standings->bots);
    for (uint32_t i = 0; i < standings->bots; i++) {
        standings->order[i] = keys[i].bot;
        standings->rows[keys[i].bot].place = keys[i].place;
    }
    free(keys);
    return true;
}

uint32_t standings_bots(const Standings *standings) {
    return standings->bots;
}

uint64_t standings_matches(const Standings *standings) {
    return standings->matches;
}

const StandingsRow *standings_row(const Standings *standings, uint32_t bot) {
    assert(bot < standings->bots);
    return &standings->rows[bot];
}

uint32_t standings_at(const Standings *standings, uint32_t position) {
    assert(position < standings->bots);
    return standings->order[position];
}

double standings_superiority(const Standings *standings, uint32_t a, uint32_t b) {
    return ratings_superiority(standings->ratings, a, b);
}

/* ---- the history ---- */

static uint32_t take_varint(const Buffer *from, size_t *at) {
    uint32_t value = 0;
    unsigned char byte = 0;
    unsigned shift = 0;
    do {
        byte = (unsigned char)from->data[(*at)++];
        value |= (uint32_t)(byte & 0x7f) << shift;
        shift += 7;
    } while (byte & 0x80);
    return value;
}

/* Adds the next result to the ratings and marks its bots as seen. */
static void replay_result(const Standings *standings, size_t *at, Ratings *ratings, bool *seen) {
    uint32_t bots[GAME_PLAYERS_MAX];
    uint32_t ranks[GAME_PLAYERS_MAX];
    uint32_t players = take_varint(&standings->results, at);
    for (uint32_t i = 0; i < players; i++) {
        bots[i] = take_varint(&standings->results, at);
        ranks[i] = take_varint(&standings->results, at);
        seen[bots[i]] = true;
    }
    if (players > 1)
        ratings_add(ratings, players, bots, ranks, 1);
}

bool standings_history(const Standings *standings, uint32_t points, StandingsHistory *history,
                       Error *error) {
    uint64_t matches = standings->matches;
    history->points = matches < points ? (uint32_t)matches : points;
    history->matches = xcalloc(history->points, sizeof *history->matches);
    history->elo = xcalloc((size_t)history->points * standings->bots, sizeof *history->elo);
    Ratings *ratings = ratings_new(standings->bots);
    bool *seen = xcalloc(standings->bots, sizeof *seen);
    bool good = true;
    size_t at = 0;
    uint64_t played = 0;
    for (uint32_t point = 0; point < history->points && good; point++) {
        /* The points divide the matches evenly, and the last point is the end. */
        uint64_t until = (uint64_t)((double)matches * (point + 1) / history->points);
        until = point + 1 == history->points ? matches : until;
        for (; played < until; played++)
            replay_result(standings, &at, ratings, seen);
        good = ratings_fit(ratings, error);
        history->matches[point] = played;
        for (uint32_t i = 0; i < standings->bots; i++)
            history->elo[(size_t)point * standings->bots + i] =
                seen[i] && good ? ratings_elo(ratings, i) : NAN;
    }
    free(seen);
    ratings_free(ratings);
    return good;
}

void standings_history_free(StandingsHistory *history) {
    free(history->matches);
    free(history->elo);
    *history = (StandingsHistory){0};
}
