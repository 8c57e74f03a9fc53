/* See session.h. */
#include "check/session.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bots/match_bots.h"

#include <stdlib.h>
#include <string.h>

enum {
    PIECES = 7,
    PIECE_PAUSE_MS = 8,
    REST_MS = 60,
    TOGETHER_MAX = 8,
};

static const GameTalk *talk_of(const Session *session) {
    return &session->board.setup->talk;
}

int64_t session_limit(const Session *session) {
    const GameTalk *talk = talk_of(session);
    uint32_t start = session->turns == 0 && !talk->hello ? talk->start_ms : 0;
    return ((int64_t)talk->turn_ms + start) * CLOCK_MS;
}

/* ---- start ---- */

static bool start_opponents(Session *session, const ProbeOptions *bot, Error *error) {
    const SessionOptions *options = &session->options;
    if (!options->opponent)
        return true;
    uint32_t players = session->board.players;
    session->opponents = xcalloc(players, sizeof *session->opponents);
    for (uint32_t i = 0; i < players; i++)
        session->opponents[i].process = process_none();
    for (uint32_t i = 0; i < players; i++) {
        ProbeOptions probe = *bot;
        probe.spec = options->opponent;
        probe.seat = i;
        if (i != options->seat && !probe_start(&session->opponents[i], &probe, error))
            return false;
    }
    return true;
}

bool session_open(Session *session, const SessionOptions *options, Error *error) {
    const CheckOptions *check = options->check;
    const Place *place = options->place;
    *session = (Session){.options = *options, .bot.process = process_none()};
    GameSetup *setup = check->game->setup(&place->config, &place->map, place->players, error);
    if (!setup)
        return error_prefix(error, "map %s", place->name);
    SandboxLimits limits = overrides_apply(check->overrides, setup);
    board_init(&session->board, setup, check->seed);
    session->greeted = !setup->talk.hello;
    session->scratch = game_orders_new(setup);
    session->memory_limit = limits.memory;
    ProbeOptions probe = {
        .spec = check->bot,
        .sandbox = check->sandbox,
        .limits = limits,
        .seed = check->seed,
        .seat = options->seat,
        .answer_limit = setup->talk.answer_limit,
        .interrupt = check->interrupt,
    };
    return probe_start(&session->bot, &probe, error) && start_opponents(session, &probe, error);
}

/* Exchanges the hellos with the opponents, which are house bots. */
static void greet_opponents(Session *session) {
    const GameTalk *talk = talk_of(session);
    for (uint32_t i = 0; session->opponents && i < session->board.players; i++) {
        Slice unread;
        if (i == session->options.seat)
            continue;
        probe_send(&session->opponents[i], slice_of(talk->greeting));
        probe_answer(&session->opponents[i], FRAMING_LINE, talk->start_ms * CLOCK_MS, &unread);
    }
}

SessionStep session_hello(Session *session) {
    const GameTalk *talk = talk_of(session);
    if (!talk->hello)
        return SESSION_CONTINUES;
    buffer_text(&session->view, talk->greeting);
    if (session->options.style == STYLE_CRLF && session->view.length &&
        session->view.data[session->view.length - 1] == '\n') {
        session->view.length--;
        buffer_text(&session->view, "\r\n");
    }
    Slice said;
    probe_send(&session->bot, (Slice){session->view.data, session->view.length});
    ProbeReply reply = probe_answer(&session->bot, FRAMING_LINE, talk->start_ms * CLOCK_MS, &said);
    if (reply != PROBE_ANSWER)
        return diagnose_reply(session, reply);
    session->first_answer = session->bot.charged;
    if (!slice_equals(slice_trim(said), talk->hello))
        return diagnose_hello(session, said);
    session->greeted = true;
    greet_opponents(session);
    return SESSION_CONTINUES;
}

/* ---- a turn ---- */

static void write_view(Session *session, uint32_t player, Buffer *to) {
    const Board *board = &session->board;
    Buffer plain = {0};
    bool crlf = session->options.style == STYLE_CRLF && player == session->options.seat;
    board->game->view(board->setup, board->state, player, crlf ? &plain : to);
    for (size_t i = 0; i < plain.length; i++) {
        if (plain.data[i] == '\n')
            buffer_char(to, '\r');
        buffer_char(to, plain.data[i]);
    }
    buffer_free(&plain);
}

/* The first piece is one byte, and the last piece is more than the end mark of the view. */
static void send_in_pieces(Session *session) {
    Slice rest = {session->view.data, session->view.length};
    Probe *bot = &session->bot;
    for (size_t i = 0; i < PIECES && rest.length > 1; i++) {
        size_t length = i == 0 ? 1 : session->view.length / PIECES;
        length = length && length < rest.length ? length : rest.length / 2;
        probe_send(bot, (Slice){rest.at, length});
        probe_pause(bot, PIECE_PAUSE_MS * CLOCK_MS);
        rest.at += length;
        rest.length -= length;
        session->answered_early |= probe_unasked(bot).length > 0;
    }
    probe_send(bot, rest);
}

static void ask_opponents(Session *session, PlayerTurn *turns) {
    const Board *board = &session->board;
    const Game *game = board->game;
    Buffer view = {0};
    for (uint32_t i = 0; session->opponents && i < board->players; i++) {
        Probe *probe = &session->opponents[i];
        if (i == session->options.seat || !game->is_active(board->setup, board->state, i))
            continue;
        buffer_clear(&view);
        write_view(session, i, &view);
        probe_send(probe, (Slice){view.data, view.length});
        if (probe_answer(probe, talk_of(session)->framing, session_limit(session),
                         &turns[i].answer) == PROBE_ANSWER)
            turns[i].kind = ANSWER_GIVEN;
    }
    buffer_free(&view);
}

