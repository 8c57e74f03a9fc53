/* The hard house bot of Planet Wars: medium's strategy, improved by simulation.

   From each view it rebuilds a state of the rules library. A candidate is a list of moves for this
   turn and a style in which medium's strategy continues. To judge a candidate, the search plays it
   forward with the rules and measures this bot's share of all ships and planets. The first
   candidates are what each style would do now. After that the search changes the moves of the best
   one at random (drops a target, adds an attack, sends more or fewer ships elsewhere) and keeps
   improvements.

   How do the opponents move in a simulation? There are two models: medium's strategy, and a rash
   one that attacks whatever it can take. Each turn the bot compares what the models predicted with
   what happened, and gives more weight to the more accurate model. Without the second model, a
   search beats medium and loses to simpler bots, because it relies on moves that they never make.

   The budget of a turn is a number of simulated decisions, and the random numbers come from
   SKIRMISH_SEED, so a match repeats. The clock only ends a search that takes far longer than it
   should; it measures CPU time, so that other programs do not change what this one does. */
#include "../bot_random.h"
#include "base/clock.h"
#include "strategy.h"

enum {
    HORIZON = 40,      /* turns of a simulation */
    CHANGES_MAX = 60,  /* changed candidates in a turn */
    BUDGET = 36000,    /* decisions in a turn, times the planets of the map */
    PLANET_VALUE = 15, /* ships that a planet is worth at the end of a simulation */
    NEAR_PLANETS = 12, /* how many of a target's neighbours may join an attack */
    MOVES_MAX = 512,   /* moves of a candidate; any more are left out */
};

/* The CPU time at which a search gives up. */
#define SEARCH_NS_MAX (400 * CLOCK_MS)

typedef enum Model { MODEL_MEDIUM, MODEL_RASH, MODEL_COUNT } Model;

/* The share of past errors that counts in the next turn, and the smallest weight of a model that is
   still simulated. */
static const double MEMORY = 0.9;
static const double WEIGHT_LEAST = 0.1;

/* The error, in ships, above which a model is not trusted. */
static const double ERROR_MAX = 5;

static const Style styles[] = {
    STYLE_USUAL,
    {.fear = 75, .respect = 100},
    {.fear = 0, .respect = 100},
    {.fear = 100, .respect = 100},
    {.fear = 75, .respect = 0},
    {.fear = 0, .respect = 0},
    {.fear = 150, .respect = 150},
};

typedef struct Candidate {
    PlanetwarsMove moves[MOVES_MAX];
    double value;
    uint32_t move_count;
    Style style;
} Candidate;

/* The state of one model of the opponents. */
typedef struct Opponents {
    GameOrders **replies; /* the orders that it expects from each player in this turn */
    GameState *expected;  /* the state that it expected in the next turn */
    double error;         /* error of its predictions in ships; the latest turns count most */
    double weight;        /* the weights of all models sum to 1 */
} Opponents;

typedef struct Search {
    Board board;
    Strategy strategy;
    Random random;
    GameSetup *setup;
    GameState *root;     /* the state that the view shows */
    GameState *state;    /* the state of a simulation */
    GameOrders **orders; /* each player's orders in a simulation */
    uint32_t players;
    bool has_expected;
    Opponents opponents[MODEL_COUNT];
    int64_t budget;
    int64_t deadline;
    Candidate best;
    Candidate tried;
} Search;

static int64_t cpu_time(void) {
    struct timespec now = {0};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return now.tv_sec * (1000 * CLOCK_MS) + now.tv_nsec;
}

static bool is_exhausted(const Search *search) {
    return search->budget <= 0 || cpu_time() > search->deadline;
}

static const PlanetwarsSetup *setup_of(const Search *search) {
    return (const PlanetwarsSetup *)search->setup;
}

/* ---- from a view to a state ---- */

static uint32_t count_players(const Board *board) {
    uint32_t players = 2;
    for (uint32_t i = 0; i < board->planet_count; i++)
        if (board->planets[i].owner > players)
            players = board->planets[i].owner;
    for (uint32_t i = 0; i < board->expedition_count; i++)
        if (board->expeditions[i].owner > players)
            players = board->expeditions[i].owner;
    if (players > GAME_PLAYERS_MAX)
        board_give_up("owner");
    return players;
}

/* The planets of the view as a map. The owners here only make the setup valid: each state has its
   own. */
