/* See board.h. */
#include "match/board.h"

#include "base/memory.h"

#include <assert.h>
#include <stdlib.h>

void board_init(Board *board, GameSetup *setup, uint64_t seed) {
    *board = (Board){.game = setup->game, .setup = setup, .players = setup->players};
    board->state = game_state_new(setup);
    board->notes = xcalloc(1, sizeof *board->notes);
    for (uint32_t i = 0; i < board->players; i++)
        board->orders[i] = game_orders_new(setup);
    board->game->init(setup, seed, board->state);
}

void board_free(Board *board) {
    for (uint32_t i = 0; i < board->players; i++)
        free(board->orders[i]);
    free(board->state);
    free(board->notes);
    if (board->setup)
        board->game->setup_free(board->setup);
    *board = (Board){0};
}

void board_absent(Board *board, uint32_t player) {
    board->status[player] = STATUS_NO_START;
    board->forfeited[player] = true;
    if (board->game->absent)
        board->game->absent(board->setup, board->state, player);
}

/* Records a turn without a valid answer, and applies the penalty. */
static void fail(Board *board, uint32_t player, PlayerStatus status, GameFailure failure) {
    bool forfeits = failure == FAILURE_FORFEITS;
    *board->orders[player] = (GameOrders){.kind = forfeits ? ORDERS_FORFEIT : ORDERS_NONE};
    board->forfeited[player] |= forfeits;
    board->status[player] = status;
}

static void fail_malformed(Board *board, uint32_t player) {
    GameFailure failure = board->setup->talk.on_malformed;
    fail(board, player, failure == FAILURE_FORFEITS ? STATUS_DISQUALIFIED : STATUS_OK, failure);
}

static void read_answer(Board *board, uint32_t player, Slice answer) {
    Error error = {0};
    if (board->game->read(board->setup, board->state, player, answer, board->orders[player],
                          board->notes, &error)) {
        board->status[player] = STATUS_OK;
        return;
    }
    notes_refuse(board->notes, player, "%s", error.text);
    fail_malformed(board, player);
}

/* The penalty of a player that will not answer again. */
static GameFailure final_failure(const GameTalk *talk) {
    return talk->on_exit == FAILURE_SKIPS ? FAILURE_SKIPS : FAILURE_FORFEITS;
}

static void take_answer(Board *board, uint32_t player, const PlayerTurn *turn) {
    const GameTalk *talk = &board->setup->talk;
    switch (turn->kind) {
    case ANSWER_GIVEN:
        read_answer(board, player, turn->answer);
        break;
    case ANSWER_TIMEOUT:
        board->timeouts[player]++;
        fail(board, player, STATUS_TIMEOUT, talk->on_timeout);
        break;
    case ANSWER_EXIT:
        fail(board, player, STATUS_CRASHED, talk->on_exit);
        break;
    case ANSWER_OUT_OF_MEMORY:
        fail(board, player, STATUS_OUT_OF_MEMORY, talk->on_exit);
        break;
    case ANSWER_LEFT: /* a person is not restarted */
        fail(board, player, STATUS_LEFT, final_failure(talk));
        break;
    case ANSWER_OVER_SHARE:
        fail(board, player, STATUS_TOO_MUCH_OUTPUT, final_failure(talk));
        break;
    case ANSWER_FLOOD:
        notes_refuse(board->notes, player, "the answer is longer than %u bytes",
                     talk->answer_limit);
        fail_malformed(board, player);
        if (talk->on_malformed == FAILURE_FORFEITS)
            board->status[player] = STATUS_TOO_MUCH_OUTPUT;
        break;
    case ANSWER_RESTARTING:
        board->restarts[player]++;
        fail(board, player, STATUS_CRASHED, FAILURE_SKIPS);
        break;
    case ANSWER_GIVEN_UP:
        fail(board, player, STATUS_DISQUALIFIED, FAILURE_FORFEITS);
        break;
    default:
        *board->orders[player] = (GameOrders){.kind = ORDERS_NONE};
        break;
    }
}

void board_apply(Board *board, const PlayerTurn *turns) {
    assert(!board->state->over);
    notes_clear(board->notes);
    for (uint32_t i = 0; i < board->players; i++) {
        board->late[i] += turns[i].late;
        board->graces[i] += turns[i].grace > 0;
        take_answer(board, i, &turns[i]);
    }
    board->game->step(board->setup, board->state, (const GameOrders *const *)board->orders,
                      board->notes);
    for (uint32_t i = 0; i < board->players; i++)
        board->refused[i] += board->notes->refused[i];
}

const char *board_reason(const Board *board) {
    static const char *const causes[STATUSES] = {
        "forfeit",       "timed out",     "crashed",         "disqualified",
        "did not start", "out of memory", "too much output", "left"};
    GameResult result;
    board->game->result(board->setup, board->state, &result);
    switch (result.end) {
    case END_ELIMINATION:
        return "elimination";
    case END_SCORE:
        return "score";
    case END_TURN_LIMIT:
        return "turn limit";
    case END_FORFEIT:
        for (uint32_t i = 0; i < board->players; i++)
            if (board->forfeited[i])
                return causes[board->status[i]];
        return "forfeit";
    default:
        return "not over";
    }
}

const char *status_name(PlayerStatus status) {
    static const char *const names[STATUSES] = {"ok",
                                                "timeout",
                                                "crashed",
                                                "disqualified",
                                                "did not start",
                                                "out of memory",
                                                "too much output",
                                                "left"};
    return names[status];
}

const char *answer_kind_name(AnswerKind kind) {
    static const char *const names[ANSWER_KINDS] = {
        "not asked",  "answer",   "timeout",       "exit", "too much output",
        "restarting", "given up", "out of memory", "left", "over share"};
    return names[kind];
}
