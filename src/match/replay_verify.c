/* Checks that a recorded match follows from its answers: the rules replay every turn. */
#include "match/replay.h"

#include <inttypes.h>

bool replay_apply(Board *board, const ReplayTurn *turn, Error *error) {
    if (board->state->over)
        return error_set(error, "turn %u: the match had already ended", turn->turn);
    for (uint32_t i = 0; i < board->players; i++) {
        bool active = board->game->is_active(board->setup, board->state, i);
        if (active != (turn->players[i].kind != ANSWER_NOT_ASKED))
            return error_set(error, "turn %u: player %u %s, unlike in the record", turn->turn,
                             i + 1, active ? "is asked" : "is not asked");
    }
    board_apply(board, turn->players);
    if (game_digest(board->state) != turn->digest)
        return error_set(error, "turn %u: the state after it differs from the record", turn->turn);
    for (uint32_t i = 0; i < board->players; i++)
        if (board->notes->refused[i] != turn->refused[i])
            return error_set(error, "turn %u: rejected orders of player %u: %u; recorded: %" PRIu64,
                             turn->turn, i + 1, board->notes->refused[i], turn->refused[i]);
    return true;
}

bool replay_check_end(const Board *board, const ReplayEnd *end, Error *error) {
    Verdict verdict = {0};
    if (!board->state->over)
        return error_set(error, "the record ends after turn %u, but the match had not ended",
                         board->state->turn);
    verdict_judge(&verdict, board);
    if (verdict.turns != end->turns || !slice_equals(end->reason, verdict.reason))
        return error_set(
            error, "the match ends after turn %u by %s, not after turn %u by %.*s as recorded",
            verdict.turns, verdict.reason, end->turns, SLICE_ARGS(end->reason));
    for (uint32_t i = 0; i < board->players; i++) {
        if (verdict.player[i].rank != end->rank[i] || verdict.scored != end->scored ||
            (verdict.scored && verdict.player[i].score != end->score[i]))
            return error_set(error,
                             "player %u ends with rank %u, score %" PRId64
                             "; recorded: rank %u, score %" PRId64,
                             i + 1, verdict.player[i].rank, verdict.player[i].score, end->rank[i],
                             end->score[i]);
        if (!slice_equals(end->status[i], status_name(verdict.player[i].status)) ||
            verdict.player[i].refused != end->refused[i])
            return error_set(error,
                             "player %u ends as \"%s\", rejected orders: %" PRIu64
                             "; recorded: \"%.*s\", %" PRIu64,
                             i + 1, status_name(verdict.player[i].status),
                             verdict.player[i].refused, SLICE_ARGS(end->status[i]),
                             end->refused[i]);
        if (verdict.player[i].timeouts != end->timeouts[i] ||
            verdict.player[i].late != end->late[i])
            return error_set(error,
                             "timeouts of player %u: %u, late answers: %u; recorded: %" PRIu64
                             " and %" PRIu64,
                             i + 1, verdict.player[i].timeouts, verdict.player[i].late,
                             end->timeouts[i], end->late[i]);
        if (verdict.player[i].graces != end->graces[i])
            return error_set(error, "turns with grace of player %u: %u; recorded: %" PRIu64, i + 1,
                             verdict.player[i].graces, end->graces[i]);
        if (verdict.player[i].restarts != end->restarts[i])
            return error_set(error, "restarts of player %u: %u; recorded: %" PRIu64, i + 1,
                             verdict.player[i].restarts, end->restarts[i]);
    }
    return true;
}
