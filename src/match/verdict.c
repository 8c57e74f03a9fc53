/* See verdict.h. */
#include "match/verdict.h"

#include <stdlib.h>

void verdict_judge(Verdict *verdict, const Board *board) {
    GameResult result;
    board->game->result(board->setup, board->state, &result);
    verdict->turns = board->state->turn;
    verdict->reason = board_reason(board);
    verdict->scored = result.scored;
    verdict->players = board->players;
    for (uint32_t i = 0; i < board->players; i++) {
        verdict->player[i].rank = result.rank[i];
        verdict->player[i].score = result.score[i];
        verdict->player[i].status = board->status[i];
        verdict->player[i].refused = board->refused[i];
        verdict->player[i].timeouts = board->timeouts[i];
        verdict->player[i].late = board->late[i];
        verdict->player[i].graces = board->graces[i];
        verdict->player[i].restarts = board->restarts[i];
    }
}

void verdict_forfeit(Verdict *verdict) {
    uint32_t present = 0;
    for (uint32_t i = 0; i < verdict->players; i++)
        present += verdict->player[i].status != STATUS_NO_START;
    for (uint32_t i = 0; i < verdict->players; i++)
        verdict->player[i].rank = verdict->player[i].status == STATUS_NO_START ? present + 1 : 1;
    verdict->reason = "did not start";
    verdict->turns = 0;
}

void verdict_free(Verdict *verdict) {
    for (uint32_t i = 0; i < verdict->players; i++)
        free(verdict->player[i].name);
    *verdict = (Verdict){0};
}

void verdict_json(const Verdict *verdict, JsonOut *out) {
    json_out_uint(out, "turns", verdict->turns);
    json_out_text(out, "reason", verdict->reason);
    json_open(out, "players", '[');
    for (uint32_t i = 0; i < verdict->players; i++) {
        const PlayerVerdict *player = &verdict->player[i];
        json_open(out, NULL, '{');
        json_out_text(out, "name", player->name ? player->name : "");
        json_out_uint(out, "rank", player->rank);
        if (verdict->scored)
            json_out_int(out, "score", player->score);
        else
            json_out_null(out, "score");
        json_out_text(out, "status", status_name(player->status));
        if (player->failure[0])
            json_out_text(out, "failure", player->failure);
        json_out_uint(out, "refused", player->refused);
        json_out_uint(out, "timeouts", player->timeouts);
        json_out_uint(out, "late", player->late);
        json_out_uint(out, "graces", player->graces);
        json_out_uint(out, "restarts", player->restarts);
        json_out_ms(out, "wall_total_ms", player->wall_total, 3);
        json_out_ms(out, "wall_longest_ms", player->wall_longest, 3);
        json_out_ms(out, "cpu_total_ms", player->cpu_total, 3);
        json_out_ms(out, "cpu_longest_ms", player->cpu_longest, 3);
        json_close(out, '}');
    }
    json_close(out, ']');
}
