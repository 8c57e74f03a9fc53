/* Round robin and gauntlet: formats whose fixtures are all known from the start.

   Two-player round robins use the circle method: all bots but one are on a circle, each round pairs
   opposite bots, and the next round rotates the circle by one. For more players the idea is the
   same without the fixed bot: sets of bots that are rotations of each other form an orbit, in which
   every bot occurs equally often. Playing one orbit after the other keeps the number of matches of
   all bots about equal at any time. */
#include "base/memory.h"
#include "league/formats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static uint32_t smaller(uint32_t a, uint32_t b) {
    return a < b ? a : b;
}

/* The binomial coefficient; infinite if it exceeds the range of a double. */
static double combinations(uint32_t count, uint32_t size) {
    double product = 1;
    size = smaller(size, count - size);
    for (uint32_t i = 1; i <= size; i++)
        product = product * (count - size + i) / i;
    return round(product);
}

static uint32_t at_least_one(uint32_t value) {
    return value ? value : 1;
}

static uint32_t list_total(const Schedule *schedule) {
    return schedule->queue_used;
}

/* ---- orbits ---- */

typedef struct Orbits {
    uint32_t count; /* bots on the circle */
    uint32_t size;  /* bots in a set */
    uint32_t found;
    uint32_t capacity;
    uint32_t *sets; /* one per orbit, ascending, starting with 0 */
} Orbits;

/* The distance from one member of a set to the next around the circle. */
static uint32_t gap(const Orbits *orbits, const uint32_t *set, uint32_t i) {
    uint32_t member = i % orbits->size;
    uint32_t next = (member + 1) % orbits->size;
    return (set[next] + orbits->count - set[member] - 1) % orbits->count + 1;
}

/* Whether the set represents its orbit: its gaps are the lexicographically smallest. */
static bool represents_orbit(const Orbits *orbits, const uint32_t *set) {
    for (uint32_t turn = 1; turn < orbits->size; turn++)
        for (uint32_t i = 0; i < orbits->size; i++) {
            uint32_t here = gap(orbits, set, i);
            uint32_t there = gap(orbits, set, i + turn);
            if (here < there)
                break;
            if (here > there)
                return false;
        }
    return true;
}

/* Advances to the next set in lexicographic order, with the same first member; false after the
   last. */
static bool next_set(const Orbits *orbits, uint32_t *set) {
    uint32_t i = orbits->size - 1;
    while (i > 0 && set[i] == orbits->count - orbits->size + i)
        i--;
    if (i == 0)
        return false;
    set[i]++;
    for (i++; i < orbits->size; i++)
        set[i] = set[i - 1] + 1;
    return true;
}

static Orbits find_orbits(uint32_t count, uint32_t size) {
    Orbits orbits = {.count = count, .size = size};
    uint32_t set[GAME_PLAYERS_MAX] = {0};
    assert(size >= 1 && size <= GAME_PLAYERS_MAX && size <= count);
    for (uint32_t i = 0; i < size; i++)
        set[i] = i;
    do {
        if (!represents_orbit(&orbits, set))
            continue;
        if (orbits.found == orbits.capacity) {
            orbits.capacity = 2 * orbits.capacity + 16;
            orbits.sets =
                xreallocarray(orbits.sets, (size_t)orbits.capacity * size, sizeof *orbits.sets);
        }
        memcpy(orbits.sets + (size_t)orbits.found++ * size, set, size * sizeof *set);
    } while (next_set(&orbits, set));
    return orbits;
}

/* How many bots the set shares with itself rotated by `turn`. */
static uint32_t shared_when_turned(const Orbits *orbits, const uint32_t *set, uint32_t turn) {
    uint32_t shared = 0;
    for (uint32_t a = 0; a < orbits->size; a++)
        for (uint32_t b = 0; b < orbits->size; b++)
            shared += (set[a] + turn) % orbits->count == set[b];
    return shared;
}

/* The number of sets in an orbit: the smallest rotation that maps the set to itself, a divisor of
   the count. */
static uint32_t orbit_length(const Orbits *orbits, const uint32_t *set) {
    uint32_t length = 1;
    while (length < orbits->count &&
           (orbits->count % length || shared_when_turned(orbits, set, length) < orbits->size))
        length++;
    return length;
}

/* Chooses the order of rotations within an orbit such that consecutive sets share no bot if
   possible. */
static void orbit_order(const Orbits *orbits, const uint32_t *set, uint32_t length,
                        uint32_t *turns) {
    bool crowded = 2 * orbits->size > orbits->count; /* any two sets share a bot */
    uint32_t step = crowded ? length : 1;
    while (step < length && shared_when_turned(orbits, set, step) > 0)
        step++;
    step = step < length ? step : 1;
    uint32_t filled = 0;
    for (uint32_t start = 0; start < step; start++)
        for (uint32_t turn = start; turn < length; turn += step)
            turns[filled++] = turn;
}

/* ---- round robin ---- */

