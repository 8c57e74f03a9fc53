/* See shared_seats.h. The lock guards the lists and is held only briefly. */
#include "arena/play/shared_seats.h"

#include "arena/play/topic_relay.h"
#include "base/clock.h"
#include "base/memory.h"

#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    TICK_MS = 1000,
    RENEW_MS = 5000,
    ANSWER_MS = 3000, /* how long a request waits for the owner of a seat ... */
    LOOK_MS = 250,    /* ... and how often it checks, in case a notification is lost */
    ENDING_MS = 3000, /* for the last events of a seat whose match is over */
    FOREIGN_MAX = 512,
    CALLS = 32, /* read at a time */
};

/* A seat of this front end. */
typedef struct OwnSeat {
    struct OwnSeat *next;
    char secret[REMOTE_SECRET_SIZE];
    uint64_t key;
    StoreRemoteSeat row;
} OwnSeat;

/* A seat of another front end, with viewers here. */
typedef struct ForeignSeat {
    struct ForeignSeat *next;
    char topic[SEAT_TOPIC_SIZE];
    uint64_t match;
    int64_t end_by; /* clock_now; 0: the match is not over */
} ForeignSeat;

struct SharedSeats {
    Arena *arena;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t wake;     /* the thread */
    pthread_cond_t answered; /* threads that wait for an answer */
    uint64_t answers;        /* how many have arrived */
    bool called;
    bool stopping;
    bool stopped;
    OwnSeat *own;
    ForeignSeat *foreign;
    uint32_t foreign_count;
};

static void log_failure(const SharedSeats *shared, const Error *error) {
    log_write(shared->arena->log, LOG_WARNING, "seats", &(LogField){"error", error->text, 0}, 1);
}

static void wait_until(pthread_cond_t *cond, pthread_mutex_t *lock, int64_t when) {
    struct timespec until = {.tv_sec = (time_t)(when / 1000000000), .tv_nsec = when % 1000000000};
    pthread_cond_timedwait(cond, lock, &until);
}

/* ---- news ---- */

void shared_seats_hear(SharedSeats *shared, StoreNewsKind kind, uint64_t subject) {
    if (!shared || (kind != NEWS_CALL && kind != NEWS_ANSWER && kind != NEWS_MISSED))
        return;
    pthread_mutex_lock(&shared->lock);
    if (kind != NEWS_CALL) {
        shared->answers++;
        pthread_cond_broadcast(&shared->answered);
    }
    for (const OwnSeat *own = shared->own; own; own = own->next)
        if (own->key == subject || kind == NEWS_MISSED) {
            shared->called = true;
            pthread_cond_signal(&shared->wake);
        }
    pthread_mutex_unlock(&shared->lock);
}

/* ---- own seats ---- */

void shared_seats_add(SharedSeats *shared, Slice secret, uint64_t match, uint64_t account) {
    Error error;
    if (!shared)
        return;
    OwnSeat *own = xcalloc(1, sizeof *own);
    own->row = (StoreRemoteSeat){.match = match, .account = account};
    store_seat_topic(secret, own->row.topic);
    own->key = store_topic_key(own->row.topic);
    snprintf(own->secret, sizeof own->secret, "%.*s", SLICE_ARGS(secret));
    topic_relay_own(shared->arena->relay, RELAY_SEATS, own->row.topic);
    /* The player does not know the seat yet. If this fails, the thread soon renews the row. */
    if (store_seats_renew(shared->arena->store, &own->row, 1, &error) != STORE_OK)
        log_failure(shared, &error);
    pthread_mutex_lock(&shared->lock);
    own->next = shared->own;
    shared->own = own;
    pthread_mutex_unlock(&shared->lock);
}

static void free_own(OwnSeat *own) {
    sodium_memzero(own->secret, sizeof own->secret);
    free(own);
}

void shared_seats_remove(SharedSeats *shared, Slice secret) {
    char topic[SEAT_TOPIC_SIZE];
    Error error;
    if (!shared)
        return;
    store_seat_topic(secret, topic);
    pthread_mutex_lock(&shared->lock);
    OwnSeat **at = &shared->own;
    while (*at && strcmp((*at)->row.topic, topic) != 0)
        at = &(*at)->next;
    OwnSeat *own = *at;
    if (own)
        *at = own->next;
    pthread_mutex_unlock(&shared->lock);
    if (own)
        free_own(own);
    if (store_seat_remove(shared->arena->store, topic, &error) != STORE_OK)
        log_failure(shared, &error);
}

