/* The bots of one match: each is sent a view, and answers or fails before a deadline.

   Nothing a bot does can block the referee: output is read only as far as an answer needs (the rest
   waits in the pipe, and so does the bot), standard error is always read, input is written only as
   far as the pipe has room, and every wait ends at a deadline.

   Deadlines are in wall time, but time that the machine took from the bot is not charged (grace.h).
   When a deadline passes, it is extended by the rest of the bot's limit, up to
   MATCH_BOTS_GRACE_TIMES the limit plus MATCH_BOTS_GRACE_MORE_MS. An answer that is found after the
   limit counts if the bot is charged for no more than its limit.

   If only the bot that is asked may run, the others are stopped when it has been thinking for a
   millisecond; the guard (guard.h) stops them if the referee gets no CPU time. A bot that was seen
   to compute between its turns is stopped as soon as it answers, and the next bot is asked only
   when none of its threads runs. A released bot has ended by then, too. So a bot's turn does not
   depend on what the others do.

   Each view gets one answer, in the order asked, and every view is sent. An answer that is printed
   early waits for its view. A bot that let a view time out owes an answer: its next views are held
   back until it has given that answer (which is late and dropped) or visibly waits for input. If
   that cannot be seen, only the first byte of the next view is sent, and the rest follows when the
   bot has read that byte and then uses no CPU time. Nothing that a bot prints before it has the
   whole view can be an answer to it. */
#ifndef BOTS_MATCH_BOTS_H
#define BOTS_MATCH_BOTS_H

#include "base/error.h"
#include "base/framing.h"
#include "base/slice.h"
#include "bots/bot_spec.h"

#include <signal.h>
#include <stdint.h>

enum {
    MATCH_BOTS_STDERR_TURN = 64 << 10, /* bytes of one bot's standard error kept per turn ... */
    MATCH_BOTS_STDERR_MATCH = 1 << 20, /* ... and per match */
    MATCH_BOTS_EXIT_MS = 250,    /* how long a bot may take to exit when it is no longer needed */
    MATCH_BOTS_GRACE_TIMES = 20, /* no grace beyond this many times the limit ... */
    MATCH_BOTS_GRACE_MORE_MS = 5000, /* ... plus this, so that a match ends on any machine */
    MATCH_BOTS_SILENCE_SIZE = 240,   /* bytes that match_bots_describe_silence fills at most */
};

typedef struct MatchBots MatchBots;

typedef struct MatchBotsOptions {
    FramingKind framing;
    uint32_t answer_limit;
    const Sandbox *sandbox; /* NULL: none */
    SandboxLimits limits;   /* limits of each bot */
    uint64_t seed;          /* the seed of the match: see bot_seed.h */
    bool ponder;            /* in turn: bots that are not asked may continue to compute */
    size_t stderr_match;    /* bytes of one bot's standard error kept per match; 0: the default */
    bool in_turn;           /* one core for all; the others are stopped while one bot thinks */
    /* may be NULL; when it becomes true every wait ends at once */
    const volatile sig_atomic_t *interrupt;
    const char *waiting_hint; /* from the game, see GameTalk; NULL: the default */
} MatchBotsOptions;

typedef enum ReplyKind {
    REPLY_NONE, /* not asked */
    REPLY_ANSWER,
    REPLY_TIMEOUT,
    REPLY_EXIT,  /* the bot's output or process has ended */
    REPLY_FLOOD, /* longer than the limit for an answer */
} ReplyKind;

typedef struct BotReply {
    ReplyKind kind;
    Slice answer; /* with its end mark; valid until the bot is asked again */
    int64_t wall; /* nanoseconds */
    int64_t cpu;
    /* with REPLY_ANSWER: how much later than the limit it came, within grace */
    int64_t grace;
    bool out_of_memory; /* with REPLY_EXIT */
    /* with REPLY_EXIT: the bot had ended before this view and read nothing of it */
    bool unheard;
    uint32_t late; /* late answers to earlier views, which arrived now and were dropped */
} BotReply;

/* Creates the bots of a match without starting them. With `in_turn`, pins this process to its
   current core. The specs must outlive the result. */
MatchBots *match_bots_new(uint32_t count, const BotSpec *specs, const MatchBotsOptions *options,
                          Error *error);

/* Starts or restarts a bot, or connects to one at a socket. */
bool match_bots_start(MatchBots *bots, uint32_t bot, Error *error);

/* Sends a view (or nothing, if it is empty) and begins to wait for the bot's next answer. */
void match_bots_ask(MatchBots *bots, uint32_t bot, Slice view, int64_t limit);

/* The same for the line that a bot must print before its first view. */
void match_bots_ask_hello(MatchBots *bots, uint32_t bot, Slice greeting, int64_t limit);

/* Returns when every bot that was asked has a reply. False when interrupted. */
bool match_bots_wait(MatchBots *bots);

const BotReply *match_bots_reply(const MatchBots *bots, uint32_t bot);

/* How the bot ended: "exited with status 1". */
void match_bots_describe_end(MatchBots *bots, uint32_t bot, char *text, size_t size);

/* Describes what a bot that timed out was doing, as far as can be seen, for the bot's author: "it
   was waiting for more input: ...". Call it before any bot is asked again. */
void match_bots_describe_silence(const MatchBots *bots, uint32_t bot, char *text, size_t size);

/* Reads the standard error of all bots. Call it once per turn. */
void match_bots_settle(MatchBots *bots);

/* What the bot wrote to standard error since the last call; valid until the next
   match_bots_settle. */
Slice match_bots_errors(MatchBots *bots, uint32_t bot);

/* How many answers that were never requested the bot had printed when it was released. */
uint32_t match_bots_unread(const MatchBots *bots, uint32_t bot);

/* Sends a bot that is no longer needed its last message and closes its input. The bot has
   MATCH_BOTS_EXIT_MS to exit, and is killed before another bot is asked. */
void match_bots_release(MatchBots *bots, uint32_t bot, Slice message);

/* Kills a bot at once. */
void match_bots_dismiss(MatchBots *bots, uint32_t bot);

/* The process of a bot that was started here, or in the sandbox its keeper's process; 0 for
   others. */
pid_t match_bots_pid(const MatchBots *bots, uint32_t bot);

/* CPU time of the bot so far, over all its starts. */
int64_t match_bots_cpu(MatchBots *bots, uint32_t bot);

/* Releases the remaining bots, gives them time to exit, reads the rest of their standard error, and
   kills those that are left. */
void match_bots_end(MatchBots *bots);
void match_bots_free(MatchBots *bots);

#endif
