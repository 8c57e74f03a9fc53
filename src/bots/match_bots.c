/* See match_bots.h. Sections: starting, asking, reading, waiting, ending. */
#include "bots/match_bots.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bots/bot.h"
#include "bots/bot_seed.h"
#include "bots/guard.h"

#include <assert.h>
#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum {
    /* ns that a bot thinks before the others are stopped; most answers come sooner */
    STOP_OTHERS_AFTER = 1000000,
    BRIEF_TURN = 200000, /* ns: in shorter turns CPU time is not measured */
    /* ns between checks whether a bot computes outside its turns, and the CPU time that is too
       much: more than a bot gets before it is stopped */
    REST_CHECK_INTERVAL = 20000000,
    RESTLESS_CPU = 2 * STOP_OTHERS_AFTER,
    /* ns that a bot may take after an answer until it waits for its next view */
    RETURN_TIME = 200000,
    /* so few processes and threads can be stopped before they delay the referee */
    FEW_PROCESSES = 3,
    /* We look for an answer before yielding. After this many turns in a row without one, only every
       LOOK_AGAIN_EVERY-th turn begins with a look. */
    VAIN_LOOKS_MAX = 8,
    LOOK_AGAIN_EVERY = 64,
};

struct MatchBots {
    MatchBotsOptions options;
    uint32_t count;
    uint32_t asked;
    uint32_t vain_looks; /* turns in a row without an answer before we yielded */
    int epoll;
    bool pinned;
    bool deferred;  /* the standard error of some bots must be watched again */
    bool releasing; /* some released bots may not have ended yet */
    cpu_set_t cores_before;
    Guard *guard; /* NULL: none is needed */
    struct pollfd *polls;
    Bot bot[];
};

/* ---- starting ---- */

/* Pins us to one core, which the bots inherit. */
static void pin(MatchBots *bots) {
    int core = sched_getcpu();
    if (core < 0 || sched_getaffinity(0, sizeof bots->cores_before, &bots->cores_before) != 0)
        return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET((size_t)core, &one);
    bots->pinned = sched_setaffinity(0, sizeof one, &one) == 0;
}

MatchBots *match_bots_new(uint32_t count, const BotSpec *specs, const MatchBotsOptions *options,
                          Error *error) {
    if (!process_prepare(error))
        return NULL;
    MatchBots *bots = xcalloc(1, sizeof *bots + count * sizeof *bots->bot);
    struct pollfd *polls = xcalloc(count * 2 + 1, sizeof *polls);
    bots->options = *options;
    bots->count = count;
    bots->polls = polls;
    bots->epoll = epoll_create1(EPOLL_CLOEXEC);
    for (uint32_t i = 0; i < count; i++)
        bots->bot[i] = (Bot){.spec = &specs[i],
                             .framing = {.kind = options->framing},
                             .errors_most = options->stderr_match ? options->stderr_match
                                                                  : MATCH_BOTS_STDERR_MATCH,
                             .process = process_none()};
    if (bots->epoll < 0) {
        error_set(error, "cannot wait for events: %s", strerror(errno));
        match_bots_free(bots);
        return NULL;
    }
    if (options->in_turn)
        pin(bots);
    /* Without a sandbox bots are trusted. */
    if (bots->pinned && !options->ponder && options->sandbox &&
        sandbox_mode(options->sandbox) != SANDBOX_NONE)
        bots->guard = guard_new(count, &bots->cores_before);
    return bots;
}

static void watch_errors(MatchBots *bots, Bot *bot) {
    uint32_t index = (uint32_t)(bot - bots->bot);
    struct epoll_event errors = {.events = EPOLLIN, .data.u32 = index * 2};
    epoll_ctl(bots->epoll, EPOLL_CTL_ADD, bot->process.err, &errors);
    bot->errors_deferred = false;
}

/* Adds the bot's standard error and its end to the epoll set. The data of an event is twice the
   bot's index, plus 1 if the event is the end. */
static void watch(MatchBots *bots, Bot *bot) {
    uint32_t index = (uint32_t)(bot - bots->bot);
    struct epoll_event end = {.events = EPOLLIN, .data.u32 = index * 2 + 1};
    watch_errors(bots, bot);
    epoll_ctl(bots->epoll, EPOLL_CTL_ADD, bot->process.end, &end);
    bot->watched = true;
}

/* Puts the bot under guard. Not before its first answer: until then its keeper, which has to
   continue it, may still be waiting for it to be executed. */