static GameSetup *make_setup(const Board *board, uint32_t players) {
    Buffer map = {0};
    buffer_format(&map, "{\"max_turns\":%d,\"planets\":[", PLANETWARS_TURNS_MAX);
    for (uint32_t i = 0; i < board->planet_count; i++) {
        const Planet *planet = &board->planets[i];
        buffer_text(&map, i ? ",{\"name\":" : "{\"name\":");
        json_string(&map, planet->name);
        buffer_format(&map, ",\"x\":%.17g,\"y\":%.17g,\"ship_count\":1", planet->x, planet->y);
        if (i < players)
            buffer_format(&map, ",\"owner\":%u", i + 1);
        buffer_char(&map, '}');
    }
    buffer_text(&map, "]}");
    Error error;
    const GameFile config = {0};
    const GameFile file = {.name = "view", .text = {map.data, map.length}};
    GameSetup *setup = planetwars_setup(&config, &file, players, &error);
    if (!setup)
        board_give_up(error.text);
    buffer_free(&map);
    return setup;
}

static GameOrders **new_orders(const Search *search) {
    GameOrders **orders = (GameOrders **)xcalloc(search->players, sizeof(GameOrders *));
    for (uint32_t i = 0; i < search->players; i++)
        orders[i] = game_orders_new(search->setup);
    return orders;
}

static void free_orders(const Search *search, GameOrders **orders) {
    for (uint32_t i = 0; i < search->players; i++)
        free(orders[i]);
    free(orders);
}

static void free_match(Search *search) {
    if (!search->setup)
        return;
    free_orders(search, search->orders);
    for (int i = 0; i < MODEL_COUNT; i++) {
        free_orders(search, search->opponents[i].replies);
        free(search->opponents[i].expected);
    }
    free(search->root);
    free(search->state);
    planetwars_setup_free(search->setup);
    search->setup = NULL;
}

/* Prepares for the match that the view belongs to; only the first view needs it. */
static void prepare_match(Search *search) {
    const Board *board = &search->board;
    uint32_t players = count_players(board);
    if (search->setup && players <= search->players &&
        board->planet_count == setup_of(search)->planet_count)
        return;
    free_match(search);
    search->players = players;
    search->has_expected = false;
    search->setup = make_setup(board, players);
    search->root = game_state_new(search->setup);
    search->state = game_state_new(search->setup);
    search->orders = new_orders(search);
    for (int i = 0; i < MODEL_COUNT; i++)
        search->opponents[i] = (Opponents){
            .replies = new_orders(search),
            .expected = game_state_new(search->setup),
        };
}

static void rebuild_state(Search *search) {
    const Board *board = &search->board;
    const PlanetwarsSetup *setup = setup_of(search);
    PlanetwarsState *state = (PlanetwarsState *)search->root;
    PlanetwarsPlayer *players = planetwars_players(state);
    PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    PlanetwarsExpedition *expeditions = planetwars_expeditions(setup, state);
    *state = (PlanetwarsState){0};
    memset(players, 0, search->players * sizeof *players);
    for (uint32_t i = 0; i < board->planet_count; i++) {
        const Planet *planet = &board->planets[i];
        planets[i] = (PlanetwarsPlanet){.ships = planet->ships, .owner = planet->owner};
        if (planet->owner)
            players[planet->owner - 1].planets++;
    }
    for (uint32_t i = 0; i < board->expedition_count && i < setup->expeditions_max; i++) {
        const Expedition *one = &board->expeditions[i];
        expeditions[i] = (PlanetwarsExpedition){
            .ships = one->ships,
            .turns_remaining = one->turns_remaining,
            .owner = one->owner,
            .origin = (uint16_t)one->origin,
            .destination = (uint16_t)one->destination,
        };
        players[one->owner - 1].expeditions++;
        state->expedition_count++;
    }
    const char *end = (const char *)(expeditions + state->expedition_count);
    search->root->used = (uint32_t)(end - (const char *)state);
}

/* ---- decisions ---- */

