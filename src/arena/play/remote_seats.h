/* Seats that are played from elsewhere: by a bot on its owner's machine (`skirmish join`), or by a
   person in a browser. To the referee such a seat is a bot that listens on a Unix socket. This
   module forwards views from the socket as events of the seat's topic, whose name contains a hash
   of the seat's secret, and answers from POST requests to the socket.

   Events of a seat, in order; `run` counts how often the referee has started the bot in this
   match, from 1:

     start  {"run": 1}                   start the bot
     view   {"run": 1, "bytes": BASE64}  bytes for its standard input, not necessarily whole views
     stop   {"run": 1}                   its input has ended; stop the bot
     wait   {"run": 1}                   the match is back in the queue and will be played later
     end    {"match": 7, "state": "over"}  the match is over (or "given_up" or "called_off", with a
            "reason"); the last event

   Answers are bytes of the bot's output. Those of one run form a stream, and each POST states its
   position in that stream, so that it can be repeated if its response was lost. A POST without
   bytes is a heartbeat. A player who sends nothing for REMOTE_GONE_MS is gone: the bot's output
   ends, as if it had exited, and a match that is still in the queue is called off. Network latency
   counts as the bot's own time.

   A seat belongs to an account; anyone who knows its secret can play a visitor's seat. People get
   more time between heartbeats, because browsers limit hidden pages to one timer a minute. But a
   person who misses the time of a turn counts as gone, and no one can play for longer than
   REMOTE_PERSON_MAX_MS, because the match occupies a runner.

   Seats are in memory only, and only this process can play their matches. If several arenas share
   the store, shared_seats.h brings the player's requests here. When the arena stops, it calls off
   matches with remote seats; after a crash it calls off those it finds in the queue. Their players
   could not return to them. */
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
    REMOTE_ANSWERS_MAX = 1 << 20, /* bytes of one POST, and of answers the referee has not read */
    REMOTE_TOPIC_EVENTS = 4096,   /* that the topic of a seat keeps ... */
    REMOTE_TOPIC_BYTES = 8 << 20, /* ... and their size */
};

typedef struct RemoteSeats RemoteSeats;

RemoteSeats *remote_seats_new(Arena *arena, Error *error);

/* The reason given for matches that were called off because the arena stopped. */
#define REMOTE_RESTARTED "the arena was restarted"

/* Calls off all matches with remote seats and notifies their players; nobody can join from now on.
   Seats and topics remain, so that players who connect before the HTTP server stops are notified
   too. Call it after engine_stop and before http_stop. NULL is fine, as for remote_seats_free. */
void remote_seats_close(RemoteSeats *remote);

/* Calls remote_seats_close first. Call it after http_stop. */
void remote_seats_free(RemoteSeats *remote);

typedef enum RemoteSeatResult {
    REMOTE_SEAT_READY,
    /* the player is gone; the error is the reason to call the match off */
    REMOTE_SEAT_EMPTY,
    REMOTE_SEAT_FAILED,
} RemoteSeatResult;

/* Opens the socket of a seat before its match is played, and sets the spec to it (a BOT_UNIX). Call
   bot_spec_free in any case. */
RemoteSeatResult remote_seats_open(RemoteSeats *remote, uint64_t match, uint32_t seat,
                                   BotSpec *spec, Error *error);

/* The match is over or back in the queue; the store knows which. */
void remote_seats_end(RemoteSeats *remote, uint64_t match);

/* ---- for the API; from any thread ---- */

/* Who plays a seat. */
typedef struct RemotePlayer {
    uint64_t account; /* 0: a visitor ... */
    uint64_t address; /* ... whose address_key is this */
    uint32_t seat;
    /* For a person: how long an answer to a view may take. 0: a bot plays. */
    uint32_t answer_ms;
} RemotePlayer;

typedef enum RemoteSeatRoom {
    REMOTE_ROOM_FREE,
    REMOTE_ROOM_OWN_TAKEN, /* the account or, for a visitor, the address has reached its limit */
    REMOTE_ROOM_ALL_TAKEN, /* the arena has reached its limit */
} RemoteSeatRoom;

/* Adds a match with a remote seat to the queue. STORE_REJECTED if a limit is reached; `room` says
   which. */
StoreResult remote_seats_add(RemoteSeats *remote, const RemotePlayer *player,
                             const StoreNewMatch *match, char secret[REMOTE_SECRET_SIZE],
                             uint64_t *id, RemoteSeatRoom *room, Error *error);

/* Whether the account plays this seat; 0 is a visitor, also below. */
bool remote_seats_has(RemoteSeats *remote, Slice secret, uint64_t account);

/* Writes the event "end" of a match that is over, or was deleted (NULL). */
void remote_seats_write_end(uint64_t id, const StoreMatch *match, Buffer *to);

/* The name of the topic with the events of the seat. */
void remote_seats_topic(Slice secret, char topic[LIVE_TOPIC_MAX]);

typedef struct RemoteAnswer {
    uint32_t run; /* 0: only a heartbeat */
    uint64_t at;  /* the position of the bytes in the output of the run */
    bool last;    /* the output ends after them */
    Slice bytes;
} RemoteAnswer;

typedef enum RemoteAnswerResult {
    REMOTE_ANSWER_TAKEN,
    REMOTE_ANSWER_UNKNOWN, /* the account plays no such seat */
    REMOTE_ANSWER_STALE,   /* that run is over; the bytes are discarded */
    REMOTE_ANSWER_GAP,     /* earlier bytes are missing */
    REMOTE_ANSWER_FLOOD,   /* the referee has not read enough yet; try again later */
} RemoteAnswerResult;

RemoteAnswerResult remote_seats_answer(RemoteSeats *remote, Slice secret, uint64_t account,
                                       const RemoteAnswer *answer);

/* Gives up the seat. False if the account does not play it. */
bool remote_seats_leave(RemoteSeats *remote, Slice secret, uint64_t account);

#endif
