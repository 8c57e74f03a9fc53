/* See remote_seats.h. One thread polls the sockets: it accepts runners, forwards their bytes, and
   notices players who are gone. One lock guards the seats and is held only briefly. Other threads
   change seats under it themselves and then wake the polling thread. All sockets are
   non-blocking. */
#include "arena/play/remote_seats.h"

#include "arena/play/engine.h"
#include "arena/play/shared_seats.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/memory.h"

#include <assert.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    TICK_MS = 1000,        /* between checks for players who are gone */
    CHECK_MS = 50,         /* between checks whether a match is over */
    REMEMBERED_MS = 60000, /* how long a finished seat is kept ... */
    REMEMBERED = 128,      /* ... and how many are kept */
    CHUNK = 48 << 10,
    SECRET_BYTES = 24
};

typedef enum SeatState {
    SEAT_WAITING, /* in the queue */
    SEAT_PLAYING, /* a runner may connect */
    SEAT_ENDING,  /* played; the store knows whether it is over */
    SEAT_OVER,    /* kept for late requests */
} SeatState;

typedef struct Seat {
    struct Seat *next;
    char secret[REMOTE_SECRET_SIZE];
    RemotePlayer player;
    uint64_t match;
    SeatState state;
    int64_t seen;     /* last heartbeat */
    int64_t began;    /* for a person: when the first view was sent; 0: not yet */
    int64_t asked_at; /* for a person: when the unanswered view was sent; 0: none */
    int64_t over_at;
    int listener;   /* or -1 */
    int connection; /* or -1 */
    char *path;     /* of the listener, or NULL */
    uint32_t run;
    uint64_t received; /* bytes of this run's output */
    bool complete;     /* its output has ended */
    bool half_closed;  /* and the socket was shut down */
    Buffer out;        /* for the runner, not yet sent */
} Seat;

struct RemoteSeats {
    Arena *arena;
    Buffer directory;
    pthread_mutex_t lock;
    pthread_t thread;
    int wake;
    bool stopping;
    Seat *seats;
};

/* ---- events ---- */

void remote_seats_topic(Slice secret, char topic[LIVE_TOPIC_MAX]) {
    static_assert((int)SEAT_TOPIC_SIZE <= (int)LIVE_TOPIC_MAX, "a topic's room");
    store_seat_topic(secret, topic);
}

static void publish(const RemoteSeats *remote, const Seat *seat, const char *name, Buffer *data) {
    char topic[LIVE_TOPIC_MAX];
    remote_seats_topic(slice_of(seat->secret), topic);
    live_publish(remote->arena->live, topic, name, (Slice){data->data, data->length});
    buffer_free(data);
}

static void publish_run(const RemoteSeats *remote, const Seat *seat, const char *name) {
    Buffer data = {0};
    buffer_format(&data, "{\"run\":%u}", seat->run);
    publish(remote, seat, name, &data);
}

static void publish_view(const RemoteSeats *remote, const Seat *seat, const char *bytes,
                         size_t count) {
    Buffer data = {0};
    size_t room = sodium_base64_ENCODED_LEN(count, sodium_base64_VARIANT_ORIGINAL);
    buffer_format(&data, "{\"run\":%u,\"bytes\":\"", seat->run);
    sodium_bin2base64(buffer_reserve(&data, room), room, (const unsigned char *)bytes, count,
                      sodium_base64_VARIANT_ORIGINAL);
    data.length += room - 1; /* without its NUL */
    buffer_text(&data, "\"}");
    publish(remote, seat, "view", &data);
}

/* ---- a seat's sockets ---- */

static void close_connection(const RemoteSeats *remote, Seat *seat) {
    if (seat->connection < 0)
        return;
    close(seat->connection);
    seat->connection = -1;
    buffer_clear(&seat->out);
    publish_run(remote, seat, "stop");
}

static void close_seat(const RemoteSeats *remote, Seat *seat) {
    close_connection(remote, seat);
    if (seat->listener >= 0)
        close(seat->listener);
    seat->listener = -1;
    if (seat->path)
        unlink(seat->path);
    free(seat->path);
    seat->path = NULL;
}

