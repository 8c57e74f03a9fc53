/* The built-in maps of Planet Wars, and the map generator. */
#include "base/random.h"
#include "games/planetwars/planetwars.h"

#include <math.h>
#include <stdio.h>

const GameMap planetwars_maps[] = {
    {"hex", "six planets in a ring, the default duel", 2,
     "{\"planets\": [\n"
     "  {\"name\": \"protos\", \"x\": -6, \"y\": 0, \"ship_count\": 6, \"owner\": 1},\n"
     "  {\"name\": \"duteros\", \"x\": -3, \"y\": 5, \"ship_count\": 6},\n"
     "  {\"name\": \"tritos\", \"x\": 3, \"y\": 5, \"ship_count\": 6},\n"
     "  {\"name\": \"tetartos\", \"x\": 6, \"y\": 0, \"ship_count\": 6, \"owner\": 2},\n"
     "  {\"name\": \"pemptos\", \"x\": 3, \"y\": -5, \"ship_count\": 6},\n"
     "  {\"name\": \"extos\", \"x\": -3, \"y\": -5, \"ship_count\": 6}\n"
     "]}\n"},
    {"triad", "three homes around a centre, 13 planets", 3,
     "{\"planets\": [\n"
     "  {\"name\": \"home 1\", \"x\": -2.119, \"y\": -7.66, \"ship_count\": 10, \"owner\": 1},\n"
     "  {\"name\": \"home 2\", \"x\": 7.693, \"y\": 1.995, \"ship_count\": 10, \"owner\": 2},\n"
     "  {\"name\": \"home 3\", \"x\": -5.574, \"y\": 5.665, \"ship_count\": 10, \"owner\": 3},\n"
     "  {\"name\": \"alpha 1\", \"x\": 1.302, \"y\": -7.11, \"ship_count\": 3},\n"
     "  {\"name\": \"alpha 2\", \"x\": 5.506, \"y\": 4.683, \"ship_count\": 3},\n"
     "  {\"name\": \"alpha 3\", \"x\": -6.808, \"y\": 2.427, \"ship_count\": 3},\n"
     "  {\"name\": \"beta 1\", \"x\": 3.642, \"y\": -9.929, \"ship_count\": 15},\n"
     "  {\"name\": \"beta 2\", \"x\": 6.778, \"y\": 8.119, \"ship_count\": 15},\n"
     "  {\"name\": \"beta 3\", \"x\": -10.42, \"y\": 1.81, \"ship_count\": 15},\n"
     "  {\"name\": \"gamma 1\", \"x\": 2.72, \"y\": 7.487, \"ship_count\": 10},\n"
     "  {\"name\": \"gamma 2\", \"x\": -7.844, \"y\": -1.388, \"ship_count\": 10},\n"
     "  {\"name\": \"gamma 3\", \"x\": 5.124, \"y\": -6.099, \"ship_count\": 10},\n"
     "  {\"name\": \"centre\", \"x\": 0.0, \"y\": 0.0, \"ship_count\": 26}\n"
     "]}\n"},
    {"cross", "four homes around a centre, 17 planets", 4,
     "{\"planets\": [\n"
     "  {\"name\": \"home 1\", \"x\": 8.0, \"y\": 3.0, \"ship_count\": 10, \"owner\": 1},\n"
     "  {\"name\": \"home 2\", \"x\": -3.0, \"y\": 8.0, \"ship_count\": 10, \"owner\": 2},\n"
     "  {\"name\": \"home 3\", \"x\": -8.0, \"y\": -3.0, \"ship_count\": 10, \"owner\": 3},\n"
     "  {\"name\": \"home 4\", \"x\": 3.0, \"y\": -8.0, \"ship_count\": 10, \"owner\": 4},\n"
     "  {\"name\": \"alpha 1\", \"x\": 10.0, \"y\": 0.0, \"ship_count\": 3},\n"
     "  {\"name\": \"alpha 2\", \"x\": 0.0, \"y\": 10.0, \"ship_count\": 3},\n"
     "  {\"name\": \"alpha 3\", \"x\": -10.0, \"y\": 0.0, \"ship_count\": 3},\n"
     "  {\"name\": \"alpha 4\", \"x\": 0.0, \"y\": -10.0, \"ship_count\": 3},\n"
     "  {\"name\": \"beta 1\", \"x\": -8.0, \"y\": 6.0, \"ship_count\": 8},\n"
     "  {\"name\": \"beta 2\", \"x\": -6.0, \"y\": -8.0, \"ship_count\": 8},\n"
     "  {\"name\": \"beta 3\", \"x\": 8.0, \"y\": -6.0, \"ship_count\": 8},\n"
     "  {\"name\": \"beta 4\", \"x\": 6.0, \"y\": 8.0, \"ship_count\": 8},\n"
     "  {\"name\": \"gamma 1\", \"x\": -3.0, \"y\": 2.0, \"ship_count\": 5},\n"
     "  {\"name\": \"gamma 2\", \"x\": -2.0, \"y\": -3.0, \"ship_count\": 5},\n"
     "  {\"name\": \"gamma 3\", \"x\": 3.0, \"y\": -2.0, \"ship_count\": 5},\n"
     "  {\"name\": \"gamma 4\", \"x\": 2.0, \"y\": 3.0, \"ship_count\": 5},\n"
     "  {\"name\": \"centre\", \"x\": 0.0, \"y\": 0.0, \"ship_count\": 12}\n"
     "]}\n"},
    {"drift", "a long duel, 25 planets", 2,
     "{\"planets\": [\n"
     "  {\"name\": \"home 1\", \"x\": -4.0, \"y\": 10.0, \"ship_count\": 10, \"owner\": 1},\n"
     "  {\"name\": \"home 2\", \"x\": 4.0, \"y\": -10.0, \"ship_count\": 10, \"owner\": 2},\n"
     "  {\"name\": \"alpha 1\", \"x\": -4.0, \"y\": 5.0, \"ship_count\": 3},\n"
     "  {\"name\": \"alpha 2\", \"x\": 4.0, \"y\": -5.0, \"ship_count\": 3},\n"
     "  {\"name\": \"beta 1\", \"x\": 5.0, \"y\": 8.0, \"ship_count\": 8},\n"
     "  {\"name\": \"beta 2\", \"x\": -5.0, \"y\": -8.0, \"ship_count\": 8},\n"
     "  {\"name\": \"gamma 1\", \"x\": 0.0, \"y\": -7.0, \"ship_count\": 2},\n"
     "  {\"name\": \"gamma 2\", \"x\": 0.0, \"y\": 7.0, \"ship_count\": 2},\n"
     "  {\"name\": \"delta 1\", \"x\": 11.0, \"y\": 3.0, \"ship_count\": 5},\n"
     "  {\"name\": \"delta 2\", \"x\": -11.0, \"y\": -3.0, \"ship_count\": 5},\n"
     "  {\"name\": \"epsilon 1\", \"x\": 4.0, \"y\": 5.0, \"ship_count\": 6},\n"
     "  {\"name\": \"epsilon 2\", \"x\": -4.0, \"y\": -5.0, \"ship_count\": 6},\n"
     "  {\"name\": \"zeta 1\", \"x\": 5.0, \"y\": 1.0, \"ship_count\": 12},\n"
     "  {\"name\": \"zeta 2\", \"x\": -5.0, \"y\": -1.0, \"ship_count\": 12},\n"
     "  {\"name\": \"eta 1\", \"x\": 11.0, \"y\": -5.0, \"ship_count\": 3},\n"
     "  {\"name\": \"eta 2\", \"x\": -11.0, \"y\": 5.0, \"ship_count\": 3},\n"
     "  {\"name\": \"theta 1\", \"x\": -7.0, \"y\": 0.0, \"ship_count\": 15},\n"
     "  {\"name\": \"theta 2\", \"x\": 7.0, \"y\": 0.0, \"ship_count\": 15},\n"
     "  {\"name\": \"iota 1\", \"x\": -11.0, \"y\": 0.0, \"ship_count\": 2},\n"
     "  {\"name\": \"iota 2\", \"x\": 11.0, \"y\": 0.0, \"ship_count\": 2},\n"
     "  {\"name\": \"kappa 1\", \"x\": 5.0, \"y\": 12.0, \"ship_count\": 3},\n"
     "  {\"name\": \"kappa 2\", \"x\": -5.0, \"y\": -12.0, \"ship_count\": 3},\n"
     "  {\"name\": \"lambda 1\", \"x\": 2.0, \"y\": -2.0, \"ship_count\": 8},\n"
     "  {\"name\": \"lambda 2\", \"x\": -2.0, \"y\": 2.0, \"ship_count\": 8},\n"
     "  {\"name\": \"centre\", \"x\": 0.0, \"y\": 0.0, \"ship_count\": 23}\n"
     "]}\n"},
    {"shoal", "a longer duel, 33 planets", 2,
     "{\"planets\": [\n"
     "  {\"name\": \"home 1\", \"x\": -2.0, \"y\": -12.0, \"ship_count\": 10, \"owner\": 1},\n"
     "  {\"name\": \"home 2\", \"x\": 2.0, \"y\": 12.0, \"ship_count\": 10, \"owner\": 2},\n"
     "  {\"name\": \"alpha 1\", \"x\": -7.0, \"y\": -11.0, \"ship_count\": 3},\n"
     "  {\"name\": \"alpha 2\", \"x\": 7.0, \"y\": 11.0, \"ship_count\": 3},\n"
     "  {\"name\": \"beta 1\", \"x\": -5.0, \"y\": 4.0, \"ship_count\": 7},\n"
     "  {\"name\": \"beta 2\", \"x\": 5.0, \"y\": -4.0, \"ship_count\": 7},\n"
     "  {\"name\": \"gamma 1\", \"x\": 7.0, \"y\": 8.0, \"ship_count\": 8},\n"
     "  {\"name\": \"gamma 2\", \"x\": -7.0, \"y\": -8.0, \"ship_count\": 8},\n"
     "  {\"name\": \"delta 1\", \"x\": 2.0, \"y\": -4.0, \"ship_count\": 7},\n"
     "  {\"name\": \"delta 2\", \"x\": -2.0, \"y\": 4.0, \"ship_count\": 7},\n"
     "  {\"name\": \"epsilon 1\", \"x\": -3.0, \"y\": 10.0, \"ship_count\": 10},\n"
     "  {\"name\": \"epsilon 2\", \"x\": 3.0, \"y\": -10.0, \"ship_count\": 10},\n"
     "  {\"name\": \"zeta 1\", \"x\": -3.0, \"y\": 1.0, \"ship_count\": 3},\n"
     "  {\"name\": \"zeta 2\", \"x\": 3.0, \"y\": -1.0, \"ship_count\": 3},\n"
     "  {\"name\": \"eta 1\", \"x\": 11.0, \"y\": 0.0, \"ship_count\": 5},\n"
     "  {\"name\": \"eta 2\", \"x\": -11.0, \"y\": 0.0, \"ship_count\": 5},\n"
     "  {\"name\": \"theta 1\", \"x\": 9.0, \"y\": 6.0, \"ship_count\": 4},\n"
     "  {\"name\": \"theta 2\", \"x\": -9.0, \"y\": -6.0, \"ship_count\": 4},\n"
     "  {\"name\": \"iota 1\", \"x\": -13.0, \"y\": 10.0, \"ship_count\": 13},\n"
     "  {\"name\": \"iota 2\", \"x\": 13.0, \"y\": -10.0, \"ship_count\": 13},\n"
     "  {\"name\": \"kappa 1\", \"x\": 12.0, \"y\": 6.0, \"ship_count\": 9},\n"
     "  {\"name\": \"kappa 2\", \"x\": -12.0, \"y\": -6.0, \"ship_count\": 9},\n"
     "  {\"name\": \"lambda 1\", \"x\": 7.0, \"y\": 14.0, \"ship_count\": 6},\n"
     "  {\"name\": \"lambda 2\", \"x\": -7.0, \"y\": -14.0, \"ship_count\": 6},\n"
     "  {\"name\": \"ring 12 1\", \"x\": -12.0, \"y\": 6.0, \"ship_count\": 2},\n"
     "  {\"name\": \"ring 12 2\", \"x\": 12.0, \"y\": -6.0, \"ship_count\": 2},\n"
     "  {\"name\": \"ring 13 1\", \"x\": 1.0, \"y\": -6.0, \"ship_count\": 13},\n"
     "  {\"name\": \"ring 13 2\", \"x\": -1.0, \"y\": 6.0, \"ship_count\": 13},\n"
     "  {\"name\": \"ring 14 1\", \"x\": 13.0, \"y\": -1.0, \"ship_count\": 5},\n"
     "  {\"name\": \"ring 14 2\", \"x\": -13.0, \"y\": 1.0, \"ship_count\": 5},\n"
     "  {\"name\": \"ring 15 1\", \"x\": 4.0, \"y\": 11.0, \"ship_count\": 7},\n"
     "  {\"name\": \"ring 15 2\", \"x\": -4.0, \"y\": -11.0, \"ship_count\": 7},\n"
     "  {\"name\": \"centre\", \"x\": 0.0, \"y\": 0.0, \"ship_count\": 28}\n"
     "]}\n"},
    {"gyre", "a crowd of four, 33 planets", 4,
     "{\"planets\": [\n"
     "  {\"name\": \"home 1\", \"x\": 5.0, \"y\": 11.0, \"ship_count\": 10, \"owner\": 1},\n"
     "  {\"name\": \"home 2\", \"x\": -11.0, \"y\": 5.0, \"ship_count\": 10, \"owner\": 2},\n"
     "  {\"name\": \"home 3\", \"x\": -5.0, \"y\": -11.0, \"ship_count\": 10, \"owner\": 3},\n"
     "  {\"name\": \"home 4\", \"x\": 11.0, \"y\": -5.0, \"ship_count\": 10, \"owner\": 4},\n"
     "  {\"name\": \"alpha 1\", \"x\": 1.0, \"y\": 10.0, \"ship_count\": 5},\n"
     "  {\"name\": \"alpha 2\", \"x\": -10.0, \"y\": 1.0, \"ship_count\": 5},\n"
     "  {\"name\": \"alpha 3\", \"x\": -1.0, \"y\": -10.0, \"ship_count\": 5},\n"
     "  {\"name\": \"alpha 4\", \"x\": 10.0, \"y\": -1.0, \"ship_count\": 5},\n"
     "  {\"name\": \"beta 1\", \"x\": -5.0, \"y\": -4.0, \"ship_count\": 10},\n"
     "  {\"name\": \"beta 2\", \"x\": 4.0, \"y\": -5.0, \"ship_count\": 10},\n"
     "  {\"name\": \"beta 3\", \"x\": 5.0, \"y\": 4.0, \"ship_count\": 10},\n"
     "  {\"name\": \"beta 4\", \"x\": -4.0, \"y\": 5.0, \"ship_count\": 10},\n"
     "  {\"name\": \"gamma 1\", \"x\": -5.0, \"y\": 8.0, \"ship_count\": 7},\n"
     "  {\"name\": \"gamma 2\", \"x\": -8.0, \"y\": -5.0, \"ship_count\": 7},\n"
     "  {\"name\": \"gamma 3\", \"x\": 5.0, \"y\": -8.0, \"ship_count\": 7},\n"
     "  {\"name\": \"gamma 4\", \"x\": 8.0, \"y\": 5.0, \"ship_count\": 7},\n"
     "  {\"name\": \"delta 1\", \"x\": 2.0, \"y\": 13.0, \"ship_count\": 10},\n"
     "  {\"name\": \"delta 2\", \"x\": -13.0, \"y\": 2.0, \"ship_count\": 10},\n"
     "  {\"name\": \"delta 3\", \"x\": -2.0, \"y\": -13.0, \"ship_count\": 10},\n"
     "  {\"name\": \"delta 4\", \"x\": 13.0, \"y\": -2.0, \"ship_count\": 10},\n"
     "  {\"name\": \"epsilon 1\", \"x\": -1.0, \"y\": 8.0, \"ship_count\": 5},\n"
     "  {\"name\": \"epsilon 2\", \"x\": -8.0, \"y\": -1.0, \"ship_count\": 5},\n"
     "  {\"name\": \"epsilon 3\", \"x\": 1.0, \"y\": -8.0, \"ship_count\": 5},\n"
     "  {\"name\": \"epsilon 4\", \"x\": 8.0, \"y\": 1.0, \"ship_count\": 5},\n"
     "  {\"name\": \"zeta 1\", \"x\": -6.0, \"y\": -2.0, \"ship_count\": 10},\n"
     "  {\"name\": \"zeta 2\", \"x\": 2.0, \"y\": -6.0, \"ship_count\": 10},\n"
     "  {\"name\": \"zeta 3\", \"x\": 6.0, \"y\": 2.0, \"ship_count\": 10},\n"
     "  {\"name\": \"zeta 4\", \"x\": -2.0, \"y\": 6.0, \"ship_count\": 10},\n"
     "  {\"name\": \"eta 1\", \"x\": 9.0, \"y\": -4.0, \"ship_count\": 6},\n"
     "  {\"name\": \"eta 2\", \"x\": 4.0, \"y\": 9.0, \"ship_count\": 6},\n"
     "  {\"name\": \"eta 3\", \"x\": -9.0, \"y\": 4.0, \"ship_count\": 6},\n"
     "  {\"name\": \"eta 4\", \"x\": -4.0, \"y\": -9.0, \"ship_count\": 6},\n"
     "  {\"name\": \"centre\", \"x\": 0.0, \"y\": 0.0, \"ship_count\": 21}\n"
     "]}\n"},
    {0},
};

