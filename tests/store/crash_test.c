/* Kills a writing process with SIGKILL at fifty random moments. Afterwards, everything that the
   store acknowledged exists, the database is intact, and no row names a missing file.

   The child writes with two threads, and reports acknowledgements over a pipe. The test prints its
   seed; STORE_SEED repeats that run, as far as the machine's own timing allows. */
#include "base/random.h"
#include "fixture.h"
#include "store/transaction.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROUNDS = 50, LONGEST_US = 60000, ACKS_MAX = 200000 };

typedef enum AckKind { ACK_ACCOUNT, ACK_VERSION, ACK_MATCH, ACK_RESULT } AckKind;

/* What the store acknowledged to the child. Small enough to go through a pipe in one piece. */
typedef struct Ack {
    AckKind kind;
    uint64_t id;
    char text[80]; /* the name, the source's content, the verdict */
} Ack;

static Ack acks[ACKS_MAX];
static uint32_t acks_count;

/* ---- the child ---- */

typedef struct Child {
    Store *store;
    int pipe;
    uint32_t round;
    uint64_t bot;
} Child;

static void acknowledge(const Child *child, AckKind kind, uint64_t id, const char *text) {
    Ack ack = {.kind = kind, .id = id};
    snprintf(ack.text, sizeof ack.text, "%s", text);
    if (write(child->pipe, &ack, sizeof ack) != (ssize_t)sizeof ack)
        _exit(3);
}

static void must(StoreResult result, const Error *error) {
    if (result != STORE_OK) {
        fprintf(stderr, "the child: %s\n", error->text);
        _exit(2);
    }
}

static void *add_people_and_versions(void *context) {
    const Child *child = context;
    for (uint32_t i = 0; i < UINT32_MAX; i++) {
        Error error = {0};
        char text[64];
        snprintf(text, sizeof text, "r%" PRIu32 "-%" PRIu32, child->round, i);
        uint64_t id;
        StoreNewAccount account = {.name = text, .password = "x"};
        must(store_account_add(child->store, &account, &id, &error), &error);
        acknowledge(child, ACK_ACCOUNT, id, text);
        StoreNewVersion version = {
            .bot = child->bot, .language = "c", .file_name = "a.c", .spec = ""};
        must(store_file_put(child->store, slice_of(text), &version.source, &error), &error);
        must(store_version_add(child->store, &version, &id, &error), &error);
        acknowledge(child, ACK_VERSION, id, text);
        if (i % 16 == 7)
            must(store_tidy(child->store, &error), &error);
    }
    return NULL;
}

static void *play_matches(void *context) {
    const Child *child = context;
    for (uint32_t i = 0; i < UINT32_MAX; i++) {
        Error error = {0};
        StoreNewSeat seats[2] = {{.label = "one"}, {.label = "two"}};
        StoreNewMatch match = {.kind = MATCH_LADDER,
                               .game = "aliens",
                               .map = "",
                               .spec = "",
                               .players = 2,
                               .seats = seats};
        StoreNewMatch matches[2] = {match, match};
        uint64_t ids[2];
        must(store_queue_matches(child->store, matches, 2, ids, &error), &error);
        acknowledge(child, ACK_MATCH, ids[0], "");
        acknowledge(child, ACK_MATCH, ids[1], "");
        StoreJob job;
        uint32_t count = 1;
        must(store_queue_lease(child->store, JOB_MATCH, "child", 1000000, &job, &count, &error),
             &error);
        char text[64];
        snprintf(text, sizeof text, "round %" PRIu32 ", result %" PRIu32 ", attempt %" PRIu32,
                 child->round, i, job.attempt);
        StoreSeatResult ranks[2] = {{.rank = 1, .status = ""}, {.rank = 2, .status = ""}};
        StoreMatchResult result = {
            .reason = text, .verdict = slice_of(text), .players = 2, .seats = ranks};
        must(store_file_put(child->store, slice_of(text), &result.replay, &error), &error);
        must(store_queue_finish_match(child->store, job.id, job.attempt, &result, &error), &error);
        acknowledge(child, ACK_RESULT, job.subject, text);
    }
    return NULL;
}

static _Noreturn void be_the_child(Child child, const char *directory) {
    Error error = {0};
    StoreOptions options = {
        .directory = directory, .database = test_database(), .relaxed = child.round % 2};
    child.store = store_open(&options, &error);
    if (!child.store) {
        fprintf(stderr, "the child: %s\n", error.text);
        _exit(2);
    }
    pthread_t thread;
    if (pthread_create(&thread, NULL, play_matches, &child) != 0)
        _exit(2);
    add_people_and_versions(&child);
    _exit(2);
}

/* ---- the parent ---- */

static int64_t now_us(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (int64_t)time.tv_sec * 1000000 + time.tv_nsec / 1000;
}

/* Waits until there is an acknowledgement. */
static void await_work(int pipe) {
    struct pollfd poller = {.fd = pipe, .events = POLLIN};
    while (poll(&poller, 1, -1) < 0)
        continue;
}

