/* What administrators can change while the arena runs: it counts for more than the options that the
   arena was started with, and lasts. Kept in the store; read from memory, by any thread. */
#ifndef ARENA_SETTINGS_H
#define ARENA_SETTINGS_H

#include "arena/arena.h"

Registration arena_registration(const Arena *arena);
bool arena_visitors(const Arena *arena);  /* people without an account may play */
bool arena_ladder_on(const Arena *arena); /* ladder matches are played by themselves */

/* "open", "invitation", "closed". */
const char *registration_name(Registration registration);
bool registration_find(Slice name, Registration *registration);

/* From options and store. */
bool settings_load(Arena *arena, Error *error);

StoreResult settings_set_registration(Arena *arena, Registration registration, Error *error);
StoreResult settings_set_visitors(Arena *arena, bool on, Error *error);
StoreResult settings_set_ladder(Arena *arena, bool on, Error *error);

#endif
