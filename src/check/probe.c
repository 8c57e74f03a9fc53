/* See probe.h. */
#include "check/probe.h"

#include "base/clock.h"
#include "bots/bot_seed.h"

#include <errno.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    SAMPLE_MS = 10, /* between two checks of a silent bot */
    READ_SIZE = 16 << 10,
    END_MS = 500,     /* for a process to end after its output has ended */
    GRACE_TIMES = 20, /* the longest wait: this many times its limit ... */
    GRACE_MS = 5000,  /* ... plus this */
};

bool probe_start(Probe *probe, const ProbeOptions *options, Error *error) {
    const BotSpec *spec = options->spec;
    *probe = (Probe){.options = *options, .process = process_none()};
    ProcessStart start = {
        .command = spec->command,
        .program = spec->program,
        .directory = spec->directory,
        .sandbox = options->sandbox,
        .limits = options->limits,
        .seat = options->seat % SANDBOX_SEATS,
        .seed = bot_seed(options->seed, options->seat),
    };
    return process_start(&probe->process, &start, error);
}

/* ---- pipes ---- */

static void push_input(Probe *probe) {
    while (probe->input.length && !probe->input_closed) {
        ssize_t sent = write(probe->process.in, probe->input.data, probe->input.length);
        if (sent > 0)
            buffer_drop(&probe->input, (size_t)sent);
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            probe->input_closed = true; /* it no longer reads */
    }
}

static void read_output(Probe *probe) {
    for (int round = 0; round < 16 && !probe->output_closed; round++) {
        ssize_t got =
            read(probe->process.out, buffer_reserve(&probe->output, READ_SIZE), READ_SIZE);
        bool full = probe->output.length > probe->options.answer_limit * UINT64_C(2);
        if (got > 0)
            probe->output.length += full ? 0 : (size_t)got; /* a flood is only counted */
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            probe->output_closed = true;
        else if (errno == EAGAIN)
            return;
    }
}

static void read_errors(Probe *probe) {
    for (int round = 0; round < 16; round++) {
        ssize_t got =
            read(probe->process.err, buffer_reserve(&probe->errors, READ_SIZE), READ_SIZE);
        if (got <= 0)
            return;
        probe->errors.length += (size_t)got;
        if (probe->errors.length > PROBE_ERRORS_MAX)
            buffer_drop(&probe->errors, probe->errors.length - PROBE_ERRORS_MAX);
    }
}

/* Transfers what can be transferred within the time; true if there was anything. */
static bool exchange(Probe *probe, int timeout_ms) {
    struct pollfd polls[4];
    nfds_t count = 0;
    push_input(probe);
    if (!probe->output_closed)
        polls[count++] = (struct pollfd){.fd = probe->process.out, .events = POLLIN};
    if (probe->input.length && !probe->input_closed)
        polls[count++] = (struct pollfd){.fd = probe->process.in, .events = POLLOUT};
    if (!probe->process.ended)
        polls[count++] = (struct pollfd){.fd = probe->process.end, .events = POLLIN};
    bool moved = poll(polls, count, timeout_ms) > 0;
    bool ended = !probe->process.ended && process_reap(&probe->process);
    read_output(probe);
    read_errors(probe);
    /* The pipe's remaining content is the last output, even if a child holds the other end. */
    probe->output_closed |= ended || probe->process.ended;
    push_input(probe);
    return moved;
}

/* ---- time ---- */

typedef struct Stopwatch {
    int64_t began;
    int64_t seen;
    int64_t idle;
    int64_t cpu;
} Stopwatch;

static Stopwatch stopwatch(const Probe *probe) {
    int64_t now = clock_now();
    return (Stopwatch){now, now, 0, process_cpu(&probe->process, true)};
}

/* The time that the bot is charged so far. Time counts as idle only if the bot is seen not to run
   at the end of a whole sample, so that a bot is not charged for a busy machine. */
static int64_t charge(Stopwatch *watch, const Probe *probe, bool sampled) {
    int64_t now = clock_now();
    if (sampled && !process_runs(&probe->process))
        watch->idle += now - watch->seen;
    watch->seen = now;
    int64_t charged = watch->idle + process_cpu(&probe->process, true) - watch->cpu;
    return charged < now - watch->began ? charged : now - watch->began;
}

static bool is_over(const Stopwatch *watch, int64_t charged, int64_t limit) {
    return charged > limit ||
           watch->seen - watch->began > GRACE_TIMES * limit + GRACE_MS * CLOCK_MS;
}

