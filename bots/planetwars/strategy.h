/* The strategy of house:medium. house:hard also uses it: as its model of the opponents, and to
   continue play in its simulations. It uses no random numbers.

   For each planet it makes a forecast: given the ships there and the ships under way to it, who
   owns the planet after each of the coming turns, and with how many ships? The forecast answers two
   questions:

   - How many ships can a planet spare and still hold against the ships under way and those that
     nearby enemies could send?
   - What is the smallest number of ships that, arriving after a given number of turns, makes a
     planet ours at the end of the forecast, and how many ships does that gain over leaving it
     alone? Defending, taking, retaking and sniping after others have fought are all the same
     question.

   It makes the move with the best gain for its ships, as long as there is one. Then planets behind
   the front send their spare ships towards it.

   To use it: strategy_measure once per match; then each turn strategy_begin, strategy_fleet for
   every expedition, and strategy_think, which leaves the moves in `moves`. */
#ifndef BOTS_PLANETWARS_STRATEGY_H
#define BOTS_PLANETWARS_STRATEGY_H

#include "base/memory.h"
#include "common.h"
#include "games/planetwars/planetwars.h"

enum {
    LOOK_AHEAD_MAX = 100, /* turns */
    BEYOND_TRAVEL = 20,   /* turns of the forecast after the longest journey */
    /* added to a plan's ships when dividing its gain by them, so that very cheap plans are not
       preferred to cheap ones */
    GAIN_FREE_SHIPS = 5,
    OWNERS_MAX = 256, /* owners of the ships in one fight, and numbers of players */
};

/* What can be varied. */
typedef struct Style {
    uint32_t fear;    /* a planet keeps ships against this percentage of a surprise attack */
    uint32_t respect; /* an attack must outnumber this percentage of the help for a planet */
    bool waits;       /* makes no moves */
} Style;

/* The best of the percentages tried. In a match that begins with several enemies, less fear and
   more respect do better: players that wait fall behind, and a fight helps those who stay out of
   it. */
#define STYLE_USUAL ((Style){.fear = 75, .respect = 50})

/* Ships that arrive at a planet. */
typedef struct Arrival {
    uint64_t ships;
    uint32_t turn; /* counted from now */
    uint32_t owner;
} Arrival;

typedef struct Arrivals {
    Arrival *list; /* by turn */
    uint32_t count;
    uint32_t capacity;
} Arrivals;

/* A plan to take or keep a planet. */
typedef struct Plan {
    uint32_t target;
    uint64_t ships;
    double gain; /* gain per ship; plans without a gain are not carried out */
    bool fresh;  /* no ships have been sent since it was made */
} Plan;

typedef struct Strategy {
    Style style;
    uint32_t planet_count;
    uint32_t look_ahead;
    uint32_t enemies;          /* other players that own a planet */
    bool crowded;              /* the match began with several enemies */
    PlanetwarsPlanet *planets; /* owner 1 is the player for whom the strategy thinks */
    PlanetwarsMove *moves;
    uint32_t move_count;
    uint32_t move_capacity;
    uint32_t *travel; /* [from * planet_count + to] */
    /* [to * planet_count + rank]: all planets by travel time, the nearest first */
    uint32_t *nearest;
    uint64_t *spare;    /* ships that each of our planets can spare */
    uint32_t *front;    /* turns from each planet to the nearest enemy planet */
    Arrivals *arrivals; /* at each planet */
    Plan *plans;        /* for each planet */
} Strategy;

/* The state of a planet at the end of the forecast. */
typedef struct Forecast {
    uint64_t ships;
    uint32_t owner;
    bool held; /* ours throughout the forecast */
} Forecast;

/* ---- the forecast ---- */

static inline void add_arrival(Arrivals *arrivals, Arrival arrival) {
    if (arrivals->count == arrivals->capacity) {
        arrivals->capacity = arrivals->capacity ? arrivals->capacity * 2 : 16;
        arrivals->list =
            (Arrival *)xreallocarray(arrivals->list, arrivals->capacity, sizeof *arrivals->list);
    }
    uint32_t at = arrivals->count++;
    for (; at > 0 && arrivals->list[at - 1].turn > arrival.turn; at--)
        arrivals->list[at] = arrivals->list[at - 1];
    arrivals->list[at] = arrival;
}

