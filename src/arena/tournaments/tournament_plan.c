/* See tournament_plan.h. */
#include "arena/tournaments/tournament_plan.h"

#include "base/json_object.h"
#include "base/memory.h"
#include "store/accounts.h"
#include "store/types.h"

#include <string.h>
#include <sys/random.h>
#include <time.h>

enum { TOURNAMENT_MAPS_MAX = 100, START_DAYS_MAX = 366 };

/* ---- reading ---- */

/* Appends a value as it was sent; returns the node after it. */
static uint32_t put_value(const Json *json, uint32_t at, Buffer *to) {
    const JsonNode *node = &json->nodes[at];
    bool object = node->kind == JSON_OBJECT;
    switch (node->kind) {
    case JSON_NULL:
        buffer_text(to, "null");
        return node->next;
    case JSON_FALSE:
    case JSON_TRUE:
        buffer_text(to, node->kind == JSON_TRUE ? "true" : "false");
        return node->next;
    case JSON_NUMBER:
        buffer_add(to, node->text.at, node->text.length);
        return node->next;
    case JSON_STRING:
        json_string(to, node->text);
        return node->next;
    default:
        break;
    }
    buffer_char(to, object ? '{' : '[');
    for (uint32_t child = at + 1; child < node->next;) {
        if (child > at + 1)
            buffer_char(to, ',');
        child = put_value(json, child, to);
        if (object) {
            buffer_char(to, ':');
            child = put_value(json, child, to);
        }
    }
    buffer_char(to, object ? '}' : ']');
    return node->next;
}

/* Writes the body as the text of a plan: the tournament's name becomes the title, and the
   configuration gets a name. The start time is not part of a plan. */
static void translate(const JsonObject *body, Buffer *to) {
    const Json *json = &body->json;
    bool first = true;
    buffer_char(to, '{');
    for (uint32_t key = 1; key < json->nodes[0].next;) {
        uint32_t value = json->nodes[key].next;
        Slice name = json->nodes[key].text;
        if (slice_equals(name, "starts")) {
            key = json->nodes[value].next;
            continue;
        }
        if (!first)
            buffer_char(to, ',');
        first = false;
        json_string(to, slice_equals(name, "name") ? slice_of("title") : name);
        buffer_char(to, ':');
        if (slice_equals(name, "config")) {
            buffer_text(to, "{\"name\":\"config\",\"text\":");
            key = put_value(json, value, to);
            buffer_char(to, '}');
        } else {
            key = put_value(json, value, to);
        }
    }
    buffer_char(to, '}');
}

/* "generate:SEED[:SIZE]" */
static bool generate_map(const Plan *plan, PlanFile *map, uint32_t players, Error *error) {
    Slice rest = slice_of(map->name);
    int64_t seed;
    int64_t size = 0;
    bool good = slice_skip(&rest, "generate:");
    const char *colon = good ? memchr(rest.at, ':', rest.length) : NULL;
    Slice number = {rest.at, colon ? (size_t)(colon - rest.at) : rest.length};
    if (!good || !slice_int(number, &seed) || seed < 0 ||
        (colon && (!slice_int(slice_of(colon + 1), &size) || size < 0 || size > UINT32_MAX)))
        return error_set(error, "invalid generated map; use generate:SEED or generate:SEED:SIZE");
    if (!plan->game->generate)
        return error_set(error, "%s has no map generator", plan->game->title);
    Buffer text = {0};
    good = plan->game->generate(players, (uint64_t)seed, (uint32_t)size, &text, error);
    buffer_string(&text);
    map->text = text.data;
    return good;
}

static bool find_map(const Plan *plan, PlanFile *map, uint32_t players, Error *error) {
    if (!map->name[0] || strlen(map->name) >= STORE_LABEL_SIZE)
        return error_set(error, "the name of a map must have 1 to %d bytes", STORE_LABEL_SIZE - 1);
    if (!store_text_check("the name of the map", slice_of(map->name), error))
        return false;
    if (map->text)
        return true;
    if (strncmp(map->name, "generate", 8) == 0)
        return generate_map(plan, map, players, error);
    const GameMap *standard = game_find_map(plan->game, slice_of(map->name), error);
    if (!standard)
        return false;
    map->text = xstrdup(standard->text);
    return true;
}

static bool complete(Plan *plan, Error *error) {
    uint32_t players = plan_players(plan);
    if (plan->map_count > TOURNAMENT_MAPS_MAX)
        return error_set(error, "a tournament has at most %d maps", TOURNAMENT_MAPS_MAX) ||
               error_about(error, "maps");
    for (uint32_t i = 0; i < plan->map_count; i++)
        if (!find_map(plan, &plan->maps[i], players, error))
            return error_about(error, "maps");
    if (plan->format == FORMAT_LADDER && !plan->rounds && !(plan->error > 0))
        return error_set(error, "a ladder needs a number of rounds or a target error, or it would "
                                "never end") ||
               error_about(error, "rounds");
    if (!plan->seed_given) {
        if (getrandom(&plan->seed, sizeof plan->seed, 0) != sizeof plan->seed)
            return error_set(error, "cannot get random numbers from the system");
        plan->seed >>= 11; /* so that JSON readers with doubles keep it exact */
    }
    return plan_settle(plan, error);
}

