/* See dossier.h. */
#include "arena/tournaments/stored_tournament.h"

#include "league/legs.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *fresh(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory)
        abort();
    return memory;
}

static void *resized(void *memory, size_t count, size_t size) {
    memory = realloc(memory, (count ? count : 1) * size);
    if (!memory)
        abort();
    return memory;
}

void dossier_free(Dossier *dossier) {
    if (!dossier)
        return;
    for (uint32_t i = 0; i < dossier->leg_count; i++)
        free(dossier->legs[i].seats);
    free(dossier->legs);
    free(dossier->bots);
    schedule_free(dossier->schedule);
    plan_free(&dossier->plan);
    free(dossier);
}

/* ---- reading ---- */

/* The entrants, the first to enter first. */
static StoreResult read_entrants(Dossier *dossier, Store *store, Error *error) {
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreEntrant *rows = fresh(STORE_PAGE_MAX, sizeof *rows);
    StoreResult result;
    do {
        result = store_tournament_entrants(store, dossier->row.id, &page, rows, error);
        if (result != STORE_OK)
            break;
        dossier->bots =
            resized(dossier->bots, dossier->bot_count + page.count, sizeof *dossier->bots);
        for (uint32_t i = 0; i < page.count; i++) {
            DossierBot *bot = &dossier->bots[dossier->bot_count++];
            *bot = (DossierBot){.bot = rows[i].bot, .version = rows[i].version};
            snprintf(bot->name, sizeof bot->name, "%s/%s", rows[i].owner_name, rows[i].name);
        }
        page.from = page.next;
    } while (page.next.id);
    for (uint32_t i = 0; i < dossier->bot_count / 2; i++) {
        DossierBot swapped = dossier->bots[i];
        dossier->bots[i] = dossier->bots[dossier->bot_count - 1 - i];
        dossier->bots[dossier->bot_count - 1 - i] = swapped;
    }
    free(rows);
    return result;
}

static int by_bot(const void *a, const void *b) {
    const DossierBot *first = a;
    const DossierBot *second = b;
    return (first->bot > second->bot) - (first->bot < second->bot);
}

/* Takes a word that is a number off the front. */
static bool take_number(Slice *rest, uint64_t *number) {
    Slice word;
    int64_t value;
    if (!slice_word(rest, &word) || !slice_int(word, &value) || value <= 0)
        return false;
    *number = (uint64_t)value;
    return true;
}

static bool read_seed(const char *text, DossierBot *bot) {
    Slice rest = slice_of(text);
    return slice_skip(&rest, "version ") && take_number(&rest, &bot->version) &&
           slice_skip(&rest, " of bot ") && take_number(&rest, &bot->bot) && !rest.length;
}

/* Puts the bots into the plan's order, which is that of the tournament. */
static bool follow_plan(Dossier *dossier, Error *error) {
    const Plan *plan = &dossier->plan;
    DossierBot *ordered = fresh(plan->bot_count, sizeof *ordered);
    qsort(dossier->bots, dossier->bot_count, sizeof *dossier->bots, by_bot);
    bool good = true;
    for (uint32_t i = 0; good && i < plan->bot_count; i++) {
        DossierBot wanted = {0};
        const DossierBot *found = NULL;
        if (read_seed(plan->bots[i].text, &wanted))
            found = bsearch(&wanted, dossier->bots, dossier->bot_count, sizeof wanted, by_bot);
        if (found)
            ordered[i] = *found;
        else
            good = error_set(error, "the plan of tournament %" PRIu64 " has \"%.60s\" in it",
                             dossier->row.id, plan->bots[i].text);
    }
    free(dossier->bots);
    dossier->bots = ordered;
    dossier->bot_count = plan->bot_count;
    return good;
}

