/* The ladders' thread with a store but without runners: the test stores results and checks the
   ladder. */
#include "arena/ladders/ladders.h"

#include "../store/fixture.h"
#include "arena/settings.h"

#include <math.h>
#include <unistd.h>

enum { BOTS = 3, WAIT_MAX_MS = 20000 };

/* Three bots of one owner, and their active versions. */
typedef struct World {
    Arena arena;
    Ladders *ladders;
    uint64_t bots[BOTS];
    uint64_t versions[BOTS];
} World;

static World make_world(void **state) {
    static const char *const names[BOTS] = {"ant", "bee", "cat"};
    const TestStore *fixture = *state;
    World world = {.arena = {.options = {.no_ladder = true}, .store = fixture->store}};
    uint64_t ada = add_account(fixture->store, "ada", ROLE_PLAYER);
    for (int i = 0; i < BOTS; i++)
        world.bots[i] = add_bot(fixture->store, ada, "aliens", names[i], &world.versions[i]);
    return world;
}

static void start(World *world) {
    Error error;
    world->arena.live = live_new(&(LiveOptions){.viewers_max = 1, .viewers_per_address = 1});
    world->ladders = ladders_start(&world->arena, &error);
    assert_non_null(world->ladders);
}

static void stop(World *world) {
    ladders_stop(world->ladders);
    live_close(world->arena.live);
    live_free(world->arena.live);
}

static void meet(World *world, int winner, int loser) {
    Error error;
    uint64_t id;
    Store *store = world->arena.store;
    StoreNewSeat seats[2] = {{.bot = world->bots[winner], .version = world->versions[winner]},
                             {.bot = world->bots[loser], .version = world->versions[loser]}};
    StoreNewMatch match = {.kind = MATCH_LADDER,
                           .game = "aliens",
                           .map = "",
                           .spec = "{}",
                           .players = 2,
                           .seats = seats};
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    assert_ok(finish(store, lease_one(store, 60000), "{}", &error));
}

static void replace(World *world, int bot) {
    world->versions[bot] = add_version(world->arena.store, world->bots[bot], "better");
    build_all(world->arena.store, true);
}

/* Waits until the ladder shows the bot with this version and number of matches; all 0: until it
   does not show it. */
static void wait_for(World *world, int bot, uint64_t version, uint32_t matches) {
    StoreRating row = {0};
    for (int waited = 0; waited < WAIT_MAX_MS; waited++) {
        Error error;
        row = (StoreRating){0};
        store_rating_get(world->arena.store, world->bots[bot], &row, &error);
        if (row.matches == matches && row.version == version)
            return;
        ladders_wake(world->ladders);
        usleep(1000);
    }
    fail_msg("bot %d: version %llu with %u matches is shown, not version %llu with %u", bot,
             (unsigned long long)row.version, row.matches, (unsigned long long)version, matches);
}

static void results_against_replaced_versions_no_longer_count(void **state) {
    World world = make_world(state);
    World before = world;
    meet(&world, 0, 1);
    meet(&world, 0, 1);
    meet(&world, 0, 2);
    start(&world);
    wait_for(&world, 0, before.versions[0], 3);
    wait_for(&world, 1, before.versions[1], 2);
    wait_for(&world, 2, before.versions[2], 1);

    /* One opponent has a new version that has not played: its old row stays. */
    replace(&world, 1);
    wait_for(&world, 0, before.versions[0], 1);
    wait_for(&world, 1, before.versions[1], 2);
    wait_for(&world, 2, before.versions[2], 1);

    /* With the other replaced too, no result is left, even if it happened while the ladder was
       stopped. */
    stop(&world);
    replace(&world, 2);
    start(&world);
    wait_for(&world, 0, 0, 0);
    wait_for(&world, 1, before.versions[1], 2);
    wait_for(&world, 2, before.versions[2], 1);

    meet(&world, 1, 0);
    wait_for(&world, 0, before.versions[0], 1);
    wait_for(&world, 1, world.versions[1], 1);
    wait_for(&world, 2, before.versions[2], 1);
    stop(&world);
}

/* A bot that won everything gets the rating at which the pull of its wins equals that of the prior.
   With a wide prior, this would be far above anything its opponents can prove. */
static void a_bot_without_a_loss_is_rated_within_reason(void **state) {
    enum { WINS = 60 };
    const double points = 400 / log(10); /* in one unit of log strength */
    World world = make_world(state);
    for (int i = 0; i < WINS; i++)
        meet(&world, 0, 1);
    start(&world);
    wait_for(&world, 0, world.versions[0], WINS);
    Error error;
    StoreRating row;
    assert_ok(store_rating_get(world.arena.store, world.bots[0], &row, &error));
    double strength = (row.rating - LADDER_MEAN) / points;
    double gain = WINS / (1 + exp(2 * strength)); /* its opponent is as far below the mean */
    double prior = LADDER_PRIOR / points;
    assert_true(fabs(gain - strength / (prior * prior)) < 0.01);
    assert_true(row.rating < 2000 && row.error < 400);
    stop(&world);
}

