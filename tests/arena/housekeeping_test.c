/* The housekeeping thread with a store: each test waits until a chore is done, or fails after a
   while. */
#include "arena/housekeeping/housekeeping.h"

#include "../store/fixture.h"
#include "arena/bots/bots.h"
#include "arena/copies.h"
#include "arena/disk.h"
#include "base/clock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { WAIT_MAX_MS = 20000, DAY_MS = 86400000 };

typedef struct World {
    Arena arena;
    Housekeeping *housekeeping;
} World;

static void start(World *world) {
    Error error;
    world->housekeeping = housekeeping_start(&world->arena, &error);
    assert_non_null(world->housekeeping);
}

static World make_world(void **state) {
    const TestStore *fixture = *state;
    return (World){.arena = {.options = {.data = fixture->directory}, .store = fixture->store}};
}

static bool has_replay(Store *store, uint64_t match) {
    StoreMatches matches = {0};
    Error error;
    assert_ok(store_match_get(store, match, &matches, &error));
    bool has = matches.rows[0].replay.name[0];
    store_matches_free(&matches);
    return has;
}

static bool exists(const char *path) {
    return access(path, F_OK) == 0;
}

static char *path_of(const World *world, const char *name) {
    Buffer path = {0};
    buffer_format(&path, "%s/%s", world->arena.options.data, name);
    char *copy = strdup(buffer_string(&path));
    buffer_free(&path);
    return copy;
}

static uint64_t play(Store *store) {
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t ant = add_bot(store, ada, "aliens", "ant", NULL);
    uint64_t bee = add_bot(store, ada, "aliens", "bee", NULL);
    uint64_t match = add_match(store, MATCH_PLAY_NOW, "aliens", ant, bee);
    StoreJob job = lease_one(store, 60000);
    StoreSeatResult seats[2] = {{.rank = 1, .status = "alive"}, {.rank = 2, .status = "alive"}};
    StoreMatchResult result = {.reason = "",
                               .verdict = slice_of("{}"),
                               .replay = add_file(store, "a replay"),
                               .players = 2,
                               .seats = seats};
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    assert_true(has_replay(store, match));
    return match;
}

static void replays_are_deleted_once_they_are_old_enough(void **state) {
    World world = make_world(state);
    world.arena.options.keep_days = 2;
    uint64_t match = play(world.arena.store);
    test_time += DAY_MS;
    start(&world);
    housekeeping_stop(world.housekeeping); /* after its first round */
    assert_true(has_replay(world.arena.store, match));
    test_time += 2 * (int64_t)DAY_MS;
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_false(has_replay(world.arena.store, match));
}

static void replays_are_kept_without_a_limit(void **state) {
    World world = make_world(state);
    uint64_t match = play(world.arena.store);
    test_time += 1000 * (int64_t)DAY_MS;
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_true(has_replay(world.arena.store, match));
}

static uint32_t count_audit(Store *store) {
    StoreAudit rows[4];
    StorePage page = {.limit = 4};
    Error error;
    assert_ok(store_audit_list(store, 0, &page, rows, &error));
    return page.count;
}

static void entries_of_the_audit_log_are_deleted_after_two_years(void **state) {
    World world = make_world(state);
    StoreAudit entry = {.action = "account.role", .subject = "somebody"};
    Error error;
    assert_ok(store_audit_add(world.arena.store, &entry, &error));
    test_time += 729 * (int64_t)DAY_MS;
    assert_ok(store_audit_add(world.arena.store, &entry, &error));
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_int_equal(count_audit(world.arena.store), 2);
    test_time += 2 * (int64_t)DAY_MS;
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_int_equal(count_audit(world.arena.store), 1);
}

static void low_disk_space_is_detected_and_so_is_its_end(void **state) {
    World world = make_world(state);
    Arena *arena = &world.arena;
    arena->metrics = metrics_new();
    disk_measure(arena);
    assert_false(disk_is_low(arena)); /* without a limit it never is */
    arena->options.free_min = UINT64_C(1) << 60;
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_true(disk_is_low(arena));
    assert_int_equal(metric_value(arena->disk.low_gauge), 1);
    assert_true(metric_value(arena->disk.free_bytes) > 0);
    arena->options.free_min = 1;
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_false(disk_is_low(arena));
    assert_int_equal(metric_value(arena->disk.low_gauge), 0);
    metrics_free(arena->metrics);
}