static void have_guarded(MatchBots *bots, Bot *bot) {
    if (bots->guard && !bot->guarded)
        guard_watch(bots->guard, (uint32_t)(bot - bots->bot), &bot->process);
    bot->guarded = true;
}

bool match_bots_start(MatchBots *bots, uint32_t index, Error *error) {
    Bot *bot = &bots->bot[index];
    const BotSpec *spec = bot->spec;
    match_bots_dismiss(bots, index);
    buffer_clear(&bot->output);
    buffer_clear(&bot->input);
    framing_reset(&bot->framing);
    buffer_clear(&bot->ends);
    bot->consumed = bot->written = bot->released = bot->view_start = 0;
    bot->output_closed = bot->input_closed = bot->stopped = bot->skipping = bot->byte_ahead =
        bot->current = bot->tree = bot->guarded = false;
    bot->output_ending = false; /* a restless bot stays restless */
    bot->output_left = 0;
    bot->owed = bot->unread_answers = 0;
    bot->cpu_seen = bot->cpu_brief = bot->cpu_read_at = 0;
    bot->released_at = 0;
    bot->process = process_none();
    bool good = false;
    if (spec->kind == BOT_PROCESS) {
        ProcessStart start = {
            .command = spec->command,
            .program = spec->program,
            .directory = spec->directory,
            .sandbox = bots->options.sandbox,
            .limits = bots->options.limits,
            .seat = index % SANDBOX_SEATS,
            .seed = bot_seed(bots->options.seed, index),
        };
        good = process_start(&bot->process, &start, error);
        if (good)
            watch(bots, bot);
        if (good && bot->process.grouped)
            have_guarded(bots, bot);
    } else {
        int fd = -1;
        good = bot_connect(spec, &fd, error);
        bot->process.in = bot->process.out = good ? fd : -1;
    }
    bot->open = good;
    return good;
}

/* ---- asking ---- */

/* CPU time since the last reading, minus the time that was charged for brief turns. */
static int64_t read_cpu(Bot *bot, int64_t now) {
    int64_t cpu = process_cpu(&bot->process, bot->tree);
    int64_t used = cpu - bot->cpu_seen - bot->cpu_brief;
    bot->cpu_seen = cpu > bot->cpu_seen ? cpu : bot->cpu_seen;
    bot->cpu_brief = 0;
    bot->cpu_read_at = now;
    return used > 0 ? used : 0;
}

/* Whether only the bot that is asked may run. */
static bool others_rest(const MatchBots *bots) {
    return bots->options.in_turn && !bots->options.ponder;
}

/* Checks before a turn whether the bot has computed since its last one. Stopping each bot after
   each answer would cost more than most turns, and a bot that keeps the core busy delays the
   referee before it can be stopped. Returns the time after the check, or `now` if none was due. */
static int64_t check_rest(const MatchBots *bots, Bot *bot, int64_t now) {
    if (!bots->pinned || !bot->open || !bot->cpu_seen ||
        now - bot->cpu_read_at <= REST_CHECK_INTERVAL)
        return now;
    if (read_cpu(bot, now) > RESTLESS_CPU)
        bot->restless = others_rest(bots);
    return clock_now();
}

/* The guard must not stop a bot that is asked, so it pauses while several are. */
static void begin_guarded_turn(MatchBots *bots, uint32_t index) {
    if (!bots->guard)
        return;
    bots->bot[index].stopped |= guard_begin_turn(bots->guard, index);
    if (bots->asked > 1)
        guard_end_turn(bots->guard);
}

static void end_released(MatchBots *bots);

static void ask(MatchBots *bots, uint32_t index, FramingKind framing, Slice view, int64_t limit) {
    Bot *bot = &bots->bot[index];
    assert(!bot->asked);
    if (bot->framing.kind != framing)
        bot->framing = (Framing){.kind = framing};
    bot->asked = true;
    bots->asked++;
    bot->reply = (BotReply){.kind = REPLY_NONE};
    bot_drop_consumed(bot);
    end_released(bots);
    /* Before the bot continues: from then on it may keep us from running. */
    bot->asked_at = check_rest(bots, bot, clock_now());
    begin_guarded_turn(bots, index);
    if (bot->stopped) {
        process_continue(&bot->process);
        bot->stopped = false;
    }
    if (bot->errors_deferred && bot->watched)
        watch_errors(bots, bot);
    bot->limit = limit;
    bot->deadline = bot->asked_at + limit;
    grace_reset(&bot->grace);
    if (!bot->open)
        return;
    bot_take_view(bot, view);
    bot_push_input(bot);
}

