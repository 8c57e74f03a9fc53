/* See scheduler.h. Adds the legs of running tournaments to the queue, a few hundred ahead of what
   is played; results make the next fixtures possible. stored_tournament.h defines how legs count,
   and standings_updater.h computes the standings.

   All state is in the store: a RunningTournament can be dropped and read again at any time, which
   is what happens after an error of the store. */
#include "arena/tournaments/scheduler.h"

#include "arena/play/play.h"
#include "arena/tournaments/standings_updater.h"
#include "arena/tournaments/stored_tournament.h"
#include "base/clock.h"
#include "base/memory.h"
#include "league/leg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 256, /* legs of a tournament in the queue or running */
    BATCH = 64,  /* legs added to the queue at once */
    SWEEP_MS = 1000,
    RETRY_MS = 5000,
    LOOK_MS = 2000,
};

/* A tournament that is running. */
typedef struct RunningTournament {
    struct RunningTournament *next;
    StoredTournament *stored;
    int64_t swept;
} RunningTournament;

struct TournamentScheduler {
    Arena *arena;
    atomic_bool changed; /* a tournament was scheduled, started or called off */
    atomic_bool renamed; /* an account was deleted */
    StandingsUpdater *updater;
    RunningTournament *running;
    int64_t retry;      /* when to read dropped tournaments again; 0: there are none */
    int64_t next_start; /* of a tournament that starts automatically, in the store's time */
    bool leads;         /* this process has the running tournaments in memory */
    int64_t next_look;  /* clock_now when to check for changes by other processes */
};

/* A leg to be added to the queue. */
typedef struct DueLeg {
    OpenFixture *open;
    uint32_t leg;
} DueLeg;

static uint64_t running_id(const RunningTournament *running) {
    return running->stored->row.id;
}

static void log_error(const TournamentScheduler *scheduler, uint64_t tournament,
                      const Error *error) {
    LogField fields[] = {{"tournament", NULL, (int64_t)tournament}, {"error", error->text, 0}};
    log_write(scheduler->arena->log, LOG_ERROR, "scheduler", fields, 2);
}

static void drop_running(TournamentScheduler *scheduler, RunningTournament *running) {
    for (RunningTournament **at = &scheduler->running; *at; at = &(*at)->next)
        if (*at == running) {
            *at = running->next;
            break;
        }
    stored_tournament_free(running->stored);
    free(running);
}

static void drop_all_running(TournamentScheduler *scheduler) {
    while (scheduler->running)
        drop_running(scheduler, scheduler->running);
}

/* Drops a tournament after an error; it is read again a little later. */
static void drop_and_retry(TournamentScheduler *scheduler, RunningTournament *running,
                           const Error *error) {
    log_error(scheduler, running_id(running), error);
    scheduler->retry = clock_now() + RETRY_MS * CLOCK_MS;
    drop_running(scheduler, running);
}

static RunningTournament *find_running(const TournamentScheduler *scheduler, uint64_t tournament) {
    for (RunningTournament *running = scheduler->running; running; running = running->next)
        if (running_id(running) == tournament)
            return running;
    return NULL;
}

/* ---- results ---- */

static void publish_match(const TournamentScheduler *scheduler, const RunningTournament *running,
                          const Fixture *fixture, const StoredLeg *leg) {
    static const char *const states[] = {[LEG_PENDING] = "pending",
                                         [LEG_PLAYED] = "played",
                                         [LEG_FORFEITED] = "forfeited",
                                         [LEG_VOID] = "void"};
    if (!scheduler->arena->live)
        return;
    char topic[LIVE_TOPIC_MAX];
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "match", leg->match);
    json_out_uint(&out, "fixture", leg->fixture);
    json_out_uint(&out, "leg", leg->leg);
    json_out_uint(&out, "round", fixture->round);
    json_out_text(&out, "state", states[leg->state]);
    json_open(&out, "players", '[');
    for (uint32_t seat = 0; seat < leg->players; seat++) {
        uint32_t number = fixture->bots[leg_player(leg->players, leg->leg, seat)];
        json_open(&out, NULL, '{');
        json_out_uint(&out, "bot", number);
        json_out_text(&out, "name", running->stored->bots[number].name);
        json_out_uint(&out, "rank", leg->seats[seat].rank);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    tournament_topic_open(scheduler->arena, running_id(running), topic);
    live_publish(scheduler->arena->live, topic, "match", (Slice){text.data, text.length});
    buffer_free(&text);
}

