/* Settings that administrators change while the arena runs. */
#include "arena/settings.h"

#include "../store/fixture.h"
#include "store/transaction.h"

static void run_sql(Store *store, const char *sql) {
    Error error;
    Transaction transaction = transaction_write(store, &error);
    sql_run(&transaction, sql, NULL, 0);
    assert_ok(transaction_end(&transaction));
}

static void a_stored_setting_overrides_an_option(void **state) {
    const TestStore *fixture = *state;
    Arena arena = {.store = fixture->store};
    Error error;
    assert_true(settings_load(&arena, &error));
    assert_int_equal(arena_registration(&arena), REGISTRATION_OPEN);
    assert_true(arena_visitors(&arena));
    assert_ok(settings_set_registration(&arena, REGISTRATION_CLOSED, &error));
    assert_ok(settings_set_visitors(&arena, false, &error));
    Arena other = {.store = fixture->store, .options = {.no_ladder = true}};
    assert_true(settings_load(&other, &error));
    assert_int_equal(arena_registration(&other), REGISTRATION_CLOSED);
    assert_false(arena_visitors(&other));
    assert_false(arena_ladder_on(&other));
}

/* Otherwise, a closed arena would let strangers in while its database fails. */
static void settings_stay_as_they_are_while_the_store_fails(void **state) {
    const TestStore *fixture = *state;
    Arena arena = {.store = fixture->store};
    Error error;
    assert_ok(settings_set_registration(&arena, REGISTRATION_CLOSED, &error));
    assert_ok(settings_set_visitors(&arena, false, &error));
    assert_ok(settings_set_ladder(&arena, false, &error));
    run_sql(fixture->store, "ALTER TABLE settings RENAME TO away");
    assert_false(settings_load(&arena, &error));
    assert_int_equal(arena_registration(&arena), REGISTRATION_CLOSED);
    assert_false(arena_visitors(&arena));
    assert_false(arena_ladder_on(&arena));
    run_sql(fixture->store, "ALTER TABLE away RENAME TO settings");
    assert_true(settings_load(&arena, &error));
    assert_int_equal(arena_registration(&arena), REGISTRATION_CLOSED);
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(a_stored_setting_overrides_an_option),
        TEST(settings_stay_as_they_are_while_the_store_fails),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
