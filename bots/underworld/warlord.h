/* Shared by the house bots of Underworld: the strategy of house:medium. It builds as many farms as
   is safe, keeps an army that the strongest neighbour cannot overrun, and marches with everything
   when it is clearly stronger.

   Each turn, in this order:
   1. `survey` counts what everyone has and finds the nearest enemy castle (the target).
   2. `command` moves every warrior: first against intruders, then with the march or back to the
      rallying point. Of the five cells a warrior can be on, it takes the best by distance to its
      goal, by what it can hit there and by what can hit it.
   3. `spend` decides between warriors, farms and barracks: warriors if an attack could arrive
   before they could be trained; otherwise farms while there are safe places for them; otherwise
   warriors.

   It uses no random numbers: the same views get the same answers. It assumes the default costs,
   because the view does not contain them. house:hard varies the strategy through its `Style`, and
   uses it as a model of the others. */
#ifndef BOTS_UNDERWORLD_WARLORD_H
#define BOTS_UNDERWORLD_WARLORD_H

#include "base/memory.h"
#include "common.h"

enum {
    WARRIOR_COST = 500,
    FARM_COST = 1000,
    FARM_INCOME = 50,
    BARRACKS_COST = 1500,
    PLAYERS_MAX = 64,
    FAR = 1 << 20,
    /* Enemy warriors that are this close to one of our buildings are attacked. */
    INTRUDER_DISTANCE = 4,
    /* A building that must be destroyed on the way counts as this many steps. */
    BUILDING_DETOUR = 8,
    FARMS_LEAST = 5,
    FARMS_MOST = 30,
    BARRACKS_MOST = 6,
    /* Until the plans of the others are known, some money is held back. */
    OPENING = 20,
    OPENING_RESERVE = 1000,
    /* Turns without progress before a marching army stops being careful. */
    STALLED_TURNS_MAX = 5,
};

typedef struct Camp {
    int warriors;
    int barracks;
    int farms;
    int castles;
    int nearest_warrior; /* its distance from our castle in steps */
    int castle_x;        /* the castle nearest to ours */
    int castle_y;
    int castle_distance;
} Camp;

typedef enum Choice { AS_USUAL, ALWAYS, NEVER } Choice;

/* What can vary between players of this strategy. */
typedef struct Style {
    int farm_share; /* one farm for this many cells of our part of the board, within limits */
    Choice march;   /* whether to march with the whole army */
    Choice farms;   /* before warriors; NEVER: all money is for warriors */
} Style;

static const Style usual_style = {.farm_share = 5};

/* What a player remembers from turn to turn. */
typedef struct Memory {
    bool marching;
    int middle;  /* distance of the middle of the army from the target */
    int stalled; /* turns of marching without coming closer */
} Memory;

/* A player, and space for its calculations. `survey` sets the fields of a turn. */
typedef struct Warlord {
    World world;
    Style style;
    Memory memory;
    UnderworldOrders *orders; /* the orders of this turn */
    int cell_count;
    Camp camps[PLAYERS_MAX];
    int home_x;
    int home_y;
    int *from_home; /* steps from our castle, ignoring other warriors */
    int *to_target;
    int *to_intruder;
    int *to_rally;
    int *queue;
    bool *solid;    /* cells with a wall or a building, existing or planned */
    bool *taken;    /* solid cells, and those that our warriors will be on after this turn */
    bool *explored; /* cells we have been near, for when no castle is visible */
    int target;     /* the player whose castle we attack, or -1 */
    int target_x;
    int target_y;
    int intruders;
    long long budget;
} Warlord;

static inline int square(int number) {
    return number * number;
}

static inline int least(int a, int b) {
    return a < b ? a : b;
}

static inline int cell_at(const Warlord *lord, int x, int y) {
    return y * lord->world.size_x + x;
}

static inline bool mine(const Warlord *lord, const Thing *thing) {
    return thing->kind && thing->owner == lord->world.me;
}

static inline bool enemy(const Warlord *lord, const Thing *thing) {
    return thing->kind && thing->kind != '#' && thing->owner != lord->world.me;
}

