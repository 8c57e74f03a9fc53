/* Many threads (on PostgreSQL, of several processes) use the queue at the same time and do whatever
   holders of jobs can do, while others write to the rest of the store. In the end, no match has
   more than one result, and records and shares agree with the matches. */
#include "base/random.h"
#include "fixture.h"
#include "sql/database.h"
#include "store/internal.h"

#include <inttypes.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum {
    PROCESSES = 3,
    THREADS = 4, /* that hold jobs, in each process */
    MATCHES = 240,
    BOTS = 6,
    ATTEMPTS = 400,
    LEASE = 1000,
    WAIT_MAX_S = 120,
};

/* What the processes share. */
typedef struct Shared {
    _Atomic int64_t now;
    uint64_t seed;
    _Atomic uint32_t leases[MATCHES + 1][ATTEMPTS]; /* how often each attempt was leased */
    _Atomic uint32_t accepted[MATCHES + 1];         /* results */
    _Atomic uint32_t attempt[MATCHES + 1];          /* whose result was accepted */
    _Atomic uint32_t refused; /* results of holders that had not lost the job */
    _Atomic bool wrong;
    _Atomic bool over;
} Shared;

static Shared *shared;

static int64_t shared_now(void) {
    return shared->now;
}

typedef struct Member {
    Store *store;
    uint32_t number;
    uint64_t owner; /* an account that bots can be added to */
} Member;

static void complain(const char *what, const Error *error) {
    print_error("%s: %s\n", what, error->text);
    shared->wrong = true;
}

/* ---- holders of jobs ---- */

static const StoreSeatResult seats[2] = {{.rank = 1, .status = "alive"},
                                         {.rank = 2, .status = "crashed"}};

/* Finishes jobs together; `valid` means that their leases have not expired. */
static void finish_jobs(Member *member, const StoreJob *jobs, uint32_t count, bool valid) {
    char verdicts[4][32];
    StoreMatchResult results[4];
    StoreFinish finishes[4];
    for (uint32_t i = 0; i < count; i++) {
        snprintf(verdicts[i], sizeof *verdicts, "attempt %" PRIu32, jobs[i].attempt);
        results[i] = (StoreMatchResult){
            .verdict = slice_of(verdicts[i]), .reason = "", .players = 2, .seats = seats};
        finishes[i] =
            (StoreFinish){.job = jobs[i].id, .attempt = jobs[i].attempt, .result = &results[i]};
    }
    Error error = {0};
    if (store_queue_finish_matches(member->store, finishes, count, &error) != STORE_OK)
        complain("finishing", &error);
    for (uint32_t i = 0; i < count; i++)
        if (finishes[i].how == STORE_OK) {
            shared->accepted[jobs[i].subject]++;
            shared->attempt[jobs[i].subject] = jobs[i].attempt;
        } else {
            shared->refused += valid;
        }
}

/* Does one of the things, good or bad, that a holder can do to its jobs. Time only passes when a
   holder advances the clock; all leases may then have expired. */
static void handle(Member *member, Random *random, StoreJob *jobs, uint32_t count) {
    Error error = {0};
    StoreResult result = STORE_OK;
    bool over;
    StoreJob first = jobs[0];
    switch (random_below(random, 10)) {
    case 0: /* finishes them late and in another order */
        shared->now += LEASE;
        sched_yield();
        jobs[0] = jobs[count - 1];
        jobs[count - 1] = first;
        finish_jobs(member, jobs, count, false);
        break;
    case 1: /* never answers */
        break;
    case 2:
        for (uint32_t i = 0; i < count && result == STORE_OK; i++)
            result = store_queue_return(member->store, jobs[i].id, jobs[i].attempt, &error);
        break;
    case 3:
        result =
            store_queue_fail(member->store, first.id, first.attempt, "tripped", 0, &over, &error);
        break;
    case 4: /* finishes them twice */
        finish_jobs(member, jobs, count, false);
        finish_jobs(member, jobs, count, false);
        break;
    case 5:
        result = store_queue_extend(member->store, first.id, first.attempt, LEASE, NULL, &error);
        finish_jobs(member, jobs, 1, false);
        break;
    case 6:
        result = store_queue_interrupt(member->store, first.id, first.attempt, &error);
        break;
    default:
        finish_jobs(member, jobs, count, false);
    }
    if (result != STORE_OK && result != STORE_CONFLICT)
        complain("ending a lease", &error);
}

