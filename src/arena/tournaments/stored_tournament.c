/* See stored_tournament.h. */
#include "arena/tournaments/stored_tournament.h"

#include "base/memory.h"
#include "league/leg.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void stored_tournament_free(StoredTournament *stored) {
    if (!stored)
        return;
    for (uint32_t i = 0; i < stored->leg_count; i++)
        free(stored->legs[i].seats);
    free(stored->legs);
    free(stored->bots);
    progress_free(stored->progress);
    plan_free(&stored->plan);
    free(stored);
}

/* ---- reading ---- */

/* The bots in order of entry. */
static StoreResult read_entrants(StoredTournament *stored, Store *store, Error *error) {
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreEntrant *rows = xcalloc(STORE_PAGE_MAX, sizeof *rows);
    StoreResult result;
    do {
        result = store_tournament_entrants(store, stored->row.id, &page, rows, error);
        if (result != STORE_OK)
            break;
        stored->bots =
            xreallocarray(stored->bots, stored->bot_count + page.count, sizeof *stored->bots);
        for (uint32_t i = 0; i < page.count; i++) {
            StoredBot *bot = &stored->bots[stored->bot_count++];
            *bot = (StoredBot){.bot = rows[i].bot, .version = rows[i].version};
            snprintf(bot->name, sizeof bot->name, "%s/%s", rows[i].owner_name, rows[i].name);
        }
        page.from = page.next;
    } while (page.next.id);
    for (uint32_t i = 0; i < stored->bot_count / 2; i++) {
        StoredBot swapped = stored->bots[i];
        stored->bots[i] = stored->bots[stored->bot_count - 1 - i];
        stored->bots[stored->bot_count - 1 - i] = swapped;
    }
    free(rows);
    return result;
}

static int by_bot(const void *a, const void *b) {
    const StoredBot *first = a;
    const StoredBot *second = b;
    return (first->bot > second->bot) - (first->bot < second->bot);
}

/* Takes a positive number from the start of `rest`. */
static bool take_number(Slice *rest, uint64_t *number) {
    Slice word;
    int64_t value;
    if (!slice_word(rest, &word) || !slice_int(word, &value) || value <= 0)
        return false;
    *number = (uint64_t)value;
    return true;
}

static bool read_seed(const char *text, StoredBot *bot) {
    Slice rest = slice_of(text);
    return slice_skip(&rest, "version ") && take_number(&rest, &bot->version) &&
           slice_skip(&rest, " of bot ") && take_number(&rest, &bot->bot) && !rest.length;
}

/* Sorts the bots as in the plan. */
static bool follow_plan(StoredTournament *stored, Error *error) {
    const Plan *plan = &stored->plan;
    StoredBot *ordered = xcalloc(plan->bot_count, sizeof *ordered);
    qsort(stored->bots, stored->bot_count, sizeof *stored->bots, by_bot);
    bool good = true;
    for (uint32_t i = 0; good && i < plan->bot_count; i++) {
        StoredBot wanted = {0};
        const StoredBot *found = NULL;
        if (read_seed(plan->bots[i].text, &wanted))
            found = bsearch(&wanted, stored->bots, stored->bot_count, sizeof wanted, by_bot);
        if (found)
            ordered[i] = *found;
        else
            good = error_set(
                error, "the plan of tournament %" PRIu64 " contains the unknown bot \"%.60s\"",
                stored->row.id, plan->bots[i].text);
    }
    free(stored->bots);
    stored->bots = ordered;
    stored->bot_count = plan->bot_count;
    return good;
}

StoredTournament *stored_tournament_read(Store *store, uint64_t id, StoreResult *result,
                                         Error *error) {
    StoredTournament *stored = xcalloc(1, sizeof *stored);
    Buffer text = {0};
    *result = store_tournament_get(store, id, &stored->row, error);
    if (*result == STORE_OK)
        *result = store_tournament_plan(store, id, &text, error);
    if (*result == STORE_OK)
        *result = read_entrants(stored, store, error);
    if (*result == STORE_OK) {
        Plan *plan = &stored->plan;
        bool good = plan_read(plan, "plan", (Slice){text.data, text.length}, error);
        stored->seeded = good && plan->bot_count && strncmp(plan->bots[0].text, "version ", 8) == 0;
        if (!good || (stored->seeded && !follow_plan(stored, error)))
            *result = STORE_FAILED;
    }
    buffer_free(&text);
    if (*result == STORE_OK)
        return stored;
    stored_tournament_free(stored);
    return NULL;
}

/* ---- seeding ---- */

