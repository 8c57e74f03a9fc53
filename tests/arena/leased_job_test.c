/* How an engine gives up leased jobs, with a store but without the engine's thread and runners:
   others may be playing the match by now, or the store may fail. */
#include "arena/play/engine_internal.h"

#include "../store/fixture.h"
#include "store/transaction.h"

#include <sys/stat.h>

/* An engine that has leased matches. */
typedef struct World {
    TestStore *fixture;
    Arena arena;
    Engine engine;
    Metrics *metrics;
} World;

static void open_world(World *world, void **state, bool is_worker) {
    *world = (World){.fixture = *state, .metrics = metrics_new()};
    world->arena.store = world->fixture->store;
    world->arena.options.is_worker = is_worker;
    world->arena.options.topic_kept_ms = 60000;
    world->arena.live = live_new(&(LiveOptions){.viewers_max = 1, .viewers_per_address = 1});
    world->engine.arena = &world->arena;
    world->engine.metric_failures = metrics_counter(world->metrics, "f", "Failures.", NULL, NULL);
}

static void close_world(World *world) {
    live_close(world->arena.live);
    live_free(world->arena.live);
    buffer_free(&world->engine.activity.items);
    metrics_free(world->metrics);
}

/* Leases the next job as this holder. */
static StoreJob lease(World *world, const char *holder) {
    Error error;
    StoreJob job;
    uint32_t count = 1;
    assert_ok(store_queue_lease(world->arena.store, JOB_ANY, holder, 1000, &job, &count, &error));
    assert_int_equal(count, 1);
    return job;
}

/* A match that the engine has leased and publishes. */
static LeasedJob begin(World *world) {
    Error error;
    LeasedJob job = {.engine = &world->engine, .lease = lease(world, "here"), .replay = -1};
    assert_ok(store_match_get(world->arena.store, job.lease.subject, &job.match, &error));
    engine_begin_topic(&job);
    return job;
}

static void add_matches(World *world, uint32_t count) {
    Error error;
    uint64_t bot;
    uint64_t ada = add_account(world->arena.store, "ada", ROLE_PLAYER);
    assert_ok(store_bot_add(world->arena.store, ada, "aliens", "hunter", &bot, &error));
    for (uint32_t i = 0; i < count; i++)
        add_match(world->arena.store, MATCH_LADDER, "aliens", bot, 0);
}

static bool look(World *world, uint64_t match, LiveTopic *found) {
    char topic[LIVE_TOPIC_MAX];
    engine_topic(match, topic);
    return live_look(world->arena.live, topic, found);
}

static void a_worker_forgets_topics_of_matches_that_it_gave_up(void **state) {
    World world;
    enum { MATCHES = 3 * TOPICS_KEPT };
    open_world(&world, state, true);
    add_matches(&world, MATCHES);
    for (uint32_t i = 0; i < MATCHES; i++) {
        LeasedJob job = begin(&world);
        leased_job_drop(&job);
        store_matches_free(&job.match);
    }
    assert_int_equal(live_counts(world.arena.live).topics, TOPICS_KEPT);
    close_world(&world);
}

static void a_match_that_a_worker_leases_again_keeps_its_topic(void **state) {
    World world;
    LiveTopic found;
    open_world(&world, state, true);
    add_matches(&world, 1 + TOPICS_KEPT);
    LeasedJob first = begin(&world);
    engine_leave_topic(&first);
    engine_begin_topic(&first);
    for (uint32_t i = 0; i < TOPICS_KEPT; i++) {
        LeasedJob other = begin(&world);
        engine_leave_topic(&other);
        store_matches_free(&other.match);
    }
    assert_true(look(&world, first.lease.subject, &found));
    store_matches_free(&first.match);
    close_world(&world);
}

static void a_worker_that_lost_a_match_cannot_end_it_by_failing(void **state) {
    World world;
    LiveTopic found;
    Error error;
    uint32_t count;
    open_world(&world, state, false);
    add_matches(&world, 1);
    LeasedJob job = begin(&world);
    assert_ok(store_queue_recover(world.arena.store, "here", &count, &error));
    assert_int_equal(count, 1);
    assert_int_equal(lease(&world, "there").subject, job.lease.subject);
    leased_job_fail(&job, "the disk is full");
    assert_true(job.over);
    assert_true(look(&world, job.lease.subject, &found));
    assert_false(found.ended);
    store_matches_free(&job.match);
    close_world(&world);
}