static void *hold_jobs(void *context) {
    Member *member = context;
    Random random = random_seeded(shared->seed + member->number);
    while (!shared->over && !shared->wrong) {
        StoreJob jobs[4];
        uint32_t count = 1 + random_below(&random, 4);
        Error error = {0};
        char holder[16];
        snprintf(holder, sizeof holder, "holder-%" PRIu32, member->number);
        if (store_queue_lease(member->store, JOB_MATCH | JOB_LONG, holder, LEASE, jobs, &count,
                              &error) != STORE_OK)
            complain("leasing", &error);
        for (uint32_t i = 0; i < count; i++)
            if (jobs[i].attempt < ATTEMPTS &&
                ++shared->leases[jobs[i].subject][jobs[i].attempt] > 1)
                complain("leasing", &(Error){.text = "two holders have the same attempt"});
        if (count)
            handle(member, &random, jobs, count);
        StoreQueueSize size = {0};
        if (!count && store_queue_size(member->store, &size, &error) == STORE_OK) {
            shared->over = !size.leased && !size.matches[MATCH_LADDER];
            shared->now += LEASE / 4; /* so that the leases of forgotten jobs expire */
        }
    }
    return NULL;
}

/* ---- other writers ---- */

static void *write_the_rest(void *context) {
    Member *member = context;
    Error error = {0};
    char name[32];
    for (uint32_t i = 0; !shared->over && !shared->wrong; i++) {
        uint64_t id;
        snprintf(name, sizeof name, "p%" PRIu32 "-%" PRIu32, member->number, i);
        if (store_account_add(member->store, &(StoreNewAccount){.name = name, .password = "x"}, &id,
                              &error) != STORE_OK ||
            store_bot_add(member->store, member->owner, "aliens", name, &id, &error) != STORE_OK)
            complain("adding", &error);
        else if (store_bot_retire(member->store, id, &error) != STORE_OK)
            complain("retiring", &error);
        sched_yield();
    }
    return NULL;
}

/* Reading a record counts the results that were not counted yet. */
static void *count_results(void *context) {
    Member *member = context;
    while (!shared->over && !shared->wrong) {
        StoreRecord record;
        Error error = {0};
        if (store_record_get(member->store, 1, 2, &record, &error) != STORE_OK)
            complain("reading a record", &error);
    }
    return NULL;
}

/* Runs the threads of a process on its store. */
static void run_threads(Store *store, uint32_t process, uint64_t owner) {
    enum { ALL = THREADS + 2 };
    static void *(*const others[])(void *) = {write_the_rest, count_results};
    pthread_t threads[ALL];
    Member members[ALL];
    for (uint32_t i = 0; i < ALL; i++) {
        members[i] = (Member){store, process * ALL + i, owner};
        assert_int_equal(
            pthread_create(&threads[i], NULL, i < 2 ? others[i] : hold_jobs, &members[i]), 0);
    }
    for (uint32_t i = 0; i < ALL; i++)
        pthread_join(threads[i], NULL);
}

/* ---- the processes ---- */

/* Creates a directory with the same store id, in which another process can open the store. The
   caller frees the path. */
static char *copied_directory(const TestStore *fixture, uint32_t process) {
    char name[16];
    char command[400];
    snprintf(name, sizeof name, "data-%" PRIu32, process);
    char *path = path_in(fixture, name);
    snprintf(command, sizeof command, "mkdir '%s' && cp '%s/store-id' '%s/'", path,
             fixture->directory, path);
    assert_int_equal(system(command), 0);
    return path;
}

