/* See ladders.h. */
#include "arena/ladders/ladders.h"

#include "arena/play/play.h"
#include "arena/settings.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/random.h"
#include "league/dispatcher.h"
#include "league/rating.h"

#include <math.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>

enum {
    RESULTS_PER_READ = 500,
    NEIGHBOURS = 24,       /* how far up and down the ladder opponents are chosen */
    KNOWN_MATCHES = 40,    /* a rating is accurate after this many matches ... */
    KNOWN_ERROR = 60,      /* ... if its error is at most this, */
    ENOUGH_MATCHES = 100,  /* or after this many: the error of a bot that always wins stays large */
    QUEUED_VERSIONS = 1024 /* versions in the queue that are counted; there are seldom more */
};

#define IDLE_PAUSE (60000 * CLOCK_MS)     /* between meetings on an accurate ladder */
#define HISTORY_PAUSE (600000 * CLOCK_MS) /* between two points of a bot's history */
#define ERROR_MAX 9999.0

/* One player of a result. The results of a game form one list. */
typedef struct Entry {
    uint64_t version;
    uint32_t rank;
    uint32_t players; /* in the first entry of a match; 0 in the others */
} Entry;

typedef struct RatedBot {
    StoreRating row; /* as last computed */
    uint32_t queued; /* its seats in the queue */
    int64_t history; /* clock_now of its last point in the history */
    double history_rating;
    uint64_t history_version;
} RatedBot;

typedef struct GameLadder {
    const Game *game;
    uint64_t last_result;
    Entry *entries;
    size_t entry_count;
    size_t entry_capacity;
    RatedBot *rated; /* the active bots, by version */
    uint32_t rated_count;
    Ratings *ratings;
    uint32_t *indices; /* scratch space: the ladder, best first */
    bool stale;        /* the ratings lack new results or bots */
    int64_t next_fit;  /* clock_now */
    int64_t next_meeting;
    uint32_t meetings; /* added to the queue */
} GameLadder;

struct Ladders {
    Arena *arena;
    pthread_t thread;
    bool started;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool woken;
    bool stopping;
    GameLadder *games;
    uint32_t game_count;
    uint32_t turn; /* the game whose turn it is */
    StoreQueuedVersion queued[QUEUED_VERSIONS];
    Random random;
};

static void log_error(const Ladders *ladders, const Error *error) {
    log_write(ladders->arena->log, LOG_ERROR, "ladder", &(LogField){"error", error->text, 0}, 1);
}

static int by_version(const void *left, const void *right) {
    const RatedBot *a = left;
    const RatedBot *b = right;
    return (a->row.version > b->row.version) - (a->row.version < b->row.version);
}

