/* The ratings of one game's ladder: reads results and active bots, fits ratings, and stores and
   publishes them. */
#include "arena/ladders/ladders_internal.h"

#include "arena/play/play.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

enum { RESULTS_PER_READ = 500 };

#define HISTORY_PAUSE (600000 * CLOCK_MS) /* between two points of a bot's history */
#define ERROR_MAX 9999.0

static int by_version(const void *left, const void *right) {
    const RatedBot *a = left;
    const RatedBot *b = right;
    return (a->row.version > b->row.version) - (a->row.version < b->row.version);
}

RatedBot *ladder_find_rated(const GameLadder *ladder, uint64_t version) {
    RatedBot wanted = {.row = {.version = version}};
    return ladder->rated_count ? bsearch(&wanted, ladder->rated, ladder->rated_count,
                                         sizeof *ladder->rated, by_version)
                               : NULL;
}

/* ---- results ---- */

static void add_result(GameLadder *ladder, const StoreMatch *match) {
    if (ladder->entry_count + match->players > ladder->entry_capacity) {
        ladder->entry_capacity = ladder->entry_capacity * 2 + 1024;
        ladder->entries =
            xreallocarray(ladder->entries, ladder->entry_capacity, sizeof *ladder->entries);
    }
    for (uint32_t i = 0; i < match->players; i++) {
        const StoreSeat *seat = &match->seats[i];
        ladder->entries[ladder->entry_count++] =
            (ResultEntry){seat->version, seat->rank, i ? 0 : match->players};
    }
}

/* Reads new results. */
static bool read_results(const Ladders *ladders, GameLadder *ladder, Error *error) {
    StoreMatches matches = {0};
    bool good = true;
    do {
        good = store_matches_results(ladders->arena->store, ladder->game->name, ladder->last_result,
                                     RESULTS_PER_READ, &matches, error) == STORE_OK;
        for (uint32_t i = 0; good && i < matches.count; i++) {
            add_result(ladder, &matches.rows[i]);
            ladder->last_result = matches.rows[i].result;
            ladder->stale = true;
        }
    } while (good && matches.count == RESULTS_PER_READ);
    store_matches_free(&matches);
    return good;
}

/* ---- bots ---- */

/* A bot's new version continues its history. */
static void inherit(const GameLadder *ladder, RatedBot *rated) {
    for (uint32_t i = 0; i < ladder->rated_count; i++)
        if (ladder->rated[i].row.bot == rated->row.bot) {
            const RatedBot *old = &ladder->rated[i];
            if (old->row.version == rated->row.version)
                *rated = *old;
            rated->history = old->history;
            rated->history_rating = old->history_rating;
            rated->history_version = old->history_version;
            return;
        }
}

/* Reads the active versions. */
static bool read_bots(const Ladders *ladders, GameLadder *ladder, Error *error) {
    StoreBot *rows = xcalloc(STORE_PAGE_MAX, sizeof *rows);
    StorePage page = {.limit = STORE_PAGE_MAX};
    RatedBot *rated = NULL;
    uint32_t count = 0;
    uint64_t owner = 0;
    bool contested = false;
    bool good = true;
    do {
        page.count = 0;
        page.next = (StoreCursor){0};
        good = store_bots_list(ladders->arena->store, 0, ladder->game->name, &page, rows, error) ==
               STORE_OK;
        rated = xreallocarray(rated, count + page.count + 1, sizeof *rated);
        for (uint32_t i = 0; good && i < page.count; i++)
            if (rows[i].active) {
                rated[count++] = (RatedBot){.row = {.bot = rows[i].id, .version = rows[i].active}};
                contested |= owner && owner != rows[i].owner;
                owner = rows[i].owner;
            }
        page.from = page.next;
    } while (good && (page.next.id || page.next.key));
    free(rows);
    qsort(rated, count, sizeof *rated, by_version);
    bool same = count == ladder->rated_count;
    for (uint32_t i = 0; same && i < count; i++)
        same = rated[i].row.version == ladder->rated[i].row.version;
    if (!good || same) {
        free(rated);
        return good;
    }
    for (uint32_t i = 0; i < count; i++)
        inherit(ladder, &rated[i]);
    free(ladder->rated);
    ladder->rated = rated;
    ladder->rated_count = count;
    ladder->contested = contested;
    ladder->indices = xreallocarray(ladder->indices, count + 1, sizeof *ladder->indices);
    ladder->stale = true;
    ladder->next_fit = 0;
    ladder->next_meeting = 0; /* a new bot does not wait until an accurate ladder plays again */
    return true;
}