/* ---- the generator ----

   A map is made of rings: a place for each player, obtained by rotating the first one, so that the
   map looks the same from every home. Coordinates are whole thousandths, and rotating rounds them.
   A ring is drawn again if rounding makes travel times differ between players, or if it is too
   close to another ring. For two and four players, rotating only swaps and negates coordinates, so
   whole coordinates stay whole. */

enum { UNIT = 1000, GAP_MIN = 2, RING_TRIES = 1000, DEFAULT_SIZE = 6, HOME_SHIPS = 10 };

typedef struct RingPoint {
    int64_t x;
    int64_t y;
} RingPoint;

typedef struct Rings {
    uint32_t players;
    uint32_t count;                           /* rings so far */
    int64_t radius;                           /* radius of the map */
    int64_t step;                             /* coordinates are multiples of it */
    double cosine[GAME_PLAYERS_MAX];          /* cosine of each player's rotation */
    double sine[GAME_PLAYERS_MAX];            /* sine of each player's rotation */
    RingPoint places[PLANETWARS_PLANETS_MAX]; /* [ring * players + player] */
} Rings;

/* The sine of `quarters` / `parts` quarter turns. It uses only basic arithmetic, so the result is
   the same on every machine. */
static double sine_of(uint32_t quarters, uint32_t parts) {
    uint32_t quadrant = quarters / parts % 4;
    double x = 1.5707963267948966 * (quarters % parts) / parts;
    double term = quadrant % 2 ? 1 : x;
    double sum = term;
    for (int i = quadrant % 2 ? 1 : 2; i < 30; i += 2) {
        term *= -x * x / (i * (i + 1));
        sum += term;
    }
    return quadrant < 2 ? sum : -sum;
}

