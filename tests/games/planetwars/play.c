/* Plays Planet Wars in tests: answers, hostile orders, and the invariants after every turn. */
#include "../play.h"
#include "games/planetwars/planetwars.h"

#include <string.h>

static void answer_move(const PlanetwarsSetup *setup, uint32_t origin, uint64_t ships,
                        Random *random, Buffer *to) {
    static const char *const odd_counts[] = {"0", "18446744073709551615", "1000000", "7"};
    uint32_t destination = random_below(random, setup->planet_count);
    bool odd = random_below(random, 30) == 0;
    buffer_text(to, "{\"origin\":");
    json_string(to, slice_of(random_below(random, 60) ? setup->sites[origin].name : "nowhere"));
    buffer_text(to, ",\"destination\":");
    json_string(to,
                slice_of(random_below(random, 60) ? setup->sites[destination].name : "nowhere"));
    buffer_text(to, ",\"ship_count\":");
    if (odd)
        buffer_text(to, odd_counts[random_below(random, 4)]);
    else
        buffer_uint(to, ships);
    buffer_text(to, "}");
}

static void answer(const GameSetup *head, const GameState *state_head, uint32_t player,
                   Random *random, Buffer *to) {
    static const char *const garbage[] = {
        "",   "{}",   "{\"moves\":[1]}", "{\"moves\":[{\"origin\":1}]}",
        "go", "[[[[", "{\"moves\":{}}"};
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsState *state = (const PlanetwarsState *)state_head;
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    if (random_below(random, 500) == 0) {
        buffer_text(to, garbage[random_below(random, 7)]);
        return;
    }
    bool first = true;
    buffer_text(to, "{\"moves\":[");
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        bool own = planets[i].owner == player + 1;
        if (random_below(random, own ? 3 : 200) != 0)
            continue;
        uint32_t splits = 1 + random_below(random, 3);
        for (uint32_t split = 0; split < splits; split++) {
            buffer_text(to, first ? "" : ",");
            answer_move(setup, i, 1 + planets[i].ships / (1 + random_below(random, 4)), random, to);
            first = false;
        }
    }
    buffer_text(to, "]}\n");
}

static void hostile(const GameSetup *head, const GameState *state_head, uint32_t player,
                    Random *random, GameOrders *orders_head) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    PlanetwarsOrders *orders = (PlanetwarsOrders *)orders_head;
    (void)state_head;
    (void)player;
    uint32_t many = random_below(random, 100) == 0 ? setup->under_way_max : 8;
    if (many > setup->under_way_max)
        many = setup->under_way_max;
    orders->head.kind = ORDERS_GIVEN;
    orders->head.count = random_below(random, many + 1);
    for (uint32_t i = 0; i < orders->head.count; i++) {
        PlanetwarsMove *move = &orders->moves[i];
        *move = (PlanetwarsMove){
            .ships = random_below(random, 4),
            .origin = random_below(random, setup->planet_count + 1),
            .destination = random_below(random, setup->planet_count + 1),
        };
        if (random_below(random, 20) == 0)
            move->ships = random_next(random);
        if (random_below(random, 40) == 0)
            move->origin = (uint32_t)random_next(random);
        if (random_below(random, 40) == 0)
            move->destination = (uint32_t)random_next(random);
    }
}

typedef struct Tally {
    uint64_t ships; /* of all owners, including neutral */
    uint32_t planets[GAME_PLAYERS_MAX + 1];
    uint32_t expeditions[GAME_PLAYERS_MAX + 1];
} Tally;

static const char *tally(const PlanetwarsSetup *setup, const PlanetwarsState *state, Tally *sums) {
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    const PlanetwarsExpedition *expeditions = planetwars_expeditions(setup, state);
    memset(sums, 0, sizeof *sums);
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        if (planets[i].owner > setup->head.players || planets[i].reserved)
            return "a planet has an owner that is not in the match";
        if (planets[i].owner && !planets[i].ships)
            return "a planet without ships has an owner";
        sums->planets[planets[i].owner]++;
        sums->ships += planets[i].ships;
    }
    for (uint32_t i = 0; i < state->expedition_count; i++) {
        const PlanetwarsExpedition *one = &expeditions[i];
        if (one->owner < 1 || one->owner > setup->head.players)
            return "an expedition has no owner";
        if (one->origin >= setup->planet_count || one->destination >= setup->planet_count)
            return "an expedition has an unknown origin or destination";
        if (!one->ships)
            return "an expedition has no ships";
        if (one->next)
            return "an expedition is still linked";
        if (i && one->id <= expeditions[i - 1].id)
            return "expeditions are out of order";
        if (one->id >= state->next_id)
            return "an expedition has a future id";
        uint32_t travel = setup->travel[one->origin * setup->planet_count + one->destination];
        if (one->turns_remaining < 1 || one->turns_remaining >= travel)
            return "an expedition has impossible turns remaining";
        sums->expeditions[one->owner]++;
        sums->ships += one->ships;
    }
    return NULL;
}