static RatedBot *find_rated(const GameLadder *ladder, uint64_t version) {
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
            (Entry){seat->version, seat->rank, i ? 0 : match->players};
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

/* ---- the queue ---- */

/* Counted again each time, because matches can be called off or given up. */
static bool read_queue(Ladders *ladders, Error *error) {
    uint32_t count = QUEUED_VERSIONS;
    if (store_queue_ladder(ladders->arena->store, ladders->queued, &count, error) != STORE_OK)
        return false;
    for (uint32_t g = 0; g < ladders->game_count; g++) {
        GameLadder *ladder = &ladders->games[g];
        for (uint32_t i = 0; i < ladder->rated_count; i++)
            ladder->rated[i].queued = 0;
        for (uint32_t i = 0; i < count; i++) {
            RatedBot *rated = find_rated(ladder, ladders->queued[i].version);
            if (rated)
                rated->queued = ladders->queued[i].seats;
        }
    }
    return true;
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
    bool good = true;
    do {
        page.count = 0;
        page.next = (StoreCursor){0};
        good = store_bots_list(ladders->arena->store, 0, ladder->game->name, &page, rows, error) ==
               STORE_OK;
        rated = xreallocarray(rated, count + page.count + 1, sizeof *rated);
        for (uint32_t i = 0; good && i < page.count; i++)
            if (rows[i].active)
                rated[count++] = (RatedBot){.row = {.bot = rows[i].id, .version = rows[i].active}};
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
    ladder->indices = xreallocarray(ladder->indices, count + 1, sizeof *ladder->indices);
    ladder->stale = true;
    ladder->next_fit = 0;
    return true;
}

/* ---- ratings ---- */

/* Counts a result for the players that are still on the ladder. */
static void count_result(GameLadder *ladder, const Entry *entries, uint32_t players) {
    uint32_t bots[GAME_PLAYERS_MAX];
    uint32_t ranks[GAME_PLAYERS_MAX];
    uint32_t count = 0;
    uint32_t best = UINT32_MAX;
    uint32_t firsts = 0;
    for (uint32_t i = 0; i < players; i++) {
        const RatedBot *rated = find_rated(ladder, entries[i].version);
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

static void publish(const Ladders *ladders, const GameLadder *ladder) {
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
        live_publish(ladders->arena->live, topic, "ratings", (Slice){text.data, text.length});
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

/* Reads what is new, and computes the ratings if it is time. The longer that takes, the later it is
   repeated. */
static bool update(const Ladders *ladders, GameLadder *ladder, Error *error) {
    if (!read_results(ladders, ladder, error) || !read_bots(ladders, ladder, error))
        return false;
    int64_t began = clock_now();
    if (!ladder->stale || began < ladder->next_fit || !ladder->rated_count)
        return true;
    if (!fit(ladder, error) || !write_ratings(ladders, ladder, error))
        return false;
    ladder->stale = false;
    publish(ladders, ladder);
    int64_t took = clock_now() - began;
    ladder->next_fit = clock_now() + (took * 20 > 1000 * CLOCK_MS ? took * 20 : 1000 * CLOCK_MS);
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

/* The rank of the bot that the next meeting is for: the one with the fewest matches while any is
   unplaced; otherwise in turn that one and the one with the least accurate rating. */
static uint32_t neediest(const GameLadder *ladder) {
    uint32_t least = 0;
    uint32_t vague = 0;
    for (uint32_t i = 1; i < ladder->rated_count; i++) {
        const RatedBot *rated = &ladder->rated[ladder->indices[i]];
        const RatedBot *first = &ladder->rated[ladder->indices[least]];
        const RatedBot *other = &ladder->rated[ladder->indices[vague]];
        if (seen(rated) < seen(first))
            least = i;
        if (rated->row.error / (1 + rated->queued) > other->row.error / (1 + other->queued))
            vague = i;
    }
    bool placing = seen(&ladder->rated[ladder->indices[least]]) < LADDER_PLACED;
    return placing || ladder->meetings % 2 ? least : vague;
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
    uint32_t centre = neediest(ladder);
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

static bool is_accurate(const GameLadder *ladder) {
    for (uint32_t i = 0; i < ladder->rated_count; i++) {
        const RatedBot *rated = &ladder->rated[i];
        uint32_t matches = seen(rated);
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
    good = result == STORE_OK ||
           result == STORE_REJECTED; /* refused: a bot was retired in the meantime */
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
    if (store_queue_size(ladders->arena->store, size, &error) != STORE_OK || size->builds ||
        size->matches[MATCH_PLAY_NOW] || size->matches[MATCH_TOURNAMENT] ||
        size->matches[MATCH_LADDER] >= enough)
        return 0;
    return enough - size->matches[MATCH_LADDER];
}

static bool add_meetings(Ladders *ladders, Error *error) {
    StoreQueueSize size;
    uint32_t room = arena_ladder_on(ladders->arena) ? free_places(ladders, &size) : 0;
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

/* ---- the thread ---- */

/* Sleeps for a second or until woken; false when stopping. */
static bool wait_for_news(Ladders *ladders) {
    struct timespec until;
    clock_gettime(CLOCK_REALTIME, &until);
    until.tv_sec++;
    pthread_mutex_lock(&ladders->lock);
    while (!ladders->woken && !ladders->stopping &&
           pthread_cond_timedwait(&ladders->changed, &ladders->lock, &until) == 0)
        continue;
    ladders->woken = false;
    bool goes_on = !ladders->stopping;
    pthread_mutex_unlock(&ladders->lock);
    return goes_on;
}

static void *run(void *context) {
    Ladders *ladders = context;
    do {
        Error error = {""};
        bool good = true;
        for (uint32_t i = 0; good && i < ladders->game_count; i++)
            good = update(ladders, &ladders->games[i], &error);
        if (!good || !read_queue(ladders, &error) || !add_meetings(ladders, &error))
            log_error(ladders, &error);
    } while (wait_for_news(ladders));
    return NULL;
}

static void match_ended(void *context, const StoreMatch *match) {
    if (match->kind == MATCH_LADDER)
        ladders_wake(context);
}

static void open_topics(const Ladders *ladders) {
    for (uint32_t i = 0; i < ladders->game_count; i++) {
        char topic[LIVE_TOPIC_MAX];
        snprintf(topic, sizeof topic, "ladder-%s", ladders->games[i].game->name);
        live_open(ladders->arena->live, topic, 16, 1 << 20);
    }
}

Ladders *ladders_start(Arena *arena, Error *error) {
    Ladders *ladders = xcalloc(1, sizeof *ladders);
    uint64_t seed = 0;
    ladders->arena = arena;
    pthread_mutex_init(&ladders->lock, NULL);
    pthread_cond_init(&ladders->changed, NULL);
    while (games_all[ladders->game_count])
        ladders->game_count++;
    ladders->games = xcalloc(ladders->game_count, sizeof *ladders->games);
    for (uint32_t i = 0; i < ladders->game_count; i++)
        ladders->games[i].game = games_all[i];
    open_topics(ladders);
    if (getrandom(&seed, sizeof seed, 0) != (ssize_t)sizeof seed)
        seed = (uint64_t)clock_now();
    ladders->random = random_seeded(seed);
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int failure = pthread_create(&ladders->thread, NULL, run, ladders);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    ladders->started = failure == 0;
    if (ladders->started) {
        engine_listen(arena->engine,
                      (EngineListener){.context = ladders, .match_ended = match_ended});
        return ladders;
    }
    error_set(error, "cannot start the ladder thread: %s", strerror(failure));
    ladders_stop(ladders);
    return NULL;
}

void ladders_wake(Ladders *ladders) {
    if (!ladders)
        return;
    pthread_mutex_lock(&ladders->lock);
    ladders->woken = true;
    pthread_cond_signal(&ladders->changed);
    pthread_mutex_unlock(&ladders->lock);
}

void ladders_stop(Ladders *ladders) {
    if (!ladders)
        return;
    pthread_mutex_lock(&ladders->lock);
    ladders->stopping = true;
    pthread_cond_signal(&ladders->changed);
    pthread_mutex_unlock(&ladders->lock);
    if (ladders->started)
        pthread_join(ladders->thread, NULL);
    for (uint32_t i = 0; i < ladders->game_count; i++) {
        free(ladders->games[i].entries);
        free(ladders->games[i].rated);
        free(ladders->games[i].indices);
        ratings_free(ladders->games[i].ratings);
    }
    free(ladders->games);
    pthread_mutex_destroy(&ladders->lock);
    pthread_cond_destroy(&ladders->changed);
    free(ladders);
}