/* Owner and ships after a fight between the ships there, arrivals [from, to) and `extra` ships of
   ours. */
static inline void fight(Forecast *forecast, const Arrival *arrivals, uint32_t from, uint32_t to,
                         uint64_t extra) {
    Arrival fleets[OWNERS_MAX];
    uint32_t count = 2;
    fleets[0] = (Arrival){.owner = forecast->owner, .ships = forecast->ships};
    fleets[1] = (Arrival){.owner = 1, .ships = extra};
    for (uint32_t i = from; i < to; i++) {
        const Arrival *arrival = &arrivals[i];
        uint32_t fleet = 0;
        while (fleet < count && fleets[fleet].owner != arrival->owner)
            fleet++;
        if (fleet == OWNERS_MAX)
            continue;
        if (fleet == count)
            fleets[count++] = (Arrival){.owner = arrival->owner};
        fleets[fleet].ships += arrival->ships;
    }
    if (fleets[0].owner == 1) {
        fleets[0].ships += fleets[1].ships;
        fleets[1].ships = 0;
    }
    uint32_t largest = 0;
    uint64_t second = 0;
    for (uint32_t i = 1; i < count; i++)
        if (fleets[i].ships > fleets[largest].ships) {
            second = fleets[largest].ships;
            largest = i;
        } else if (fleets[i].ships > second) {
            second = fleets[i].ships;
        }
    forecast->ships = fleets[largest].ships - second;
    forecast->owner = forecast->ships ? fleets[largest].owner : 0;
}

/* Forecasts a planet if `taken` ships leave it now and `extra` ships of ours arrive after
   `extra_turn` turns. */
static inline Forecast forecast_planet(const Strategy *strategy, uint32_t planet, uint64_t taken,
                                       uint64_t extra, uint32_t extra_turn) {
    const PlanetwarsPlanet *now = &strategy->planets[planet];
    const Arrivals *arrivals = &strategy->arrivals[planet];
    Forecast forecast = {.ships = now->ships - taken, .owner = now->owner, .held = now->owner == 1};
    uint32_t turn = 0;
    uint32_t at = 0;
    while (turn < strategy->look_ahead) {
        uint32_t next = at < arrivals->count ? arrivals->list[at].turn : strategy->look_ahead;
        if (extra && extra_turn > turn && extra_turn < next)
            next = extra_turn;
        if (next > strategy->look_ahead)
            next = strategy->look_ahead;
        if (forecast.owner)
            forecast.ships += next - turn;
        turn = next;
        uint32_t end = at;
        while (end < arrivals->count && arrivals->list[end].turn == turn)
            end++;
        bool joins = extra && extra_turn == turn;
        if (end > at || joins)
            fight(&forecast, arrivals->list, at, end, joins ? extra : 0);
        forecast.held &= forecast.owner == 1;
        at = end;
    }
    return forecast;
}

/* The number of other players that own a planet. */
static inline uint32_t count_enemies(const Strategy *strategy) {
    bool seen[OWNERS_MAX] = {false};
    uint32_t enemies = 0;
    for (uint32_t i = 0; i < strategy->planet_count; i++) {
        uint32_t owner = strategy->planets[i].owner;
        if (owner > 1 && owner < OWNERS_MAX && !seen[owner]) {
            seen[owner] = true;
            enemies++;
        }
    }
    return enemies;
}

/* ---- the map ---- */

static inline int compare_near(const void *left, const void *right) {
    const uint64_t *a = left;
    const uint64_t *b = right;
    return (*a > *b) - (*a < *b);
}

/* Frees everything except the struct itself; its style stays. */
static inline void strategy_free(Strategy *strategy) {
    for (uint32_t i = 0; strategy->arrivals && i < strategy->planet_count; i++)
        free(strategy->arrivals[i].list);
    free(strategy->arrivals);
    free(strategy->planets);
    free(strategy->travel);
    free(strategy->nearest);
    free(strategy->spare);
    free(strategy->front);
    free(strategy->plans);
    free(strategy->moves);
    *strategy = (Strategy){.style = strategy->style};
}

