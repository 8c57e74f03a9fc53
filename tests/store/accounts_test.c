/* Accounts and what lets people in: names, roles, sessions, tokens, invitations, and what remains
   of a deleted account. */
#include "fixture.h"
#include "store/transaction.h"

static StoreResult add_token(Store *store, uint64_t account, const char *name, Slice secret,
                             int64_t expires, uint64_t *id, Error *error) {
    StoreToken token = {.account = account, .scopes = 3, .expires = expires};
    snprintf(token.name, sizeof token.name, "%s", name);
    return store_token_add(store, &token, secret, id, error);
}

static Store *store_of(void **state) {
    return ((TestStore *)*state)->store;
}

/* ---- names ---- */

static void account_names_have_only_safe_characters(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const char *says; /* NULL: good */
    } names[] = {
        {"ab", NULL},
        {"Ada-Lovelace_1815", NULL},
        {"abcdefghijklmnopqrstuvwxyz012345", NULL},
        {"a", "2 to 32 characters"},
        {"", "not 0"},
        {"abcdefghijklmnopqrstuvwxyz0123456", "not 33"},
        {"1st", "must start with a letter"},
        {"-x", "must start with a letter"},
        {"a b", "character 2"},
        {"a/b", "character 2"},
        {"ab<script>", "character 3"},
        {"\xD0\xB0"
         "dmin",
         "character 1"}, /* a Cyrillic a */
        {"DELETED_17", "are reserved"},
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        Error error = {0};
        assert_int_equal(store_name_check("an account", slice_of(names[i].name), &error),
                         !names[i].says);
        if (names[i].says)
            assert_says(&error, names[i].says);
    }
}

static void account_names_are_unique_regardless_of_case(void **state) {
    Store *store = store_of(state);
    Error error;
    add_account(store, "Ada_L", ROLE_PLAYER);
    StoreNewAccount again = {.name = "aDA-l", .password = "x"};
    assert_result(STORE_CONFLICT, store_account_add(store, &again, NULL, &error));
    assert_string_equal(error.text, "the name \"aDA-l\" is taken; choose another name");
    StoreNewAccount bad = {.name = "no spaces", .password = "x"};
    assert_result(STORE_REJECTED, store_account_add(store, &bad, NULL, &error));
    StoreAccount found;
    assert_ok(store_account_find(store, slice_of("ADA_L"), &found, &error));
    assert_string_equal(found.name, "Ada_L");
    assert_result(STORE_NOT_FOUND,
                  store_account_find(store, slice_of("no spaces"), &found, &error));
}

/* ---- roles ---- */

static void an_account_is_read_back_unchanged(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_account(store, "ada", ROLE_ORGANISER);
    StoreAccount account;
    assert_ok(store_account_get(store, id, &account, &error));
    assert_string_equal(account.name, "ada");
    assert_int_equal(account.role, ROLE_ORGANISER);
    assert_int_equal(account.state, ACCOUNT_ACTIVE);
    assert_int_equal(account.created, test_time);
    Buffer hash = {0};
    assert_ok(store_account_password(store, id, &hash, &error));
    assert_string_equal(buffer_string(&hash), "hash");
    buffer_free(&hash);
    assert_result(STORE_NOT_FOUND, store_account_get(store, id + 1, &account, &error));
    assert_string_equal(error.text, "unknown account 2");
}

static void the_last_administrator_cannot_be_removed(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t first = add_account(store, "first", ROLE_ADMINISTRATOR);
    assert_result(STORE_REJECTED, store_account_set_role(store, first, ROLE_PLAYER, &error));
    assert_string_equal(error.text,
                        "this is the last administrator; make another account one first");
    assert_result(STORE_REJECTED, store_account_suspend(store, first, true, &error));
    assert_result(STORE_REJECTED, store_account_delete(store, first, &error));
    uint64_t second = add_account(store, "second", ROLE_ADMINISTRATOR);
    assert_ok(store_account_suspend(store, second, true, &error));
    assert_result(STORE_REJECTED, store_account_delete(store, first, &error));
    assert_ok(store_account_suspend(store, second, false, &error));
    assert_ok(store_account_delete(store, first, &error));
    uint64_t player = add_account(store, "player", ROLE_PLAYER);
    assert_ok(store_account_set_role(store, player, ROLE_ORGANISER, &error));
    StoreAccount account;
    assert_ok(store_account_get(store, player, &account, &error));
    assert_int_equal(account.role, ROLE_ORGANISER);
}

