/* See results_reader.h. */
#include "league/results_reader.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* More than three years, in milliseconds: no match takes longer. */
static const double MS_MAX = 1e11;

void results_reader_free(ResultsReader *results_reader) {
    for (uint32_t i = 0; i < results_reader->bots; i++)
        free(results_reader->names[i]);
    free(results_reader->names);
    free(results_reader->slots);
    json_free(&results_reader->json);
    *results_reader = (ResultsReader){0};
}

/* ---- names ---- */

/* Fails with a message in which the untrusted text is escaped. */
static bool refuse(Error *error, const char *before, Slice text, const char *after) {
    Buffer shown = {0};
    utf8_show(&shown, text, 40);
    error_set(error, "%s\"%s\"%s", before, buffer_string(&shown), after);
    buffer_free(&shown);
    return false;
}

static uint32_t *find_slot(const ResultsReader *results_reader, uint32_t *slots, size_t count,
                           Slice name) {
    size_t at = hash64(name.at, name.length) & (count - 1);
    while (slots[at] && !slice_equals(name, results_reader->names[slots[at] - 1]))
        at = (at + 1) & (count - 1);
    return &slots[at];
}

/* Makes room for one more name; at most half of the slots are taken. */
static void grow(ResultsReader *results_reader) {
    if (results_reader->bots * 2ULL < results_reader->slot_count)
        return;
    size_t count = results_reader->slot_count ? results_reader->slot_count * 2 : 64;
    char **names = xreallocarray(results_reader->names, count / 2, sizeof *names);
    uint32_t *slots = xcalloc(count, sizeof *slots);
    results_reader->names = names;
    for (uint32_t i = 0; i < results_reader->bots; i++)
        *find_slot(results_reader, slots, count, slice_of(names[i])) = i + 1;
    free(results_reader->slots);
    results_reader->slots = slots;
    results_reader->slot_count = count;
}

static bool number_of(ResultsReader *results_reader, Slice name, uint32_t *bot, Error *error) {
    if (!name.length)
        return error_set(error, "a bot without a name");
    if (memchr(name.at, '\0', name.length))
        return error_set(error, "a name must not contain a zero byte");
    grow(results_reader);
    uint32_t *slot =
        find_slot(results_reader, results_reader->slots, results_reader->slot_count, name);
    if (!*slot) {
        if (results_reader->bots == RESULTS_READER_BOTS_MAX)
            return error_set(error, "more than %d bots", RESULTS_READER_BOTS_MAX);
        results_reader->names[results_reader->bots++] = slice_copy(name);
        *slot = results_reader->bots;
    }
    *bot = *slot - 1;
    return true;
}

/* Adds a player to the match. */
static bool add_seat(ResultsReader *results_reader, PlayedMatch *match, Slice name, uint32_t rank,
                     Error *error) {
    if (match->players == GAME_PLAYERS_MAX)
        return error_set(error, "more than %d bots in one match", GAME_PLAYERS_MAX);
    PlayedSeat *seat = &match->seats[match->players];
    *seat = (PlayedSeat){.rank = rank};
    if (!number_of(results_reader, name, &seat->bot, error))
        return false;
    for (uint32_t i = 0; i < match->players; i++)
        if (match->seats[i].bot == seat->bot)
            return refuse(error, "", name, " is in one match twice; bots need different names");
    match->players++;
    return true;
}

/* ---- text ---- */

static void skip_blanks(Slice *rest) {
    while (rest->length && (*rest->at == ' ' || *rest->at == '\t'))
        *rest = (Slice){rest->at + 1, rest->length - 1};
}

/* Reads a name, either quoted or up to one of > = * or the end of the line. */
static bool take_name(ResultsReader *results_reader, Slice *rest, Slice *name, Error *error) {
    skip_blanks(rest);
    bool quoted = rest->length && *rest->at == '"';
    size_t length = 0;
    while (length < rest->length &&
           (quoted ? length == 0 || rest->at[length] != '"'
                   : !strchr(">=*", rest->at[length]) || !rest->at[length]))
        length += quoted && rest->at[length] == '\\' && length + 1 < rest->length ? 2 : 1;
    if (quoted && length < rest->length)
        length++;
    Slice text = {rest->at, length};
    *rest = (Slice){rest->at + length, rest->length - length};
    *name = slice_trim(text);
    if (!quoted)
        return name->length || error_set(error, "a bot's name was expected %s",
                                         rest->length ? "before >, = or *" : "at the end");
    if (!json_parse(&results_reader->json, text, NULL))
        return refuse(error, "", text, " is not a quoted name as in JSON");
    *name = results_reader->json.nodes[0].text;
    return true;
}

static bool read_times(Slice rest, uint64_t *times, Error *error) {
    int64_t value = 0;
    rest = slice_trim(rest);
    if (!slice_int(rest, &value) || value < 1 || value > RESULTS_READER_TIMES_MAX)
        return error_set(error, "* must be followed by how often the match counts, 1 to %d",
                         RESULTS_READER_TIMES_MAX);
    *times = (uint64_t)value;
    return true;
}

