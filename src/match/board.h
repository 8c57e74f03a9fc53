/* A match without its bots: the rules, the state, and what the bots said in a turn made into
   orders. The live match, `replay verify` and every viewer go through board_apply, so that a replay
   cannot mean anything else than the match did. */
#ifndef MATCH_BOARD_H
#define MATCH_BOARD_H

#include "games/game.h"

/* What came from a player's bot in a turn. The numbers stand in replay files. */
typedef enum AnswerKind {
    ANSWER_NOT_ASKED = 0, /* the player is out */
    ANSWER_GIVEN = 1,
    ANSWER_TIMEOUT = 2,
    ANSWER_EXIT = 3,
    ANSWER_FLOOD = 4,         /* more than an answer may have */
    ANSWER_RESTARTING = 5,    /* the bot was started anew in this turn and saw no view */
    ANSWER_GIVEN_UP = 6,      /* it would have to be started anew once too often */
    ANSWER_OUT_OF_MEMORY = 7, /* the bot was ended at its memory limit */
    ANSWER_LEFT = 8,          /* a person played, and is there no more */
    ANSWER_KINDS
} AnswerKind;

typedef struct PlayerTurn {
    AnswerKind kind;
    Slice answer;
    Slice errors; /* standard error */
    int64_t wall; /* nanoseconds */
    int64_t cpu;
    /* nanoseconds beyond the limit that were not charged, since the machine was busy; 0: none */
    int64_t grace;
    uint32_t late;
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
    GameOrders *orders[GAME_PLAYERS_MAX]; /* of the last turn */
    Notes *notes;                         /* of the last turn */
    PlayerStatus status[GAME_PLAYERS_MAX];
    bool forfeited[GAME_PLAYERS_MAX];
    uint64_t refused[GAME_PLAYERS_MAX]; /* orders and answers refused so far */
    uint32_t timeouts[GAME_PLAYERS_MAX];
    uint32_t late[GAME_PLAYERS_MAX];   /* answers that came after their time */
    uint32_t graces[GAME_PLAYERS_MAX]; /* turns with grace */
} Board;

/* A board at the start of a match. Takes the setup over; free the board in any case. */
void board_init(Board *board, GameSetup *setup, uint64_t seed);
void board_free(Board *board);

/* The player's bot never came (before the first turn). */
void board_absent(Board *board, uint32_t player);

/* Plays one turn from what the bots said. */
void board_apply(Board *board, const PlayerTurn *turns);

/* Why the match ended, in a word or two: "elimination", "turn limit", "timed out", ... */
const char *board_reason(const Board *board);

const char *status_name(PlayerStatus status);
const char *answer_kind_name(AnswerKind kind);

#endif
