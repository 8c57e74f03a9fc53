/* See queued_match.h. */
#include "arena/play/queued_match.h"

#include "base/json_object.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

void queued_match_free(QueuedMatch *setup) {
    free(setup->config.name);
    free(setup->config.text);
    free(setup->map.name);
    free(setup->map.text);
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++) {
        free(setup->seats[i].language);
        free(setup->seats[i].source);
        free(setup->seats[i].archive);
    }
    *setup = (QueuedMatch){0};
}

/* ---- as JSON ---- */

void queued_match_write(const QueuedMatch *setup, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    plan_write_file(&out, "config", &setup->config);
    plan_write_file(&out, "map", &setup->map);
    plan_write_number(&out, "turn_time", setup->overrides.turn_ms);
    plan_write_number(&out, "start_time", setup->overrides.start_ms);
    json_out_bool(&out, "ponder", setup->overrides.ponder);
    json_open(&out, "limits", '{');
    for (LimitKind limit = 0; limit < LIMITS; limit++)
        plan_write_number(&out, limit_name(limit), setup->overrides.limits[limit]);
    json_close(&out, '}');
    json_open(&out, "seats", '[');
    for (uint32_t i = 0; i < setup->players; i++) {
        const QueuedSeat *seat = &setup->seats[i];
        json_open(&out, NULL, '{');
        if (seat->language) {
            json_out_text(&out, "language", seat->language);
            json_out_text(&out, "source", seat->source ? seat->source : "");
        }
        if (seat->archive)
            json_out_text(&out, "archive", seat->archive);
        if (seat->remote)
            json_out_bool(&out, "remote", true);
        plan_write_number(&out, "person_time", seat->person_ms);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    plan_write_number(&out, "from_match", setup->from_match);
    plan_write_number(&out, "from_turn", setup->from_turn);
    json_close(&out, '}');
}

static bool read_text(const JsonObject *config, uint32_t object, const char *field, char **to,
                      Error *error) {
    uint32_t node;
    if (!json_object_member(config, object, field, JSON_STRING, &node, error))
        return false;
    if (node != JSON_NONE)
        *to = slice_copy(config->json.nodes[node].text);
    return true;
}

static bool read_file(const JsonObject *config, const char *field, PlanFile *file, Error *error) {
    uint32_t object;
    if (!json_object_member(config, 0, field, JSON_OBJECT, &object, error))
        return false;
    if (object == JSON_NONE)
        return true;
    return read_text(config, object, "name", &file->name, error) &&
           read_text(config, object, "text", &file->text, error) &&
           ((file->name && file->text) ||
            json_object_error(config, object, error, "\"%s\" needs a name and a text", field));
}

static bool read_overrides(const JsonObject *config, MatchOverrides *overrides, Error *error) {
    int64_t turn = 0;
    int64_t start = 0;
    uint32_t limits;
    if (!json_object_int(config, 0, "turn_time", 1, 3600000, &turn, error) ||
        !json_object_int(config, 0, "start_time", 1, 3600000, &start, error) ||
        !json_object_bool(config, 0, "ponder", &overrides->ponder, error) ||
        !json_object_member(config, 0, "limits", JSON_OBJECT, &limits, error))
        return false;
    overrides->turn_ms = (uint32_t)turn;
    overrides->start_ms = (uint32_t)start;
    for (LimitKind limit = 0; limits != JSON_NONE && limit < LIMITS; limit++) {
        int64_t value = 0;
        if (!json_object_int(config, limits, limit_name(limit), 1, (int64_t)limit_most(limit),
                             &value, error))
            return false;
        overrides->limits[limit] = (uint64_t)value;
    }
    return true;
}

static bool read_seats(const JsonObject *config, QueuedMatch *setup, Error *error) {
    uint32_t list;
    if (!json_object_member(config, 0, "seats", JSON_ARRAY, &list, error))
        return false;
    const JsonNode *nodes = config->json.nodes;
    if (list == JSON_NONE || nodes[list].count < 1 || nodes[list].count > GAME_PLAYERS_MAX)
        return json_object_error(config, 0, error, "a match needs 1 to %d seats", GAME_PLAYERS_MAX);
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        QueuedSeat *seat = &setup->seats[setup->players++];
        int64_t person = 0;
        if (nodes[node].kind != JSON_OBJECT)
            return json_object_error(config, node, error, "expected an object for a seat");
        if (!read_text(config, node, "language", &seat->language, error) ||
            !read_text(config, node, "source", &seat->source, error) ||
            !read_text(config, node, "archive", &seat->archive, error) ||
            !json_object_bool(config, node, "remote", &seat->remote, error) ||
            !json_object_int(config, node, "person_time", 1, 3600000, &person, error))
            return false;
        seat->person_ms = (uint32_t)person;
    }
    return true;
}