static inline bool building(const Thing *thing) {
    return thing->kind == 'C' || thing->kind == 'B' || thing->kind == 'F';
}

static inline void give_order(Warlord *lord, UnderworldOrderKind kind, int cell, char what) {
    UnderworldOrders *orders = lord->orders;
    if (orders->head.count < UNDERWORLD_ORDERS_MAX)
        orders->order[orders->head.count++] =
            (UnderworldOrder){(uint8_t)kind, (uint8_t)what, (uint16_t)(cell % lord->world.size_x),
                              (uint16_t)(cell / lord->world.size_x)};
}

/* ---- distances ---- */

/* Computes the steps from every cell to the nearest cell with 0 in `distance` (all others start
   with FAR). Walls block the way, and so do our own buildings unless `through_own`; enemy buildings
   can be destroyed and count as a detour. A cell is queued again when a shorter path is found. */
static inline void spread(const Warlord *lord, int *distance, bool through_own) {
    const World *world = &lord->world;
    int head = 0;
    int count = 0;
    int capacity = lord->cell_count * 4;
    for (int cell = 0; cell < lord->cell_count; cell++)
        if (distance[cell] == 0)
            lord->queue[count++] = cell;
    while (head < count && count + 4 < capacity) {
        int cell = lord->queue[head++];
        int x = cell % world->size_x;
        int y = cell / world->size_x;
        const Thing *here = &world->cells[cell];
        int cost = enemy(lord, here) && building(here) && distance[cell] > 0 ? BUILDING_DETOUR : 1;
        for (int i = 0; i < 4; i++) {
            int next_x = x + steps[i].x;
            int next_y = y + steps[i].y;
            if (!on_board(world, next_x, next_y))
                continue;
            const Thing *next = thing_at(world, next_x, next_y);
            int next_cell = cell_at(lord, next_x, next_y);
            if (next->kind == '#' || (!through_own && building(next) && mine(lord, next)) ||
                distance[next_cell] <= distance[cell] + cost)
                continue;
            distance[next_cell] = distance[cell] + cost;
            lord->queue[count++] = next_cell;
        }
    }
}

static inline void clear_distances(const Warlord *lord, int *distance) {
    for (int cell = 0; cell < lord->cell_count; cell++)
        distance[cell] = FAR;
}

static inline void distances_to(const Warlord *lord, int *distance, int x, int y,
                                bool through_own) {
    clear_distances(lord, distance);
    distance[cell_at(lord, x, y)] = 0;
    spread(lord, distance, through_own);
}

/* ---- survey ---- */

static inline void find_home(Warlord *lord) {
    const World *world = &lord->world;
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++)
            if (mine(lord, thing_at(world, x, y)) && thing_at(world, x, y)->kind == 'C') {
                lord->home_x = x;
                lord->home_y = y;
                return;
            }
}

static inline void count_camps(Warlord *lord) {
    const World *world = &lord->world;
    for (int player = 0; player < PLAYERS_MAX; player++)
        lord->camps[player] = (Camp){.nearest_warrior = FAR, .castle_distance = FAR};
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++) {
            const Thing *thing = thing_at(world, x, y);
            if (!thing->kind || thing->owner < 0 || thing->owner >= PLAYERS_MAX)
                continue;
            Camp *camp = &lord->camps[thing->owner];
            int distance = lord->from_home[cell_at(lord, x, y)];
            camp->farms += thing->kind == 'F';
            camp->barracks += thing->kind == 'B';
            camp->warriors += thing->kind == 'W';
            camp->castles += thing->kind == 'C';
            if (thing->kind == 'W')
                camp->nearest_warrior = least(camp->nearest_warrior, distance);
            if (thing->kind == 'C' && distance < camp->castle_distance) {
                camp->castle_distance = distance;
                camp->castle_x = x;
                camp->castle_y = y;
            }
        }
}

