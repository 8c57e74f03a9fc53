/* Settings that administrators can change while the arena runs. A stored setting overrides the
   option that the arena was started with. Any thread may read and change them. */
#ifndef ARENA_SETTINGS_H
#define ARENA_SETTINGS_H

#include "arena/arena.h"

Registration arena_registration(const Arena *arena);
bool arena_visitors(const Arena *arena);  /* people without an account can play */
bool arena_ladder_on(const Arena *arena); /* ladder matches are scheduled */

/* The names of Registration, for schemas.h. */
#define REGISTRATION_NAMES(name, between) \
 name("open") between name("invitation") between name("closed")
extern const char *const registration_names[];

/* Reads the settings from the store, with the options as defaults. Call it again when another arena
   may have changed them. They stay as they are if the store fails. */
bool settings_load(Arena *arena, Error *error);

/* Makes the secret, or reads the one that arenas on the same PostgreSQL database share. Workers can
   read it too; it grants the rights of the visitors who requested matches. */
bool settings_load_secret(Arena *arena, Error *error);

StoreResult settings_set_registration(Arena *arena, Registration registration, Error *error);
StoreResult settings_set_visitors(Arena *arena, bool on, Error *error);
StoreResult settings_set_ladder(Arena *arena, bool on, Error *error);

#endif
