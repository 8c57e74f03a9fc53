/* How house:medium plays Capture the flag: it takes the flag and runs. Random numbers only decide
   between steps that are about equally good. house:hard uses it as a model of both teams.

   The nearest soldier carries the enemy's flag home. Another waits next to the enemy's base for the
   flag to return there, and the others follow the carrier, too far away to be hit by the same
   grenade, to pick up the flag if the carrier dies.

   A grenade explodes after three rounds, so it is thrown where an enemy will be then. For each
   enemy the raider keeps several hypotheses (it wants our flag, it goes home, it guards its flag,
   it stands still, it wanders), weighted by how well they predicted its past moves. They give the
   probability of each square that the enemy can reach, and the raider throws where the sum is worth
   a grenade.

   It expects the same of the enemy, whose grenades are not visible: an enemy that may have cooled
   down and has one of our soldiers in range is assumed to throw at once, at the square to which
   that soldier is going. Our soldiers avoid that square at the time of the explosion. */
#ifndef BOTS_CTF_RAIDER_H
#define BOTS_CTF_RAIDER_H

#include "common.h"

#include "../bot_random.h"

enum {
    FLIGHT = 3,     /* moves between a throw and its explosion */
    WINDOW = 7,     /* 2 * FLIGHT + 1: squares per axis that can be reached in that time */
    FOLLOW = 3,     /* steps that followers stay behind the carrier */
    HOVER = 3,      /* distance from the enemy's base when waiting for the flag */
    GUARD = 4,      /* distance of a guard from our flag */
    GUARD_FROM = 4, /* with this many soldiers, one stays at home */
    SUSPICIONS_MAX = 64,
    DODGE_WORTH = 40, /* for avoiding an expected grenade */
    STEP_WORTH = 16   /* for a step towards the goal, in points of score_step */
};

/* Hypotheses about what an enemy is doing. */
typedef enum Guess { WANTS_FLAG, GOES_HOME, GUARDS, STANDS, STROLLS, GUESSES } Guess;

typedef struct Memory {
    bool known;
    int armed; /* the first turn in which it may throw */
    int at;
    double weight[GUESSES];
} Memory;

/* A grenade that an enemy may have thrown. */
typedef struct Suspicion {
    int at;
    int due; /* explodes at the start of this turn */
} Suspicion;

typedef enum Role { RUN, WAIT, FOLLOW_CARRIER, GUARD_FLAG } Role;

typedef struct Raider {
    World world;
    Random random;
    int cooldown;                         /* between two throws; taken from the first view */
    Suspicion suspicions[SUSPICIONS_MAX]; /* a ring buffer */
    unsigned suspicion_count;
    int range;             /* the range of grenades, as far as it is known */
    Field home;            /* steps to our base */
    Field enemy_home;      /* steps to the enemy's base */
    Field own_flag;        /* steps to our flag */
    Field enemy_flag;      /* steps to the enemy's flag */
    Field carrier;         /* steps to our soldier with the flag */
    Memory memories[26];   /* memories of enemies, by their letter */
    int thrown_at[26];     /* where our soldiers threw in the previous round, or -1 */
    int thrown_from[26];   /* and from where */
    int next_at[TEAM_MAX]; /* the squares to which our soldiers go in this round */
    Role roles[TEAM_MAX];
    const int16_t *fields[TEAM_MAX];         /* distances to each soldier's goal */
    int arrival;                             /* orders until our carrier scores */
    double spread[TEAM_MAX][WINDOW][WINDOW]; /* probabilities of the squares around each enemy */
    int steps[TEAM_MAX];                     /* the answer: a direction for each soldier */
    int targets[TEAM_MAX];                   /* and the square to throw at, or -1 */
} Raider;

static inline int letter_index(char name) {
    return name >= 'A' && name <= 'Z' ? name - 'A' : 0;
}

/* ---- predicting enemies ---- */

static inline const int16_t *goal_of(const Raider *raider, const Soldier *enemy, Guess guess) {
    switch (guess) {
    case WANTS_FLAG:
        return enemy->carries ? raider->enemy_home : raider->own_flag;
    case GOES_HOME:
        return raider->enemy_home;
    default:
        return raider->enemy_flag;
    }
}