/* ---- sessions and tokens ---- */

static void a_session_is_found_by_its_secret_until_it_expires(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_account(store, "ada", ROLE_PLAYER);
    Slice secret = {"s\0cret", 6};
    assert_ok(store_session_add(store, id, secret, "127.0.0.1", test_time + 100, NULL, &error));
    StoreSession session;
    StoreAccount account;
    assert_ok(store_session_find(store, secret, &session, &account, &error));
    assert_int_equal(session.account, id);
    assert_string_equal(session.address, "127.0.0.1");
    assert_string_equal(account.name, "ada");
    assert_result(STORE_NOT_FOUND, store_session_find(store, slice_of("s"), NULL, NULL, &error));
    test_time += 99;
    assert_ok(store_session_find(store, secret, NULL, NULL, &error));
    test_time += 1;
    assert_result(STORE_NOT_FOUND, store_session_find(store, secret, NULL, NULL, &error));
    assert_string_equal(error.text, "this session has ended");
    assert_result(STORE_NOT_FOUND,
                  store_session_add(store, 99, slice_of("x"), "", 5, NULL, &error));
}

static void a_suspended_account_has_no_access(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_account(store, "ada", ROLE_PLAYER);
    assert_ok(store_session_add(store, id, slice_of("s"), "", INT64_MAX, NULL, &error));
    assert_ok(add_token(store, id, "laptop", slice_of("t"), 0, NULL, &error));
    assert_ok(store_account_suspend(store, id, true, &error));
    assert_result(STORE_NOT_FOUND, store_session_find(store, slice_of("s"), NULL, NULL, &error));
    assert_result(STORE_NOT_FOUND, store_token_find(store, slice_of("t"), NULL, NULL, &error));
    assert_ok(store_account_suspend(store, id, false, &error));
    assert_ok(store_session_find(store, slice_of("s"), NULL, NULL, &error));
    assert_ok(store_token_find(store, slice_of("t"), NULL, NULL, &error));
}

static void the_bots_of_a_suspended_account_do_not_play(void **state) {
    Store *store = store_of(state);
    Error error;
    StoreBot row;
    StorePage page = {.limit = 1};
    uint64_t version;
    uint64_t id = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bot = add_bot(store, id, "aliens", "hunter", &version);
    StoreRating rating = {.bot = bot, .version = version, .rating = 1, .matches = 3};
    assert_ok(store_ratings_set(store, "aliens", &rating, 1, true, &error));
    assert_ok(store_account_suspend(store, id, true, &error));
    assert_ok(store_bot_get(store, bot, &row, &error));
    assert_int_equal(row.active, 0);
    assert_int_equal(row.active_number, 0);
    assert_ok(store_bots_list(store, 0, "aliens", &page, &row, &error));
    assert_int_equal(row.active, 0);
    assert_result(STORE_NOT_FOUND, store_rating_get(store, bot, &rating, &error));
    /* Ratings computed earlier do not put the bot back on the ladder. */
    assert_ok(store_ratings_set(store, "aliens", &rating, 1, true, &error));
    assert_result(STORE_NOT_FOUND, store_rating_get(store, bot, &rating, &error));
    assert_ok(store_account_suspend(store, id, false, &error));
    assert_ok(store_bot_get(store, bot, &row, &error));
    assert_int_equal(row.active, version);
    assert_int_equal(row.active_number, 1);
    assert_ok(store_ratings_set(store, "aliens", &rating, 1, true, &error));
    assert_ok(store_rating_get(store, bot, &rating, &error));
}

static StoreMatchState state_of(Store *store, uint64_t id) {
    Error error;
    StoreMatches matches = {0};
    assert_ok(store_match_get(store, id, &matches, &error));
    StoreMatchState state = matches.rows[0].state;
    store_matches_free(&matches);
    return state;
}

