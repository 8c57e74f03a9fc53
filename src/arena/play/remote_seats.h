/* Seats that are played from elsewhere: `skirmish join` runs a bot on its owner's machine, or a
   person plays in a browser, and the arena plays a match with it. To the referee such a seat is a
   bot that listens on a unix socket; behind the socket, views go out as events of the topic
   "seat-SECRET", and answers come in by POST.

   Events of a seat, in the order in which they happen; `run` counts how often the referee has
   started the bot in this match, from 1:

     start  {"run": 1}                   the bot is to be started
     view   {"run": 1, "bytes": BASE64}  goes to its standard input; bytes as they came, which need
            not be whole views
     stop   {"run": 1}                   its input has ended; it may go
     wait   {"run": 1}                   the match is back in the queue, and will be played later
     end    {"match": 7, "state": "over"}  the match is over (or "given_up", "called_off", with the
            "reason"); nothing follows

   Answers are bytes of the bot's output: those of one run form a stream, and each POST says at
   which byte of it it begins. So a POST that is sent again because its answer was lost does no
   harm. A POST without bytes is a sign of life. Whoever gives none for REMOTE_GONE_MS is gone: the
   bot's output ends then, as if it had exited, and a match that still waits is called off. The
   referee's clock does not know of the network: the way there and back is the bot's own time.

   A seat is its account's; a visitor's is whose secret it is. For people there is more patience,
   since a browser lets a page that is out of sight speak once a minute only; but a person who lets
   a turn's time pass is gone, and nobody plays for longer than REMOTE_PERSON_MAX_MS: such a match
   holds a runner for as long as it lasts.

   Seats are in memory only. When the arena stops, matches with such seats are called off, and so
   are those that it finds in its queue after it was killed: whoever played could not come back to
   them. */
#ifndef ARENA_PLAY_REMOTE_SEATS_H
#define ARENA_PLAY_REMOTE_SEATS_H

#include "arena/arena.h"
#include "bots/bot_spec.h"

enum {
    REMOTE_SECRET_SIZE = 33,
    REMOTE_SEATS_MAX = 256,
    REMOTE_GONE_MS = 20000,
    REMOTE_PERSON_GONE_MS = 90000,
    REMOTE_PERSON_MAX_MS = 2 * 3600 * 1000,
    REMOTE_ANSWERS_MAX = 1 << 20 /* bytes of one POST, and of what the referee has not taken yet */
};

typedef struct RemoteSeats RemoteSeats;

RemoteSeats *remote_seats_new(Arena *arena, Error *error);

/* The reason of a match that was called off because of that. */
#define REMOTE_RESTARTED "the arena was restarted"

/* Calls off all matches with remote seats and tells their players; nobody can join any more. Seats
   and topics remain, so that a player who connects before the HTTP server has stopped is told too.
   Call it after engine_stop and before http_stop. NULL is fine, as for remote_seats_free. */
void remote_seats_close(RemoteSeats *remote);

/* Call it after http_stop. Closes first. */
void remote_seats_free(RemoteSeats *remote);

typedef enum RemoteSeatResult {
    REMOTE_SEAT_READY,
    /* whoever wanted to play it is gone; the error is a reason to call the match off */
    REMOTE_SEAT_EMPTY,
    REMOTE_SEAT_FAILED,
} RemoteSeatResult;

/* From the engine's thread, when a match is about to be played: where the runner reaches this seat
   (a BOT_UNIX). bot_spec_free the spec in any case. */
RemoteSeatResult remote_seats_open(RemoteSeats *remote, uint64_t match, uint32_t seat,
                                   BotSpec *spec, Error *error);

/* The match is over, or goes back to the queue: which of the two, the store is asked. */
void remote_seats_end(RemoteSeats *remote, uint64_t match);

/* ---- for join_routes.c; from any thread ---- */

/* Who plays a seat. */
typedef struct RemotePlayer {
    uint64_t account; /* 0: a visitor ... */
    uint64_t address; /* ... whose address_key is this */
    uint32_t seat;
    /* of a person: how long after a view there has to be an answer; 0: a bot plays */
    uint32_t patience_ms;
} RemotePlayer;

typedef enum RemoteSeatRoom {
    REMOTE_ROOM_FREE,
    REMOTE_ROOM_OWN_TAKEN, /* the account, for visitors the address, has as many seats as it may */
    REMOTE_ROOM_ALL_TAKEN, /* nobody can have one now */
} RemoteSeatRoom;

/* Puts a match into the queue, one of whose seats is played from elsewhere. STORE_REFUSED when
   there is no room for it: `room` says whose fault that is. */
StoreResult remote_seats_add(RemoteSeats *remote, const RemotePlayer *player,
                             const StoreNewMatch *match, char secret[REMOTE_SECRET_SIZE],
                             uint64_t *id, RemoteSeatRoom *room, Error *error);

/* Whether the account plays this seat; 0 is a visitor, here and below. */
bool remote_seats_has(RemoteSeats *remote, Slice secret, uint64_t account);

/* The topic of its events. */
void remote_seats_topic(Slice secret, char topic[LIVE_TOPIC_MAX]);

typedef struct RemoteAnswer {
    uint32_t run; /* 0: a sign of life and nothing else */
    uint64_t at;  /* where in the run's output the bytes begin */
    bool last;    /* the output ends behind them */
    Slice bytes;
} RemoteAnswer;

typedef enum RemoteAnswerResult {
    REMOTE_ANSWER_TAKEN,
    REMOTE_ANSWER_UNKNOWN, /* no seat that this account plays */
    REMOTE_ANSWER_STALE,   /* that run is over: the bytes are thrown away */
    REMOTE_ANSWER_GAP,     /* bytes before these are missing */
    REMOTE_ANSWER_FLOOD,   /* more than the referee takes; try again later */
} RemoteAnswerResult;

RemoteAnswerResult remote_seats_answer(RemoteSeats *remote, Slice secret, uint64_t account,
                                       const RemoteAnswer *answer);

/* The account does not want to play any more. False if it does not play this seat. */
bool remote_seats_leave(RemoteSeats *remote, Slice secret, uint64_t account);

#endif
