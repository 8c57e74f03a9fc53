/* Read-only handlers for tournaments: lists, entrants, standings, reports, live events. */
#include "arena/api/tournament_routes.h"

#include "arena/tournaments/tournaments.h"
#include "base/memory.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const state_names[] = NAME_ARRAY(TOURNAMENT_STATES);

uint64_t tournaments_id(const Request *request) {
    return (uint64_t)request_number(request, "tournament", 0);
}

/* ---- JSON ---- */

/* The members that every form of a tournament has. */
static bool write_members(const Request *request, JsonOut *out, const StoreTournament *row) {
    Error error;
    StoreAccount organiser;
    if (store_account_get(arena_of(request)->store, row->organiser, &organiser, &error) != STORE_OK)
        return false;
    json_out_uint(out, "id", row->id);
    json_out_text(out, "name", row->name);
    json_out_text(out, "game", row->game);
    json_out_text(out, "format", row->format);
    json_out_text(out, "state", state_names[row->state]);
    json_out_text(out, "organiser", organiser.name);
    api_time(out, "created", row->created);
    api_time(out, "started", row->started);
    api_time(out, "ended", row->ended);
    api_time(out, "starts", row->starts);
    return true;
}

static void write_link(JsonOut *out, const char *key, uint64_t id, const char *what) {
    char path[80];
    snprintf(path, sizeof path, "/api/v1/tournaments/%" PRIu64 "%s", id, what);
    json_out_text(out, key, path);
}

static void write_links(JsonOut *out, uint64_t id) {
    char matches[80];
    snprintf(matches, sizeof matches, "/api/v1/matches?tournament=%" PRIu64, id);
    json_open(out, "links", '{');
    json_out_text(out, "matches", matches);
    write_link(out, "entrants", id, "/entrants");
    write_link(out, "standings", id, "/standings");
    write_link(out, "live", id, "/live");
    write_link(out, "csv", id, "/standings.csv");
    write_link(out, "html", id, "/report.html");
    json_close(out, '}');
}

Outcome tournaments_problem(const Request *request, Response *response, StoreResult result,
                            const Error *error) {
    return problem_from_store(request, response, result == STORE_OK ? STORE_FAILED : result, error);
}

void tournaments_answer(const Request *request, Response *response, uint64_t id) {
    Error error = {0};
    StoreResult result;
    StoredTournament *stored =
        stored_tournament_read(arena_of(request)->store, id, &result, &error);
    if (!stored) {
        tournaments_problem(request, response, result, &error);
        return;
    }
    const Plan *plan = &stored->plan;
    bool fits = true;
    if ((plan->speed_min || plan->speed_max) && stored->row.state <= TOURNAMENT_RUNNING)
        result = store_workers_fit(arena_of(request)->store, plan->speed_min, plan->speed_max,
                                   &fits, &error);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    if (result == STORE_OK && write_members(request, &out, &stored->row)) {
        if (stored->row.start_problem[0])
            json_out_text(&out, "start_problem", stored->row.start_problem);
        else
            json_out_null(&out, "start_problem");
        json_out_uint(&out, "entrants", stored->bot_count);
        json_out_text(&out, "seeding", plan->bot_count && !stored->seeded ? "given" : "rating");
        tournament_plan_write(plan, &out);
        json_out_bool(&out, "without_worker", !fits);
        write_links(&out, id);
        json_close(&out, '}');
    } else {
        tournaments_problem(request, response, STORE_FAILED, &error);
    }
    stored_tournament_free(stored);
}

/* ---- handlers ---- */

Outcome tournaments_handle_list(Request *request, Response *response) {
    Error error;
    StorePage page;
    Slice name;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    const Game *game = NULL;
    if (request_query(request, "game", &name) && !(game = game_find(name, &error)))
        return problem(request, response, 404, "%s", error.text);
    StoreTournament *rows = xcalloc(page.limit, sizeof *rows);
    StoreResult result = store_tournaments_list(arena_of(request)->store, game ? game->name : NULL,
                                                &page, rows, &error);
    JsonOut out = {.to = &response->bytes};
    api_list_open(&out);
    for (uint32_t i = 0; result == STORE_OK && i < page.count; i++) {
        json_open(&out, NULL, '{');
        if (!write_members(request, &out, &rows[i]))
            result = STORE_FAILED;
        json_close(&out, '}');
    }
    free(rows);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    api_list_close(&out, &page);
    response_tag(response);
    return OUTCOME_ANSWERED;
}

Outcome tournaments_handle_get(Request *request, Response *response) {
    tournaments_answer(request, response, tournaments_id(request));
    if (response->status == 200)
        response_tag(response);
    return OUTCOME_ANSWERED;
}

