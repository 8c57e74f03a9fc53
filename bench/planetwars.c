/* Planet Wars for the benchmarks: the middle of a duel on hex. */
#include "games/planetwars/planetwars.h"
#include "scene.h"

#include <stdlib.h>
#include <string.h>

enum { TURNS_BEFORE = 30 };

/* Sends one ship from one of the player's planets to another planet, different ones each turn. */
static void orders(const GameSetup *head, const GameState *state_head, uint32_t player,
                   GameOrders *orders_head) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsState *state = (const PlanetwarsState *)state_head;
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    PlanetwarsOrders *given = (PlanetwarsOrders *)orders_head;
    uint32_t count = setup->planet_count;
    uint32_t turn = state->head.turn;
    memset(given, 0, head->orders_size);
    given->head.kind = ORDERS_GIVEN;
    for (uint32_t i = 0; i < count && given->head.count == 0; i++) {
        uint32_t origin = (turn + i) % count;
        if (planets[origin].owner == player + 1 && planets[origin].ships > 0)
            given->moves[given->head.count++] = (PlanetwarsMove){
                .ships = 1,
                .origin = origin,
                .destination = (origin + 1 + turn % (count - 1)) % count,
            };
    }
}

/* Plays until as many expeditions arrive as depart. */
static void prepare(const GameSetup *setup, GameState *state) {
    GameOrders *given[2] = {game_orders_new(setup), game_orders_new(setup)};
    for (uint32_t turn = 0; turn < TURNS_BEFORE; turn++) {
        for (uint32_t player = 0; player < 2; player++)
            orders(setup, state, player, given[player]);
        planetwars_step(setup, state, (const GameOrders *const *)given, NULL);
    }
    free(given[0]);
    free(given[1]);
}

const BenchScene scene_planetwars = {
    .game = &game_planetwars,
    .what = "hex with about sixteen expeditions under way, one order a player",
    .players = 2,
    .prepare = prepare,
    .orders = orders,
    .view_end = "]}\n",
    .trivial_hello = "",
    .trivial_answer = "{\"moves\":[]}\n",
};