static RingPoint turned(const Rings *rings, RingPoint place, uint32_t player) {
    double x = (double)place.x;
    double y = (double)place.y;
    return (RingPoint){
        (int64_t)floor(x * rings->cosine[player] - y * rings->sine[player] + 0.5),
        (int64_t)floor(x * rings->sine[player] + y * rings->cosine[player] + 0.5),
    };
}

static RingPoint *ring_places(Rings *rings, uint32_t ring) {
    return rings->places + (size_t)ring * rings->players;
}

static uint32_t travel(RingPoint a, RingPoint b) {
    return planetwars_travel((double)a.x / UNIT, (double)a.y / UNIT, (double)b.x / UNIT,
                             (double)b.y / UNIT);
}

/* Whether the newest ring is far enough from ring `other` (which may be the newest itself), with
   the same travel times for every player. */
static bool agrees(Rings *rings, uint32_t other) {
    const RingPoint *newest = ring_places(rings, rings->count);
    const RingPoint *others = ring_places(rings, other);
    for (uint32_t ahead = 0; ahead < rings->players; ahead++) {
        if (other == rings->count && ahead == 0)
            continue;
        uint32_t turns = travel(newest[0], others[ahead]);
        if (turns <= GAP_MIN)
            return false;
        for (uint32_t player = 1; player < rings->players; player++)
            if (travel(newest[player], others[(player + ahead) % rings->players]) != turns)
                return false;
    }
    return true;
}