/* The rash model: every planet takes the nearest planets that it can, like the starter bots. */
static void think_rashly(Strategy *strategy) {
    uint32_t count = strategy->planet_count;
    uint64_t ours[PLANETWARS_PLANETS_MAX] = {0};
    uint64_t theirs[PLANETWARS_PLANETS_MAX] = {0};
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < strategy->arrivals[i].count; k++) {
            const Arrival *arrival = &strategy->arrivals[i].list[k];
            *(arrival->owner == 1 ? &ours[i] : &theirs[i]) += arrival->ships;
        }
    for (uint32_t origin = 0; origin < count; origin++) {
        const PlanetwarsPlanet *home = &strategy->planets[origin];
        uint64_t spare = home->ships > theirs[origin] ? home->ships - theirs[origin] : 0;
        strategy->spare[origin] = home->owner == 1 ? spare : 0;
        for (uint32_t rank = 0; rank < count && strategy->spare[origin]; rank++) {
            uint32_t target = strategy->nearest[origin * count + rank];
            const PlanetwarsPlanet *planet = &strategy->planets[target];
            uint64_t built = planet->owner ? travel(strategy, origin, target) : 0;
            uint64_t needed = planet->ships + built + theirs[target] + 1;
            if (planet->owner == 1 || needed <= ours[target] ||
                needed - ours[target] > strategy->spare[origin])
                continue;
            needed -= ours[target];
            ours[target] += needed;
            send_ships(strategy, origin, target, needed);
        }
    }
}

/* Decides for a player in a state; the moves are in the strategy. */
static void think_for(Search *search, const GameState *head, uint32_t player, Model model,
                      Style style) {
    const PlanetwarsSetup *setup = setup_of(search);
    const PlanetwarsState *state = (const PlanetwarsState *)head;
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    const PlanetwarsExpedition *expeditions = planetwars_expeditions(setup, state);
    Strategy *strategy = &search->strategy;
    uint32_t seen[GAME_PLAYERS_MAX + 1] = {0}; /* each owner as this player sees it */
    for (uint32_t i = 0; i < search->players; i++)
        seen[i + 1] = (i + search->players - player) % search->players + 1;
    strategy_begin(strategy);
    for (uint32_t i = 0; i < setup->planet_count; i++)
        strategy->planets[i] =
            (PlanetwarsPlanet){.ships = planets[i].ships, .owner = seen[planets[i].owner]};
    for (uint32_t i = 0; i < state->expedition_count; i++) {
        const PlanetwarsExpedition *one = &expeditions[i];
        strategy_fleet(strategy, one->destination, seen[one->owner], one->ships,
                       one->turns_remaining);
    }
    strategy->style = style;
    if (model == MODEL_RASH)
        think_rashly(strategy);
    else
        strategy_think(strategy);
    search->budget--;
}

static void give_orders(const Search *search, GameOrders *head, const PlanetwarsMove *moves,
                        uint32_t count) {
    PlanetwarsOrders *orders = (PlanetwarsOrders *)head;
    uint32_t most = setup_of(search)->under_way_max;
    orders->head.kind = ORDERS_GIVEN;
    orders->head.count = count < most ? count : most;
    if (orders->head.count)
        memcpy(orders->moves, moves, orders->head.count * sizeof *moves);
}

/* Predicts with each model how the opponents move in this turn. All candidates meet the same
   replies. */
static void predict_replies(Search *search) {
    const PlanetwarsPlayer *players = planetwars_players((const PlanetwarsState *)search->root);
    for (int model = 0; model < MODEL_COUNT; model++)
        for (uint32_t player = 1; player < search->players; player++) {
            GameOrders *reply = search->opponents[model].replies[player];
            reply->kind = ORDERS_NONE;
            if (!players[player].planets)
                continue;
            think_for(search, search->root, player, (Model)model, STYLE_USUAL);
            give_orders(search, reply, search->strategy.moves, search->strategy.move_count);
        }
}

/* ---- simulations ---- */

/* This bot's share of all ships and planets. */
static double share(const Search *search) {
    const PlanetwarsSetup *setup = setup_of(search);
    const PlanetwarsState *state = (const PlanetwarsState *)search->state;
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    const PlanetwarsExpedition *expeditions = planetwars_expeditions(setup, state);
    double ours = 0;
    double all = 1;
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        double value = planets[i].owner ? (double)planets[i].ships + PLANET_VALUE : 0;
        all += value;
        ours += planets[i].owner == 1 ? value : 0;
    }
    for (uint32_t i = 0; i < state->expedition_count; i++) {
        double ships = (double)expeditions[i].ships;
        all += ships;
        ours += expeditions[i].owner == 1 ? ships : 0;
    }
    return ours / all;
}

