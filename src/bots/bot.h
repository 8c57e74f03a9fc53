/* One bot of a match: its process or connection, the views that are being sent to it, and what it
   has printed. Only for match_bots.c and the files named below. */
#ifndef BOTS_BOT_H
#define BOTS_BOT_H

#include "base/buffer.h"
#include "bots/grace.h"
#include "bots/match_bots.h"
#include "bots/process.h"

enum { BOT_CHECK_INTERVAL = 1000000 }; /* ns between checks of a bot that owes an answer */

typedef struct Bot {
    const BotSpec *spec;
    Process process; /* for a bot at a socket, only `in` and `out` are used, and they are equal */
    bool open;       /* started and not yet ended by us */
    bool output_closed;
    /* the process has ended: the `output_left` bytes in its pipe are its last output */
    bool output_ending;
    int output_left;
    bool input_closed;
    bool stopped;
    bool restless; /* it computes outside its turns: stopped as soon as it has answered */
    bool judged;   /* its first answers have shown whether it is restless */
    bool guarded;  /* known to the guard */
    bool watched;  /* its end and standard error are in the epoll set */
    bool tree;     /* it has children, whose CPU time counts */
    int64_t released_at;

    Framing framing;
    Buffer output;   /* read but not yet dropped */
    size_t consumed; /* how many of its bytes are the answer returned last */
    bool skipping;   /* inside a line that exceeds the limit */

    /* Views, one after the other: up to `written` they are in the pipe, up to `released` they may
       be written, and the rest is held back. */
    Buffer input;
    size_t written;
    size_t released;
    size_t view_start; /* where the view of the current turn begins */
    Buffer ends;       /* size_t each: where each held-back view ends */

    bool asked;
    bool current;            /* the view of the current turn is released */
    uint32_t owed;           /* released views whose answer did not come in time */
    uint32_t unread_answers; /* once released: answers that were never requested */
    /* the first byte of a held-back view was sent, to see whether the bot reads it */
    bool byte_ahead;
    uint32_t idle_checks;
    uint32_t unclear_checks;
    int64_t probe_cpu;
    int64_t next_check; /* no check before this time, even if woken up */
    int64_t asked_at;
    int64_t limit;
    int64_t deadline; /* set from the limit; later extended by grace */
    Grace grace;

    int64_t cpu_read_at; /* when its CPU time was last read */
    int64_t cpu_seen;    /* its CPU time then */
    int64_t cpu_brief;   /* charged since then for turns too short to measure */
    int64_t cpu_before;  /* CPU time of earlier starts */
    Buffer errors;
    bool errors_taken;
    bool errors_deferred; /* not watched until another bot's turn is over */
    bool errors_cut;      /* its standard error was cut off in this turn */
    size_t errors_turn;
    size_t errors_match;
    size_t errors_most;
    BotReply reply;
} Bot;

/* ---- bot_connect.c ---- */

/* Connects to a bot at a TCP or Unix socket. */
bool bot_connect(const BotSpec *spec, int *fd, Error *error);

/* ---- bot_input.c ---- */

/* Queues a view, and sends it now or once it need not be held back. Every view is sent, in
   order. */
void bot_take_view(Bot *bot, Slice view);

/* Writes as much of the released views as the pipe takes. */
void bot_push_input(Bot *bot);

/* How many of the written bytes the bot has not read yet. */
int bot_unread(const Bot *bot);

/* Releases the next view if the bot has given the answers that it owes or visibly waits for input.
   True if one was released. */
bool bot_release_held(Bot *bot);

/* ---- bot_deadline.c ---- */

/* Takes the first measurement of a bot that has been thinking for a while. If it is not due yet,
   lowers `*wake` to the time when it is due. Quick turns end before that. */
void bot_measure_if_due(Bot *bot, int64_t now, int64_t *wake);

/* At the deadline: extends it by the rest of the bot's limit. False if nothing is left. */
bool bot_extend_deadline(Bot *bot, int64_t now);

/* Whether an answer that is found now came too late. */
bool bot_is_too_late(Bot *bot, int64_t now);

/* ---- bot_output.c ---- */

/* Reads once from standard output; true if that changed anything. */
bool bot_read_output(Bot *bot);

/* Drops the rest of a line that exceeds the limit. */
void bot_skip_line(Bot *bot);

/* Drops the answer that was returned last. */
void bot_drop_consumed(Bot *bot);

/* Reads what is on standard error now, and no more, so that a bot that never stops writing cannot
   block us. False at the end of the stream. */
bool bot_read_errors(Bot *bot);

/* Counts the answers that were printed but not requested, as far as they have arrived. */
void bot_count_unread(Bot *bot);

/* See match_bots_describe_silence. */
void bot_describe_silence(const Bot *bot, const char *waiting_hint, char *text, size_t size);

#endif