static bool read_from(const JsonObject *config, QueuedMatch *setup, Error *error) {
    int64_t match = 0;
    int64_t turn = 0;
    if (!json_object_int(config, 0, "from_match", 1, INT64_MAX, &match, error) ||
        !json_object_int(config, 0, "from_turn", 1, UINT32_MAX, &turn, error))
        return false;
    setup->from_match = (uint64_t)match;
    setup->from_turn = (uint32_t)turn;
    return true;
}

bool queued_match_read(QueuedMatch *setup, Slice text, Error *error) {
    JsonObject config;
    *setup = (QueuedMatch){0};
    bool good = json_object_parse(&config, "spec", text, error) &&
                read_file(&config, "config", &setup->config, error) &&
                read_file(&config, "map", &setup->map, error) &&
                read_overrides(&config, &setup->overrides, error) &&
                read_seats(&config, setup, error) && read_from(&config, setup, error);
    json_object_free(&config);
    return good;
}

/* ---- choosing map and configuration ---- */

/* A part of generate:SEED:SIZE, up to the next colon. */
static bool read_part(Slice *rest, const char *what, int64_t low, int64_t high, int64_t *value,
                      Error *error) {
    if (!rest->length)
        return true;
    if (!slice_skip(rest, ":"))
        return error_set(error, "invalid generated map; use generate, generate:SEED or "
                                "generate:SEED:SIZE");
    Slice part = {rest->at, 0};
    while (rest->length && *rest->at != ':') {
        part.length++;
        rest->at++;
        rest->length--;
    }
    return (slice_int(part, value) && *value >= low && *value <= high) ||
           error_set(error, "%s must be a whole number from %lld to %lld", what, (long long)low,
                     (long long)high);
}

static bool generate(const Game *game, const char *map, uint32_t players, uint64_t seed,
                     PlanFile *file, Error *error) {
    Slice rest = slice_of(map);
    int64_t map_seed = (int64_t)(seed >> 11);
    int64_t size = 0;
    slice_skip(&rest, "generate");
    if (!game->generate)
        return error_set(error, "%s has no map generator", game->name);
    if (!read_part(&rest, "the map's seed", 0, INT64_MAX, &map_seed, error) ||
        !read_part(&rest, "the map's size", 1, 10000, &size, error))
        return false;
    if (rest.length)
        return error_set(error, "a generated map takes only a seed and a size");
    Buffer text = {0};
    bool good = game->generate(players, (uint64_t)map_seed, (uint32_t)size, &text, error);
    if (good) {
        Buffer name = {0};
        buffer_format(&name, "generate:%lld", (long long)map_seed);
        if (size)
            buffer_format(&name, ":%lld", (long long)size);
        *file =
            (PlanFile){xstrdup(buffer_string(&name)), slice_copy((Slice){text.data, text.length})};
        buffer_free(&name);
    }
    buffer_free(&text);
    return good;
}

static bool choose_map(const Game *game, const char *map, uint32_t players, uint64_t seed,
                       PlanFile *file, Error *error) {
    if (map && strncmp(map, "generate", 8) == 0)
        return generate(game, map, players, seed, file, error);
    const GameMap *standard =
        map ? game_find_map(game, slice_of(map), error) : game_default_map(game, players);
    if (!standard)
        return !map; /* some games have no default map */
    *file = (PlanFile){xstrdup(standard->name), xstrdup(standard->text)};
    return true;
}

static bool try_setup(const QueuedMatch *setup, const Game *game, Error *error) {
    GameFile config = {setup->config.name,
                       setup->config.name ? slice_of(setup->config.text) : (Slice){0}};
    GameFile map = {setup->map.name, setup->map.name ? slice_of(setup->map.text) : (Slice){0}};
    GameSetup *made = game->setup(&config, &map, setup->players, error);
    if (made)
        game->setup_free(made);
    return made != NULL;
}

bool queued_match_choose(QueuedMatch *setup, const Game *game, const char *map, const char *config,
                         uint32_t players, uint64_t seed, Error *error) {
    setup->players = players;
    if (!game_takes(game, players, error))
        return false;
    if (config)
        setup->config = (PlanFile){xstrdup("config"), xstrdup(config)};
    if (!choose_map(game, map, players, seed, &setup->map, error))
        return false;
    if (try_setup(setup, game, error))
        return true;
    if (map || !config || !setup->map.name)
        return false;
    /* A configuration with its own map accepts no other. */
    free(setup->map.name);
    free(setup->map.text);
    setup->map = (PlanFile){0};
    return try_setup(setup, game, error);
}