/* Plays a candidate forward. Returns the share at the end; an early victory is worth more than any
   share, an early defeat less. */
static double simulate(Search *search, const Candidate *candidate, Model model, uint32_t turns) {
    GameState *state = search->state;
    const PlanetwarsPlayer *players = planetwars_players((const PlanetwarsState *)state);
    const Strategy *strategy = &search->strategy;
    memcpy(state, search->root, search->root->used);
    give_orders(search, search->orders[0], candidate->moves, candidate->move_count);
    for (uint32_t i = 1; i < search->players; i++) {
        const PlanetwarsOrders *reply =
            (const PlanetwarsOrders *)search->opponents[model].replies[i];
        give_orders(search, search->orders[i], reply->moves,
                    reply->head.kind == ORDERS_GIVEN ? reply->head.count : 0);
    }
    planetwars_step(search->setup, state, (const GameOrders *const *)search->orders, NULL);
    while (state->turn < turns && !state->over && cpu_time() <= search->deadline) {
        for (uint32_t i = 0; i < search->players; i++) {
            search->orders[i]->kind = ORDERS_NONE;
            if (!players[i].planets)
                continue;
            think_for(search, state, i, i ? model : MODEL_MEDIUM,
                      i ? STYLE_USUAL : candidate->style);
            give_orders(search, search->orders[i], strategy->moves, strategy->move_count);
        }
        planetwars_step(search->setup, state, (const GameOrders *const *)search->orders, NULL);
    }
    double sooner = 1 - (double)state->turn / HORIZON;
    if (players[0].died)
        return -1 - sooner;
    return state->over ? 2 + sooner : share(search);
}

/* Judges the candidate in `tried`, and keeps it if it is the best. */
static void try_candidate(Search *search) {
    Candidate *tried = &search->tried;
    tried->value = 0;
    for (int model = 0; model < MODEL_COUNT; model++) {
        double weight = search->opponents[model].weight;
        if (weight > 0)
            tried->value += weight * simulate(search, tried, (Model)model, HORIZON);
    }
    if (tried->value > search->best.value + 1e-9)
        search->best = *tried;
}

/* ---- which model is right ---- */

/* Compares the last predictions with the view and weights the models. */
static void weigh_models(Search *search) {
    const Board *board = &search->board;
    double sum = 0;
    double used = 0;
    for (int model = 0; model < MODEL_COUNT; model++) {
        Opponents *one = &search->opponents[model];
        const PlanetwarsPlanet *expected =
            planetwars_planets(setup_of(search), (const PlanetwarsState *)one->expected);
        one->error *= MEMORY;
        for (uint32_t i = 0; search->has_expected && i < board->planet_count; i++)
            one->error += fabs((double)expected[i].ships - (double)board->planets[i].ships);
        one->weight = 1 / ((1 + one->error) * (1 + one->error));
        sum += one->weight;
    }
    for (int model = 0; model < MODEL_COUNT; model++) {
        Opponents *one = &search->opponents[model];
        one->weight = one->weight / sum < WEIGHT_LEAST ? 0 : one->weight;
        used += one->weight;
    }
    for (int model = 0; model < MODEL_COUNT; model++)
        search->opponents[model].weight /= used;
}

/* Whether a model has been right lately. If not, small changes to the moves would only adapt them
   to something that the opponents will not do. */
static bool is_predictable(const Search *search) {
    double least = (double)INFINITY;
    for (int model = 0; model < MODEL_COUNT; model++)
        least = fmin(least, search->opponents[model].error);
    return least < ERROR_MAX;
}

/* Records what each model expects after the best moves. */
static void predict_next(Search *search) {
    for (int model = 0; model < MODEL_COUNT; model++) {
        simulate(search, &search->best, (Model)model, 1);
        memcpy(search->opponents[model].expected, search->state, search->state->used);
    }
    search->has_expected = true;
}

/* ---- random changes ---- */

static uint64_t ships_left(const Search *search, const Candidate *candidate, uint32_t planet) {
    uint64_t ships = search->board.planets[planet].ships;
    for (uint32_t i = 0; i < candidate->move_count; i++)
        if (candidate->moves[i].origin == planet)
            ships -= candidate->moves[i].ships;
    return ships;
}

/* A random number of ships, from 1 to all of them. */
static uint64_t some_ships(Random *random, uint64_t ships) {
    return 1 + random_below(random, ships < UINT32_MAX ? (uint32_t)ships : UINT32_MAX);
}