/* Marks enemy warriors close to our buildings as sources of `to_intruder`. */
static inline void find_intruders(Warlord *lord) {
    const World *world = &lord->world;
    lord->intruders = 0;
    clear_distances(lord, lord->to_intruder);
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++) {
            const Thing *thing = thing_at(world, x, y);
            if (!enemy(lord, thing) || thing->kind != 'W')
                continue;
            bool near = false;
            for (int dy = -INTRUDER_DISTANCE; dy <= INTRUDER_DISTANCE; dy++)
                for (int dx = -INTRUDER_DISTANCE; dx <= INTRUDER_DISTANCE; dx++)
                    near |= on_board(world, x + dx, y + dy) &&
                            mine(lord, thing_at(world, x + dx, y + dy)) &&
                            building(thing_at(world, x + dx, y + dy)) &&
                            square(dx) + square(dy) <= square(INTRUDER_DISTANCE);
            if (near) {
                lord->intruders++;
                lord->to_intruder[cell_at(lord, x, y)] = 0;
            }
        }
    spread(lord, lord->to_intruder, false);
}

/* If vision is limited and no castle is visible, chooses the farthest unexplored cell. */
static inline void choose_unexplored(Warlord *lord) {
    const World *world = &lord->world;
    int best = -1;
    for (int cell = 0; cell < lord->cell_count; cell++)
        if (!lord->explored[cell] && lord->from_home[cell] < FAR &&
            (best < 0 || lord->from_home[cell] > lord->from_home[best]))
            best = cell;
    if (best < 0) {
        memset(lord->explored, 0, (size_t)lord->cell_count * sizeof *lord->explored);
        best = lord->cell_count - 1 - cell_at(lord, lord->home_x, lord->home_y);
    }
    lord->target_x = best % world->size_x;
    lord->target_y = best / world->size_x;
}

/* Chooses a castle that is near and badly guarded. */
static inline void choose_target(Warlord *lord) {
    int best = FAR;
    lord->target = -1;
    for (int player = 0; player < PLAYERS_MAX; player++) {
        const Camp *camp = &lord->camps[player];
        if (player == lord->world.me || !camp->castles || camp->castle_distance >= FAR)
            continue;
        int effort = camp->castle_distance + 3 * camp->warriors + camp->farms;
        if (effort < best) {
            best = effort;
            lord->target = player;
            lord->target_x = camp->castle_x;
            lord->target_y = camp->castle_y;
        }
    }
    if (lord->target < 0)
        choose_unexplored(lord);
}

/* Between marches the army waits a few steps from home, on the way to the target. */
static inline void choose_rally(Warlord *lord) {
    int home = cell_at(lord, lord->home_x, lord->home_y);
    int best = home;
    for (int cell = 0; cell < lord->cell_count; cell++)
        if (lord->from_home[cell] >= 3 && lord->from_home[cell] <= 4 &&
            !building(&lord->world.cells[cell]) &&
            (best == home || lord->to_target[cell] < lord->to_target[best]))
            best = cell;
    distances_to(lord, lord->to_rally, best % lord->world.size_x, best / lord->world.size_x, false);
}

static inline void remember_where_we_are(Warlord *lord) {
    const World *world = &lord->world;
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++)
            if (mine(lord, thing_at(world, x, y)))
                for (int dy = -1; dy <= 1; dy++)
                    for (int dx = -1; dx <= 1; dx++)
                        if (on_board(world, x + dx, y + dy))
                            lord->explored[cell_at(lord, x + dx, y + dy)] = true;
}

static inline void survey(Warlord *lord) {
    find_home(lord);
    distances_to(lord, lord->from_home, lord->home_x, lord->home_y, true);
    count_camps(lord);
    find_intruders(lord);
    remember_where_we_are(lord);
    choose_target(lord);
    distances_to(lord, lord->to_target, lord->target_x, lord->target_y, false);
    choose_rally(lord);
    for (int cell = 0; cell < lord->cell_count; cell++) {
        const Thing *thing = &lord->world.cells[cell];
        lord->solid[cell] = lord->taken[cell] = thing->kind && thing->kind != 'W';
    }
}

/* ---- spend ---- */

