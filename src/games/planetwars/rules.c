/* The rules of Planet Wars, in the order of docs/rules/planetwars.md. `planetwars_step` lists the
   stages of a turn. */
#include "games/planetwars/planetwars.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

/* The bytes of the state in use: up to the last expedition. */
static uint32_t used_bytes(const PlanetwarsSetup *setup, const PlanetwarsState *state) {
    return (uint32_t)((uintptr_t)(planetwars_expeditions(setup, state) + state->expedition_count) -
                      (uintptr_t)state);
}

/* This game has no randomness: the seed is not used. */
void planetwars_init(const GameSetup *head, uint64_t seed, GameState *state_head) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    PlanetwarsState *state = (PlanetwarsState *)state_head;
    (void)seed;
    memset(state, 0, head->state_size);
    PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        planets[i].owner = setup->sites[i].owner;
        planets[i].ships = setup->sites[i].ships;
        if (planets[i].owner)
            planetwars_players(state)[planets[i].owner - 1].planets++;
    }
    state->head.used = used_bytes(setup, state);
}

/* ---- a turn ---- */

/* Data shared by the stages of one turn. */
typedef struct Turn {
    const PlanetwarsSetup *setup;
    PlanetwarsState *state;
    PlanetwarsPlayer *players;
    PlanetwarsPlanet *planets;
    PlanetwarsExpedition *expeditions;
    Notes *notes;
    uint32_t first_arrived; /* index of an expedition; `expedition_count` if none arrived */
    /* a bit for each planet where expeditions arrived */
    uint64_t visited[PLANETWARS_PLANETS_MAX / 64];
    uint32_t arrived[PLANETWARS_PLANETS_MAX]; /* the first of them; only set if the bit is */
} Turn;

static bool wants_events(const Turn *turn) {
    return turn->notes && turn->notes->wants_events;
}

static const char *name_of(const Turn *turn, uint32_t planet) {
    return turn->setup->sites[planet].name;
}

/* Every planet owned by a player gets one ship. */
static void construct_ships(Turn *turn) {
    for (uint32_t i = 0; i < turn->setup->planet_count; i++)
        turn->planets[i].ships += turn->planets[i].owner != 0;
}

const char *planetwars_refusal(const PlanetwarsSetup *setup, const PlanetwarsState *state,
                               uint32_t player, const PlanetwarsMove *move, uint64_t ships,
                               uint32_t under_way) {
    if (move->origin >= setup->planet_count)
        return "origin does not exist";
    if (move->destination >= setup->planet_count)
        return "destination does not exist";
    if (planetwars_planets(setup, state)[move->origin].owner != player + 1)
        return "origin not owned";
    if (move->ships == 0)
        return "zero ships";
    if (move->ships > ships)
        return "not enough ships";
    if (under_way >= setup->under_way_max)
        return "too many expeditions under way";
    return NULL;
}

static void depart(Turn *turn, uint32_t player, const PlanetwarsMove *move) {
    PlanetwarsState *state = turn->state;
    turn->planets[move->origin].ships -= move->ships;
    turn->players[player].expeditions++;
    PlanetwarsExpedition *expedition = &turn->expeditions[state->expedition_count++];
    *expedition = (PlanetwarsExpedition){
        .id = state->next_id++,
        .ships = move->ships,
        .turns_remaining =
            turn->setup->travel[move->origin * turn->setup->planet_count + move->destination],
        .owner = player + 1,
        .origin = (uint16_t)move->origin,
        .destination = (uint16_t)move->destination,
    };
    if (wants_events(turn))
        notes_event(turn->notes, "player %u sends %llu from %s to %s, to arrive in turn %u",
                    player + 1, (unsigned long long)move->ships, name_of(turn, move->origin),
                    name_of(turn, move->destination),
                    state->head.turn + expedition->turns_remaining);
}

/* Carries out the moves in the order of players and of their answers. The ship that was just built
   cannot leave, so an owned planet always keeps at least one. */
