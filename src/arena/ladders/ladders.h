/* The ladder of each game. A thread computes ratings from new results and, when the queue has room,
   adds the matches that improve the ratings most.

   A bot is rated by the results of its active version against the active versions of others; those
   of earlier versions remain in its history. Until a new version has played, the ladder shows the
   rating of its predecessor. A version whose opponents have all been replaced has no rating until
   it plays again. Ratings are Elo points with a mean of LADDER_MEAN; before its first match, a bot
   is assumed to be within LADDER_PRIOR of it (one standard deviation). Bots with fewer than
   LADDER_PLACED matches play first. Bots meet on the standard maps in turn, in every rotation of
   the seats with the same seed. Once every rating is accurate, a ladder slows down to save disk
   space; if all bots have the same owner, it slows down as soon as they are placed. Nothing is
   added to the queue while the setting "ladder" is off (settings.h; --ladder off is only its
   default).

   If several processes share the store, each computes the ratings, so that it can take over at
   once, but only the leader (store/leader.h) stores them and adds matches. */
#ifndef ARENA_LADDERS_LADDERS_H
#define ARENA_LADDERS_LADDERS_H

#include "arena/arena.h"
#include "base/json.h"

enum { LADDER_MEAN = 1500, LADDER_PLACED = 12, LADDER_PRIOR = 350 };

typedef struct Ladders Ladders;

/* Registers with the arena's engine, so call it before engine_start. */
Ladders *ladders_start(Arena *arena, Error *error);

/* Reports a new result. From any thread; NULL is fine. */
void ladders_wake(Ladders *ladders);

/* Writes a row of a ladder, for the API and the live topic "ladder-GAME". */
void ladders_row(JsonOut *out, const StoreRating *row);

void ladders_stop(Ladders *ladders); /* NULL is fine */

#endif
