/* A new password for somebody who lost theirs and can ask no administrator: an administrator
   themselves. Whoever may write to the data directory may do this (`skirmish password`).

   The store has one writer. While an arena runs that is the arena, so the new hash is left for it
   in the data directory; it takes it up at its next tick. Else it is written here. */
#ifndef ARENA_PEOPLE_RECOVERY_H
#define ARENA_PEOPLE_RECOVERY_H

#include "arena/arena.h"

/* Gives the account of this name a password, and ends its sessions; both are in the audit log as
   the arena's own doing. An empty password stands for one that is drawn: `told` (room for
   PASSWORD_DRAWN_SIZE) has it then. False with a sentence if there is no such arena or account, if
   the password is none, or if a running arena does not take it up. */
bool recovery_password(const char *data, const char *name, Slice password, char *told,
                       Error *error);

/* Takes up what was left. For the engine's tick. */
void recovery_tick(Arena *arena);

#endif
