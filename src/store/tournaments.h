/* Tournaments: plan, entrants, standings. Their matches are in queue.h and matches.h. */
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
    int64_t starts;                      /* when it starts automatically; 0: it does not */
    char start_problem[STORE_LINE_SIZE]; /* why it did not start automatically, or "" */
} StoreTournament;

typedef struct StoreNewTournament {
    uint64_t organiser;
    const char *name; /* any single line of text */
    const char *game;
    const char *format;
    const char *plan; /* in the caller's format */
    int64_t starts;   /* 0: not automatically */
} StoreNewTournament;

StoreResult store_tournament_add(Store *store, const StoreNewTournament *tournament, uint64_t *id,
                                 Error *error);
StoreResult store_tournament_get(Store *store, uint64_t id, StoreTournament *tournament,
                                 Error *error);

/* `game` may be NULL: all. */
StoreResult store_tournaments_list(Store *store, const char *game, StorePage *page,
                                   StoreTournament *rows, Error *error);

/* Moves a tournament from open to running or called off, or from running to over or called off;
   STORE_CONFLICT for anything else. Calling off removes its waiting matches from the queue. */
StoreResult store_tournament_move(Store *store, uint64_t id, StoreTournamentState to, Error *error);

/* Changes the plan if the tournament is in this state, else STORE_CONFLICT. The game cannot be
   changed. */
StoreResult store_tournament_change(Store *store, uint64_t id, StoreTournamentState in,
                                    const char *name, const char *format, const char *plan,
                                    Error *error);

/* Sets when an open tournament starts automatically (0: it does not), and why an earlier automatic
   start failed ("": none did). STORE_CONFLICT if it is not open. */
StoreResult store_tournament_schedule(Store *store, uint64_t id, int64_t starts,
                                      const char *problem, Error *error);

/* Finds the open tournament that starts next, and when. *id is 0 if there is none. */
StoreResult store_tournament_next_start(Store *store, uint64_t *id, int64_t *starts, Error *error);

/* Append texts in the caller's format to a buffer, or set them. */
StoreResult store_tournament_plan(Store *store, uint64_t id, Buffer *plan, Error *error);
StoreResult store_tournament_standings(Store *store, uint64_t id, Buffer *standings, Error *error);
StoreResult store_tournament_set_standings(Store *store, uint64_t id, Slice standings,
                                           Error *error);

typedef struct StoreEntrant {
    uint64_t bot;
    uint64_t version; /* active when the bot entered */
    char name[STORE_NAME_SIZE];
    char owner_name[STORE_NAME_SIZE];
    int64_t entered;
} StoreEntrant;

/* Enters the bot with its active version, which must exist, or withdraws it. The tournament must be
   open and not due to start. */
StoreResult store_tournament_enter(Store *store, uint64_t id, uint64_t bot, Error *error);
StoreResult store_tournament_leave(Store *store, uint64_t id, uint64_t bot, Error *error);

/* Lists the entrants, latest entry first. */
StoreResult store_tournament_entrants(Store *store, uint64_t id, StorePage *page,
                                      StoreEntrant *rows, Error *error);

#endif