/* Draws places for ring `count`: homes in the outer part, the next ring near them, all others
   anywhere except the middle. */
static bool draw_ring(Rings *rings, Random *random) {
    int64_t steps = rings->radius / rings->step;
    RingPoint *newest = ring_places(rings, rings->count);
    RingPoint place = {
        ((int64_t)random_below(random, (uint32_t)(2 * steps + 1)) - steps) * rings->step,
        ((int64_t)random_below(random, (uint32_t)(2 * steps + 1)) - steps) * rings->step,
    };
    double out = sqrt((double)(place.x * place.x + place.y * place.y)) / (double)rings->radius;
    if (out > 1 || (rings->count == 0 && (out < 0.7 || out > 0.9)))
        return false;
    for (uint32_t player = 0; player < rings->players; player++)
        newest[player] = turned(rings, place, player);
    if (rings->count == 1 && travel(newest[0], rings->places[0]) > 6)
        return false;
    for (uint32_t player = 0; player < rings->players; player++)
        if (travel(newest[player], (RingPoint){0, 0}) != travel(newest[0], (RingPoint){0, 0}) ||
            travel(newest[player], (RingPoint){0, 0}) <= GAP_MIN)
            return false;
    for (uint32_t other = 0; other <= rings->count; other++)
        if (!agrees(rings, other))
            return false;
    return true;
}