/* Suspends or deletes an account that has waiting and running jobs. */
static void stop_account(Store *store, bool delete) {
    Error error;
    uint64_t version;
    uint64_t ids[2];
    uint64_t ada = add_account(store, delete ? "ada" : "eve", ROLE_PLAYER);
    uint64_t bob = add_account(store, delete ? "bob" : "dan", ROLE_PLAYER);
    uint64_t hers = add_bot(store, ada, "aliens", "hunter", &version);
    uint64_t his = add_bot(store, bob, "aliens", "walker", NULL);
    StoreNewSeat draft = {.label = "draft"};
    StoreNewMatch match = {
        .game = "aliens", .map = "", .spec = "{}", .requester = ada, .players = 1, .seats = &draft};
    assert_ok(store_queue_matches(store, &match, 1, &ids[0], &error));
    StoreJob running = lease_one(store, 1000);
    assert_ok(store_queue_matches(store, &match, 1, &ids[1], &error));
    uint64_t ranked = add_match(store, MATCH_LADDER, "aliens", hers, his);
    uint64_t other = add_match(store, MATCH_PLAY_NOW, "aliens", his, 0);
    add_version(store, hers, "x");
    assert_ok(delete ? store_account_delete(store, ada, &error)
                     : store_account_suspend(store, ada, true, &error));
    assert_int_equal(state_of(store, ids[0]), MATCH_CALLED_OFF);
    assert_int_equal(state_of(store, ids[1]), MATCH_CALLED_OFF);
    assert_int_equal(state_of(store, ranked), MATCH_CALLED_OFF);
    assert_int_equal(state_of(store, other), MATCH_WAITING);
    assert_result(STORE_CONFLICT, finish(store, running, "{}", &error));
    StoreQueueSize size;
    assert_ok(store_queue_size(store, &size, &error));
    assert_int_equal(size.builds, 0);
    assert_int_equal(size.leased, 0);
    /* Nobody can choose the account's bot. */
    StoreNewSeat seat = {.bot = hers, .version = version};
    match = (StoreNewMatch){
        .game = "aliens", .map = "", .spec = "{}", .requester = bob, .players = 1, .seats = &seat};
    assert_result(STORE_REJECTED, store_queue_matches(store, &match, 1, ids, &error));
    assert_ok(store_queue_call_off(store, other, NULL, &error));
    if (delete)
        return;
    uint64_t cup;
    StoreNewTournament tournament = {
        .organiser = bob, .name = "cup", .game = "aliens", .format = "swiss", .plan = "{}"};
    assert_ok(store_tournament_add(store, &tournament, &cup, &error));
    assert_result(STORE_REJECTED, store_tournament_enter(store, cup, hers, &error));
    assert_ok(store_account_suspend(store, ada, false, &error));
    assert_ok(store_queue_matches(store, &match, 1, ids, &error));
    assert_ok(store_tournament_enter(store, cup, hers, &error));
    /* The bot leaves a tournament that has not begun. */
    assert_ok(store_account_suspend(store, ada, true, &error));
    assert_result(STORE_NOT_FOUND, store_tournament_leave(store, cup, hers, &error));
}

static void a_suspended_or_deleted_account_leaves_nothing_in_the_queue(void **state) {
    stop_account(store_of(state), false);
    stop_account(store_of(state), true);
}