static Store *open_shared(const char *directory) {
    Error error = {0};
    Store *store = store_open(&(StoreOptions){.directory = directory,
                                              .database = test_database(),
                                              .now = shared_now,
                                              .relaxed = true},
                              &error);
    if (!store)
        complain("opening", &error);
    return store;
}

static void run_processes(TestStore *fixture, uint64_t owner) {
    pid_t children[PROCESSES];
    uint32_t count = on_postgres() ? PROCESSES : 1;
    fixture_close(fixture); /* children would inherit its lock */
    for (uint32_t i = 1; i < count; i++) {
        char *directory = copied_directory(fixture, i);
        children[i] = fork();
        assert_true(children[i] >= 0);
        if (children[i] == 0) {
            alarm(WAIT_MAX_S);
            Store *store = open_shared(directory);
            if (store)
                run_threads(store, i, owner);
            store_close(store, NULL);
            _exit(0);
        }
        free(directory);
    }
    fixture->store = open_shared(fixture->directory);
    assert_non_null(fixture->store);
    alarm(WAIT_MAX_S);
    run_threads(fixture->store, 0, owner);
    alarm(0);
    for (uint32_t i = 1; i < count; i++) {
        int status;
        assert_int_equal(waitpid(children[i], &status, 0), children[i]);
        assert_int_equal(status, 0);
    }
}

/* ---- what must be true at the end ---- */

static int64_t number_of(Store *store, const char *sql) {
    Error error = {0};
    Transaction transaction = transaction_read(store, &error);
    int64_t number = sql_number(&transaction, sql, NULL, 0);
    assert_ok(transaction_end(&transaction));
    return number;
}

#define PAIRS                                                                         \
 "SELECT me.bot AS bot, o.bot AS opponent, count(*) AS matches, "                     \
 "sum(CASE WHEN me.place < o.place THEN 1 ELSE 0 END) AS won FROM matches m "         \
 "JOIN seats me ON me.match = m.id JOIN seats o ON o.match = m.id WHERE m.state = 2 " \
 "AND me.bot <> o.bot GROUP BY me.bot, o.bot"

/* Compares the records of bots with those computed from the matches. */
static void check_records(Store *store) {
    StoreRecord record;
    Error error = {0};
    assert_ok(store_record_get(store, 1, 2, &record, &error)); /* counts the remaining results */
    int64_t pairs = number_of(store, "SELECT count(*) FROM (" PAIRS ") AS p");
    assert_true(pairs > 0);
    assert_int_equal(number_of(store, "SELECT count(*) FROM records"), pairs);
    assert_int_equal(number_of(store, "SELECT count(*) FROM records r JOIN (" PAIRS
                                      ") AS p ON p.bot = r.bot AND p.opponent = r.opponent "
                                      "AND p.matches = r.matches AND p.won = r.won"),
                     pairs);
    assert_int_equal(number_of(store, "SELECT count(*) FROM matches WHERE state = 2 "
                                      "AND result IS NULL"),
                     0);
    assert_int_equal(number_of(store, "SELECT max(result) - (SELECT last FROM results) "
                                      "FROM matches"),
                     0);
}

/* Compares the streaks of bots with those computed from the results in their order. */
static void check_streaks(Store *store) {
    int64_t current[BOTS + 1] = {0};
    int64_t longest[BOTS + 1] = {0};
    Error error = {0};
    Transaction transaction = transaction_read(store, &error);
    sql_query(&transaction,
              "SELECT s.bot, s.place FROM matches m JOIN seats s ON s.match = m.id "
              "WHERE m.state = 2 ORDER BY m.result",
              NULL, 0);
    while (sql_row(&transaction)) {
        int64_t bot = database_number(transaction.database, 0);
        current[bot] = database_number(transaction.database, 1) == 1 ? current[bot] + 1 : 0;
        if (current[bot] > longest[bot])
            longest[bot] = current[bot];
    }
    sql_query(&transaction, "SELECT bot, current, longest FROM streaks", NULL, 0);
    int bots = 0;
    for (; sql_row(&transaction); bots++) {
        int64_t bot = database_number(transaction.database, 0);
        assert_int_equal(database_number(transaction.database, 1), current[bot]);
        assert_int_equal(database_number(transaction.database, 2), longest[bot]);
    }
    assert_int_equal(bots, BOTS);
    assert_ok(transaction_end(&transaction));
}

