/* What somebody asks the arena to play: who may ask, the seats, map and configuration or a recorded
   match to begin with, times. "Play now" (play_now.c) and taking a seat (join_routes.c) are made from
   it.

   Functions that give false have set `error`, a sentence for who asked. */
#ifndef ARENA_API_MATCH_REQUEST_H
#define ARENA_API_MATCH_REQUEST_H

#include "arena/api/api.h"
#include "arena/play/play.h"

enum { MATCH_REQUEST_BODY_MAX = 2 << 20 };

typedef struct MatchRequest {
    const Request *request;
    Response *response;
    JsonObject body;
    const Game *game;
    QueuedMatch setup; /* `players` are known once there is a `from` or the seats were taken */
    StoreNewSeat seats[GAME_PLAYERS_MAX];
    char labels[GAME_PLAYERS_MAX][STORE_PLAYER_SIZE];
    uint64_t owners[GAME_PLAYERS_MAX]; /* of the bots; 0: code */
    uint64_t seed;
    StoreFile source;  /* a replay that was sent along */
    StoreMatches from; /* the recorded match, if that is one of this arena */
    bool begins;       /* as a recorded match did, whether of this arena or not */
    Error error;
} MatchRequest;

/* Reads the body; NULL, and a problem, if it is none. */
MatchRequest *match_request_new(const Request *request, Response *response);
void match_request_free(MatchRequest *wanted); /* NULL is fine */

/* Whether the body brings a replay: then all of this takes a while, and is for request_defer
   only. */
bool match_request_is_long(const MatchRequest *wanted);

/* False, and a problem, for visitors where they are not wanted, who ask too often, or who bring a
   replay. `person`: to play in person. */
bool match_request_admit_visitor(const MatchRequest *wanted, bool person);

/* The members "game" and "from". */
bool match_request_take_game(MatchRequest *wanted);

/* How many may play: visitors may not ask for crowds. */
uint32_t match_request_players_most(const MatchRequest *wanted);

/* A seat as the body has it: {"bot": ...}, {"version": ...}, {"language": ..., "source": ...}; or a
   bot's name alone. */
bool match_request_take_seat(MatchRequest *wanted, uint32_t seat, uint32_t node);
bool match_request_take_bot(MatchRequest *wanted, uint32_t seat, uint32_t node);

/* The bot's version that plays. */
bool match_request_take_active(MatchRequest *wanted, uint32_t seat, uint32_t node,
                               const StoreBot *bot);

/* The version that played this seat of the recorded match. */
bool match_request_take_recorded(MatchRequest *wanted, uint32_t seat);

/* The members "map", "config" and "seed", once the number of players is known; then the times of
   the bots: `turn_ms` for a turn, or 0 for what is usual. */
bool match_request_take_rules(MatchRequest *wanted, uint32_t turn_ms);
uint32_t match_request_turn_most(const MatchRequest *wanted);

/* The match, for the store. `json` has to live as long, and is the caller's to free. */
StoreNewMatch match_request_match(MatchRequest *wanted, Buffer *json);

#endif
