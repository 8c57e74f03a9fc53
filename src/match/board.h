/* A match without its bots: the rules, the state, and the bots' answers of a turn turned into
   orders. Live matches, `replay verify` and every viewer go through board_apply, so that a replay
   always shows what happened in the match. */
#ifndef MATCH_BOARD_H
#define MATCH_BOARD_H

#include "games/game.h"

/* What a player's bot did in a turn. The numbers are stored in replay files. */
typedef enum AnswerKind {
    ANSWER_NOT_ASKED = 0, /* the player is eliminated */
    ANSWER_GIVEN = 1,
    ANSWER_TIMEOUT = 2,
    ANSWER_EXIT = 3,
    ANSWER_FLOOD = 4,         /* longer than the limit for an answer */
    ANSWER_RESTARTING = 5,    /* the bot was restarted in this turn and saw no view */
    ANSWER_GIVEN_UP = 6,      /* the bot has used up its restarts */
    ANSWER_OUT_OF_MEMORY = 7, /* the bot was killed at its memory limit */
    ANSWER_LEFT = 8,          /* the person who played has left */
    ANSWER_OVER_SHARE = 9,    /* its answers exceed its share of the replay; no longer asked */
    ANSWER_KINDS
} AnswerKind;

typedef struct PlayerTurn {
    AnswerKind kind;
    uint32_t late; /* late answers to earlier views */
    Slice answer;
    Slice errors; /* standard error */
    int64_t wall; /* nanoseconds */
    int64_t cpu;
    /* nanoseconds beyond the limit that were not charged (grace.h), or 0 */
    int64_t grace;
} PlayerTurn;

typedef enum PlayerStatus {
    STATUS_OK,
    STATUS_TIMEOUT,
    STATUS_CRASHED,
    STATUS_DISQUALIFIED,
    STATUS_NO_START,
    STATUS_OUT_OF_MEMORY,
    STATUS_TOO_MUCH_OUTPUT,
    STATUS_LEFT,
    STATUSES
} PlayerStatus;

typedef struct Board {
    const Game *game;
    GameSetup *setup;
    GameState *state;
    uint32_t players;
    GameOrders *orders[GAME_PLAYERS_MAX]; /* orders of the last turn */
    Notes *notes;                         /* notes of the last turn */
    PlayerStatus status[GAME_PLAYERS_MAX];
    bool forfeited[GAME_PLAYERS_MAX];
    uint64_t refused[GAME_PLAYERS_MAX]; /* orders and answers rejected so far */
    uint32_t timeouts[GAME_PLAYERS_MAX];
    uint32_t late[GAME_PLAYERS_MAX];   /* answers that came too late */
    uint32_t graces[GAME_PLAYERS_MAX]; /* turns with grace */
    uint32_t restarts[GAME_PLAYERS_MAX];
} Board;

/* Sets up a board at the start of a match. Takes ownership of the setup. */
void board_init(Board *board, GameSetup *setup, uint64_t seed);
void board_free(Board *board);

/* Records that the player's bot did not start. Call it before the first turn only. */
void board_absent(Board *board, uint32_t player);

/* Plays one turn from the bots' answers. */
void board_apply(Board *board, const PlayerTurn *turns);

/* Why the match ended: "elimination", "turn limit", "timed out", ... */
const char *board_reason(const Board *board);

const char *status_name(PlayerStatus status);
const char *answer_kind_name(AnswerKind kind);

#endif