Dossier *dossier_read(Store *store, uint64_t id, StoreResult *result, Error *error) {
    Dossier *dossier = fresh(1, sizeof *dossier);
    Buffer text = {0};
    *result = store_tournament_get(store, id, &dossier->row, error);
    if (*result == STORE_OK)
        *result = store_tournament_plan(store, id, &text, error);
    if (*result == STORE_OK)
        *result = read_entrants(dossier, store, error);
    if (*result == STORE_OK) {
        Plan *plan = &dossier->plan;
        bool good = plan_read(plan, "plan", (Slice){text.data, text.length}, error);
        dossier->seeded =
            good && plan->bot_count && strncmp(plan->bots[0].text, "version ", 8) == 0;
        if (!good || (dossier->seeded && !follow_plan(dossier, error)))
            *result = STORE_FAILED;
    }
    buffer_free(&text);
    if (*result == STORE_OK)
        return dossier;
    dossier_free(dossier);
    return NULL;
}

/* ---- seeding ---- */

typedef struct Seed {
    DossierBot bot;
    uint32_t wish; /* its place in the order that was given, UINT32_MAX: none */
    double rating;
    uint32_t entry;
} Seed;

static int by_merit(const void *a, const void *b) {
    const Seed *first = a;
    const Seed *second = b;
    if (first->wish != second->wish)
        return first->wish < second->wish ? -1 : 1;
    if (first->rating != second->rating)
        return first->rating > second->rating ? -1 : 1;
    return (first->entry > second->entry) - (first->entry < second->entry);
}

static uint32_t wish_of(const Plan *plan, uint64_t bot) {
    char text[40];
    snprintf(text, sizeof text, "bot %" PRIu64, bot);
    for (uint32_t i = 0; i < plan->bot_count; i++)
        if (strcmp(plan->bots[i].text, text) == 0)
            return i;
    return UINT32_MAX;
}

bool dossier_order(Dossier *dossier, Store *store, Error *error) {
    Seed *seeds = fresh(dossier->bot_count, sizeof *seeds);
    uint32_t count = 0;
    bool good = true;
    for (uint32_t i = 0; good && i < dossier->bot_count; i++) {
        StoreBot bot;
        StoreRating rating;
        Seed seed = {.bot = dossier->bots[i], .rating = -1e9, .entry = i};
        StoreResult found = store_rating_get(store, seed.bot.bot, &rating, error);
        good = (found == STORE_OK || found == STORE_NOT_FOUND) &&
               store_bot_get(store, seed.bot.bot, &bot, error) == STORE_OK;
        if (!good || bot.retired)
            continue;
        if (found == STORE_OK)
            seed.rating = rating.rating;
        seed.wish = wish_of(&dossier->plan, seed.bot.bot);
        seeds[count++] = seed;
    }
    qsort(seeds, count, sizeof *seeds, by_merit);
    for (uint32_t i = 0; i < count; i++)
        dossier->bots[i] = seeds[i].bot;
    dossier->bot_count = count;
    free(seeds);
    return good;
}

/* Puts the bots as they are now into the plan. */
static void write_seeding(Dossier *dossier, Buffer *to) {
    Plan *plan = &dossier->plan;
    for (uint32_t i = 0; i < plan->bot_count; i++) {
        free(plan->bots[i].name);
        free(plan->bots[i].text);
    }
    plan->bot_count = 0;
    for (uint32_t i = 0; i < dossier->bot_count; i++) {
        char name[40];
        char text[80];
        const DossierBot *bot = &dossier->bots[i];
        snprintf(name, sizeof name, "@%" PRIu64, bot->bot);
        snprintf(text, sizeof text, "version %" PRIu64 " of bot %" PRIu64, bot->version, bot->bot);
        plan_add_bot(plan, name, text);
    }
    plan_write(plan, to);
}

bool dossier_seed(Dossier *dossier, Store *store, Error *error) {
    if (dossier->seeded)
        return true;
    if (!dossier_order(dossier, store, error))
        return false;
    Buffer text = {0};
    write_seeding(dossier, &text);
    dossier->seeded =
        store_tournament_change(store, dossier->row.id, TOURNAMENT_RUNNING, dossier->row.name,
                                dossier->row.format, buffer_string(&text), error) == STORE_OK;
    buffer_free(&text);
    return dossier->seeded;
}

/* ---- the schedule and its legs ---- */