/* How many more warriors we would need if the most dangerous neighbour attacked now with everything
   it has. Warriors that can be trained before the attack arrives count as present. */
static inline int warriors_missing(const Warlord *lord) {
    const Camp *own = &lord->camps[lord->world.me];
    int missing = 0;
    for (int player = 0; player < PLAYERS_MAX; player++) {
        const Camp *camp = &lord->camps[player];
        if (player == lord->world.me || !camp->warriors)
            continue;
        int time = camp->nearest_warrior - 4;
        if (time < 0)
            time = 0;
        long long money = lord->budget + (long long)own->farms * FARM_INCOME * time;
        long long trained = money / WARRIOR_COST;
        if (trained > (long long)time * own->barracks)
            trained = (long long)time * own->barracks;
        /* Money spent on a farm now will be missing when they arrive. */
        if (money - FARM_COST < trained * WARRIOR_COST)
            trained = money > FARM_COST ? (money - FARM_COST) / WARRIOR_COST : 0;
        int short_of = camp->warriors + 1 - own->warriors - (int)trained;
        if (short_of > missing)
            missing = short_of;
    }
    return missing;
}

/* Whether the free cells around (x, y) stay connected without it, so that a building there encloses
   nobody. Walks the eight surrounding cells in a circle: all free sections that touch a side of (x,
   y) must be the same one. */
static inline bool keeps_ways_open(const Warlord *lord, int x, int y) {
    static const int around[8][2] = {{0, -1}, {1, -1}, {1, 0},  {1, 1},
                                     {0, 1},  {-1, 1}, {-1, 0}, {-1, -1}};
    const World *world = &lord->world;
    bool open[8];
    int pieces = 0;
    for (int i = 0; i < 8; i++) {
        int at_x = x + around[i][0];
        int at_y = y + around[i][1];
        open[i] = on_board(world, at_x, at_y) && !lord->solid[cell_at(lord, at_x, at_y)];
    }
    /* A side begins a section unless the corner before it joins it to the previous side. */
    for (int i = 0; i < 8; i += 2)
        pieces += open[i] && !(open[(i + 7) % 8] && open[(i + 6) % 8]);
    return pieces <= 1;
}

/* How many free cells a barracks next to (x, y) has left if something is built there; a large
   number if there is no barracks. */
static inline int exits_left(const Warlord *lord, int x, int y) {
    const World *world = &lord->world;
    int fewest = 4;
    for (int i = 0; i < 4; i++) {
        int at_x = x + steps[i].x;
        int at_y = y + steps[i].y;
        if (!on_board(world, at_x, at_y) || !mine(lord, thing_at(world, at_x, at_y)) ||
            thing_at(world, at_x, at_y)->kind != 'B')
            continue;
        int exits = -1; /* without (x, y) itself */
        for (int j = 0; j < 4; j++)
            exits += on_board(world, at_x + steps[j].x, at_y + steps[j].y) &&
                     !lord->solid[cell_at(lord, at_x + steps[j].x, at_y + steps[j].y)];
        fewest = least(fewest, exits);
    }
    return fewest;
}

static inline bool near_own_building(const Warlord *lord, int x, int y) {
    for (int dy = -2; dy <= 2; dy++)
        for (int dx = -2; dx <= 2; dx++)
            if (square(dx) + square(dy) <= 4 && on_board(&lord->world, x + dx, y + dy) &&
                mine(lord, thing_at(&lord->world, x + dx, y + dy)) &&
                building(thing_at(&lord->world, x + dx, y + dy)))
                return true;
    return false;
}

/* The best free cell for a building, or -1. Farms are packed around the castle, where they absorb
   part of the damage; barracks are on the side of the target. */
