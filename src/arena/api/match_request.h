/* The body of a request for a match: seats, map and configuration or a recorded match to continue,
   times. Used by play_now.c and join_routes.c. Functions that return false have set `error`. */
#ifndef ARENA_API_MATCH_REQUEST_H
#define ARENA_API_MATCH_REQUEST_H

#include "arena/api/routes.h"
#include "arena/play/play.h"

enum { MATCH_REQUEST_BODY_MAX = 2 << 20 };

typedef struct MatchRequest {
    const Request *request;
    Response *response;
    JsonObject body;
    char id[REQUEST_ID_TEXT]; /* of the request */
    const Game *game;
    QueuedMatch setup; /* `players` is known after `from` or the seats were read */
    StoreNewSeat seats[GAME_PLAYERS_MAX];
    char labels[GAME_PLAYERS_MAX][STORE_PLAYER_SIZE];
    uint64_t owners[GAME_PLAYERS_MAX]; /* of the bots; 0: a draft */
    uint64_t seed;
    StoreFile source;   /* an uploaded replay */
    StoreMatches from;  /* the recorded match, if it is one of this arena */
    bool begins;        /* continues a recorded match, of this arena or not */
    StoreResult result; /* STORE_OK: if `error` is set, the body is wrong */
    Error error;
} MatchRequest;

/* Reads the body. Answers with a problem and returns NULL if it is not a JSON object. */
MatchRequest *match_request_new(const Request *request, Response *response);
void match_request_free(MatchRequest *wanted); /* NULL is fine */

/* Answers with a problem when one of these functions has returned false: the body is wrong, or the
   store failed. */
Outcome match_request_problem(const MatchRequest *wanted);

/* Notes a result of the store, whose error is in `error`; false if it is not STORE_OK. */
bool match_request_note(MatchRequest *wanted, StoreResult result);

/* Whether the body contains a replay: then all other functions are slow; call them in
   request_defer. */
bool match_request_is_long(const MatchRequest *wanted);

/* For Route.permit: rejects everyone before they send a body while the disk is almost full, and
   visitors also in other cases. */
bool match_request_permit(Request *request, Response *response);

/* Answers with a problem and returns false if a visitor uploads a replay or too many matches wait.
   `person`: they want to play in person. */
bool match_request_admit_visitor(const MatchRequest *wanted, bool person);

/* Reads "game" and "from". */
bool match_request_take_game(MatchRequest *wanted);

/* The maximum number of players, which is lower for visitors. */
uint32_t match_request_players_most(const MatchRequest *wanted);

/* Reads a seat: {"bot": ...}, {"version": ...}, {"language": ..., "source": ...} or {"archive":
   ...}; or the name of a bot. */
bool match_request_take_seat(MatchRequest *wanted, uint32_t seat, uint32_t node);
bool match_request_take_bot(MatchRequest *wanted, uint32_t seat, uint32_t node);

/* Takes the active version of the bot. */
bool match_request_take_active(MatchRequest *wanted, uint32_t seat, uint32_t node,
                               const StoreBot *bot);

/* Takes the version that played this seat of the recorded match. */
bool match_request_take_recorded(MatchRequest *wanted, uint32_t seat);

/* Reads "map", "config" and "seed" when the number of players is known, and sets the times of the
   bots: `turn_ms` per turn, or 0 for the default. */
bool match_request_take_rules(MatchRequest *wanted, uint32_t turn_ms);
uint32_t match_request_turn_most(const MatchRequest *wanted);

/* The match for the store, which points into `json`. The caller frees `json`. */
StoreNewMatch match_request_match(MatchRequest *wanted, Buffer *json);

#endif