/* Creates a copy as copies_open would name it. */
static char *add_copy(const World *world, const char *replay) {
    Buffer name = {0};
    buffer_format(&name, "copies/%s-png", replay);
    char *path = path_of(world, buffer_string(&name));
    int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
    assert_int_equal(write(file, "a copy", 6), 6);
    close(file);
    buffer_free(&name);
    return path;
}

static void copies_are_deleted_with_their_replay_and_when_the_disk_is_low(void **state) {
    World world = make_world(state);
    Arena *arena = &world.arena;
    Error error;
    StoreFile replay = add_file(arena->store, "a replay");
    StoreFile gone = replay;
    gone.name[0] = gone.name[0] == '0' ? '1' : '0';
    arena->metrics = metrics_new();
    arena->copies = copies_new(arena, &error);
    assert_non_null(arena->copies);
    char *of_replay = add_copy(&world, replay.name);
    char *of_nothing = add_copy(&world, gone.name);
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_true(exists(of_replay));
    assert_false(exists(of_nothing));
    arena->options.free_min = UINT64_C(1) << 60;
    start(&world);
    housekeeping_stop(world.housekeeping);
    assert_false(exists(of_replay));
    free(add_copy(&world, replay.name)); /* left by an arena that was killed */
    copies_free(arena->copies);
    arena->copies = copies_new(arena, &error);
    assert_false(exists(of_replay));
    copies_free(arena->copies);
    metrics_free(arena->metrics);
    free(of_replay);
    free(of_nothing);
}

static void dropped_drafts_are_deleted_while_the_arena_runs(void **state) {
    World world = make_world(state);
    char *drafts = path_of(&world, "drafts");
    char *draft = path_of(&world, "drafts/7-0");
    char *trash = path_of(&world, "trash");
    mkdir(drafts, 0700);
    assert_int_equal(mkdir(draft, 0700), 0);
    start(&world);
    versions_drop_draft(&world.arena, "7-0");
    assert_false(exists(draft));
    for (int waited = 0; rmdir(trash) != 0; waited++) { /* succeeds once it is empty */
        assert_true(waited < WAIT_MAX_MS);
        usleep(1000);
    }
    housekeeping_stop(world.housekeeping);
    free(drafts);
    free(draft);
    free(trash);
}

static void a_password_reset_is_processed(void **state) {
    World world = make_world(state);
    Error error;
    Buffer hash = {0};
    uint64_t ada = add_account(world.arena.store, "ada", ROLE_ADMINISTRATOR);
    char *path = path_of(&world, "password.request");
    char *draft = path_of(&world, "password.request.new");
    start(&world);
    FILE *request = fopen(draft, "w");
    assert_non_null(request);
    fprintf(request, "{\"account\":%llu,\"password\":\"new hash\"}", (unsigned long long)ada);
    fclose(request);
    assert_int_equal(rename(draft, path), 0); /* as the command does: never half-written */
    for (int waited = 0; exists(path); waited++) {
        assert_true(waited < WAIT_MAX_MS);
        usleep(1000);
    }
    housekeeping_stop(world.housekeeping);
    assert_ok(store_account_password(world.arena.store, ada, &hash, &error));
    assert_string_equal(buffer_string(&hash), "new hash");
    buffer_free(&hash);
    free(draft);
    free(path);
}

static void the_log_is_flushed(void **state) {
    World world = make_world(state);
    int ends[2];
    char line[256];
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    world.arena.log = log_new(ends[1], LOG_INFO);
    log_write(world.arena.log, LOG_INFO, "hello", NULL, 0);
    start(&world);
    assert_true(read(ends[0], line, sizeof line) > 0); /* else the test times out */
    housekeeping_stop(world.housekeeping);
    log_free(world.arena.log);
    close(ends[0]);
    close(ends[1]);
}

static void stopping_does_not_wait_for_the_next_pass(void **state) {
    World world = make_world(state);
    int64_t began = clock_now();
    for (int i = 0; i < 20; i++) {
        start(&world);
        housekeeping_stop(world.housekeeping);
    }
    assert_true(clock_now() - began < 20 * 1000 * CLOCK_MS);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(replays_are_deleted_once_they_are_old_enough),
        TEST(replays_are_kept_without_a_limit),
        TEST(copies_are_deleted_with_their_replay_and_when_the_disk_is_low),
        TEST(entries_of_the_audit_log_are_deleted_after_two_years),
        TEST(low_disk_space_is_detected_and_so_is_its_end),
        TEST(dropped_drafts_are_deleted_while_the_arena_runs),
        TEST(a_password_reset_is_processed),
        TEST(the_log_is_flushed),
        TEST(stopping_does_not_wait_for_the_next_pass),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
