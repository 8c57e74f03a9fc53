/* See bot.h: what a bot prints to standard output and to standard error. */
#include "base/clock.h"
#include "base/utf8.h"
#include "bots/bot.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

enum {
    READ_SIZE = 16 << 10,
    UNREAD_READS = 5, /* more than a pipe holds */
};

bool bot_read_output(Bot *bot) {
    if (bot->output_closed || bot->process.out < 0)
        return false;
    size_t wanted =
        bot->output_ending && bot->output_left < READ_SIZE ? (size_t)bot->output_left : READ_SIZE;
    ssize_t got = wanted ? read(bot->process.out, buffer_reserve(&bot->output, wanted), wanted) : 0;
    if (got > 0) {
        bot->output.length += (size_t)got;
        bot->output_left -= bot->output_ending ? (int)got : 0;
    } else if (got == 0 || (errno != EAGAIN && errno != EINTR))
        bot->output_closed = true;
    else
        return false;
    return true;
}

void bot_skip_line(Bot *bot) {
    const char *newline = memchr(bot->output.data, '\n', bot->output.length);
    buffer_drop(&bot->output,
                newline ? (size_t)(newline - bot->output.data) + 1 : bot->output.length);
    bot->skipping = !newline;
}

void bot_drop_consumed(Bot *bot) {
    if (bot->consumed == bot->output.length)
        buffer_clear(&bot->output);
    else if (bot->consumed)
        buffer_drop(&bot->output, bot->consumed);
    bot->consumed = 0;
}

static void keep_errors(Bot *bot, const char *bytes, size_t count) {
    static const char full[] = "\n[standard error limit reached; the rest is not kept]\n";
    size_t room_turn = MATCH_BOTS_STDERR_TURN - bot->errors_turn;
    size_t room_match = bot->errors_most - bot->errors_match;
    size_t room = room_turn < room_match ? room_turn : room_match;
    size_t kept = count < room ? count : room;
    buffer_add(&bot->errors, bytes, kept);
    bot->errors_turn += kept;
    bot->errors_match += kept;
    if (count > kept && !bot->errors_cut)
        buffer_text(&bot->errors, full);
    bot->errors_cut |= count > kept;
}

static bool read_errors_once(Bot *bot) {
    char bytes[READ_SIZE];
    if (bot->errors_taken) {
        buffer_clear(&bot->errors);
        bot->errors_taken = bot->errors_cut = false;
        bot->errors_turn = 0;
    }
    ssize_t got = bot->process.err >= 0 ? read(bot->process.err, bytes, sizeof bytes) : -1;
    if (got > 0)
        keep_errors(bot, bytes, (size_t)got);
    return got != 0;
}

/* Reads what is there now, and no more, so that a bot that never stops writing cannot block us.
   False at the end of the stream. */
bool bot_read_errors(Bot *bot) {
    int waiting = 0;
    ioctl(bot->process.err, FIONREAD, &waiting);
    bool open = read_errors_once(bot);
    for (waiting -= READ_SIZE; open && waiting > 0; waiting -= READ_SIZE)
        open = read_errors_once(bot);
    return open;
}

void bot_count_unread(Bot *bot) {
    Framing framing = {.kind = bot->framing.kind};
    uint32_t count = 0;
    for (int i = 0; i < UNREAD_READS && !bot->asked && bot_read_output(bot); i++)
        continue;
    Slice rest = {bot->output.data + bot->consumed, bot->output.length - bot->consumed};
    size_t length;
    while (rest.length && (length = framing_find(&framing, rest.at, rest.length, false)) != 0) {
        count++;
        rest.at += length;
        rest.length -= length;
        framing_reset(&framing);
    }
    bot->unread_answers = count > bot->owed ? count - bot->owed : 0; /* the others are late */
}

void bot_describe_silence(const Bot *bot, const char *waiting_hint, char *text, size_t size) {
    static const char *const ends[] = {
        [FRAMING_LINE] = "a newline",
        [FRAMING_BLANK_LINE] = "the empty line after its orders",
        [FRAMING_END_LINE] = "the line \"end\" after its orders",
        [FRAMING_JSON_ARRAY] = "the ] of its array",
    };
    bool process = bot->spec->kind == BOT_PROCESS;
    /* A newline that follows an answer without one does not start another answer. */
    Slice output = slice_trim((Slice){bot->output.data, bot->output.length});
    if (output.length) {
        Buffer said = {0};
        utf8_quote(&said, output);
        snprintf(text, size, "it had printed %s, but not %s", buffer_string(&said),
                 ends[bot->framing.no_array ? FRAMING_LINE : bot->framing.kind]);
        buffer_free(&said);
    } else if (process && process_waiting(&bot->process) == WAIT_READING && bot_unread(bot) == 0) {
        snprintf(text, size, "it was waiting for more input: %s",
                 waiting_hint ? waiting_hint
                              : "does it flush its output after each answer, and read no more than "
                                "one view?");
    } else if (process) {
        snprintf(text, size, "it used %lld ms of CPU time", (long long)(bot->reply.cpu / CLOCK_MS));
    } else if (size) {
        *text = '\0';
    }
}
