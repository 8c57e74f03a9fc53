/* The progress of a tournament: which legs come next, how it resumes, when it is over. */
#include "league/leg.h"
#include "league/progress.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

enum { RECORDS = 200 };

/* A tournament whose legs are recorded as they end, as its owner would do. */
typedef struct Owner {
    Plan plan;
    Progress *progress;
    struct {
        uint32_t fixture;
        uint32_t leg;
        RecordedLeg record;
    } records[RECORDS];
    uint32_t count;
    uint32_t decided;
    uint32_t last_ranks[4]; /* of the last decided fixture */
    bool unreadable;
} Owner;

static bool find_record(void *context, const Fixture *fixture, uint32_t leg, RecordedLeg *record,
                        bool *found, Error *error) {
    const Owner *owner = context;
    if (owner->unreadable)
        return error_set(error, "cannot read the records");
    for (uint32_t i = 0; i < owner->count; i++)
        if (owner->records[i].fixture == fixture->number && owner->records[i].leg == leg) {
            *record = owner->records[i].record;
            *found = true;
        }
    return true;
}

static void note_decided(void *context, OpenFixture *open) {
    Owner *owner = context;
    owner->decided++;
    if (open->leg_count * open->fixture.players <= 4)
        memcpy(owner->last_ranks, open->ranks,
               sizeof *open->ranks * open->leg_count * open->fixture.players);
}

static Progress *new_progress(Owner *owner) {
    ProgressOptions options = {.plan = &owner->plan,
                               .bots = owner->plan.bot_count,
                               .context = owner,
                               .recorded = find_record,
                               .decided = note_decided};
    Error error = {0};
    Progress *progress = progress_new(&options, &error);
    if (!progress)
        fail_msg("%s", error.text);
    return progress;
}

static Owner *start(Format format, uint32_t bots, uint32_t players, uint32_t games) {
    static Owner owner;
    owner =
        (Owner){.plan = {.format = format, .bot_count = bots, .players = players, .games = games}};
    owner.progress = new_progress(&owner);
    return &owner;
}

/* The next leg, or NULL if none is due. */
static OpenFixture *next(Owner *owner, uint32_t *leg) {
    OpenFixture *open;
    Error error = {0};
    if (!progress_next(owner->progress, &open, leg, &error))
        fail_msg("%s", error.text);
    return open;
}

/* The record of a leg in which bots with lower numbers beat those with higher ones. */
static RecordedLeg favourite_wins(const Fixture *fixture, uint32_t leg) {
    RecordedLeg record = {.players = fixture->players, .ended = true, .match = 100 + leg};
    for (uint32_t seat = 0; seat < fixture->players; seat++) {
        record.bots[seat] = fixture->bots[leg_player(fixture->players, leg, seat)];
        record.ranks[seat] = 1;
        for (uint32_t i = 0; i < fixture->players; i++)
            record.ranks[seat] += fixture->bots[i] < record.bots[seat];
    }
    return record;
}

static void add_record(Owner *owner, uint32_t fixture, uint32_t leg, const RecordedLeg *record) {
    assert_true(owner->count < RECORDS);
    owner->records[owner->count].fixture = fixture;
    owner->records[owner->count].leg = leg;
    owner->records[owner->count++].record = *record;
}

static void end(Owner *owner, OpenFixture *open, uint32_t leg, const RecordedLeg *record) {
    Error error = {0};
    add_record(owner, open->fixture.number, leg, record);
    if (!progress_end_leg(owner->progress, open, leg, record, &error))
        fail_msg("%s", error.text);
}

static void play_to_the_end(Owner *owner) {
    uint32_t leg;
    OpenFixture *open;
    while ((open = next(owner, &leg))) {
        assert_false(progress_finished(owner->progress));
        RecordedLeg record = favourite_wins(&open->fixture, leg);
        end(owner, open, leg, &record);
    }
    assert_true(progress_finished(owner->progress));
    assert_int_equal(progress_running(owner->progress), 0);
}

/* ---- playing ---- */

static void every_bot_takes_every_seat_on_every_game_of_a_fixture(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 3, 3, 2);
    uint32_t seats[3][3] = {{0}};
    assert_int_equal(progress_total(owner->progress), 6);
    for (uint32_t i = 0; i < 6; i++) {
        uint32_t leg;
        OpenFixture *open = next(owner, &leg);
        assert_non_null(open);
        assert_int_equal(leg, i);
        for (uint32_t seat = 0; seat < 3; seat++)
            seats[seat][open->fixture.bots[leg_player(3, leg, seat)]]++;
    }
    for (uint32_t seat = 0; seat < 3; seat++)
        for (uint32_t bot = 0; bot < 3; bot++)
            assert_int_equal(seats[seat][bot], 2);
    progress_free(owner->progress);
}

