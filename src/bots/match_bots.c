/* See match_bots.h. Sections: starting, asking, reading, waiting, ending. */
#include "bots/match_bots.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "bots/grace.h"
#include "bots/process.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/sockios.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum {
    READ_SIZE = 16 << 10,
    HELD_MOST = 256 << 10, /* bytes of views that are held back for one bot */
    CONNECT_MS = 5000,
    /* ns that a bot thinks before the others are stopped: most answers are there long before */
    STOP_OTHERS_AFTER = 1000000,
    BRIEF_TURN = 200000,  /* ns: turns shorter than this are not worth a look at CPU time */
    PROBE_TICK = 1000000, /* ns between looks at a bot that owes an answer */
    DOUBTFUL_LOOKS = 5,   /* looks that do not tell what it waits for, before a byte is risked */
    IDLE_NEEDED = 2,      /* looks in a row without CPU time that make a bot idle */
    GRACE_DOUBT = 16,     /* part of the limit that is given while the kernel's count is not in */
};

typedef struct Bot {
    const BotSpec *spec;
    Process process; /* of a bot at a socket only `in` and `out` count, and are the same */
    bool open;       /* started, and not ended by us */
    bool output_closed;
    /* the process is gone: what its pipe held then, `output_left` bytes, is the last of it */
    bool output_ending;
    int output_left;
    bool input_closed;
    bool stopped;
    bool watched; /* its pidfd and standard error are in the epoll set */
    bool tree;    /* it has children, whose CPU time counts */
    int64_t released_at;

    Framing framing;
    Buffer output;   /* what came and is not thrown away yet */
    size_t consumed; /* of it, the answer that was given out last */
    bool skipping;   /* inside a line that was over the limit */

    /* Views, one behind the other: up to `written` they are in the pipe, up to `released` they may
       go there, and behind that they are held back. */
    Buffer input;
    size_t written;
    size_t released;
    size_t view_start; /* where the view that was asked last begins */
    Buffer ends;       /* size_t each: where the views that are held back end */

    bool asked;
    bool current;    /* the view that was asked last is released */
    bool prolonged;  /* the deadline of this turn has been moved */
    uint32_t owed;   /* views that were released and had no answer in time */
    bool byte_ahead; /* in doubt the first byte of a view that is held back is sent ahead */
    uint32_t idle_looks;
    uint32_t doubtful_looks;
    int64_t probe_cpu;
    int64_t next_look; /* looks are a tick apart, whatever wakes us in between */
    int64_t asked_at;
    int64_t limit;
    int64_t deadline; /* at first the limit; later with grace */
    Grace grace;

    int64_t cpu_seen;   /* when we last looked */
    int64_t cpu_brief;  /* counted since then for turns too short to look */
    int64_t cpu_before; /* of earlier starts */
    Buffer errors;
    bool errors_taken;
    bool errors_cut; /* in this turn */
    size_t errors_turn;
    size_t errors_match;
    size_t errors_most;
    BotReply reply;
} Bot;

struct MatchBots {
    MatchBotsOptions options;
    uint32_t count;
    uint32_t asked;
    int epoll;
    bool pinned;
    uint32_t cores; /* that each bot may use */
    cpu_set_t cores_before;
    struct pollfd *polls;
    Bot bot[];
};

/* ---- starting ---- */

/* Finds out which cores there are, and with `in_turn` settles on one. */
static void choose_cores(MatchBots *bots) {
    bots->cores = 1;
    if (sched_getaffinity(0, sizeof bots->cores_before, &bots->cores_before) != 0)
        return;
    int core = sched_getcpu();
    if (bots->options.in_turn && core >= 0) {
        cpu_set_t one;
        CPU_ZERO(&one);
        CPU_SET((size_t)core, &one);
        bots->pinned = sched_setaffinity(0, sizeof one, &one) == 0;
    }
    if (!bots->pinned)
        bots->cores = (uint32_t)CPU_COUNT(&bots->cores_before);
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
        bots->bot[i] = (Bot){
            .spec = &specs[i],
            .framing = {.kind = options->framing},
            .errors_most = options->stderr_match ? options->stderr_match : MATCH_BOTS_STDERR_MATCH,
            .process = {.pidfd = -1, .keeper = -1, .in = -1, .out = -1, .err = -1}};
    if (bots->epoll < 0) {
        error_set(error, "cannot wait for events: %s", strerror(errno));
        match_bots_free(bots);
        return NULL;
    }
    choose_cores(bots);
    return bots;
}

