/* The strong house bot of Planet Wars. It uses no random numbers.

   For each planet it makes a forecast: given the ships there and those under way to it, who owns
   the planet after each of the coming turns, and with how many ships? The forecast answers two
   questions:

   - How many ships can a planet spare, so that it still holds against what is coming and against
     what near enemies could send?
   - How few ships, arriving after a given number of turns, make a planet ours at the end of the
     forecast, and how many ships does that gain over leaving it alone? Defending, taking, retaking
     and sniping after others have fought are all the same question.

   It makes the move with the best gain for its ships, as long as there is one. Then spare ships
   behind the front move up to it. */
#include "common.h"

enum {
    LOOK_AHEAD_MAX = 100, /* turns */
    BEYOND_TRAVEL = 20,   /* turns of the forecast after the longest journey */
    /* added to a plan's ships when dividing its gain by them, so that very cheap plans are not
       preferred to cheap ones */
    GAIN_FREE_SHIPS = 5,
    PLAYERS_MAX = 256,
};

/* Ships that arrive at a planet. */
typedef struct Arrival {
    uint64_t ships;
    uint32_t turn; /* from now */
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
    double gain; /* per ship; plans without a gain are not carried out */
    bool fresh;  /* no ships were sent since it was made */
} Plan;

typedef struct Admiral {
    Board board;
    uint32_t look_ahead;
    uint32_t capacity; /* planets that fit into the arrays below */
    uint32_t *travel;  /* [from * planet_count + to] */
    /* [to * planet_count + rank]: all planets by travel time, the nearest first */
    uint32_t *nearest;
    uint64_t *spare;    /* ships that each of our planets can spare */
    uint32_t *front;    /* turns from each planet to the nearest enemy planet */
    Arrivals *arrivals; /* at each planet */
    Plan *plans;        /* for each planet */
} Admiral;

/* The state of a planet at the end of the forecast. */
typedef struct Forecast {
    uint64_t ships;
    uint32_t owner;
    bool held; /* ours all the time */
} Forecast;

/* ---- the forecast ---- */

static void add_arrival(Arrivals *arrivals, Arrival arrival) {
    if (arrivals->count == arrivals->capacity) {
        arrivals->capacity = arrivals->capacity ? arrivals->capacity * 2 : 16;
        arrivals->list =
            (Arrival *)board_grow(arrivals->list, arrivals->capacity, sizeof *arrivals->list);
    }
    uint32_t at = arrivals->count++;
    for (; at > 0 && arrivals->list[at - 1].turn > arrival.turn; at--)
        arrivals->list[at] = arrivals->list[at - 1];
    arrivals->list[at] = arrival;
}

/* Owner and ships after a fight between the ships there, arrivals [from, to) and `extra` ships of
   ours. */
