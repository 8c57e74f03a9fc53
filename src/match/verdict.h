/* How a match ended: for whom, why, and what each bot used. */
#ifndef MATCH_VERDICT_H
#define MATCH_VERDICT_H

#include "match/board.h"

typedef struct PlayerVerdict {
    char *name;
    PlayerStatus status;
    uint32_t rank;
    int64_t score;
    uint64_t refused;
    uint32_t timeouts;
    uint32_t late;
    /* turns whose answer came after the limit, within grace */
    uint32_t graces;
    uint32_t restarts;
    int64_t wall_total; /* nanoseconds */
    int64_t wall_longest;
    int64_t cpu_total;
    int64_t cpu_longest;
    /* the bot's last failure, as a phrase: "timed out after 100 ms in turn 3"; or "" */
    char failure[400];
} PlayerVerdict;

typedef struct Verdict {
    uint32_t turns;
    const char *reason; /* a constant */
    bool scored;
    /* a digest of all answers and of the board at the end: matches with the same one on the same
       map were played identically */
    uint64_t course;
    uint32_t players;
    PlayerVerdict player[GAME_PLAYERS_MAX];
} Verdict;

/* Fills turns, reason, ranks, scores, status and rejected orders from the board. */
void verdict_judge(Verdict *verdict, const Board *board);
void verdict_free(Verdict *verdict);

/* Judges a match that could not begin: players that did not start (STATUS_NO_START) share the last
   rank, all others the first. */
void verdict_forfeit(Verdict *verdict);

/* The members `turns`, `reason` and `players` of an object that the caller has opened. */
void verdict_json(const Verdict *verdict, JsonOut *out);

#endif