static void a_new_password_ends_the_other_sessions(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t id = add_account(store, "ada", ROLE_PLAYER);
    uint64_t other = add_account(store, "bob", ROLE_PLAYER);
    assert_ok(store_session_add(store, id, slice_of("here"), "", INT64_MAX, NULL, &error));
    assert_ok(store_session_add(store, id, slice_of("there"), "", INT64_MAX, NULL, &error));
    assert_ok(store_session_add(store, other, slice_of("bob's"), "", INT64_MAX, NULL, &error));
    assert_ok(add_token(store, id, "ada's", slice_of("t1"), 0, NULL, &error));
    assert_ok(add_token(store, other, "bob's", slice_of("t2"), 0, NULL, &error));
    assert_result(STORE_NOT_FOUND, store_account_rehash(store, id, "other", "new", &error));
    assert_ok(store_account_rehash(store, id, "hash", "hashed again", &error));
    assert_ok(store_session_find(store, slice_of("there"), NULL, NULL, &error));
    assert_ok(store_token_find(store, slice_of("t1"), NULL, NULL, &error));
    assert_ok(store_account_set_password(store, id, "new", true, slice_of("here"), &error));
    assert_result(STORE_NOT_FOUND, store_token_find(store, slice_of("t1"), NULL, NULL, &error));
    assert_ok(store_token_find(store, slice_of("t2"), NULL, NULL, &error));
    assert_ok(store_session_find(store, slice_of("here"), NULL, NULL, &error));
    assert_result(STORE_NOT_FOUND,
                  store_session_find(store, slice_of("there"), NULL, NULL, &error));
    assert_ok(store_session_find(store, slice_of("bob's"), NULL, NULL, &error));
    assert_ok(store_account_set_password(store, id, "newer", false, (Slice){0}, &error));
    assert_result(STORE_NOT_FOUND, store_session_find(store, slice_of("here"), NULL, NULL, &error));
}

static void a_session_is_ended_only_by_its_own_account(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t session;
    assert_ok(store_session_add(store, ada, slice_of("s"), "", INT64_MAX, &session, &error));
    assert_result(STORE_NOT_FOUND, store_session_end(store, bob, session, &error));
    assert_ok(store_session_end(store, bob, 0, &error));
    assert_ok(store_session_find(store, slice_of("s"), NULL, NULL, &error));
    assert_ok(store_session_end(store, ada, session, &error));
    assert_result(STORE_NOT_FOUND, store_session_find(store, slice_of("s"), NULL, NULL, &error));
}

static void a_token_can_be_named_used_and_revoked(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t id;
    assert_ok(add_token(store, ada, "laptop", slice_of("t"), 0, &id, &error));
    assert_result(STORE_CONFLICT, add_token(store, ada, "laptop", slice_of("u"), 0, NULL, &error));
    assert_string_equal(error.text, "you already have a token with this name; choose another name");
    assert_ok(add_token(store, bob, "laptop", slice_of("v"), test_time + 5, NULL, &error));
    assert_ok(store_token_used(store, id, &error));
    StoreToken token;
    StoreAccount account;
    assert_ok(store_token_find(store, slice_of("t"), &token, &account, &error));
    assert_string_equal(token.name, "laptop");
    assert_int_equal(token.scopes, 3);
    assert_int_equal(token.used, test_time);
    assert_int_equal(account.id, ada);
    assert_result(STORE_NOT_FOUND, store_token_revoke(store, bob, id, &error));
    assert_ok(store_token_revoke(store, ada, id, &error));
    assert_result(STORE_NOT_FOUND, store_token_find(store, slice_of("t"), NULL, NULL, &error));
    test_time += 5;
    /* An expired token is found, so that its owner can be told why it is rejected. */
    assert_ok(store_token_find(store, slice_of("v"), &token, NULL, &error));
    assert_int_equal(token.expires, test_time);
    assert_ok(add_token(store, bob, "laptop", slice_of("w"), test_time + 5, NULL, &error));
    assert_result(STORE_NOT_FOUND, store_token_find(store, slice_of("v"), NULL, NULL, &error));
}

/* Searches the whole database as one text. */
static void whether_the_server_has(TestStore *fixture, const char *needle, bool expected) {
    Error error;
    Transaction transaction = transaction_read(fixture->store, &error);
    int64_t found = sql_number(
        &transaction, "SELECT strpos(CAST(database_to_xml(true, false, '') AS TEXT), ?1) > 0",
        VALUES(as_text(needle)));
    assert_ok(transaction_end(&transaction));
    assert_int_equal(found, expected);
}

static void whether_the_database_has(TestStore *fixture, const char *needle, bool expected) {
    if (on_postgres()) {
        whether_the_server_has(fixture, needle, expected);
        return;
    }
    fixture_close(fixture);
    char *path = path_in(fixture, "data/arena.db");
    FILE *file = fopen(path, "rb");
    assert_non_null(file);
    static char bytes[1 << 21];
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    free(path);
    assert_true(length < sizeof bytes);
    assert_int_equal(memmem(bytes, length, needle, strlen(needle)) != NULL, expected);
    fixture_open(fixture);
}

