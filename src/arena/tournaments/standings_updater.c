/* See standings_updater.h. */
#include "arena/tournaments/standings_updater.h"

#include "arena/play/play.h"
#include "arena/tournaments/stored_tournament.h"
#include "base/clock.h"
#include "base/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

/* The pause between two computations for one tournament: a minimum plus a multiple of the time that
   the last one took. */
enum { PAUSE_MS = 1000, PAUSE_TIMES = 10, RETRY_MS = 10000 };

enum { TOPIC_EVENTS = 256, TOPIC_BYTES = 1 << 18 };

typedef struct QueuedUpdate {
    struct QueuedUpdate *next;
    uint64_t tournament;
    bool changed;
    bool ending;
    bool ended;  /* its topic is kept until `due` */
    int64_t due; /* clock_now */
} QueuedUpdate;

struct StandingsUpdater {
    Arena *arena;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t news;
    bool closing;
    QueuedUpdate *entries;
};

#define TOPIC_PREFIX "tournament-"

void tournament_topic_open(const Arena *arena, uint64_t tournament, char *topic) {
    snprintf(topic, LIVE_TOPIC_MAX, TOPIC_PREFIX "%" PRIu64, tournament);
    if (arena->live)
        live_open(arena->live, topic, TOPIC_EVENTS, TOPIC_BYTES);
}

/* Each leader begins a run. Its number must be above those of earlier leaders. */
void tournament_topic_lead(const Arena *arena, uint64_t tournament) {
    char topic[LIVE_TOPIC_MAX];
    tournament_topic_open(arena, tournament, topic);
    if (!arena->relay)
        return;
    live_share(arena->live, topic);
    live_restart(arena->live, topic, (uint32_t)(store_now(arena->store) / 1000 & INT32_MAX));
    topic_relay_own(arena->relay, RELAY_MATCHES, topic);
}

void tournament_topic_leave(const Arena *arena, uint64_t tournament) {
    char topic[LIVE_TOPIC_MAX];
    tournament_topic_open(arena, tournament, topic);
    topic_relay_disown(arena->relay, topic);
}

void tournament_topic_watch(const Arena *arena, uint64_t tournament, char *topic) {
    tournament_topic_open(arena, tournament, topic);
    if (!arena->relay)
        return;
    live_share(arena->live, topic);
    topic_relay_follow(arena->relay, RELAY_MATCHES, topic);
}

void tournament_topic_forget(const Arena *arena, uint64_t tournament) {
    char topic[LIVE_TOPIC_MAX];
    tournament_topic_open(arena, tournament, topic);
    if (arena->live)
        live_forget(arena->live, topic);
}

void tournament_topics_clear(const Arena *arena) {
    if (arena->live)
        live_drop_events(arena->live, TOPIC_PREFIX);
}

/* ---- computing ---- */

static void write_table(const StoredTournament *stored, const Standings *standings, bool finished,
                        Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "tournament", stored->row.id);
    json_out_bool(&out, "finished", finished);
    json_out_uint(&out, "matches", standings_matches(standings));
    json_open(&out, "bots", '[');
    for (uint32_t i = 0; i < standings_bots(standings); i++) {
        uint32_t number = standings_at(standings, i);
        const StandingsRow *row = standings_row(standings, number);
        json_open(&out, NULL, '{');
        json_out_uint(&out, "bot", number);
        json_out_text(&out, "name", stored->bots[number].name);
        json_out_uint(&out, "place", row->place);
        json_out_uint(&out, "matches", row->matches);
        json_out_uint(&out, "wins", row->wins);
        json_out_uint(&out, "draws", row->draws);
        json_out_uint(&out, "losses", row->losses);
        json_out_double(&out, "points", row->points);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
}

static void publish(const Arena *arena, const StoredTournament *stored, const Standings *standings,
                    bool ending) {
    if (!arena->live)
        return;
    char topic[LIVE_TOPIC_MAX];
    Buffer table = {0};
    tournament_topic_open(arena, stored->row.id, topic);
    if (standings) {
        write_table(stored, standings, ending, &table);
        live_publish(arena->live, topic, "standings", (Slice){table.data, table.length});
    }
    if (ending)
        live_end(arena->live, topic);
    buffer_free(&table);
}

/* The final standings are stored before the tournament is moved to "over". */
static bool save(Arena *arena, const StoredTournament *stored, const Standings *standings,
                 bool ending, Error *error) {
    uint64_t id = stored->row.id;
    Buffer text = {0};
    Report report = stored_tournament_report(stored, standings);
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
    StoredTournament *stored = stored_tournament_read(arena->store, tournament, &result, error);
    if (!stored)
        return false;
    Standings *standings = NULL;
    bool good = !stored->seeded || /* called off before it started */
                (stored_tournament_schedule(stored, error) &&
                 stored_tournament_recall(stored, arena->store, error) &&
                 stored_tournament_figures(stored, arena->store, error) &&
                 (standings = stored_tournament_standings(stored, false, error)) &&
                 save(arena, stored, standings, ending, error));
    if (good) {
        publish(arena, stored, standings, ending);
        activity_tournament(arena, tournament);
    }
    standings_free(standings);
    stored_tournament_free(stored);
    return good;
}