static void run_sql(Store *store, const char *sql) {
    Error error;
    Transaction transaction = transaction_write(store, &error);
    sql_run(&transaction, sql, NULL, 0);
    assert_ok(transaction_end(&transaction));
}

/* Cancels a leased match and drops its job, during which the store cannot be read unless
   `readable`. Returns whether the match's live topic has ended. */
static bool ends_when_dropped(World *world, bool readable) {
    LiveTopic found;
    Error error;
    LeasedJob job = begin(world);
    assert_ok(store_queue_call_off(world->arena.store, job.lease.subject, "by ada", &error));
    if (!readable)
        run_sql(world->arena.store, "ALTER TABLE matches RENAME TO away");
    leased_job_drop(&job);
    if (!readable)
        run_sql(world->arena.store, "ALTER TABLE away RENAME TO matches");
    assert_true(look(world, job.lease.subject, &found));
    store_matches_free(&job.match);
    return found.ended;
}

static void a_match_that_cannot_be_read_is_not_cancelled(void **state) {
    World world;
    open_world(&world, state, false);
    add_matches(&world, 2);
    assert_true(ends_when_dropped(&world, true));
    assert_false(ends_when_dropped(&world, false));
    close_world(&world);
}

static void returning_a_job_reports_whether_the_store_accepted_it(void **state) {
    World world;
    open_world(&world, state, true);
    add_matches(&world, 2);
    LeasedJob first = begin(&world);
    assert_true(leased_job_return(&first));
    LeasedJob second = begin(&world);
    run_sql(world.arena.store, "ALTER TABLE jobs RENAME TO away");
    assert_false(leased_job_return(&second));
    run_sql(world.arena.store, "ALTER TABLE away RENAME TO jobs");
    store_matches_free(&first.match);
    store_matches_free(&second.match);
    close_world(&world);
}

/* Changes the content of a file of the store. */
static void write_over(const World *world, const StoreFile *file, const char *text) {
    char path[256];
    snprintf(path, sizeof path, "%s/files/%.2s/%s", world->fixture->directory, file->name,
             file->name);
    assert_int_equal(chmod(path, 0600), 0);
    FILE *out = fopen(path, "wb");
    assert_non_null(out);
    fputs(text, out);
    assert_int_equal(fclose(out), 0);
}

/* Leases and begins the next analysis, which cannot start; returns its state afterwards. */
static StoreAnalysisState analyse(World *world) {
    Error error;
    StoreAnalysis analysis;
    LeasedJob job = {.engine = &world->engine, .lease = lease(world, "here"), .replay = -1};
    assert_int_equal(job.lease.kind, JOB_ANALYSIS);
    leased_analysis_begin(&job);
    assert_true(job.over);
    leased_analysis_free(&job);
    buffer_free(&job.prelude);
    assert_ok(store_analysis_get(world->arena.store, job.lease.subject, &analysis, NULL, &error));
    return analysis.state;
}

static void an_analysis_is_repeated_if_the_store_failed(void **state) {
    World world;
    Error error;
    uint32_t wait;
    open_world(&world, state, true);
    Store *store = world.arena.store;
    add_matches(&world, 1);
    StoreJob job = lease(&world, "here");
    StoreSeatResult seats[2] = {{.rank = 1, .status = "ok"}, {.rank = 2, .status = "ok"}};
    StoreMatchResult result = {
        .reason = "over", .verdict = slice_of("{}"), .players = 2, .seats = seats};
    assert_ok(store_file_put(store, slice_of("replay"), &result.replay, &error));
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    uint64_t eve = add_account(store, "eve", ROLE_PLAYER);
    assert_ok(store_queue_analysis(store, job.subject, eve, 10, NULL, &wait, &error));
    write_over(&world, &result.replay, "ruined");
    assert_int_equal(analyse(&world), ANALYSIS_WAITING);
    test_time += 60000;
    write_over(&world, &result.replay, "replay");
    assert_int_equal(analyse(&world), ANALYSIS_FAILED); /* not the replay of a match */
    close_world(&world);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_worker_forgets_topics_of_matches_that_it_gave_up),
        TEST(a_match_that_a_worker_leases_again_keeps_its_topic),
        TEST(a_worker_that_lost_a_match_cannot_end_it_by_failing),
        TEST(a_match_that_cannot_be_read_is_not_cancelled),
        TEST(returning_a_job_reports_whether_the_store_accepted_it),
        TEST(an_analysis_is_repeated_if_the_store_failed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