static void renew(SharedSeats *shared) {
    StoreRemoteSeat rows[REMOTE_SEATS_MAX];
    uint32_t count = 0;
    Error error;
    pthread_mutex_lock(&shared->lock);
    for (const OwnSeat *own = shared->own; own && count < REMOTE_SEATS_MAX; own = own->next)
        rows[count++] = own->row;
    pthread_mutex_unlock(&shared->lock);
    if (count && store_seats_renew(shared->arena->store, rows, count, &error) != STORE_OK)
        log_failure(shared, &error);
}

/* Remote players of an arena that is gone cannot return to it. The leader calls off their
   matches. */
static void call_off_orphans(const SharedSeats *shared) {
    Store *store = shared->arena->store;
    Error error;
    if (store_leads(store) &&
        store_queue_call_off_orphans(store, REMOTE_RESTARTED, &error) != STORE_OK)
        log_failure(shared, &error);
}

/* ---- calls ---- */

/* Writes a question: "leave ACCOUNT", or "answer ACCOUNT RUN AT LAST", a line feed and bytes. */
static void write_question(uint64_t account, const RemoteAnswer *answer, Buffer *to) {
    if (!answer) {
        buffer_format(to, "leave %" PRIu64 "\n", account);
        return;
    }
    buffer_format(to, "answer %" PRIu64 " %u %" PRIu64 " %d\n", account, answer->run, answer->at,
                  answer->last);
    buffer_add(to, answer->bytes.at, answer->bytes.length);
}

static bool take_number(Slice *line, uint64_t *number) {
    Slice word;
    int64_t value = 0;
    bool good = slice_word(line, &word) && slice_int(word, &value) && value >= 0;
    *number = (uint64_t)value;
    return good;
}

/* What the seat with this secret answers: a RemoteAnswerResult, or whether the seat was left. */
static uint32_t answer_call(const SharedSeats *shared, Slice secret, Slice question) {
    RemoteSeats *remote = shared->arena->remote_seats;
    Slice line;
    Slice word;
    uint64_t account;
    uint64_t run;
    uint64_t at;
    uint64_t last;
    if (!slice_line(&question, &line) || !slice_word(&line, &word) || !take_number(&line, &account))
        return REMOTE_ANSWER_UNKNOWN;
    if (slice_equals(word, "leave"))
        return remote_seats_leave(remote, secret, account);
    if (!slice_equals(word, "answer") || !take_number(&line, &run) || !take_number(&line, &at) ||
        !take_number(&line, &last))
        return REMOTE_ANSWER_UNKNOWN;
    return remote_seats_answer(
        remote, secret, account,
        &(RemoteAnswer){.run = (uint32_t)run, .at = at, .last = last == 1, .bytes = question});
}

static bool find_secret(SharedSeats *shared, const char *topic, char secret[REMOTE_SECRET_SIZE]) {
    pthread_mutex_lock(&shared->lock);
    const OwnSeat *own = shared->own;
    while (own && strcmp(own->row.topic, topic) != 0)
        own = own->next;
    if (own)
        memcpy(secret, own->secret, REMOTE_SECRET_SIZE);
    pthread_mutex_unlock(&shared->lock);
    return own != NULL;
}

/* Answers the calls of seats of this front end. */
static void answer_calls(SharedSeats *shared) {
    StoreSeatCall calls[CALLS];
    char secret[REMOTE_SECRET_SIZE];
    Store *store = shared->arena->store;
    uint32_t count = CALLS;
    uint64_t last = 0;
    Error error;
    while (count == CALLS) {
        if (store_seat_calls(store, last, calls, &count, &error) != STORE_OK) {
            log_failure(shared, &error);
            return;
        }
        for (uint32_t i = 0; i < count; i++) {
            StoreSeatCall *call = &calls[i];
            last = call->id;
            if (find_secret(shared, call->topic, secret)) {
                Slice question = {call->question.data, call->question.length};
                uint32_t answer = answer_call(shared, slice_of(secret), question);
                if (store_seat_answer(store, call->id, answer, &error) != STORE_OK)
                    log_failure(shared, &error);
                store_news_send(store, NEWS_ANSWER, call->id);
            }
            buffer_free(&call->question);
        }
    }
    sodium_memzero(secret, sizeof secret);
}

/* ---- seats of others ---- */

static bool find_seat(SharedSeats *shared, Slice secret, uint64_t account, StoreRemoteSeat *seat,
                      StoreResult *result, Error *error) {
    char topic[SEAT_TOPIC_SIZE];
    *result = STORE_NOT_FOUND;
    if (!shared || secret.length != REMOTE_SECRET_SIZE - 1)
        return false;
    store_seat_topic(secret, topic);
    *result = store_seat_find(shared->arena->store, topic, seat, error);
    return *result == STORE_OK && (!seat->account || seat->account == account);
}

