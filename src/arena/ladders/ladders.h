/* The ladder of each game: a thread that computes the ratings from results as they come in and,
   when the queue has room to spare, asks for the matches that tell most about them.

   A bot is rated by the results of its active version against the active versions of others; what
   earlier versions did stays in the history. While a new version has not played yet, the rating of
   the one before is shown; a version whose opponents have all been replaced has no rating until it
   plays again. Ratings are Elo points with a mean of LADDER_MEAN. A bot that has played less than
   LADDER_PLACED matches comes before all others. Bots meet on the standard maps in turn, in every
   order of the seats with the same seed. Once every bot's rating is known well, a game's ladder
   goes on slowly: there is no use in filling the disk. Nothing is added to the
   queue while the setting "ladder" is off (settings.h; --ladder off is only its default). */
#ifndef ARENA_LADDERS_LADDERS_H
#define ARENA_LADDERS_LADDERS_H

#include "arena/arena.h"
#include "base/json.h"

enum { LADDER_MEAN = 1500, LADDER_PLACED = 12 };

typedef struct Ladders Ladders;

/* Registers with the arena's engine, so call it before engine_start. */
Ladders *ladders_start(Arena *arena, Error *error);

/* A ladder match is over. From any thread; NULL is fine. */
void ladders_wake(Ladders *ladders);

/* A row of a ladder, as the API and the live topic have it. */
void ladders_row(JsonOut *out, const StoreRating *row);

void ladders_stop(Ladders *ladders); /* NULL is fine */

#endif