/* The probability of each direction under a hypothesis. */
static inline void predict_step(const Raider *raider, const Soldier *enemy, Guess guess, int at,
                                double *chance) {
    const World *world = &raider->world;
    const int16_t *field = goal_of(raider, enemy, guess);
    if (guess == WANTS_FLAG && field[at] == 0)
        field = raider->enemy_home; /* it carries our flag and leaves */
    int open = 0;
    int nearer = 0;
    for (int direction = 0; direction < STAY; direction++) {
        int to = neighbour(world, at, direction);
        open += to >= 0;
        nearer += to >= 0 && field[to] < field[at];
    }
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int to = neighbour(world, at, direction);
        double is = 0;
        if (to < 0)
            is = 0;
        else if (guess == STANDS)
            is = direction == STAY ? 0.9 : 0.1 / open;
        else if (guess == STROLLS || nearer == 0)
            is = 1.0 / (open + 1);
        else if (direction == STAY)
            is = 0.1;
        else
            is = field[to] < field[at] ? 0.86 / nearer : 0.04 / open;
        chance[direction] = is;
    }
}

/* Updates the weights of the hypotheses from the enemy's last step. */
static inline void learn(Raider *raider, const Soldier *enemy) {
    static const double prior[GUESSES] = {0.35, 0.1, 0.15, 0.2, 0.2};
    Memory *memory = &raider->memories[letter_index(enemy->name)];
    int at = start_of(&raider->world, 1, enemy);
    if (!memory->known || steps_apart(&raider->world, memory->at, at) > 1) {
        memcpy(memory->weight, prior, sizeof prior);
    } else {
        double sum = 0;
        for (Guess guess = 0; guess < GUESSES; guess++) {
            double chance[DIRECTIONS];
            double seen = 0;
            predict_step(raider, enemy, guess, memory->at, chance);
            for (int direction = 0; direction < DIRECTIONS; direction++)
                if (neighbour(&raider->world, memory->at, direction) == at)
                    seen = chance[direction];
            memory->weight[guess] *= seen + 0.02;
            sum += memory->weight[guess];
        }
        for (Guess guess = 0; guess < GUESSES; guess++)
            memory->weight[guess] = 0.85 * memory->weight[guess] / sum + 0.15 * prior[guess];
    }
    memory->known = true;
    memory->at = at;
}

/* Where one of our soldiers is after `FLIGHT` moves straight to its goal. */
static inline int predict_position(const Raider *raider, int number) {
    const World *world = &raider->world;
    const int16_t *field = raider->fields[number];
    int at = start_of(world, 0, &world->soldiers[0][number]);
    for (int move = 0; move < FLIGHT; move++)
        for (int direction = 0; direction < STAY; direction++) {
            int to = neighbour(world, at, direction);
            if (to >= 0 && field[to] < field[at]) {
                at = to;
                break;
            }
        }
    return at;
}

/* Records a suspected throw for each enemy that may throw now; it then has to cool down. */
static inline void suspect(Raider *raider) {
    const World *world = &raider->world;
    for (int i = 0; i < world->count[1]; i++) {
        const Soldier *enemy = &world->soldiers[1][i];
        Memory *memory = &raider->memories[letter_index(enemy->name)];
        if (!enemy->alive)
            memory->armed = world->turn + raider->cooldown;
        if (world->turn < memory->armed)
            continue;
        for (int j = 0; j < world->count[0]; j++) {
            int at = predict_position(raider, j);
            if (steps_apart(world, enemy->at, at) > raider->range)
                continue;
            raider->suspicions[raider->suspicion_count++ % SUSPICIONS_MAX] =
                (Suspicion){.at = at, .due = world->turn + FLIGHT};
            memory->armed = world->turn + raider->cooldown;
        }
    }
}

