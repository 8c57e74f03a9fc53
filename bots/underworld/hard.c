/* House bot for Underworld: policy rollouts. It can play the strategy of house:medium in several
   styles (how many farms, when to march). In every turn it plays out each style for some turns, in
   which the others play like house:medium, and chooses the style with the best outcome. So it farms
   while nobody can punish it, stays at home when an attack would fail, and marches as soon as one
   succeeds.

   1. `watch_money` estimates the money of the others: the view does not contain it, but shows what
   they earn and build.
   2. `predict` finds the orders of the others in this turn, which are the same for all styles.
   3. `play_out` simulates the match with a style; `value` judges the outcome. With many players,
      only the nearest ones are modelled; the others stand still.

   The number of simulated turns depends only on the board, so the same views get the same answers.
   The clock ends the search early only on a very slow machine. If not all castles are visible, the
   bot plays like house:medium. */
#include "base/buffer.h"
#include "warlord.h"

#include <time.h>

enum {
    DEPTH_MAX = 32,      /* turns of a playout */
    DEPTH_MIN = 6,       /* turns of a playout with many players */
    BUDGET = 80000,      /* cells surveyed by all players in all playouts: about 20 ms */
    MODELS = 3,          /* other players that think in playouts */
    TIME_LIMIT_MS = 600, /* of CPU time; a turn has 1 s of wall time */
    WON = 1000000,
    SAVINGS = 3000, /* money beyond this is worth little: it wins nothing unless spent */
};

static const Style styles[] = {
    {.farm_share = 5},
    {.farm_share = 3, .march = NEVER},
    {.farm_share = 3, .march = NEVER, .farms = ALWAYS},
    {.farm_share = 3, .march = ALWAYS},
    {.farm_share = 3, .farms = NEVER},
    {.farm_share = 3, .farms = NEVER, .march = ALWAYS},
};
enum { STYLES = sizeof styles / sizeof *styles };

typedef struct Search {
    World world;   /* the view */
    Thing *before; /* the cells of the previous view */
    Thing *board;  /* the cells of a simulated state */
    UnderworldSetup *setup;
    UnderworldState *now;
    UnderworldState *future;
    Warlord lord; /* thinks for everyone */
    int depth;    /* turns of the playouts in this turn */
    bool modelled[PLAYERS_MAX];
    long long money[PLAYERS_MAX];
    Memory memory[PLAYERS_MAX];
    Memory memory_next[PLAYERS_MAX]; /* after the predicted orders */
    UnderworldOrders predicted[PLAYERS_MAX];
    UnderworldOrders simulated[PLAYERS_MAX];
} Search;

static int cell_count(const Search *search) {
    return search->world.size_x * search->world.size_y;
}

/* ---- the state of the view ---- */

/* Passes the board of the first view to the library; NULL if a castle is not visible. */
static UnderworldSetup *setup_of(const World *world) {
    Buffer map = {0};
    const char *comma = "";
    buffer_format(&map, "{\"sizex\":%d,\"sizey\":%d,\"objects\":[", world->size_x, world->size_y);
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++) {
            const Thing *thing = thing_at(world, x, y);
            if (!thing->kind)
                continue;
            buffer_format(&map, "%s{\"x\":%d,\"y\":%d,\"type\":\"%c\",\"owner\":%d}", comma, x, y,
                          thing->kind, thing->owner);
            comma = ",";
        }
    buffer_format(&map, "]}");
    GameFile config = {"configuration", slice_of("{}")};
    GameFile file = {"map", (Slice){map.data, map.length}};
    Error error;
    GameSetup *setup = underworld_setup(&config, &file, (uint32_t)world->players, &error);
    buffer_free(&map);
    return (UnderworldSetup *)setup;
}

static void begin(Search *search) {
    search->setup = setup_of(&search->world);
    if (!search->setup)
        return;
    search->now = (UnderworldState *)game_state_new(&search->setup->head);
    search->future = (UnderworldState *)game_state_new(&search->setup->head);
    for (int player = 0; player < search->world.players; player++)
        search->money[player] = search->world.money;
    memcpy(search->before, search->world.cells, (size_t)cell_count(search) * sizeof(Thing));
}

/* Whether the warrior on this cell was already there, or on an adjacent cell, in the previous view.
   The previous warrior is marked, so that it explains only one. */
static bool is_known(Search *search, int x, int y) {
    const World *world = &search->world;
    const Thing *warrior = thing_at(world, x, y);
    for (int i = -1; i < 4; i++) {
        int from_x = i < 0 ? x : x + steps[i].x;
        int from_y = i < 0 ? y : y + steps[i].y;
        if (!on_board(world, from_x, from_y))
            continue;
        Thing *was = &search->before[from_y * world->size_x + from_x];
        if (was->kind == 'W' && was->owner == warrior->owner &&
            was->hitpoints >= warrior->hitpoints) {
            was->kind = 'w';
            return true;
        }
    }
    return false;
}

