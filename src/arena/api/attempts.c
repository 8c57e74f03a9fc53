/* See attempts.h. */
#include "arena/api/attempts.h"

#include "arena/api/api.h"
#include "arena/api/routes.h"
#include "arena/people/people.h"
#include "base/hash.h"

#include <string.h>

/* ---- one token ---- */

static bool is_shared(const Arena *arena) {
    return arena->options.store != NULL;
}

/* The names of limits in the store. */
static const char *const names[RATES] = {
    [RATE_LOGIN] = "login",     [RATE_REGISTER] = "register", [RATE_GUESS] = "guess",
    [RATE_ACCOUNT] = "account", [RATE_CONFIRM] = "confirm",
};

/* The limit for the store, which counts like limits_take_shared. */
static StoreRate shared_rate(uint32_t rate, uint64_t key, uint32_t people) {
    const LimitClass *class = &api_limits[rate];
    int64_t token = 60000 / class->per_minute;
    return (StoreRate){.limit = names[rate],
                       .key = key,
                       .token = token > people ? token / people : 1, /* at most 10,000 people */
                       .room = token * class->burst};
}

/* Sets *wait to 0, or to the seconds until there is a token. Answers with a problem and returns
   false if the store failed. */
static bool take(const Request *request, Response *response, uint32_t rate, uint64_t key,
                 uint32_t people, uint32_t *wait) {
    const Arena *arena = arena_of(request);
    StoreRate shared = shared_rate(rate, key, people);
    int64_t wait_ms = 0;
    Error error;
    if (!is_shared(arena)) {
        *wait = limits_take(http_limits(request->http), rate, key, request->began);
        return true;
    }
    StoreResult result = store_rate_take(arena->store, &shared, &wait_ms, &error);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    *wait = (uint32_t)((wait_ms + 999) / 1000);
    return result == STORE_OK;
}

/* If the store fails, the token is lost, but the limit refills over time. */
static void give_back(const Request *request, uint32_t rate, uint64_t key) {
    const Arena *arena = arena_of(request);
    StoreRate shared = shared_rate(rate, key, 1);
    Error error;
    if (!is_shared(arena))
        limits_give_back(http_limits(request->http), rate, key);
    else if (store_rate_give_back(arena->store, &shared, &error) != STORE_OK)
        log_write(arena->log, LOG_ERROR, "store", &(LogField){"error", error.text, 0}, 1);
}

/* ---- by address ---- */

bool attempt_from_address(const Request *request, Response *response, uint32_t rate) {
    const Arena *arena = arena_of(request);
    uint32_t wait = 0;
    if (!is_shared(arena))
        return true; /* the token in memory was enough */
    if (!take(request, response, rate, address_key(request->address),
              arena->options.people_per_address, &wait))
        return false;
    if (wait)
        problem_limit(request, response, wait, "Rate limit of your network address reached", "");
    return !wait;
}

/* ---- by account ---- */

Attempt attempt_of(const Request *request, const char *name, uint64_t account) {
    Store *store = arena_of(request)->store;
    char key[STORE_NAME_SIZE];
    char address[ADDRESS_TEXT];
    Error error;
    Attempt attempt = {0};
    store_name_key(slice_of(name), key);
    address_write(request->address, address);
    attempt.account_key = account ? ~account : hash64(key, strlen(key));
    attempt.pair_key = hash64_chain(attempt.account_key, address_key(request->address));
    attempt.known_address =
        store_address_find(store, account, address,
                           store_now(store) - SESSION_DAYS * INT64_C(86400000), &error) == STORE_OK;
    return attempt;
}

bool attempt_begin(const Request *request, Response *response, const Attempt *attempt) {
    uint32_t wait = 0;
    if (!take(request, response, RATE_GUESS, attempt->pair_key, 1, &wait))
        return false;
    if (wait) {
        problem_limit(request, response, wait,
                      "Too many wrong passwords for this account from your network address", "");
        return false;
    }
    if (!attempt->known_address &&
        !take(request, response, RATE_ACCOUNT, attempt->account_key, 1, &wait))
        return false;
    if (wait) {
        give_back(request, RATE_GUESS, attempt->pair_key);
        problem_limit(request, response, wait, "Too many wrong passwords for this account",
                      ", or log in from a network where you have logged in before");
    }
    return !wait;
}

void attempt_succeeded(const Request *request, const Attempt *attempt) {
    give_back(request, RATE_GUESS, attempt->pair_key);
    if (!attempt->known_address)
        give_back(request, RATE_ACCOUNT, attempt->account_key);
}

bool attempt_confirmation(const Request *request, Response *response) {
    uint32_t wait = 0;
    if (!take(request, response, RATE_CONFIRM, request->credential, 1, &wait))
        return false;
    if (wait)
        problem_limit(request, response, wait, "Too many wrong passwords in this session",
                      ", or log in again");
    return !wait;
}

void attempt_confirmed(const Request *request) {
    give_back(request, RATE_CONFIRM, request->credential);
}
