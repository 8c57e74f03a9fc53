/* See progress.h. */
#include "league/progress.h"

#include "base/memory.h"
#include "league/leg.h"

#include <assert.h>
#include <stdlib.h>

struct Progress {
    ProgressOptions options;
    Schedule *schedule;
    OpenFixture *first;
    OpenFixture *last;
    uint64_t recorded; /* legs found in the owner's records */
    uint32_t running;
};

Progress *progress_new(const ProgressOptions *options, Error *error) {
    ScheduleOptions schedule_options = plan_schedule(options->plan);
    schedule_options.bots = options->bots;
    Schedule *schedule = schedule_new(&schedule_options, error);
    if (!schedule)
        return NULL;
    if (!leg_check_heats(options->plan, schedule, error)) {
        schedule_free(schedule);
        return NULL;
    }
    Progress *progress = xcalloc(1, sizeof *progress);
    *progress = (Progress){.options = *options, .schedule = schedule};
    return progress;
}

static void free_fixture(OpenFixture *open) {
    free(open->legs);
    free(open->ranks);
    free(open);
}

void progress_free(Progress *progress) {
    if (!progress)
        return;
    while (progress->first) {
        OpenFixture *open = progress->first;
        progress->first = open->next;
        free_fixture(open);
    }
    schedule_free(progress->schedule);
    free(progress);
}

/* ---- fixtures ---- */

static void append(Progress *progress, OpenFixture *open) {
    if (progress->last)
        progress->last->next = open;
    else
        progress->first = open;
    progress->last = open;
}

static void take_out(Progress *progress, const OpenFixture *open) {
    OpenFixture *before = NULL;
    for (OpenFixture *at = progress->first; at != open; at = at->next)
        before = at;
    if (before)
        before->next = open->next;
    else
        progress->first = open->next;
    if (progress->last == open)
        progress->last = before;
}

static void close_if_decided(Progress *progress, OpenFixture *open) {
    if (open->ended < open->leg_count)
        return;
    take_out(progress, open);
    schedule_result(progress->schedule, &open->fixture, open->leg_count, open->ranks);
    if (progress->options.decided)
        progress->options.decided(progress->options.context, open);
    free_fixture(open);
}

static bool has_bots_of(const RecordedLeg *record, const Fixture *fixture, uint32_t leg) {
    if (record->players != fixture->players)
        return false;
    for (uint32_t seat = 0; seat < fixture->players; seat++)
        if (record->bots[seat] != SEAT_EMPTY &&
            record->bots[seat] != fixture->bots[leg_player(fixture->players, leg, seat)])
            return false;
    return true;
}

static bool check_bots(const OpenFixture *open, uint32_t leg, const RecordedLeg *record,
                       Error *error) {
    return (leg < open->leg_count && has_bots_of(record, &open->fixture, leg)) ||
           error_set(error,
                     "fixture %u was played by different bots than the schedule pairs now; the "
                     "tournament was started by another version of Skirmish",
                     open->fixture.number + 1);
}

static void end_leg(Progress *progress, OpenFixture *open, uint32_t leg,
                    const RecordedLeg *record) {
    uint32_t players = open->fixture.players;
    uint32_t *ranks = open->ranks + (size_t)leg * players;
    for (uint32_t seat = 0; seat < players; seat++)
        ranks[leg_player(players, leg, seat)] = record->ranks[seat];
    progress->running -= open->legs[leg].stage == LEG_STARTED;
    open->legs[leg].stage = LEG_ENDED;
    open->ended++;
}

/* Applies the owner's record of a leg, if there is one. */
static bool read_leg(Progress *progress, OpenFixture *open, uint32_t leg, Error *error) {
    const ProgressOptions *options = &progress->options;
    RecordedLeg record = {0};
    bool found = false;
    if (!options->recorded(options->context, &open->fixture, leg, &record, &found, error))
        return false;
    if (!found)
        return true;
    if (!check_bots(open, leg, &record, error))
        return false;
    progress->recorded++;
    open->legs[leg] = (Leg){LEG_STARTED, record.match};
    progress->running++;
    if (record.ended)
        end_leg(progress, open, leg, &record);
    return true;
}

/* Opens the schedule's next fixture; *opened is whether there was one. */
static bool open_next(Progress *progress, bool *opened, Error *error) {
    Fixture fixture;
    *opened = schedule_next(progress->schedule, &fixture);
    if (!*opened)
        return true;
    OpenFixture *open = xcalloc(1, sizeof *open);
    open->fixture = fixture;
    open->leg_count = leg_count(progress->options.plan, &fixture);
    open->legs = xcalloc(open->leg_count, sizeof *open->legs);
    open->ranks = xcalloc((size_t)open->leg_count * fixture.players, sizeof *open->ranks);
    append(progress, open);
    for (uint32_t leg = 0; progress->options.recorded && leg < open->leg_count; leg++)
        if (!read_leg(progress, open, leg, error))
            return false;
    close_if_decided(progress, open);
    return true;
}

bool progress_replay(Progress *progress, uint64_t legs, Error *error) {
    bool opened = true;
    while (opened && progress->recorded < legs)
        if (!open_next(progress, &opened, error))
            return false;
    return true;
}

/* ---- legs ---- */

/* Starts the first leg of a fixture that is due. */
static bool start_leg(Progress *progress, OpenFixture *open, uint32_t *leg) {
    while (open->given < open->leg_count && open->legs[open->given].stage != LEG_DUE)
        open->given++;
    if (open->given == open->leg_count)
        return false;
    *leg = open->given++;
    open->legs[*leg].stage = LEG_STARTED;
    progress->running++;
    return true;
}

bool progress_next(Progress *progress, OpenFixture **open, uint32_t *leg, Error *error) {
    bool opened = true;
    while (opened) {
        for (*open = progress->first; *open; *open = (*open)->next)
            if (start_leg(progress, *open, leg))
                return true;
        if (!open_next(progress, &opened, error))
            return false;
    }
    return true;
}

OpenFixture *progress_find(const Progress *progress, uint32_t fixture) {
    OpenFixture *open = progress->first;
    while (open && open->fixture.number != fixture)
        open = open->next;
    return open;
}

OpenFixture *progress_open(const Progress *progress) {
    return progress->first;
}

void progress_set_match(OpenFixture *open, uint32_t leg, uint64_t match) {
    assert(leg < open->leg_count);
    open->legs[leg].match = match;
}

bool progress_end_leg(Progress *progress, OpenFixture *open, uint32_t leg,
                      const RecordedLeg *record, Error *error) {
    if (!check_bots(open, leg, record, error))
        return false;
    if (open->legs[leg].stage == LEG_ENDED)
        return true;
    end_leg(progress, open, leg, record);
    close_if_decided(progress, open);
    return true;
}

uint32_t progress_running(const Progress *progress) {
    return progress->running;
}

uint64_t progress_total(const Progress *progress) {
    const Plan *plan = progress->options.plan;
    return (uint64_t)schedule_total(progress->schedule) * plan->games * plan->players;
}

bool progress_finished(const Progress *progress) {
    return !progress->first && schedule_finished(progress->schedule);
}

const Schedule *progress_schedule(const Progress *progress) {
    return progress->schedule;
}