/* Every expedition under way has come one step nearer, or has arrived and is gone. */
static const char *check_movement(const PlanetwarsSetup *setup, const PlanetwarsState *before,
                                  const PlanetwarsState *after) {
    const PlanetwarsExpedition *was = planetwars_expeditions(setup, before);
    const PlanetwarsExpedition *is = planetwars_expeditions(setup, after);
    uint32_t at = 0;
    for (uint32_t i = 0; i < before->expedition_count; i++) {
        PlanetwarsExpedition moved = was[i];
        moved.turns_remaining--;
        if (moved.turns_remaining == 0)
            continue;
        if (at == after->expedition_count || memcmp(&is[at], &moved, sizeof moved) != 0)
            return "an expedition changed or vanished under way";
        at++;
    }
    for (; at < after->expedition_count; at++)
        if (is[at].id < before->next_id)
            return "a new expedition has an old id";
    return NULL;
}

static const char *check_players(const PlanetwarsSetup *setup, const PlanetwarsState *before,
                                 const PlanetwarsState *after, const Tally *sums) {
    uint32_t alive = 0;
    for (uint32_t player = 0; player < setup->head.players; player++) {
        const PlanetwarsPlayer *one = &planetwars_players(after)[player];
        bool lives = sums->planets[player + 1] || sums->expeditions[player + 1];
        uint32_t had_died = planetwars_players(before)[player].died;
        if (one->planets != sums->planets[player + 1] ||
            one->expeditions != sums->expeditions[player + 1] || one->reserved)
            return "the counts of a player are wrong";
        if (one->expeditions > setup->under_way_max)
            return "a player has too many expeditions";
        if (lives != (one->died == 0))
            return "`died` does not match planets and expeditions";
        if (had_died ? one->died != had_died : one->died && one->died != after->head.turn)
            return "a death has the wrong turn";
        alive += lives;
    }
    if ((alive < 2) != (after->end == END_ELIMINATION))
        return "`over` does not match the number of living players";
    return NULL;
}

static const char *check(const GameSetup *head, const GameState *before_head,
                         const GameState *after_head) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsState *before = (const PlanetwarsState *)before_head;
    const PlanetwarsState *after = (const PlanetwarsState *)after_head;
    Tally had;
    Tally has;
    const char *what = tally(setup, before, &had);
    if (!what)
        what = tally(setup, after, &has);
    if (what)
        return what;
    if (has.ships > had.ships + setup->planet_count - had.planets[0])
        return "more ships were built than planets are owned";
    if (after->head.used != sizeof *after + head->players * sizeof(PlanetwarsPlayer) +
                                setup->planet_count * sizeof(PlanetwarsPlanet) +
                                after->expedition_count * sizeof(PlanetwarsExpedition))
        return "`used` does not match the number of expeditions";
    what = check_movement(setup, before, after);
    return what ? what : check_players(setup, before, after, &has);
}

#define PLANET(name, x, y, ships, rest) \
 "{\"name\":\"" name "\",\"x\":" #x ",\"y\":" #y ",\"ship_count\":" #ships rest "}"
#define OWNER(number) ",\"owner\":" #number

static const PlayCase cases[] = {
    {NULL, NULL, 2},
    {"{\"max_turns\":60}", NULL, 4},
    /* Crowded: every travel time is one turn. */
    {"{\"max_turns\":80}",
     "{\"planets\":[" PLANET("a", 0, 0, 3, OWNER(1)) "," PLANET("b", 0, 0, 3, OWNER(2)) "," PLANET(
         "c \\\"quoted\\\"", 0.5, 0, 3, OWNER(3)) "," PLANET("d", 0, 0.7, 0, "") "]}",
     3},
    /* Rich and near. */
    {"{\"max_turns\":40}",
     "{\"planets\":[" PLANET("a", 0, 0, 1000000000000, OWNER(1)) "," PLANET(
         "b", 3, 0, 1000000000000, OWNER(2)) "," PLANET("c", 2, 2, 1000000000000, "") "]}",
     2},
    /* Poor: a planet whose only ship leaves keeps the new one. */
    {"{\"max_turns\":9}",
     "{\"planets\":[" PLANET("a", -2, 0, 1, OWNER(1)) "," PLANET("b", 2, 0, 1, OWNER(2)) "]}", 2},
    /* No expedition ever arrives. */
    {"{\"max_turns\":30}",
     "{\"planets\":[" PLANET("a", -1e6, 0, 9, OWNER(1)) "," PLANET("b", 1e6, 1e6, 9, OWNER(2)) "]}",
     2},
    {"{\"max_turns\":5}", NULL, 64},
};

const GamePlay play_planetwars = {
    .game = &game_planetwars,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .answer = answer,
    .hostile = hostile,
    .check = check,
};