/* Computes where an enemy may be when a grenade thrown now explodes. */
static inline void spread_enemy(Raider *raider, int number) {
    const World *world = &raider->world;
    const Soldier *enemy = &world->soldiers[1][number];
    const Memory *memory = &raider->memories[letter_index(enemy->name)];
    int start = start_of(world, 1, enemy);
    int corner_x = start % world->width - FLIGHT;
    int corner_y = start / world->width - FLIGHT;
    memset(raider->spread[number], 0, sizeof raider->spread[number]);
    for (Guess guess = 0; guess < GUESSES; guess++) {
        double mass[WINDOW][WINDOW] = {{0}};
        mass[FLIGHT][FLIGHT] = memory->weight[guess];
        for (int move = 0; move < FLIGHT; move++) {
            double next[WINDOW][WINDOW] = {{0}};
            for (int y = 0; y < WINDOW; y++)
                for (int x = 0; x < WINDOW; x++) {
                    if (mass[y][x] <= 0)
                        continue;
                    int at = (corner_y + y) * world->width + corner_x + x;
                    double chance[DIRECTIONS];
                    predict_step(raider, enemy, guess, at, chance);
                    for (int direction = 0; direction < DIRECTIONS; direction++) {
                        int to = neighbour(world, at, direction);
                        if (to >= 0)
                            next[to / world->width - corner_y][to % world->width - corner_x] +=
                                mass[y][x] * chance[direction];
                    }
                }
            memcpy(mass, next, sizeof mass);
        }
        for (int y = 0; y < WINDOW; y++)
            for (int x = 0; x < WINDOW; x++)
                raider->spread[number][y][x] += mass[y][x];
    }
}

/* ---- movement ---- */

/* The soldier that has the enemy's flag when its order begins, or -1. */
static inline int find_carrier(const World *world) {
    for (int i = 0; i < world->count[0]; i++)
        if (world->soldiers[0][i].carries)
            return i;
    for (int i = 0; i < world->count[0]; i++)
        if (start_of(world, 0, &world->soldiers[0][i]) == world->flag[1])
            return i;
    return -1;
}

static inline bool enemy_carries(const World *world) {
    for (int i = 0; i < world->count[1]; i++)
        if (world->soldiers[1][i].carries)
            return true;
    return false;
}

static inline void assign(Raider *raider, int number, Role role, const int16_t *field) {
    raider->roles[number] = role;
    raider->fields[number] = field;
}

/* The soldier nearest to a goal, except `carrier` and `other`; -1 if there is none. */
static inline int nearest(const Raider *raider, const int16_t *field, int carrier, int other) {
    const World *world = &raider->world;
    int best = -1;
    int best_steps = 0;
    for (int i = 0; i < world->count[0]; i++) {
        int steps = field[start_of(world, 0, &world->soldiers[0][i])];
        if (i != carrier && i != other && (best < 0 || steps < best_steps)) {
            best = i;
            best_steps = steps;
        }
    }
    return best;
}

static inline void assign_roles(Raider *raider) {
    World *world = &raider->world;
    int carrier = find_carrier(world);
    /* A flag on our base is captured by the coming order; it is then at the enemy's base, where
       another soldier can take it in the same round if its name comes later. */
    if (carrier >= 0 && world->flag[1] == world->base[0]) {
        int scorer = carrier;
        carrier = -1;
        world->flag[1] = world->base[1];
        flood(world, world->flag[1], raider->enemy_flag);
        for (int i = world->count[0] - 1; i > scorer; i--)
            if (start_of(world, 0, &world->soldiers[0][i]) == world->base[1])
                carrier = i;
    }
    for (int i = 0; i < world->count[0]; i++)
        assign(raider, i, RUN, raider->enemy_flag);
    int guard = -1;
    if (world->count[0] >= GUARD_FROM) {
        guard = nearest(raider, raider->own_flag, carrier, -1);
        assign(raider, guard, GUARD_FLAG, raider->own_flag);
    }
    if (carrier < 0)
        return;
    int at = start_of(world, 0, &world->soldiers[0][carrier]);
    raider->arrival = raider->home[at] + 1;
    flood(world, at, raider->carrier);
    bool hunt = enemy_carries(world);
    for (int i = 0; i < world->count[0]; i++)
        if (i != guard)
            assign(raider, i, hunt ? WAIT : FOLLOW_CARRIER,
                   hunt ? raider->enemy_home : raider->carrier);
    assign(raider, carrier, RUN, raider->home);
    int waits = nearest(raider, raider->enemy_home, carrier, guard);
    if (waits >= 0)
        assign(raider, waits, WAIT, raider->enemy_home);
}