/* Prepares for the planets of a board. They never move, so this does something only in the first
   turn, or if their number changes. */
static inline void strategy_measure(Strategy *strategy, const Board *board) {
    uint32_t count = board->planet_count;
    if (strategy->arrivals && count == strategy->planet_count)
        return;
    strategy_free(strategy);
    strategy->planet_count = count;
    strategy->planets = xcalloc(count, sizeof *strategy->planets);
    strategy->travel = xcalloc((size_t)count * count, sizeof *strategy->travel);
    strategy->nearest = xcalloc((size_t)count * count, sizeof *strategy->nearest);
    strategy->spare = xcalloc(count, sizeof *strategy->spare);
    strategy->front = xcalloc(count, sizeof *strategy->front);
    strategy->plans = xcalloc(count, sizeof *strategy->plans);
    strategy->arrivals = xcalloc(count, sizeof *strategy->arrivals);
    uint64_t *keys = xcalloc(count, sizeof *keys);
    uint32_t longest = 0;
    for (uint32_t i = 0; i < count; i++)
        strategy->crowded |= board->planets[i].owner > 2;
    for (uint32_t to = 0; to < count; to++) {
        for (uint32_t from = 0; from < count; from++) {
            uint32_t turns = board_travel(&board->planets[from], &board->planets[to]);
            strategy->travel[from * count + to] = turns;
            keys[from] = (uint64_t)turns << 32 | from;
            longest = turns > longest ? turns : longest;
        }
        qsort(keys, count, sizeof *keys, compare_near);
        for (uint32_t rank = 0; rank < count; rank++)
            strategy->nearest[to * count + rank] = (uint32_t)keys[rank];
    }
    strategy->look_ahead =
        longest + BEYOND_TRAVEL < LOOK_AHEAD_MAX ? longest + BEYOND_TRAVEL : LOOK_AHEAD_MAX;
    free(keys);
}

static inline uint32_t travel(const Strategy *strategy, uint32_t from, uint32_t to) {
    return strategy->travel[from * strategy->planet_count + to];
}

/* Ships that must stay because an enemy nearby could attack before help arrives: for each distance,
   the ships of that enemy within it, minus ours, minus those built on the planet meanwhile. Enemies
   are considered one at a time: a bot that fears all of them at once never moves. */
static inline uint64_t needed_against_surprise(const Strategy *strategy, uint32_t planet) {
    uint64_t force[OWNERS_MAX] = {0};
    uint64_t worst = 0;
    for (uint32_t rank = 0; rank < strategy->planet_count; rank++) {
        uint32_t other = strategy->nearest[planet * strategy->planet_count + rank];
        uint32_t owner = strategy->planets[other].owner;
        if (other == planet || owner == 0 || owner >= OWNERS_MAX)
            continue;
        force[owner] += strategy->planets[other].ships;
        uint64_t met = force[1] + travel(strategy, other, planet);
        if (owner != 1 && force[owner] > met && force[owner] - met > worst)
            worst = force[owner] - met;
    }
    uint32_t fear = strategy->crowded ? strategy->style.fear * 2 / 3 : strategy->style.fear;
    uint64_t needed = worst * fear / 100;
    return needed < strategy->planets[planet].ships ? needed : strategy->planets[planet].ships;
}