static inline int building_place(const Warlord *lord, bool barracks) {
    const World *world = &lord->world;
    bool desperate = barracks && lord->camps[world->me].barracks == 0;
    int best = -1;
    int best_score = 0;
    for (int cell = 0; cell < lord->cell_count; cell++) {
        int x = cell % world->size_x;
        int y = cell / world->size_x;
        if (lord->taken[cell] || world->cells[cell].kind ||
            (lord->to_intruder[cell] <= 3 && !desperate) ||
            lord->to_target[cell] < lord->from_home[cell] || !near_own_building(lord, x, y) ||
            !keeps_ways_open(lord, x, y) || exits_left(lord, x, y) < 2)
            continue;
        int from_castle = square(x - lord->home_x) + square(y - lord->home_y);
        int score = barracks ? 2 * lord->to_target[cell] + from_castle
                             : 4 * from_castle - lord->to_target[cell];
        if (best < 0 || score < best_score) {
            best = cell;
            best_score = score;
        }
    }
    return best;
}

static inline bool build(Warlord *lord, bool barracks) {
    int cost = barracks ? BARRACKS_COST : FARM_COST;
    int place = lord->budget >= cost ? building_place(lord, barracks) : -1;
    if (place < 0)
        return false;
    give_order(lord, UNDERWORLD_BUILD, place, barracks ? UNDERWORLD_BARRACKS : UNDERWORLD_FARM);
    lord->solid[place] = lord->taken[place] = true;
    lord->budget -= cost;
    return true;
}

/* Spawns up to `wanted` warriors, at most one per barracks and on the side of the target, as long
   as there is money. */
static inline void spawn(Warlord *lord, int wanted) {
    const World *world = &lord->world;
    for (int y = 0; y < world->size_y; y++)
        for (int x = 0; x < world->size_x; x++) {
            if (!mine(lord, thing_at(world, x, y)) || thing_at(world, x, y)->kind != 'B' ||
                lord->budget < WARRIOR_COST || wanted <= 0)
                continue;
            int best = -1;
            int best_distance = FAR + 1;
            const int *distance = lord->intruders ? lord->to_intruder : lord->to_target;
            for (int i = 0; i < 4; i++) {
                int at_x = x + steps[i].x;
                int at_y = y + steps[i].y;
                if (on_board(world, at_x, at_y) && !lord->taken[cell_at(lord, at_x, at_y)] &&
                    !enemy(lord, thing_at(world, at_x, at_y)) &&
                    distance[cell_at(lord, at_x, at_y)] < best_distance) {
                    best = i;
                    best_distance = distance[cell_at(lord, at_x, at_y)];
                }
            }
            if (best < 0)
                continue;
            give_order(lord, UNDERWORLD_SPAWN, cell_at(lord, x, y), steps[best].letter);
            lord->taken[cell_at(lord, x + steps[best].x, y + steps[best].y)] = true;
            lord->budget -= WARRIOR_COST;
            wanted--;
        }
}

/* The number of farms we want: they need space, and so do warriors. */
static inline int farms_wanted(const Warlord *lord) {
    int living = 0;
    for (int player = 0; player < PLAYERS_MAX; player++)
        living += lord->camps[player].castles > 0;
    int share = lord->cell_count / (living > 2 ? living : 2);
    int wanted = share / lord->style.farm_share;
    return wanted < FARMS_LEAST ? FARMS_LEAST : wanted > FARMS_MOST ? FARMS_MOST : wanted;
}

/* In the opening a neighbour may still have its initial money and rush us with it, so we hold back
   as much. What each player has spent can be seen on the board. */
static inline int opening_reserve(const Warlord *lord) {
    int most = 0;
    for (int player = 0; player < lord->world.players && player < PLAYERS_MAX; player++) {
        const Camp *camp = &lord->camps[player];
        int spare = OPENING_RESERVE + 2 * FARM_COST - camp->farms * FARM_COST -
                    camp->warriors * WARRIOR_COST;
        if (player != lord->world.me && camp->castles && spare > most)
            most = spare;
    }
    return lord->world.turn < OPENING ? least(most, OPENING_RESERVE) : 0;
}