bool session_reads(Session *session, Slice answer, Error *error) {
    const Board *board = &session->board;
    return board->game->read(board->setup, board->state, session->options.seat, answer,
                             session->scratch, NULL, error);
}

/* Records the time of the answer, and checks whether it is valid. */
static SessionStep take_answer(Session *session) {
    Error error = {0};
    Probe *bot = &session->bot;
    if (session->turns == 0 && !talk_of(session)->hello)
        session->first_answer = bot->charged;
    else if (bot->charged > session->longest_turn)
        session->longest_turn = bot->charged;
    if (!session_reads(session, session->answer, &error))
        return diagnose_invalid(session, error.text);
    if (session->turns >= session->options.rests)
        return SESSION_CONTINUES;
    probe_rest(bot, REST_MS * CLOCK_MS);
    /* Reading may have moved the answer in memory. */
    session->answer = (Slice){bot->output.data, bot->consumed};
    return probe_has_unasked(bot) ? diagnose_unasked(session) : SESSION_CONTINUES;
}

static bool is_over(const Session *session) {
    const Board *board = &session->board;
    return board->state->over ||
           !board->game->is_active(board->setup, board->state, session->options.seat);
}

static SessionStep apply(Session *session) {
    Board *board = &session->board;
    uint32_t seat = session->options.seat;
    PlayerTurn turns[GAME_PLAYERS_MAX] = {{0}};
    ask_opponents(session, turns);
    if (!session->options.paralysed)
        turns[seat] = (PlayerTurn){.kind = ANSWER_GIVEN, .answer = session->answer};
    board_apply(board, turns);
    session->turns++;
    if (board->notes->refused[seat] && !session->rejected)
        diagnose_rejected(session);
    session->rejected += board->notes->refused[seat] > 0;
    return is_over(session) ? SESSION_OVER : SESSION_CONTINUES;
}

SessionStep session_turn(Session *session) {
    if (is_over(session))
        return SESSION_OVER;
    buffer_clear(&session->view);
    write_view(session, session->options.seat, &session->view);
    if (session->options.style == STYLE_PIECES)
        send_in_pieces(session);
    else
        probe_send(&session->bot, (Slice){session->view.data, session->view.length});
    ProbeReply reply = probe_answer(&session->bot, talk_of(session)->framing,
                                    session_limit(session), &session->answer);
    if (reply != PROBE_ANSWER)
        return diagnose_reply(session, reply);
    if (session->answered_early)
        return session_fail(session, FAULT_VIEW_IN_PIECES,
                            "answered before it had been sent the whole view");
    SessionStep step = take_answer(session);
    return step == SESSION_CONTINUES ? apply(session) : step;
}

SessionStep session_turns_together(Session *session, uint32_t count) {
    Board *board = &session->board;
    GameState *states[TOGETHER_MAX] = {NULL};
    PlayerTurn nothing[GAME_PLAYERS_MAX] = {{0}};
    SessionStep step = SESSION_CONTINUES;
    uint32_t sent = 0;
    buffer_clear(&session->view);
    for (; sent < count && sent < TOGETHER_MAX && !is_over(session); sent++) {
        write_view(session, session->options.seat, &session->view);
        states[sent] = game_state_new(board->setup);
        memcpy(states[sent], board->state, board->setup->state_size);
        board_apply(board, nothing);
    }
    probe_send(&session->bot, (Slice){session->view.data, session->view.length});
    for (uint32_t i = 0; i < sent && step == SESSION_CONTINUES; i++) {
        memcpy(board->state, states[i], board->setup->state_size);
        ProbeReply reply = probe_answer(&session->bot, talk_of(session)->framing,
                                        session_limit(session), &session->answer);
        step = reply == PROBE_ANSWER ? take_answer(session) : diagnose_reply(session, reply);
        session->turns++;
    }
    for (uint32_t i = 0; i < sent; i++)
        free(states[i]);
    return step;
}

/* ---- end ---- */

SessionStep session_finish(Session *session, bool farewell) {
    const Board *board = &session->board;
    buffer_clear(&session->view);
    if (farewell && board->game->farewell)
        board->game->farewell(board->setup, board->state, session->options.seat, &session->view);
    probe_send(&session->bot, (Slice){session->view.data, session->view.length});
    bool ended = probe_close(&session->bot, MATCH_BOTS_EXIT_MS * CLOCK_MS);
    if (session->options.check->interrupt && *session->options.check->interrupt)
        return SESSION_INTERRUPTED;
    return diagnose_end(session, ended, farewell ? (Slice){0} : probe_unasked(&session->bot));
}

void session_close(Session *session) {
    probe_free(&session->bot);
    for (uint32_t i = 0; session->opponents && i < session->board.players; i++)
        probe_free(&session->opponents[i]);
    free(session->opponents);
    free(session->scratch);
    if (session->board.setup)
        board_free(&session->board);
    buffer_free(&session->view);
    buffer_free(&session->failure.what);
    buffer_free(&session->failure.sent);
    buffer_free(&session->failure.received);
    buffer_free(&session->failure.errors);
}
