/* See plan.h. */
#include "league/plan.h"

#include "base/buffer.h"
#include "base/json_object.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

/* ---- reading ---- */

/* Copies a member that is a string without NUL bytes to *to. If it is absent, *to stays
   unchanged. */
static bool read_text(const JsonObject *config, uint32_t object, const char *field, char **to,
                      Error *error) {
    uint32_t node;
    if (!json_object_member(config, object, field, JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    Slice text = config->json.nodes[node].text;
    if (memchr(text.length ? text.at : "", '\0', text.length))
        return json_object_error(config, node, error, "\"%s\" must not hold a NUL character",
                                 field);
    free(*to);
    *to = slice_copy(text);
    return true;
}

/* Reads "NAME", or {"name": "NAME", OTHER: "..."}. *other is the second part, or NULL for the short
   form. */
static bool read_pair(const JsonObject *config, uint32_t node, const char *other_field, char **name,
                      char **other, Error *error) {
    const JsonNode *found = &config->json.nodes[node];
    const char *const known[] = {"name", other_field, NULL};
    if (found->kind == JSON_STRING &&
        !memchr(found->text.length ? found->text.at : "", '\0', found->text.length)) {
        *name = slice_copy(found->text);
        return true;
    }
    if (found->kind != JSON_OBJECT)
        return json_object_error(
            config, node, error,
            "expected a string, or an object with \"name\" and \"%s\", found %s", other_field,
            json_kind_name(&config->json, node));
    if (!json_object_allow_only(config, node, known, error) ||
        !read_text(config, node, "name", name, error) ||
        !read_text(config, node, other_field, other, error))
        return false;
    return (*name && *other) ||
           json_object_error(config, node, error, "both \"name\" and \"%s\" are required",
                             other_field);
}

static bool read_bots(Plan *plan, const JsonObject *config, Error *error) {
    uint32_t list;
    if (!json_object_member(config, 0, "bots", JSON_ARRAY, &list, error))
        return false;
    if (list == JSON_NONE)
        return true;
    const JsonNode *nodes = config->json.nodes;
    if (nodes[list].count > PLAN_BOTS_MAX)
        return json_object_error(config, list, error, "at most %d bots are allowed, not %u",
                                 PLAN_BOTS_MAX, nodes[list].count);
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        char *name = NULL;
        char *bot = NULL;
        bool good = read_pair(config, node, "bot", &name, &bot, error);
        if (good && !slice_trim(slice_of(name)).length)
            good = json_object_error(config, node, error,
                                     "the name of a bot must have visible characters");
        if (good)
            plan_add_bot(plan, bot ? name : NULL, bot ? bot : name);
        free(name);
        free(bot);
        if (!good)
            return false;
    }
    return true;
}

static bool read_maps(Plan *plan, const JsonObject *config, Error *error) {
    uint32_t list;
    if (!json_object_member(config, 0, "maps", JSON_ARRAY, &list, error))
        return false;
    if (list == JSON_NONE)
        return true;
    const JsonNode *nodes = config->json.nodes;
    if (nodes[list].count > PLAN_MAPS_MAX)
        return json_object_error(config, list, error, "at most %d maps are allowed, not %u",
                                 PLAN_MAPS_MAX, nodes[list].count);
    for (uint32_t node = list + 1; node < nodes[list].next; node = nodes[node].next) {
        plan_add_map(plan, NULL);
        PlanFile *map = &plan->maps[plan->map_count - 1];
        if (!read_pair(config, node, "text", &map->name, &map->text, error))
            return false;
    }
    return true;
}

static bool read_game(Plan *plan, const JsonObject *config, Error *error) {
    uint32_t node;
    if (!json_object_member(config, 0, "game", JSON_STRING, &node, error))
        return false;
    if (node == JSON_NONE)
        return true;
    Error inner;
    plan->game = game_find(config->json.nodes[node].text, &inner);
    return plan->game || json_object_error(config, node, error, "%s", inner.text);
}

static bool read_format(Plan *plan, const JsonObject *config, Error *error) {
    char *name = NULL;
    Error reason;
    bool good = read_text(config, 0, "format", &name, error);
    if (good && name && !format_read(name, &plan->format, &reason))
        good = json_object_error(config, json_member(&config->json, 0, "format"), error, "%s",
                                 reason.text);
    free(name);
    return good;
}

static bool read_sandbox(Plan *plan, const JsonObject *config, Error *error) {
    uint32_t mode = plan->sandbox;
    bool good = json_object_choice(config, "sandbox", sandbox_mode_names, &mode, error);
    plan->sandbox = (SandboxMode)mode;
    return good;
}

static bool read_limits(Plan *plan, const JsonObject *config, Error *error) {
    uint32_t object;
    const char *known[LIMITS + 1] = {NULL};
    for (LimitKind limit = 0; limit < LIMITS; limit++)
        known[limit] = limit_name(limit);
    if (!json_object_member(config, 0, "limits", JSON_OBJECT, &object, error) ||
        (object != JSON_NONE && !json_object_allow_only(config, object, known, error)))
        return false;
    for (LimitKind limit = 0; object != JSON_NONE && limit < LIMITS; limit++) {
        int64_t value = 0;
        if (!json_object_int(config, object, limit_name(limit), 1, (int64_t)limit_most(limit),
                             &value, error))
            return false;
        plan->overrides.limits[limit] = (uint64_t)value;
    }
    return true;
}

static bool read_number(const JsonObject *config, const char *field, int64_t low, int64_t high,
                        uint32_t *to, Error *error) {
    int64_t value = *to;
    if (!json_object_int(config, 0, field, low, high, &value, error))
        return false;
    *to = (uint32_t)value;
    return true;
}

static bool read_seed_and_error(Plan *plan, const JsonObject *config, Error *error) {
    uint32_t node = json_member(&config->json, 0, "seed");
    plan->seed_given = node != JSON_NONE;
    if (plan->seed_given && !json_uint64(&config->json, node, &plan->seed))
        return json_object_error(config, node, error,
                                 "\"seed\" must be a whole number from 0 to 18446744073709551615");
    node = json_member(&config->json, 0, "error");
    if (node != JSON_NONE && (!json_number(&config->json, node, &plan->error) ||
                              !(plan->error >= 0 && plan->error <= 4000)))
        return json_object_error(config, node, error,
                                 "\"error\" must be a number of Elo points from 0 to 4000");
    return true;
}

static bool read_members(Plan *plan, const JsonObject *config, Error *error) {
    static const char *const known[] = {
        "title",     "game",       "format",    "bots",        "players", "maps",
        "config",    "games",      "rounds",    "challengers", "error",   "seed",
        "turn_time", "start_time", "ponder",    "limits",      "sandbox", "replays",
        "directory", "speed_min",  "speed_max", NULL};
    bool replays = true;
    uint32_t file = json_member(&config->json, 0, "config");
    if (!json_object_allow_only(config, 0, known, error) ||
        !read_text(config, 0, "title", &plan->title, error) ||
        !read_text(config, 0, "directory", &plan->directory, error) ||
        !read_game(plan, config, error) || !read_format(plan, config, error) ||
        !read_bots(plan, config, error) || !read_maps(plan, config, error) ||
        (file != JSON_NONE &&
         !read_pair(config, file, "text", &plan->config.name, &plan->config.text, error)) ||
        !read_number(config, "players", 2, GAME_PLAYERS_MAX, &plan->players, error) ||
        !read_number(config, "games", 1, 100000, &plan->games, error) ||
        !read_number(config, "rounds", 1, 1000000, &plan->rounds, error) ||
        !read_number(config, "challengers", 1, PLAN_BOTS_MAX, &plan->challengers, error) ||
        !read_number(config, "turn_time", 1, 3600000, &plan->overrides.turn_ms, error) ||
        !read_number(config, "start_time", 1, 3600000, &plan->overrides.start_ms, error) ||
        !json_object_bool(config, 0, "ponder", &plan->overrides.ponder, error) ||
        !json_object_bool(config, 0, "replays", &replays, error) ||
        !read_number(config, "speed_min", 1, PLAN_SPEED_MAX, &plan->speed_min, error) ||
        !read_number(config, "speed_max", 1, PLAN_SPEED_MAX, &plan->speed_max, error) ||
        !read_seed_and_error(plan, config, error) || !read_limits(plan, config, error) ||
        !read_sandbox(plan, config, error))
        return false;
    plan->no_replays = !replays;
    if (plan->speed_max && plan->speed_min > plan->speed_max)
        return error_set(error, "\"speed_min\" must not be greater than \"speed_max\"") ||
               error_about(error, "speed_min");
    return true;
}

bool plan_read(Plan *plan, const char *name, Slice text, Error *error) {
    JsonObject config;
    *plan = (Plan){.sandbox = SANDBOX_BEST_EFFORT};
    bool good = json_object_parse(&config, name, text, error) && read_members(plan, &config, error);
    json_object_free(&config);
    return good;
}

void plan_free(Plan *plan) {
    for (uint32_t i = 0; i < plan->bot_count; i++) {
        free(plan->bots[i].name);
        free(plan->bots[i].text);
    }
    plan_clear_maps(plan);
    free(plan->bots);
    free(plan->config.name);
    free(plan->config.text);
    free(plan->title);
    free(plan->directory);
    *plan = (Plan){0};
}

/* Makes room for one more item; doubles the size whenever the count is a power of two. */
static void *grown(void *list, uint32_t count, size_t size) {
    if (count & (count - 1))
        return list;
    return xreallocarray(list, count ? (size_t)count * 2 : 1, size);
}

void plan_add_bot(Plan *plan, const char *name, const char *text) {
    plan->bots = grown(plan->bots, plan->bot_count, sizeof *plan->bots);
    plan->bots[plan->bot_count++] = (PlanBot){
        .name = name ? xstrdup(name) : NULL,
        .text = xstrdup(text),
    };
}

void plan_add_map(Plan *plan, const char *name) {
    plan->maps = grown(plan->maps, plan->map_count, sizeof *plan->maps);
    plan->maps[plan->map_count++] = (PlanFile){.name = name ? xstrdup(name) : NULL};
}

void plan_clear_maps(Plan *plan) {
    for (uint32_t i = 0; i < plan->map_count; i++) {
        free(plan->maps[i].name);
        free(plan->maps[i].text);
    }
    free(plan->maps);
    plan->maps = NULL;
    plan->map_count = 0;
}

/* ---- defaults ---- */

/* Tries every map with the configuration. */
static bool check_maps(const Plan *plan, Error *error) {
    GameFile config = plan_config(plan);
    for (uint32_t i = 0; i == 0 || i < plan->map_count; i++) {
        GameFile map = plan_map(plan, i);
        GameSetup *setup = plan->game->setup(&config, &map, plan->players, error);
        if (!setup)
            return false;
        plan->game->setup_free(setup);
    }
    return true;
}

/* Rejects options that would have no effect. */
static bool check_format(const Plan *plan, Error *error) {
    const char *name = format_name(plan->format);
    if (plan->rounds && (plan->format == FORMAT_KNOCKOUT || plan->format == FORMAT_DOUBLE))
        return error_set(
                   error,
                   "the number of rounds of a %s cannot be set; it follows from the number of bots",
                   name) ||
               error_about(error, "rounds");
    if (plan->challengers && plan->format != FORMAT_GAUNTLET)
        return error_set(error, "challengers require the format gauntlet, not %s", name) ||
               error_about(error, "challengers");
    if (plan->error > 0 && plan->format != FORMAT_LADDER)
        return error_set(error, "a target error requires the format ladder, not %s", name) ||
               error_about(error, "error");
    return true;
}

static bool check_bots(const Plan *plan, Error *error) {
    for (uint32_t i = 0; i < plan->bot_count; i++)
        if (!slice_trim(slice_of(plan->bots[i].text)).length)
            return error_set(error, "bot %u is empty", i + 1);
    return true;
}

uint32_t plan_players(const Plan *plan) {
    return plan->players                 ? plan->players
           : plan->game->players_min > 2 ? plan->game->players_min
                                         : 2;
}

bool plan_settle(Plan *plan, Error *error) {
    if (!plan->game)
        return error_set(error, "no game given; `skirmish games` lists them");
    const Game *game = plan->game;
    if (!check_format(plan, error) || !check_bots(plan, error))
        return false;
    plan->players = plan_players(plan);
    if (!game_takes(game, plan->players, error))
        return error_about(error, "players");
    if (!plan->map_count) {
        /* Store the map's text, so that the tournament does not change with a later default. */
        const GameMap *standard = game_default_map(game, plan->players);
        if (standard) {
            plan_add_map(plan, standard->name);
            plan->maps[0].text = xstrdup(standard->text);
            if (!check_maps(plan, error) && plan->config.name) {
                /* A configuration with its own map rejects any other. */
                plan_clear_maps(plan);
            }
        }
    }
    if (!check_maps(plan, error))
        return error_about(error, plan->config.name ? "config" : "maps");
    if (!plan->games)
        plan->games = plan->map_count ? plan->map_count : 1;
    return true;
}

GameFile plan_config(const Plan *plan) {
    return plan->config.name ? (GameFile){plan->config.name, slice_of(plan->config.text)}
                             : (GameFile){0};
}

GameFile plan_map(const Plan *plan, uint32_t map) {
    return map < plan->map_count ? (GameFile){plan->maps[map].name, slice_of(plan->maps[map].text)}
                                 : (GameFile){0};
}

void plan_title(const Plan *plan, Buffer *to) {
    if (plan->title && *plan->title)
        buffer_text(to, plan->title);
    else
        buffer_format(to, "%s, %s", plan->game->title, format_name(plan->format));
}

ScheduleOptions plan_schedule(const Plan *plan) {
    return (ScheduleOptions){
        .format = plan->format,
        .bots = plan->bot_count,
        .players = plan->players,
        .seed = plan->seed,
        .rounds = plan->rounds,
        .challengers = plan->challengers,
        .error = plan->error,
    };
}

/* ---- writing ---- */

void plan_write_file(JsonOut *out, const char *key, const PlanFile *file) {
    if (!file->name)
        return;
    json_open(out, key, '{');
    json_out_text(out, "name", file->name);
    json_out_text(out, "text", file->text);
    json_close(out, '}');
}

static void write_bots(const Plan *plan, JsonOut *out) {
    json_open(out, "bots", '[');
    for (uint32_t i = 0; i < plan->bot_count; i++) {
        json_open(out, NULL, '{');
        json_out_text(out, "name", plan->bots[i].name);
        json_out_text(out, "bot", plan->bots[i].text);
        json_close(out, '}');
    }
    json_close(out, ']');
}

void plan_write_number(JsonOut *out, const char *key, uint64_t value) {
    if (value)
        json_out_uint(out, key, value);
}

void plan_write(const Plan *plan, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    if (plan->title)
        json_out_text(&out, "title", plan->title);
    json_out_text(&out, "game", plan->game->name);
    json_out_text(&out, "format", format_name(plan->format));
    write_bots(plan, &out);
    json_out_uint(&out, "players", plan->players);
    json_open(&out, "maps", '[');
    for (uint32_t i = 0; i < plan->map_count; i++)
        plan_write_file(&out, NULL, &plan->maps[i]);
    json_close(&out, ']');
    plan_write_file(&out, "config", &plan->config);
    plan_write_number(&out, "games", plan->games);
    plan_write_number(&out, "rounds", plan->rounds);
    plan_write_number(&out, "challengers", plan->challengers);
    if (plan->error > 0) {
        Buffer number = {0};
        json_double(&number, plan->error);
        json_out_raw(&out, "error", (Slice){number.data, number.length});
        buffer_free(&number);
    }
    json_out_uint(&out, "seed", plan->seed);
    plan_write_number(&out, "turn_time", plan->overrides.turn_ms);
    plan_write_number(&out, "start_time", plan->overrides.start_ms);
    plan_write_number(&out, "speed_min", plan->speed_min);
    plan_write_number(&out, "speed_max", plan->speed_max);
    json_out_bool(&out, "ponder", plan->overrides.ponder);
    json_open(&out, "limits", '{');
    for (LimitKind limit = 0; limit < LIMITS; limit++)
        plan_write_number(&out, limit_name(limit), plan->overrides.limits[limit]);
    json_close(&out, '}');
    json_out_text(&out, "sandbox", sandbox_mode_names[plan->sandbox]);
    json_out_bool(&out, "replays", !plan->no_replays);
    if (plan->directory)
        json_out_text(&out, "directory", plan->directory);
    json_close(&out, '}');
}
