/* Bots and their versions. */
#include "fixture.h"

#include <sys/stat.h>
#include <unistd.h>

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

static void only_the_owner_of_the_arena_can_read_its_data(void **state) {
    TestStore *fixture = *state;
    static const char *const with_sqlite[] = {"data", "data/files", "data/arena.db",
                                              "data/arena.db-wal", NULL};
    static const char *const with_postgres[] = {"data", "data/files", "data/store-id", NULL};
    add_account(fixture->store, "ada", ROLE_PLAYER);
    for (const char *const *name = on_postgres() ? with_postgres : with_sqlite; *name; name++) {
        char *path = path_in(fixture, *name);
        struct stat status;
        assert_int_equal(stat(path, &status), 0);
        assert_int_equal(status.st_mode & 077, 0);
        free(path);
    }
}

static void a_bots_name_is_unique_among_its_owners(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t id;
    assert_ok(store_bot_add(store, ada, "aliens", "Hunter", &id, &error));
    assert_result(STORE_CONFLICT, store_bot_add(store, ada, "ctf", "hunter", NULL, &error));
    assert_string_equal(error.text,
                        "this account already has a bot called \"hunter\"; choose another name");
    assert_ok(store_bot_add(store, bob, "aliens", "hunter", NULL, &error));
    assert_result(STORE_REJECTED, store_bot_add(store, bob, "aliens", "h", NULL, &error));
    assert_result(STORE_NOT_FOUND, store_bot_add(store, 99, "aliens", "hunter", NULL, &error));
    StoreBot bot;
    assert_ok(store_bot_find(store, slice_of("ADA"), slice_of("HUNTER"), &bot, &error));
    assert_int_equal(bot.id, id);
    assert_string_equal(bot.name, "Hunter");
    assert_string_equal(bot.owner_name, "ada");
    assert_string_equal(bot.game, "aliens");
    assert_int_equal(bot.active, 0);
    assert_result(STORE_NOT_FOUND,
                  store_bot_find(store, slice_of("ada"), slice_of("gatherer"), &bot, &error));
}

static void versions_are_numbered_and_the_newest_that_builds_plays(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t first;
    uint64_t bot = add_bot(store, ada, "aliens", "hunter", &first);
    uint64_t second = add_version(store, bot, "two");
    StoreVersion version;
    assert_ok(store_version_get(store, second, &version, &error));
    assert_int_equal(version.number, 2);
    assert_int_equal(version.build, BUILD_WAITING);
    assert_int_equal(version.size, 3);
    build_all(store, false);
    StoreBot row;
    assert_ok(store_bot_get(store, bot, &row, &error));
    assert_int_equal(row.active, first);
    assert_result(STORE_REJECTED, store_version_activate(store, bot, second, &error));
    uint64_t third = add_version(store, bot, "three");
    build_all(store, true);
    assert_ok(store_bot_get(store, bot, &row, &error));
    assert_int_equal(row.active, third);
    assert_ok(store_version_activate(store, bot, first, &error));
    assert_ok(store_bot_get(store, bot, &row, &error));
    assert_int_equal(row.active, first);
    assert_int_equal(row.versions, 3);
    Buffer log = {0};
    assert_ok(store_version_log(store, third, &log, &error));
    assert_string_equal(buffer_string(&log), "compiled");
    buffer_free(&log);
}

static void a_slow_build_of_an_old_version_does_not_replace_a_newer_one(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    add_version(store, bot, "one");
    StoreJob slow;
    uint32_t count = 1;
    assert_ok(store_queue_lease(store, JOB_BUILD, "builder", 1000, &slow, &count, &error));
    uint64_t second = add_version(store, bot, "two");
    build_all(store, true);
    StoreBuildResult good = {.good = true, .activate = true, .log = slice_of("")};
    assert_ok(store_queue_finish_build(store, slow.id, slow.attempt, &good, &error));
    StoreBot row;
    assert_ok(store_bot_get(store, bot, &row, &error));
    assert_int_equal(row.active, second);
}