static void bots_of_a_suspended_account_leave_and_come_back(void **state) {
    Error error;
    World world = make_world(state);
    uint64_t eve = add_account(world.arena.store, "eve", ROLE_PLAYER);
    world.bots[2] = add_bot(world.arena.store, eve, "aliens", "dog", &world.versions[2]);
    meet(&world, 0, 1);
    meet(&world, 0, 2);
    start(&world);
    wait_for(&world, 0, world.versions[0], 2);
    wait_for(&world, 2, world.versions[2], 1);
    assert_ok(store_account_suspend(world.arena.store, eve, true, &error));
    wait_for(&world, 0, world.versions[0], 1);
    wait_for(&world, 2, 0, 0);
    assert_ok(store_account_suspend(world.arena.store, eve, false, &error));
    wait_for(&world, 0, world.versions[0], 2);
    wait_for(&world, 2, world.versions[2], 1);
    stop(&world);
}

/* Waits until the ladder has added matches to the queue; false if it does not. */
static bool ladder_adds_matches(const World *world, int max_ms) {
    for (int waited = 0; waited < max_ms; waited++) {
        StoreQueueSize size;
        Error error;
        assert_ok(store_queue_size(world->arena.store, &size, &error));
        if (size.matches[MATCH_LADDER])
            return true;
        usleep(1000);
    }
    return false;
}

/* Plays this many matches of each pair, which makes the ladder accurate, then one more meeting. The
   next one would follow a minute later, which is longer than a test waits. */
static void slow_down(World *world, int matches_per_pair) {
    Error error;
    Store *store = world->arena.store;
    world->arena.options.jobs = 1;
    for (int i = 0; i < matches_per_pair; i++)
        for (int bot = 0; bot < BOTS; bot++)
            meet(world, bot, (bot + 1) % BOTS);
    assert_true(settings_load(&world->arena, &error));
    assert_ok(settings_set_ladder(&world->arena, true, &error));
    start(world);
    assert_true(ladder_adds_matches(world, WAIT_MAX_MS));
    for (int leg = 0; leg < 2; leg++)
        assert_ok(finish(store, lease_one(store, 60000), "{}", &error));
}

static void a_new_version_on_an_accurate_ladder_plays_at_once(void **state) {
    enum { MATCHES_PER_PAIR = 50 }; /* so that each bot has a hundred */
    Error error;
    World world = make_world(state);
    uint64_t eve = add_account(world.arena.store, "eve", ROLE_PLAYER);
    assert_ok(store_bot_retire(world.arena.store, world.bots[2], &error));
    world.bots[2] = add_bot(world.arena.store, eve, "aliens", "dog", &world.versions[2]);
    slow_down(&world, MATCHES_PER_PAIR);
    replace(&world, 0);
    assert_true(ladder_adds_matches(&world, WAIT_MAX_MS));
    stop(&world);
}

static void a_ladder_of_one_owner_plays_only_placement_matches(void **state) {
    World world = make_world(state);
    slow_down(&world, LADDER_PLACED / 2);
    ladders_wake(world.ladders);
    assert_false(ladder_adds_matches(&world, 200));

    /* A bot of another owner changes that. */
    uint64_t eve = add_account(world.arena.store, "eve", ROLE_PLAYER);
    add_bot(world.arena.store, eve, "aliens", "dog", NULL);
    assert_true(ladder_adds_matches(&world, WAIT_MAX_MS));
    stop(&world);
}

static void the_administrators_switch_overrides_the_option(void **state) {
    World world = make_world(state); /* with --ladder off */
    Error error;
    assert_true(settings_load(&world.arena, &error));
    start(&world);
    meet(&world, 0, 1);
    wait_for(&world, 0, world.versions[0], 1);
    ladders_wake(world.ladders);
    assert_false(ladder_adds_matches(&world, 200));
    assert_ok(settings_set_ladder(&world.arena, true, &error));
    assert_true(ladder_adds_matches(&world, WAIT_MAX_MS));
    stop(&world);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(results_against_replaced_versions_no_longer_count),
        CASE(a_new_version_on_an_accurate_ladder_plays_at_once),
        CASE(a_ladder_of_one_owner_plays_only_placement_matches),
        CASE(the_administrators_switch_overrides_the_option),
        CASE(a_bot_without_a_loss_is_rated_within_reason),
        CASE(bots_of_a_suspended_account_leave_and_come_back),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
