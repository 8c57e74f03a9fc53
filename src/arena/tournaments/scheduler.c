/* See conductor.h. What a tournament is, and how its legs count, is dossier.h's; the standings are
   scoreboard.h's. Here its fixtures become rows of the queue, a few hundred ahead of what is
   played, and what comes back opens the next.

   Nothing is remembered but what is in the store: a race (a tournament in memory) can be thrown
   away at any moment and read anew, which is what happens when the store refuses something. */
#include "arena/tournaments/scheduler.h"

#include "arena/play/queued_match.h"
#include "arena/tournaments/standings_updater.h"
#include "arena/tournaments/stored_tournament.h"
#include "base/clock.h"
#include "league/legs.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    AHEAD = 256, /* legs of a tournament that wait or are played */
    BATCH = 64,  /* legs put into the queue at once */
    SWEEP_MS = 1000,
    RETRY_MS = 5000,
};

/* A fixture that was given out and has not ended. */
typedef struct Meeting {
    struct Meeting *next;
    Fixture fixture;
    uint32_t legs;
    uint32_t begun; /* legs before this one are in the store */
    uint32_t ended;
    bool *known;       /* per leg: it has its ranks */
    uint64_t *matches; /* per leg: its match, 0: not in the store */
    uint32_t *ranks;   /* legs x players, in the fixture's order */
} Meeting;

/* A tournament that is running. */
typedef struct Race {
    struct Race *next;
    Dossier *dossier;
    Meeting *open;
    uint32_t pending; /* legs in the queue */
    int64_t swept;
} Race;

struct Conductor {
    Arena *arena;
    Scoreboard *scoreboard;
    Race *races;
    int64_t retry; /* when to look for tournaments that were let go of; 0: there are none */
};

/* A leg that is to be put into the queue. */
typedef struct Due {
    Meeting *meeting;
    uint32_t leg;
} Due;