/* Reports a leg that has ended to the tournament's progress. */
static bool end_leg(TournamentScheduler *scheduler, RunningTournament *running, OpenFixture *open,
                    const StoredLeg *leg, Error *error) {
    Fixture fixture = open->fixture; /* `open` is freed after its last leg */
    RecordedLeg record = stored_leg_record(running->stored, leg, &fixture);
    if (leg->leg < open->leg_count && open->legs[leg->leg].stage == LEG_ENDED)
        return true;
    if (!progress_end_leg(running->stored->progress, open, leg->leg, &record, error))
        return false;
    publish_match(scheduler, running, &fixture, leg);
    standings_updater_request(scheduler->updater, running_id(running));
    return true;
}

/* Reads a match of the tournament from the store and, if it has ended, reports its result. */
static bool take_match(TournamentScheduler *scheduler, RunningTournament *running, uint64_t match,
                       Error *error) {
    StoreMatches found = {0};
    bool good = store_match_get(scheduler->arena->store, match, &found, error) == STORE_OK;
    if (good) {
        StoredLeg leg = stored_leg_of(&found.rows[0]);
        OpenFixture *open = progress_find(running->stored->progress, leg.fixture);
        if (open && leg.state != LEG_PENDING)
            good = end_leg(scheduler, running, open, &leg, error);
        free(leg.seats);
    }
    store_matches_free(&found);
    return good;
}

/* ---- adding matches ---- */

/* The row of one leg for the queue, and the memory it refers to. */
typedef struct Order {
    StoreNewMatch match;
    StoreNewSeat seats[GAME_PLAYERS_MAX];
    Buffer setup;
} Order;

static void write_order(const RunningTournament *running, const DueLeg *due, Order *order) {
    const StoredTournament *stored = running->stored;
    const Plan *plan = &stored->plan;
    const Fixture *fixture = &due->open->fixture;
    uint32_t map = leg_map(plan, fixture, due->leg);
    QueuedMatch setup = {
        .config = plan->config, .overrides = plan->overrides, .players = fixture->players};
    if (map < plan->map_count)
        setup.map = plan->maps[map];
    buffer_clear(&order->setup);
    queued_match_write(&setup, &order->setup);
    for (uint32_t seat = 0; seat < fixture->players; seat++) {
        const StoredBot *bot =
            &stored->bots[fixture->bots[leg_player(fixture->players, due->leg, seat)]];
        order->seats[seat] = (StoreNewSeat){.bot = bot->bot, .version = bot->version};
    }
    order->match = (StoreNewMatch){
        .kind = MATCH_TOURNAMENT,
        .game = stored->row.game,
        .map = setup.map.name ? setup.map.name : "",
        .seed = leg_seed(plan, fixture, due->leg),
        .requester = stored->row.organiser,
        .tournament = stored->row.id,
        .fixture = fixture->number,
        .leg = due->leg,
        .speed_min = plan->speed_min,
        .speed_max = plan->speed_max,
        .spec = buffer_string(&order->setup),
        .players = fixture->players,
        .seats = order->seats,
    };
}

/* Adds one leg. Bots that are retired, or whose owner is suspended, leave their seats empty; then
   the leg is called off at once. */
static bool put_alone(TournamentScheduler *scheduler, RunningTournament *running, const DueLeg *due,
                      Order *order, Error *error) {
    Store *store = scheduler->arena->store;
    bool gone = false;
    uint64_t id;
    write_order(running, due, order);
    for (uint32_t seat = 0; seat < order->match.players; seat++) {
        StoreBot bot;
        if (store_bot_get(store, order->seats[seat].bot, &bot, error) != STORE_OK)
            return false;
        if (bot.retired || bot.suspended) {
            order->seats[seat] = (StoreNewSeat){.label = QUEUE_WITHDRAWN};
            gone = true;
        }
    }
    if (store_queue_matches(store, &order->match, 1, &id, error) != STORE_OK)
        return false;
    progress_set_match(due->open, due->leg, id);
    if (!gone)
        return true;
    StoreResult result = store_queue_call_off(store, id, NULL, error);
    return result == STORE_OK || result == STORE_CONFLICT;
}

