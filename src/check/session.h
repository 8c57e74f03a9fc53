/* One process of the bot in one seat of a match. The opponents do nothing, or are house bots; the
   rules compute the views. A failure is diagnosed at once and kept in `failure`. */
#ifndef CHECK_SESSION_H
#define CHECK_SESSION_H

#include "check/fault.h"
#include "check/probe.h"
#include "match/board.h"

/* A map with its number of players. */
typedef struct Place {
    const char *name;
    GameFile config;
    GameFile map;
    uint32_t players;
} Place;

/* How views are sent. */
typedef enum SessionStyle { STYLE_PLAIN, STYLE_CRLF, STYLE_PIECES } SessionStyle;

typedef struct SessionOptions {
    const CheckOptions *check;
    const Place *place;
    uint32_t seat;
    SessionStyle style;
    const BotSpec *opponent; /* NULL: they do nothing */
    bool paralysed;          /* the bot's orders are ignored */
    uint32_t rests;          /* after this many answers, look for unexpected output */
} SessionOptions;

typedef struct Failure {
    Fault fault;
    uint32_t turn; /* 0: before the first turn */
    Buffer what;
    Buffer sent;
    Buffer received;
    Buffer errors;
} Failure;

typedef struct Session {
    SessionOptions options;
    Board board;
    GameOrders *scratch;
    Probe bot;
    Probe *opponents; /* one per player, or NULL */
    Buffer view;      /* as last sent */
    Slice answer;     /* the last answer */
    bool greeted;     /* the hello is done */
    bool answered_early;
    Failure failure;
    uint32_t turns;
    int64_t first_answer;
    int64_t longest_turn;
    uint32_t rejected; /* turns with orders that were rejected */
    uint64_t memory_limit;
} Session;

typedef enum SessionStep {
    SESSION_CONTINUES,
    SESSION_OVER,   /* for this player */
    SESSION_FAILED, /* see `failure` */
    SESSION_INTERRUPTED,
} SessionStep;

/* Starts the bots. False with an error if that fails; close the session in both cases. */
bool session_open(Session *session, const SessionOptions *options, Error *error);

/* Performs the exchange before the first view, if the game has one. */
SessionStep session_hello(Session *session);

/* Plays one turn: a view, an answer, the rules. */
SessionStep session_turn(Session *session);

/* Sends this many views at once and expects as many answers. Ignores all orders. */
SessionStep session_turns_together(Session *session, uint32_t count);

/* Closes the bot's input, after the game's last message if `farewell`, and expects the bot to
   exit. */
SessionStep session_finish(Session *session, bool farewell);

void session_close(Session *session);

/* ---- diagnose.c: each fills `failure` and returns SESSION_FAILED ---- */

/* Diagnoses a missing answer or hello. */
SessionStep diagnose_reply(Session *session, ProbeReply reply);

/* Diagnoses an answer that is invalid for this reason. */
SessionStep diagnose_invalid(Session *session, const char *reason);

SessionStep diagnose_hello(Session *session, Slice said);
SessionStep diagnose_unasked(Session *session);
SessionStep diagnose_rejected(Session *session);
SessionStep diagnose_end(Session *session, bool ended, Slice unread);

/* Sets a failure that needs only a phrase. */
SessionStep session_fail(Session *session, Fault fault, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* How long the bot may take for its next answer, in nanoseconds. */
int64_t session_limit(const Session *session);

/* Whether an answer is valid in the current turn. */
bool session_reads(Session *session, Slice answer, Error *error);

#endif
