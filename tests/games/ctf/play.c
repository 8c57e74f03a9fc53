/* Plays Capture the flag in tests: answers, hostile orders, and the invariants after every
   round. */
#include "../play.h"
#include "games/ctf/ctf.h"

#include <stdlib.h>
#include <string.h>

static void answer(const GameSetup *head, const GameState *state_head, uint32_t team,
                   Random *random, Buffer *to) {
    static const char *const garbage[] = {"X\n\n",        "X U (1, 1)\n\n", "\n\n", "nonsense\n\n",
                                          "L U\nX U\n\n", "X U\nX U\n\n",   " \n\n"};
    const CtfSetup *setup = (const CtfSetup *)head;
    const CtfState *state = (const CtfState *)state_head;
    if (random_below(random, 2000) == 0) {
        buffer_text(to, garbage[random_below(random, 7)]);
        return;
    }
    uint32_t first = ctf_first(setup, team);
    for (uint32_t number = first; number < first + setup->rules.soldiers; number++) {
        const CtfSoldier *soldier = &state->soldier[number];
        if (random_below(random, 10) == 0)
            continue;
        /* Mostly towards the enemy's flag, or home with it, so that flags are captured. */
        CtfSquare goal =
            state->flag[1 - team].carrier == number ? setup->base[team] : state->flag[1 - team].at;
        char move = "UDLRS"[random_below(random, 5)];
        if (random_below(random, 3))
            move = soldier->at.x < goal.x   ? 'R'
                   : soldier->at.x > goal.x ? 'L'
                   : soldier->at.y < goal.y ? 'D'
                                            : 'U';
        buffer_format(to, "%c %c", ctf_name(setup, number), move);
        if (soldier->cooldown == 0 && random_below(random, 2)) {
            /* At an enemy, at the flag, or anywhere. */
            CtfSquare at = state->soldier[random_below(random, 2 * setup->rules.soldiers)].at;
            uint32_t drawn = random_below(random, 8);
            if (drawn == 0)
                at = state->flag[random_below(random, 2)].at;
            int x = at.x + (drawn < 3 ? (int)random_below(random, 9) - 4 : 0);
            int y = at.y + (drawn < 3 ? (int)random_below(random, 9) - 4 : 0);
            buffer_format(to, " (%d,%d)", x, y);
        }
        buffer_text(to, random_below(random, 20) ? "\n" : " \r\n");
    }
    buffer_char(to, '\n');
}

static void hostile(const GameSetup *head, const GameState *state, uint32_t team, Random *random,
                    GameOrders *orders_head) {
    CtfOrders *orders = (CtfOrders *)orders_head;
    (void)head;
    (void)state;
    (void)team;
    orders->head.kind = ORDERS_GIVEN;
    orders->head.count = CTF_SOLDIERS_MAX;
    for (uint32_t number = 0; number < CTF_SOLDIERS_MAX; number++) {
        CtfOrder *order = &orders->order[number];
        bool wild = random_below(random, 20) == 0;
        order->move = (uint8_t)random_below(random, wild ? 256 : CTF_MOVES);
        order->throws = (uint8_t)random_below(random, wild ? 256 : 2);
        order->x = wild ? (int32_t)random_next(random) : (int32_t)random_below(random, 20) - 2;
        order->y = wild ? (int32_t)random_next(random) : (int32_t)random_below(random, 20) - 2;
    }
}

static int distance(CtfSquare a, CtfSquare b) {
    return abs(a.x - b.x) + abs(a.y - b.y);
}

static bool same(CtfSquare a, CtfSquare b) {
    return distance(a, b) == 0;
}

static bool walkable(const CtfSetup *setup, CtfSquare at) {
    return at.x < setup->width && at.y < setup->height && ctf_tile(setup, at) != '#';
}

static const char *check_grenades(const CtfSetup *setup, const CtfState *after) {
    uint32_t turn = after->head.turn;
    if (after->grenade_count > 2 * CTF_FUSE * setup->rules.soldiers)
        return "there are more grenades than can be thrown";
    for (uint32_t i = 0; i < after->grenade_count; i++) {
        const CtfGrenade *grenade = &after->grenade[i];
        if (grenade->due < turn || grenade->due > turn + CTF_FUSE - 1)
            return "a grenade has an impossible fuse";
        if (!walkable(setup, grenade->at) || grenade->thrower >= 2 * setup->rules.soldiers)
            return "a grenade has an impossible square or thrower";
        if (i > 0 && (grenade->due < grenade[-1].due ||
                      (grenade->due == grenade[-1].due && grenade->thrower <= grenade[-1].thrower)))
            return "the grenades are not in throwing order";
    }
    return NULL;
}

/* The grenade that the soldier threw in the last round, or NULL. */
static const CtfGrenade *thrown_by(const CtfState *after, uint32_t number) {
    for (uint32_t i = 0; i < after->grenade_count; i++)
        if (after->grenade[i].thrower == number &&
            after->grenade[i].due == after->head.turn + CTF_FUSE - 1)
            return &after->grenade[i];
    return NULL;
}

static bool in_blast(const CtfState *before, CtfSquare at) {
    for (uint32_t i = 0; i < before->grenade_count; i++)
        if (before->grenade[i].due == before->head.turn &&
            abs(before->grenade[i].at.x - at.x) <= 1 && abs(before->grenade[i].at.y - at.y) <= 1)
            return true;
    return false;
}

