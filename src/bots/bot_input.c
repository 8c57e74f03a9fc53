/* See bot.h: the views that are sent to a bot. A bot that owes an answer gets its next view only
   after it has given that answer or visibly waits for input. */
#include "bots/bot.h"

#include "base/clock.h"

#include <errno.h>
#include <linux/sockios.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    HELD_MAX = 256 << 10, /* bytes of views that are held back for one bot */
    UNCLEAR_CHECKS = 5,   /* inconclusive checks before one byte is sent ahead */
    IDLE_CHECKS = 2,      /* consecutive checks without CPU time after which a bot is idle */
};

/* Writes as much of the view as the pipe takes. */
void bot_push_input(Bot *bot) {
    size_t end = bot->released + (bot->byte_ahead && bot->released < bot->input.length ? 1 : 0);
    while (bot->written < end && !bot->input_closed) {
        ssize_t sent = write(bot->process.in, bot->input.data + bot->written, end - bot->written);
        if (sent > 0)
            bot->written += (size_t)sent;
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            bot->input_closed = true; /* it no longer reads; its output still counts */
    }
}

/* How many of the written bytes the bot has not read yet. */
int bot_unread(const Bot *bot) {
    int bytes = 0;
    ioctl(bot->process.in, bot->spec->kind == BOT_PROCESS ? FIONREAD : SIOCOUTQ, &bytes);
    return bytes;
}

static size_t held_count(const Bot *bot) {
    return bot->ends.length / sizeof(size_t);
}

/* Releases the oldest held-back view. If it is not the view of the current turn, its answer is
   already late. */
static void release_next(Bot *bot) {
    size_t *ends = (size_t *)(void *)bot->ends.data;
    bot->released = ends[0];
    buffer_drop(&bot->ends, sizeof(size_t));
    bot->current = held_count(bot) == 0;
    bot->owed += !bot->current;
    bot->byte_ahead = false;
    bot->idle_checks = bot->unclear_checks = 0;
}

/* Removes written bytes from the buffer. */
static void close_up(Bot *bot) {
    size_t *ends = (size_t *)(void *)bot->ends.data;
    size_t gone = bot->written < bot->released ? bot->written : bot->released;
    if (!gone)
        return;
    if (gone == bot->input.length)
        buffer_clear(&bot->input);
    else
        buffer_drop(&bot->input, gone);
    bot->written -= gone;
    bot->released -= gone;
    for (size_t i = 0; i < held_count(bot); i++)
        ends[i] -= gone;
}

/* A view is released at once if the bot owes no answer; otherwise it waits for earlier views. */
void bot_take_view(Bot *bot, Slice view) {
    close_up(bot);
    bot->view_start = bot->input.length;
    bot->current = view.length == 0;
    bot->idle_checks = bot->unclear_checks = 0;
    if (bot->current)
        return;
    if (bot->input.length - bot->released > HELD_MAX) {
        /* It has stopped answering: drop the newest of the views that it has missed. */
        size_t *ends = (size_t *)(void *)bot->ends.data;
        size_t count = held_count(bot);
        bot->input.length = count > 1 ? ends[count - 2] : bot->input.length;
        bot->ends.length -= count > 1 ? sizeof(size_t) : 0;
        bot->view_start = bot->input.length;
    }
    buffer_add(&bot->input, view.at, view.length);
    buffer_add(&bot->ends, &bot->input.length, sizeof bot->input.length);
    /* A bot at a socket cannot be seen to wait, so its views are released at once and its answers
       are counted. */
    while (held_count(bot) &&
           ((bot->owed == 0 && held_count(bot) == 1) || bot->spec->kind == BOT_TCP))
        release_next(bot);
}

/* Whether a bot that owes an answer waits for its next view: it reads or polls, has read everything
   that was sent, and none of its threads runs or sleeps. If this cannot be determined, the bot is
   sent the first byte of the view; if it reads that byte and then uses no CPU time, it is waiting
   as well. */
static bool is_waiting(Bot *bot) {
    ProcessWait wait = process_waiting(&bot->process);
    int64_t cpu = process_cpu(&bot->process, true);
    bool idle = wait != WAIT_BUSY && cpu - bot->probe_cpu < BOT_CHECK_INTERVAL / 10 &&
                bot->written >= bot->released && bot_unread(bot) == 0;
    bot->probe_cpu = cpu;
    bot->idle_checks = idle ? bot->idle_checks + 1 : 0;
    if (idle && wait == WAIT_UNKNOWN && !bot->byte_ahead &&
        ++bot->unclear_checks > UNCLEAR_CHECKS) {
        bot->byte_ahead = true;
        bot->idle_checks = 0;
        bot_push_input(bot);
    }
    return bot->idle_checks > IDLE_CHECKS && (wait == WAIT_READING || bot->written > bot->released);
}

bool bot_release_held(Bot *bot) {
    int64_t now = clock_now();
    if (!held_count(bot))
        return false;
    if (bot->owed && (now < bot->next_check || !is_waiting(bot))) {
        bot->next_check = now < bot->next_check ? bot->next_check : now + BOT_CHECK_INTERVAL;
        return false;
    }
    bot->owed = 0;
    release_next(bot);
    bot_push_input(bot);
    return true;
}