void match_bots_ask(MatchBots *bots, uint32_t index, Slice view, int64_t limit) {
    ask(bots, index, bots->options.framing, view, limit);
}

void match_bots_ask_hello(MatchBots *bots, uint32_t index, Slice greeting, int64_t limit) {
    ask(bots, index, FRAMING_LINE, greeting, limit);
}

/* ---- reading ---- */

/* CPU time of the turn that ends now. Reading another process's clock takes a tenth of a short
   turn. On one core a bot cannot have used more than the wall time, so wall time is charged
   instead, and the next reading subtracts it again. */
static int64_t turn_cpu(const MatchBots *bots, Bot *bot, int64_t wall, int64_t now) {
    if (bots->pinned && wall < BRIEF_TURN && bot->cpu_seen) {
        bot->cpu_brief += wall;
        return wall;
    }
    if (bot->cpu_seen == 0)
        bot->tree = process_has_children(&bot->process);
    return read_cpu(bot, now);
}

/* Whether the bot keeps running after its answer instead of waiting for its next view. */
static bool keeps_running(const Process *process) {
    bool crowd = process->grouped && cgroup_processes(&process->group) > FEW_PROCESSES;
    if (process->grouped ? !crowd : !process_runs(process))
        return false;
    int64_t before = crowd ? cgroup_cpu(&process->group) : 0;
    nanosleep(&(struct timespec){.tv_nsec = RETURN_TIME}, NULL);
    /* Inspecting every thread takes long while they compute, so check their CPU time first. */
    return (crowd && cgroup_cpu(&process->group) - before > RETURN_TIME / 2) ||
           process_runs(process);
}

/* Many threads that compute after an answer leave hardly any CPU time to the referee, which has to
   stop them. So until a bot was once seen to rest after an answer, the next turn begins only after
   it has been stopped. A bot without a group, whose opponent has no grace, is judged by its first
   answer. */
static void judge_rest(Bot *bot) {
    bot->restless = keeps_running(&bot->process);
    bot->judged = !bot->restless || !bot->process.grouped;
}

static void await_end(MatchBots *bots, Bot *bot);

static void settle_reply(MatchBots *bots, Bot *bot, ReplyKind kind, int64_t now) {
    if (kind == REPLY_EXIT && bot->process.sandboxed)
        await_end(bots, bot);
    bot->reply.kind = kind;
    bot->reply.out_of_memory = kind == REPLY_EXIT && bot->process.out_of_memory;
    bot->reply.wall = now - bot->asked_at;
    bot->reply.cpu = turn_cpu(bots, bot, bot->reply.wall, now);
    if (kind == REPLY_ANSWER && bot->reply.wall > bot->limit)
        bot->reply.grace = bot->reply.wall - bot->limit;
    bot->asked = false;
    bots->asked--;
    if (bots->guard)
        guard_end_turn(bots->guard);
    if (kind == REPLY_ANSWER && bot->open && bot->process.pid)
        have_guarded(bots, bot);
    if (!bot->judged && bot->open && bot->process.pid && others_rest(bots))
        judge_rest(bot);
    if (bot->restless && bot->open) {
        process_stop_now(&bot->process);
        bot->stopped = true;
    }
}

/* The bot has timed out; its answer to this view will be late. */
static void expire(MatchBots *bots, Bot *bot, int64_t now) {
    bot->owed += bot->current && bot->released > bot->view_start;
    bot->current = false;
    settle_reply(bots, bot, REPLY_TIMEOUT, now);
}

/* Checks once for an answer. True if it should check again at once. */
static bool poll_bot(MatchBots *bots, Bot *bot) {
    if (bot->skipping && bot->output.length)
        bot_skip_line(bot);
    size_t length =
        framing_find(&bot->framing, bot->output.data, bot->output.length, bot->output_closed);
    if (length && bot->owed) {
        /* The answer to a view that has timed out. */
        buffer_drop(&bot->output, length);
        framing_reset(&bot->framing);
        bot->owed--;
        bot->reply.late++;
        return true;
    }
    if (length && bot->current) {
        int64_t now = clock_now();
        if (bot_is_too_late(bot, now)) {
            expire(bots, bot, now);
            return false;
        }
        bot->reply.answer = (Slice){bot->output.data, length};
        bot->consumed = length;
        framing_reset(&bot->framing);
        bool flood = length > bots->options.answer_limit;
        settle_reply(bots, bot, flood ? REPLY_FLOOD : REPLY_ANSWER, now);
        return false;
    }
    if (!length && bot->output.length > bots->options.answer_limit) {
        buffer_clear(&bot->output);
        framing_reset(&bot->framing);
        bot->skipping = true;
        settle_reply(bots, bot, REPLY_FLOOD, clock_now());
        return false;
    }
    if (bot->output_closed || !bot->open) {
        bot->reply.unheard = !bot->open || bot->written <= bot->view_start ||
                             bot_unread(bot) >= (int)(bot->written - bot->view_start);
        settle_reply(bots, bot, REPLY_EXIT, clock_now());
        return false;
    }
    return !length && bot_read_output(bot);
}