static void lay_out(Rings *rings, Random *random, uint32_t players, uint32_t size) {
    *rings = (Rings){.players = players, .step = players == 2 || players == 4 ? UNIT : 1};
    for (uint32_t player = 0; player < players; player++) {
        rings->sine[player] = sine_of(4 * player, players);
        rings->cosine[player] = sine_of(4 * player + players, players);
    }
    double crowd = 2.5 * sqrt(players * size) + 2;
    double apart = 4 / sine_of(2, players); /* homes are about six turns apart, or more */
    rings->radius = (int64_t)ceil(fmax(crowd, apart)) * UNIT;
    uint32_t tries = 0;
    while (rings->count < size) {
        if (draw_ring(rings, random))
            rings->count++;
        else if (++tries % RING_TRIES == 0)
            rings->radius += (rings->radius / 10 / UNIT + 1) * UNIT;
    }
}

static void write_coordinate(Buffer *map, const char *field, int64_t value) {
    buffer_format(map, ", \"%s\": ", field);
    json_double(map, (double)value / UNIT);
}

static void write_planet(Buffer *map, const char *name, RingPoint place, uint32_t ships,
                         uint32_t owner) {
    buffer_format(map, "  {\"name\": \"%s\"", name);
    write_coordinate(map, "x", place.x);
    write_coordinate(map, "y", place.y);
    buffer_format(map, ", \"ship_count\": %u", ships);
    if (owner)
        buffer_format(map, ", \"owner\": %u", owner);
    buffer_text(map, "}");
}