/* Estimates what everyone has earned and spent since the previous view. */
static void watch_money(Search *search) {
    const World *world = &search->world;
    long long *money = search->money;
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++) {
            const Thing *thing = thing_at(world, x, y);
            const Thing *was = &search->before[y * world->size_x + x];
            if (was->kind == 'F')
                money[was->owner] += FARM_INCOME;
            if (thing->kind == 'F' && was->kind != 'F')
                money[thing->owner] -= FARM_COST;
            if (thing->kind == 'B' && was->kind != 'B')
                money[thing->owner] -= BARRACKS_COST;
            if (thing->kind == 'W' && !is_known(search, x, y))
                money[thing->owner] -= WARRIOR_COST;
        }
    for (int player = 0; player < world->players; player++)
        money[player] = money[player] > 0 ? money[player] : 0;
    money[world->me] = world->money;
    memcpy(search->before, world->cells, (size_t)cell_count(search) * sizeof(Thing));
}

/* Sets the state from the view. */
static void take_over(Search *search) {
    const World *world = &search->world;
    const UnderworldSetup *setup = search->setup;
    UnderworldState *state = search->now;
    memset(state, 0, setup->head.state_size);
    state->head.used = setup->objects_offset;
    state->head.turn = (uint32_t)world->turn;
    for (int player = 0; player < world->players; player++)
        state->players[player] = (UnderworldPlayer){.money = search->money[player], .out = 1};
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++) {
            const Thing *thing = thing_at(world, x, y);
            if (!thing->kind)
                continue;
            underworld_put(setup, state, (uint32_t)x, (uint32_t)y, (uint8_t)thing->kind,
                           (uint32_t)thing->owner);
            if (thing->kind == '#')
                continue;
            underworld_objects(setup, state)[state->object_count - 1].hitpoints = thing->hitpoints;
            if (thing->kind == 'C')
                state->players[thing->owner].out = 0;
        }
}

/* Fills `board` with the objects of a simulated state. */
static void draw_board(Search *search, const UnderworldState *state) {
    const UnderworldObject *objects = underworld_objects_const(search->setup, state);
    for (int cell = 0; cell < cell_count(search); cell++) {
        const Thing *thing = &search->world.cells[cell];
        search->board[cell] = thing->kind == '#' ? *thing : (Thing){0};
    }
    for (uint32_t i = 0; i < state->object_count; i++)
        search->board[objects[i].y * search->world.size_x + objects[i].x] =
            (Thing){objects[i].owner, objects[i].hitpoints, (char)objects[i].kind};
}

/* ---- search ---- */

/* Decides which players are modelled (we and the players with the nearest castles), and how far to
   look ahead. */
static void choose_models(Search *search) {
    Warlord *lord = &search->lord;
    int thinkers = 1;
    memset(search->modelled, 0, sizeof search->modelled);
    search->modelled[search->world.me] = true;
    lord->world = search->world;
    survey(lord);
    for (; thinkers <= MODELS; thinkers++) {
        int nearest = -1;
        for (int player = 0; player < search->world.players; player++) {
            const Camp *camp = &lord->camps[player];
            if (!search->modelled[player] && camp->castles &&
                (nearest < 0 || camp->castle_distance < lord->camps[nearest].castle_distance))
                nearest = player;
        }
        if (nearest < 0)
            break;
        search->modelled[nearest] = true;
    }
    int depth = BUDGET / (STYLES * thinkers * lord->cell_count);
    search->depth = depth < DEPTH_MIN ? DEPTH_MIN : least(depth, DEPTH_MAX);
}

/* The orders of a player who plays in a style, on the board that `cells` shows. */
static void think_for(Search *search, const UnderworldState *state, Thing *cells, int player,
                      const Style *style, Memory *memory, UnderworldOrders *orders) {
    Warlord *lord = &search->lord;
    lord->world.cells = cells;
    lord->world.me = player;
    lord->world.turn = (int)state->head.turn;
    lord->world.money = state->players[player].money;
    lord->style = *style;
    lord->memory = *memory;
    warlord_think(lord, orders);
    *memory = lord->memory;
}

/* The orders of the others in this turn, if they play like house:medium. */
static void predict(Search *search) {
    memcpy(search->memory_next, search->memory, sizeof search->memory);
    for (int player = 0; player < search->world.players; player++) {
        search->predicted[player].head = (GameOrders){.kind = ORDERS_GIVEN};
        if (player != search->world.me && !search->now->players[player].out)
            think_for(search, search->now, search->world.cells, player, &usual_style,
                      &search->memory_next[player], &search->predicted[player]);
    }
}