static void poll_answers(MatchBots *bots, Bot *bot) {
    do {
        while (bot->asked && poll_bot(bots, bot))
            ;
        if (!bot->asked)
            return;
        if (bot->written < bot->released)
            bot_push_input(bot);
    } while (!bot->current && bot_release_held(bot));
    int64_t now = clock_now();
    if (now >= bot->deadline && !bot_extend_deadline(bot, now))
        expire(bots, bot, now);
}

/* ---- standard error, and the end of processes ---- */

static void unwatch(MatchBots *bots, Bot *bot) {
    if (bot->process.err >= 0)
        epoll_ctl(bots->epoll, EPOLL_CTL_DEL, bot->process.err, NULL);
    if (bot->process.end >= 0)
        epoll_ctl(bots->epoll, EPOLL_CTL_DEL, bot->process.end, NULL);
    bot->watched = false;
}

/* Handles the end of a process: its pipes contain the last of its output, even if a child still
   holds their other ends. */
static void note_end(MatchBots *bots, Bot *bot) {
    if (!process_reap(&bot->process))
        return;
    bot_read_errors(bot);
    unwatch(bots, bot);
    /* The rest is read later, because an answer that was returned is still in the buffer. */
    if (ioctl(bot->process.out, FIONREAD, &bot->output_left) != 0)
        bot->output_left = 0;
    bot->output_ending = true;
}

/* Waits for the end of the bot's process, which follows shortly after the end of its output. */
static void await_end(MatchBots *bots, Bot *bot) {
    struct pollfd end = {.fd = bot->process.end, .events = POLLIN};
    if (bot->watched && poll(&end, 1, 100) == 1)
        note_end(bots, bot);
}

/* Reading from a pipe notifies everyone who watches it, and a bot can make that slow: with half a
   million watches, it takes 75 ms. So a bot's standard error is not read during another bot's
   turn. */
static void defer_errors(MatchBots *bots, Bot *bot) {
    epoll_ctl(bots->epoll, EPOLL_CTL_DEL, bot->process.err, NULL);
    bot->errors_deferred = bots->deferred = true;
}

static void handle_events(MatchBots *bots, int timeout) {
    struct epoll_event events[32];
    int count = epoll_wait(bots->epoll, events, 32, timeout);
    for (int i = 0; i < count; i++) {
        Bot *bot = &bots->bot[events[i].data.u32 / 2];
        if (!bot->watched)
            continue;
        if (events[i].data.u32 % 2)
            note_end(bots, bot);
        else if (bots->asked && !bot->asked && others_rest(bots))
            defer_errors(bots, bot);
        else if (!bot_read_errors(bot))
            epoll_ctl(bots->epoll, EPOLL_CTL_DEL, bot->process.err, NULL);
    }
}

/* ---- waiting ---- */

static bool interrupted(const MatchBots *bots) {
    return bots->options.interrupt && *bots->options.interrupt;
}

/* Stops the bots that are not asked, once a bot has been thinking for a while. */
static void stop_others(MatchBots *bots, int64_t now, int64_t *wake) {
    for (uint32_t i = 0; i < bots->count; i++) {
        const Bot *thinker = &bots->bot[i];
        if (!thinker->asked)
            continue;
        int64_t when = thinker->asked_at + STOP_OTHERS_AFTER;
        if (now < when) {
            *wake = when < *wake ? when : *wake;
            return;
        }
    }
    for (uint32_t i = 0; i < bots->count; i++) {
        Bot *bot = &bots->bot[i];
        if (bot->asked || !bot->open || bot->stopped || bot->released_at ||
            bot->spec->kind != BOT_PROCESS)
            continue;
        process_stop(&bot->process);
        bot->stopped = true;
    }
}

