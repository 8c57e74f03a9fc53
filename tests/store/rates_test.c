/* Shared rate limits: token buckets that the processes on one database share. */
#include "fixture.h"

#include <pthread.h>

enum { TOKEN_MS = 1000, BURST = 5 };

static const StoreRate guess = {"guess", 17, TOKEN_MS, TOKEN_MS *BURST};

/* Takes a token, and returns 0; otherwise returns how long to wait for one. */
static int64_t take(Store *store, const StoreRate *rate) {
    Error error;
    int64_t wait = -1;
    assert_ok(store_rate_take(store, rate, &wait, &error));
    return wait;
}

static void a_bucket_allows_a_burst_and_then_one_token_at_a_time(void **state) {
    const TestStore *fixture = *state;
    for (int i = 0; i < BURST; i++)
        assert_int_equal(take(fixture->store, &guess), 0);
    assert_int_equal(take(fixture->store, &guess), TOKEN_MS);
    test_time += TOKEN_MS / 4;
    assert_int_equal(take(fixture->store, &guess), TOKEN_MS * 3 / 4);
    test_time += TOKEN_MS * 3 / 4;
    assert_int_equal(take(fixture->store, &guess), 0);
    assert_int_equal(take(fixture->store, &guess), TOKEN_MS);
    test_time += TOKEN_MS * 100; /* no more than a burst is saved up */
    for (int i = 0; i < BURST; i++)
        assert_int_equal(take(fixture->store, &guess), 0);
    assert_true(take(fixture->store, &guess) > 0);
}

static void a_clock_that_was_fast_locks_nobody_out(void **state) {
    const TestStore *fixture = *state;
    test_time += 7200000;
    for (int i = 0; i < BURST; i++)
        assert_int_equal(take(fixture->store, &guess), 0);
    test_time -= 7200000;
    assert_int_equal(take(fixture->store, &guess), TOKEN_MS);
    test_time += TOKEN_MS;
    assert_int_equal(take(fixture->store, &guess), 0);
    assert_int_equal(take(fixture->store, &guess), TOKEN_MS);
}

static void keys_and_limits_have_separate_buckets(void **state) {
    const TestStore *fixture = *state;
    const StoreRate whole = {"guess", 17, TOKEN_MS, TOKEN_MS};
    const StoreRate other_key = {"guess", 18, TOKEN_MS, TOKEN_MS};
    const StoreRate other_limit = {"account", 17, TOKEN_MS, TOKEN_MS};
    assert_int_equal(take(fixture->store, &whole), 0);
    assert_true(take(fixture->store, &whole) > 0);
    assert_int_equal(take(fixture->store, &other_key), 0);
    assert_int_equal(take(fixture->store, &other_limit), 0);
}

static void a_token_that_does_not_count_is_returned(void **state) {
    const TestStore *fixture = *state;
    Error error;
    for (int i = 0; i < BURST * 3; i++) {
        assert_int_equal(take(fixture->store, &guess), 0);
        assert_ok(store_rate_give_back(fixture->store, &guess, &error));
    }
    for (int i = 0; i < BURST; i++)
        assert_int_equal(take(fixture->store, &guess), 0);
    assert_true(take(fixture->store, &guess) > 0);
}

static void only_full_buckets_are_forgotten(void **state) {
    const TestStore *fixture = *state;
    Error error;
    for (int i = 0; i < BURST; i++)
        take(fixture->store, &guess);
    test_time += TOKEN_MS * BURST - 1;
    assert_ok(store_rates_trim(fixture->store, &error));
    for (int i = 0; i < BURST - 1; i++)
        assert_int_equal(take(fixture->store, &guess), 0);
    assert_int_equal(take(fixture->store, &guess), 1);
    test_time += TOKEN_MS * BURST;
    assert_ok(store_rates_trim(fixture->store, &error));
    assert_int_equal(take(fixture->store, &guess), 0);
}

typedef struct Requester {
    Store *store;
    uint32_t got;
} Requester;

static void *take_many(void *context) {
    Requester *requester = context;
    Error error;
    for (int i = 0; i < 50; i++) {
        int64_t wait = 1;
        if (store_rate_take(requester->store, &guess, &wait, &error) == STORE_OK && !wait)
            requester->got++;
    }
    return NULL;
}

static void concurrent_requests_share_one_limit(void **state) {
    const TestStore *fixture = *state;
    enum { REQUESTERS = 4 };
    Requester requesters[REQUESTERS];
    pthread_t threads[REQUESTERS];
    uint32_t got = 0;
    for (int i = 0; i < REQUESTERS; i++) {
        requesters[i] = (Requester){.store = fixture->store};
        assert_int_equal(pthread_create(&threads[i], NULL, take_many, &requesters[i]), 0);
    }
    for (int i = 0; i < REQUESTERS; i++) {
        pthread_join(threads[i], NULL);
        got += requesters[i].got;
    }
    assert_int_equal(got, BURST);
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(a_bucket_allows_a_burst_and_then_one_token_at_a_time),
        CASE(a_clock_that_was_fast_locks_nobody_out),
        CASE(keys_and_limits_have_separate_buckets),
        CASE(a_token_that_does_not_count_is_returned),
        CASE(only_full_buckets_are_forgotten),
        CASE(concurrent_requests_share_one_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