/* Adds legs to the queue, all at once if all their bots are active. */
static bool put_legs(TournamentScheduler *scheduler, RunningTournament *running, const DueLeg *due,
                     uint32_t count, Error *error) {
    Order *orders = xcalloc(count, sizeof *orders);
    StoreNewMatch *matches = xcalloc(count, sizeof *matches);
    uint64_t ids[BATCH];
    for (uint32_t i = 0; i < count; i++) {
        write_order(running, &due[i], &orders[i]);
        matches[i] = orders[i].match;
    }
    StoreResult result = store_queue_matches(scheduler->arena->store, matches, count, ids, error);
    bool good = result == STORE_OK;
    for (uint32_t i = 0; result == STORE_OK && i < count; i++)
        progress_set_match(due[i].open, due[i].leg, ids[i]);
    if (result == STORE_REJECTED) {
        good = true;
        for (uint32_t i = 0; good && i < count; i++)
            good = put_alone(scheduler, running, &due[i], &orders[i], error);
        /* First all ids, then the results: a fixture is freed with its last leg. */
        for (uint32_t i = 0; i < count; i++)
            ids[i] = good ? due[i].open->legs[due[i].leg].match : 0;
        for (uint32_t i = 0; good && i < count; i++)
            good = take_match(scheduler, running, ids[i], error);
    }
    for (uint32_t i = 0; i < count; i++)
        buffer_free(&orders[i].setup);
    free(orders);
    free(matches);
    return good;
}

/* Keeps AHEAD legs in the queue. */
static bool fill(TournamentScheduler *scheduler, RunningTournament *running, Error *error) {
    Progress *progress = running->stored->progress;
    for (;;) {
        DueLeg due[BATCH];
        uint32_t count = 0;
        while (count < BATCH && progress_running(progress) < AHEAD) {
            if (!progress_next(progress, &due[count].open, &due[count].leg, error))
                return false;
            if (!due[count].open)
                break;
            count++;
        }
        if (!count)
            return true;
        if (!put_legs(scheduler, running, due, count, error))
            return false;
    }
}

/* Continues a tournament. Frees `running` if that fails or the tournament is complete. */
static void advance(TournamentScheduler *scheduler, RunningTournament *running) {
    Error error = {0};
    if (!fill(scheduler, running, &error)) {
        drop_and_retry(scheduler, running, &error);
    } else if (progress_finished(running->stored->progress)) {
        standings_updater_finish(scheduler->updater, running_id(running));
        drop_running(scheduler, running);
    }
}

/* ---- starting and dropping tournaments ---- */

/* Calls off a tournament that was started but cannot be played, because bots have been retired
   since. */
static void give_up(TournamentScheduler *scheduler, uint64_t tournament, Error *error) {
    log_error(scheduler, tournament, error);
    if (store_tournament_move(scheduler->arena->store, tournament, TOURNAMENT_CALLED_OFF, error) !=
        STORE_OK)
        log_error(scheduler, tournament, error);
    standings_updater_finish(scheduler->updater, tournament);
}

static void load(TournamentScheduler *scheduler, uint64_t tournament) {
    Store *store = scheduler->arena->store;
    Error error = {0};
    StoreResult result;
    StoredTournament *stored = stored_tournament_read(store, tournament, &result, &error);
    bool good = stored && stored_tournament_seed(stored, store, &error);
    if (good && !stored_tournament_schedule(stored, &error)) {
        stored_tournament_free(stored);
        give_up(scheduler, tournament, &error);
        return;
    }
    if (!good || !stored_tournament_recall(stored, store, &error)) {
        log_error(scheduler, tournament, &error);
        scheduler->retry = clock_now() + RETRY_MS * CLOCK_MS;
        stored_tournament_free(stored);
        return;
    }
    RunningTournament *running = xcalloc(1, sizeof *running);
    *running =
        (RunningTournament){.next = scheduler->running, .stored = stored, .swept = clock_now()};
    scheduler->running = running;
    tournament_topic_lead(scheduler->arena, tournament);
    standings_updater_request(scheduler->updater, tournament);
    advance(scheduler, running);
}

