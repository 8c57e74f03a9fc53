/* A bot's process with its pipes in our hands: what a conformance test needs and a match must not
   do, such as sending a view in pieces, or looking for output that was not requested.

   Time is charged like in a match (grace.h), but measured coarsely: the CPU time of the bot, and
   the time in which none of its threads ran or waited for a core. */
#ifndef CHECK_PROBE_H
#define CHECK_PROBE_H

#include "base/buffer.h"
#include "base/framing.h"
#include "bots/bot_spec.h"
#include "bots/process.h"

#include <signal.h>

enum { PROBE_ERRORS_MAX = 2048 }; /* bytes of standard error that are kept: the last */

typedef struct ProbeOptions {
    const BotSpec *spec;
    const Sandbox *sandbox;
    SandboxLimits limits;
    uint64_t seed; /* of the match */
    uint32_t seat;
    uint32_t answer_limit;
    const volatile sig_atomic_t *interrupt; /* may be NULL */
} ProbeOptions;

typedef enum ProbeReply {
    PROBE_ANSWER,
    PROBE_SILENT, /* the time is over */
    PROBE_EXIT,   /* its output or its process has ended */
    PROBE_FLOOD,  /* longer than an answer may be */
    PROBE_INTERRUPTED,
} ProbeReply;

typedef struct Probe {
    ProbeOptions options;
    Process process;
    Framing framing;
    Buffer output;   /* read and not dropped yet */
    size_t consumed; /* bytes of it that are the last answer */
    Buffer input;    /* not written yet */
    Buffer errors;
    bool output_closed;
    bool input_closed;
    bool waits;           /* with PROBE_SILENT: it waits for input, and has read all of it */
    int64_t charged;      /* nanoseconds: for the last answer, or for its end */
    uint64_t memory_peak; /* bytes, once it is freed; 0: unknown */
} Probe;

/* Starts the bot. Free the probe on failure too. */
bool probe_start(Probe *probe, const ProbeOptions *options, Error *error);

/* Sends bytes, as far as the pipe takes them now; the rest goes while we wait for an answer. */
void probe_send(Probe *probe, Slice bytes);

/* Waits for an answer, which is valid until the next call. It may have arrived before. */
ProbeReply probe_answer(Probe *probe, FramingKind framing, int64_t limit, Slice *answer);

/* Reads and writes for that long, whatever the bot does. */
void probe_pause(Probe *probe, int64_t time);

/* Waits until the bot waits for input, or `most` is over. */
void probe_rest(Probe *probe, int64_t most);

/* What it has printed after its last answer, without white space around it. */
Slice probe_unasked(const Probe *probe);

/* Whether that is anything that counts as an answer, or as the beginning of one: in some games a
   single empty line does. */
bool probe_has_unasked(const Probe *probe);

/* Closes the bot's input and waits for its end; false if it does not come in time. */
bool probe_close(Probe *probe, int64_t limit);

/* Kills what is left of it. */
void probe_free(Probe *probe);

#endif
