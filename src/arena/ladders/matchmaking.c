/* Chooses the ladders' meetings: the matches that improve the ratings most, while the queue has
   room. */
#include "arena/ladders/ladders_internal.h"

#include "arena/play/play.h"
#include "arena/settings.h"
#include "base/clock.h"
#include "base/memory.h"
#include "league/dispatcher.h"

#include <math.h>
#include <stdlib.h>

enum {
    NEIGHBOURS = 24,     /* how far up and down the ladder opponents are chosen */
    KNOWN_MATCHES = 40,  /* a rating is accurate after this many matches ... */
    KNOWN_ERROR = 60,    /* ... if its error is at most this, */
    ENOUGH_MATCHES = 100 /* or after this many: the error of a bot that always wins stays large */
};

#define IDLE_PAUSE (60000 * CLOCK_MS) /* between meetings on an accurate ladder */

/* ---- the queue ---- */

/* Counts the queued seats again each time, because matches can be cancelled or given up. */
static bool read_queue(Ladders *ladders, Error *error) {
    uint32_t count = QUEUED_VERSIONS;
    if (store_queue_ladder(ladders->arena->store, ladders->queued, &count, error) != STORE_OK)
        return false;
    for (uint32_t g = 0; g < ladders->game_count; g++) {
        GameLadder *ladder = &ladders->games[g];
        for (uint32_t i = 0; i < ladder->rated_count; i++)
            ladder->rated[i].queued = 0;
        for (uint32_t i = 0; i < count; i++) {
            RatedBot *rated = ladder_find_rated(ladder, ladders->queued[i].version);
            if (rated)
                rated->queued = ladders->queued[i].seats;
        }
    }
    return true;
}

/* ---- choosing matches ---- */

static const GameLadder *sorting; /* qsort has no context; only the ladders' thread sorts */

static int best_first(const void *left, const void *right) {
    const StoreRating *a = &sorting->rated[*(const uint32_t *)left].row;
    const StoreRating *b = &sorting->rated[*(const uint32_t *)right].row;
    if (a->rating != b->rating)
        return a->rating > b->rating ? -1 : 1;
    return a->bot < b->bot ? -1 : 1;
}

static uint32_t seen(const RatedBot *rated) {
    return rated->row.matches + rated->queued;
}

/* The rank of the bot that the next meeting is for: while any bot is unplaced, the one with the
   fewest matches; otherwise that one and the one with the least accurate rating alternate. */
static uint32_t choose_centre(const GameLadder *ladder) {
    uint32_t least = 0;
    uint32_t inaccurate = 0;
    for (uint32_t i = 1; i < ladder->rated_count; i++) {
        const RatedBot *rated = &ladder->rated[ladder->indices[i]];
        const RatedBot *first = &ladder->rated[ladder->indices[least]];
        const RatedBot *other = &ladder->rated[ladder->indices[inaccurate]];
        if (seen(rated) < seen(first))
            least = i;
        if (rated->row.error / (1 + rated->queued) > other->row.error / (1 + other->queued))
            inaccurate = i;
    }
    bool placing = seen(&ladder->rated[ladder->indices[least]]) < LADDER_PLACED;
    return placing || ladder->meetings % 2 ? least : inaccurate;
}

static double gain(const GameLadder *ladder, uint32_t a, uint32_t b) {
    double promise = ratings_information_gain(ladder->ratings, a, b);
    return (isfinite(promise) && promise > 0 ? promise : 0) / (1.0 + ladder->rated[b].queued);
}

/* Chooses the bots that meet, as indices of ladder->rated. */
static void choose(GameLadder *ladder, uint32_t players, uint32_t *bots) {
    for (uint32_t i = 0; i < ladder->rated_count; i++)
        ladder->indices[i] = i;
    sorting = ladder;
    qsort(ladder->indices, ladder->rated_count, sizeof *ladder->indices, best_first);
    uint32_t centre = choose_centre(ladder);
    uint32_t window = players > NEIGHBOURS ? players : NEIGHBOURS;
    uint32_t top = centre > window ? centre - window : 0;
    bots[0] = ladder->indices[centre];
    for (uint32_t i = 1; i < players; i++) {
        double best = -1;
        for (uint32_t at = top; at < ladder->rated_count && at <= centre + window; at++) {
            uint32_t bot = ladder->indices[at];
            bool there = false;
            for (uint32_t k = 0; k < i; k++)
                there |= bots[k] == bot;
            double promise = there ? -1 : gain(ladder, bots[0], bot);
            if (promise > best) {
                best = promise;
                bots[i] = bot;
            }
        }
    }
}

/* While all bots have the same owner, as the house bots have at first, it is enough to place them:
   nobody waits for better ratings, and strong bots use much CPU time. */