/* Loads running tournaments that are not in memory. */
static bool load_all(TournamentScheduler *scheduler, Error *error) {
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreTournament *rows = xcalloc(STORE_PAGE_MAX, sizeof *rows);
    bool good;
    do {
        good =
            store_tournaments_list(scheduler->arena->store, NULL, &page, rows, error) == STORE_OK;
        for (uint32_t i = 0; good && i < page.count; i++)
            if (rows[i].state == TOURNAMENT_RUNNING && !find_running(scheduler, rows[i].id))
                load(scheduler, rows[i].id);
        page.from = page.next;
    } while (good && page.next.id);
    free(rows);
    return good;
}

static void audit_start(const TournamentScheduler *scheduler, uint64_t tournament,
                        const char *detail) {
    StoreAudit entry = {.action = "tournament.start"};
    Error error = {0};
    snprintf(entry.subject, sizeof entry.subject, "tournament %" PRIu64, tournament);
    snprintf(entry.detail, sizeof entry.detail, "%s", detail);
    if (store_audit_add(scheduler->arena->store, &entry, &error) != STORE_OK)
        log_error(scheduler, tournament, &error);
}

/* Starts a tournament that is due. If its bots do not fit the format, it stays open and records
   why. */
static StoreResult start_scheduled(const TournamentScheduler *scheduler, uint64_t tournament,
                                   Error *error) {
    Store *store = scheduler->arena->store;
    StoreResult result = stored_tournament_start(store, tournament, error);
    if (result == STORE_OK) {
        audit_start(scheduler, tournament, "as scheduled");
    } else if (result == STORE_REJECTED) {
        char problem[STORE_LINE_SIZE];
        snprintf(problem, sizeof problem, "%.*s", (int)sizeof problem - 1, error->text);
        result = store_tournament_schedule(store, tournament, 0, problem, error);
        audit_start(scheduler, tournament, problem);
    }
    return result == STORE_CONFLICT ? STORE_OK : result; /* started by someone else */
}

/* Starts all tournaments that are due, and determines when the next one starts. */
static void start_due(TournamentScheduler *scheduler) {
    Store *store = scheduler->arena->store;
    Error error = {0};
    for (;;) {
        uint64_t tournament = 0;
        StoreResult result =
            store_tournament_next_start(store, &tournament, &scheduler->next_start, &error);
        if (result == STORE_OK && !tournament)
            scheduler->next_start = INT64_MAX;
        if (result == STORE_OK && scheduler->next_start > store_now(store))
            return;
        if (result == STORE_OK)
            result = start_scheduled(scheduler, tournament, &error);
        if (result != STORE_OK) {
            log_error(scheduler, tournament, &error);
            scheduler->next_start = store_now(store) + RETRY_MS;
            return;
        }
    }
}

/* Returns the *count matches of a tournament that are in the queue. The caller frees them. */
static uint64_t *pending_matches(const RunningTournament *running, uint32_t *count) {
    const Progress *progress = running->stored->progress;
    uint64_t *matches = xcalloc(progress_running(progress), sizeof *matches);
    *count = 0;
    for (const OpenFixture *open = progress_open(progress); open; open = open->next)
        for (uint32_t i = 0; i < open->leg_count; i++)
            if (open->legs[i].stage == LEG_STARTED)
                matches[(*count)++] = open->legs[i].match;
    return matches;
}

/* Drops a tournament that was called off, and calls off matches that were queued at the same
   moment. */
static void call_off(TournamentScheduler *scheduler, RunningTournament *running) {
    uint32_t count;
    uint64_t *matches = pending_matches(running, &count);
    for (uint32_t i = 0; i < count; i++)
        store_queue_call_off(scheduler->arena->store, matches[i], NULL, NULL);
    free(matches);
    standings_updater_finish(scheduler->updater, running_id(running));
    drop_running(scheduler, running);
}

static void drop_called_off(TournamentScheduler *scheduler) {
    for (RunningTournament *running = scheduler->running; running;) {
        RunningTournament *next = running->next;
        StoreTournament row;
        if (store_tournament_get(scheduler->arena->store, running_id(running), &row, NULL) ==
                STORE_OK &&
            row.state != TOURNAMENT_RUNNING)
            call_off(scheduler, running);
        running = next;
    }
}

/* Checks every match of a tournament in the queue: retiring a bot calls its matches off without a
   notification. */
static void sweep(TournamentScheduler *scheduler, RunningTournament *running) {
    Error error = {0};
    uint32_t count;
    uint64_t *matches = pending_matches(running, &count);
    bool good = true;
    running->swept = clock_now();
    for (uint32_t i = 0; good && i < count; i++)
        good = take_match(scheduler, running, matches[i], &error);
    free(matches);
    if (good)
        advance(scheduler, running);
    else
        drop_and_retry(scheduler, running, &error);
}

