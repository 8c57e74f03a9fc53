/* See scoreboard.h. */
#include "arena/tournaments/standings_updater.h"

#include "arena/tournaments/stored_tournament.h"
#include "base/clock.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* Between two computations of one tournament's standings: a while, and many times what the last one
   took. */
enum { PAUSE_MS = 1000, PAUSE_TIMES = 10, RETRY_MS = 10000 };

enum { TOPIC_EVENTS = 256, TOPIC_BYTES = 1 << 18 };

typedef struct Entry {
    struct Entry *next;
    uint64_t tournament;
    bool stirred;
    bool ending;
    bool ended;  /* its stream can still be read until `due` */
    int64_t due; /* clock_now */
} Entry;

struct Scoreboard {
    Arena *arena;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    bool closing;
    Entry *entries;
};

void scoreboard_topic(const Arena *arena, uint64_t tournament, char *topic) {
    snprintf(topic, LIVE_TOPIC_MAX, "tournament-%" PRIu64, tournament);
    if (arena->live)
        live_open(arena->live, topic, TOPIC_EVENTS, TOPIC_BYTES);
}

void scoreboard_forget(const Arena *arena, uint64_t tournament) {
    char topic[LIVE_TOPIC_MAX];
    scoreboard_topic(arena, tournament, topic);
    if (arena->live)
        live_forget(arena->live, topic);
}

/* ---- computing ---- */

static void write_table(const Dossier *dossier, const Standings *standings, bool finished,
                        Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "tournament", dossier->row.id);
    json_out_bool(&out, "finished", finished);
    json_out_uint(&out, "matches", standings_matches(standings));
    json_open(&out, "bots", '[');
    for (uint32_t i = 0; i < standings_bots(standings); i++) {
        uint32_t number = standings_at(standings, i);
        const StandingsRow *row = standings_row(standings, number);
        json_open(&out, NULL, '{');
        json_out_uint(&out, "bot", number);
        json_out_text(&out, "name", dossier->bots[number].name);
        json_out_uint(&out, "place", row->place);
        json_out_uint(&out, "matches", row->matches);
        json_out_uint(&out, "wins", row->wins);
        json_out_uint(&out, "draws", row->draws);
        json_out_uint(&out, "losses", row->losses);
        Buffer points = {0};
        json_double(&points, row->points);
        json_out_raw(&out, "points", (Slice){points.data, points.length});
        buffer_free(&points);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
}

static void publish(const Arena *arena, const Dossier *dossier, const Standings *standings,
                    bool ending) {
    if (!arena->live)
        return;
    char topic[LIVE_TOPIC_MAX];
    Buffer table = {0};
    scoreboard_topic(arena, dossier->row.id, topic);
    if (standings) {
        write_table(dossier, standings, ending, &table);
        live_publish(arena->live, topic, "standings", (Slice){table.data, table.length});
    }
    if (ending)
        live_end(arena->live, topic);
    buffer_free(&table);
}

/* The last standings are there before the tournament is over, so that whoever sees it over sees
   them. */
static bool keep(Arena *arena, const Dossier *dossier, const Standings *standings, bool ending,
                 Error *error) {
    uint64_t id = dossier->row.id;
    Buffer text = {0};
    Report report = dossier_report(dossier, standings);
    report_json(&report, &text);
    StoreResult result =
        store_tournament_set_standings(arena->store, id, (Slice){text.data, text.length}, error);
    if (result == STORE_OK && ending) {
        result = store_tournament_move(arena->store, id, TOURNAMENT_OVER, error);
        if (result == STORE_CONFLICT)
            result = STORE_OK; /* it was called off */
    }
    buffer_free(&text);
    return result == STORE_OK;
}

static bool compute(Arena *arena, uint64_t tournament, bool ending, Error *error) {
    StoreResult result;
    Dossier *dossier = dossier_read(arena->store, tournament, &result, error);
    if (!dossier)
        return false;
    Standings *standings = NULL;
    bool good = !dossier->seeded || /* called off before it had begun: there is nothing to tell */
                (dossier_schedule(dossier, error) && dossier_recall(dossier, arena->store, error) &&
                 dossier_figures(dossier, arena->store, error) &&
                 (standings = dossier_standings(dossier, false, error)) &&
                 keep(arena, dossier, standings, ending, error));
    if (good)
        publish(arena, dossier, standings, ending);
    standings_free(standings);
    dossier_free(dossier);
    return good;
}

/* ---- the thread ---- */