static bool connect_within(int fd, const struct sockaddr *address, socklen_t size) {
    if (connect(fd, address, size) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int failure = ETIMEDOUT;
    socklen_t length = sizeof failure;
    if (poll(&wait, 1, CONNECT_MS) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &length);
    errno = failure;
    return failure == 0;
}

static bool connect_tcp(const BotSpec *spec, int *fd, Error *error) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int wrong = getaddrinfo(spec->host, spec->port, &hints, &found);
    if (wrong)
        return error_set(error, "bot %s: cannot find the host: %s", spec->text,
                         gai_strerror(wrong));
    *fd = -1;
    int reason = 0;
    for (struct addrinfo *address = found; address && *fd < 0; address = address->ai_next) {
        *fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (*fd >= 0 && !connect_within(*fd, address->ai_addr, address->ai_addrlen)) {
            reason = errno;
            close(*fd);
            *fd = -1;
        }
    }
    freeaddrinfo(found);
    if (*fd < 0)
        return error_set(error, "bot %s: cannot connect: %s; is the bot listening there?",
                         spec->text, strerror(reason));
    setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return true;
}

static bool connect_unix(const BotSpec *spec, int *fd, Error *error) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", spec->path);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd >= 0 && connect_within(*fd, (const struct sockaddr *)&address, sizeof address))
        return true;
    int reason = errno;
    if (*fd >= 0)
        close(*fd);
    return error_set(error, "bot %s: cannot connect: %s; is the bot listening there?", spec->text,
                     strerror(reason));
}

/* What an event of the epoll set is about: a bot, and its standard error or its end. */
static void watch(MatchBots *bots, Bot *bot) {
    uint32_t index = (uint32_t)(bot - bots->bot);
    struct epoll_event errors = {.events = EPOLLIN, .data.u32 = index * 2};
    struct epoll_event end = {.events = EPOLLIN, .data.u32 = index * 2 + 1};
    epoll_ctl(bots->epoll, EPOLL_CTL_ADD, bot->process.err, &errors);
    epoll_ctl(bots->epoll, EPOLL_CTL_ADD, bot->process.pidfd, &end);
    bot->watched = true;
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
        bot->current = bot->tree = false;
    bot->output_ending = false;
    bot->output_left = 0;
    bot->owed = 0;
    bot->cpu_seen = bot->cpu_brief = 0;
    bot->released_at = 0;
    bot->process = (Process){.pidfd = -1, .keeper = -1, .in = -1, .out = -1, .err = -1};
    bool good = false;
    if (spec->kind == BOT_PROCESS) {
        ProcessStart start = {
            .command = spec->command,
            .program = spec->program,
            .directory = spec->directory,
            .sandbox = bots->options.sandbox,
            .limits = bots->options.limits,
            .seat = index % SANDBOX_SEATS,
        };
        good = process_start(&bot->process, &start, error);
        if (good)
            watch(bots, bot);
    } else {
        int fd = -1;
        good =
            spec->kind == BOT_TCP ? connect_tcp(spec, &fd, error) : connect_unix(spec, &fd, error);
        bot->process.in = bot->process.out = good ? fd : -1;
    }
    bot->open = good;
    return good;
}

/* ---- asking ---- */