static long long value_of_object(const UnderworldObject *object) {
    long long hitpoints = object->hitpoints;
    switch (object->kind) {
    case UNDERWORLD_CASTLE:
        return hitpoints * 3 / 5;
    case UNDERWORLD_BARRACKS:
        return 400 + hitpoints * 2 / 5;
    case UNDERWORLD_FARM: /* more than it costs, because it continues to pay */
        return 650 + hitpoints * 13 / 20;
    default:
        return 200 + hitpoints * 3 / 5;
    }
}

/* The value of a state: what we own, minus what the others own. If there are several others, the
   strongest counts as much as the average, because it decides who wins in the end. */
static long long value(const Search *search, const UnderworldState *state) {
    const UnderworldObject *objects = underworld_objects_const(search->setup, state);
    int me = search->world.me;
    long long sum[PLAYERS_MAX] = {0};
    long long others = 0;
    long long strongest = 0;
    int living = 0;
    for (uint32_t i = 0; i < state->object_count; i++)
        sum[objects[i].owner] += value_of_object(&objects[i]);
    for (int player = 0; player < search->world.players; player++) {
        long long money = state->players[player].money;
        sum[player] += money < SAVINGS ? money : SAVINGS + (money - SAVINGS) / 20;
        if (player != me && !state->players[player].out) {
            others += sum[player];
            strongest = sum[player] > strongest ? sum[player] : strongest;
            living++;
        }
    }
    if (state->players[me].out)
        return -WON + 1000LL * state->head.turn;
    if (!living)
        return WON - 1000LL * state->head.turn;
    return sum[me] - (strongest + others / living) / 2;
}

/* The value of playing in a style from now on. Stores its orders in this turn in `first`, and what
   it remembers of this turn in *memory. */
static long long play_out(Search *search, const Style *style, Memory *memory,
                          UnderworldOrders *first) {
    int me = search->world.me;
    UnderworldState *state = search->future;
    Memory memories[PLAYERS_MAX];
    const GameOrders *orders[PLAYERS_MAX];
    memcpy(state, search->now, search->now->head.used);
    memcpy(memories, search->memory_next, sizeof memories);
    memories[me] = search->memory[me];
    think_for(search, state, search->world.cells, me, style, &memories[me], first);
    *memory = memories[me];
    for (int player = 0; player < search->world.players; player++)
        orders[player] = player == me ? &first->head : &search->predicted[player].head;
    underworld_step(&search->setup->head, &state->head, orders, NULL);
    for (int turn = 1; turn < search->depth && !state->head.over && !state->players[me].out;
         turn++) {
        draw_board(search, state);
        for (int player = 0; player < search->world.players; player++) {
            search->simulated[player].head = (GameOrders){.kind = ORDERS_GIVEN};
            orders[player] = &search->simulated[player].head;
            if (search->modelled[player] && !state->players[player].out)
                think_for(search, state, search->board, player, player == me ? style : &usual_style,
                          &memories[player], &search->simulated[player]);
        }
        underworld_step(&search->setup->head, &state->head, orders, NULL);
    }
    return value(search, state);
}

static const UnderworldOrders *choose(Search *search) {
    static UnderworldOrders first[2];
    clock_t deadline = clock() + TIME_LIMIT_MS * (CLOCKS_PER_SEC / 1000);
    Memory best_memory = {0};
    long long best = INT64_MIN;
    int kept = 0; /* index of the best orders in `first` */
    watch_money(search);
    take_over(search);
    choose_models(search);
    predict(search);
    for (int i = 0; i < STYLES && (i == 0 || clock() < deadline); i++) {
        Memory memory;
        long long found = play_out(search, &styles[i], &memory, &first[1 - kept]);
        if (found > best) {
            best = found;
            best_memory = memory;
            kept = 1 - kept;
        }
    }
    memcpy(search->memory, search->memory_next, sizeof search->memory);
    search->memory[search->world.me] = best_memory;
    return &first[kept];
}

int main(void) {
    static Search search;
    static UnderworldOrders orders;
    search.world = world_greet();
    search.before = xcalloc((size_t)cell_count(&search), sizeof(Thing));
    search.board = xcalloc((size_t)cell_count(&search), sizeof(Thing));
    warlord_init(&search.lord, &search.world, &usual_style);
    while (world_read(&search.world)) {
        if (search.world.turn == 0)
            begin(&search);
        if (search.setup) {
            write_orders(choose(&search));
        } else {
            search.lord.world = search.world;
            warlord_think(&search.lord, &orders);
            write_orders(&orders);
        }
    }
    warlord_free(&search.lord);
    if (search.setup)
        underworld_setup_free(&search.setup->head);
    free(search.now);
    free(search.future);
    free(search.before);
    free(search.board);
    free(search.world.cells);
    return 0;
}
