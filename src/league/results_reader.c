/* See results_reader.h. */
#include "league/results_reader.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/utf8.h"

#include <stdlib.h>
#include <string.h>

/* More than a year, in milliseconds: what is beyond is no time of a match. */
static const double MS_MAX = 1e11;

void ledger_free(Ledger *ledger) {
    for (uint32_t i = 0; i < ledger->bots; i++)
        free(ledger->names[i]);
    free(ledger->names);
    free(ledger->slots);
    json_free(&ledger->json);
    *ledger = (Ledger){0};
}

/* ---- names ---- */

/* Refuses with a sentence in which a stranger's text is harmless. */
static bool refuse(Error *error, const char *before, Slice text, const char *after) {
    Buffer shown = {0};
    utf8_show(&shown, text, 40);
    error_set(error, "%s\"%s\"%s", before, buffer_string(&shown), after);
    buffer_free(&shown);
    return false;
}

static uint32_t *find_slot(const Ledger *ledger, uint32_t *slots, size_t count, Slice name) {
    size_t at = hash64(name.at, name.length) & (count - 1);
    while (slots[at] && !slice_equals(name, ledger->names[slots[at] - 1]))
        at = (at + 1) & (count - 1);
    return &slots[at];
}

/* Room for one more, with at most half of the slots taken. */
static void grow(Ledger *ledger) {
    if (ledger->bots * 2ULL < ledger->slot_count)
        return;
    size_t count = ledger->slot_count ? ledger->slot_count * 2 : 64;
    char **names = xreallocarray(ledger->names, count / 2, sizeof *names);
    uint32_t *slots = xcalloc(count, sizeof *slots);
    ledger->names = names;
    for (uint32_t i = 0; i < ledger->bots; i++)
        *find_slot(ledger, slots, count, slice_of(names[i])) = i + 1;
    free(ledger->slots);
    ledger->slots = slots;
    ledger->slot_count = count;
}

static bool number_of(Ledger *ledger, Slice name, uint32_t *bot, Error *error) {
    if (!name.length)
        return error_set(error, "a bot without a name");
    if (memchr(name.at, '\0', name.length))
        return error_set(error, "a name must not hold a zero byte");
    grow(ledger);
    uint32_t *slot = find_slot(ledger, ledger->slots, ledger->slot_count, name);
    if (!*slot) {
        if (ledger->bots == LEDGER_BOTS_MAX)
            return error_set(error, "more than %d bots", LEDGER_BOTS_MAX);
        ledger->names[ledger->bots++] = slice_copy(name);
        *slot = ledger->bots;
    }
    *bot = *slot - 1;
    return true;
}

/* One more player. */
static bool add_seat(Ledger *ledger, PlayedMatch *match, Slice name, uint32_t rank, Error *error) {
    if (match->players == GAME_PLAYERS_MAX)
        return error_set(error, "more than %d bots in one match", GAME_PLAYERS_MAX);
    PlayedSeat *seat = &match->seats[match->players];
    *seat = (PlayedSeat){.rank = rank};
    if (!number_of(ledger, name, &seat->bot, error))
        return false;
    for (uint32_t i = 0; i < match->players; i++)
        if (match->seats[i].bot == seat->bot)
            return refuse(error, "", name, " stands in one match twice; bots need different names");
    match->players++;
    return true;
}

/* ---- text ---- */

static void skip_blanks(Slice *rest) {
    while (rest->length && (*rest->at == ' ' || *rest->at == '\t'))
        *rest = (Slice){rest->at + 1, rest->length - 1};
}

/* Takes a name off the front: in quotes, or up to one of > = * or the end. */
static bool take_name(Ledger *ledger, Slice *rest, Slice *name, Error *error) {
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
                                         rest->length ? "in front of >, = or *" : "at the end");
    if (!json_parse(&ledger->json, text, NULL))
        return refuse(error, "", text, " is no name in quotes as JSON has them");
    *name = ledger->json.nodes[0].text;
    return true;
}

static bool read_times(Slice rest, uint64_t *times, Error *error) {
    int64_t value = 0;
    rest = slice_trim(rest);
    if (!slice_int(rest, &value) || value < 1 || value > LEDGER_TIMES_MAX)
        return error_set(error, "* must be followed by how often the match counts, 1 to %d",
                         LEDGER_TIMES_MAX);
    *times = (uint64_t)value;
    return true;
}

static bool read_text(Ledger *ledger, Slice rest, PlayedMatch *match, uint64_t *times,
                      Error *error) {
    uint32_t rank = 1;
    for (;;) {
        Slice name;
        if (!take_name(ledger, &rest, &name, error) || !add_seat(ledger, match, name, rank, error))
            return false;
        skip_blanks(&rest);
        if (!rest.length)
            return true;
        char sign = *rest.at;
        rest = (Slice){rest.at + 1, rest.length - 1};
        if (sign == '*')
            return read_times(rest, times, error);
        if (sign != '>' && sign != '=')
            return error_set(error, "> or = was expected behind a name in quotes");
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
           error_set(error, "\"%s\" must be a whole number that is not negative, not %s", key,
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
    return error_set(error, "\"status\" is none that a player can have");
}

static bool read_player(Ledger *ledger, uint32_t player, PlayedMatch *match, Error *error) {
    const Json *json = &ledger->json;
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
    if (!add_seat(ledger, match, json->nodes[name].text, (uint32_t)rank, error))
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

static bool read_object(Ledger *ledger, Slice line, PlayedMatch *match, Error *error) {
    Json *json = &ledger->json;
    Error reason;
    if (!json_parse(json, line, &reason)) {
        /* The line is the caller's to tell; in here it always is the first. */
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
        if (!read_player(ledger, node, match, error))
            return false;
    return true;
}

/* ---- a line ---- */

bool ledger_line(Ledger *ledger, Slice line, PlayedMatch *match, uint64_t *times, Error *error) {
    line = slice_trim(line);
    match->players = 0;
    match->turns = 0;
    *times = 1;
    if (!line.length || *line.at == '#')
        return true;
    bool good = *line.at == '{' ? read_object(ledger, line, match, error)
                                : read_text(ledger, line, match, times, error);
    if (good && match->players < 2)
        return error_set(error, "a match needs at least two bots, as in: alice > bob");
    return good;
}