void tournaments_write_entrant(JsonOut *out, const StoreEntrant *entrant) {
    json_open(out, NULL, '{');
    json_out_uint(out, "bot", entrant->bot);
    json_out_text(out, "owner", entrant->owner_name);
    json_out_text(out, "name", entrant->name);
    json_out_uint(out, "version", entrant->version);
    api_time(out, "entered", entrant->entered);
    json_close(out, '}');
}

Outcome tournaments_handle_entrants(Request *request, Response *response) {
    Error error;
    StorePage page;
    StoreTournament row;
    Store *store = arena_of(request)->store;
    if (!api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    StoreEntrant *rows = xcalloc(page.limit, sizeof *rows);
    StoreResult result = store_tournament_get(store, tournaments_id(request), &row, &error);
    if (result == STORE_OK)
        result = store_tournament_entrants(store, row.id, &page, rows, &error);
    if (result == STORE_OK) {
        JsonOut out = {.to = &response->bytes};
        api_list_open(&out);
        for (uint32_t i = 0; i < page.count; i++)
            tournaments_write_entrant(&out, &rows[i]);
        api_list_close(&out, &page);
        response_tag(response);
    }
    free(rows);
    return result == STORE_OK ? OUTCOME_ANSWERED
                              : problem_from_store(request, response, result, &error);
}

static const char no_standings[] = "No standings yet: the tournament has not started.";

Outcome tournaments_handle_standings(Request *request, Response *response) {
    Error error;
    StoreResult result;
    Buffer kept = {0};
    Store *store = arena_of(request)->store;
    StoredTournament *stored =
        stored_tournament_read(store, tournaments_id(request), &result, &error);
    if (stored)
        result = store_tournament_standings(store, stored->row.id, &kept, &error);
    if (!stored || result != STORE_OK) {
        tournaments_problem(request, response, result, &error);
    } else if (!kept.length) {
        problem(request, response, 404, "%s", no_standings);
    } else {
        stored_tournament_name(stored, (Slice){kept.data, kept.length}, &response->bytes);
        response_tag(response);
    }
    stored_tournament_free(stored);
    buffer_free(&kept);
    return OUTCOME_ANSWERED;
}

/* Answers with a report that uses the current names, to download or to show. */
static void answer_report(Request *request, Response *response, const char *ending,
                          ContentType type, const char *disposition,
                          void (*write)(const Report *report, Buffer *to)) {
    Error error = {0};
    StoreResult result;
    Standings *standings = NULL;
    char text[80];
    Store *store = arena_of(request)->store;
    StoredTournament *stored =
        stored_tournament_read(store, tournaments_id(request), &result, &error);
    if (!stored) {
        tournaments_problem(request, response, result, &error);
    } else if (!stored->seeded) {
        problem(request, response, 404, "%s", no_standings);
    } else if (!stored_tournament_schedule(stored, &error) ||
               !stored_tournament_recall(stored, store, &error) ||
               !stored_tournament_figures(stored, store, &error) ||
               !(standings = stored_tournament_standings(stored, true, &error))) {
        tournaments_problem(request, response, STORE_FAILED, &error);
    } else {
        Report report = stored_tournament_report(stored, standings);
        write(&report, &response->bytes);
        response->type = type;
        snprintf(text, sizeof text, "%s; filename=\"tournament-%" PRIu64 "%s\"", disposition,
                 stored->row.id, ending);
        response_header(response, HEADER_CONTENT_DISPOSITION, slice_of(text));
    }
    standings_free(standings);
    stored_tournament_free(stored);
}

static void write_csv(Request *request, Response *response) {
    answer_report(request, response, ".csv", TYPE_TEXT, "attachment", report_csv);
}

static void write_html(Request *request, Response *response) {
    response->policy = report_html_policy;
    answer_report(request, response, ".html", TYPE_HTML, "inline", report_html);
}

Outcome tournaments_handle_csv(Request *request, Response *response) {
    (void)response;
    return request_defer(request, write_csv);
}

Outcome tournaments_handle_html(Request *request, Response *response) {
    (void)response;
    return request_defer(request, write_html);
}

Outcome tournaments_handle_live(Request *request, Response *response) {
    Error error;
    StoreTournament row;
    char topic[LIVE_TOPIC_MAX];
    StoreResult result =
        store_tournament_get(arena_of(request)->store, tournaments_id(request), &row, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    snprintf(topic, sizeof topic, "tournament-%" PRIu64, row.id);
    if (row.state == TOURNAMENT_OPEN || row.state == TOURNAMENT_RUNNING)
        tournament_topic_watch(arena_of(request), row.id, topic);
    return request_watch(request, topic, LIVE_FROM_START);
}