/* ---- ratings ---- */

/* Counts a result for the players that are still on the ladder. */
static void count_result(GameLadder *ladder, const ResultEntry *entries, uint32_t players) {
    uint32_t bots[GAME_PLAYERS_MAX];
    uint32_t ranks[GAME_PLAYERS_MAX];
    uint32_t count = 0;
    uint32_t best = UINT32_MAX;
    uint32_t firsts = 0;
    for (uint32_t i = 0; i < players; i++) {
        const RatedBot *rated = ladder_find_rated(ladder, entries[i].version);
        uint32_t index = rated ? (uint32_t)(rated - ladder->rated) : 0;
        bool twice = false;
        for (uint32_t k = 0; rated && k < count; k++)
            twice |= bots[k] == index;
        if (!rated || twice)
            continue;
        bots[count] = index;
        ranks[count++] = entries[i].rank;
        firsts = entries[i].rank < best ? 1 : firsts + (entries[i].rank == best);
        best = entries[i].rank < best ? entries[i].rank : best;
    }
    if (count < 2)
        return;
    ratings_add(ladder->ratings, count, bots, ranks, 1);
    for (uint32_t i = 0; i < count; i++) {
        StoreRating *row = &ladder->rated[bots[i]].row;
        row->matches++;
        row->won += ranks[i] == best && firsts == 1;
        row->drawn += ranks[i] == best && firsts > 1;
        row->lost += ranks[i] != best;
    }
}

static double sane(double value) {
    return isfinite(value) ? fmax(-ERROR_MAX, fmin(ERROR_MAX, value)) : ERROR_MAX;
}

static bool fit(GameLadder *ladder, Error *error) {
    ratings_free(ladder->ratings);
    ladder->ratings = ratings_new(ladder->rated_count);
    ratings_set_prior(ladder->ratings, LADDER_PRIOR);
    for (uint32_t i = 0; i < ladder->rated_count; i++) {
        StoreRating *row = &ladder->rated[i].row;
        row->matches = row->won = row->drawn = row->lost = 0;
    }
    for (size_t at = 0; at < ladder->entry_count; at += ladder->entries[at].players)
        count_result(ladder, &ladder->entries[at], ladder->entries[at].players);
    if (!ratings_fit(ladder->ratings, error))
        return false;
    for (uint32_t i = 0; i < ladder->rated_count; i++) {
        ladder->rated[i].row.rating = LADDER_MEAN + sane(ratings_elo(ladder->ratings, i));
        ladder->rated[i].row.error = sane(ratings_error(ladder->ratings, i));
    }
    return true;
}

/* A new version gets a point in the history; later points need a changed rating and some time. */
static bool needs_point(const RatedBot *rated, int64_t now) {
    if (rated->history_version != rated->row.version)
        return true;
    return now - rated->history >= HISTORY_PAUSE &&
           fabs(rated->row.rating - rated->history_rating) >= 1;
}

/* How a rating is stored. */
typedef enum Change { CHANGE_RATING, CHANGE_WITH_POINT, CHANGE_CLEAR, CHANGES } Change;

static Change change_of(const RatedBot *rated, int64_t now) {
    if (!rated->row.matches)
        return CHANGE_CLEAR;
    return needs_point(rated, now) ? CHANGE_WITH_POINT : CHANGE_RATING;
}