/* ---- the thread ---- */

/* The entry that is due, or NULL and when to check again. */
static QueuedUpdate *next_entry(StandingsUpdater *updater, int64_t *when) {
    int64_t now = clock_now();
    *when = INT64_MAX;
    for (QueuedUpdate *entry = updater->entries; entry; entry = entry->next) {
        bool active = entry->changed || entry->ended;
        if (active && entry->due <= now)
            return entry;
        if (active && entry->due < *when)
            *when = entry->due;
    }
    return NULL;
}

static void drop_entry(StandingsUpdater *updater, QueuedUpdate *entry) {
    for (QueuedUpdate **at = &updater->entries; *at; at = &(*at)->next)
        if (*at == entry) {
            *at = entry->next;
            break;
        }
    free(entry);
}

/* Waits for a request, or until `when`. */
static void wait_for(StandingsUpdater *updater, int64_t when) {
    if (when == INT64_MAX) {
        pthread_cond_wait(&updater->news, &updater->lock);
        return;
    }
    struct timespec until = {.tv_sec = (time_t)(when / 1000000000), .tv_nsec = when % 1000000000};
    pthread_cond_timedwait(&updater->news, &updater->lock, &until);
}

static void *run(void *context) {
    StandingsUpdater *updater = context;
    pthread_mutex_lock(&updater->lock);
    while (!updater->closing) {
        int64_t when;
        QueuedUpdate *entry = next_entry(updater, &when);
        if (!entry) {
            wait_for(updater, when);
            continue;
        }
        if (entry->ended) {
            tournament_topic_forget(updater->arena, entry->tournament);
            drop_entry(updater, entry);
            continue;
        }
        bool ending = entry->ending;
        entry->changed = false;
        pthread_mutex_unlock(&updater->lock);
        Error error = {0};
        int64_t began = clock_now();
        bool good = compute(updater->arena, entry->tournament, ending, &error);
        if (!good) {
            LogField fields[] = {{"tournament", NULL, (int64_t)entry->tournament},
                                 {"error", error.text, 0}};
            log_write(updater->arena->log, LOG_ERROR, "standings", fields, 2);
        }
        int64_t now = clock_now();
        pthread_mutex_lock(&updater->lock);
        if (ending && good) {
            entry->ended = true;
            entry->due = now + topic_kept(updater->arena);
        } else {
            entry->changed |= !good;
            entry->due = good ? now + PAUSE_MS * CLOCK_MS + PAUSE_TIMES * (now - began)
                              : now + RETRY_MS * CLOCK_MS;
            if (entry->ending && !ending)
                entry->due = now;
        }
    }
    pthread_mutex_unlock(&updater->lock);
    return NULL;
}

StandingsUpdater *standings_updater_new(Arena *arena) {
    StandingsUpdater *updater = xcalloc(1, sizeof *updater);
    pthread_condattr_t clock;
    updater->arena = arena;
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_mutex_init(&updater->lock, NULL);
    pthread_cond_init(&updater->news, &clock);
    pthread_condattr_destroy(&clock);
    if (pthread_create(&updater->thread, NULL, run, updater) != 0)
        abort();
    return updater;
}

void standings_updater_free(StandingsUpdater *updater) {
    if (!updater)
        return;
    pthread_mutex_lock(&updater->lock);
    updater->closing = true;
    pthread_cond_signal(&updater->news);
    pthread_mutex_unlock(&updater->lock);
    pthread_join(updater->thread, NULL);
    while (updater->entries)
        drop_entry(updater, updater->entries);
    pthread_cond_destroy(&updater->news);
    pthread_mutex_destroy(&updater->lock);
    free(updater);
}

static void request(StandingsUpdater *updater, uint64_t tournament, bool ending) {
    pthread_mutex_lock(&updater->lock);
    QueuedUpdate *entry = updater->entries;
    while (entry && entry->tournament != tournament)
        entry = entry->next;
    if (!entry) {
        entry = xcalloc(1, sizeof *entry);
        *entry = (QueuedUpdate){.next = updater->entries, .tournament = tournament};
        updater->entries = entry;
    }
    if (entry->ended) { /* its standings are final */
        pthread_mutex_unlock(&updater->lock);
        return;
    }
    entry->changed = true;
    if (ending && !entry->ending)
        entry->due = 0;
    entry->ending |= ending;
    pthread_cond_signal(&updater->news);
    pthread_mutex_unlock(&updater->lock);
}

void standings_updater_request(StandingsUpdater *updater, uint64_t tournament) {
    request(updater, tournament, false);
}

void standings_updater_finish(StandingsUpdater *updater, uint64_t tournament) {
    request(updater, tournament, true);
}
