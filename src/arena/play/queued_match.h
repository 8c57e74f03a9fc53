/* The setup of a match in the queue: configuration, map, limits, and the seats that are not played
   by a version of a bot. The store keeps it as JSON and does not interpret it. It contains no names
   of people.

   Workers of the previous version read it too, and ignore unknown members. So a member that changes
   how a match is played takes two releases: the first one reads it, the second one also writes
   it. */
#ifndef ARENA_PLAY_QUEUED_MATCH_H
#define ARENA_PLAY_QUEUED_MATCH_H

#include "base/buffer.h"
#include "league/plan.h"

/* All zero for a seat that a version plays. */
typedef struct QueuedSeat {
    char *language;     /* of a draft in one file, or NULL */
    char *source;       /* of a draft in one file */
    char *archive;      /* of a draft in several files: a zip file in base64; or NULL */
    bool remote;        /* played from elsewhere: see remote_seats.h */
    uint32_t person_ms; /* for a person: how long a turn may take */
} QueuedSeat;

typedef struct QueuedMatch {
    PlanFile config;
    PlanFile map;
    MatchOverrides overrides;
    uint32_t players;
    QueuedSeat seats[GAME_PLAYERS_MAX];
    /* The match whose first turns are replayed; 0: the replay is the first seat's source. */
    uint64_t from_match;
    uint32_t from_turn; /* how many turns are replayed; 0: none */
} QueuedMatch;

void queued_match_write(const QueuedMatch *setup, Buffer *to);
bool queued_match_read(QueuedMatch *setup, Slice text, Error *error);
void queued_match_free(QueuedMatch *setup);

/* Sets map and configuration as requested: the name of a standard map, "generate" or
   "generate:SEED[:SIZE]" (NULL: the default map), and the text of a configuration (or NULL). False
   if the game does not accept them for this number of players. */
bool queued_match_choose(QueuedMatch *setup, const Game *game, const char *map, const char *config,
                         uint32_t players, uint64_t seed, Error *error);

#endif
