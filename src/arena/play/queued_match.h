/* What a match in the queue is to be played with, beside its seats: kept as JSON in the store,
   which does not read it. It names nobody. */
#ifndef ARENA_PLAY_SPEC_H
#define ARENA_PLAY_SPEC_H

#include "base/buffer.h"
#include "league/plan.h"

/* A seat that is not a version's. */
typedef struct SpecSeat {
    char *language;     /* of a draft, or NULL */
    char *source;       /* of a draft */
    bool remote;        /* played from elsewhere: see join.h */
    uint32_t person_ms; /* of one that a person plays: how long a turn may take */
} SpecSeat;

typedef struct MatchSpec {
    PlanFile config;
    PlanFile map;
    MatchTerms terms;
    uint32_t players;
    SpecSeat seats[GAME_PLAYERS_MAX];
    /* begins as this one did; 0: as the replay that is the source of its first seat */
    uint64_t from_match;
    uint32_t from_turn; /* so many turns; 0: begins by itself */
} MatchSpec;

void spec_write(const MatchSpec *spec, Buffer *to);
bool spec_read(MatchSpec *spec, Slice text, Error *error);
void spec_free(MatchSpec *spec);

/* Fills map and configuration in from what a person asked for: a standard map's name, "generate" or
   "generate:SEED[:SIZE]" (NULL: the game's standard map), and the text of a configuration (or
   NULL). Checks that the game takes them with so many players. */
bool spec_choose(MatchSpec *spec, const Game *game, const char *map, const char *config,
                 uint32_t players, uint64_t seed, Error *error);

#endif