static bool read_text(ResultsReader *results_reader, Slice rest, PlayedMatch *match,
                      uint64_t *times, Error *error) {
    uint32_t rank = 1;
    for (;;) {
        Slice name;
        if (!take_name(results_reader, &rest, &name, error) ||
            !add_seat(results_reader, match, name, rank, error))
            return false;
        skip_blanks(&rest);
        if (!rest.length)
            return true;
        char sign = *rest.at;
        rest = (Slice){rest.at + 1, rest.length - 1};
        if (sign == '*')
            return read_times(rest, times, error);
        if (sign != '>' && sign != '=')
            return error_set(error, "> or = was expected after a quoted name");
        rank = sign == '>' ? match->players + 1 : rank;
    }
}

/* ---- JSON ---- */

static bool read_count(const Json *json, uint32_t object, const char *key, uint64_t most,
                       uint64_t *value, Error *error) {
    uint32_t node = json_member(json, object, key);
    if (node == JSON_NONE || json->nodes[node].kind == JSON_NULL)
        return true;
    return (json_uint64(json, node, value) && *value <= most) ||
           error_set(error, "\"%s\" must be a non-negative integer, not %s", key,
                     json_kind_name(json, node));
}

static bool read_ms(const Json *json, uint32_t object, const char *key, int64_t *nanoseconds,
                    Error *error) {
    uint32_t node = json_member(json, object, key);
    double ms = 0;
    if (node != JSON_NONE && (!json_number(json, node, &ms) || !(ms >= 0 && ms <= MS_MAX)))
        return error_set(error, "\"%s\" must be a time in milliseconds", key);
    *nanoseconds = (int64_t)(ms * 1e6);
    return true;
}

static bool read_status(const Json *json, uint32_t object, PlayerStatus *status, Error *error) {
    uint32_t node = json_member(json, object, "status");
    if (node == JSON_NONE)
        return true;
    for (int i = 0; i < STATUSES; i++)
        if (json->nodes[node].kind == JSON_STRING &&
            slice_equals(json->nodes[node].text, status_name((PlayerStatus)i))) {
            *status = (PlayerStatus)i;
            return true;
        }
    return error_set(error, "\"status\" is not a known player status");
}

static bool read_player(ResultsReader *results_reader, uint32_t player, PlayedMatch *match,
                        Error *error) {
    const Json *json = &results_reader->json;
    if (json->nodes[player].kind != JSON_OBJECT)
        return error_set(error, "each of \"players\" must be an object, not %s",
                         json_kind_name(json, player));
    uint32_t name = json_member(json, player, "name");
    uint64_t rank = 0;
    if (name == JSON_NONE || json->nodes[name].kind != JSON_STRING)
        return error_set(error, "each of \"players\" must have a \"name\", a string");
    if (!read_count(json, player, "rank", UINT32_MAX, &rank, error))
        return false;
    if (rank == 0)
        return error_set(error, "each of \"players\" must have a \"rank\"; 1 is best");
    if (!add_seat(results_reader, match, json->nodes[name].text, (uint32_t)rank, error))
        return false;
    PlayedSeat *seat = &match->seats[match->players - 1];
    uint64_t timeouts = 0;
    uint64_t graces = 0;
    bool good = read_count(json, player, "refused", UINT32_MAX, &seat->refused, error) &&
                read_count(json, player, "timeouts", UINT32_MAX, &timeouts, error) &&
                read_count(json, player, "graces", UINT32_MAX, &graces, error) &&
                read_ms(json, player, "wall_total_ms", &seat->wall, error) &&
                read_ms(json, player, "wall_longest_ms", &seat->wall_longest, error) &&
                read_ms(json, player, "cpu_total_ms", &seat->cpu, error) &&
                read_status(json, player, &seat->status, error);
    seat->timeouts = (uint32_t)timeouts;
    seat->graces = (uint32_t)graces;
    return good;
}

static bool read_object(ResultsReader *results_reader, Slice line, PlayedMatch *match,
                        Error *error) {
    Json *json = &results_reader->json;
    Error reason;
    if (!json_parse(json, line, &reason)) {
        /* Remove the line number: the caller names the line, and here it is always the first. */
        Slice sentence = slice_of(reason.text);
        slice_skip(&sentence, "line 1, ");
        return error_set(error, "%s", sentence.at);
    }
    uint32_t players = json_member(json, 0, "players");
    if (players == JSON_NONE || json->nodes[players].kind != JSON_ARRAY)
        return error_set(error, "an object needs \"players\", an array of objects with \"name\" "
                                "and \"rank\"");
    uint64_t turns = 0;
    if (!read_count(json, 0, "turns", UINT32_MAX, &turns, error))
        return false;
    match->turns = (uint32_t)turns;
    for (uint32_t node = players + 1; node < json->nodes[players].next;
         node = json->nodes[node].next)
        if (!read_player(results_reader, node, match, error))
            return false;
    return true;
}

/* ---- a line ---- */

bool results_reader_read(ResultsReader *results_reader, Slice line, PlayedMatch *match,
                         uint64_t *times, Error *error) {
    line = slice_trim(line);
    match->players = 0;
    match->turns = 0;
    *times = 1;
    if (!line.length || *line.at == '#')
        return true;
    bool good = *line.at == '{' ? read_object(results_reader, line, match, error)
                                : read_text(results_reader, line, match, times, error);
    if (good && match->players < 2)
        return error_set(error, "a match needs at least two bots, as in: alice > bob");
    return good;
}