bool dossier_schedule(Dossier *dossier, Error *error) {
    ScheduleOptions options = plan_schedule(&dossier->plan);
    options.bots = dossier->bot_count;
    dossier->schedule = schedule_new(&options, error);
    if (!dossier->schedule || !legs_check_heats(&dossier->plan, dossier->schedule, error))
        return false;
    uint64_t matches =
        (uint64_t)schedule_total(dossier->schedule) * dossier->plan.games * dossier->plan.players;
    return matches <= DOSSIER_MATCHES_MAX ||
           error_set(error, "this would take %" PRIu64 " matches; %d is the most", matches,
                     DOSSIER_MATCHES_MAX);
}

static PlayerStatus status_of(const char *name) {
    for (PlayerStatus status = 0; status < STATUSES; status++)
        if (strcmp(status_name(status), name) == 0)
            return status;
    return STATUS_OK;
}

DossierLeg dossier_leg_of(const StoreMatch *match) {
    DossierLeg leg = {
        .fixture = match->fixture,
        .leg = match->leg,
        .match = match->id,
        .result = match->result,
        .turns = match->turns,
        .players = match->players,
        .seats = fresh(match->players, sizeof *leg.seats),
    };
    bool absent[STORE_SEATS_MAX];
    uint32_t ranks[STORE_SEATS_MAX];
    uint32_t gone = 0;
    for (uint32_t i = 0; i < leg.players; i++) {
        const StoreSeat *seat = &match->seats[i];
        absent[i] = seat->bot == 0 || strcmp(seat->status, QUEUE_WITHDRAWN) == 0;
        gone += absent[i];
        leg.seats[i] =
            (DossierSeat){.bot = seat->bot, .rank = seat->rank, .status = status_of(seat->status)};
    }
    if (match->state == MATCH_WAITING || match->state == MATCH_PLAYING)
        return leg;
    if (match->state == MATCH_OVER) {
        leg.state = LEG_PLAYED;
        return leg;
    }
    leg.state = gone > 0 && gone < leg.players ? LEG_FORFEITED : LEG_VOID;
    leg.turns = 0;
    legs_forfeit(leg.players, absent, ranks);
    for (uint32_t i = 0; i < leg.players; i++) {
        leg.seats[i].rank = ranks[i];
        leg.seats[i].status = absent[i] ? STATUS_NO_START : STATUS_OK;
    }
    return leg;
}

static int by_number(const void *a, const void *b) {
    const DossierLeg *first = a;
    const DossierLeg *second = b;
    if (first->fixture != second->fixture)
        return first->fixture < second->fixture ? -1 : 1;
    return (first->leg > second->leg) - (first->leg < second->leg);
}

bool dossier_recall(Dossier *dossier, Store *store, Error *error) {
    StoreMatchesWanted wanted = {.tournament = dossier->row.id};
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreMatches matches = {0};
    StoreResult result;
    do {
        result = store_matches_list(store, &wanted, &page, &matches, error);
        if (result != STORE_OK)
            break;
        dossier->legs =
            resized(dossier->legs, dossier->leg_count + matches.count, sizeof *dossier->legs);
        for (uint32_t i = 0; i < matches.count; i++)
            dossier->legs[dossier->leg_count++] = dossier_leg_of(&matches.rows[i]);
        page.from = page.next;
    } while (page.next.id);
    store_matches_free(&matches);
    qsort(dossier->legs, dossier->leg_count, sizeof *dossier->legs, by_number);
    return result == STORE_OK;
}

/* ---- what the verdicts tell ---- */

/* A leg, in an order of its own. */
typedef struct Listed {
    const DossierLeg *leg;
} Listed;

typedef struct Figures {
    Listed *legs; /* by their match */
    uint32_t count;
    uint32_t at;
    Json json;
} Figures;

static int by_match(const void *a, const void *b) {
    uint64_t first = ((const Listed *)a)->leg->match;
    uint64_t second = ((const Listed *)b)->leg->match;
    return (first > second) - (first < second);
}