static void write_rings(Buffer *map, const Rings *rings, Random *random) {
    static const char *const names[] = {"home", "alpha", "beta",  "gamma", "delta", "epsilon",
                                        "zeta", "eta",   "theta", "iota",  "kappa", "lambda"};
    buffer_text(map, "{\"planets\": [\n");
    for (uint32_t ring = 0; ring < rings->count; ring++) {
        uint32_t ships = ring == 0 ? HOME_SHIPS : 2 + random_below(random, ring == 1 ? 6 : 14);
        for (uint32_t player = 0; player < rings->players; player++) {
            char name[40];
            if (ring < sizeof names / sizeof *names)
                snprintf(name, sizeof name, "%s %u", names[ring], player + 1);
            else
                snprintf(name, sizeof name, "ring %u %u", ring, player + 1);
            write_planet(map, name, rings->places[ring * rings->players + player], ships,
                         ring == 0 ? player + 1 : 0);
            buffer_text(map, ",\n");
        }
    }
    write_planet(map, "centre", (RingPoint){0, 0}, 10 + random_below(random, 20), 0);
    buffer_text(map, "\n]}\n");
}

bool planetwars_generate(uint32_t players, uint64_t seed, uint32_t size, Buffer *map,
                         Error *error) {
    if (players < game_planetwars.players_min || players > game_planetwars.players_max)
        return error_set(error, "Planet Wars is for %u to %u players, not %u",
                         game_planetwars.players_min, game_planetwars.players_max, players);
    uint32_t size_max = (PLANETWARS_PLANETS_MAX - 1) / players; /* one is reserved for the centre */
    if (size > size_max)
        return error_set(error, "a map for %u players has 1 to %u planets for each, not %u",
                         players, size_max, size);
    if (size == 0)
        size = DEFAULT_SIZE < size_max ? DEFAULT_SIZE : size_max;
    Random random = random_seeded(seed);
    Rings rings;
    lay_out(&rings, &random, players, size);
    write_rings(map, &rings, &random);
    return true;
}