typedef struct Seed {
    StoredBot bot;
    uint32_t given; /* its place in the organiser's order, or UINT32_MAX */
    double rating;
    uint32_t entry;
} Seed;

static int by_merit(const void *a, const void *b) {
    const Seed *first = a;
    const Seed *second = b;
    if (first->given != second->given)
        return first->given < second->given ? -1 : 1;
    if (first->rating != second->rating)
        return first->rating > second->rating ? -1 : 1;
    return (first->entry > second->entry) - (first->entry < second->entry);
}

static uint32_t place_given(const Plan *plan, uint64_t bot) {
    char text[40];
    snprintf(text, sizeof text, "bot %" PRIu64, bot);
    for (uint32_t i = 0; i < plan->bot_count; i++)
        if (strcmp(plan->bots[i].text, text) == 0)
            return i;
    return UINT32_MAX;
}

/* Sorts the bots as they would be seeded now. */
static bool order_bots(StoredTournament *stored, Store *store, Error *error) {
    Seed *seeds = xcalloc(stored->bot_count, sizeof *seeds);
    uint32_t count = 0;
    bool good = true;
    for (uint32_t i = 0; good && i < stored->bot_count; i++) {
        StoreBot bot;
        StoreRating rating;
        Seed seed = {.bot = stored->bots[i], .rating = -1e9, .entry = i};
        StoreResult found = store_rating_get(store, seed.bot.bot, &rating, error);
        good = (found == STORE_OK || found == STORE_NOT_FOUND) &&
               store_bot_get(store, seed.bot.bot, &bot, error) == STORE_OK;
        /* A bot that is retired after the start keeps its seed and forfeits. */
        if (!good || (bot.retired && stored->row.state == TOURNAMENT_OPEN))
            continue;
        if (found == STORE_OK)
            seed.rating = rating.rating;
        seed.given = place_given(&stored->plan, seed.bot.bot);
        seeds[count++] = seed;
    }
    qsort(seeds, count, sizeof *seeds, by_merit);
    for (uint32_t i = 0; i < count; i++)
        stored->bots[i] = seeds[i].bot;
    stored->bot_count = count;
    free(seeds);
    return good;
}

/* Writes the current order of the bots to the plan. */
static void write_seeding(StoredTournament *stored, Buffer *to) {
    Plan *plan = &stored->plan;
    for (uint32_t i = 0; i < plan->bot_count; i++) {
        free(plan->bots[i].name);
        free(plan->bots[i].text);
    }
    plan->bot_count = 0;
    for (uint32_t i = 0; i < stored->bot_count; i++) {
        char name[40];
        char text[80];
        const StoredBot *bot = &stored->bots[i];
        snprintf(name, sizeof name, "@%" PRIu64, bot->bot);
        snprintf(text, sizeof text, "version %" PRIu64 " of bot %" PRIu64, bot->version, bot->bot);
        plan_add_bot(plan, name, text);
    }
    plan_write(plan, to);
}

bool stored_tournament_seed(StoredTournament *stored, Store *store, Error *error) {
    if (stored->seeded)
        return true;
    if (!order_bots(stored, store, error))
        return false;
    Buffer text = {0};
    write_seeding(stored, &text);
    stored->seeded =
        store_tournament_change(store, stored->row.id, TOURNAMENT_RUNNING, stored->row.name,
                                stored->row.format, buffer_string(&text), error) == STORE_OK;
    buffer_free(&text);
    return stored->seeded;
}

/* ---- the schedule and its legs ---- */

static int by_number(const void *a, const void *b) {
    const StoredLeg *first = a;
    const StoredLeg *second = b;
    if (first->fixture != second->fixture)
        return first->fixture < second->fixture ? -1 : 1;
    return (first->leg > second->leg) - (first->leg < second->leg);
}

static const StoredLeg *find_leg(const StoredTournament *stored, uint32_t fixture, uint32_t leg) {
    StoredLeg wanted = {.fixture = fixture, .leg = leg};
    return stored->leg_count
               ? bsearch(&wanted, stored->legs, stored->leg_count, sizeof *stored->legs, by_number)
               : NULL;
}

/* A callback of the progress: finds a leg as it was in the store when the tournament was read. An
   empty seat gets its bot, so that the standings count it. */