static void dispatch_expeditions(Turn *turn, const GameOrders *const *all_orders) {
    const PlanetwarsSetup *setup = turn->setup;
    for (uint32_t player = 0; player < setup->head.players; player++) {
        const PlanetwarsOrders *orders = (const PlanetwarsOrders *)all_orders[player];
        if (orders->head.kind != ORDERS_GIVEN)
            continue;
        for (uint32_t i = 0; i < orders->head.count; i++) {
            const PlanetwarsMove *move = &orders->moves[i];
            uint64_t ships =
                move->origin < setup->planet_count ? turn->planets[move->origin].ships - 1 : 0;
            /* The state can only be full if a caller put more ships into it than the map has. */
            uint32_t under_way = turn->state->expedition_count < setup->expeditions_max
                                     ? turn->players[player].expeditions
                                     : UINT32_MAX;
            const char *reason =
                planetwars_refusal(setup, turn->state, player, move, ships, under_way);
            if (!reason)
                depart(turn, player, move);
            else
                notes_refuse(turn->notes, player, "moves[%u]: %s", i, reason);
        }
    }
}

/* All expeditions move one step. Those that arrive are linked by planet in the order of their ids,
   which is why the loop runs backwards. */
static void ship_movement(Turn *turn) {
    uint32_t count = turn->state->expedition_count;
    memset(turn->visited, 0, sizeof turn->visited);
    turn->first_arrived = count;
    for (uint32_t i = count; i-- > 0;) {
        PlanetwarsExpedition *expedition = &turn->expeditions[i];
        if (--expedition->turns_remaining > 0)
            continue;
        uint32_t planet = expedition->destination;
        uint64_t bit = UINT64_C(1) << planet % 64;
        expedition->next = turn->visited[planet / 64] & bit ? turn->arrived[planet] : count;
        turn->visited[planet / 64] |= bit;
        turn->arrived[planet] = i;
        turn->first_arrived = i;
        turn->players[expedition->owner - 1].expeditions--;
    }
}

typedef struct Fleet {
    uint32_t owner; /* 0: the ships of a neutral planet */
    uint64_t ships;
} Fleet;

static void log_combat(const Turn *turn, uint32_t planet, uint32_t before, const Fleet *fleets,
                       uint32_t count) {
    const PlanetwarsPlanet *now = &turn->planets[planet];
    char text[240] = "";
    size_t used = 0;
    for (uint32_t i = 0; i < count && used < sizeof text; i++) {
        char owner[24] = "neutral";
        if (fleets[i].owner)
            snprintf(owner, sizeof owner, "player %u", fleets[i].owner);
        used += (size_t)snprintf(text + used, sizeof text - used, "%s%s %llu", i ? ", " : "", owner,
                                 (unsigned long long)fleets[i].ships);
    }
    unsigned long long left = now->ships;
    if (count == 1)
        notes_event(turn->notes, "%s: player %u has %llu after an arrival", name_of(turn, planet),
                    now->owner, left);
    else if (left == 0)
        notes_event(turn->notes, "%s: %s; all are destroyed", name_of(turn, planet), text);
    else if (now->owner == 0)
        notes_event(turn->notes, "%s: %s; it stays neutral with %llu", name_of(turn, planet), text,
                    left);
    else
        notes_event(turn->notes, "%s: %s; player %u %s it with %llu", name_of(turn, planet), text,
                    now->owner, now->owner == before ? "holds" : "takes", left);
}

static void change_owner(Turn *turn, PlanetwarsPlanet *planet, uint32_t owner) {
    if (planet->owner)
        turn->players[planet->owner - 1].planets--;
    if (owner)
        turn->players[owner - 1].planets++;
    planet->owner = owner;
}

/* Each owner's ships form one fleet, including those on the planet. The largest fleet wins and
   loses as many ships as the second largest has. */