/* Sleeps until a bot that was asked has printed something, or something is due. */
static void sleep_until_event(MatchBots *bots) {
    int64_t now = clock_now();
    int64_t wake = INT64_MAX;
    nfds_t count = 0;
    bots->polls[count++] = (struct pollfd){.fd = bots->epoll, .events = POLLIN};
    for (uint32_t i = 0; i < bots->count; i++) {
        Bot *bot = &bots->bot[i];
        if (!bot->asked)
            continue;
        bot_measure_if_due(bot, now, &wake);
        int64_t due = !bot->current && now + BOT_CHECK_INTERVAL < bot->deadline
                          ? now + BOT_CHECK_INTERVAL
                          : bot->deadline;
        wake = due < wake ? due : wake;
        bots->polls[count++] = (struct pollfd){.fd = bot->process.out, .events = POLLIN};
        if (bot->written < bot->released && !bot->input_closed)
            bots->polls[count++] = (struct pollfd){.fd = bot->process.in, .events = POLLOUT};
    }
    if (others_rest(bots))
        stop_others(bots, now, &wake);
    int64_t left = wake > now ? wake - now : 0;
    struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    ppoll(bots->polls, count, &timeout, NULL);
    if (bots->polls[0].revents)
        handle_events(bots, 0);
}

/* Checks all bots that were asked; true if all have answered. */
static bool look_for_answers(MatchBots *bots) {
    for (uint32_t i = 0; i < bots->count && bots->asked; i++)
        if (bots->bot[i].asked)
            poll_answers(bots, &bots->bot[i]);
    return !bots->asked;
}

/* Lets the one bot that is asked run on the core that it shares with us. A quick bot has answered
   when we return, so polling is not needed. Usually the kernel switches to a bot as soon as its
   view is written, and yielding would be a wasted call. On machines where it does not, looking for
   the answer first would be the wasted call. */
static void hand_over_core(MatchBots *bots) {
    bool looks = bots->vain_looks < VAIN_LOOKS_MAX || bots->vain_looks % LOOK_AGAIN_EVERY == 0;
    if (looks && look_for_answers(bots)) {
        bots->vain_looks = 0;
        return;
    }
    bots->vain_looks++;
    sched_yield();
}

bool match_bots_wait(MatchBots *bots) {
    if (bots->pinned && bots->asked == 1)
        hand_over_core(bots);
    while (!look_for_answers(bots)) {
        if (interrupted(bots))
            return false;
        sleep_until_event(bots);
    }
    return true;
}

const BotReply *match_bots_reply(const MatchBots *bots, uint32_t bot) {
    return &bots->bot[bot].reply;
}

void match_bots_describe_end(MatchBots *bots, uint32_t index, char *text, size_t size) {
    Bot *bot = &bots->bot[index];
    await_end(bots, bot);
    if (bot->process.pid && bot->process.ended)
        process_describe_end(&bot->process, text, size);
    else
        snprintf(text, size, "%s",
                 bot->spec->kind == BOT_PROCESS ? "closed its standard output"
                                                : "closed the connection");
}

void match_bots_describe_silence(const MatchBots *bots, uint32_t index, char *text, size_t size) {
    bot_describe_silence(&bots->bot[index], bots->options.waiting_hint, text, size);
}

/* ---- between turns, and the end ---- */

void match_bots_settle(MatchBots *bots) {
    for (uint32_t i = 0; i < bots->count && bots->deferred; i++)
        if (bots->bot[i].errors_deferred && bots->bot[i].watched)
            watch_errors(bots, &bots->bot[i]);
    bots->deferred = false;
    handle_events(bots, 0);
    for (uint32_t i = 0; i < bots->count; i++) {
        Bot *bot = &bots->bot[i];
        if (!bot->open)
            continue;
        /* Only after long turns, because it is slow: children appear when a bot starts, or during a
           long turn. */
        if (!bot->tree && bot->process.pid && bot->reply.wall > 5 * CLOCK_MS)
            bot->tree = process_has_children(&bot->process);
        if (bot->released_at && !bot->process.pid &&
            clock_now() > bot->released_at + MATCH_BOTS_EXIT_MS * CLOCK_MS)
            match_bots_dismiss(bots, i); /* a connection */
    }
}

Slice match_bots_errors(MatchBots *bots, uint32_t index) {
    Bot *bot = &bots->bot[index];
    if (bot->errors_taken || !bot->errors.length)
        return (Slice){"", 0};
    bot->errors_taken = true;
    return (Slice){bot->errors.data, bot->errors.length};
}

uint32_t match_bots_unread(const MatchBots *bots, uint32_t index) {
    return bots->bot[index].unread_answers;
}