static bool find_recorded(void *context, const Fixture *fixture, uint32_t number,
                          RecordedLeg *record, bool *found, Error *error) {
    (void)error;
    const StoredTournament *stored = context;
    const StoredLeg *leg = find_leg(stored, fixture->number, number);
    *found = leg != NULL;
    if (!leg)
        return true;
    *record = stored_leg_record(stored, leg, fixture);
    for (uint32_t seat = 0; seat < record->players; seat++)
        if (record->bots[seat] == SEAT_EMPTY)
            leg->seats[seat].bot =
                stored->bots[fixture->bots[leg_player(fixture->players, number, seat)]].bot;
    return true;
}

bool stored_tournament_schedule(StoredTournament *stored, Error *error) {
    ProgressOptions options = {.plan = &stored->plan,
                               .bots = stored->bot_count,
                               .context = stored,
                               .recorded = find_recorded};
    stored->progress = progress_new(&options, error);
    if (!stored->progress)
        return false;
    uint64_t matches = progress_total(stored->progress);
    return matches <= TOURNAMENT_MATCHES_MAX ||
           error_set(error, "this would take %" PRIu64 " matches; the maximum is %d", matches,
                     TOURNAMENT_MATCHES_MAX);
}

StoreResult stored_tournament_start(Store *store, uint64_t id, Error *error) {
    StoreResult result;
    StoredTournament *stored = stored_tournament_read(store, id, &result, error);
    if (!stored)
        return result;
    if (stored->row.state != TOURNAMENT_OPEN) {
        error_set(error, "the tournament has already started");
        result = STORE_CONFLICT;
    } else if (!order_bots(stored, store, error)) {
        result = STORE_FAILED;
    } else if (!stored_tournament_schedule(stored, error)) {
        result = STORE_REJECTED;
    } else {
        result = store_tournament_move(store, id, TOURNAMENT_RUNNING, error);
    }
    stored_tournament_free(stored);
    return result;
}

static PlayerStatus status_of(const char *name) {
    for (PlayerStatus status = 0; status < STATUSES; status++)
        if (strcmp(status_name(status), name) == 0)
            return status;
    return STATUS_OK;
}

StoredLeg stored_leg_of(const StoreMatch *match) {
    StoredLeg leg = {
        .fixture = match->fixture,
        .leg = match->leg,
        .match = match->id,
        .result = match->result,
        .turns = match->turns,
        .players = match->players,
        .seats = xcalloc(match->players, sizeof *leg.seats),
    };
    bool absent[STORE_SEATS_MAX];
    uint32_t ranks[STORE_SEATS_MAX];
    uint32_t gone = 0;
    for (uint32_t i = 0; i < leg.players; i++) {
        const StoreSeat *seat = &match->seats[i];
        absent[i] = seat->bot == 0 || strcmp(seat->status, QUEUE_WITHDRAWN) == 0;
        gone += absent[i];
        leg.seats[i] =
            (StoredSeat){.bot = seat->bot, .rank = seat->rank, .status = status_of(seat->status)};
    }
    if (match->state == MATCH_WAITING || match->state == MATCH_PLAYING)
        return leg;
    if (match->state == MATCH_OVER) {
        leg.state = LEG_PLAYED;
        return leg;
    }
    leg.state = gone > 0 && gone < leg.players ? LEG_FORFEITED : LEG_VOID;
    leg.turns = 0;
    leg_forfeit(leg.players, absent, ranks);
    for (uint32_t i = 0; i < leg.players; i++) {
        leg.seats[i].rank = ranks[i];
        leg.seats[i].status = absent[i] ? STATUS_NO_START : STATUS_OK;
    }
    return leg;
}

bool stored_tournament_recall(StoredTournament *stored, Store *store, Error *error) {
    StoreMatchesWanted wanted = {.tournament = stored->row.id};
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreMatches matches = {0};
    StoreResult result;
    do {
        result = store_matches_list(store, &wanted, &page, &matches, error);
        if (result != STORE_OK)
            break;
        stored->legs =
            xreallocarray(stored->legs, stored->leg_count + matches.count, sizeof *stored->legs);
        for (uint32_t i = 0; i < matches.count; i++)
            stored->legs[stored->leg_count++] = stored_leg_of(&matches.rows[i]);
        page.from = page.next;
    } while (page.next.id);
    store_matches_free(&matches);
    qsort(stored->legs, stored->leg_count, sizeof *stored->legs, by_number);
    return result == STORE_OK;
}

/* ---- figures from verdicts ---- */

/* A leg in an array that is sorted by match. */
typedef struct Listed {
    const StoredLeg *leg;
} Listed;

typedef struct LegFigures {
    Listed *legs; /* sorted by match */
    uint32_t count;
    uint32_t at;
    Json json;
} LegFigures;

