/* A bot's process and its pipes under direct control, for what a conformance test needs and a match
   must not do, such as sending a view in pieces or looking for output that was not requested.

   Time is charged as in a match (grace.h), but measured coarsely: the CPU time of the bot, plus the
   time in which none of its threads ran or waited for a core. */
#ifndef CHECK_PROBE_H
#define CHECK_PROBE_H

#include "base/buffer.h"
#include "base/framing.h"
#include "bots/bot_spec.h"
#include "bots/process.h"

#include <signal.h>

enum { PROBE_ERRORS_MAX = 2048 }; /* only the last bytes of standard error are kept */

typedef struct ProbeOptions {
    const BotSpec *spec;
    const Sandbox *sandbox;
    SandboxLimits limits;
    uint64_t seed; /* seed of the match */
    uint32_t seat;
    uint32_t answer_limit;
    const volatile sig_atomic_t *interrupt; /* may be NULL */
} ProbeOptions;

typedef enum ProbeReply {
    PROBE_ANSWER,
    PROBE_SILENT, /* no answer within the time */
    PROBE_EXIT,   /* the bot's output or process has ended */
    PROBE_FLOOD,  /* longer than the limit for an answer */
    PROBE_INTERRUPTED,
} ProbeReply;

typedef struct Probe {
    ProbeOptions options;
    Process process;
    Framing framing;
    Buffer output;   /* read but not yet dropped */
    size_t consumed; /* how many of its bytes are the last answer */
    Buffer input;    /* not yet written */
    Buffer errors;
    bool output_closed;
    bool input_closed;
    bool waits;           /* with PROBE_SILENT: the bot waits for input and has read all of it */
    int64_t charged;      /* nanoseconds charged for the last answer, or for the bot's end */
    uint64_t memory_peak; /* bytes, once it is freed; 0: unknown */
} Probe;

/* Starts the bot. Free the probe on failure too. */
bool probe_start(Probe *probe, const ProbeOptions *options, Error *error);

/* Sends as many bytes as the pipe takes now; the rest is sent while we wait for an answer. */
void probe_send(Probe *probe, Slice bytes);

/* Waits for an answer, which is valid until the next call. It may have arrived already. */
ProbeReply probe_answer(Probe *probe, FramingKind framing, int64_t limit, Slice *answer);

/* Reads and writes for that time, whatever the bot does. */
void probe_pause(Probe *probe, int64_t time);

/* Waits until the bot waits for input, or until `most` has passed. */
void probe_rest(Probe *probe, int64_t most);

/* What the bot has printed after its last answer, without surrounding white space. */
Slice probe_unasked(const Probe *probe);

/* Whether that output is an answer or could be the beginning of one: in some games a single empty
   line is. */
bool probe_has_unasked(const Probe *probe);

/* Closes the bot's input and waits for the bot to end; false if it does not end in time. */
bool probe_close(Probe *probe, int64_t limit);

/* Kills what is left of the bot, and frees the probe. */
void probe_free(Probe *probe);

#endif