static void fight(Turn *turn, uint32_t number) {
    PlanetwarsPlanet *planet = &turn->planets[number];
    uint32_t before = planet->owner;
    Fleet fleets[GAME_PLAYERS_MAX + 1];
    uint32_t count = 1;
    fleets[0] = (Fleet){planet->owner, planet->ships};
    for (uint32_t i = turn->arrived[number]; i < turn->state->expedition_count;
         i = turn->expeditions[i].next) {
        uint32_t fleet = 0;
        while (fleet < count && fleets[fleet].owner != turn->expeditions[i].owner)
            fleet++;
        if (fleet == count)
            fleets[count++] = (Fleet){turn->expeditions[i].owner, 0};
        fleets[fleet].ships += turn->expeditions[i].ships;
    }
    Fleet largest = fleets[0];
    uint64_t second = 0;
    for (uint32_t i = 1; i < count; i++)
        if (fleets[i].ships > largest.ships) {
            second = largest.ships;
            largest = fleets[i];
        } else if (fleets[i].ships > second) {
            second = fleets[i].ships;
        }
    planet->ships = largest.ships - second;
    uint32_t owner = planet->ships ? largest.owner : 0;
    if (owner != planet->owner)
        change_owner(turn, planet, owner);
    if (wants_events(turn))
        log_combat(turn, number, before, fleets, count);
}

static void combat(Turn *turn) {
    for (uint32_t word = 0; word * 64 < turn->setup->planet_count; word++)
        for (uint64_t bits = turn->visited[word]; bits; bits &= bits - 1)
            fight(turn, word * 64 + (uint32_t)__builtin_ctzll(bits));
}

/* Removes expeditions that have arrived; the freed memory is set to zero. */
static void disband_arrived(Turn *turn) {
    uint32_t count = turn->state->expedition_count;
    uint32_t kept = turn->first_arrived;
    if (kept == count)
        return;
    for (uint32_t i = kept; i < count; i++)
        if (turn->expeditions[i].turns_remaining > 0)
            turn->expeditions[kept++] = turn->expeditions[i];
    memset(&turn->expeditions[kept], 0, (count - kept) * sizeof *turn->expeditions);
    turn->state->expedition_count = kept;
}

/* ---- the end ---- */

/* A player that owns neither a planet nor an expedition is eliminated. */
static void judge(Turn *turn) {
    PlanetwarsState *state = turn->state;
    uint32_t alive = 0;
    for (uint32_t player = 0; player < turn->setup->head.players; player++) {
        PlanetwarsPlayer *one = &turn->players[player];
        if (one->planets || one->expeditions) {
            alive++;
        } else if (!one->died) {
            one->died = state->head.turn;
            notes_event(turn->notes, "player %u is eliminated", player + 1);
        }
    }
    if (alive < 2)
        state->end = END_ELIMINATION;
    else if (state->head.turn == turn->setup->head.turns_max)
        state->end = END_TURN_LIMIT;
    state->head.over = state->end != END_NONE;
}

void planetwars_step(const GameSetup *setup, GameState *head, const GameOrders *const *orders,
                     Notes *notes) {
    Turn turn;
    turn.setup = (const PlanetwarsSetup *)setup;
    turn.state = (PlanetwarsState *)head;
    turn.players = planetwars_players(turn.state);
    turn.planets = planetwars_planets(turn.setup, turn.state);
    turn.expeditions = planetwars_expeditions(turn.setup, turn.state);
    turn.notes = notes;
    assert(!head->over);
    construct_ships(&turn);
    dispatch_expeditions(&turn, orders);
    ship_movement(&turn);
    combat(&turn);
    disband_arrived(&turn);
    head->turn++;
    judge(&turn);
    head->used = used_bytes(turn.setup, turn.state);
}

/* Living players share first place; the others rank by when they died, later is better. If nobody
   is alive, those who died last are first. */
void planetwars_result(const GameSetup *setup, const GameState *head, GameResult *result) {
    const PlanetwarsState *state = (const PlanetwarsState *)head;
    int64_t lived[GAME_PLAYERS_MAX];
    for (uint32_t player = 0; player < setup->players; player++) {
        uint32_t died = planetwars_players(state)[player].died;
        lived[player] = died ? died : INT64_MAX;
    }
    *result = (GameResult){.end = (GameEnd)state->end};
    game_rank_by(setup->players, lived, result->rank);
}