static void drop_target(Candidate *candidate, Random *random) {
    uint32_t target = candidate->moves[random_below(random, candidate->move_count)].destination;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < candidate->move_count; i++)
        if (candidate->moves[i].destination != target)
            candidate->moves[kept++] = candidate->moves[i];
    candidate->move_count = kept;
}

static void redirect(const Search *search, Candidate *candidate, Random *random) {
    PlanetwarsMove *move = &candidate->moves[random_below(random, candidate->move_count)];
    move->destination = random_below(random, search->board.planet_count);
}

static void resize(const Search *search, Candidate *candidate, Random *random) {
    PlanetwarsMove *move = &candidate->moves[random_below(random, candidate->move_count)];
    move->ships = some_ships(random, move->ships + ships_left(search, candidate, move->origin));
}

/* Sends ships from up to three planets near a random target. */
static void add_attack(const Search *search, Candidate *candidate, Random *random) {
    uint32_t count = search->board.planet_count;
    uint32_t near = count < NEAR_PLANETS ? count : NEAR_PLANETS;
    uint32_t target = random_below(random, count);
    uint32_t senders = 1 + random_below(random, 3);
    bool all = random_below(random, 2) == 0;
    for (uint32_t rank = 0; rank < near && senders; rank++) {
        uint32_t origin = search->strategy.nearest[target * count + rank];
        if (origin == target || search->board.planets[origin].owner != 1)
            continue;
        uint64_t left = ships_left(search, candidate, origin);
        if (!left || candidate->move_count == MOVES_MAX)
            continue;
        senders--;
        candidate->moves[candidate->move_count++] = (PlanetwarsMove){
            .ships = all ? left : some_ships(random, left),
            .origin = origin,
            .destination = target,
        };
    }
}

static void change(Search *search, Candidate *candidate) {
    Random *random = &search->random;
    switch (candidate->move_count ? random_below(random, 8) : 7) {
    case 0:
    case 1:
        drop_target(candidate, random);
        break;
    case 2:
        redirect(search, candidate, random);
        break;
    case 3:
        resize(search, candidate, random);
        break;
    default:
        add_attack(search, candidate, random);
        break;
    }
}

/* ---- a turn ---- */

/* The candidate that plays this style from now on. */
static void take_style(Search *search, Style style) {
    Candidate *tried = &search->tried;
    const Strategy *strategy = &search->strategy;
    think_for(search, search->root, 0, MODEL_MEDIUM, style);
    tried->style = style;
    tried->move_count = strategy->move_count < MOVES_MAX ? strategy->move_count : MOVES_MAX;
    if (tried->move_count)
        memcpy(tried->moves, strategy->moves, tried->move_count * sizeof *tried->moves);
}

/* Leaves the best candidate in `best`. If the budget is too small for a search, because there are
   very many players or planets, that is what medium would do. */
static void search_turn(Search *search) {
    search->deadline = cpu_time() + SEARCH_NS_MAX;
    search->budget = BUDGET / search->board.planet_count;
    predict_replies(search);
    take_style(search, STYLE_USUAL);
    search->best = search->tried;
    search->best.value = -(double)INFINITY;
    if (search->budget < HORIZON * (int64_t)search->players)
        return;
    for (size_t i = 0; i < sizeof styles / sizeof *styles && !is_exhausted(search); i++) {
        take_style(search, styles[i]);
        try_candidate(search);
    }
    for (uint32_t i = 0; is_predictable(search) && i < CHANGES_MAX && !is_exhausted(search); i++) {
        search->tried = search->best;
        for (uint32_t changes = 1 + random_below(&search->random, 2); changes; changes--)
            change(search, &search->tried);
        try_candidate(search);
    }
}

int main(void) {
    static Search search;
    search.random = bot_random();
    while (board_read(&search.board)) {
        strategy_measure(&search.strategy, &search.board);
        prepare_match(&search);
        rebuild_state(&search);
        weigh_models(&search);
        search_turn(&search);
        predict_next(&search);
        for (uint32_t i = 0; i < search.best.move_count; i++) {
            const PlanetwarsMove *move = &search.best.moves[i];
            board_send(&search.board, move->origin, move->destination, move->ships);
        }
        board_answer(&search.board);
    }
    free_match(&search);
    strategy_free(&search.strategy);
    board_free(&search.board);
    return 0;
}
