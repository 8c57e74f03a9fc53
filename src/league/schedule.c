/* The list of formats, and the fixtures and results that all of them share. See schedule.h and
   formats.h. */
#include "league/schedule.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "league/formats.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const FormatRules *const formats[FORMATS] = {
    [FORMAT_ROUND_ROBIN] = &format_round_robin,
    [FORMAT_GAUNTLET] = &format_gauntlet,
    [FORMAT_SWISS] = &format_swiss,
    [FORMAT_KNOCKOUT] = &format_knockout,
    [FORMAT_DOUBLE] = &format_double,
    [FORMAT_LADDER] = &format_ladder,
};

#define FORMAT_NAME(name) name,
static const char *const format_names[FORMATS + 1] = {FORMAT_NAMES(FORMAT_NAME, )};

/* A fixture and its result, by number. A result may arrive before its fixture, because all results
   may be reported at once when a tournament is resumed. */
struct FixtureEntry {
    size_t bots; /* in the pool */
    FixtureResult *result;
    uint32_t round;
    uint16_t players; /* 0: no such fixture yet */
    bool done;
};

const char *format_name(Format format) {
    assert(format < FORMATS);
    return format_names[format];
}

bool format_read(const char *name, Format *format, Error *error) {
    uint32_t index = 0;
    if (!find_name("format", slice_of(name), format_names, &index, error))
        return false;
    *format = (Format)index;
    return true;
}

/* ---- helpers of the formats ---- */

void formats_shuffle(Random *random, uint32_t *numbers, uint32_t count) {
    for (uint32_t i = count; i > 1; i--) {
        uint32_t other = random_below(random, i);
        uint32_t number = numbers[i - 1];
        numbers[i - 1] = numbers[other];
        numbers[other] = number;
    }
}

bool schedule_fits(double fixtures, Error *error) {
    static const double countable = 1e15;
    if (fixtures <= FIXTURES_MAX)
        return true;
    return error_set(
        error,
        "that would be %s%.0f fixtures, more than the maximum of %u; choose fewer rounds "
        "or bots, or a Swiss or a ladder, which need far fewer",
        fixtures > countable ? "more than " : "", fmin(fixtures, countable),
        (unsigned)FIXTURES_MAX);
}

void result_points(const FixtureResult *result, uint32_t *points) {
    for (uint32_t m = 0; m < result->matches; m++) {
        const uint32_t *ranks = result->ranks + (size_t)m * result->players;
        for (uint32_t a = 0; a < result->players; a++)
            for (uint32_t b = 0; b < result->players; b++)
                if (a != b)
                    points[a] += ranks[a] < ranks[b] ? 2 : ranks[a] == ranks[b] ? 1 : 0;
    }
}

/* ---- fixtures and results ---- */

static FixtureEntry *entry_at(Schedule *schedule, uint32_t number) {
    if (number >= schedule->entries_capacity) {
        uint32_t capacity = schedule->entries_capacity;
        uint32_t wanted = number < UINT32_MAX / 2 ? (number + 1) * 2 : UINT32_MAX;
        schedule->entries = xreallocarray(schedule->entries, wanted, sizeof *schedule->entries);
        memset(schedule->entries + capacity, 0, (wanted - capacity) * sizeof *schedule->entries);
        schedule->entries_capacity = wanted;
    }
    return &schedule->entries[number];
}

void schedule_add(Schedule *schedule, uint32_t number, uint32_t round, uint32_t players,
                  const uint32_t *bots) {
    assert(players >= 2 && players <= GAME_PLAYERS_MAX);
    FixtureEntry *entry = entry_at(schedule, number);
    assert(entry->players == 0);
    if (schedule->pool_used + players > schedule->pool_capacity) {
        schedule->pool_capacity = 2 * schedule->pool_capacity + players;
        schedule->pool =
            xreallocarray(schedule->pool, schedule->pool_capacity, sizeof *schedule->pool);
    }
    if (schedule->queue_used == schedule->queue_capacity) {
        schedule->queue_capacity = 2 * schedule->queue_capacity + 16;
        schedule->queue =
            xreallocarray(schedule->queue, schedule->queue_capacity, sizeof *schedule->queue);
    }
    entry->bots = schedule->pool_used;
    entry->round = round;
    entry->players = (uint16_t)players;
    memcpy(schedule->pool + schedule->pool_used, bots, players * sizeof *bots);
    schedule->pool_used += players;
    schedule->queue[schedule->queue_used++] = number;
    schedule->open++;
}

static const uint32_t *bots_of(const Schedule *schedule, uint32_t number) {
    assert(number < schedule->entries_capacity && schedule->entries[number].players);
    return schedule->pool + schedule->entries[number].bots;
}

const FixtureResult *schedule_known(const Schedule *schedule, uint32_t number) {
    assert(number < schedule->entries_capacity);
    const FixtureEntry *entry = &schedule->entries[number];
    return entry->done ? entry->result : NULL;
}

static void result_free(FixtureResult *result) {
    if (!result)
        return;
    free(result->bots);
    free(result->ranks);
    free(result);
}

void schedule_forget(Schedule *schedule, uint32_t number) {
    assert(number < schedule->entries_capacity && schedule->entries[number].done);
    result_free(schedule->entries[number].result);
    schedule->entries[number].result = NULL;
}