/* The most ships that can leave a planet without losing it. */
static inline uint64_t spare_ships(const Strategy *strategy, uint32_t planet) {
    uint64_t low = 0;
    uint64_t high = strategy->planets[planet].ships - needed_against_surprise(strategy, planet);
    if (!forecast_planet(strategy, planet, 0, 0, 0).held)
        return 0;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (forecast_planet(strategy, planet, middle, 0, 0).held)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* A planet's value at the end of the forecast: our ships count for us, those of enemies against
   us. */
static inline double worth(Forecast forecast) {
    double ships = (double)forecast.ships;
    return forecast.owner == 1 ? ships : forecast.owner ? -ships : 0;
}

static inline bool can_send(const Strategy *strategy, uint32_t source, uint32_t target) {
    return source != target && strategy->planets[source].owner == 1 && strategy->spare[source];
}

/* The fewest ships, up to `most`, that win the planet if they arrive in that turn; 0 if `most` are
   not enough. */
static inline uint64_t ships_needed(const Strategy *strategy, uint32_t planet, uint64_t most,
                                    uint32_t turn) {
    if (forecast_planet(strategy, planet, 0, most, turn).owner != 1)
        return 0;
    uint64_t low = 1;
    while (low < most) {
        uint64_t middle = low + (most - low) / 2;
        if (forecast_planet(strategy, planet, 0, middle, turn).owner == 1)
            most = middle;
        else
            low = middle + 1;
    }
    return most;
}

/* Enemies that could reach a target as soon as we can. */
typedef struct Rivals {
    uint64_t force[OWNERS_MAX]; /* ships of each */
    uint64_t excess;            /* hundredths of ships that an attack needs because of them */
} Rivals;

/* Counts the ships of a planet. Ships of the target's owner can help to defend it. If there are
   several enemies around, any other could take the planet after a fight has left few ships
   there. */
static inline void add_rival(const Strategy *strategy, Rivals *rivals, PlanetwarsPlanet planet,
                             uint32_t defender) {
    if (planet.owner <= 1 || planet.owner >= OWNERS_MAX)
        return;
    rivals->force[planet.owner] += planet.ships;
    if (planet.owner == defender)
        rivals->excess += planet.ships * strategy->style.respect * (strategy->crowded ? 2 : 1);
    else if (strategy->enemies > 1 && rivals->force[planet.owner] * 100 > rivals->excess)
        rivals->excess = rivals->force[planet.owner] * 100;
}

/* The best plan to win a planet and hold it, with ships from as few of the nearest planets as
   possible. */
static inline Plan plan_for(const Strategy *strategy, uint32_t target) {
    const Plan none = {.target = target};
    Forecast alone = forecast_planet(strategy, target, 0, 0, 0);
    uint32_t defender = strategy->planets[target].owner;
    uint64_t ships = 0;
    Rivals rivals = {0};
    for (uint32_t rank = 0; rank < strategy->planet_count && alone.owner != 1; rank++) {
        uint32_t other = strategy->nearest[target * strategy->planet_count + rank];
        uint32_t turn = travel(strategy, other, target);
        if (turn >= strategy->look_ahead)
            return none;
        if (other != target)
            add_rival(strategy, &rivals, strategy->planets[other], defender);
        if (!can_send(strategy, other, target))
            continue;
        ships += strategy->spare[other];
        uint64_t more = rivals.excess / 100;
        uint64_t needed = ships > more ? ships_needed(strategy, target, ships, turn) : 0;
        if (!needed || needed + more > ships)
            continue;
        needed += more;
        Forecast after = forecast_planet(strategy, target, 0, needed, turn);
        double gain = worth(after) - worth(alone) - (double)needed;
        return (Plan){.target = target,
                      .ships = needed,
                      .gain = gain / ((double)needed + GAIN_FREE_SHIPS),
                      .fresh = true};
    }
    return none;
}

static inline void send_ships(Strategy *strategy, uint32_t source, uint32_t target,
                              uint64_t ships) {
    add_arrival(&strategy->arrivals[target],
                (Arrival){.ships = ships, .turn = travel(strategy, source, target), .owner = 1});
    strategy->spare[source] -= ships;
    strategy->planets[source].ships -= ships;
    if (strategy->move_count == strategy->move_capacity) {
        strategy->move_capacity = strategy->move_capacity ? strategy->move_capacity * 2 : 64;
        strategy->moves = (PlanetwarsMove *)xreallocarray(strategy->moves, strategy->move_capacity,
                                                          sizeof *strategy->moves);
    }
    strategy->moves[strategy->move_count++] =
        (PlanetwarsMove){.origin = source, .destination = target, .ships = ships};
}

static inline void carry_out(Strategy *strategy, Plan plan) {
    uint32_t count = strategy->planet_count;
    for (uint32_t rank = 0; rank < count && plan.ships; rank++) {
        uint32_t source = strategy->nearest[plan.target * count + rank];
        if (!can_send(strategy, source, plan.target))
            continue;
        uint64_t ships =
            strategy->spare[source] < plan.ships ? strategy->spare[source] : plan.ships;
        plan.ships -= ships;
        send_ships(strategy, source, plan.target, ships);
    }
}

/* Carries out the plan with the best gain, repeatedly. Sending ships can only make other plans
   worse, so a plan is recomputed only when it is the best one. */
static inline void pursue_plans(Strategy *strategy) {
    uint32_t count = strategy->planet_count;
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        strategy->plans[i] = plan_for(strategy, i);
    for (uint32_t steps = 0; steps < 20 * count; steps++) {
        Plan *best = &strategy->plans[0];
        for (uint32_t i = 1; i < count; i++)
            if (strategy->plans[i].gain > best->gain)
                best = &strategy->plans[i];
        if (best->gain <= 0)
            return;
        if (best->fresh) {
            carry_out(strategy, *best);
            for (uint32_t i = 0; i < count; i++)
                strategy->plans[i].fresh = false;
        }
        *best = plan_for(strategy, best->target);
    }
}

/* Computes the turns from each planet to the nearest enemy planet. */
static inline void find_front(Strategy *strategy) {
    for (uint32_t i = 0; i < strategy->planet_count; i++) {
        strategy->front[i] = UINT32_MAX;
        for (uint32_t rank = 0; rank < strategy->planet_count; rank++) {
            uint32_t other = strategy->nearest[i * strategy->planet_count + rank];
            if (strategy->planets[other].owner > 1) {
                strategy->front[i] = travel(strategy, i, other);
                break;
            }
        }
    }
}

/* Sends spare ships to the nearest of our planets that is closer to the enemy. */
static inline void move_up(Strategy *strategy) {
    for (uint32_t source = 0; source < strategy->planet_count; source++) {
        if (!can_send(strategy, source, strategy->planet_count))
            continue;
        for (uint32_t rank = 0; rank < strategy->planet_count; rank++) {
            uint32_t target = strategy->nearest[source * strategy->planet_count + rank];
            uint32_t turns = travel(strategy, source, target);
            if (target != source && strategy->planets[target].owner == 1 &&
                turns < strategy->look_ahead && strategy->front[target] < strategy->front[source] &&
                turns <= strategy->front[source]) {
                send_ships(strategy, source, target, strategy->spare[source]);
                break;
            }
        }
    }
}

/* ---- a turn ---- */

/* Begins a turn without expeditions; the caller fills `planets`. */
static inline void strategy_begin(Strategy *strategy) {
    strategy->move_count = 0;
    for (uint32_t i = 0; i < strategy->planet_count; i++)
        strategy->arrivals[i].count = 0;
}

/* Adds ships that are under way. */
static inline void strategy_fleet(Strategy *strategy, uint32_t destination, uint32_t owner,
                                  uint64_t ships, uint32_t turns_remaining) {
    add_arrival(
        &strategy->arrivals[destination],
        (Arrival){.ships = ships, .turn = turns_remaining ? turns_remaining : 1, .owner = owner});
}

/* Chooses the moves of this turn. */
static inline void strategy_think(Strategy *strategy) {
    if (strategy->style.waits)
        return;
    strategy->enemies = count_enemies(strategy);
    find_front(strategy);
    for (uint32_t i = 0; i < strategy->planet_count; i++)
        strategy->spare[i] = strategy->planets[i].owner == 1 ? spare_ships(strategy, i) : 0;
    pursue_plans(strategy);
    move_up(strategy);
}

/* Chooses the moves for the view on the board. */
static inline void strategy_think_about(Strategy *strategy, const Board *board) {
    strategy_begin(strategy);
    for (uint32_t i = 0; i < board->planet_count; i++)
        strategy->planets[i] =
            (PlanetwarsPlanet){.ships = board->planets[i].ships, .owner = board->planets[i].owner};
    for (uint32_t i = 0; i < board->expedition_count; i++) {
        const Expedition *one = &board->expeditions[i];
        strategy_fleet(strategy, one->destination, one->owner, one->ships, one->turns_remaining);
    }
    strategy_think(strategy);
}

#endif