static void secrets_are_not_in_the_database(void **state) {
    TestStore *fixture = *state;
    Error error;
    uint64_t id = add_account(fixture->store, "visible-name", ROLE_PLAYER);
    assert_ok(store_session_add(fixture->store, id, slice_of("session-secret"), "", INT64_MAX, NULL,
                                &error));
    assert_ok(add_token(fixture->store, id, "t", slice_of("token-secret"), 0, NULL, &error));
    StoreInvitation invitation = {.creator = id, .left = 1};
    assert_ok(store_invitation_add(fixture->store, &invitation, "invitation-secret", NULL, &error));
    whether_the_database_has(fixture, "visible-name", true);
    whether_the_database_has(fixture, "-secret", false);
}

/* ---- invitations ---- */

static void an_invitation_can_be_used_as_often_as_it_allows(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t host = add_account(store, "host", ROLE_ADMINISTRATOR);
    StoreInvitation invitation = {.creator = host,
                                  .note = "the course",
                                  .role = ROLE_ORGANISER,
                                  .left = 2,
                                  .expires = test_time + 100};
    assert_ok(store_invitation_add(store, &invitation, "code", NULL, &error));
    StoreNewAccount guest = {.name = "first", .password = "x", .invitation = "code"};
    uint64_t id;
    assert_ok(store_account_add(store, &guest, &id, &error));
    StoreAccount account;
    assert_ok(store_account_get(store, id, &account, &error));
    assert_int_equal(account.role, ROLE_ORGANISER);
    /* A rejected registration does not use up the code. */
    assert_result(STORE_CONFLICT, store_account_add(store, &guest, NULL, &error));
    guest.name = "second";
    assert_ok(store_account_add(store, &guest, NULL, &error));
    guest.name = "third";
    assert_result(STORE_REJECTED, store_account_add(store, &guest, NULL, &error));
    assert_string_equal(error.text,
                        "this invitation code is unknown, used up or expired; ask for a new one");
    assert_result(STORE_NOT_FOUND, store_account_find(store, slice_of("third"), &account, &error));
    assert_ok(store_invitation_add(store, &invitation, "other", NULL, &error));
    test_time += 100;
    guest.invitation = "other";
    assert_result(STORE_REJECTED, store_account_add(store, &guest, NULL, &error));
}

/* ---- leaving ---- */

/* Adds a finished match of code that could not be built; returns its id. */
static uint64_t add_tried_code(Store *store, uint64_t requester) {
    Error error;
    uint64_t id;
    StoreNewSeat seat = {.label = "code"};
    StoreNewMatch match = {.kind = MATCH_PLAY_NOW,
                           .game = "aliens",
                           .map = "",
                           .spec = "",
                           .requester = requester,
                           .players = 1,
                           .seats = &seat};
    StoreSeatResult failed = {.rank = 1, .status = "did not start"};
    StoreMatchResult result = {.reason = "did not start",
                               .verdict = slice_of("{}"),
                               .logs = slice_of("[\"main.c:1\"]"),
                               .players = 1,
                               .seats = &failed};
    assert_ok(store_queue_matches(store, &match, 1, &id, &error));
    StoreJob job = lease_one(store, 1000);
    assert_int_equal(job.subject, id);
    assert_ok(store_queue_finish_match(store, job.id, job.attempt, &result, &error));
    return id;
}

