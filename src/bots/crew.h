/* The bots of one match, and the talk with them: a view goes out, an answer or a failure comes back
   before a deadline.

   Nothing a bot does can hold this up: output is read only as far as an answer needs (the rest
   waits in its pipe, and so does the bot), standard error is always read, input is written only as
   far as the pipe takes it, and every wait ends at a deadline.

   A deadline is one of the wall clock, but time that the machine took from the bot is not charged
   (grace.h): when it passes, the bot gets what it has left by the charge, as often as that is
   something, until CREW_GRACE_TIMES its limit and CREW_GRACE_MORE_MS are over. What has come before
   the referee looks is taken.

   One answer a view, in the order asked, and every view is sent. An answer that is printed early
   stays until its view is sent. A bot that let a view pass owes an answer: its next views are held
   back until it has said what it owes (which is late, and thrown away) or is seen to wait for
   input. Where that cannot be seen, it is sent the first byte of the next view alone, and only when
   it has taken that and then uses no CPU time does the rest follow. Whatever it says before the
   whole view is there cannot be an answer to it. */
#ifndef BOTS_CREW_H
#define BOTS_CREW_H

#include "base/error.h"
#include "base/framing.h"
#include "base/slice.h"
#include "bots/spec.h"

#include <signal.h>
#include <stdint.h>

enum {
    CREW_STDERR_TURN = 64 << 10, /* bytes of standard error kept of one bot in one turn ... */
    CREW_STDERR_MATCH = 1 << 20, /* ... and in one match */
    CREW_MOMENT_MS = 250,        /* how long a bot may take to exit when it is no longer needed */
    CREW_GRACE_TIMES = 20,       /* no grace beyond this many times the limit ... */
    CREW_GRACE_MORE_MS = 5000,   /* ... and this: a match ends on any machine */
    CREW_SILENCE_SIZE = 240,     /* bytes that crew_describe_silence fills at most */
};

typedef struct Crew Crew;

typedef struct CrewOptions {
    FramingKind framing;
    uint32_t answer_limit;
    const Sandbox *sandbox; /* NULL: none */
    SandboxLimits limits;   /* of each bot */
    bool ponder;            /* in turn, let who is not asked go on computing */
    size_t stderr_match;    /* bytes of standard error kept of one bot in one match; 0: the usual */
    bool in_turn; /* one core for all; whoever is not asked is stopped while another thinks */
    /* may be NULL; when it becomes true every wait ends at once */
    const volatile sig_atomic_t *interrupt;
} CrewOptions;

typedef enum ReplyKind {
    REPLY_NONE, /* not asked */
    REPLY_ANSWER,
    REPLY_TIMEOUT,
    REPLY_EXIT,  /* its output has ended, or the bot has */
    REPLY_FLOOD, /* more bytes than an answer may have */
} ReplyKind;

typedef struct BotReply {
    ReplyKind kind;
    Slice answer; /* with its end mark; good until the bot is asked again */
    int64_t wall; /* nanoseconds */
    int64_t cpu;
    /* with REPLY_ANSWER: by how much it came after its limit and counts nevertheless */
    int64_t grace;
    bool out_of_memory; /* with REPLY_EXIT */
    bool unheard;  /* with REPLY_EXIT: it was over before this view, of which it read nothing */
    uint32_t late; /* answers to earlier views that came now and were thrown away */
} BotReply;

/* Pins this process to the core that it is on, for in_turn. The bots do not run yet. The specs must
   outlive the crew. */
Crew *crew_new(uint32_t count, const BotSpec *specs, const CrewOptions *options, Error *error);

/* Starts a bot, or starts it anew; for a bot that listens somewhere: connects. */
bool crew_start(Crew *crew, uint32_t bot, Error *error);

/* Sends a view (or nothing, if it is empty) and begins to wait for the bot's next answer. */
void crew_ask(Crew *crew, uint32_t bot, Slice view, int64_t limit);

/* The same for the line that a bot must say before its first view. */
void crew_ask_hello(Crew *crew, uint32_t bot, Slice greeting, int64_t limit);

/* Returns when every bot that was asked has a reply. False when interrupted. */
bool crew_wait(Crew *crew);

const BotReply *crew_reply(const Crew *crew, uint32_t bot);

/* How it ended, for people: "exited with status 1". */
void crew_describe_end(Crew *crew, uint32_t bot, char *text, size_t size);

/* What a bot that gave no answer in time was doing, as far as can be seen, for the person who is to
   mend it: "it was waiting for more input: ...". To be asked before any bot is asked again. */
void crew_describe_silence(const Crew *crew, uint32_t bot, char *text, size_t size);

/* Reads what has come on standard error, for all bots; once a turn. */
void crew_settle(Crew *crew);

/* What the bot wrote to standard error since this was asked last; good until the next
   crew_settle. */
Slice crew_errors(Crew *crew, uint32_t bot);

/* Tells a bot that it is no longer needed: last words, then the end of its input. It has a moment
   to exit. */
void crew_release(Crew *crew, uint32_t bot, Slice words);

/* Ends a bot at once. */
void crew_dismiss(Crew *crew, uint32_t bot);

/* CPU time of the bot so far, over all its starts. */
int64_t crew_cpu(Crew *crew, uint32_t bot);

/* Releases who is still there, gives them their moment, reads the last of their standard error, and
   ends everything. */
void crew_end(Crew *crew);
void crew_free(Crew *crew);

#endif