bool tournament_plan_read(Plan *plan, const JsonObject *body, Error *error) {
    static const char *const known[] = {
        "name",   "game",        "format",    "rounds",    "games",     "players",    "maps",
        "config", "challengers", "error",     "seed",      "turn_time", "start_time", "ponder",
        "limits", "starts",      "speed_min", "speed_max", NULL};
    static const char *const needed[] = {"name", "game", "format"};
    uint32_t node;
    char name[STORE_LABEL_SIZE];
    *plan = (Plan){0};
    if (!json_object_allow_only(body, 0, known, error) ||
        !json_object_required_text(body, "name", name, sizeof name, error) ||
        !json_object_member(body, 0, "config", JSON_STRING, &node, error))
        return false;
    if (!store_text_check("the name of the tournament", slice_of(name), error))
        return error_about(error, "name");
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        if (!json_object_member(body, 0, needed[i], JSON_STRING, &node, error))
            return false;
        if (node == JSON_NONE)
            return json_object_missing(body, 0, needed[i], error);
    }
    Buffer text = {0};
    translate(body, &text);
    bool good = plan_read(plan, "body", (Slice){text.data, text.length}, error);
    buffer_free(&text);
    return good && complete(plan, error);
}

/* "2026-11-20T18:00:00Z", with optional fractions of a second and any offset. */
static bool read_time(Slice text, int64_t *milliseconds) {
    char copy[40];
    struct tm parts = {0};
    if (text.length >= sizeof copy || memchr(text.at, '\0', text.length))
        return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    const char *rest = strptime(copy, "%Y-%m-%dT%H:%M:%S", &parts);
    if (!rest || strcspn(copy, "T") != 10)
        return false;
    int64_t fraction = 0; /* in milliseconds */
    if (*rest == '.') {
        size_t digits = strspn(++rest, "0123456789");
        if (!digits)
            return false;
        for (size_t i = 0; i < 3; i++)
            fraction = fraction * 10 + (i < digits ? rest[i] - '0' : 0);
        rest += digits;
    }
    int64_t offset = 0;
    if (*rest == '+' || *rest == '-') {
        struct tm zone = {0};
        const char *end = strptime(rest + 1, "%H:%M", &zone);
        if (!end)
            return false;
        offset = (zone.tm_hour * INT64_C(60) + zone.tm_min) * (*rest == '-' ? -60 : 60);
        rest = end;
    } else if (*rest == 'Z') {
        rest++;
    } else {
        return false;
    }
    *milliseconds = (timegm(&parts) - offset) * 1000 + fraction;
    return !*rest;
}

bool tournament_starts_read(const JsonObject *body, int64_t now, int64_t *starts, Error *error) {
    uint32_t node = json_member(&body->json, 0, "starts");
    if (node == JSON_NONE)
        return true;
    int64_t time = 0;
    if (body->json.nodes[node].kind == JSON_NULL) {
        *starts = 0;
        return true;
    }
    if (body->json.nodes[node].kind != JSON_STRING ||
        !read_time(body->json.nodes[node].text, &time))
        return json_object_error(body, node, error,
                                 "\"starts\" must be null or a time such as "
                                 "\"2026-11-20T18:00:00Z\"");
    if (time <= now || time > now + START_DAYS_MAX * INT64_C(86400000))
        return json_object_error(body, node, error,
                                 "\"starts\" must be in the future, at most %d days from now",
                                 START_DAYS_MAX);
    *starts = time;
    return true;
}

/* ---- writing ---- */

static void number_or_null(JsonOut *out, const char *key, uint64_t value) {
    if (value)
        json_out_uint(out, key, value);
    else
        json_out_null(out, key);
}

void tournament_plan_write(const Plan *plan, JsonOut *out) {
    json_out_uint(out, "players", plan->players);
    json_out_uint(out, "games", plan->games);
    json_out_uint(out, "matches_per_meeting", (uint64_t)plan->games * plan->players);
    number_or_null(out, "rounds", plan->rounds);
    number_or_null(out, "challengers", plan->challengers);
    if (plan->error > 0)
        json_out_double(out, "error", plan->error);
    else
        json_out_null(out, "error");
    json_out_uint(out, "seed", plan->seed);
    number_or_null(out, "turn_time", plan->overrides.turn_ms);
    number_or_null(out, "start_time", plan->overrides.start_ms);
    number_or_null(out, "speed_min", plan->speed_min);
    number_or_null(out, "speed_max", plan->speed_max);
    json_out_bool(out, "ponder", plan->overrides.ponder);
    json_open(out, "limits", '{');
    for (LimitKind limit = 0; limit < LIMITS; limit++)
        if (plan->overrides.limits[limit])
            json_out_uint(out, limit_name(limit), plan->overrides.limits[limit]);
    json_close(out, '}');
    json_open(out, "maps", '[');
    for (uint32_t i = 0; i < plan->map_count; i++)
        json_out_text(out, NULL, plan->maps[i].name);
    json_close(out, ']');
    if (plan->config.text)
        json_out_text(out, "config", plan->config.text);
    else
        json_out_null(out, "config");
}