static void a_deleted_account_leaves_its_matches_without_names_or_sources(void **state) {
    Store *store = store_of(state);
    Error error;
    uint64_t ada = add_account(store, "ada", ROLE_PLAYER);
    uint64_t bob = add_account(store, "bob", ROLE_PLAYER);
    uint64_t version;
    uint64_t hunter = add_bot(store, ada, "aliens", "hunter", &version);
    uint64_t runner = add_bot(store, bob, "aliens", "runner", NULL);
    uint64_t unbuilt = add_version(store, hunter, "unbuilt");
    uint64_t played = add_match(store, MATCH_LADDER, "aliens", hunter, runner);
    assert_ok(finish(store, lease_one(store, 1000), "{}", &error));
    uint64_t waiting = add_match(store, MATCH_LADDER, "aliens", hunter, runner);
    StoreJob leased = lease_one(store, 1000);
    StoreRating rating = {.bot = hunter, .version = version, .rating = 1500};
    assert_ok(store_ratings_set(store, "aliens", &rating, 1, true, &error));
    assert_ok(store_session_add(store, ada, slice_of("s"), "", INT64_MAX, NULL, &error));
    assert_ok(add_token(store, ada, "t", slice_of("t"), 0, NULL, &error));
    uint64_t tried[2] = {add_tried_code(store, ada), add_tried_code(store, bob)};

    assert_ok(store_account_delete(store, ada, &error));

    Buffer logs = {0};
    assert_ok(store_match_logs(store, tried[0], &logs, &error));
    assert_int_equal(logs.length, 0);
    assert_ok(store_match_logs(store, tried[1], &logs, &error));
    assert_string_equal(buffer_string(&logs), "[\"main.c:1\"]");
    buffer_free(&logs);

    StoreAccount account;
    assert_ok(store_account_get(store, ada, &account, &error));
    assert_string_equal(account.name, "deleted-1");
    assert_int_equal(account.state, ACCOUNT_DELETED);
    assert_result(STORE_NOT_FOUND, store_account_find(store, slice_of("ada"), &account, &error));
    assert_result(STORE_NOT_FOUND,
                  store_account_find(store, slice_of("deleted-1"), &account, &error));
    assert_result(STORE_NOT_FOUND, store_account_delete(store, ada, &error));
    assert_result(STORE_NOT_FOUND, store_session_find(store, slice_of("s"), NULL, NULL, &error));
    assert_result(STORE_NOT_FOUND, store_token_find(store, slice_of("t"), NULL, NULL, &error));
    StoreMatches match = {0};
    assert_ok(store_match_get(store, played, &match, &error));
    assert_int_equal(match.rows[0].state, MATCH_OVER);
    assert_string_equal(match.rows[0].seats[0].name, "deleted-1");
    assert_string_equal(match.rows[0].seats[0].owner_name, "deleted-1");
    assert_string_equal(match.rows[0].seats[1].name, "runner");
    assert_ok(store_match_get(store, waiting, &match, &error));
    assert_int_equal(match.rows[0].state, MATCH_CALLED_OFF);
    assert_result(STORE_CONFLICT, finish(store, leased, "{}", &error));
    store_matches_free(&match);
    StoreVersion gone;
    assert_ok(store_version_get(store, version, &gone, &error));
    assert_string_equal(gone.source.name, "");
    assert_ok(store_version_get(store, unbuilt, &gone, &error));
    assert_int_equal(gone.build, BUILD_FAILED);
    assert_result(STORE_NOT_FOUND, store_rating_get(store, hunter, &rating, &error));
    test_time = INT64_MAX / 2; /* long after the files were written */
    uint32_t swept;
    assert_ok(store_files_sweep(store, 0, &swept, &error));
    assert_int_equal(swept, 2);
    assert_ok(store_check(store, &error));
    add_account(store, "ada", ROLE_PLAYER); /* the name is free again */
}

#define CASE(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        CASE(account_names_have_only_safe_characters),
        CASE(account_names_are_unique_regardless_of_case),
        CASE(an_account_is_read_back_unchanged),
        CASE(the_last_administrator_cannot_be_removed),
        CASE(a_session_is_found_by_its_secret_until_it_expires),
        CASE(a_suspended_account_has_no_access),
        CASE(the_bots_of_a_suspended_account_do_not_play),
        CASE(a_suspended_or_deleted_account_leaves_nothing_in_the_queue),
        CASE(a_new_password_ends_the_other_sessions),
        CASE(a_session_is_ended_only_by_its_own_account),
        CASE(a_token_can_be_named_used_and_revoked),
        CASE(secrets_are_not_in_the_database),
        CASE(an_invitation_can_be_used_as_often_as_it_allows),
        CASE(a_deleted_account_leaves_its_matches_without_names_or_sources),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