static void fight(Forecast *forecast, const Arrival *arrivals, uint32_t from, uint32_t to,
                  uint64_t extra) {
    Arrival fleets[PLAYERS_MAX];
    uint32_t count = 2;
    fleets[0] = (Arrival){.owner = forecast->owner, .ships = forecast->ships};
    fleets[1] = (Arrival){.owner = 1, .ships = extra};
    for (uint32_t i = from; i < to; i++) {
        const Arrival *arrival = &arrivals[i];
        uint32_t fleet = 0;
        while (fleet < count && fleets[fleet].owner != arrival->owner)
            fleet++;
        if (fleet == PLAYERS_MAX)
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
static Forecast forecast_planet(const Admiral *admiral, uint32_t planet, uint64_t taken,
                                uint64_t extra, uint32_t extra_turn) {
    const Planet *now = &admiral->board.planets[planet];
    const Arrivals *arrivals = &admiral->arrivals[planet];
    Forecast forecast = {.ships = now->ships - taken, .owner = now->owner, .held = now->owner == 1};
    uint32_t turn = 0;
    uint32_t at = 0;
    while (turn < admiral->look_ahead) {
        uint32_t next = at < arrivals->count ? arrivals->list[at].turn : admiral->look_ahead;
        if (extra && extra_turn > turn && extra_turn < next)
            next = extra_turn;
        if (next > admiral->look_ahead)
            next = admiral->look_ahead;
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

static uint32_t enemy_count(const Admiral *admiral) {
    bool seen[PLAYERS_MAX] = {false};
    uint32_t count = 0;
    for (uint32_t i = 0; i < admiral->board.planet_count; i++) {
        uint32_t owner = admiral->board.planets[i].owner;
        if (owner > 1 && owner < PLAYERS_MAX && !seen[owner]) {
            seen[owner] = true;
            count++;
        }
    }
    return count ? count : 1;
}

/* ---- a turn ---- */

static int compare_near(const void *left, const void *right) {
    const uint64_t *a = left;
    const uint64_t *b = right;
    return (*a > *b) - (*a < *b);
}

/* Planets never move, so this runs once, or when their number changes. */
static void measure(Admiral *admiral) {
    const Board *board = &admiral->board;
    uint32_t count = board->planet_count;
    if (count == admiral->capacity)
        return;
    uint64_t *keys = (uint64_t *)board_grow(NULL, count, sizeof *keys);
    admiral->travel =
        (uint32_t *)board_grow(admiral->travel, count * count, sizeof *admiral->travel);
    admiral->nearest =
        (uint32_t *)board_grow(admiral->nearest, count * count, sizeof *admiral->nearest);
    admiral->spare = (uint64_t *)board_grow(admiral->spare, count, sizeof *admiral->spare);
    admiral->front = (uint32_t *)board_grow(admiral->front, count, sizeof *admiral->front);
    admiral->plans = (Plan *)board_grow(admiral->plans, count, sizeof *admiral->plans);
    for (uint32_t i = count; i < admiral->capacity; i++)
        free(admiral->arrivals[i].list);
    admiral->arrivals = (Arrivals *)board_grow(admiral->arrivals, count, sizeof *admiral->arrivals);
    for (uint32_t i = admiral->capacity; i < count; i++)
        admiral->arrivals[i] = (Arrivals){0};
    uint32_t longest = 0;
    for (uint32_t to = 0; to < count; to++) {
        for (uint32_t from = 0; from < count; from++) {
            uint32_t turns = board_travel(&board->planets[from], &board->planets[to]);
            admiral->travel[from * count + to] = turns;
            keys[from] = (uint64_t)turns << 32 | from;
            longest = turns > longest ? turns : longest;
        }
        qsort(keys, count, sizeof *keys, compare_near);
        for (uint32_t rank = 0; rank < count; rank++)
            admiral->nearest[to * count + rank] = (uint32_t)keys[rank];
    }
    admiral->look_ahead =
        longest + BEYOND_TRAVEL < LOOK_AHEAD_MAX ? longest + BEYOND_TRAVEL : LOOK_AHEAD_MAX;
    admiral->capacity = count;
    free(keys);
}

static uint32_t travel(const Admiral *admiral, uint32_t from, uint32_t to) {
    return admiral->travel[from * admiral->board.planet_count + to];
}

static void watch_expeditions(Admiral *admiral) {
    const Board *board = &admiral->board;
    for (uint32_t i = 0; i < board->planet_count; i++)
        admiral->arrivals[i].count = 0;
    for (uint32_t i = 0; i < board->expedition_count; i++) {
        const Expedition *one = &board->expeditions[i];
        add_arrival(&admiral->arrivals[one->destination],
                    (Arrival){.ships = one->ships,
                              .turn = one->turns_remaining ? one->turns_remaining : 1,
                              .owner = one->owner});
    }
}

/* Ships that must stay because an enemy nearby could attack before help arrives: for each distance,
   the ships of that enemy within it, minus ours, minus those built on the planet meanwhile. Enemies
   are considered one at a time: a bot that fears all of them at once never moves. Three quarters of
   the worst case did best among the fractions tried. */
static uint64_t needed_against_surprise(const Admiral *admiral, uint32_t planet) {
    const Board *board = &admiral->board;
    uint64_t force[PLAYERS_MAX] = {0};
    uint64_t worst = 0;
    for (uint32_t rank = 0; rank < board->planet_count; rank++) {
        uint32_t other = admiral->nearest[planet * board->planet_count + rank];
        uint32_t owner = board->planets[other].owner;
        if (other == planet || owner == 0 || owner >= PLAYERS_MAX)
            continue;
        force[owner] += board->planets[other].ships;
        uint64_t met = force[1] + travel(admiral, other, planet);
        if (owner != 1 && force[owner] > met && force[owner] - met > worst)
            worst = force[owner] - met;
    }
    uint64_t needed = worst - worst / 4;
    return needed < board->planets[planet].ships ? needed : board->planets[planet].ships;
}

/* The most ships that can leave a planet without losing it. */
static uint64_t spare_ships(const Admiral *admiral, uint32_t planet) {
    uint64_t low = 0;
    uint64_t high = admiral->board.planets[planet].ships - needed_against_surprise(admiral, planet);
    if (!forecast_planet(admiral, planet, 0, 0, 0).held)
        return 0;
    while (low < high) {
        uint64_t middle = low + (high - low + 1) / 2;
        if (forecast_planet(admiral, planet, middle, 0, 0).held)
            low = middle;
        else
            high = middle - 1;
    }
    return low;
}

/* A planet's value at the end of the forecast: our ships count for us, those of enemies against
   us. */
static double worth(Forecast forecast, double enemy_weight) {
    double ships = (double)forecast.ships;
    return forecast.owner == 1 ? ships : forecast.owner ? -ships * enemy_weight : 0;
}

static bool can_send(const Admiral *admiral, uint32_t source, uint32_t target) {
    return source != target && admiral->board.planets[source].owner == 1 && admiral->spare[source];
}

/* The fewest ships, at most `most`, that win the planet if they arrive in that turn; 0 if `most` do
   not suffice. */
static uint64_t ships_needed(const Admiral *admiral, uint32_t planet, uint64_t most,
                             uint32_t turn) {
    if (forecast_planet(admiral, planet, 0, most, turn).owner != 1)
        return 0;
    uint64_t low = 1;
    while (low < most) {
        uint64_t middle = low + (most - low) / 2;
        if (forecast_planet(admiral, planet, 0, middle, turn).owner == 1)
            most = middle;
        else
            low = middle + 1;
    }
    return most;
}

/* The best plan to win a planet, with ships from as few of the nearest planets as possible. Against
   an enemy's planet the ships must also outnumber what the enemy's planets at the same distance
   could send to help. */
static Plan plan_for(const Admiral *admiral, uint32_t target, double enemy_weight) {
    const Board *board = &admiral->board;
    const Plan none = {.target = target};
    Forecast alone = forecast_planet(admiral, target, 0, 0, 0);
    uint32_t defender = board->planets[target].owner;
    uint64_t ships = 0;
    uint64_t help = 0;
    for (uint32_t rank = 0; rank < board->planet_count && alone.owner != 1; rank++) {
        uint32_t other = admiral->nearest[target * board->planet_count + rank];
        uint32_t turn = travel(admiral, other, target);
        if (turn >= admiral->look_ahead)
            return none;
        if (other != target && defender > 1 && board->planets[other].owner == defender)
            help += board->planets[other].ships;
        if (!can_send(admiral, other, target))
            continue;
        ships += admiral->spare[other];
        uint64_t needed = ships > help ? ships_needed(admiral, target, ships, turn) : 0;
        if (!needed || needed + help > ships)
            continue;
        needed += help;
        Forecast after = forecast_planet(admiral, target, 0, needed, turn);
        double gain = worth(after, enemy_weight) - worth(alone, enemy_weight) - (double)needed;
        return (Plan){.target = target,
                      .ships = needed,
                      .gain = gain / ((double)needed + GAIN_FREE_SHIPS),
                      .fresh = true};
    }
    return none;
}

static void send_ships(Admiral *admiral, uint32_t source, uint32_t target, uint64_t ships) {
    add_arrival(&admiral->arrivals[target],
                (Arrival){.ships = ships, .turn = travel(admiral, source, target), .owner = 1});
    admiral->spare[source] -= ships;
    board_send(&admiral->board, source, target, ships);
}

static void carry_out(Admiral *admiral, Plan plan) {
    uint32_t count = admiral->board.planet_count;
    for (uint32_t rank = 0; rank < count && plan.ships; rank++) {
        uint32_t source = admiral->nearest[plan.target * count + rank];
        if (!can_send(admiral, source, plan.target))
            continue;
        uint64_t ships = admiral->spare[source] < plan.ships ? admiral->spare[source] : plan.ships;
        plan.ships -= ships;
        send_ships(admiral, source, plan.target, ships);
    }
}

/* Carries out the plan with the best gain, repeatedly. Sending ships can only make other plans
   worse, so a plan is recomputed only when it is the best one. */
static void pursue_plans(Admiral *admiral) {
    uint32_t count = admiral->board.planet_count;
    double enemy_weight = 1.0 / enemy_count(admiral);
    if (count == 0)
        return;
    for (uint32_t i = 0; i < count; i++)
        admiral->plans[i] = plan_for(admiral, i, enemy_weight);
    for (uint32_t steps = 0; steps < 20 * count; steps++) {
        Plan *best = &admiral->plans[0];
        for (uint32_t i = 1; i < count; i++)
            if (admiral->plans[i].gain > best->gain)
                best = &admiral->plans[i];
        if (best->gain <= 0)
            return;
        if (best->fresh) {
            carry_out(admiral, *best);
            for (uint32_t i = 0; i < count; i++)
                admiral->plans[i].fresh = false;
        }
        *best = plan_for(admiral, best->target, enemy_weight);
    }
}

/* Computes the turns from each planet to the nearest enemy planet. */
static void find_front(Admiral *admiral) {
    const Board *board = &admiral->board;
    for (uint32_t i = 0; i < board->planet_count; i++) {
        admiral->front[i] = UINT32_MAX;
        for (uint32_t rank = 0; rank < board->planet_count; rank++) {
            uint32_t other = admiral->nearest[i * board->planet_count + rank];
            if (board->planets[other].owner > 1) {
                admiral->front[i] = travel(admiral, i, other);
                break;
            }
        }
    }
}

/* Sends spare ships to the nearest of our planets that is closer to the enemy. */
static void move_up(Admiral *admiral) {
    const Board *board = &admiral->board;
    for (uint32_t source = 0; source < board->planet_count; source++) {
        if (!can_send(admiral, source, board->planet_count))
            continue;
        for (uint32_t rank = 0; rank < board->planet_count; rank++) {
            uint32_t target = admiral->nearest[source * board->planet_count + rank];
            uint32_t turns = travel(admiral, source, target);
            if (target != source && board->planets[target].owner == 1 &&
                turns < admiral->look_ahead && admiral->front[target] < admiral->front[source] &&
                turns <= admiral->front[source]) {
                send_ships(admiral, source, target, admiral->spare[source]);
                break;
            }
        }
    }
}

static void admiral_free(Admiral *admiral) {
    for (uint32_t i = 0; i < admiral->capacity; i++)
        free(admiral->arrivals[i].list);
    free(admiral->arrivals);
    free(admiral->travel);
    free(admiral->nearest);
    free(admiral->spare);
    free(admiral->front);
    free(admiral->plans);
    board_free(&admiral->board);
}

int main(void) {
    Admiral admiral = {0};
    while (board_read(&admiral.board)) {
        measure(&admiral);
        watch_expeditions(&admiral);
        find_front(&admiral);
        for (uint32_t i = 0; i < admiral.board.planet_count; i++)
            admiral.spare[i] = admiral.board.planets[i].owner == 1 ? spare_ships(&admiral, i) : 0;
        pursue_plans(&admiral);
        move_up(&admiral);
        board_answer(&admiral.board);
    }
    admiral_free(&admiral);
    return 0;
}