static bool interrupted(const Probe *probe) {
    return probe->options.interrupt && *probe->options.interrupt;
}

static bool waits_for_input(const Probe *probe) {
    int unread = 0;
    if (!probe->input_closed)
        ioctl(probe->process.in, FIONREAD, &unread);
    return unread == 0 && !probe->input.length && process_waiting(&probe->process) == WAIT_READING;
}

/* ---- talking ---- */

void probe_send(Probe *probe, Slice bytes) {
    buffer_add(&probe->input, bytes.at, bytes.length);
    push_input(probe);
}

static void await_end(Probe *probe) {
    int64_t until = clock_now() + END_MS * CLOCK_MS;
    while (!probe->process.ended && clock_now() < until && !interrupted(probe)) {
        struct pollfd end = {.fd = probe->process.end, .events = POLLIN};
        if (poll(&end, 1, SAMPLE_MS) > 0)
            process_reap(&probe->process);
    }
    read_errors(probe);
}

ProbeReply probe_answer(Probe *probe, FramingKind framing, int64_t limit, Slice *answer) {
    Stopwatch watch = stopwatch(probe);
    buffer_drop(&probe->output, probe->consumed);
    probe->consumed = 0;
    probe->framing = (Framing){.kind = framing};
    probe->waits = false;
    for (;;) {
        size_t length = framing_find(&probe->framing, probe->output.data, probe->output.length,
                                     probe->output_closed);
        if (length > probe->options.answer_limit ||
            (!length && probe->output.length > probe->options.answer_limit))
            return PROBE_FLOOD;
        if (length) {
            probe->charged = charge(&watch, probe, false);
            probe->consumed = length;
            *answer = (Slice){probe->output.data, length};
            return PROBE_ANSWER;
        }
        if (probe->output_closed) {
            await_end(probe);
            return PROBE_EXIT;
        }
        if (interrupted(probe))
            return PROBE_INTERRUPTED;
        bool sampled = !exchange(probe, SAMPLE_MS);
        probe->charged = charge(&watch, probe, sampled);
        if (sampled && is_over(&watch, probe->charged, limit)) {
            probe->waits = waits_for_input(probe);
            return PROBE_SILENT;
        }
    }
}

void probe_pause(Probe *probe, int64_t time) {
    int64_t until = clock_now() + time;
    do
        exchange(probe, 1);
    while (clock_now() < until && !probe->output_closed);
}

void probe_rest(Probe *probe, int64_t most) {
    int64_t until = clock_now() + most;
    uint32_t resting = 0;
    while (resting < 2 && clock_now() < until && !probe->output_closed && !interrupted(probe)) {
        exchange(probe, 1);
        resting = waits_for_input(probe) ? resting + 1 : 0;
    }
    exchange(probe, 0);
}

Slice probe_unasked(const Probe *probe) {
    return slice_trim(
        (Slice){probe->output.data + probe->consumed, probe->output.length - probe->consumed});
}

bool probe_has_unasked(const Probe *probe) {
    Framing framing = {.kind = probe->framing.kind};
    size_t left = probe->output.length - probe->consumed;
    return probe_unasked(probe).length ||
           (left && framing_find(&framing, probe->output.data + probe->consumed, left, false));
}

bool probe_close(Probe *probe, int64_t limit) {
    Stopwatch watch = stopwatch(probe);
    while (probe->input.length && !probe->input_closed && !interrupted(probe)) {
        bool sampled = !exchange(probe, SAMPLE_MS);
        if (is_over(&watch, charge(&watch, probe, sampled), limit))
            break;
    }
    close(probe->process.in);
    probe->process.in = -1;
    probe->input_closed = true;
    while (!probe->process.ended && !interrupted(probe)) {
        /* The bot's output ends shortly before its process. */
        bool sampled = !exchange(probe, SAMPLE_MS);
        probe->charged = charge(&watch, probe, sampled || probe->output_closed);
        if (is_over(&watch, probe->charged, limit))
            break;
    }
    exchange(probe, 0);
    return probe->process.ended;
}

void probe_free(Probe *probe) {
    if (probe->process.pid && probe->process.grouped)
        probe->memory_peak = cgroup_memory_peak(&probe->process.group);
    process_end(&probe->process);
    buffer_free(&probe->output);
    buffer_free(&probe->input);
    buffer_free(&probe->errors);
}