/* Passes a result to the format once its fixture is known. A result with other bots belongs to
   another tournament and is dropped. */
static void settle(Schedule *schedule, uint32_t number) {
    FixtureEntry *entry = &schedule->entries[number];
    FixtureResult *result = entry->result;
    if (result->players != entry->players || memcmp(result->bots, bots_of(schedule, number),
                                                    entry->players * sizeof *result->bots) != 0) {
        result_free(result);
        entry->result = NULL;
        return;
    }
    entry->done = true;
    schedule->open--;
    if (schedule->rules->add_result)
        schedule->rules->add_result(schedule, number, result);
    if (!schedule->rules->keeps_results)
        schedule_forget(schedule, number);
}

/* Settles new fixtures whose results were already known; this may add more fixtures. */
static void settle_added(Schedule *schedule) {
    while (schedule->settled < schedule->queue_used) {
        uint32_t number = schedule->queue[schedule->settled++];
        if (schedule->entries[number].result && !schedule->entries[number].done)
            settle(schedule, number);
    }
}

/* ---- public functions ---- */

static bool check(const ScheduleOptions *options, Error *error) {
    if (options->bots < 2)
        return error_set(error, "a tournament needs at least two bots, not %u", options->bots);
    if (options->players < 2 || options->players > GAME_PLAYERS_MAX)
        return error_set(error, "a match of a tournament has 2 to %u players, not %u",
                         (unsigned)GAME_PLAYERS_MAX, options->players);
    if (options->players > options->bots)
        return error_set(error, "matches of %u players need at least as many bots, not %u",
                         options->players, options->bots);
    if (!isfinite(options->error) || options->error < 0)
        return error_set(error, "the target error must be 0 or more Elo points");
    return true;
}

Schedule *schedule_new(const ScheduleOptions *options, Error *error) {
    assert(options->format < FORMATS);
    if (!check(options, error))
        return NULL;
    Schedule *schedule = xcalloc(1, sizeof *schedule);
    schedule->options = *options;
    schedule->rules = formats[options->format];
    if (!schedule->rules->begin(schedule, error)) {
        error_prefix(error, "%s of %u bots", format_name(options->format), options->bots);
        schedule_free(schedule);
        return NULL;
    }
    return schedule;
}

void schedule_free(Schedule *schedule) {
    if (!schedule)
        return;
    if (schedule->rules->end && schedule->state)
        schedule->rules->end(schedule->state);
    free(schedule->state);
    for (uint32_t i = 0; i < schedule->entries_capacity; i++)
        result_free(schedule->entries[i].result);
    free(schedule->entries);
    free(schedule->pool);
    free(schedule->queue);
    free(schedule);
}

bool schedule_next(Schedule *schedule, Fixture *fixture) {
    while (schedule->queue_head < schedule->queue_used) {
        uint32_t number = schedule->queue[schedule->queue_head++];
        const FixtureEntry *entry = &schedule->entries[number];
        if (entry->done)
            continue;
        const FormatRules *rules = schedule->rules;
        *fixture = (Fixture){.number = number,
                             .round = entry->round,
                             .again = rules->again     ? rules->again(schedule, number)
                                      : rules->numbers ? number % rules->numbers
                                                       : 0,
                             .players = entry->players};
        memcpy(fixture->bots, bots_of(schedule, number), entry->players * sizeof *fixture->bots);
        return true;
    }
    return false;
}

void schedule_result(Schedule *schedule, const Fixture *fixture, uint32_t matches,
                     const uint32_t *ranks) {
    assert(fixture->players >= 2 && fixture->players <= schedule->options.players);
    assert(matches > 0);
    FixtureEntry *entry = entry_at(schedule, fixture->number);
    if (entry->done || entry->result)
        return;
    FixtureResult *result = xcalloc(1, sizeof *result);
    *result = (FixtureResult){.matches = matches, .players = fixture->players};
    size_t count = (size_t)matches * fixture->players;
    result->bots = xcalloc(fixture->players, sizeof *result->bots);
    result->ranks = xcalloc(count, sizeof *result->ranks);
    memcpy(result->bots, fixture->bots, fixture->players * sizeof *result->bots);
    memcpy(result->ranks, ranks, count * sizeof *result->ranks);
    entry->result = result;
    if (!entry->players)
        return;
    settle(schedule, fixture->number);
    settle_added(schedule);
}

bool schedule_finished(const Schedule *schedule) {
    return schedule->open == 0;
}

uint32_t schedule_total(const Schedule *schedule) {
    return schedule->open ? schedule->rules->total(schedule) : schedule->queue_used;
}

bool schedule_places(const Schedule *schedule, uint32_t *places) {
    return schedule->rules->places && schedule->rules->places(schedule, places);
}

bool schedule_swiss(const Schedule *schedule, uint32_t bot, SwissScore *score) {
    if (schedule->rules->swiss)
        schedule->rules->swiss(schedule, bot, score);
    return schedule->rules->swiss != NULL;
}

uint32_t schedule_bracket(const Schedule *schedule) {
    Format format = schedule->options.format;
    return format == FORMAT_KNOCKOUT || format == FORMAT_DOUBLE ? bracket_count(schedule) : 0;
}

const BracketNode *schedule_bracket_node(const Schedule *schedule, uint32_t index) {
    assert(index < schedule_bracket(schedule));
    return bracket_node(schedule, index);
}