static bool listen_at(RemoteSeats *remote, Seat *seat, Error *error) {
    Buffer path = {0};
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    /* Without the secret: other users may see the path in the list of processes. */
    buffer_format(&path, "%s/%llu-%u", buffer_string(&remote->directory),
                  (unsigned long long)seat->match, seat->player.seat);
    size_t length = path.length;
    seat->path = xstrdup(buffer_string(&path));
    buffer_free(&path);
    if (length >= sizeof address.sun_path)
        return error_set(
            error,
            "the path of the data directory is too long for the sockets of remote seats: %.200s",
            seat->path);
    memcpy(address.sun_path, seat->path, length + 1);
    unlink(seat->path);
    seat->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (seat->listener >= 0 &&
        bind(seat->listener, (const struct sockaddr *)&address, sizeof address) == 0 &&
        listen(seat->listener, 4) == 0)
        return true;
    return error_set(error, "cannot listen at %.200s: %s", seat->path, strerror(errno));
}

/* A runner has connected: it starts or restarts the bot. */
static void accept_runner(RemoteSeats *remote, Seat *seat) {
    int fd = accept4(seat->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
    if (fd < 0)
        return;
    close_connection(remote, seat);
    seat->connection = fd;
    seat->run++;
    seat->received = 0;
    seat->complete = seat->half_closed = false;
    seat->asked_at = 0;
    publish_run(remote, seat, "start");
}

static void take_views(RemoteSeats *remote, Seat *seat) {
    char bytes[CHUNK];
    ssize_t got = recv(seat->connection, bytes, sizeof bytes, 0);
    if (got > 0) {
        publish_view(remote, seat, bytes, (size_t)got);
        int64_t now = clock_now();
        seat->began = seat->began ? seat->began : now;
        seat->asked_at = seat->asked_at ? seat->asked_at : now;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        close_connection(remote, seat);
}

static void send_answers(RemoteSeats *remote, Seat *seat) {
    while (seat->connection >= 0 && seat->out.length) {
        ssize_t sent = send(seat->connection, seat->out.data, seat->out.length, MSG_NOSIGNAL);
        if (sent > 0)
            buffer_drop(&seat->out, (size_t)sent);
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            close_connection(remote, seat);
    }
    if (seat->connection >= 0 && seat->complete && !seat->half_closed) {
        shutdown(seat->connection, SHUT_WR);
        seat->half_closed = true;
    }
}

/* ---- the state of a seat ---- */

static void write_end(uint64_t match, const char *how, const char *why, Buffer *to) {
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "match", match);
    json_out_text(&out, "state", how);
    if (why && why[0])
        json_out_text(&out, "reason", why);
    json_close(&out, '}');
}

void remote_seats_write_end(uint64_t id, const StoreMatch *match, Buffer *to) {
    static const char *const names[] = {
        [MATCH_OVER] = "over", [MATCH_GIVEN_UP] = "given_up", [MATCH_CALLED_OFF] = "called_off"};
    bool reason = match && match->state != MATCH_OVER;
    write_end(id, names[match ? match->state : MATCH_CALLED_OFF], reason ? match->reason : NULL,
              to);
}

/* Publishes the last event of a seat. */
static void finish(RemoteSeats *remote, Seat *seat, Buffer *end) {
    char topic[LIVE_TOPIC_MAX];
    close_seat(remote, seat);
    publish(remote, seat, "end", end);
    remote_seats_topic(slice_of(seat->secret), topic);
    live_end(remote->arena->live, topic);
    seat->state = SEAT_OVER;
    seat->over_at = clock_now();
}

/* Publishes that the match was called off. */
static void finish_called_off(RemoteSeats *remote, Seat *seat, const char *why) {
    Buffer end = {0};
    write_end(seat->match, "called_off", why, &end);
    finish(remote, seat, &end);
}

/* Follows the state of the match in the store. */
static void check(RemoteSeats *remote, Seat *seat) {
    StoreMatches matches = {0};
    Buffer end = {0};
    Error error;
    StoreResult result = store_match_get(remote->arena->store, seat->match, &matches, &error);
    if (result == STORE_NOT_FOUND)
        finish_called_off(remote, seat, NULL);
    else if (result == STORE_OK && matches.rows[0].state == MATCH_WAITING) {
        if (seat->state == SEAT_ENDING)
            publish_run(remote, seat, "wait");
        seat->state = SEAT_WAITING;
    } else if (result == STORE_OK && matches.rows[0].state >= MATCH_OVER) {
        remote_seats_write_end(seat->match, &matches.rows[0], &end);
        finish(remote, seat, &end);
    }
    store_matches_free(&matches);
}

/* The player is gone: calls the match off if it has not started, or lets the bot's output end. */
static void abandon(RemoteSeats *remote, Seat *seat) {
    Error error;
    if (seat->state == SEAT_WAITING) {
        store_queue_call_off(remote->arena->store, seat->match, NULL, &error);
        finish_called_off(remote, seat, NULL);
    } else if (seat->state == SEAT_PLAYING)
        close_seat(remote, seat); /* the referee notices; the engine calls remote_seats_end */
}

/* Whether the seat's player is gone. */
static bool is_gone(const Seat *seat, int64_t now) {
    const RemotePlayer *player = &seat->player;
    int64_t silence = player->answer_ms ? REMOTE_PERSON_GONE_MS : REMOTE_GONE_MS;
    if (now - seat->seen > silence * CLOCK_MS)
        return true;
    return player->answer_ms && seat->state == SEAT_PLAYING &&
           ((seat->asked_at && now - seat->asked_at > player->answer_ms * CLOCK_MS) ||
            (seat->began && now - seat->began > REMOTE_PERSON_MAX_MS * CLOCK_MS));
}

/* Frees a seat, whose sockets are closed. */
static void free_seat(Seat *seat) {
    buffer_free(&seat->out);
    sodium_memzero(seat->secret, sizeof seat->secret);
    free(seat);
}

static void drop(RemoteSeats *remote, Seat **place) {
    Seat *seat = *place;
    char topic[LIVE_TOPIC_MAX];
    *place = seat->next;
    close_seat(remote, seat);
    remote_seats_topic(slice_of(seat->secret), topic);
    live_forget(remote->arena->live, topic);
    shared_seats_remove(remote->arena->shared_seats, slice_of(seat->secret));
    free_seat(seat);
}

static void check_all(RemoteSeats *remote) {
    int64_t now = clock_now();
    uint32_t over = 0;
    for (Seat **place = &remote->seats; *place;) {
        Seat *seat = *place;
        if (seat->state == SEAT_ENDING || seat->state == SEAT_WAITING)
            check(remote, seat); /* a waiting match may have been called off */
        if (seat->state != SEAT_OVER && is_gone(seat, now))
            abandon(remote, seat);
        over += seat->state == SEAT_OVER;
        if (seat->state == SEAT_OVER &&
            (over > REMEMBERED || now - seat->over_at > REMEMBERED_MS * CLOCK_MS))
            drop(remote, place);
        else
            place = &seat->next;
    }
}

/* ---- the thread ---- */

typedef struct Polled {
    struct pollfd fds[2 * REMOTE_SEATS_MAX + 1];
    Seat *seats[2 * REMOTE_SEATS_MAX + 1];
    uint32_t count;
    int timeout;
} Polled;

static void poll_for(Polled *polled, Seat *seat, int fd, short events) {
    polled->seats[polled->count] = seat;
    polled->fds[polled->count++] = (struct pollfd){.fd = fd, .events = events};
}

static void collect(const RemoteSeats *remote, Polled *polled) {
    polled->count = 0;
    polled->timeout = TICK_MS;
    poll_for(polled, NULL, remote->wake, POLLIN);
    for (Seat *seat = remote->seats; seat; seat = seat->next) {
        /* The connection first: a run ends before the next one starts. */
        if (seat->connection >= 0)
            poll_for(polled, seat, seat->connection,
                     (short)(POLLIN | (seat->out.length ? POLLOUT : 0)));
        if (seat->listener >= 0)
            poll_for(polled, seat, seat->listener, POLLIN);
        if (seat->state == SEAT_ENDING)
            polled->timeout = CHECK_MS;
    }
}

static void *carry(void *context) {
    RemoteSeats *remote = context;
    Polled polled;
    int64_t looked_at = 0;
    pthread_mutex_lock(&remote->lock);
    while (!remote->stopping) {
        collect(remote, &polled);
        if (clock_now() - looked_at >= polled.timeout * CLOCK_MS) {
            check_all(remote);
            looked_at = clock_now();
            collect(remote, &polled);
        }
        pthread_mutex_unlock(&remote->lock);
        poll(polled.fds, polled.count, polled.timeout);
        pthread_mutex_lock(&remote->lock);
        uint64_t wakes = 0;
        if (polled.fds[0].revents && read(remote->wake, &wakes, sizeof wakes) < 0)
            wakes = 0; /* already reset */
        /* Only this thread frees seats, so these exist; their sockets may have changed. */
        for (uint32_t i = 1; i < polled.count; i++) {
            Seat *seat = polled.seats[i];
            if (!polled.fds[i].revents)
                continue;
            if (polled.fds[i].fd == seat->connection) {
                send_answers(remote, seat);
                if (seat->connection >= 0)
                    take_views(remote, seat);
            } else if (polled.fds[i].fd == seat->listener)
                accept_runner(remote, seat);
        }
    }
    pthread_mutex_unlock(&remote->lock);
    return NULL;
}

static void wake(const RemoteSeats *remote) {
    uint64_t one = 1;
    if (write(remote->wake, &one, sizeof one) < 0)
        return; /* the counter is full: the thread wakes anyway */
}

/* Removes the sockets of an arena that was killed. */
static void clear_directory(RemoteSeats *remote) {
    DIR *list = opendir(buffer_string(&remote->directory));
    const struct dirent *entry = NULL;
    while (list && (entry = readdir(list)))
        if (entry->d_name[0] != '.')
            unlinkat(dirfd(list), entry->d_name, 0);
    if (list)
        closedir(list);
}

RemoteSeats *remote_seats_new(Arena *arena, Error *error) {
    RemoteSeats *remote = xcalloc(1, sizeof *remote);
    remote->arena = arena;
    buffer_format(&remote->directory, "%s/run", arena->options.data);
    pthread_mutex_init(&remote->lock, NULL);
    remote->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    bool good = sodium_init() >= 0 && remote->wake >= 0 &&
                (mkdir(buffer_string(&remote->directory), 0700) == 0 || errno == EEXIST);
    if (good)
        clear_directory(remote);
    if (!good)
        error_set(error, "cannot create %.300s: %s", buffer_string(&remote->directory),
                  strerror(errno));
    else if (pthread_create(&remote->thread, NULL, carry, remote) == 0)
        return remote;
    else
        error_set(error, "cannot start the thread for remote seats");
    if (remote->wake >= 0)
        close(remote->wake);
    buffer_free(&remote->directory);
    free(remote);
    return NULL;
}

/* Calls the match off because the arena stops: the player cannot return to this seat. */
static void call_off(RemoteSeats *remote, Seat *seat) {
    Error error;
    if (seat->state == SEAT_WAITING || seat->state == SEAT_ENDING)
        check(remote, seat);
    if (seat->state == SEAT_OVER)
        return;
    store_queue_call_off(remote->arena->store, seat->match, REMOTE_RESTARTED, &error);
    finish_called_off(remote, seat, REMOTE_RESTARTED);
}

void remote_seats_close(RemoteSeats *remote) {
    if (!remote || remote->stopping)
        return;
    pthread_mutex_lock(&remote->lock);
    remote->stopping = true;
    pthread_mutex_unlock(&remote->lock);
    wake(remote);
    pthread_join(remote->thread, NULL);
    pthread_mutex_lock(&remote->lock);
    for (Seat *seat = remote->seats; seat; seat = seat->next)
        call_off(remote, seat);
    pthread_mutex_unlock(&remote->lock);
}

void remote_seats_free(RemoteSeats *remote) {
    if (!remote)
        return;
    remote_seats_close(remote);
    while (remote->seats) { /* their topics went with the HTTP server */
        Seat *seat = remote->seats;
        remote->seats = seat->next;
        free_seat(seat);
    }
    pthread_mutex_destroy(&remote->lock);
    close(remote->wake);
    buffer_free(&remote->directory);
    free(remote);
}

/* ---- the engine's side ---- */

RemoteSeatResult remote_seats_open(RemoteSeats *remote, uint64_t match, uint32_t index,
                                   BotSpec *spec, Error *error) {
    RemoteSeatResult how = REMOTE_SEAT_EMPTY;
    *spec = (BotSpec){.kind = BOT_UNIX};
    pthread_mutex_lock(&remote->lock);
    Seat *seat = remote->seats;
    while (seat && (seat->match != match || seat->player.seat != index))
        seat = seat->next;
    if (!seat) {
        error_set(error, "%s", REMOTE_RESTARTED); /* the seat is from an earlier run of the arena */
    } else if (seat->state == SEAT_OVER || is_gone(seat, clock_now())) {
        error_set(error, "the player of seat %u is no longer connected", index + 1);
    } else {
        close_seat(remote, seat);
        how = listen_at(remote, seat, error) ? REMOTE_SEAT_READY : REMOTE_SEAT_FAILED;
        if (how == REMOTE_SEAT_READY) {
            seat->state = SEAT_PLAYING;
            spec->path = xstrdup(seat->path);
            spec->text = xstrdup("remote");
            spec->name = xstrdup("remote");
        } else
            close_seat(remote, seat);
    }
    pthread_mutex_unlock(&remote->lock);
    wake(remote);
    return how;
}

void remote_seats_end(RemoteSeats *remote, uint64_t match) {
    pthread_mutex_lock(&remote->lock);
    for (Seat *seat = remote->seats; seat; seat = seat->next)
        if (seat->match == match && seat->state == SEAT_PLAYING) {
            close_seat(remote, seat);
            seat->state = SEAT_ENDING;
        }
    pthread_mutex_unlock(&remote->lock);
    wake(remote);
}

/* ---- the player's side ---- */

static Seat *find(RemoteSeats *remote, Slice secret, uint64_t account) {
    Seat *found = NULL;
    if (secret.length != REMOTE_SECRET_SIZE - 1)
        return NULL;
    for (Seat *seat = remote->seats; seat; seat = seat->next)
        if (sodium_memcmp(seat->secret, secret.at, secret.length) == 0 &&
            (!seat->player.account || seat->player.account == account))
            found = seat;
    return found;
}

/* Checks the limits. Seats of people are counted separately, because each occupies a runner for as
   long as the person plays. */
static RemoteSeatRoom find_room(const RemoteSeats *remote, const RemotePlayer *player,
                                Error *error) {
    const ArenaOptions *options = &remote->arena->options;
    bool person = player->answer_ms > 0;
    uint64_t most = person ? options->seats_max : options->waiting_max;
    uint32_t all = 0;
    uint32_t own = 0;
    if (remote->stopping || !remote->arena->live) {
        error_set(error, "the arena is starting or stopping; try again in a minute");
        return REMOTE_ROOM_ALL_TAKEN;
    }
    for (const Seat *seat = remote->seats; seat; seat = seat->next) {
        if (seat->state == SEAT_OVER)
            continue; /* finished seats must not count against the limits */
        all++;
        own += seat->player.account == player->account &&
               (player->account || seat->player.address == player->address) &&
               (seat->player.answer_ms > 0) == person;
    }
    if (!player->account) /* an address may be shared */
        most *= options->people_per_address;
    if (own >= most) {
        error_set(
            error,
            !person ? "you already play %u match%s from your own machine; wait until one is over"
            : player->account
                ? "you already hold %u seat%s, the maximum; give one up, or wait until its match "
                  "is over"
                : "visitors from your address already hold %u seat%s, the maximum; give one up, "
                  "or wait until its match is over",
            own,
            own == 1 ? ""
            : person ? "s"
                     : "es");
        return REMOTE_ROOM_OWN_TAKEN;
    }
    if (all >= REMOTE_SEATS_MAX)
        error_set(error, "all remote seats are taken; try again in a minute");
    return all < REMOTE_SEATS_MAX ? REMOTE_ROOM_FREE : REMOTE_ROOM_ALL_TAKEN;
}

StoreResult remote_seats_add(RemoteSeats *remote, const RemotePlayer *player,
                             const StoreNewMatch *match, char secret[REMOTE_SECRET_SIZE],
                             uint64_t *id, RemoteSeatRoom *room, Error *error) {
    unsigned char chance[SECRET_BYTES];
    assert(player->seat < match->players);
    static_assert(sodium_base64_ENCODED_LEN(
                      SECRET_BYTES, sodium_base64_VARIANT_URLSAFE_NO_PADDING) == REMOTE_SECRET_SIZE,
                  "a secret's room");
    Seat *seat = xcalloc(1, sizeof *seat);
    randombytes_buf(chance, sizeof chance);
    sodium_bin2base64(seat->secret, sizeof seat->secret, chance, sizeof chance,
                      sodium_base64_VARIANT_URLSAFE_NO_PADDING);
    seat->player = *player;
    seat->listener = seat->connection = -1;
    seat->seen = clock_now();
    StoreNewMatch own = *match;
    if (remote->arena->shared_seats)
        own.owner = engine_holder(remote->arena->engine);
    /* The lock is held while the match is added to the queue, so that the engine finds the seat. */
    pthread_mutex_lock(&remote->lock);
    *room = find_room(remote, player, error);
    StoreResult result = *room == REMOTE_ROOM_FREE ? store_queue_matches(remote->arena->store, &own,
                                                                         1, &seat->match, error)
                                                   : STORE_REJECTED;
    if (result == STORE_OK) {
        char topic[LIVE_TOPIC_MAX];
        remote_seats_topic(slice_of(seat->secret), topic);
        live_open(remote->arena->live, topic, REMOTE_TOPIC_EVENTS, REMOTE_TOPIC_BYTES);
        shared_seats_add(remote->arena->shared_seats, slice_of(seat->secret), seat->match,
                         player->account);
        memcpy(secret, seat->secret, sizeof seat->secret);
        *id = seat->match;
        seat->next = remote->seats;
        remote->seats = seat;
    } else
        free(seat);
    pthread_mutex_unlock(&remote->lock);
    return result;
}

bool remote_seats_has(RemoteSeats *remote, Slice secret, uint64_t account) {
    pthread_mutex_lock(&remote->lock);
    Seat *seat = find(remote, secret, account);
    if (seat)
        seat->seen = clock_now();
    pthread_mutex_unlock(&remote->lock);
    return seat != NULL;
}

/* Forwards the new part of the answer to the runner. */
static RemoteAnswerResult take(RemoteSeats *remote, Seat *seat, const RemoteAnswer *answer) {
    if (!answer->run)
        return REMOTE_ANSWER_TAKEN;
    if (answer->run != seat->run || seat->connection < 0)
        return REMOTE_ANSWER_STALE;
    if (answer->at > seat->received)
        return REMOTE_ANSWER_GAP;
    uint64_t known = seat->received - answer->at;
    if (known < answer->bytes.length && !seat->complete) {
        size_t fresh = answer->bytes.length - (size_t)known;
        if (seat->out.length + fresh > REMOTE_ANSWERS_MAX)
            return REMOTE_ANSWER_FLOOD;
        buffer_add(&seat->out, answer->bytes.at + known, fresh);
        seat->received += fresh;
        seat->asked_at = 0;
    }
    seat->complete |= answer->last;
    send_answers(remote, seat);
    return REMOTE_ANSWER_TAKEN;
}

RemoteAnswerResult remote_seats_answer(RemoteSeats *remote, Slice secret, uint64_t account,
                                       const RemoteAnswer *answer) {
    RemoteAnswerResult taken = REMOTE_ANSWER_UNKNOWN;
    bool left = false;
    pthread_mutex_lock(&remote->lock);
    Seat *seat = find(remote, secret, account);
    if (seat) {
        seat->seen = clock_now();
        taken = take(remote, seat, answer);
        left = seat->out.length > 0;
    }
    pthread_mutex_unlock(&remote->lock);
    if (left)
        wake(remote);
    return taken;
}

bool remote_seats_leave(RemoteSeats *remote, Slice secret, uint64_t account) {
    pthread_mutex_lock(&remote->lock);
    Seat *seat = find(remote, secret, account);
    if (seat)
        abandon(remote, seat);
    pthread_mutex_unlock(&remote->lock);
    return seat != NULL;
}