/* Recomputes one round of one soldier: respawn, explosion, throw, step, cooldown. */
static const char *check_soldier(const CtfSetup *setup, const CtfState *before,
                                 const CtfState *after, uint32_t number) {
    const CtfSoldier *was = &before->soldier[number];
    const CtfSoldier *is = &after->soldier[number];
    uint32_t full = (uint32_t)setup->rules.grenade_cooldown;
    CtfSquare start = was->alive ? was->at : setup->spawn[ctf_team(setup, number)];
    uint32_t cooldown = was->alive ? was->cooldown : full;
    if (!walkable(setup, is->at))
        return "a soldier is on an impossible square";
    if (is->alive == in_blast(before, start))
        return "the deaths do not match the explosions";
    if (distance(start, is->at) > (is->alive ? 1 : 0))
        return "a soldier moved more than a step, or while dead";
    const CtfGrenade *thrown = thrown_by(after, number);
    if (thrown) {
        if (cooldown != 0 || !is->alive)
            return "a soldier threw that was not allowed to";
        if (distance(start, thrown->at) > setup->rules.grenade_range)
            return "a grenade was thrown too far";
        cooldown = full;
    }
    if (is->cooldown != cooldown - (cooldown > 0))
        return "a cooldown is wrong";
    return NULL;
}

static const char *check_flag(const CtfSetup *setup, const CtfState *before, const CtfState *after,
                              uint32_t team) {
    const CtfFlag *was = &before->flag[team];
    const CtfFlag *is = &after->flag[team];
    uint32_t enemy = 1 - team;
    if (!walkable(setup, is->at))
        return "a flag is on an impossible square";
    if (is->carrier != CTF_NOBODY &&
        (is->carrier >= 2 * setup->rules.soldiers || ctf_team(setup, is->carrier) != enemy ||
         !after->soldier[is->carrier].alive || !same(after->soldier[is->carrier].at, is->at)))
        return "a flag is not with its carrier";
    /* The enemy gained points for its kills and for at most one capture of this flag. */
    int64_t gained = after->points[enemy] - before->points[enemy];
    uint32_t first = ctf_first(setup, team);
    for (uint32_t number = first; number < first + setup->rules.soldiers; number++)
        gained -= after->soldier[number].alive ? 0 : setup->rules.points_kill;
    /* If a capture gives no points, it still shows: the flag leaves the enemy's base, which happens
       in no other way. */
    bool left_base = same(was->at, setup->base[enemy]) && !same(was->at, is->at);
    bool captured = gained != 0 || (setup->rules.points_capture == 0 && left_base);
    if (was->carrier != CTF_NOBODY && is->carrier != was->carrier && !captured &&
        setup->rules.points_capture != 0 && after->soldier[was->carrier].alive)
        return "a living carrier lost the flag";
    if (captured && gained != setup->rules.points_capture)
        return "points do not add up";
    if (captured && !same(was->at, setup->base[enemy]))
        return "a flag was captured that was not on the enemy's base";
    if (captured && distance(is->at, setup->base[team]) > 1)
        return "a captured flag is not on its base";
    if (!captured && distance(was->at, is->at) > 1)
        return "a flag moved more than one square";
    if (!same(was->at, is->at) && !captured && is->carrier == CTF_NOBODY)
        return "a flag moved by itself";
    return NULL;
}

static const char *check(const GameSetup *head, const GameState *before_head,
                         const GameState *after_head) {
    const CtfSetup *setup = (const CtfSetup *)head;
    const CtfState *before = (const CtfState *)before_head;
    const CtfState *after = (const CtfState *)after_head;
    if (after->end == END_FORFEIT)
        return memcmp(before->soldier, after->soldier, sizeof after->soldier) == 0 &&
                       memcmp(before->points, after->points, sizeof after->points) == 0 &&
                       (after->failed[0] || after->failed[1])
                   ? NULL
                   : "a forfeit changed the board";
    const char *what = check_grenades(setup, after);
    for (uint32_t number = 0; number < 2 * setup->rules.soldiers && !what; number++)
        what = check_soldier(setup, before, after, number);
    for (uint32_t team = 0; team < 2 && !what; team++)
        what = check_flag(setup, before, after, team);
    for (uint32_t number = 2 * setup->rules.soldiers; number < CTF_SOLDIERS_MAX && !what; number++)
        if (memcmp(&after->soldier[number], &(CtfSoldier){.alive = 0}, sizeof(CtfSoldier)) != 0)
            what = "an unused soldier has a state";
    return what;
}

static const PlayCase cases[] = {
    {NULL, NULL, 2},
    {"Rules{nRounds=300,nSoldiers=7,pointsKill=3,pointsCapture=50,grenadeRange=20,"
     "grenadeCooldown=0}",
     "A...a\n..#..\n.....\nb...B\n", 2},
    {"Rules{nRounds=60,nSoldiers=1,pointsKill=-1,pointsCapture=1000000,grenadeRange=2,"
     "grenadeCooldown=1}\nAabB",
     NULL, 2},
    {"Rules{nRounds=500,nSoldiers=4,pointsKill=1000000,pointsCapture=7,grenadeRange=5,"
     "grenadeCooldown=3}\nA\na\n.\nb\nB\n",
     NULL, 2},
    {"Rules{nRounds=200,nSoldiers=2,pointsKill=0,pointsCapture=0,grenadeRange=0,grenadeCooldown="
     "10000}",
     NULL, 2},
};

const GamePlay play_ctf = {
    .game = &game_ctf,
    .cases = cases,
    .case_count = sizeof cases / sizeof *cases,
    .answer = answer,
    .hostile = hostile,
    .check = check,
};