static int by_match(const void *a, const void *b) {
    uint64_t first = ((const Listed *)a)->leg->match;
    uint64_t second = ((const Listed *)b)->leg->match;
    return (first > second) - (first < second);
}

/* A numeric member, or 0. */
static double figure(const Json *json, uint32_t object, const char *name) {
    uint32_t node = json_member(json, object, name);
    double value = 0;
    return node != JSON_NONE && json_number(json, node, &value) && value >= 0 && value < 1e15
               ? value
               : 0;
}

static int64_t figure_ns(const Json *json, uint32_t object, const char *name) {
    enum { NS_A_MS = 1000000 };
    double value = figure(json, object, name);
    return value < 1e12 ? (int64_t)(value * NS_A_MS) : 0;
}

static void take_verdict(void *context, uint64_t match, Slice verdict) {
    LegFigures *figures = context;
    Json *json = &figures->json;
    Error error;
    while (figures->at < figures->count && figures->legs[figures->at].leg->match < match)
        figures->at++;
    const StoredLeg *leg = figures->at < figures->count ? figures->legs[figures->at].leg : NULL;
    if (!leg || leg->match != match || leg->state != LEG_PLAYED ||
        !json_parse(json, verdict, &error) || json->nodes[0].kind != JSON_OBJECT)
        return;
    uint32_t list = json_member(json, 0, "players");
    if (list == JSON_NONE || json->nodes[list].kind != JSON_ARRAY)
        return;
    uint32_t seat = 0;
    for (uint32_t node = list + 1; node < json->nodes[list].next && seat < leg->players;
         node = json->nodes[node].next) {
        StoredSeat *to = &leg->seats[seat++];
        uint32_t score;
        if (json->nodes[node].kind != JSON_OBJECT)
            continue;
        score = json_member(json, node, "score");
        if (score != JSON_NONE)
            json_whole(json, score, &to->score);
        to->refused = (uint64_t)figure(json, node, "refused");
        to->timeouts = (uint32_t)figure(json, node, "timeouts");
        to->graces = (uint32_t)figure(json, node, "graces");
        to->wall = figure_ns(json, node, "wall_total_ms");
        to->wall_longest = figure_ns(json, node, "wall_longest_ms");
        to->cpu = figure_ns(json, node, "cpu_total_ms");
    }
}

bool stored_tournament_figures(StoredTournament *stored, Store *store, Error *error) {
    LegFigures figures = {.legs = xcalloc(stored->leg_count, sizeof *figures.legs),
                          .count = stored->leg_count};
    for (uint32_t i = 0; i < figures.count; i++)
        figures.legs[i].leg = &stored->legs[i];
    qsort(figures.legs, figures.count, sizeof *figures.legs, by_match);
    StoreResult result =
        store_matches_verdicts(store, stored->row.id, take_verdict, &figures, error);
    json_free(&figures.json);
    free(figures.legs);
    return result == STORE_OK;
}

RecordedLeg stored_leg_record(const StoredTournament *stored, const StoredLeg *leg,
                              const Fixture *fixture) {
    RecordedLeg record = {
        .players = leg->players, .ended = leg->state != LEG_PENDING, .match = leg->match};
    for (uint32_t seat = 0; seat < leg->players && leg->players == fixture->players; seat++) {
        uint32_t expected = fixture->bots[leg_player(fixture->players, leg->leg, seat)];
        uint64_t bot = leg->seats[seat].bot;
        record.bots[seat] = !bot                                ? SEAT_EMPTY
                            : bot == stored->bots[expected].bot ? expected
                                                                : SEAT_STRANGER;
        record.ranks[seat] = leg->seats[seat].rank;
    }
    return record;
}

/* ---- standings ---- */

static int by_result(const void *a, const void *b) {
    const StoredLeg *first = ((const Listed *)a)->leg;
    const StoredLeg *second = ((const Listed *)b)->leg;
    uint64_t one = first->result ? first->result : UINT64_MAX;
    uint64_t other = second->result ? second->result : UINT64_MAX;
    if (one != other)
        return one < other ? -1 : 1;
    return by_number(first, second);
}

/* Finds the numbers of bots by their ids. */
typedef struct Numbered {
    uint64_t bot;
    uint32_t number;
} Numbered;

static int by_id(const void *a, const void *b) {
    const Numbered *first = a;
    const Numbered *second = b;
    return (first->bot > second->bot) - (first->bot < second->bot);
}