static void check_matches(Store *store) {
    Error error = {0};
    uint32_t results = 0;
    for (uint64_t id = 1; id <= MATCHES; id++) {
        StoreMatches found = {0};
        assert_ok(store_match_get(store, id, &found, &error));
        StoreMatchState state = found.rows[0].state;
        store_matches_free(&found);
        assert_true(state == MATCH_OVER || state == MATCH_GIVEN_UP);
        assert_int_equal(shared->accepted[id], state == MATCH_OVER);
        if (state != MATCH_OVER)
            continue;
        results++;
        /* Nobody leased the match after the attempt whose result was accepted. */
        for (uint32_t i = shared->attempt[id] + 1; i < ATTEMPTS; i++)
            assert_int_equal(shared->leases[id][i], 0);
        char expected[32];
        snprintf(expected, sizeof expected, "attempt %" PRIu32, shared->attempt[id]);
        Buffer verdict = {0};
        assert_ok(store_match_verdict(store, id, &verdict, &error));
        assert_string_equal(buffer_string(&verdict), expected);
        buffer_free(&verdict);
    }
    assert_true(results > MATCHES / 4);
    assert_int_equal(number_of(store, "SELECT count(*) FROM jobs"), 0);
}

/* ---- the tests ---- */

static uint64_t add_bots(Store *store) {
    uint64_t owner = add_account(store, "ada", ROLE_PLAYER);
    for (uint64_t i = 1; i <= BOTS; i++) {
        char name[16];
        snprintf(name, sizeof name, "bot-%" PRIu64, i);
        assert_int_equal(add_bot(store, owner, "aliens", name, NULL), i);
    }
    return owner;
}

static int setup(void **state) {
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    shared->now = 1000000;
    return fixture_setup(state);
}

static int teardown(void **state) {
    munmap(shared, sizeof *shared);
    return fixture_teardown(state);
}

static void every_match_has_one_result_that_counts_once_whatever_holders_do(void **state) {
    TestStore *fixture = *state;
    const char *chosen = getenv("STORE_SEED");
    shared->seed = chosen ? strtoull(chosen, NULL, 10) : (uint64_t)time(NULL);
    print_message("STORE_SEED=%" PRIu64 "\n", shared->seed);
    uint64_t owner = add_bots(fixture->store);
    for (uint64_t i = 0; i < MATCHES; i++)
        add_match(fixture->store, MATCH_LADDER, "aliens", 1 + i % BOTS,
                  1 + (i + 1 + i / 7 % 3) % BOTS);
    run_processes(fixture, owner);
    assert_false(shared->wrong);
    check_matches(fixture->store);
    check_records(fixture->store);
    check_streaks(fixture->store);
    if (on_postgres())
        assert_int_equal(number_of(fixture->store, "SELECT deadlocks FROM pg_stat_database "
                                                   "WHERE datname = current_database()"),
                         0);
}

typedef struct Team {
    Store *store;
    pthread_barrier_t together;
    _Atomic uint32_t finished;
} Team;

/* Leases as many jobs as it can get, waits until all threads have done so, and finishes its jobs a
   tenth of a second later. Then all threads count the results at the same time. */