void match_bots_release(MatchBots *bots, uint32_t index, Slice message) {
    Bot *bot = &bots->bot[index];
    if (!bot->open || bot->released_at)
        return;
    if (bots->guard)
        bot->stopped |= guard_forget(bots->guard, index);
    if (bot->stopped) {
        process_continue(&bot->process);
        bot->stopped = false;
    }
    bot_count_unread(bot);
    if (message.length && bot->written == bot->released && !bot->input_closed) {
        buffer_clear(&bot->input);
        buffer_clear(&bot->ends);
        buffer_add(&bot->input, message.at, message.length);
        bot->written = 0;
        bot->released = message.length;
        bot->byte_ahead = false;
        bot_push_input(bot);
    }
    bot->released_at = clock_now();
    bots->releasing = true;
    if (bot->spec->kind == BOT_PROCESS) {
        close(bot->process.in);
        bot->process.in = -1;
    } else {
        shutdown(bot->process.in, SHUT_WR);
    }
    bot->input_closed = true;
}

void match_bots_dismiss(MatchBots *bots, uint32_t index) {
    Bot *bot = &bots->bot[index];
    if (!bot->open)
        return;
    if (bots->guard)
        guard_forget(bots->guard, index);
    if (bot->spec->kind == BOT_PROCESS) {
        int64_t seen = process_cpu(&bot->process, true);
        if (bot->watched) {
            bot_read_errors(bot);
            unwatch(bots, bot);
        }
        process_end(&bot->process);
        bot->cpu_before += seen > bot->process.cpu_ended ? seen : bot->process.cpu_ended;
    } else {
        close(bot->process.in);
    }
    bot->process.in = bot->process.out = bot->process.err = -1;
    bot->open = false;
}

pid_t match_bots_pid(const MatchBots *bots, uint32_t index) {
    const Bot *bot = &bots->bot[index];
    return bot->spec->kind == BOT_PROCESS ? bot->process.pid : 0;
}

int64_t match_bots_cpu(MatchBots *bots, uint32_t index) {
    Bot *bot = &bots->bot[index];
    return bot->cpu_before +
           (bot->open && bot->spec->kind == BOT_PROCESS ? process_cpu(&bot->process, true) : 0);
}

/* The time until which to wait for the released bots; 0 if all processes among them have ended. */
static int64_t released_until(const MatchBots *bots) {
    int64_t until = 0;
    for (uint32_t i = 0; i < bots->count; i++) {
        const Bot *bot = &bots->bot[i];
        int64_t its = bot->released_at + (bot->restless ? 0 : MATCH_BOTS_EXIT_MS * CLOCK_MS);
        if (bot->open && bot->released_at && bot->process.pid && !bot->process.ended && its > until)
            until = its;
    }
    return until;
}

/* Gives released bots their time to exit and then kills them. This happens before the next bot is
   asked, so that they take no time from its turn. */
static void end_released(MatchBots *bots) {
    if (!bots->releasing)
        return;
    bots->releasing = false;
    for (int64_t until = 0; (until = released_until(bots)) != 0 && !interrupted(bots);) {
        int64_t left = until - clock_now();
        if (left <= 0)
            break;
        handle_events(bots, (int)(left / CLOCK_MS) + 1);
    }
    for (uint32_t i = 0; i < bots->count; i++)
        if (bots->bot[i].released_at && bots->bot[i].process.pid)
            match_bots_dismiss(bots, i);
}

void match_bots_end(MatchBots *bots) {
    for (uint32_t i = 0; i < bots->count; i++)
        match_bots_release(bots, i, (Slice){"", 0});
    end_released(bots);
    for (uint32_t i = 0; i < bots->count; i++)
        match_bots_dismiss(bots, i);
    process_sweep(bots->options.sandbox);
}

void match_bots_free(MatchBots *bots) {
    if (!bots)
        return;
    for (uint32_t i = 0; i < bots->count; i++) {
        match_bots_dismiss(bots, i);
        buffer_free(&bots->bot[i].output);
        buffer_free(&bots->bot[i].input);
        buffer_free(&bots->bot[i].ends);
        buffer_free(&bots->bot[i].errors);
        grace_free(&bots->bot[i].grace);
    }
    guard_free(bots->guard);
    if (bots->pinned)
        sched_setaffinity(0, sizeof bots->cores_before, &bots->cores_before);
    if (bots->epoll >= 0)
        close(bots->epoll);
    free(bots->polls);
    free(bots);
}