bool shared_seats_has(SharedSeats *shared, Slice secret, uint64_t account) {
    StoreRemoteSeat seat;
    StoreResult result;
    Error error;
    return find_seat(shared, secret, account, &seat, &result, &error);
}

bool shared_seats_watch(SharedSeats *shared, Slice secret, uint64_t account) {
    StoreRemoteSeat seat;
    StoreResult result;
    Error error;
    if (!find_seat(shared, secret, account, &seat, &result, &error))
        return false;
    Arena *arena = shared->arena;
    pthread_mutex_lock(&shared->lock);
    ForeignSeat *foreign = shared->foreign;
    while (foreign && strcmp(foreign->topic, seat.topic) != 0)
        foreign = foreign->next;
    bool room = foreign || shared->foreign_count < FOREIGN_MAX;
    if (!foreign && room) {
        foreign = xcalloc(1, sizeof *foreign);
        *foreign = (ForeignSeat){.next = shared->foreign, .match = seat.match};
        memcpy(foreign->topic, seat.topic, sizeof foreign->topic);
        shared->foreign = foreign;
        shared->foreign_count++;
    }
    if (room) {
        live_open(arena->live, seat.topic, REMOTE_TOPIC_EVENTS, REMOTE_TOPIC_BYTES);
        live_share(arena->live, seat.topic);
        topic_relay_follow(arena->relay, RELAY_SEATS, seat.topic);
    }
    pthread_mutex_unlock(&shared->lock);
    return room;
}

/* Its owner may be gone: then nothing else notifies the player that the match is over. */
static void end_if_over(const SharedSeats *shared, ForeignSeat *foreign) {
    StoreMatches matches = {0};
    Error error;
    int64_t now = clock_now();
    StoreResult result = store_match_get(shared->arena->store, foreign->match, &matches, &error);
    const StoreMatch *match = result == STORE_OK ? matches.rows : NULL;
    bool over = result == STORE_NOT_FOUND || (match && match->state >= MATCH_OVER);
    if (over && !foreign->end_by)
        foreign->end_by = now + ENDING_MS * CLOCK_MS;
    if (over && now >= foreign->end_by) {
        Buffer data = {0};
        remote_seats_write_end(foreign->match, match, &data);
        live_publish(shared->arena->live, foreign->topic, "end", (Slice){data.data, data.length});
        live_end(shared->arena->live, foreign->topic);
        buffer_free(&data);
    }
    store_matches_free(&matches);
}

/* Follows the matches of others' seats, and forgets seats that have ended or have no viewers. */
static void check_foreign(SharedSeats *shared) {
    Arena *arena = shared->arena;
    pthread_mutex_lock(&shared->lock);
    for (ForeignSeat **at = &shared->foreign; *at;) {
        ForeignSeat *foreign = *at;
        if (topic_relay_expects(arena->relay, foreign->topic)) {
            at = &foreign->next;
            continue;
        }
        *at = foreign->next;
        live_forget(arena->live, foreign->topic);
        shared->foreign_count--;
        free(foreign);
    }
    ForeignSeat *first = shared->foreign;
    pthread_mutex_unlock(&shared->lock);
    /* Other threads only add seats at the front, and only this thread removes them. */
    for (ForeignSeat *foreign = first; foreign; foreign = foreign->next)
        end_if_over(shared, foreign);
}

/* Sends a call to the owner of a seat, and waits for its answer. */
static StoreResult ask(SharedSeats *shared, Slice secret, uint64_t account,
                       const RemoteAnswer *question, uint32_t *answer, Error *error) {
    StoreRemoteSeat seat;
    StoreResult result;
    Buffer text = {0};
    uint64_t call = 0;
    if (!find_seat(shared, secret, account, &seat, &result, error))
        return result == STORE_OK ? STORE_NOT_FOUND : result;
    Store *store = shared->arena->store;
    int64_t deadline = clock_now() + ANSWER_MS * CLOCK_MS;
    result = STORE_NOT_FOUND;
    if (store_now(store) - seat.seen <= SEAT_SILENT_MS) {
        write_question(account, question, &text);
        StoreResult asked =
            store_seat_ask(store, seat.topic, (Slice){text.data, text.length}, &call, error);
        buffer_free(&text);
        if (asked != STORE_OK)
            return asked;
        store_news_send(store, NEWS_CALL, store_topic_key(seat.topic));
        pthread_mutex_lock(&shared->lock);
        while (result == STORE_NOT_FOUND && clock_now() < deadline && !shared->stopping) {
            uint64_t heard = shared->answers;
            int64_t look = clock_now() + LOOK_MS * CLOCK_MS;
            pthread_mutex_unlock(&shared->lock);
            result = store_seat_take_answer(store, call, answer, error);
            pthread_mutex_lock(&shared->lock);
            while (result == STORE_NOT_FOUND && shared->answers == heard && !shared->stopping &&
                   clock_now() < look)
                wait_until(&shared->answered, &shared->lock, look);
        }
        pthread_mutex_unlock(&shared->lock);
        if (result == STORE_NOT_FOUND)
            store_seat_give_up(store, call, error);
    }
    if (result != STORE_NOT_FOUND)
        return result;
    error_set(error, "the arena that has this seat does not respond; try again in a moment");
    return STORE_BUSY;
}