/* Reads acknowledgements until `moment`; then kills the child, and reads the rest of the pipe. */
static void kill_at(pid_t child, int pipe, int64_t moment) {
    bool killed = false;
    for (;;) {
        int64_t left = moment - now_us();
        if (!killed && left <= 0) {
            kill(child, SIGKILL);
            killed = true;
        }
        struct pollfd poller = {.fd = pipe, .events = POLLIN};
        struct timespec wait = {.tv_nsec = left > 0 ? left * 1000 : 0};
        int ready = ppoll(&poller, 1, killed ? NULL : &wait, NULL);
        if (ready <= 0)
            continue;
        assert_true(acks_count < ACKS_MAX);
        ssize_t count = read(pipe, &acks[acks_count], sizeof *acks);
        if (count == 0)
            break;
        assert_int_equal(count, sizeof *acks);
        acks_count++;
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); /* it did not fail by itself */
}

static void check_version(Store *store, const Ack *ack) {
    Error error = {0};
    StoreVersion version;
    assert_ok(store_version_get(store, ack->id, &version, &error));
    Buffer content = {0};
    assert_ok(store_file_read(store, &version.source, &content, &error));
    assert_string_equal(buffer_string(&content), ack->text);
    buffer_free(&content);
}

static void check_result_of(Store *store, const Ack *ack) {
    Error error = {0};
    StoreMatches match = {0};
    Buffer text = {0};
    assert_ok(store_match_get(store, ack->id, &match, &error));
    assert_int_equal(match.rows[0].state, MATCH_OVER);
    assert_ok(store_match_verdict(store, ack->id, &text, &error));
    assert_string_equal(buffer_string(&text), ack->text);
    buffer_clear(&text);
    assert_ok(store_file_read(store, &match.rows[0].replay, &text, &error));
    assert_string_equal(buffer_string(&text), ack->text);
    buffer_free(&text);
    store_matches_free(&match);
}

static void check_ack(Store *store, const Ack *ack) {
    Error error = {0};
    StoreAccount account;
    StoreMatches match = {0};
    switch (ack->kind) {
    case ACK_ACCOUNT:
        assert_ok(store_account_get(store, ack->id, &account, &error));
        assert_string_equal(account.name, ack->text);
        break;
    case ACK_VERSION:
        check_version(store, ack);
        break;
    case ACK_MATCH:
        assert_ok(store_match_get(store, ack->id, &match, &error));
        assert_int_equal(match.rows[0].players, 2);
        store_matches_free(&match);
        break;
    case ACK_RESULT:
        check_result_of(store, ack);
        break;
    }
}

static void play_round(TestStore *fixture, uint32_t round, uint64_t bot, Random *random) {
    int pipes[2];
    assert_int_equal(pipe(pipes), 0);
    fixture_close(fixture);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        close(pipes[0]);
        be_the_child((Child){.pipe = pipes[1], .round = round, .bot = bot}, fixture->directory);
    }
    close(pipes[1]);
    uint32_t before = acks_count;
    if (round % 2)
        await_work(pipes[0]); /* in the other rounds it may be killed while it opens the store */
    kill_at(child, pipes[0], now_us() + random_below(random, LONGEST_US));
    close(pipes[0]);
    fixture_open(fixture);
    Error error = {0};
    assert_ok(store_check(fixture->store, &error));
    for (uint32_t i = before; i < acks_count; i++)
        check_ack(fixture->store, &acks[i]);
    uint32_t recovered;
    assert_ok(store_queue_recover(fixture->store, "child", &recovered, &error));
    assert_in_range(recovered, 0, 1);
}

/* Finishes all remaining matches. Then each match has one result, and the numbers of the results
   ascend. They are consecutive on SQLite; on PostgreSQL, a number is lost with the transaction that
   took it. */
static void drain(Store *store) {
    Error error = {0};
    for (;;) {
        StoreJob job;
        uint32_t count = 1;
        assert_ok(store_queue_lease(store, JOB_MATCH, "parent", 1000, &job, &count, &error));
        if (!count)
            break;
        assert_ok(finish(store, job, "drained", &error));
    }
    StoreMatches matches = {0};
    uint64_t results = 0;
    uint64_t last = 0;
    do {
        assert_ok(store_matches_results(store, "aliens", last, 200, &matches, &error));
        for (uint32_t i = 0; i < matches.count; i++) {
            assert_true(matches.rows[i].result > last);
            last = matches.rows[i].result;
            results++;
        }
    } while (matches.count);
    assert_true(on_postgres() || last == results);
    store_matches_free(&matches);
    Transaction transaction = transaction_read(store, &error);
    assert_int_equal(sql_number(&transaction, "SELECT count(*) FROM matches", NULL, 0), results);
    assert_ok(transaction_end(&transaction));
}

static void acknowledged_writes_survive_kill_9(void **state) {
    TestStore *fixture = *state;
    const char *chosen = getenv("STORE_SEED");
    uint64_t seed = chosen ? strtoull(chosen, NULL, 10) : (uint64_t)time(NULL);
    print_message("STORE_SEED=%" PRIu64 "\n", seed);
    Random random = random_seeded(seed);
    Error error = {0};
    uint64_t owner = add_account(fixture->store, "owner", ROLE_PLAYER);
    uint64_t bot;
    assert_ok(store_bot_add(fixture->store, owner, "aliens", "hunter", &bot, &error));
    for (uint32_t round = 0; round < ROUNDS; round++)
        play_round(fixture, round, bot, &random);
    for (uint32_t i = 0; i < acks_count; i++)
        check_ack(fixture->store, &acks[i]);
    drain(fixture->store);
    print_message("%" PRIu32 " acknowledged writes over %d kills\n", acks_count, ROUNDS);
    assert_true(acks_count >= ROUNDS / 2); /* otherwise the child did too little */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(acknowledged_writes_survive_kill_9, fixture_setup,
                                        fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