/* Writes as much of the view as the pipe takes. */
static void push_input(Bot *bot) {
    size_t end = bot->released + (bot->byte_ahead && bot->released < bot->input.length ? 1 : 0);
    while (bot->written < end && !bot->input_closed) {
        ssize_t sent = write(bot->process.in, bot->input.data + bot->written, end - bot->written);
        if (sent > 0)
            bot->written += (size_t)sent;
        else if (errno == EAGAIN)
            return;
        else if (errno != EINTR)
            bot->input_closed = true; /* it does not want to hear; what it says still counts */
    }
}

/* How much of what was written the bot has not read yet. */
static int unread(const Bot *bot) {
    int bytes = 0;
    ioctl(bot->process.in, bot->spec->kind == BOT_PROCESS ? FIONREAD : SIOCOUTQ, &bytes);
    return bytes;
}

static void drop_consumed(Bot *bot) {
    if (bot->consumed == bot->output.length)
        buffer_clear(&bot->output);
    else if (bot->consumed)
        buffer_drop(&bot->output, bot->consumed);
    bot->consumed = 0;
}

static size_t held_count(const Bot *bot) {
    return bot->ends.length / sizeof(size_t);
}

/* Lets the oldest view that is held back go out. If it is not the one that was asked last, its
   answer is late already. */
static void release_next(Bot *bot) {
    size_t *ends = (size_t *)(void *)bot->ends.data;
    bot->released = ends[0];
    buffer_drop(&bot->ends, sizeof(size_t));
    bot->current = held_count(bot) == 0;
    bot->owed += !bot->current;
    bot->byte_ahead = false;
    bot->idle_looks = bot->doubtful_looks = 0;
}

/* Forgets what is in the pipe. */
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

/* Every view is sent, in order. One whose bot has nothing to make good goes out at once; else it
   waits behind those before it. */
static void take_view(Bot *bot, Slice view) {
    close_up(bot);
    bot->view_start = bot->input.length;
    bot->current = view.length == 0;
    bot->idle_looks = bot->doubtful_looks = 0;
    if (bot->current)
        return;
    if (bot->input.length - bot->released > HELD_MOST) {
        /* It sleeps through a whole match: of the views that it missed the newest are left out. */
        size_t *ends = (size_t *)(void *)bot->ends.data;
        size_t count = held_count(bot);
        bot->input.length = count > 1 ? ends[count - 2] : bot->input.length;
        bot->ends.length -= count > 1 ? sizeof(size_t) : 0;
        bot->view_start = bot->input.length;
    }
    buffer_add(&bot->input, view.at, view.length);
    buffer_add(&bot->ends, &bot->input.length, sizeof bot->input.length);
    /* At the other end of a network nobody can be seen to wait: there views go out at once, and
       answers are counted. */
    while (held_count(bot) &&
           ((bot->owed == 0 && held_count(bot) == 1) || bot->spec->kind == BOT_TCP))
        release_next(bot);
}

static void ask(MatchBots *bots, uint32_t index, FramingKind framing, Slice view, int64_t limit) {
    Bot *bot = &bots->bot[index];
    assert(!bot->asked);
    if (bot->framing.kind != framing)
        bot->framing = (Framing){.kind = framing};
    bot->asked = true;
    bots->asked++;
    bot->reply = (BotReply){.kind = REPLY_NONE};
    drop_consumed(bot);
    if (bot->stopped) {
        process_continue(&bot->process);
        bot->stopped = false;
    }
    bot->asked_at = clock_now();
    bot->limit = limit;
    bot->deadline = bot->asked_at + limit;
    bot->prolonged = false;
    grace_reset(&bot->grace);
    if (!bot->open)
        return;
    take_view(bot, view);
    push_input(bot);
}

void match_bots_ask(MatchBots *bots, uint32_t index, Slice view, int64_t limit) {
    ask(bots, index, bots->options.framing, view, limit);
}

void match_bots_ask_hello(MatchBots *bots, uint32_t index, Slice greeting, int64_t limit) {
    ask(bots, index, FRAMING_LINE, greeting, limit);
}

/* ---- reading ---- */

