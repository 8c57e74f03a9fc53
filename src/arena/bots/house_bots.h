/* Private to bots/. */
#ifndef ARENA_BOTS_HOUSE_BOTS_H
#define ARENA_BOTS_HOUSE_BOTS_H

#include "arena/arena.h"

/* Adds the house bots of all games that are missing and were not retired, and retires those that no
   longer come with Skirmish. See versions_start. */
bool house_bots_add(Arena *arena, Error *error);

#endif
