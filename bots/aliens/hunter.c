/* House bot for Aliens: gathers what is near, multiplies, razes the enemy's spawn and hunts its
   units down with more than one of its own.

   Each turn every unit gets an errand (an energy to fetch, the spawn to raze, or the hunt), and
   then, the ones nearest to the enemy first, the square that is best for its errand among those
   where no comrade will be. What decides a fight is counted before it: who may be beside an enemy,
   and who may be beside us. It needs no chance: the same views get the same answers. */
#include "common.h"

enum { FAR = 1 << 20 };

typedef enum Errand { HUNT, FETCH, RAZE } Errand;

typedef struct Unit {
    int square;
    Errand errand;
    int goal; /* the energy to stand beside, or the spawn to stand on */
} Unit;

/* What lies how far: for every square the nearest one that holds something, and the steps to it;
   and all squares in the order of their steps. */
typedef struct Flood {
    int distance[CELLS_MAX];
    int nearest[CELLS_MAX];
    int order[CELLS_MAX];
    int order_count;
} Flood;

typedef struct Mind {
    View view;
    int unit_count;
    int enemy_count;
    Unit units[CELLS_MAX];
    int unit_at[CELLS_MAX]; /* index of the unit there, or -1 */
    bool held[CELLS_MAX];   /* a unit of ours will be there, as far as is known by now */
    Flood ours;
    Flood theirs;
} Mind;

static void flood(const View *view, char what, Flood *from) {
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

static void look_around(Mind *mind) {
    const View *view = &mind->view;
    mind->unit_count = mind->enemy_count = 0;
    for (int square = 0; square < view->cells; square++) {
        bool own = view->grid[square] == view->mine;
        mind->enemy_count += view->grid[square] == view->theirs;
        mind->held[square] = own;
        mind->unit_at[square] = own ? mind->unit_count : -1;
        if (own)
            mind->units[mind->unit_count++] = (Unit){.square = square, .errand = HUNT};
    }
    flood(view, view->mine, &mind->ours);
    flood(view, view->theirs, &mind->theirs);
}

static int distance_between(const View *view, int a, int b) {
    return abs(a / view->cols - b / view->cols) + abs(a % view->cols - b % view->cols);
}

/* Ten a step, and a little for the longer of the two ways: who closes the longer one first is not
   led up and down by a target that wanders. */
static int way_between(const View *view, int a, int b) {
    int down = abs(a / view->cols - b / view->cols);
    int right = abs(a % view->cols - b % view->cols);
    return 10 * (down + right) + (down > right ? down : right);
}

/* Energy goes to the unit that is nearest to it, the nearest energy first. Late in the match, or
   with the upper hand, only what lies at the wayside counts: a match that ends with enemies alive
   is no win. One unit, not busy, is sent to raze the enemy's spawn as soon as there are a few. */
static void give_errands(Mind *mind) {
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
        if (unit->errand == HUNT && !lost_to_enemy)
            *unit = (Unit){.square = unit->square, .errand = FETCH, .goal = square};
    }
    if (view->their_spawn_razed || mind->unit_count < 3)
        return;
    Unit *nearest = NULL;
    for (int i = 0; i < mind->unit_count; i++) {
        Unit *unit = &mind->units[i];
        if (unit->errand == HUNT &&
            (!nearest || distance_between(view, unit->square, view->their_spawn) <
                             distance_between(view, nearest->square, view->their_spawn)))
            nearest = unit;
    }
    if (nearest)
        *nearest = (Unit){.square = nearest->square, .errand = RAZE, .goal = view->their_spawn};
}

/* How many squares one or two steps from `square` hold enemies (with `own`: units of ours, as far
   as is known by now), the square `except` left out. Their squares go to `found` unless it is
   NULL. */
static int count_within_two(const Mind *mind, int square, bool own, int except, int found[12]) {
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

/* What standing on `square` is worth in the fight: enemies up to two steps away may be beside it
   after their move. */
static int fight_value(const Mind *mind, int square, int from) {
    int threats[12];
    int threat_count = count_within_two(mind, square, false, -1, threats);
    if (!threat_count)
        return 0;
    int weakest = FAR; /* of our numbers against any one of them */
    for (int i = 0; i < threat_count; i++) {
        int ours = 1 + count_within_two(mind, threats[i], true, from, NULL);
        weakest = ours < weakest ? ours : weakest;
    }
    if (weakest > threat_count)
        return 35;
    bool ahead = mind->unit_count > mind->enemy_count + 1;
    if (weakest == threat_count && ahead)
        return 15; /* a trade, one for one, helps who has more */
    return ahead ? -25 * threat_count : -60 * threat_count;
}

static int value(const Mind *mind, const Unit *unit, int square) {
    const View *view = &mind->view;
    int sum = fight_value(mind, square, unit->square);
    switch (unit->errand) {
    case FETCH:
        sum -= way_between(view, square, unit->goal);
        break;
    case RAZE:
        sum -= way_between(view, square, unit->goal);
        sum += square == unit->goal ? 40 : 0;
        break;
    case HUNT:
        sum -= way_between(view, square,
                           mind->enemy_count ? mind->theirs.nearest[square] : view->their_spawn);
        break;
    }
    if (view->grid[square] == '*')
        sum -= 200; /* moving onto energy destroys it */
    if (square == view->my_spawn)
        sum -= 20; /* the next unit wants to be born there */
    return sum;
}

/* A square that a comrade holds is taken until that comrade has chosen another one. */
static void choose(Mind *mind, const Unit *unit, Buffer *answer) {
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
    if (best == unit->square)
        return;
    mind->held[unit->square] = false;
    mind->held[best] = true;
    answer_move(answer, unit->square, best);
}

/* Those in front choose first, so that those behind find their squares free. */
static void choose_all(Mind *mind, Buffer *answer) {
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
            choose(mind, &mind->units[i], answer);
}

int main(void) {
    static Mind mind;
    Buffer answer = {0};
    while (view_read(&mind.view)) {
        answer_begin(&answer);
        look_around(&mind);
        give_errands(&mind);
        choose_all(&mind, &answer);
        answer_send(&answer);
    }
    buffer_free(&answer);
    return 0;
}