static bool write_ratings(const Ladders *ladders, GameLadder *ladder, Error *error) {
    Store *store = ladders->arena->store;
    const char *game = ladder->game->name;
    StoreRating *rows[CHANGES];
    uint32_t counts[CHANGES] = {0};
    int64_t now = clock_now();
    for (Change change = 0; change < CHANGES; change++)
        rows[change] = xcalloc(ladder->rated_count, sizeof **rows);
    for (uint32_t i = 0; i < ladder->rated_count; i++) {
        RatedBot *rated = &ladder->rated[i];
        Change change = change_of(rated, now);
        rows[change][counts[change]++] = rated->row;
        if (change == CHANGE_WITH_POINT) {
            rated->history = now;
            rated->history_rating = rated->row.rating;
            rated->history_version = rated->row.version;
        }
    }
    bool good = true;
    for (Change change = 0; good && change < CHANGES; change++)
        if (counts[change])
            good = (change == CHANGE_CLEAR
                        ? store_ratings_clear(store, rows[change], counts[change], error)
                        : store_ratings_set(store, game, rows[change], counts[change],
                                            change == CHANGE_WITH_POINT, error)) == STORE_OK;
    for (Change change = 0; change < CHANGES; change++)
        free(rows[change]);
    return good;
}

void ladder_publish(const Ladders *ladders, GameLadder *ladder, bool always) {
    StoreRating *rows = xcalloc(50, sizeof *rows);
    StorePage page = {.limit = 50};
    Error error;
    if (store_ratings_list(ladders->arena->store, ladder->game->name, &page, rows, &error) ==
        STORE_OK) {
        Buffer text = {0};
        JsonOut out = {.to = &text};
        char topic[LIVE_TOPIC_MAX];
        json_open(&out, NULL, '{');
        json_out_text(&out, "game", ladder->game->name);
        json_open(&out, "items", '[');
        for (uint32_t i = 0; i < page.count; i++)
            ladders_row(&out, &rows[i]);
        json_close(&out, ']');
        json_close(&out, '}');
        snprintf(topic, sizeof topic, "ladder-%s", ladder->game->name);
        uint64_t digest = hash64(text.data, text.length);
        if (always || digest != ladder->shown) {
            live_publish(ladders->arena->live, topic, "ratings", (Slice){text.data, text.length});
            activity_ratings(ladders->arena, ladder->game->name);
        }
        ladder->shown = digest;
        buffer_free(&text);
    }
    free(rows);
}

void ladders_row(JsonOut *out, const StoreRating *row) {
    char number[32];
    json_open(out, NULL, '{');
    json_out_uint(out, "rank", row->rank);
    json_out_text(out, "owner", row->owner_name);
    json_out_text(out, "bot", row->name);
    json_out_uint(out, "version", row->version);
    snprintf(number, sizeof number, "%.1f", row->rating);
    json_out_raw(out, "rating", slice_of(number));
    snprintf(number, sizeof number, "%.1f", row->error);
    json_out_raw(out, "error", slice_of(number));
    json_out_uint(out, "matches", row->matches);
    json_out_uint(out, "won", row->won);
    json_out_uint(out, "drawn", row->drawn);
    json_out_uint(out, "lost", row->lost);
    json_close(out, '}');
}

bool ladder_update(const Ladders *ladders, GameLadder *ladder, Error *error) {
    if (!read_results(ladders, ladder, error) || !read_bots(ladders, ladder, error))
        return false;
    int64_t began = clock_now();
    if (!ladder->stale || began < ladder->next_fit || !ladder->rated_count)
        return true;
    if (!fit(ladder, error) || (ladders->leads && !write_ratings(ladders, ladder, error)))
        return false;
    ladder->stale = false;
    ladders->arena->ratings_changed = clock_now();
    ladder_publish(ladders, ladder, true);
    if (ladders->leads)
        store_news_send(ladders->arena->store, NEWS_RATINGS, 0);
    int64_t took = clock_now() - began;
    ladder->next_fit = clock_now() + (took * 20 > 1000 * CLOCK_MS ? took * 20 : 1000 * CLOCK_MS);
    return true;
}