static void *play_together(void *context) {
    Team *team = context;
    Member member = {.store = team->store};
    StoreJob jobs[20];
    uint32_t count = 20;
    Error error = {0};
    if (store_queue_lease(team->store, JOB_MATCH, "team", LEASE, jobs, &count, &error) != STORE_OK)
        complain("leasing", &error);
    if (pthread_barrier_wait(&team->together) == PTHREAD_BARRIER_SERIAL_THREAD)
        shared->now += 100;
    pthread_barrier_wait(&team->together);
    for (uint32_t i = 0; i < count; i += 4)
        finish_jobs(&member, &jobs[i], count - i < 4 ? count - i : 4, true);
    team->finished += count;
    pthread_barrier_wait(&team->together);
    StoreRecord record;
    if (store_record_get(team->store, 1, 2, &record, &error) != STORE_OK)
        complain("reading a record", &error);
    return NULL;
}

static void results_that_arrive_at_the_same_time_are_all_accepted_charged_and_counted(
    void **state) {
    TestStore *fixture = *state;
    add_bots(fixture->store);
    for (uint64_t i = 0; i < 120; i++)
        add_match(fixture->store, MATCH_LADDER, "aliens", 1 + i % BOTS, 1 + (i + 1) % BOTS);
    fixture_close(fixture);
    fixture->store = open_shared(fixture->directory);
    assert_non_null(fixture->store);
    Team team = {.store = fixture->store};
    enum { PLAYERS = 8 };
    pthread_barrier_init(&team.together, NULL, PLAYERS);
    pthread_t threads[PLAYERS];
    for (int i = 0; i < PLAYERS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, play_together, &team), 0);
    for (int i = 0; i < PLAYERS; i++)
        pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&team.together);
    assert_false(shared->wrong);
    assert_int_equal(shared->refused, 0);
    assert_int_equal(team.finished, 120);
    assert_int_equal(number_of(fixture->store, "SELECT sum(used) FROM shares "
                                               "WHERE requester = 'ladder'"),
                     120 * 100);
    check_records(fixture->store);
    check_streaks(fixture->store);
}

/* ---- counting while a result is being stored ---- */

typedef struct Reading {
    Store *store;
    StoreRecord record;
    _Atomic bool done;
} Reading;

static void *read_record(void *context) {
    Reading *reading = context;
    Error error = {0};
    if (store_record_get(reading->store, 1, 2, &reading->record, &error) != STORE_OK)
        complain("reading a record", &error);
    reading->done = true;
    return NULL;
}

static void a_result_that_is_stored_out_of_order_is_counted_too(void **state) {
    Store *store = ((TestStore *)*state)->store;
    if (!on_postgres())
        skip(); /* results are stored one after the other */
    Error error = {0};
    add_bots(store);
    uint64_t first = add_match(store, MATCH_LADDER, "aliens", 1, 2);
    add_match(store, MATCH_LADDER, "aliens", 1, 2);
    StoreJob jobs[2] = {lease_one(store, LEASE), lease_one(store, LEASE)};
    assert_int_equal(jobs[0].subject, first);
    /* As store_queue_finish_match does. */
    Transaction transaction = transaction_share(store, &error);
    sql_run(&transaction,
            "UPDATE matches SET state = 2, result = nextval('result_numbers') WHERE id = ?1",
            VALUES(as_id(first)));
    sql_run(&transaction, "UPDATE seats SET place = seat + 1 WHERE match = ?1",
            VALUES(as_id(first)));
    sql_run(&transaction, "DELETE FROM jobs WHERE match = ?1", VALUES(as_id(first)));
    assert_ok(finish(store, jobs[1], "second", &error));
    Reading reading = {.store = store};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, read_record, &reading), 0);
    while (!reading.done && !number_of(store, "SELECT count(*) FROM pg_locks WHERE NOT granted"))
        sched_yield();
    assert_false(reading.done);
    assert_ok(transaction_end(&transaction));
    pthread_join(thread, NULL);
    assert_int_equal(reading.record.matches, 2);
    assert_int_equal(reading.record.won, 2);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(every_match_has_one_result_that_counts_once_whatever_holders_do),
        CASE(results_that_arrive_at_the_same_time_are_all_accepted_charged_and_counted),
        CASE(a_result_that_is_stored_out_of_order_is_counted_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