static void a_fixture_is_decided_when_all_legs_have_ended_in_any_order(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 2, 2, 1);
    uint32_t legs[2];
    OpenFixture *open = next(owner, &legs[0]);
    assert_ptr_equal(next(owner, &legs[1]), open);
    assert_int_equal(progress_running(owner->progress), 2);
    assert_null(next(owner, &(uint32_t){0}));

    RecordedLeg second = favourite_wins(&open->fixture, 1);
    end(owner, open, 1, &second);
    assert_int_equal(owner->decided, 0);
    assert_false(progress_finished(owner->progress));
    assert_ptr_equal(progress_find(owner->progress, open->fixture.number), open);

    uint32_t number = open->fixture.number;
    uint32_t favourite = open->fixture.bots[0] == 0 ? 0 : 1;
    RecordedLeg first = favourite_wins(&open->fixture, 0);
    end(owner, open, 0, &first);
    assert_int_equal(owner->decided, 1);
    assert_null(progress_find(owner->progress, number));
    assert_true(progress_finished(owner->progress));
    /* One row per leg, both in the order of the fixture's bots although the seats were swapped. */
    assert_int_equal(owner->last_ranks[favourite], 1);
    assert_int_equal(owner->last_ranks[1 - favourite], 2);
    assert_int_equal(owner->last_ranks[2 + favourite], 1);
    assert_int_equal(owner->last_ranks[3 - favourite], 2);
    progress_free(owner->progress);
}

static void the_final_waits_for_both_semi_finals(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_KNOCKOUT, 4, 2, 1);
    OpenFixture *open[4];
    uint32_t legs[4];
    for (uint32_t i = 0; i < 4; i++)
        open[i] = next(owner, &legs[i]);
    assert_null(next(owner, &(uint32_t){0}));
    for (uint32_t i = 0; i < 4; i++) {
        assert_null(next(owner, &(uint32_t){0}));
        RecordedLeg record = favourite_wins(&open[i]->fixture, legs[i]);
        end(owner, open[i], legs[i], &record);
    }
    OpenFixture *final = next(owner, &legs[0]);
    assert_non_null(final);
    assert_int_equal(final->fixture.round, 2);
    assert_int_equal(final->fixture.bots[0] + final->fixture.bots[1], 1);
    progress_free(owner->progress);
}

static void a_drawn_knockout_fixture_is_played_again(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_KNOCKOUT, 2, 2, 1);
    for (uint32_t i = 0; i < 2; i++) {
        uint32_t leg;
        OpenFixture *open = next(owner, &leg);
        RecordedLeg draw = favourite_wins(&open->fixture, leg);
        draw.ranks[0] = draw.ranks[1] = 1;
        end(owner, open, leg, &draw);
    }
    assert_int_equal(owner->decided, 1);
    assert_false(progress_finished(owner->progress));
    uint32_t leg;
    OpenFixture *again = next(owner, &leg);
    assert_non_null(again);
    assert_int_equal(again->fixture.again, 1);
    progress_free(owner->progress);
}

static void a_second_result_of_a_leg_is_ignored(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 2, 2, 1);
    uint32_t leg;
    OpenFixture *open = next(owner, &leg);
    RecordedLeg record = favourite_wins(&open->fixture, leg);
    end(owner, open, leg, &record);
    end(owner, open, leg, &record);
    assert_int_equal(open->ended, 1);
    assert_int_equal(owner->decided, 0);
    progress_free(owner->progress);
}

static void a_result_of_other_bots_is_rejected(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 3, 2, 1);
    Error error = {0};
    uint32_t leg;
    OpenFixture *open = next(owner, &leg);
    RecordedLeg record = favourite_wins(&open->fixture, leg);
    record.bots[0] = 3 - record.bots[0] - record.bots[1];
    assert_false(progress_end_leg(owner->progress, open, leg, &record, &error));
    assert_non_null(strstr(error.text, "was played by different bots"));
    assert_int_equal(open->ended, 0);

    record = favourite_wins(&open->fixture, leg);
    assert_false(progress_end_leg(owner->progress, open, open->leg_count, &record, &error));

    record.bots[0] = SEAT_EMPTY;
    assert_true(progress_end_leg(owner->progress, open, leg, &record, &error));
    progress_free(owner->progress);
}

