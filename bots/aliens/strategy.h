/* How house:medium plays Aliens; house:hard uses it as a model of both players.

   Each turn every unit gets a task (fetch energy, raze the spawn, or hunt). Then, starting with the
   units nearest to the enemy, each unit chooses the best square for its task among those where no
   friend will be. Fights are estimated in advance: which units could be adjacent to an enemy, and
   which enemies to our units. It uses no random numbers: the same views get the same answers. */
#ifndef BOTS_ALIENS_STRATEGY_H
#define BOTS_ALIENS_STRATEGY_H

#include "common.h"

enum { FAR = 1 << 20 };

typedef enum Task { HUNT, FETCH, RAZE } Task;

typedef struct Unit {
    int square;
    Task task;
    int goal; /* the energy to gather, or the spawn to enter */
    int to;   /* the square that it moves to, or where it stays */
} Unit;

/* For every square, the nearest source and the distance to it; and all squares by distance. */
typedef struct Flood {
    int distance[CELLS_MAX];
    int nearest[CELLS_MAX];
    int order[CELLS_MAX];
    int order_count;
} Flood;

/* How it fights: medium is CAREFUL; hard also considers the other values. */
typedef enum Boldness {
    CAREFUL, /* trades units one for one only if it is ahead */
    BOLD,    /* always trades */
    CHARGE,  /* ignores danger */
    BOLDNESSES
} Boldness;

typedef struct Mind {
    View view;
    int unit_count;
    int enemy_count;
    Boldness boldness;
    Unit units[CELLS_MAX];
    int unit_at[CELLS_MAX]; /* index of the unit there, or -1 */
    bool held[CELLS_MAX];   /* as far as is known, one of our units will be there */
    Flood ours;
    Flood theirs;
} Mind;

static inline void flood(const View *view, char what, Flood *from) {
    from->order_count = 0;
    for (int square = 0; square < view->cells; square++) {
        from->distance[square] = FAR;
        if (view->grid[square] != what)
            continue;
        from->distance[square] = 0;
        from->nearest[square] = square;
        from->order[from->order_count++] = square;
    }
    for (int head = 0; head < from->order_count; head++) {
        int square = from->order[head];
        int next[4];
        int count = view_neighbours(view, square, next);
        for (int i = 0; i < count; i++) {
            if (from->distance[next[i]] != FAR)
                continue;
            from->distance[next[i]] = from->distance[square] + 1;
            from->nearest[next[i]] = from->nearest[square];
            from->order[from->order_count++] = next[i];
        }
    }
}

static inline void look_around(Mind *mind) {
    const View *view = &mind->view;
    mind->unit_count = mind->enemy_count = 0;
    for (int square = 0; square < view->cells; square++) {
        bool own = view->grid[square] == view->mine;
        mind->enemy_count += view->grid[square] == view->theirs;
        mind->held[square] = own;
        mind->unit_at[square] = own ? mind->unit_count : -1;
        if (own)
            mind->units[mind->unit_count++] = (Unit){.square = square, .task = HUNT, .to = square};
    }
    flood(view, view->mine, &mind->ours);
    flood(view, view->theirs, &mind->theirs);
}

/* Assigns each energy to the nearest unit, nearest energy first. Late in the match, or when clearly
   stronger, only nearby energy counts: a match that ends with living enemies is not a win. Once
   there are a few units, the nearest unit without a task is sent to raze the enemy's spawn. */
static inline void assign_tasks(Mind *mind) {
    const View *view = &mind->view;
    bool late = view->turn + view->rows + view->cols + 20 >= view->turns_max;
    bool strong = mind->unit_count >= 2 * mind->enemy_count + 3;
    int reach = late || strong ? 4 : FAR;
    for (int i = 0; i < mind->ours.order_count; i++) {
        int square = mind->ours.order[i];
        if (view->grid[square] != '*' || mind->ours.distance[square] > reach)
            continue;
        Unit *unit = &mind->units[mind->unit_at[mind->ours.nearest[square]]];
        bool lost_to_enemy = mind->theirs.distance[square] < mind->ours.distance[square] - 1;
        if (unit->task == HUNT && !lost_to_enemy) {
            unit->task = FETCH;
            unit->goal = square;
        }
    }
    if (view->their_spawn_razed || mind->unit_count < 3)
        return;
    Unit *nearest = NULL;
    for (int i = 0; i < mind->unit_count; i++) {
        Unit *unit = &mind->units[i];
        if (unit->task == HUNT &&
            (!nearest || view_steps(view, unit->square, view->their_spawn) <
                             view_steps(view, nearest->square, view->their_spawn)))
            nearest = unit;
    }
    if (nearest) {
        nearest->task = RAZE;
        nearest->goal = view->their_spawn;
    }
}

