/* What a match in the queue is to be played with, beside its seats: kept as JSON in the store,
   which does not read it. It names nobody. */
#ifndef ARENA_PLAY_QUEUED_MATCH_H
#define ARENA_PLAY_QUEUED_MATCH_H

#include "base/buffer.h"
#include "league/plan.h"

/* A seat that is not a version's. */
typedef struct QueuedSeat {
    char *language;     /* of a draft, or NULL */
    char *source;       /* of a draft */
    bool remote;        /* played from elsewhere: see remote_seats.h */
    uint32_t person_ms; /* of one that a person plays: how long a turn may take */
} QueuedSeat;

typedef struct QueuedMatch {
    PlanFile config;
    PlanFile map;
    MatchTerms terms;
    uint32_t players;
    QueuedSeat seats[GAME_PLAYERS_MAX];
    /* begins as this one did; 0: as the replay that is the source of its first seat */
    uint64_t from_match;
    uint32_t from_turn; /* so many turns; 0: begins by itself */
} QueuedMatch;

void queued_match_write(const QueuedMatch *setup, Buffer *to);
bool queued_match_read(QueuedMatch *setup, Slice text, Error *error);
void queued_match_free(QueuedMatch *setup);

/* Fills map and configuration in from what a person asked for: a standard map's name, "generate" or
   "generate:SEED[:SIZE]" (NULL: the game's standard map), and the text of a configuration (or
   NULL). Checks that the game takes them with so many players. */
bool queued_match_choose(QueuedMatch *setup, const Game *game, const char *map, const char *config,
                         uint32_t players, uint64_t seed, Error *error);

#endif