/* What is to be done now, or NULL and when to look again. */
static Entry *next_entry(Scoreboard *scoreboard, int64_t *when) {
    int64_t now = clock_now();
    *when = INT64_MAX;
    for (Entry *entry = scoreboard->entries; entry; entry = entry->next) {
        bool wants = entry->stirred || entry->ended;
        if (wants && entry->due <= now)
            return entry;
        if (wants && entry->due < *when)
            *when = entry->due;
    }
    return NULL;
}

static void drop_entry(Scoreboard *scoreboard, Entry *entry) {
    for (Entry **at = &scoreboard->entries; *at; at = &(*at)->next)
        if (*at == entry) {
            *at = entry->next;
            break;
        }
    free(entry);
}

/* Waits for news, or until `when`. */
static void wait_for(Scoreboard *scoreboard, int64_t when) {
    if (when == INT64_MAX) {
        pthread_cond_wait(&scoreboard->news, &scoreboard->lock);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(when / 1000000000), .tv_nsec = when % 1000000000};
    pthread_cond_timedwait(&scoreboard->news, &scoreboard->lock, &until);
}

static void *run(void *context) {
    Scoreboard *scoreboard = context;
    pthread_mutex_lock(&scoreboard->lock);
    while (!scoreboard->closing) {
        int64_t when;
        Entry *entry = next_entry(scoreboard, &when);
        if (!entry) {
            wait_for(scoreboard, when);
            continue;
        }
        if (entry->ended) {
            scoreboard_forget(scoreboard->arena, entry->tournament);
            drop_entry(scoreboard, entry);
            continue;
        }
        bool ending = entry->ending;
        entry->stirred = false;
        pthread_mutex_unlock(&scoreboard->lock);
        Error error = {""};
        int64_t began = clock_now();
        bool good = compute(scoreboard->arena, entry->tournament, ending, &error);
        if (!good) {
            LogField fields[] = {{"tournament", NULL, (int64_t)entry->tournament},
                                 {"error", error.text, 0}};
            log_write(scoreboard->arena->log, LOG_ERROR, "standings", fields, 2);
        }
        int64_t now = clock_now();
        pthread_mutex_lock(&scoreboard->lock);
        if (ending && good) {
            entry->ended = true;
            entry->due = now + topic_kept(scoreboard->arena);
        } else {
            entry->stirred |= !good;
            entry->due = good ? now + PAUSE_MS * CLOCK_MS + PAUSE_TIMES * (now - began)
                              : now + RETRY_MS * CLOCK_MS;
            if (entry->ending && !ending)
                entry->due = now;
        }
    }
    pthread_mutex_unlock(&scoreboard->lock);
    return NULL;
}

Scoreboard *scoreboard_new(Arena *arena) {
    Scoreboard *scoreboard = calloc(1, sizeof *scoreboard);
    pthread_condattr_t clock;
    if (!scoreboard || pthread_condattr_init(&clock) != 0)
        abort();
    scoreboard->arena = arena;
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&scoreboard->lock, NULL);
    pthread_cond_init(&scoreboard->news, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&scoreboard->thread, NULL, run, scoreboard) != 0)
        abort();
    return scoreboard;
}

void scoreboard_free(Scoreboard *scoreboard) {
    if (!scoreboard)
        return;
    pthread_mutex_lock(&scoreboard->lock);
    scoreboard->closing = true;
    pthread_cond_signal(&scoreboard->news);
    pthread_mutex_unlock(&scoreboard->lock);
    pthread_join(scoreboard->thread, NULL);
    while (scoreboard->entries)
        drop_entry(scoreboard, scoreboard->entries);
    pthread_cond_destroy(&scoreboard->news);
    pthread_mutex_destroy(&scoreboard->lock);
    free(scoreboard);
}

static void tell(Scoreboard *scoreboard, uint64_t tournament, bool ending) {
    pthread_mutex_lock(&scoreboard->lock);
    Entry *entry = scoreboard->entries;
    while (entry && entry->tournament != tournament)
        entry = entry->next;
    if (!entry) {
        entry = calloc(1, sizeof *entry);
        if (!entry)
            abort();
        *entry = (Entry){.next = scoreboard->entries, .tournament = tournament};
        scoreboard->entries = entry;
    }
    if (entry->ended) { /* nothing can come of it any more */
        pthread_mutex_unlock(&scoreboard->lock);
        return;
    }
    entry->stirred = true;
    if (ending && !entry->ending)
        entry->due = 0;
    entry->ending |= ending;
    pthread_cond_signal(&scoreboard->news);
    pthread_mutex_unlock(&scoreboard->lock);
}

void scoreboard_stir(Scoreboard *scoreboard, uint64_t tournament) {
    tell(scoreboard, tournament, false);
}

void scoreboard_end(Scoreboard *scoreboard, uint64_t tournament) {
    tell(scoreboard, tournament, true);
}