static inline void spend(Warlord *lord) {
    const Camp *own = &lord->camps[lord->world.me];
    int missing = warriors_missing(lord);
    if (lord->style.farms != AS_USUAL)
        missing = lord->style.farms == NEVER ? own->barracks : 0;
    int urgent = missing > lord->intruders ? missing : lord->intruders;
    if (own->barracks == 0)
        build(lord, true);
    spawn(lord, urgent);
    if (missing > 0)
        return;
    int farms = own->farms;
    int reserve = opening_reserve(lord);
    while (farms < farms_wanted(lord) && lord->budget >= FARM_COST + reserve && build(lord, false))
        farms++;
    if (farms < farms_wanted(lord) && building_place(lord, false) >= 0)
        return; /* save for the next farm */
    if (!urgent)
        spawn(lord, own->barracks);
    /* Build barracks if the farms pay for more warriors than the existing barracks can train, or if
       money piles up. */
    if (own->barracks < BARRACKS_MOST && (own->farms * FARM_INCOME > own->barracks * WARRIOR_COST ||
                                          lord->budget > 2LL * BARRACKS_COST))
        build(lord, true);
}

/* ---- command ---- */

/* The distance of the middle of the army from the target. */
static inline int middle_of_army(const Warlord *lord) {
    const World *world = &lord->world;
    long long sum = 0;
    int count = 0;
    for (int cell = 0; cell < lord->cell_count; cell++)
        if (mine(lord, &world->cells[cell]) && world->cells[cell].kind == 'W' &&
            lord->to_target[cell] < FAR) {
            sum += lord->to_target[cell];
            count++;
        }
    return count ? (int)(sum / count) : 0;
}

/* We march when clearly stronger than the target, or when we are many, and continue until we are
   weaker. */
static inline void decide_march(Warlord *lord) {
    const Camp *own = &lord->camps[lord->world.me];
    int against = lord->target < 0 ? 0 : lord->camps[lord->target].warriors;
    if (lord->memory.marching)
        lord->memory.marching = own->warriors >= against && own->warriors >= 2;
    else
        lord->memory.marching = (own->warriors >= 6 && own->warriors * 2 >= against * 3 + 4) ||
                                (own->warriors >= 14 && own->warriors >= against);
    if (lord->style.march != AS_USUAL)
        lord->memory.marching = lord->style.march == ALWAYS;
    int middle = middle_of_army(lord);
    lord->memory.stalled =
        lord->memory.marching && middle >= lord->memory.middle ? lord->memory.stalled + 1 : 0;
    lord->memory.middle = middle;
}

/* How much a warrior on (x, y) hits and is hit there, in parts of a full strike. */
static inline void weigh(const Warlord *lord, int x, int y, int *hits, int *castle, int *danger) {
    const World *world = &lord->world;
    *hits = *castle = *danger = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++) {
            if (!on_board(world, x + dx, y + dy))
                continue;
            const Thing *thing = thing_at(world, x + dx, y + dy);
            int away = square(dx) + square(dy);
            if (!enemy(lord, thing))
                continue;
            *hits += away <= 4;
            *castle += away <= 4 && thing->kind == 'C';
            *danger += away <= 9 && thing->kind == 'W';
        }
}

/* The number of our warriors that are close enough to help each other. */
static inline int friends_near(const Warlord *lord, int x, int y) {
    int friends = 0;
    for (int dy = -3; dy <= 3; dy++)
        for (int dx = -3; dx <= 3; dx++)
            friends += on_board(&lord->world, x + dx, y + dy) &&
                       mine(lord, thing_at(&lord->world, x + dx, y + dy)) &&
                       thing_at(&lord->world, x + dx, y + dy)->kind == 'W' &&
                       square(dx) + square(dy) <= 9;
    return friends;
}