/* A member that is a number, 0 for one that is none. */
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
    Figures *figures = context;
    Json *json = &figures->json;
    Error error;
    while (figures->at < figures->count && figures->legs[figures->at].leg->match < match)
        figures->at++;
    const DossierLeg *leg = figures->at < figures->count ? figures->legs[figures->at].leg : NULL;
    if (!leg || leg->match != match || leg->state != LEG_PLAYED ||
        !json_parse(json, verdict, &error) || json->nodes[0].kind != JSON_OBJECT)
        return;
    uint32_t list = json_member(json, 0, "players");
    if (list == JSON_NONE || json->nodes[list].kind != JSON_ARRAY)
        return;
    uint32_t seat = 0;
    for (uint32_t node = list + 1; node < json->nodes[list].next && seat < leg->players;
         node = json->nodes[node].next) {
        DossierSeat *to = &leg->seats[seat++];
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

bool dossier_figures(Dossier *dossier, Store *store, Error *error) {
    Figures figures = {.legs = fresh(dossier->leg_count, sizeof *figures.legs),
                       .count = dossier->leg_count};
    for (uint32_t i = 0; i < figures.count; i++)
        figures.legs[i].leg = &dossier->legs[i];
    qsort(figures.legs, figures.count, sizeof *figures.legs, by_match);
    StoreResult result =
        store_matches_verdicts(store, dossier->row.id, take_verdict, &figures, error);
    json_free(&figures.json);
    free(figures.legs);
    return result == STORE_OK;
}

const DossierLeg *dossier_leg(const Dossier *dossier, uint32_t fixture, uint32_t leg) {
    DossierLeg wanted = {.fixture = fixture, .leg = leg};
    return dossier->leg_count ? bsearch(&wanted, dossier->legs, dossier->leg_count,
                                        sizeof *dossier->legs, by_number)
                              : NULL;
}

bool dossier_leg_fits(const Dossier *dossier, const DossierLeg *leg, const Fixture *fixture) {
    if (leg->players != fixture->players)
        return false;
    for (uint32_t seat = 0; seat < leg->players; seat++) {
        uint32_t number = fixture->bots[legs_index(fixture->players, leg->leg, seat)];
        if (leg->seats[seat].bot && leg->seats[seat].bot != dossier->bots[number].bot)
            return false;
    }
    return true;
}

void dossier_leg_ranks(const DossierLeg *leg, uint32_t *ranks) {
    for (uint32_t seat = 0; seat < leg->players; seat++)
        ranks[legs_index(leg->players, leg->leg, seat)] = leg->seats[seat].rank;
}

/* ---- standings ---- */

static int by_result(const void *a, const void *b) {
    const DossierLeg *first = ((const Listed *)a)->leg;
    const DossierLeg *second = ((const Listed *)b)->leg;
    uint64_t one = first->result ? first->result : UINT64_MAX;
    uint64_t other = second->result ? second->result : UINT64_MAX;
    if (one != other)
        return one < other ? -1 : 1;
    return by_number(first, second);
}

/* Takes what is known of a fixture: gives its empty seats their bots and, if it has ended, tells
   the schedule. How many of its legs there are; UINT32_MAX if others have played them. */
static uint32_t take_fixture(Dossier *dossier, const Fixture *fixture) {
    uint32_t legs = legs_count(&dossier->plan, fixture);
    uint32_t known = 0;
    uint32_t ended = 0;
    uint32_t *ranks = fresh((size_t)legs * fixture->players, sizeof *ranks);
    for (uint32_t i = 0; i < legs; i++) {
        const DossierLeg *leg = dossier_leg(dossier, fixture->number, i);
        if (!leg)
            continue;
        if (!dossier_leg_fits(dossier, leg, fixture)) {
            free(ranks);
            return UINT32_MAX;
        }
        for (uint32_t seat = 0; seat < leg->players; seat++)
            leg->seats[seat].bot =
                dossier->bots[fixture->bots[legs_index(leg->players, i, seat)]].bot;
        known++;
        ended += leg->state != LEG_PENDING;
        dossier_leg_ranks(leg, ranks + (size_t)i * fixture->players);
    }
    if (ended == legs)
        schedule_result(dossier->schedule, fixture, legs, ranks);
    free(ranks);
    return known;
}

/* Brings the schedule to where the legs lead. One that they do not come from is dropped. */
static void follow_schedule(Dossier *dossier) {
    Fixture fixture;
    uint32_t used = 0;
    while (used < dossier->leg_count && schedule_next(dossier->schedule, &fixture)) {
        uint32_t known = take_fixture(dossier, &fixture);
        if (known == UINT32_MAX) {
            schedule_free(dossier->schedule);
            dossier->schedule = NULL;
            return;
        }
        used += known;
    }
}

/* The bots' numbers, to be found by their ids. */
typedef struct Numbered {
    uint64_t bot;
    uint32_t number;
} Numbered;

static int by_id(const void *a, const void *b) {
    const Numbered *first = a;
    const Numbered *second = b;
    return (first->bot > second->bot) - (first->bot < second->bot);
}

static void add_leg(Standings *standings, const DossierLeg *leg, const Numbered *numbers,
                    uint32_t bots) {
    PlayedMatch match = {.turns = leg->turns, .players = leg->players};
    for (uint32_t i = 0; i < leg->players; i++) {
        Numbered wanted = {.bot = leg->seats[i].bot};
        const Numbered *found = bsearch(&wanted, numbers, bots, sizeof wanted, by_id);
        if (!found)
            return;
        const DossierSeat *seat = &leg->seats[i];
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

/* Adds what counts, in the order in which the results came in; forfeits, which have no result, at
   the end. */
static void add_legs(const Dossier *dossier, Standings *standings) {
    Numbered *numbers = fresh(dossier->bot_count, sizeof *numbers);
    for (uint32_t i = 0; i < dossier->bot_count; i++)
        numbers[i] = (Numbered){dossier->bots[i].bot, i};
    qsort(numbers, dossier->bot_count, sizeof *numbers, by_id);
    Listed *legs = fresh(dossier->leg_count, sizeof *legs);
    uint32_t count = 0;
    for (uint32_t i = 0; i < dossier->leg_count; i++)
        if (dossier->legs[i].state == LEG_PLAYED || dossier->legs[i].state == LEG_FORFEITED)
            legs[count++].leg = &dossier->legs[i];
    qsort(legs, count, sizeof *legs, by_result);
    for (uint32_t i = 0; i < count; i++)
        add_leg(standings, legs[i].leg, numbers, dossier->bot_count);
    free(legs);
    free(numbers);
}

static Standings *new_standings(const Dossier *dossier, bool real_names) {
    const char **names = fresh(dossier->bot_count, sizeof *names);
    for (uint32_t i = 0; i < dossier->bot_count; i++)
        names[i] = real_names ? dossier->bots[i].name : dossier->plan.bots[i].name;
    Standings *standings = standings_new(dossier->bot_count, names);
    free(names);
    return standings;
}

Standings *dossier_standings(Dossier *dossier, bool real_names, Error *error) {
    if (!dossier->seeded) {
        error_set(error, "the tournament has not begun");
        return NULL;
    }
    if (dossier->schedule)
        follow_schedule(dossier);
    Standings *standings = new_standings(dossier, real_names);
    add_legs(dossier, standings);
    if (standings_settle(standings, dossier->schedule, error))
        return standings;
    standings_free(standings);
    return NULL;
}

Report dossier_report(const Dossier *dossier, const Standings *standings) {
    return (Report){
        .title = dossier->row.name,
        .game = dossier->row.game,
        .format = dossier->row.format,
        .seed = dossier->plan.seed,
        .standings = standings,
        .schedule = dossier->schedule,
        .unfinished = !dossier->schedule || !schedule_finished(dossier->schedule),
    };
}

/* ---- names ---- */

static const char *name_of(const Dossier *dossier, uint64_t bot) {
    for (uint32_t i = 0; i < dossier->bot_count; i++)
        if (dossier->bots[i].bot == bot)
            return dossier->bots[i].name;
    return "";
}

void dossier_name(const Dossier *dossier, Slice report, Buffer *to) {
    /* In a JSON string a quote has a backslash in front, so this stands nowhere but where a name
       begins. */
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
        json_string(to, slice_of(name_of(dossier, bot)));
        at = digits < end ? digits + 1 : end;
    }
    buffer_add(to, at, (size_t)(end - at));
}