static void match_ended(void *context, const StoreMatch *match) {
    if (match->tournament)
        tournament_scheduler_match_over(context, match->tournament, match->id);
}

static void tick(void *context) {
    tournament_scheduler_tick(context);
}

static void name_forgotten(void *context) {
    tournament_scheduler_forget_names(context);
}

TournamentScheduler *tournament_scheduler_new(Arena *arena, Error *error) {
    TournamentScheduler *scheduler = xcalloc(1, sizeof *scheduler);
    scheduler->arena = arena;
    scheduler->updater = standings_updater_new(arena);
    scheduler->leads = store_leads(arena->store);
    if (!scheduler->leads || load_all(scheduler, error)) {
        engine_listen(arena->engine, (EngineListener){.context = scheduler,
                                                      .match_ended = match_ended,
                                                      .name_forgotten = name_forgotten,
                                                      .tick = tick});
        return scheduler;
    }
    tournament_scheduler_free(scheduler);
    return NULL;
}

void tournament_scheduler_stop(TournamentScheduler *scheduler) {
    if (!scheduler)
        return;
    standings_updater_free(scheduler->updater);
    scheduler->updater = NULL;
}

void tournament_scheduler_free(TournamentScheduler *scheduler) {
    if (!scheduler)
        return;
    tournament_scheduler_stop(scheduler);
    drop_all_running(scheduler);
    free(scheduler);
}

void tournament_scheduler_match_over(TournamentScheduler *scheduler, uint64_t tournament,
                                     uint64_t match) {
    Error error = {0};
    RunningTournament *running = find_running(scheduler, tournament);
    if (!running)
        return;
    if (take_match(scheduler, running, match, &error))
        advance(scheduler, running);
    else
        drop_and_retry(scheduler, running, &error);
}

void tournament_scheduler_notify(TournamentScheduler *scheduler) {
    if (!scheduler)
        return;
    atomic_store(&scheduler->changed, true);
    engine_wake(scheduler->arena->engine);
}

void tournament_scheduler_forget_names(TournamentScheduler *scheduler) {
    if (!scheduler)
        return;
    atomic_store(&scheduler->renamed, true);
    tournament_scheduler_notify(scheduler);
}

/* Only the leader runs tournaments. It is not notified of changes that people make in another
   process, so it checks from time to time. Returns false in other processes. */
static bool check_leader(TournamentScheduler *scheduler, int64_t now, bool *changed) {
    bool leads = store_leads(scheduler->arena->store);
    if (!leads) {
        for (RunningTournament *running = scheduler->running; running; running = running->next)
            tournament_topic_leave(scheduler->arena, running_id(running));
        drop_all_running(scheduler);
    }
    if (scheduler->arena->options.store && scheduler->next_look <= now) {
        scheduler->next_look = now + LOOK_MS * CLOCK_MS;
        *changed = true;
    }
    *changed |= leads && !scheduler->leads;
    scheduler->leads = leads;
    return leads;
}

void tournament_scheduler_tick(TournamentScheduler *scheduler) {
    Error error = {0};
    int64_t now = clock_now();
    bool changed = atomic_exchange(&scheduler->changed, false);
    if (atomic_exchange(&scheduler->renamed, false)) {
        drop_all_running(scheduler);
        tournament_topics_clear(scheduler->arena);
    }
    if (!check_leader(scheduler, now, &changed))
        return;
    if (changed || scheduler->next_start <= store_now(scheduler->arena->store)) {
        start_due(scheduler);
        changed = true;
    }
    bool retry = scheduler->retry && scheduler->retry <= now;
    if (changed)
        drop_called_off(scheduler);
    if (changed || retry) {
        scheduler->retry = 0;
        if (!load_all(scheduler, &error)) {
            log_error(scheduler, 0, &error);
            scheduler->retry = now + RETRY_MS * CLOCK_MS;
        }
    }
    for (RunningTournament *running = scheduler->running; running;) {
        RunningTournament *next = running->next;
        if (changed || running->swept + SWEEP_MS * CLOCK_MS <= now)
            sweep(scheduler, running);
        running = next;
    }
}