/* Counts the enemies (with `own`: our units, as far as is known) within two steps of `square`,
   except on the square `except`. Stores their squares in `found` unless it is NULL. */
static inline int count_within_two(const Mind *mind, int square, bool own, int except,
                                   int found[12]) {
    const View *view = &mind->view;
    int row = square / view->cols;
    int col = square % view->cols;
    int count = 0;
    for (int down = -2; down <= 2; down++)
        for (int right = abs(down) - 2; right <= 2 - abs(down); right++) {
            if (row + down < 0 || row + down >= view->rows || col + right < 0 ||
                col + right >= view->cols || (down == 0 && right == 0))
                continue;
            int there = square + down * view->cols + right;
            if (there == except)
                continue;
            if (own ? mind->held[there] : view->grid[there] == view->theirs) {
                if (found)
                    found[count] = there;
                count++;
            }
        }
    return count;
}

/* The value of `square` in a fight. Enemies up to two steps away could be adjacent after their
   move. */
static inline int fight_value(const Mind *mind, int square, int from) {
    int threats[12];
    int threat_count = count_within_two(mind, square, false, -1, threats);
    if (!threat_count)
        return 0;
    int weakest = FAR; /* our lowest strength against any of them */
    for (int i = 0; i < threat_count; i++) {
        int ours = 1 + count_within_two(mind, threats[i], true, from, NULL);
        weakest = ours < weakest ? ours : weakest;
    }
    if (weakest > threat_count)
        return 35;
    bool ahead = mind->boldness == BOLD || mind->unit_count > mind->enemy_count + 1;
    if (mind->boldness == CHARGE)
        return 0;
    if (weakest == threat_count && ahead)
        return 15; /* a one-for-one trade helps the stronger side */
    return ahead ? -25 * threat_count : -60 * threat_count;
}

static inline int value(const Mind *mind, const Unit *unit, int square) {
    const View *view = &mind->view;
    int sum = fight_value(mind, square, unit->square);
    switch (unit->task) {
    case FETCH:
        sum -= view_way(view, square, unit->goal);
        break;
    case RAZE:
        sum -= view_way(view, square, unit->goal);
        sum += square == unit->goal ? 40 : 0;
        break;
    case HUNT:
        sum -= view_way(view, square,
                        mind->enemy_count ? mind->theirs.nearest[square] : view->their_spawn);
        break;
    }
    if (view->grid[square] == '*')
        sum -= 200; /* moving onto energy destroys it */
    if (square == view->my_spawn)
        sum -= 20; /* keep it free for the next unit */
    return sum;
}

/* Chooses a unit's square. A square with a friend is not available until that friend has chosen
   another. */
static inline void choose(Mind *mind, Unit *unit) {
    int next[4];
    int count = view_neighbours(&mind->view, unit->square, next);
    int best = unit->square;
    int best_value = value(mind, unit, best);
    for (int i = 0; i < count; i++) {
        if (mind->held[next[i]])
            continue;
        int next_value = value(mind, unit, next[i]);
        if (next_value > best_value) {
            best = next[i];
            best_value = next_value;
        }
    }
    mind->held[unit->square] = false;
    mind->held[best] = true;
    unit->to = best;
}

/* Units near the enemy choose first, so that those behind find free squares. */
static inline void choose_all(Mind *mind) {
    static int first[2 * CELLS_MAX + 1]; /* buckets by distance: head of each list */
    static int following[CELLS_MAX];
    int buckets = mind->view.rows + mind->view.cols;
    for (int i = 0; i <= buckets; i++)
        first[i] = -1;
    for (int i = mind->unit_count - 1; i >= 0; i--) {
        int distance = mind->theirs.distance[mind->units[i].square];
        int bucket = distance < buckets ? distance : buckets;
        following[i] = first[bucket];
        first[bucket] = i;
    }
    for (int bucket = 0; bucket <= buckets; bucket++)
        for (int i = first[bucket]; i >= 0; i = following[i])
            choose(mind, &mind->units[i]);
}

/* Chooses a square for each of our units in `mind->view`: `units` and their `to` are the answer. */
static inline void strategy_think(Mind *mind) {
    look_around(mind);
    assign_tasks(mind);
    choose_all(mind);
}

#endif