StoreResult shared_seats_answer(SharedSeats *shared, Slice secret, uint64_t account,
                                const RemoteAnswer *answer, RemoteAnswerResult *taken,
                                Error *error) {
    uint32_t number = REMOTE_ANSWER_UNKNOWN;
    StoreResult result = ask(shared, secret, account, answer, &number, error);
    *taken = (RemoteAnswerResult)number;
    return result;
}

StoreResult shared_seats_leave(SharedSeats *shared, Slice secret, uint64_t account, bool *left,
                               Error *error) {
    uint32_t number = 0;
    StoreResult result = ask(shared, secret, account, NULL, &number, error);
    *left = result == STORE_OK && number == 1;
    return result;
}

/* ---- the thread ---- */

static void *run(void *context) {
    SharedSeats *shared = context;
    int64_t next_tick = 0;
    int64_t next_renewal = 0;
    pthread_mutex_lock(&shared->lock);
    while (!shared->stopping) {
        int64_t now = clock_now();
        bool tick = now >= next_tick;
        bool look = (shared->called || tick) && shared->own;
        shared->called = false;
        pthread_mutex_unlock(&shared->lock);
        if (look)
            answer_calls(shared);
        if (tick) {
            check_foreign(shared);
            next_tick = now + TICK_MS * CLOCK_MS;
        }
        if (now >= next_renewal) {
            renew(shared);
            call_off_orphans(shared);
            next_renewal = now + RENEW_MS * CLOCK_MS;
        }
        pthread_mutex_lock(&shared->lock);
        while (!shared->stopping && !shared->called && clock_now() < next_tick)
            wait_until(&shared->wake, &shared->lock, next_tick);
    }
    pthread_mutex_unlock(&shared->lock);
    return NULL;
}

bool shared_seats_start(Arena *arena, Error *error) {
    sigset_t all;
    sigset_t before;
    pthread_condattr_t clock;
    if (!arena->options.store || !arena->live)
        return true;
    SharedSeats *shared = xcalloc(1, sizeof *shared);
    shared->arena = arena;
    pthread_mutex_init(&shared->lock, NULL);
    pthread_condattr_init(&clock);
    pthread_condattr_setclock(&clock, CLOCK_MONOTONIC);
    pthread_cond_init(&shared->wake, &clock);
    pthread_cond_init(&shared->answered, &clock);
    pthread_condattr_destroy(&clock);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
    int failure = pthread_create(&shared->thread, NULL, run, shared);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    shared->stopped = failure != 0;
    arena->shared_seats = shared;
    return !failure ||
           error_set(error, "cannot start the thread of shared seats: %s", strerror(failure));
}

void shared_seats_stop(SharedSeats *shared) {
    if (!shared || shared->stopped)
        return;
    pthread_mutex_lock(&shared->lock);
    shared->stopping = true;
    pthread_cond_signal(&shared->wake);
    pthread_cond_broadcast(&shared->answered);
    pthread_mutex_unlock(&shared->lock);
    pthread_join(shared->thread, NULL);
    shared->stopped = true;
}

void shared_seats_free(SharedSeats *shared) {
    if (!shared)
        return;
    shared_seats_stop(shared);
    while (shared->own) {
        OwnSeat *own = shared->own;
        shared->own = own->next;
        free_own(own);
    }
    while (shared->foreign) {
        ForeignSeat *foreign = shared->foreign;
        shared->foreign = foreign->next;
        free(foreign);
    }
    pthread_mutex_destroy(&shared->lock);
    pthread_cond_destroy(&shared->wake);
    pthread_cond_destroy(&shared->answered);
    free(shared);
}
