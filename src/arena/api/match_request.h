/* What somebody asks the arena to play: who may ask, the seats, map and configuration or a recorded
   match to begin with, times. "Play now" (play_now.c) and taking a seat (join_routes.c) are made from
   it.

   Functions that give false have set `error`, a sentence for who asked. */
#ifndef ARENA_PLAY_WISH_H
#define ARENA_PLAY_WISH_H

#include "arena/api/api.h"
#include "arena/play/queued_match.h"

enum { WISH_BODY_MAX = 2 << 20 };

typedef struct Wish {
    const Request *request;
    Response *response;
    Config body;
    const Game *game;
    MatchSpec spec; /* `players` are known once there is a `from` or the seats were taken */
    StoreNewSeat seats[GAME_PLAYERS_MAX];
    char labels[GAME_PLAYERS_MAX][STORE_PLAYER_SIZE];
    uint64_t owners[GAME_PLAYERS_MAX]; /* of the bots; 0: code */
    uint64_t seed;
    StoreFile source;  /* a replay that was sent along */
    StoreMatches from; /* the recorded match, if that is one of this arena */
    bool begins;       /* as a recorded match did, whether of this arena or not */
    Error error;
} Wish;

/* Reads the body; NULL, and a problem, if it is none. */
Wish *wish_new(const Request *request, Response *response);
void wish_free(Wish *wish); /* NULL is fine */

/* Whether the body brings a replay: then all of this takes a while, and is for request_defer
   only. */
bool wish_is_long(const Wish *wish);

/* False, and a problem, for visitors where they are not wanted, who ask too often, or who bring a
   replay. `person`: to play in person. */
bool wish_admit_visitor(const Wish *wish, bool person);

/* The members "game" and "from". */
bool wish_take_game(Wish *wish);

/* How many may play: visitors may not ask for crowds. */
uint32_t wish_players_most(const Wish *wish);

/* A seat as the body has it: {"bot": ...}, {"version": ...}, {"language": ..., "source": ...}; or a
   bot's name alone. */
bool wish_take_seat(Wish *wish, uint32_t seat, uint32_t node);
bool wish_take_bot(Wish *wish, uint32_t seat, uint32_t node);

/* The bot's version that plays. */
bool wish_take_active(Wish *wish, uint32_t seat, uint32_t node, const StoreBot *bot);

/* The version that played this seat of the recorded match. */
bool wish_take_recorded(Wish *wish, uint32_t seat);

/* The members "map", "config" and "seed", once the number of players is known; then the times of
   the bots: `turn_ms` for a turn, or 0 for what is usual. */
bool wish_take_rules(Wish *wish, uint32_t turn_ms);
uint32_t wish_turn_most(const Wish *wish);

/* The match, for the store. `spec` has to live as long, and is the caller's to free. */
StoreNewMatch wish_match(Wish *wish, Buffer *spec);

#endif
