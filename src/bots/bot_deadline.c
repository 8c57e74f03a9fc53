/* See bot.h: the time that a bot has for an answer, and grace beyond it. */
#include "base/clock.h"
#include "bots/bot.h"

/* while the kernel has not counted a wait yet, the deadline is extended by 1/16 of the limit */
enum { GRACE_DOUBT = 16 };

static void measure(Bot *bot) {
    if (!bot->grace.first_at)
        grace_measure(&bot->grace, &bot->process, bot->asked_at + grace_first_due(bot->limit),
                      bot->cpu_seen + bot->cpu_brief);
}

void bot_measure_if_due(Bot *bot, int64_t now, int64_t *wake) {
    int64_t due = bot->asked_at + grace_first_due(bot->limit);
    if (bot->grace.first_at)
        return;
    if (now >= due)
        measure(bot);
    else if (due < *wake)
        *wake = due;
}

bool bot_extend_deadline(Bot *bot, int64_t now) {
    int64_t last =
        bot->asked_at + MATCH_BOTS_GRACE_TIMES * bot->limit + MATCH_BOTS_GRACE_MORE_MS * CLOCK_MS;
    measure(bot);
    GraceCharge charge = grace_charge(&bot->grace, &bot->process, bot->asked_at);
    if (now >= last || charge.least >= bot->limit)
        return false;
    int64_t left = charge.sure < bot->limit ? bot->limit - charge.sure : bot->limit / GRACE_DOUBT;
    int64_t until = now + (left > CLOCK_MS ? left : CLOCK_MS);
    bot->deadline = until < last ? until : last;
    return true;
}

/* By now the kernel has counted how long the bot waited. A bot at a socket is never too late,
   because it is unknown when it sent its answer. */
bool bot_is_too_late(Bot *bot, int64_t now) {
    if (now - bot->asked_at <= bot->limit || !bot->process.pid)
        return false;
    measure(bot);
    return grace_charge_answer(&bot->grace, &bot->process, bot->asked_at) > bot->limit;
}
