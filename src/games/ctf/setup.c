/* Sets up a match of Capture the flag: reads the rules line and the map. */
#include "base/memory.h"
#include "base/nearest_name.h"
#include "games/ctf/ctf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- the rules line ---- */

enum { RULE_ROUNDS, RULE_SOLDIERS, RULE_KILL, RULE_CAPTURE, RULE_RANGE, RULE_COOLDOWN, RULES };

static const struct {
    const char *name;
    int64_t low;
    int64_t high;
    int64_t standard;
} rule_fields[RULES] = {
    [RULE_ROUNDS] = {"nRounds", 1, 100000, 100},
    [RULE_SOLDIERS] = {"nSoldiers", 1, CTF_TEAM_MAX, 3},
    [RULE_KILL] = {"pointsKill", -1000000, 1000000, 1},
    [RULE_CAPTURE] = {"pointsCapture", -1000000, 1000000, 100},
    [RULE_RANGE] = {"grenadeRange", 0, 1000, 10},
    [RULE_COOLDOWN] = {"grenadeCooldown", 0, 10000, 8},
};
#define RULE_NAMES "nRounds, nSoldiers, pointsKill, pointsCapture, grenadeRange and grenadeCooldown"

/* A parser of the rules line. */
typedef struct RuleLine {
    const char *file;
    Slice text;
    Slice token; /* the current one; empty at the end of the line */
    Error *error;
} RuleLine;

static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || c == '.';
}

/* Advances to the next token: a name, a number or a single character. */
static void next_token(RuleLine *line) {
    const char *end = line->text.at + line->text.length;
    const char *at = line->token.at + line->token.length;
    while (at < end && (*at == ' ' || *at == '\t'))
        at++;
    size_t length = 0;
    while (at + length < end && is_word(at[length]))
        length++;
    line->token = (Slice){at, length || at == end ? length : 1};
}