/* ---- resuming ---- */

static void a_resumed_tournament_plays_exactly_the_unrecorded_matches(void **unused) {
    (void)unused;
    for (Format format = 0; format < FORMATS; format++) {
        if (format == FORMAT_LADDER)
            continue; /* endless */
        Owner *owner = start(format, 5, 2, 1);
        play_to_the_end(owner);
        uint32_t whole = owner->count;
        uint32_t decided = owner->decided;
        progress_free(owner->progress);
        for (uint32_t kept = 0; kept <= whole; kept++) {
            owner->count = kept;
            owner->decided = 0;
            owner->progress = new_progress(owner);
            play_to_the_end(owner);
            assert_int_equal(owner->count, whole);
            assert_int_equal(owner->decided, decided);
            progress_free(owner->progress);
        }
    }
}

static void a_recorded_leg_that_has_not_ended_is_running_and_not_due(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 2, 2, 1);
    uint32_t leg;
    OpenFixture *open = next(owner, &leg);
    RecordedLeg record = favourite_wins(&open->fixture, 0);
    record.ended = false;
    add_record(owner, open->fixture.number, 0, &record);
    progress_free(owner->progress);

    owner->progress = new_progress(owner);
    open = next(owner, &leg);
    assert_int_equal(leg, 1);
    assert_int_equal(open->legs[0].stage, LEG_STARTED);
    assert_int_equal(open->legs[0].match, 100);
    assert_int_equal(progress_running(owner->progress), 2);
    progress_free(owner->progress);
}

static void records_of_other_bots_stop_the_tournament(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 3, 2, 1);
    uint32_t leg;
    OpenFixture *open = next(owner, &leg);
    RecordedLeg record = favourite_wins(&open->fixture, leg);
    record.bots[0] = 3 - record.bots[0] - record.bots[1];
    add_record(owner, open->fixture.number, leg, &record);
    progress_free(owner->progress);

    Error error = {0};
    owner->progress = new_progress(owner);
    assert_false(progress_next(owner->progress, &open, &leg, &error));
    assert_non_null(strstr(error.text, "another version of Skirmish"));
    progress_free(owner->progress);
}

static void a_leg_that_cannot_be_read_is_not_played_again(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 2, 2, 1);
    Error error = {0};
    OpenFixture *open;
    uint32_t leg;
    owner->unreadable = true;
    assert_false(progress_next(owner->progress, &open, &leg, &error));
    assert_string_equal(error.text, "cannot read the records");
    progress_free(owner->progress);
}

static void replaying_opens_no_more_fixtures_than_the_records_need(void **unused) {
    (void)unused;
    Owner *owner = start(FORMAT_ROUND_ROBIN, 6, 2, 1);
    Error error = {0};
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t leg;
        OpenFixture *open = next(owner, &leg);
        RecordedLeg record = favourite_wins(&open->fixture, leg);
        end(owner, open, leg, &record);
    }
    progress_free(owner->progress);

    owner->decided = 0;
    owner->progress = new_progress(owner);
    assert_true(progress_replay(owner->progress, owner->count, &error));
    assert_int_equal(owner->decided, 1);
    OpenFixture *open = progress_open(owner->progress);
    assert_non_null(open);
    assert_null(open->next);
    assert_int_equal(open->ended, 1);

    /* Records that belong to no fixture do not keep the replay from ending. */
    assert_true(progress_replay(owner->progress, 1000, &error));
    progress_free(owner->progress);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_bot_takes_every_seat_on_every_game_of_a_fixture),
        cmocka_unit_test(a_fixture_is_decided_when_all_legs_have_ended_in_any_order),
        cmocka_unit_test(the_final_waits_for_both_semi_finals),
        cmocka_unit_test(a_drawn_knockout_fixture_is_played_again),
        cmocka_unit_test(a_second_result_of_a_leg_is_ignored),
        cmocka_unit_test(a_result_of_other_bots_is_rejected),
        cmocka_unit_test(a_resumed_tournament_plays_exactly_the_unrecorded_matches),
        cmocka_unit_test(a_recorded_leg_that_has_not_ended_is_running_and_not_due),
        cmocka_unit_test(records_of_other_bots_stop_the_tournament),
        cmocka_unit_test(a_leg_that_cannot_be_read_is_not_played_again),
        cmocka_unit_test(replaying_opens_no_more_fixtures_than_the_records_need),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