static void add_leg(Standings *standings, const StoredLeg *leg, const Numbered *numbers,
                    uint32_t bots) {
    PlayedMatch match = {.turns = leg->turns, .players = leg->players};
    for (uint32_t i = 0; i < leg->players; i++) {
        Numbered wanted = {.bot = leg->seats[i].bot};
        const Numbered *found = bsearch(&wanted, numbers, bots, sizeof wanted, by_id);
        if (!found)
            return;
        const StoredSeat *seat = &leg->seats[i];
        match.seats[i] = (PlayedSeat){.bot = found->number,
                                      .rank = seat->rank,
                                      .score = seat->score,
                                      .status = seat->status,
                                      .refused = seat->refused,
                                      .timeouts = seat->timeouts,
                                      .graces = seat->graces,
                                      .wall = seat->wall,
                                      .wall_longest = seat->wall_longest,
                                      .cpu = seat->cpu};
    }
    standings_add(standings, &match);
}

/* Adds the legs that count, in the order of their results; forfeits, which have none, come last. */
static void add_legs(const StoredTournament *stored, Standings *standings) {
    Numbered *numbers = xcalloc(stored->bot_count, sizeof *numbers);
    for (uint32_t i = 0; i < stored->bot_count; i++)
        numbers[i] = (Numbered){stored->bots[i].bot, i};
    qsort(numbers, stored->bot_count, sizeof *numbers, by_id);
    Listed *legs = xcalloc(stored->leg_count, sizeof *legs);
    uint32_t count = 0;
    for (uint32_t i = 0; i < stored->leg_count; i++)
        if (stored->legs[i].state == LEG_PLAYED || stored->legs[i].state == LEG_FORFEITED)
            legs[count++].leg = &stored->legs[i];
    qsort(legs, count, sizeof *legs, by_result);
    for (uint32_t i = 0; i < count; i++)
        add_leg(standings, legs[i].leg, numbers, stored->bot_count);
    free(legs);
    free(numbers);
}

static Standings *new_standings(const StoredTournament *stored, bool real_names) {
    const char **names = xcalloc(stored->bot_count, sizeof *names);
    for (uint32_t i = 0; i < stored->bot_count; i++)
        names[i] = real_names ? stored->bots[i].name : stored->plan.bots[i].name;
    Standings *standings = standings_new(stored->bot_count, names);
    free(names);
    return standings;
}

static const Schedule *schedule_of(const StoredTournament *stored) {
    return stored->progress ? progress_schedule(stored->progress) : NULL;
}

Standings *stored_tournament_standings(StoredTournament *stored, bool real_names, Error *error) {
    if (!stored->seeded) {
        error_set(error, "the tournament has not started");
        return NULL;
    }
    Error ignored;
    if (stored->progress && !progress_replay(stored->progress, stored->leg_count, &ignored)) {
        /* Another version made a different schedule for these legs; the standings still count
           them. */
        progress_free(stored->progress);
        stored->progress = NULL;
    }
    Standings *standings = new_standings(stored, real_names);
    add_legs(stored, standings);
    if (standings_settle(standings, schedule_of(stored), error))
        return standings;
    standings_free(standings);
    return NULL;
}

Report stored_tournament_report(const StoredTournament *stored, const Standings *standings) {
    return (Report){
        .title = stored->row.name,
        .game = stored->row.game,
        .format = stored->row.format,
        .seed = stored->plan.seed,
        .standings = standings,
        .schedule = schedule_of(stored),
        .unfinished = !stored->progress || !progress_finished(stored->progress),
    };
}

/* ---- names ---- */

static const char *name_of(const StoredTournament *stored, uint64_t bot) {
    for (uint32_t i = 0; i < stored->bot_count; i++)
        if (stored->bots[i].bot == bot)
            return stored->bots[i].name;
    return "";
}

void stored_tournament_name(const StoredTournament *stored, Slice report, Buffer *to) {
    /* In a JSON string, a quote follows a backslash, so this occurs only where a name begins. */
    static const char mark[] = "\"name\":\"@";
    const char *at = report.at;
    const char *end = report.at + report.length;
    const char *found;
    while (at < end && (found = memmem(at, (size_t)(end - at), mark, sizeof mark - 1))) {
        const char *digits = found + sizeof mark - 1;
        uint64_t bot = 0;
        while (digits < end && *digits >= '0' && *digits <= '9')
            bot = bot * 10 + (uint64_t)(*digits++ - '0');
        buffer_add(to, at, (size_t)(found - at) + sizeof mark - 3);
        json_string(to, slice_of(name_of(stored, bot)));
        at = digits < end ? digits + 1 : end;
    }
    buffer_add(to, at, (size_t)(end - at));
}