/* Reads once; true if that changed anything. */
static bool read_output(Bot *bot) {
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

/* Throws away what belongs to a line that was over the limit. */
static void skip_line(Bot *bot) {
    const char *newline = memchr(bot->output.data, '\n', bot->output.length);
    buffer_drop(&bot->output,
                newline ? (size_t)(newline - bot->output.data) + 1 : bot->output.length);
    bot->skipping = !newline;
}

/* CPU time of the turn that ends now. To look at another process's clock costs a tenth of a short
   turn; on one core a bot cannot have used more than the wall shows, so that stands for it until
   the next look, which takes it off again. */
static int64_t turn_cpu(const MatchBots *bots, Bot *bot, int64_t wall) {
    if (bots->pinned && wall < BRIEF_TURN && bot->cpu_seen) {
        bot->cpu_brief += wall;
        return wall;
    }
    if (bot->cpu_seen == 0)
        bot->tree = process_has_children(&bot->process);
    int64_t cpu = process_cpu(&bot->process, bot->tree);
    int64_t used = cpu - bot->cpu_seen - bot->cpu_brief;
    bot->cpu_seen = cpu > bot->cpu_seen ? cpu : bot->cpu_seen;
    bot->cpu_brief = 0;
    return used > 0 ? used : 0;
}

static void await_end(MatchBots *bots, Bot *bot);

static void settle_reply(MatchBots *bots, Bot *bot, ReplyKind kind, int64_t now) {
    if (kind == REPLY_EXIT && bot->process.sandboxed)
        await_end(bots, bot);
    bot->reply.kind = kind;
    bot->reply.out_of_memory = kind == REPLY_EXIT && bot->process.out_of_memory;
    bot->reply.wall = now - bot->asked_at;
    bot->reply.cpu = turn_cpu(bots, bot, bot->reply.wall);
    if (kind == REPLY_ANSWER && bot->reply.wall > bot->limit)
        bot->reply.grace = bot->reply.wall - bot->limit;
    bot->asked = false;
    bots->asked--;
}

/* The bot's time is up. What it still says to this view is late. */
static void expire(MatchBots *bots, Bot *bot, int64_t now) {
    bot->owed += bot->current && bot->released > bot->view_start;
    bot->current = false;
    settle_reply(bots, bot, REPLY_TIMEOUT, now);
}

/* At the deadline: lets the bot have what it has left by its charge. False if that is nothing. */
static bool prolong(const MatchBots *bots, Bot *bot, int64_t now) {
    int64_t last =
        bot->asked_at + MATCH_BOTS_GRACE_TIMES * bot->limit + MATCH_BOTS_GRACE_MORE_MS * CLOCK_MS;
    if (!bot->grace.first_at)
        grace_look(&bot->grace, &bot->process, bot->asked_at + grace_first_look(bot->limit));
    GraceCharge charge = grace_charge(&bot->grace, &bot->process, bot->asked_at, bots->cores);
    if (now >= last || charge.least >= bot->limit)
        return false;
    int64_t left = charge.sure < bot->limit ? bot->limit - charge.sure : bot->limit / GRACE_DOUBT;
    int64_t until = now + (left > CLOCK_MS ? left : CLOCK_MS);
    bot->deadline = until < last ? until : last;
    bot->prolonged = true;
    return true;
}

/* An answer is there in prolonged time, some of which was given in doubt. By now the kernel has
   counted how long the bot waited. */
static bool came_too_late(const MatchBots *bots, Bot *bot) {
    return grace_charge_answer(&bot->grace, &bot->process, bot->asked_at, bots->cores) > bot->limit;
}

/* One look at what the bot has said. True when there may be more to see at once. */
static bool look_once(MatchBots *bots, Bot *bot) {
    if (bot->skipping && bot->output.length)
        skip_line(bot);
    size_t length =
        framing_find(&bot->framing, bot->output.data, bot->output.length, bot->output_closed);
    if (length && bot->owed) {
        /* It answers a view whose time has run out. */
        buffer_drop(&bot->output, length);
        framing_reset(&bot->framing);
        bot->owed--;
        bot->reply.late++;
        return true;
    }
    if (length && bot->current && bot->prolonged && came_too_late(bots, bot)) {
        expire(bots, bot, clock_now());
        return false;
    }
    if (length && bot->current) {
        bot->reply.answer = (Slice){bot->output.data, length};
        bot->consumed = length;
        framing_reset(&bot->framing);
        bool flood = length > bots->options.answer_limit;
        settle_reply(bots, bot, flood ? REPLY_FLOOD : REPLY_ANSWER, clock_now());
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
                             unread(bot) >= (int)(bot->written - bot->view_start);
        settle_reply(bots, bot, REPLY_EXIT, clock_now());
        return false;
    }
    return !length && read_output(bot);
}

/* One look at a bot that owes an answer. It waits for its next view if it is seen to read or to
   poll, with all read that it was sent, while none of its threads runs or sleeps. Where that cannot
   be seen it is sent the first byte of the view: if it takes that and then uses no CPU time it
   waits as well. */
static bool is_waiting(Bot *bot) {
    ProcessWait wait = process_waiting(&bot->process);
    int64_t cpu = process_cpu(&bot->process, true);
    bool idle = wait != WAIT_BUSY && cpu - bot->probe_cpu < PROBE_TICK / 10 &&
                bot->written >= bot->released && unread(bot) == 0;
    bot->probe_cpu = cpu;
    bot->idle_looks = idle ? bot->idle_looks + 1 : 0;
    if (idle && wait == WAIT_UNKNOWN && !bot->byte_ahead &&
        ++bot->doubtful_looks > DOUBTFUL_LOOKS) {
        bot->byte_ahead = true;
        bot->idle_looks = 0;
        push_input(bot);
    }
    return bot->idle_looks > IDLE_NEEDED && (wait == WAIT_READING || bot->written > bot->released);
}

/* Lets a view go out once the bot has said what it owes, or is seen to wait. True when one went. */
static bool probe(Bot *bot) {
    int64_t now = clock_now();
    if (!held_count(bot))
        return false;
    if (bot->owed && (now < bot->next_look || !is_waiting(bot))) {
        bot->next_look = now < bot->next_look ? bot->next_look : now + PROBE_TICK;
        return false;
    }
    bot->owed = 0;
    release_next(bot);
    push_input(bot);
    return true;
}

static void look(MatchBots *bots, Bot *bot) {
    do {
        while (bot->asked && look_once(bots, bot))
            ;
        if (!bot->asked)
            return;
        if (bot->written < bot->released)
            push_input(bot);
    } while (!bot->current && probe(bot));
    int64_t now = clock_now();
    if (now >= bot->deadline && !prolong(bots, bot, now))
        expire(bots, bot, now);
}

/* ---- standard error, and the end of processes ---- */

static void keep_errors(Bot *bot, const char *bytes, size_t count) {
    static const char full[] =
        "\n[the limit for standard error is reached, in this turn or in this match; more is not kept]\n";
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

/* Reads what is there now, and no more: a bot that never stops writing cannot keep us here. False
   when there will be no more. */
static bool read_errors(Bot *bot) {
    int waiting = 0;
    ioctl(bot->process.err, FIONREAD, &waiting);
    bool open = read_errors_once(bot);
    for (waiting -= READ_SIZE; open && waiting > 0; waiting -= READ_SIZE)
        open = read_errors_once(bot);
    return open;
}

static void unwatch(MatchBots *bots, Bot *bot) {
    if (bot->process.err >= 0)
        epoll_ctl(bots->epoll, EPOLL_CTL_DEL, bot->process.err, NULL);
    if (bot->process.pidfd >= 0)
        epoll_ctl(bots->epoll, EPOLL_CTL_DEL, bot->process.pidfd, NULL);
    bot->watched = false;
}

/* The process is gone: what is in its pipes is the last of it, even if a child still holds the
   other ends. */
static void note_end(MatchBots *bots, Bot *bot) {
    if (!process_reap(&bot->process))
        return;
    read_errors(bot);
    unwatch(bots, bot);
    /* Read when it is wanted: an answer that was given out still lies in the buffer. */
    if (ioctl(bot->process.out, FIONREAD, &bot->output_left) != 0)
        bot->output_left = 0;
    bot->output_ending = true;
}

/* A bot's output ends a little before the process itself does: waits a moment for that. */
static void await_end(MatchBots *bots, Bot *bot) {
    struct pollfd end = {.fd = bot->process.pidfd, .events = POLLIN};
    if (bot->watched && poll(&end, 1, 100) == 1)
        note_end(bots, bot);
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
        else if (!read_errors(bot))
            epoll_ctl(bots->epoll, EPOLL_CTL_DEL, bot->process.err, NULL);
    }
}

/* ---- waiting ---- */

static bool interrupted(const MatchBots *bots) {
    return bots->options.interrupt && *bots->options.interrupt;
}

/* While one bot thinks, the others neither think nor write: they are stopped once it has taken more
   than a moment. */
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

/* The first look at a bot that thinks for a while, on which its charge is built: no quick turn
   comes this far. */
static void look_at_use(Bot *bot, int64_t now, int64_t *wake) {
    int64_t due = bot->asked_at + grace_first_look(bot->limit);
    if (bot->grace.first_at)
        return;
    if (now >= due)
        grace_look(&bot->grace, &bot->process, due);
    else if (due < *wake)
        *wake = due;
}

/* Sleeps until something comes from a bot that was asked, or something is due. */
static void sleep_until_news(MatchBots *bots) {
    int64_t now = clock_now();
    int64_t wake = INT64_MAX;
    nfds_t count = 0;
    bots->polls[count++] = (struct pollfd){.fd = bots->epoll, .events = POLLIN};
    for (uint32_t i = 0; i < bots->count; i++) {
        Bot *bot = &bots->bot[i];
        if (!bot->asked)
            continue;
        look_at_use(bot, now, &wake);
        int64_t due =
            !bot->current && now + PROBE_TICK < bot->deadline ? now + PROBE_TICK : bot->deadline;
        wake = due < wake ? due : wake;
        bots->polls[count++] = (struct pollfd){.fd = bot->process.out, .events = POLLIN};
        if (bot->written < bot->released && !bot->input_closed)
            bots->polls[count++] = (struct pollfd){.fd = bot->process.in, .events = POLLOUT};
    }
    if (bots->options.in_turn && !bots->options.ponder)
        stop_others(bots, now, &wake);
    int64_t left = wake > now ? wake - now : 0;
    struct timespec timeout = {.tv_sec = left / 1000000000, .tv_nsec = left % 1000000000};
    ppoll(bots->polls, count, &timeout, NULL);
    if (bots->polls[0].revents)
        handle_events(bots, 0);
}

bool match_bots_wait(MatchBots *bots) {
    /* On a shared core the answer of a quick bot is there as soon as we step aside; no need to ask
       the kernel who has news. */
    if (bots->pinned && bots->asked == 1)
        sched_yield();
    for (;;) {
        for (uint32_t i = 0; i < bots->count && bots->asked; i++)
            if (bots->bot[i].asked)
                look(bots, &bots->bot[i]);
        if (!bots->asked)
            return true;
        if (interrupted(bots))
            return false;
        sleep_until_news(bots);
    }
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
    static const char *const ends[] = {
        [FRAMING_LINE] = "a newline",
        [FRAMING_BLANK_LINE] = "the empty line behind its orders",
        [FRAMING_END_LINE] = "the line \"end\" behind its orders",
        [FRAMING_JSON_ARRAY] = "the ] of its array",
    };
    const Bot *bot = &bots->bot[index];
    bool process = bot->spec->kind == BOT_PROCESS;
    /* The newline behind an answer that ends without one is no beginning of the next. */
    Slice output = slice_trim((Slice){bot->output.data, bot->output.length});
    if (output.length) {
        Buffer said = {0};
        utf8_quote(&said, output);
        snprintf(text, size, "it had said %s, but not %s", buffer_string(&said),
                 ends[bot->framing.no_array ? FRAMING_LINE : bot->framing.kind]);
        buffer_free(&said);
    } else if (process && process_waiting(&bot->process) == WAIT_READING && unread(bot) == 0) {
        snprintf(text, size,
                 "it was waiting for more input: does it flush its output after each answer, and "
                 "read no more than one view?");
    } else if (process) {
        snprintf(text, size, "it used %lld ms of CPU time", (long long)(bot->reply.cpu / CLOCK_MS));
    } else if (size) {
        *text = '\0';
    }
}

/* ---- between turns, and the end ---- */

void match_bots_settle(MatchBots *bots) {
    handle_events(bots, 0);
    for (uint32_t i = 0; i < bots->count; i++) {
        Bot *bot = &bots->bot[i];
        if (!bot->open)
            continue;
        /* Looked at rarely, since it is slow: children show up when a bot starts, or while it
           thinks long. */
        if (!bot->tree && bot->process.pid && bot->reply.wall > 5 * CLOCK_MS)
            bot->tree = process_has_children(&bot->process);
        if (bot->released_at && clock_now() > bot->released_at + MATCH_BOTS_MOMENT_MS * CLOCK_MS)
            match_bots_dismiss(bots, i);
    }
}

Slice match_bots_errors(MatchBots *bots, uint32_t index) {
    Bot *bot = &bots->bot[index];
    if (bot->errors_taken || !bot->errors.length)
        return (Slice){"", 0};
    bot->errors_taken = true;
    return (Slice){bot->errors.data, bot->errors.length};
}

void match_bots_release(MatchBots *bots, uint32_t index, Slice words) {
    Bot *bot = &bots->bot[index];
    if (!bot->open || bot->released_at)
        return;
    if (bot->stopped) {
        process_continue(&bot->process);
        bot->stopped = false;
    }
    if (words.length && bot->written == bot->released && !bot->input_closed) {
        buffer_clear(&bot->input);
        buffer_clear(&bot->ends);
        buffer_add(&bot->input, words.at, words.length);
        bot->written = 0;
        bot->released = words.length;
        bot->byte_ahead = false;
        push_input(bot);
    }
    bot->released_at = clock_now();
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
    if (bot->spec->kind == BOT_PROCESS) {
        int64_t seen = process_cpu(&bot->process, true);
        if (bot->watched) {
            read_errors(bot);
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

int64_t match_bots_cpu(MatchBots *bots, uint32_t index) {
    Bot *bot = &bots->bot[index];
    return bot->cpu_before +
           (bot->open && bot->spec->kind == BOT_PROCESS ? process_cpu(&bot->process, true) : 0);
}

static bool all_ended(MatchBots *bots) {
    for (uint32_t i = 0; i < bots->count; i++)
        if (bots->bot[i].open && bots->bot[i].process.pid && !bots->bot[i].process.ended)
            return false;
    return true;
}

void match_bots_end(MatchBots *bots) {
    int64_t until = clock_now() + MATCH_BOTS_MOMENT_MS * CLOCK_MS;
    for (uint32_t i = 0; i < bots->count; i++)
        match_bots_release(bots, i, (Slice){"", 0});
    while (!all_ended(bots) && !interrupted(bots)) {
        int64_t left = until - clock_now();
        if (left <= 0)
            break;
        handle_events(bots, (int)(left / CLOCK_MS) + 1);
    }
    for (uint32_t i = 0; i < bots->count; i++)
        match_bots_dismiss(bots, i);
    process_sweep();
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
    if (bots->pinned)
        sched_setaffinity(0, sizeof bots->cores_before, &bots->cores_before);
    if (bots->epoll >= 0)
        close(bots->epoll);
    free(bots->polls);
    free(bots);
}