static void *fresh(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

static uint64_t race_id(const Race *race) {
    return race->dossier->row.id;
}

static void complain(const Conductor *conductor, uint64_t tournament, const Error *error) {
    LogField fields[] = {{"tournament", NULL, (int64_t)tournament}, {"error", error->text, 0}};
    log_write(conductor->arena->log, LOG_ERROR, "conductor", fields, 2);
}

static void free_meeting(Meeting *meeting) {
    free(meeting->known);
    free(meeting->matches);
    free(meeting->ranks);
    free(meeting);
}

static void free_race(Race *race) {
    while (race->open) {
        Meeting *meeting = race->open;
        race->open = meeting->next;
        free_meeting(meeting);
    }
    dossier_free(race->dossier);
    free(race);
}

static void drop_race(Conductor *conductor, Race *race) {
    for (Race **at = &conductor->races; *at; at = &(*at)->next)
        if (*at == race) {
            *at = race->next;
            break;
        }
    free_race(race);
}

/* Something went wrong with a tournament: it is read anew a little later. */
static void let_go(Conductor *conductor, Race *race, const Error *error) {
    complain(conductor, race_id(race), error);
    conductor->retry = clock_now() + RETRY_MS * CLOCK_MS;
    drop_race(conductor, race);
}

static Race *find_race(const Conductor *conductor, uint64_t tournament) {
    for (Race *race = conductor->races; race; race = race->next)
        if (race_id(race) == tournament)
            return race;
    return NULL;
}

/* ---- what has ended ---- */

static void publish_match(const Conductor *conductor, const Race *race, const Fixture *fixture,
                          const DossierLeg *leg) {
    static const char *const states[] = {[LEG_PENDING] = "pending",
                                         [LEG_PLAYED] = "played",
                                         [LEG_FORFEITED] = "forfeited",
                                         [LEG_VOID] = "void"};
    if (!conductor->arena->live)
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
        uint32_t number = fixture->bots[legs_index(leg->players, leg->leg, seat)];
        json_open(&out, NULL, '{');
        json_out_uint(&out, "bot", number);
        json_out_text(&out, "name", race->dossier->bots[number].name);
        json_out_uint(&out, "rank", leg->seats[seat].rank);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
    scoreboard_topic(conductor->arena, race_id(race), topic);
    live_publish(conductor->arena->live, topic, "match", (Slice){text.data, text.length});
    buffer_free(&text);
}

/* Notes a leg of the store: that it is there, and how it ended. False if others have played it. */
static bool note_leg(Race *race, Meeting *meeting, const DossierLeg *leg, Error *error) {
    uint32_t players = meeting->fixture.players;
    if (leg->leg >= meeting->legs || !dossier_leg_fits(race->dossier, leg, &meeting->fixture))
        return error_set(error,
                         "in meeting %" PRIu32 " other bots have met than would meet now: the "
                         "tournament was begun by another version of Skirmish",
                         meeting->fixture.number);
    if (!meeting->matches[leg->leg]) {
        meeting->matches[leg->leg] = leg->match;
        race->pending++;
    }
    if (leg->state == LEG_PENDING || meeting->known[leg->leg])
        return true;
    dossier_leg_ranks(leg, meeting->ranks + (size_t)leg->leg * players);
    meeting->known[leg->leg] = true;
    meeting->ended++;
    race->pending--;
    return true;
}

/* Takes a fixture that is over out of the list, and tells the schedule. */
static void close_if_over(Race *race, Meeting *meeting) {
    if (meeting->ended < meeting->legs)
        return;
    for (Meeting **at = &race->open; *at; at = &(*at)->next)
        if (*at == meeting) {
            *at = meeting->next;
            break;
        }
    schedule_result(race->dossier->schedule, &meeting->fixture, meeting->legs, meeting->ranks);
    free_meeting(meeting);
}

/* Looks at a match of the race in the store, and takes in how it ended, if it has. */
static bool take_match(Conductor *conductor, Race *race, uint64_t match, Error *error) {
    StoreMatches found = {0};
    bool good = store_match_get(conductor->arena->store, match, &found, error) == STORE_OK;
    if (good) {
        DossierLeg leg = dossier_leg_of(&found.rows[0]);
        Meeting *meeting = race->open;
        while (meeting && meeting->fixture.number != leg.fixture)
            meeting = meeting->next;
        if (meeting && leg.state != LEG_PENDING &&
            !(leg.leg < meeting->legs && meeting->known[leg.leg])) {
            good = note_leg(race, meeting, &leg, error);
            if (good) {
                publish_match(conductor, race, &meeting->fixture, &leg);
                close_if_over(race, meeting);
                scoreboard_stir(conductor->scoreboard, race_id(race));
            }
        }
        free(leg.seats);
    }
    store_matches_free(&found);
    return good;
}

/* ---- what is to be played ---- */

/* Opens a fixture, with what the store had of it when the tournament was read. */
static bool open_meeting(Race *race, const Fixture *fixture, Error *error) {
    Meeting *meeting = fresh(1, sizeof *meeting);
    meeting->fixture = *fixture;
    meeting->legs = legs_count(&race->dossier->plan, fixture);
    meeting->known = fresh(meeting->legs, sizeof *meeting->known);
    meeting->matches = fresh(meeting->legs, sizeof *meeting->matches);
    meeting->ranks = fresh((size_t)meeting->legs * fixture->players, sizeof *meeting->ranks);
    Meeting **end = &race->open;
    while (*end)
        end = &(*end)->next;
    *end = meeting;
    for (uint32_t i = 0; i < meeting->legs; i++) {
        const DossierLeg *leg = dossier_leg(race->dossier, fixture->number, i);
        if (leg && !note_leg(race, meeting, leg, error))
            return false;
    }
    close_if_over(race, meeting);
    return true;
}

/* The next leg that is not in the store: of a fixture that is open, else of the next one; its
   meeting is NULL when there is none. */
static bool next_leg(Race *race, Due *due, Error *error) {
    Fixture fixture;
    due->meeting = NULL;
    for (;;) {
        for (Meeting *meeting = race->open; meeting; meeting = meeting->next) {
            while (meeting->begun < meeting->legs && meeting->matches[meeting->begun])
                meeting->begun++;
            if (meeting->begun < meeting->legs) {
                *due = (Due){meeting, meeting->begun++};
                return true;
            }
        }
        if (!schedule_next(race->dossier->schedule, &fixture))
            return true;
        if (!open_meeting(race, &fixture, error))
            return false;
    }
}

/* What one leg is put into the queue with. */
typedef struct Order {
    StoreNewMatch match;
    StoreNewSeat seats[GAME_PLAYERS_MAX];
    Buffer spec;
} Order;

static void write_order(const Race *race, const Due *due, Order *order) {
    const Dossier *dossier = race->dossier;
    const Plan *plan = &dossier->plan;
    const Fixture *fixture = &due->meeting->fixture;
    uint32_t map = legs_map(plan, fixture, due->leg);
    MatchSpec spec = {.config = plan->config, .terms = plan->terms, .players = fixture->players};
    if (map < plan->map_count)
        spec.map = plan->maps[map];
    buffer_clear(&order->spec);
    spec_write(&spec, &order->spec);
    for (uint32_t seat = 0; seat < fixture->players; seat++) {
        const DossierBot *bot =
            &dossier->bots[fixture->bots[legs_index(fixture->players, due->leg, seat)]];
        order->seats[seat] = (StoreNewSeat){.bot = bot->bot, .version = bot->version};
    }
    order->match = (StoreNewMatch){
        .kind = MATCH_TOURNAMENT,
        .game = dossier->row.game,
        .map = spec.map.name ? spec.map.name : "",
        .seed = legs_seed(plan, fixture, due->leg),
        .requester = dossier->row.organiser,
        .tournament = dossier->row.id,
        .fixture = fixture->number,
        .leg = due->leg,
        .spec = buffer_string(&order->spec),
        .players = fixture->players,
        .seats = order->seats,
    };
}

/* One leg whose bots may not all be there any more: those that are retired leave their seats empty,
   and then it is called off at once. */
static bool put_alone(Conductor *conductor, Race *race, const Due *due, Order *order,
                      Error *error) {
    Store *store = conductor->arena->store;
    bool gone = false;
    uint64_t id;
    write_order(race, due, order);
    for (uint32_t seat = 0; seat < order->match.players; seat++) {
        StoreBot bot;
        if (store_bot_get(store, order->seats[seat].bot, &bot, error) != STORE_OK)
            return false;
        if (bot.retired) {
            order->seats[seat] = (StoreNewSeat){.label = QUEUE_WITHDRAWN};
            gone = true;
        }
    }
    if (store_queue_matches(store, &order->match, 1, &id, error) != STORE_OK)
        return false;
    due->meeting->matches[due->leg] = id;
    race->pending++;
    if (!gone)
        return true;
    StoreResult result = store_queue_call_off(store, id, NULL, error);
    return result == STORE_OK || result == STORE_CONFLICT;
}

/* Puts legs into the queue, all at once if their bots are there. */
static bool put_legs(Conductor *conductor, Race *race, const Due *due, uint32_t count,
                     Error *error) {
    Order *orders = fresh(count, sizeof *orders);
    StoreNewMatch *matches = fresh(count, sizeof *matches);
    uint64_t ids[BATCH];
    for (uint32_t i = 0; i < count; i++) {
        write_order(race, &due[i], &orders[i]);
        matches[i] = orders[i].match;
    }
    StoreResult result = store_queue_matches(conductor->arena->store, matches, count, ids, error);
    bool good = result == STORE_OK;
    for (uint32_t i = 0; result == STORE_OK && i < count; i++) {
        due[i].meeting->matches[due[i].leg] = ids[i];
        race->pending++;
    }
    if (result == STORE_REFUSED) {
        good = true;
        for (uint32_t i = 0; good && i < count; i++)
            good = put_alone(conductor, race, &due[i], &orders[i], error);
        /* Which ones that called off is seen only now: a meeting that ends is gone. */
        for (uint32_t i = 0; i < count; i++)
            ids[i] = good ? due[i].meeting->matches[due[i].leg] : 0;
        for (uint32_t i = 0; good && i < count; i++)
            good = take_match(conductor, race, ids[i], error);
    }
    for (uint32_t i = 0; i < count; i++)
        buffer_free(&orders[i].spec);
    free(orders);
    free(matches);
    return good;
}

/* Keeps so many legs in the queue. */
static bool fill(Conductor *conductor, Race *race, Error *error) {
    for (;;) {
        Due due[BATCH];
        uint32_t count = 0;
        while (count < BATCH && race->pending + count < AHEAD) {
            if (!next_leg(race, &due[count], error))
                return false;
            if (!due[count].meeting)
                break;
            count++;
        }
        if (!count)
            return true;
        if (!put_legs(conductor, race, due, count, error))
            return false;
    }
}

/* Goes on with a race; it may be gone afterwards. */
static void advance(Conductor *conductor, Race *race) {
    Error error = {""};
    if (!fill(conductor, race, &error)) {
        let_go(conductor, race, &error);
    } else if (!race->open && schedule_finished(race->dossier->schedule)) {
        scoreboard_end(conductor->scoreboard, race_id(race));
        drop_race(conductor, race);
    }
}

/* ---- taking up, letting go ---- */

/* A tournament that was started cannot be played after all: bots were retired between the start and
   now. */
static void give_up(Conductor *conductor, uint64_t tournament, Error *error) {
    complain(conductor, tournament, error);
    if (store_tournament_move(conductor->arena->store, tournament, TOURNAMENT_CALLED_OFF, error) !=
        STORE_OK)
        complain(conductor, tournament, error);
    scoreboard_end(conductor->scoreboard, tournament);
}

static void take_up(Conductor *conductor, uint64_t tournament) {
    Store *store = conductor->arena->store;
    Error error = {""};
    StoreResult result;
    char topic[LIVE_TOPIC_MAX];
    Dossier *dossier = dossier_read(store, tournament, &result, &error);
    bool good = dossier && dossier_seed(dossier, store, &error);
    if (good && !dossier_schedule(dossier, &error)) {
        dossier_free(dossier);
        give_up(conductor, tournament, &error);
        return;
    }
    if (!good || !dossier_recall(dossier, store, &error)) {
        complain(conductor, tournament, &error);
        conductor->retry = clock_now() + RETRY_MS * CLOCK_MS;
        dossier_free(dossier);
        return;
    }
    Race *race = fresh(1, sizeof *race);
    *race = (Race){.next = conductor->races, .dossier = dossier, .swept = clock_now()};
    conductor->races = race;
    scoreboard_topic(conductor->arena, tournament, topic);
    scoreboard_stir(conductor->scoreboard, tournament);
    advance(conductor, race);
}

/* Takes up what is running and not here. */
static bool take_up_all(Conductor *conductor, Error *error) {
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreTournament *rows = fresh(STORE_PAGE_MAX, sizeof *rows);
    bool good;
    do {
        good =
            store_tournaments_list(conductor->arena->store, NULL, &page, rows, error) == STORE_OK;
        for (uint32_t i = 0; good && i < page.count; i++)
            if (rows[i].state == TOURNAMENT_RUNNING && !find_race(conductor, rows[i].id))
                take_up(conductor, rows[i].id);
        page.from = page.next;
    } while (good && page.next.id);
    free(rows);
    return good;
}

/* The matches of a race that are in the queue; *count of them, to be freed. */
static uint64_t *pending_matches(const Race *race, uint32_t *count) {
    uint64_t *matches = fresh(race->pending, sizeof *matches);
    *count = 0;
    for (const Meeting *meeting = race->open; meeting; meeting = meeting->next)
        for (uint32_t i = 0; i < meeting->legs; i++)
            if (meeting->matches[i] && !meeting->known[i] && *count < race->pending)
                matches[(*count)++] = meeting->matches[i];
    return matches;
}

/* The tournament was called off; what was put into the queue at that very moment goes, too. */
static void call_off(Conductor *conductor, Race *race) {
    uint32_t count;
    uint64_t *matches = pending_matches(race, &count);
    for (uint32_t i = 0; i < count; i++)
        store_queue_call_off(conductor->arena->store, matches[i], NULL, NULL);
    free(matches);
    scoreboard_end(conductor->scoreboard, race_id(race));
    drop_race(conductor, race);
}

static void drop_called_off(Conductor *conductor) {
    for (Race *race = conductor->races; race;) {
        Race *next = race->next;
        StoreTournament row;
        if (store_tournament_get(conductor->arena->store, race_id(race), &row, NULL) == STORE_OK &&
            row.state != TOURNAMENT_RUNNING)
            call_off(conductor, race);
        race = next;
    }
}

/* Looks at every match of a race that is in the queue: a bot's retirement calls matches off, and
   nobody tells. */
static void sweep(Conductor *conductor, Race *race) {
    Error error = {""};
    uint32_t count;
    uint64_t *matches = pending_matches(race, &count);
    bool good = true;
    race->swept = clock_now();
    for (uint32_t i = 0; good && i < count; i++)
        good = take_match(conductor, race, matches[i], &error);
    free(matches);
    if (good)
        advance(conductor, race);
    else
        let_go(conductor, race, &error);
}

Conductor *conductor_new(Arena *arena, Error *error) {
    Conductor *conductor = fresh(1, sizeof *conductor);
    conductor->arena = arena;
    conductor->scoreboard = scoreboard_new(arena);
    if (take_up_all(conductor, error))
        return conductor;
    conductor_free(conductor);
    return NULL;
}

void conductor_free(Conductor *conductor) {
    if (!conductor)
        return;
    scoreboard_free(conductor->scoreboard);
    while (conductor->races)
        drop_race(conductor, conductor->races);
    free(conductor);
}

void conductor_match_over(Conductor *conductor, uint64_t tournament, uint64_t match) {
    Error error = {""};
    Race *race = find_race(conductor, tournament);
    if (!race)
        return;
    if (take_match(conductor, race, match, &error))
        advance(conductor, race);
    else
        let_go(conductor, race, &error);
}

void conductor_tick(Conductor *conductor) {
    Error error = {""};
    int64_t now = clock_now();
    bool stirred = atomic_exchange(&conductor->arena->tournaments_stirred, false);
    bool retry = conductor->retry && conductor->retry <= now;
    if (stirred)
        drop_called_off(conductor);
    if (stirred || retry) {
        conductor->retry = 0;
        if (!take_up_all(conductor, &error)) {
            complain(conductor, 0, &error);
            conductor->retry = now + RETRY_MS * CLOCK_MS;
        }
    }
    for (Race *race = conductor->races; race;) {
        Race *next = race->next;
        if (stirred || race->swept + SWEEP_MS * CLOCK_MS <= now)
            sweep(conductor, race);
        race = next;
    }
}
