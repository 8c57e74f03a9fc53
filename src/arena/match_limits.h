/* The limits of matches, which must be the same on every machine that plays for an arena: `serve`
   stores those of its options, and workers use them. Only for stores that several processes
   share. */
#ifndef ARENA_MATCH_LIMITS_H
#define ARENA_MATCH_LIMITS_H

#include "arena/arena.h"

/* Stores the limits of the arena's options, unless they are stored already. */
bool match_limits_store(const Arena *arena, Error *error);

/* Sets those options to the stored values; leaves them unchanged if there are none. */
bool match_limits_load(Arena *arena, Error *error);

#endif
