/* See session.h: derives the likely fault from what a bot did. */
#include "base/clock.h"
#include "base/utf8.h"
#include "bots/match_bots.h"
#include "check/session.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

enum { SHOWN_MAX = 400 }; /* the most bytes shown of a view and of an answer */

/* ---- describing ---- */

static void show(Buffer *to, Slice text) {
    bool cut = text.length > SHOWN_MAX;
    buffer_clear(to);
    text.length = cut ? SHOWN_MAX - utf8_unfinished((Slice){text.at, SHOWN_MAX}) : text.length;
    utf8_clean(to, text, TEXT_LINES);
    if (cut)
        buffer_text(to, "…");
}

static SessionStep fail(Session *session, Fault fault, Slice received, const char *what) {
    Failure *failure = &session->failure;
    const Probe *bot = &session->bot;
    failure->fault = fault;
    failure->turn = session->greeted ? session->board.state->turn + 1 : 0;
    buffer_clear(&failure->what);
    buffer_text(&failure->what, what);
    show(&failure->sent, (Slice){session->view.data, session->view.length});
    show(&failure->received, received);
    buffer_clear(&failure->errors);
    utf8_clean(&failure->errors, slice_trim((Slice){bot->errors.data, bot->errors.length}),
               TEXT_LINES);
    return SESSION_FAILED;
}

SessionStep session_fail(Session *session, Fault fault, const char *format, ...) {
    char what[400];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(what, sizeof what, format, arguments);
    va_end(arguments);
    return fail(session, fault, session->answer, what);
}

static Slice output_of(const Probe *bot) {
    return slice_trim((Slice){bot->output.data, bot->output.length});
}

static bool mentions(const Buffer *text, const char *const *phrases) {
    for (; *phrases; phrases++)
        if (text->length && memmem(text->data, text->length, *phrases, strlen(*phrases)))
            return true;
    return false;
}

/* ---- no answer ---- */

/* The fault that the standard error of a bot that ended suggests about the sandbox. */
static Fault sandbox_fault(const Probe *bot) {
    static const char *const network[] = {"Network is unreachable",
                                          "name resolution",
                                          "Name or service not known",
                                          "ENETUNREACH",
                                          "EAI_AGAIN",
                                          "getaddrinfo",
                                          "UnknownHostException",
                                          "socket",
                                          NULL};
    static const char *const files[] = {"Read-only file system", "EROFS",  "Permission denied",
                                        "PermissionError",       "EACCES", NULL};
    if (!bot->process.sandboxed)
        return FAULT_NONE;
    return mentions(&bot->errors, network) ? FAULT_NEEDS_NETWORK
           : mentions(&bot->errors, files) ? FAULT_WRITES_FILES
                                           : FAULT_NONE;
}

static SessionStep diagnose_exit(Session *session) {
    const Probe *bot = &session->bot;
    char how[120] = "closed its standard output";
    if (bot->process.ended)
        process_describe_end(&bot->process, how, sizeof how);
    bool first = session->turns == 0;
    bool clean = bot->process.ended && WIFEXITED(bot->process.status) &&
                 WEXITSTATUS(bot->process.status) == 0;
    Fault fault = bot->process.out_of_memory ? FAULT_OUT_OF_MEMORY : sandbox_fault(bot);
    if (!fault)
        fault = clean && !first ? FAULT_EXITS_EARLY : first ? FAULT_NO_START : FAULT_CRASH;
    char what[200];
    snprintf(what, sizeof what, "%s instead of answering", how);
    return fail(session, fault, output_of(bot), what);
}

/* Sends the view after the one that was not answered. */
static bool answers_next_view(Session *session) {
    Board *board = &session->board;
    const GameTalk *talk = &board->setup->talk;
    PlayerTurn nothing[GAME_PLAYERS_MAX] = {{0}};
    Buffer view = {0};
    Slice answer;
    bool hello = !session->greeted;
    if (!hello)
        board_apply(board, nothing);
    if (!board->state->over)
        board->game->view(board->setup, board->state, session->options.seat, &view);
    probe_send(&session->bot, (Slice){view.data, view.length});
    buffer_free(&view);
    return probe_answer(&session->bot, hello ? FRAMING_LINE : talk->framing,
                        talk->turn_ms * CLOCK_MS, &answer) == PROBE_ANSWER;
}

/* Diagnoses a bot that waits for input without having answered: its reaction to the next view, or
   to the end of its input, shows the cause. */
static SessionStep diagnose_waiting(Session *session, const char *within) {
    Probe *bot = &session->bot;
    const GameTalk *talk = &session->board.setup->talk;
    bool hello = !session->greeted;
    char what[300];
    Fault fault = hello ? FAULT_NO_HELLO : FAULT_NO_ANSWER;
    snprintf(what, sizeof what, "printed nothing %s, and waited for more input", within);
    /* records the current state, before the next view is sent */
    fail(session, fault, (Slice){0}, what);
    if (answers_next_view(session)) {
        /* A bot that reads ahead does so from its first view on. */
        session->failure.fault = hello                 ? FAULT_NO_HELLO
                                 : session->turns == 0 ? FAULT_READS_AHEAD
                                                       : FAULT_NO_ANSWER;
        snprintf(what, sizeof what,
                 "printed nothing %s; an answer came when the next view was sent", within);
    } else if (bot->process.in >= 0) {
        probe_close(bot, MATCH_BOTS_EXIT_MS * CLOCK_MS);
        Framing framing = {.kind = hello ? FRAMING_LINE : talk->framing};
        if (framing_find(&framing, bot->output.data, bot->output.length, true)) {
            session->failure.fault = FAULT_NOT_FLUSHED;
            snprintf(what, sizeof what, "printed nothing %s; its answer came when its input ended",
                     within);
        }
    }
    show(&session->failure.received, output_of(bot));
    buffer_clear(&session->failure.what);
    buffer_text(&session->failure.what, what);
    return SESSION_FAILED;
}