/* Fails at the current token; the arguments describe what was expected instead. */
static bool refuse_token(const RuleLine *line, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

static bool refuse_token(const RuleLine *line, const char *format, ...) {
    Error wanted;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(wanted.text, sizeof wanted.text, format, arguments);
    va_end(arguments);
    size_t column = (size_t)(line->token.at - line->text.at) + 1;
    if (!line->token.length)
        return error_set(line->error, "%s:1:%zu: %s, not the end of the line", line->file, column,
                         wanted.text);
    return error_set(line->error, "%s:1:%zu: %s, not \"%.*s\"", line->file, column, wanted.text,
                     SLICE_ARGS(line->token));
}

static bool skip_token(RuleLine *line, const char *text, const char *where) {
    if (!slice_equals(line->token, text))
        return refuse_token(line, "expected \"%s\" %s", text, where);
    next_token(line);
    return true;
}

/* Reads one `name = number`. */
static bool read_rule(RuleLine *line, int64_t *values, bool *given) {
    const char *names[RULES + 1] = {NULL};
    uint32_t field = 0;
    for (uint32_t i = 0; i < RULES; i++)
        names[i] = rule_fields[i].name;
    while (field < RULES && !slice_equals(line->token, names[field]))
        field++;
    if (field == RULES && nearest_name(line->token, names))
        return unknown_name("field", line->token, names, line->error) ||
               error_prefix(line->error, "%s:1:%zu", line->file,
                            (size_t)(line->token.at - line->text.at) + 1);
    if (field == RULES)
        return refuse_token(line, "expected one of " RULE_NAMES);
    const char *name = rule_fields[field].name;
    if (given[field])
        return error_set(line->error, "%s:1:%zu: \"%s\" is set twice", line->file,
                         (size_t)(line->token.at - line->text.at) + 1, name);
    given[field] = true;
    next_token(line);
    if (!skip_token(line, "=", "after the name of a field"))
        return false;
    int64_t value = 0;
    if (!slice_int(line->token, &value) || value < rule_fields[field].low ||
        value > rule_fields[field].high)
        return refuse_token(line, "\"%s\" must be a whole number from %" PRId64 " to %" PRId64,
                            name, rule_fields[field].low, rule_fields[field].high);
    values[field] = value;
    next_token(line);
    return true;
}

/* Reads `Rules { nRounds = 100, ... }`: every field once, in any order. */
static bool read_rules(const char *file, Slice text, int64_t *values, Error *error) {
    RuleLine line = {.file = file, .text = text, .token = {text.at, 0}, .error = error};
    bool given[RULES] = {false};
    next_token(&line);
    if (!skip_token(&line, "Rules", "at the start of the line of rules") ||
        !skip_token(&line, "{", "after \"Rules\"") || !read_rule(&line, values, given))
        return false;
    while (slice_equals(line.token, ",")) {
        next_token(&line);
        if (!read_rule(&line, values, given))
            return false;
    }
    if (!slice_equals(line.token, "}"))
        return refuse_token(&line, "expected \",\" or \"}\" after a field");
    next_token(&line);
    if (line.token.length)
        return refuse_token(&line, "expected the end of the line after the rules");
    for (uint32_t field = 0; field < RULES; field++)
        if (!given[field])
            return error_set(error, "%s:1: \"%s\" is missing; " RULE_NAMES " are all required",
                             file, rule_fields[field].name);
    return true;
}

/* ---- the map ---- */

/* Adds one row of the map to the setup and records the spawns and bases. `found` is the line of
   each, or 0 while it is missing. */
static bool read_row(CtfSetup *setup, const char *file, uint32_t line, Slice row, uint32_t *found,
                     Error *error) {
    static const char marks[] = "ABab";
    CtfSquare *const places[] = {&setup->spawn[0], &setup->spawn[1], &setup->base[0],
                                 &setup->base[1]};
    uint32_t y = setup->height;
    if (y == CTF_SIDE_MAX)
        return error_set(error, "%s:%u: a map has at most %d rows", file, line, CTF_SIDE_MAX);
    if (!row.length)
        return error_set(error, "%s:%u: empty line inside the map", file, line);
    if (row.length > CTF_SIDE_MAX)
        return error_set(error, "%s:%u: a row has at most %d squares, not %zu", file, line,
                         CTF_SIDE_MAX, row.length);
    if (y == 0)
        setup->width = (uint32_t)row.length;
    if (row.length != setup->width)
        return error_set(error, "%s:%u: the row has %zu squares; the first row has %u", file, line,
                         row.length, setup->width);
    for (uint32_t x = 0; x < setup->width; x++) {
        char tile = row.at[x];
        setup->tiles[y * setup->width + x] = tile;
        if (tile == '.' || tile == '#')
            continue;
        const char *mark = memchr(marks, tile, sizeof marks - 1);
        if (!mark)
            return error_set(error, "%s:%u:%u: a square must be one of . # A B a b, not \"%c\"",
                             file, line, x + 1, tile >= ' ' && tile < 127 ? tile : '?');
        if (found[mark - marks])
            return error_set(error, "%s:%u:%u: a second \"%c\"; the first is in line %u", file,
                             line, x + 1, tile, found[mark - marks]);
        found[mark - marks] = line;
        *places[mark - marks] = (CtfSquare){(uint8_t)x, (uint8_t)y};
    }
    setup->height++;
    return true;
}

static bool read_map(CtfSetup *setup, const char *file, uint32_t first_line, Slice text,
                     Error *error) {
    static const char *const marks[] = {"\"A\", the spawn of team A", "\"B\", the spawn of team B",
                                        "\"a\", the base of team A", "\"b\", the base of team B"};
    uint32_t found[4] = {0};
    uint32_t line = first_line;
    Slice row;
    if (slice_skip(&text, "Rules"))
        return error_set(error,
                         "%s:%u: a map has no line of rules; a file with one is a configuration",
                         file, line);
    for (; slice_line(&text, &row); line++)
        if (!read_row(setup, file, line, row, found, error))
            return false;
    for (uint32_t i = 0; i < 4; i++)
        if (!found[i])
            return error_set(error, "%s: the map has no %s", file, marks[i]);
    return true;
}

/* ---- both files ---- */

/* Removes empty lines at the end. */
static Slice without_empty_end(Slice text) {
    while (text.length && (text.at[text.length - 1] == '\n' || text.at[text.length - 1] == '\r'))
        text.length--;
    return text;
}

/* Fills the setup from both files. The configuration contains the rules and may contain the map;
   otherwise the map comes from the other file, or is the default map. */
static bool read_files(CtfSetup *setup, const GameFile *config, const GameFile *map, Error *error) {
    int64_t values[RULES];
    for (uint32_t field = 0; field < RULES; field++)
        values[field] = rule_fields[field].standard;
    const char *map_file = map->name ? map->name : ctf_maps[0].name;
    Slice map_text = without_empty_end(map->name ? map->text : slice_of(ctf_maps[0].text));
    uint32_t map_line = 1;
    if (config->name) {
        Slice rest = without_empty_end(config->text);
        Slice line = {"", 0};
        slice_line(&rest, &line);
        if (!read_rules(config->name, line, values, error))
            return false;
        if (rest.length && map->name)
            return error_set(error, "%s:2: the map is also set in %s; remove one of them",
                             config->name, map->name);
        if (rest.length) {
            map_file = config->name;
            map_text = rest;
            map_line = 2;
        }
    }
    setup->rules = (CtfRules){
        .rounds = (uint32_t)values[RULE_ROUNDS],
        .soldiers = (uint32_t)values[RULE_SOLDIERS],
        .points_kill = (int32_t)values[RULE_KILL],
        .points_capture = (int32_t)values[RULE_CAPTURE],
        .grenade_range = (int32_t)values[RULE_RANGE],
        .grenade_cooldown = (int32_t)values[RULE_COOLDOWN],
    };
    return read_map(setup, map_file, map_line, map_text, error);
}

GameSetup *ctf_setup(const GameFile *config, const GameFile *map, uint32_t players, Error *error) {
    if (!game_takes(&game_ctf, players, error))
        return NULL;
    CtfSetup *setup = xcalloc(1, sizeof *setup);
    if (!read_files(setup, config, map, error)) {
        free(setup);
        return NULL;
    }
    setup->head = (GameSetup){
        .game = &game_ctf,
        .players = 2,
        .turns_max = setup->rules.rounds,
        .state_size = sizeof(CtfState),
        .orders_size = sizeof(CtfOrders),
        .talk = game_ctf.talk,
    };
    return &setup->head;
}

void ctf_setup_free(GameSetup *setup) {
    free(setup);
}