/* Whether a soldier on this square after the coming move can escape from an explosion `rounds` from
   now. */
static inline bool escapes(const World *world, int centre, int rounds, int at) {
    bool out = !in_blast(world, centre, at);
    for (int direction = 0; direction < STAY && !out && rounds > 1; direction++) {
        int to = neighbour(world, at, direction);
        out = to >= 0 && !in_blast(world, centre, to);
    }
    return out;
}

/* The cost of being on this square after the coming move. Our own grenades are certain, the enemy's
   are not. */
static inline int danger(const Raider *raider, int at) {
    const World *world = &raider->world;
    int cost = 0;
    for (int i = 0; i < world->grenade_count; i++)
        if (!escapes(world, world->grenades[i].at, world->grenades[i].countdown, at))
            cost += 10000;
    for (int i = 0; i < SUSPICIONS_MAX; i++) {
        int rounds = raider->suspicions[i].due - world->turn;
        if (rounds > 0 && rounds < FLIGHT && !escapes(world, raider->suspicions[i].at, rounds, at))
            cost += DODGE_WORTH;
    }
    return cost;
}

static inline int score_step(Raider *raider, int number, int direction, int to) {
    const World *world = &raider->world;
    int steps = raider->fields[number][to];
    int goal_steps = 0;
    switch (raider->roles[number]) {
    case RUN:
        break;
    case WAIT:
        /* Be at the base when the flag gets there, not earlier: a soldier that stands still is a
           target. */
        goal_steps = raider->arrival - 2 < HOVER ? raider->arrival - 2 : HOVER;
        goal_steps = goal_steps > 0 ? goal_steps : 0;
        break;
    case FOLLOW_CARRIER:
        goal_steps = FOLLOW;
        break;
    case GUARD_FLAG:
        goal_steps = GUARD;
        break;
    }
    int score = -STEP_WORTH * abs(steps - goal_steps);
    if (raider->roles[number] != RUN && direction == STAY)
        score -= STEP_WORTH / 2;
    for (int i = 0; i < world->count[0]; i++) {
        if (i == number)
            continue;
        int mate = i < number ? raider->next_at[i] : start_of(world, 0, &world->soldiers[0][i]);
        score -= steps_apart(world, mate, to) <= 2 ? 4 : 0;
    }
    return score - danger(raider, to) + (int)random_below(&raider->random, 4);
}

static inline int choose_step(Raider *raider, int number) {
    const World *world = &raider->world;
    int from = start_of(world, 0, &world->soldiers[0][number]);
    int best = STAY;
    int best_score = INT32_MIN;
    for (int direction = 0; direction < DIRECTIONS; direction++) {
        int to = neighbour(world, from, direction);
        if (to < 0)
            continue;
        int score = score_step(raider, number, direction, to);
        if (score > best_score) {
            best = direction;
            best_score = score;
        }
    }
    raider->next_at[number] = neighbour(world, from, best);
    return best;
}

/* ---- grenades ---- */

/* The probability that an explosion at `target` hits the enemy. With `strike`, the enemy counts as
   hit, so that the next thrower aims elsewhere. */
static inline double reach(Raider *raider, int number, int target, bool strike) {
    const World *world = &raider->world;
    int start = start_of(world, 1, &world->soldiers[1][number]);
    int x = target % world->width - start % world->width + FLIGHT;
    int y = target / world->width - start / world->width + FLIGHT;
    double sum = 0;
    for (int row = y - 1; row <= y + 1; row++)
        for (int col = x - 1; col <= x + 1; col++)
            if (row >= 0 && col >= 0 && row < WINDOW && col < WINDOW) {
                sum += raider->spread[number][row][col];
                if (strike)
                    raider->spread[number][row][col] *= 0.2;
            }
    return sum;
}