static SessionStep diagnose_silence(Session *session) {
    Probe *bot = &session->bot;
    const GameTalk *talk = &session->board.setup->talk;
    bool start = session->turns == 0;
    bool hello = !session->greeted;
    int64_t limit = hello ? talk->start_ms : session_limit(session) / CLOCK_MS;
    char within[40];
    char what[200];
    snprintf(within, sizeof within, "within %lld ms", (long long)limit);
    if (output_of(bot).length) {
        snprintf(what, sizeof what, "printed an answer without an end %s", within);
        return fail(session, FAULT_UNTERMINATED_ANSWER, output_of(bot), what);
    }
    if (bot->waits)
        return diagnose_waiting(session, within);
    snprintf(what, sizeof what, "did not answer %s; it was charged for %lld ms", within,
             (long long)(bot->charged / CLOCK_MS));
    return fail(session, start ? FAULT_SLOW_START : FAULT_SLOW_TURN, (Slice){0}, what);
}

SessionStep diagnose_reply(Session *session, ProbeReply reply) {
    switch (reply) {
    case PROBE_SILENT:
        return diagnose_silence(session);
    case PROBE_EXIT:
        return diagnose_exit(session);
    case PROBE_FLOOD:
        session->answer = output_of(&session->bot);
        return session_fail(session, FAULT_ANSWER_TOO_LONG,
                            "printed an answer longer than %u bytes",
                            session->board.setup->talk.answer_limit);
    default:
        return SESSION_INTERRUPTED;
    }
}

/* ---- a wrong answer ---- */

SessionStep diagnose_hello(Session *session, Slice said) {
    char what[200];
    snprintf(what, sizeof what, "did not print \"%.40s\" at the start",
             session->board.setup->talk.hello);
    SessionStep step = fail(session, FAULT_NO_HELLO, said, what);
    session->failure.turn = 0;
    return step;
}

SessionStep diagnose_invalid(Session *session, const char *reason) {
    Probe *bot = &session->bot;
    probe_rest(bot, 100 * CLOCK_MS);
    bool more = probe_unasked(bot).length > 0;
    char what[400];
    snprintf(what, sizeof what, "gave an invalid answer: %.200s%s", reason,
             more ? "; more output followed it" : "");
    return fail(session, more ? FAULT_DEBUG_OUTPUT : FAULT_INVALID_ANSWER,
                more ? output_of(bot) : (Slice){bot->output.data, bot->consumed}, what);
}

SessionStep diagnose_unasked(Session *session) {
    Probe *bot = &session->bot;
    Error error = {0};
    Framing framing = {.kind = session->board.setup->talk.framing};
    Slice rest = {bot->output.data + bot->consumed, bot->output.length - bot->consumed};
    size_t length = framing_find(&framing, rest.at, rest.length, true);
    bool answer = length && session_reads(session, (Slice){rest.at, length}, &error);
    return fail(session, answer ? FAULT_EXTRA_ANSWERS : FAULT_DEBUG_OUTPUT, output_of(bot),
                answer ? "printed more than one answer to one view"
                       : "printed text after its answer");
}

/* Keeps a rejected order as the failure; the match continues. */
SessionStep diagnose_rejected(Session *session) {
    uint32_t at = 0;
    uint32_t player = 0;
    Slice text = {0};
    char what[300] = "gave an order that the rules do not allow";
    while (notes_next_refusal(session->board.notes, &at, &player, &text))
        if (player == session->options.seat) {
            snprintf(what, sizeof what, "gave an order that was rejected: %.200s", text.at);
            break;
        }
    SessionStep step = fail(session, FAULT_REJECTED_ORDERS, session->answer, what);
    session->failure.turn = session->board.state->turn; /* the turn that was just played */
    return step;
}

/* ---- the end ---- */

SessionStep diagnose_end(Session *session, bool ended, Slice unread) {
    Probe *bot = &session->bot;
    char how[120];
    char what[200];
    if (!ended)
        snprintf(what, sizeof what, "was still running %d ms after its input had ended",
                 MATCH_BOTS_EXIT_MS);
    if (!ended)
        return fail(session, FAULT_IGNORES_END, unread, what);
    process_describe_end(&bot->process, how, sizeof how);
    if (!WIFEXITED(bot->process.status) || WEXITSTATUS(bot->process.status) != 0) {
        snprintf(what, sizeof what, "%s when its input ended", how);
        return fail(session, FAULT_CRASH_AT_END, unread, what);
    }
    if (bot->process.others_killed) {
        snprintf(what, sizeof what, "exited and left %u other %s running",
                 bot->process.others_killed,
                 bot->process.others_killed == 1 ? "process" : "processes");
        return fail(session, FAULT_LEAVES_PROCESSES, unread, what);
    }
    if (unread.length)
        return fail(session, FAULT_OUTPUT_AT_END, unread, "printed more when its input ended");
    return SESSION_OVER;
}