static void a_version_belongs_to_only_one_bot(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t version;
    add_bot(store, ada, "aliens", "hunter", &version);
    uint64_t other = add_bot(store, ada, "aliens", "gatherer", NULL);
    assert_result(STORE_NOT_FOUND, store_version_activate(store, other, version, &error));
    StoreNewSeat seat = {.bot = other, .version = version};
    StoreNewMatch match = {.game = "aliens", .map = "", .spec = "", .players = 1, .seats = &seat};
    uint64_t id;
    assert_result(STORE_REJECTED, store_queue_matches(store, &match, 1, &id, &error));
    assert_says(&error, "does not belong to bot");
}

static void a_version_without_its_source_is_rejected(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    StoreNewVersion version = {.bot = bot, .language = "c", .file_name = "a.c", .spec = ""};
    assert_result(STORE_REJECTED, store_version_add(store, &version, NULL, &error));
    memset(version.source.name, 'a', 64);
    assert_result(STORE_REJECTED, store_version_add(store, &version, NULL, &error));
    assert_says(&error, "the store has no file aaaa");
}

static void a_retired_bot_frees_its_name_and_leaves_the_ladder(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot = add_bot(store, ada, "aliens", "hunter", NULL);
    uint64_t other = add_bot(store, ada, "aliens", "other", NULL);
    uint64_t waiting = add_match(store, MATCH_LADDER, "aliens", other, bot);
    StoreRating rating = {.bot = bot, .rating = 1};
    assert_ok(store_ratings_set(store, "aliens", &rating, 1, false, &error));
    assert_ok(store_bot_retire(store, bot, &error));
    assert_result(STORE_NOT_FOUND, store_bot_retire(store, bot, &error));
    assert_result(STORE_NOT_FOUND, store_bot_publish(store, bot, true, &error));
    assert_result(STORE_NOT_FOUND, store_rating_get(store, bot, &rating, &error));
    /* Ratings computed earlier do not put the bot back on the ladder. */
    assert_ok(store_ratings_set(store, "aliens", &rating, 1, true, &error));
    assert_result(STORE_NOT_FOUND, store_rating_get(store, bot, &rating, &error));
    StoreMatches match = {0};
    assert_ok(store_match_get(store, waiting, &match, &error));
    assert_int_equal(match.rows[0].state, MATCH_CALLED_OFF);
    assert_string_equal(match.rows[0].reason,
                        "one of its bots was retired, or the owner of one suspended");
    store_matches_free(&match);
    StoreBot row;
    StorePage page = {.limit = 1};
    assert_ok(store_bots_list(store, ada, NULL, &page, &row, &error));
    assert_int_equal(page.count, 1);
    assert_int_equal(row.id, other);
    assert_true(page.next.id == 0);
    assert_ok(store_bot_get(store, bot, &row, &error));
    assert_true(row.retired);
    assert_result(STORE_NOT_FOUND,
                  store_bot_find(store, slice_of("ada"), slice_of("hunter"), &row, &error));
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", NULL, &error));
}

static void a_log_can_contain_any_bytes(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(store, ada, "aliens", "hunter", &bot, &error));
    uint64_t version = add_version(store, bot, "x");
    StoreJob job;
    uint32_t count = 1;
    assert_ok(store_queue_lease(store, JOB_ANY, "builder", 1000, &job, &count, &error));
    StoreBuildResult result = {.log = {"a\0b\xFF\xC3\xA9\xED\xA0\x80'; DROP TABLE bots; --", 31}};
    assert_ok(store_queue_finish_build(store, job.id, job.attempt, &result, &error));
    Buffer log = {0};
    assert_ok(store_version_log(store, version, &log, &error));
#define BAD "\xEF\xBF\xBD"
    assert_string_equal(buffer_string(&log),
                        "a" BAD "b" BAD "\xC3\xA9" BAD BAD BAD "'; DROP TABLE bots; --");
    buffer_free(&log);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(only_the_owner_of_the_arena_can_read_its_data),
        CASE(a_bots_name_is_unique_among_its_owners),
        CASE(versions_are_numbered_and_the_newest_that_builds_plays),
        CASE(a_slow_build_of_an_old_version_does_not_replace_a_newer_one),
        CASE(a_version_belongs_to_only_one_bot),
        CASE(a_version_without_its_source_is_rejected),
        CASE(a_retired_bot_frees_its_name_and_leaves_the_ladder),
        CASE(a_log_can_contain_any_bytes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