static inline void move_warrior(Warlord *lord, int x, int y) {
    const World *world = &lord->world;
    int here = cell_at(lord, x, y);
    const int *goal = lord->memory.marching ? lord->to_target : lord->to_rally;
    if (lord->intruders && (!lord->memory.marching || lord->to_intruder[here] <= 6))
        goal = lord->to_intruder;
    int best = -1;
    int best_score = 0;
    for (int i = -1; i < 4; i++) {
        int at_x = i < 0 ? x : x + steps[i].x;
        int at_y = i < 0 ? y : y + steps[i].y;
        if (!on_board(world, at_x, at_y) || (lord->taken[cell_at(lord, at_x, at_y)]))
            continue;
        const Thing *there = thing_at(world, at_x, at_y);
        if (i >= 0 && there->kind && !(there->kind == 'W' && mine(lord, there)))
            continue;
        int cell = cell_at(lord, at_x, at_y);
        int hits, castle, danger;
        weigh(lord, at_x, at_y, &hits, &castle, &danger);
        int friends = friends_near(lord, at_x, at_y);
        int score = -10 * goal[cell];
        bool careful = lord->memory.stalled < STALLED_TURNS_MAX;
        if (careful && lord->memory.marching && lord->to_target[cell] + 2 < lord->memory.middle &&
            !hits && friends < 6)
            score -= 30; /* wait for the others */
        if (careful && danger > friends)
            score -= 15 * (danger - friends);
        score += hits ? 12 : 0;
        score += castle ? 25 : 0;
        if (i < 0)
            score += 1;
        if (best == -1 && i < 0) {
            best = -2;
            best_score = score;
        } else if (best == -1 || score > best_score) {
            best = i;
            best_score = score;
        }
    }
    if (best < 0) {
        lord->taken[here] = true;
        return;
    }
    give_order(lord, UNDERWORLD_MOVE, here, steps[best].letter);
    lord->taken[cell_at(lord, x + steps[best].x, y + steps[best].y)] = true;
}

/* Warriors in front choose first, so that those behind know which cells become free. */
static inline void command(Warlord *lord) {
    const World *world = &lord->world;
    decide_march(lord);
    int count = 0;
    for (int cell = 0; cell < lord->cell_count; cell++)
        if (mine(lord, &world->cells[cell]) && world->cells[cell].kind == 'W')
            lord->queue[count++] = cell;
    for (int i = 1; i < count; i++) {
        int cell = lord->queue[i];
        int place = i;
        for (; place > 0 && lord->to_target[lord->queue[place - 1]] > lord->to_target[cell];
             place--)
            lord->queue[place] = lord->queue[place - 1];
        lord->queue[place] = cell;
    }
    for (int i = 0; i < count; i++)
        move_warrior(lord, lord->queue[i] % world->size_x, lord->queue[i] / world->size_x);
}

/* Prepares a player for a board of this size. The caller keeps ownership of the world's `cells`. */
static inline void warlord_init(Warlord *lord, const World *world, const Style *style) {
    if (world->me < 0 || world->me >= PLAYERS_MAX)
        give_up("too many players for this bot");
    *lord = (Warlord){.world = *world, .style = *style};
    lord->cell_count = world->size_x * world->size_y;
    size_t cells = (size_t)lord->cell_count;
    lord->from_home = xcalloc(cells, sizeof(int));
    lord->to_target = xcalloc(cells, sizeof(int));
    lord->to_intruder = xcalloc(cells, sizeof(int));
    lord->to_rally = xcalloc(cells, sizeof(int));
    lord->queue = xcalloc(cells * 4, sizeof(int));
    lord->solid = xcalloc(cells, sizeof(bool));
    lord->taken = xcalloc(cells, sizeof(bool));
    lord->explored = xcalloc(cells, sizeof(bool));
}

static inline void warlord_free(Warlord *lord) {
    free(lord->from_home);
    free(lord->to_target);
    free(lord->to_intruder);
    free(lord->to_rally);
    free(lord->queue);
    free(lord->solid);
    free(lord->taken);
    free(lord->explored);
}

/* Fills `orders` with the orders for the board in `world`. */
static inline void warlord_think(Warlord *lord, UnderworldOrders *orders) {
    lord->orders = orders;
    orders->head = (GameOrders){.kind = ORDERS_GIVEN};
    survey(lord);
    lord->budget = lord->world.money + (long long)lord->camps[lord->world.me].farms * FARM_INCOME;
    command(lord);
    spend(lord);
}

#endif