/* Adds one cycle, in which every pair meets once. `circle` has the bots by position. */
static uint32_t add_circle(Schedule *schedule, const uint32_t *circle, uint32_t cycle,
                           uint32_t round) {
    uint32_t bots = schedule->options.bots;
    uint32_t turning = bots % 2 ? bots : bots - 1; /* places on the circle */
    for (uint32_t turn = 0; turn < turning; turn++) {
        round++;
        for (uint32_t i = bots % 2; i < (bots + 1) / 2; i++) {
            /* With an even number of bots, the bot at position `turn` meets the fixed bot. */
            uint32_t a = circle[(turn + i) % turning];
            uint32_t b = circle[i == 0 ? turning : (turn + turning - i) % turning];
            bool swap = (cycle + turn + i) % 2;
            schedule_add(schedule, schedule->queue_used, round, 2,
                         (uint32_t[]){swap ? b : a, swap ? a : b});
        }
    }
    return round;
}

/* Adds one cycle, in which every set of `players` bots meets once. */
static uint32_t add_sets(Schedule *schedule, const Orbits *orbits, const uint32_t *order,
                         const uint32_t *circle, uint32_t cycle, uint32_t round) {
    uint32_t *turns = xcalloc(orbits->count, sizeof *turns);
    for (uint32_t o = 0; o < orbits->found; o++) {
        const uint32_t *set = orbits->sets + (size_t)order[o] * orbits->size;
        uint32_t length = orbit_length(orbits, set);
        orbit_order(orbits, set, length, turns);
        round++;
        for (uint32_t t = 0; t < length; t++) {
            uint32_t bots[GAME_PLAYERS_MAX];
            for (uint32_t i = 0; i < orbits->size; i++)
                bots[(i + t + cycle) % orbits->size] = circle[(set[i] + turns[t]) % orbits->count];
            schedule_add(schedule, schedule->queue_used, round, orbits->size, bots);
        }
    }
    free(turns);
    return round;
}

static uint32_t *shuffled(Random *random, uint32_t first, uint32_t count) {
    uint32_t *numbers = xcalloc(count, sizeof *numbers);
    for (uint32_t i = 0; i < count; i++)
        numbers[i] = first + i;
    formats_shuffle(random, numbers, count);
    return numbers;
}

static bool round_robin_begin(Schedule *schedule, Error *error) {
    const ScheduleOptions *options = &schedule->options;
    uint32_t cycles = at_least_one(options->rounds);
    if (!schedule_fits(combinations(options->bots, options->players) * cycles, error))
        return false;
    Random random = random_seeded(options->seed);
    uint32_t *circle = shuffled(&random, 0, options->bots);
    if (options->players == 2) {
        for (uint32_t cycle = 0, round = 0; cycle < cycles; cycle++)
            round = add_circle(schedule, circle, cycle, round);
    } else {
        Orbits orbits = find_orbits(options->bots, options->players);
        uint32_t *order = shuffled(&random, 0, orbits.found);
        for (uint32_t cycle = 0, round = 0; cycle < cycles; cycle++)
            round = add_sets(schedule, &orbits, order, circle, cycle, round);
        free(order);
        free(orbits.sets);
    }
    free(circle);
    return true;
}

const FormatRules format_round_robin = {
    .begin = round_robin_begin,
    .total = list_total,
};

/* ---- gauntlet ---- */

/* Adds one cycle over an orbit of opponents: in each round, every challenger meets one set of the
   orbit, a different one for each challenger if there are enough. */
static uint32_t add_gauntlet(Schedule *schedule, const Orbits *orbits, const uint32_t *set,
                             const uint32_t *circle, uint32_t challengers, uint32_t round) {
    uint32_t *turns = xcalloc(orbits->count, sizeof *turns);
    uint32_t length = orbit_length(orbits, set);
    assert(length > 0);
    orbit_order(orbits, set, length, turns);
    for (uint32_t t = 0; t < length; t++) {
        round++;
        for (uint32_t challenger = 0; challenger < challengers; challenger++) {
            uint32_t bots[GAME_PLAYERS_MAX];
            uint32_t players = orbits->size + 1;
            uint32_t turn = turns[(t + challenger) % length];
            bots[round % players] = challenger;
            for (uint32_t i = 0; i < orbits->size; i++)
                bots[(round + 1 + i) % players] = circle[(set[i] + turn) % orbits->count];
            schedule_add(schedule, schedule->queue_used, round, players, bots);
        }
    }
    free(turns);
    return round;
}

static bool gauntlet_begin(Schedule *schedule, Error *error) {
    const ScheduleOptions *options = &schedule->options;
    uint32_t challengers = at_least_one(options->challengers);
    uint32_t cycles = at_least_one(options->rounds);
    uint32_t size = options->players - 1;
    if (challengers > options->bots - size)
        return error_set(error,
                         "%u challengers leave too few opponents for matches of %u "
                         "players",
                         challengers, options->players);
    uint32_t others = options->bots - challengers;
    if (!schedule_fits(combinations(others, size) * challengers * cycles, error))
        return false;
    Random random = random_seeded(options->seed);
    uint32_t *circle = shuffled(&random, challengers, others);
    Orbits orbits = find_orbits(others, size);
    uint32_t *order = shuffled(&random, 0, orbits.found);
    for (uint32_t cycle = 0, round = 0; cycle < cycles; cycle++)
        for (uint32_t o = 0; o < orbits.found; o++)
            round = add_gauntlet(schedule, &orbits, orbits.sets + (size_t)order[o] * size, circle,
                                 challengers, round);
    free(order);
    free(orbits.sets);
    free(circle);
    return true;
}

const FormatRules format_gauntlet = {
    .begin = gauntlet_begin,
    .total = list_total,
};