/* The value of killing an enemy, in grenades. */
static inline double worth(const Raider *raider, const Soldier *enemy) {
    if (enemy->carries)
        return 8;
    return raider->own_flag[start_of(&raider->world, 1, enemy)] <= 6 ? 1.5 : 1;
}

static inline double rate_target(Raider *raider, int target) {
    const World *world = &raider->world;
    double sum = 0;
    for (int i = 0; i < world->count[1]; i++)
        sum += worth(raider, &world->soldiers[1][i]) * reach(raider, i, target, false);
    for (int i = 0; i < world->count[0]; i++)
        if (in_blast(world, target, raider->next_at[i]))
            sum -= 0.3;
    return sum;
}

/* The best square for the soldier's grenade, or -1 if none is worth it. */
static inline int choose_target(Raider *raider, const Soldier *soldier) {
    const World *world = &raider->world;
    if (!soldier->alive || soldier->cooldown > 0)
        return -1;
    int best = -1;
    double best_rate = 0.45;
    int from_x = soldier->at % world->width;
    int from_y = soldier->at / world->width;
    for (int y = from_y - raider->range; y <= from_y + raider->range; y++)
        for (int x = from_x - raider->range; x <= from_x + raider->range; x++) {
            if (x < 0 || y < 0 || x >= world->width || y >= world->height)
                continue;
            int target = y * world->width + x;
            if (world->tiles[target] == '#' ||
                steps_apart(world, soldier->at, target) > raider->range)
                continue;
            double rate = rate_target(raider, target);
            if (rate > best_rate) {
                best = target;
                best_rate = rate;
            }
        }
    if (best >= 0)
        for (int i = 0; i < world->count[1]; i++)
            reach(raider, i, best, true);
    return best;
}

/* Learns the range of grenades, which is not in the view: a throw that left no grenade, although
   the soldier is still alive, was too far. */
static inline void learn_range(Raider *raider) {
    const World *world = &raider->world;
    for (int i = 0; i < world->count[0]; i++) {
        const Soldier *soldier = &world->soldiers[0][i];
        int letter = letter_index(soldier->name);
        int target = raider->thrown_at[letter];
        raider->thrown_at[letter] = -1;
        bool flies = target < 0 || !soldier->alive;
        for (int j = 0; j < world->grenade_count; j++)
            flies |= world->grenades[j].at == target;
        if (!flies) {
            int steps = steps_apart(world, raider->thrown_from[letter], target);
            raider->range = steps - 1 < raider->range ? steps - 1 : raider->range;
        }
    }
}

/* Prepares for the first view, after which `raider_think` answers each one. */
static inline void raider_begin(Raider *raider, Random random) {
    raider->range = 10;
    raider->random = random;
    for (int i = 0; i < 26; i++)
        raider->thrown_at[i] = -1;
}

/* Answers the view in `raider->world`: fills `steps` and `targets`. */
static inline void raider_think(Raider *raider) {
    World *world = &raider->world;
    if (world->turn == 1) {
        raider->cooldown = world->count[0] ? world->soldiers[0][0].cooldown : 0;
        for (int i = 0; i < 26; i++)
            raider->memories[i].armed = world->turn + raider->cooldown;
        flood(world, world->base[0], raider->home);
        flood(world, world->base[1], raider->enemy_home);
    }
    flood(world, world->flag[0], raider->own_flag);
    flood(world, world->flag[1], raider->enemy_flag);
    learn_range(raider);
    for (int i = 0; i < world->count[1]; i++) {
        learn(raider, &world->soldiers[1][i]);
        spread_enemy(raider, i);
    }
    assign_roles(raider);
    suspect(raider);
    for (int i = 0; i < world->count[0]; i++)
        raider->steps[i] = choose_step(raider, i);
    for (int i = 0; i < world->count[0]; i++) {
        const Soldier *soldier = &world->soldiers[0][i];
        raider->targets[i] = choose_target(raider, soldier);
        raider->thrown_at[letter_index(soldier->name)] = raider->targets[i];
        raider->thrown_from[letter_index(soldier->name)] = soldier->at;
    }
}

#endif
