/* Tournaments: what was planned, who takes part, how it stands. Their matches are in the queue and
   among the matches. */
#ifndef STORE_TOURNAMENTS_H
#define STORE_TOURNAMENTS_H

#include "store/types.h"

typedef enum StoreTournamentState {
    TOURNAMENT_OPEN, /* bots may enter and leave */
    TOURNAMENT_RUNNING,
    TOURNAMENT_OVER,
    TOURNAMENT_CALLED_OFF,
} StoreTournamentState;

typedef struct StoreTournament {
    uint64_t id;
    uint64_t organiser;
    char name[STORE_LABEL_SIZE];
    char game[STORE_GAME_SIZE];
    char format[STORE_GAME_SIZE];
    StoreTournamentState state;
    int64_t created;
    int64_t started;
    int64_t ended;
} StoreTournament;

typedef struct StoreNewTournament {
    uint64_t organiser;
    const char *name; /* any text of a line */
    const char *game;
    const char *format;
    const char *plan; /* the caller's */
} StoreNewTournament;

StoreResult store_tournament_add(Store *store, const StoreNewTournament *tournament, uint64_t *id,
                                 Error *error);
StoreResult store_tournament_get(Store *store, uint64_t id, StoreTournament *tournament,
                                 Error *error);

/* `game` may be NULL: all. */
StoreResult store_tournaments_list(Store *store, const char *game, StorePage *page,
                                   StoreTournament *rows, Error *error);

/* From open to running or called off, from running to over or called off; STORE_CONFLICT for any
   other way. Calling off takes the waiting matches out of the queue. */
StoreResult store_tournament_move(Store *store, uint64_t id, StoreTournamentState to, Error *error);

/* Changes what was planned, if the tournament is in this state; STORE_CONFLICT if it is not (any
   more). The game stays. */
StoreResult store_tournament_change(Store *store, uint64_t id, StoreTournamentState in,
                                    const char *name, const char *format, const char *plan,
                                    Error *error);

/* The caller's texts: append to a buffer, or set. */
StoreResult store_tournament_plan(Store *store, uint64_t id, Buffer *plan, Error *error);
StoreResult store_tournament_standings(Store *store, uint64_t id, Buffer *standings, Error *error);
StoreResult store_tournament_set_standings(Store *store, uint64_t id, Slice standings,
                                           Error *error);

typedef struct StoreEntrant {
    uint64_t bot;
    uint64_t version; /* that was active when the bot entered */
    char name[STORE_NAME_SIZE];
    char owner_name[STORE_NAME_SIZE];
    int64_t entered;
} StoreEntrant;

/* While the tournament is open; with the bot's active version, which must be there. */
StoreResult store_tournament_enter(Store *store, uint64_t id, uint64_t bot, Error *error);
StoreResult store_tournament_leave(Store *store, uint64_t id, uint64_t bot, Error *error);

/* The last to enter first. */
StoreResult store_tournament_entrants(Store *store, uint64_t id, StorePage *page,
                                      StoreEntrant *rows, Error *error);

#endif