static bool is_accurate(const GameLadder *ladder) {
    for (uint32_t i = 0; i < ladder->rated_count; i++) {
        const RatedBot *rated = &ladder->rated[i];
        uint32_t matches = seen(rated);
        if (!ladder->contested && matches >= LADDER_PLACED)
            continue;
        if (matches < KNOWN_MATCHES || (rated->row.error > KNOWN_ERROR && matches < ENOUGH_MATCHES))
            return false;
    }
    return true;
}

/* The standard maps for this number of players in turn; NULL if there is none. */
static const char *next_map(const GameLadder *ladder, uint32_t players) {
    uint32_t count = 0;
    for (const GameMap *map = ladder->game->maps; map->name; map++)
        count += !map->players || map->players == players;
    uint32_t skip = count ? ladder->meetings % count : 0;
    for (const GameMap *map = ladder->game->maps; map->name; map++)
        if ((!map->players || map->players == players) && skip-- == 0)
            return map->name;
    return NULL;
}

/* Adds one meeting to the queue: a match for every rotation of the seats. */
static bool add_meeting(Ladders *ladders, GameLadder *ladder, uint32_t players, Error *error) {
    uint32_t bots[GAME_PLAYERS_MAX] = {0};
    StoreNewMatch matches[GAME_PLAYERS_MAX];
    uint64_t ids[GAME_PLAYERS_MAX];
    StoreNewSeat *seats = xcalloc((size_t)players * players, sizeof *seats);
    QueuedMatch setup = {0};
    Buffer text = {0};
    uint64_t seed = random_next(&ladders->random) >> 11;
    choose(ladder, players, bots);
    bool good = queued_match_choose(&setup, ladder->game, next_map(ladder, players), NULL, players,
                                    seed, error);
    queued_match_write(&setup, &text);
    for (uint32_t leg = 0; leg < players; leg++) {
        for (uint32_t seat = 0; seat < players; seat++) {
            const StoreRating *row = &ladder->rated[bots[(seat + leg) % players]].row;
            seats[(size_t)leg * players + seat] =
                (StoreNewSeat){.bot = row->bot, .version = row->version};
        }
        matches[leg] = (StoreNewMatch){.kind = MATCH_LADDER,
                                       .game = ladder->game->name,
                                       .map = setup.map.name ? setup.map.name : "",
                                       .seed = seed,
                                       .leg = leg,
                                       .spec = buffer_string(&text),
                                       .players = players,
                                       .seats = &seats[(size_t)leg * players]};
    }
    StoreResult result =
        good ? store_queue_matches(ladders->arena->store, matches, players, ids, error)
             : STORE_FAILED;
    good = result == STORE_OK || result == STORE_REJECTED; /* a bot was retired in the meantime */
    for (uint32_t i = 0; result == STORE_OK && i < players; i++)
        ladder->rated[bots[i]].queued += players;
    ladder->meetings++;
    free(seats);
    buffer_free(&text);
    queued_match_free(&setup);
    return good;
}

/* How many ladder matches fit into the queue now. */
static uint32_t free_places(const Ladders *ladders, StoreQueueSize *size) {
    Error error;
    uint32_t jobs =
        ladders->arena->options.jobs ? ladders->arena->options.jobs : dispatcher_cores();
    uint32_t enough = 2 * jobs;
    /* Other matches in the queue do not count: fair shares decide when ladder matches are played,
       and a busy queue must not stop the ladders. */
    if (store_queue_size(ladders->arena->store, size, &error) != STORE_OK ||
        size->matches[MATCH_LADDER] >= enough)
        return 0;
    return enough - size->matches[MATCH_LADDER];
}

bool matchmaking_add(Ladders *ladders, Error *error) {
    if (!read_queue(ladders, error))
        return false;
    StoreQueueSize size;
    bool wanted = ladders->leads && arena_ladder_on(ladders->arena);
    uint32_t room = wanted ? free_places(ladders, &size) : 0;
    for (uint32_t tried = 0; room && tried < ladders->game_count; tried++) {
        GameLadder *ladder = &ladders->games[ladders->turn++ % ladders->game_count];
        uint32_t players = ladder->game->players_min > 2 ? ladder->game->players_min : 2;
        int64_t now = clock_now();
        if (!ladder->ratings || ladder->rated_count < players || now < ladder->next_meeting)
            continue;
        if (is_accurate(ladder))
            ladder->next_meeting = now + IDLE_PAUSE;
        if (!add_meeting(ladders, ladder, players, error))
            return false;
        engine_wake(ladders->arena->engine);
        room = room > players ? room - players : 0;
    }
    return true;
}
