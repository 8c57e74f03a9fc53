/* The standings of running tournaments, computed again now and then by a thread of their own: from
   the store, back into the store, and to whoever watches. A fit of many bots' ratings takes a
   while, and the engine's thread has matches to hand out.

   Live topic "tournament-ID", event "standings": the table, short; the whole is in the store. */
#ifndef ARENA_TOURNAMENTS_SCOREBOARD_H
#define ARENA_TOURNAMENTS_SCOREBOARD_H

#include "arena/arena.h"

typedef struct Scoreboard Scoreboard;

Scoreboard *scoreboard_new(Arena *arena);

/* Finishes what it is at, and leaves the rest. NULL is fine. */
void scoreboard_free(Scoreboard *scoreboard);

/* Something has changed. From any thread, as the next. */
void scoreboard_stir(Scoreboard *scoreboard, uint64_t tournament);

/* All has been played, or the tournament was called off: once the last standings are in the store,
   a running tournament is moved to over, and its topic ends. The topic is forgotten after a while
   (topic_kept), as a match's is. */
void scoreboard_end(Scoreboard *scoreboard, uint64_t tournament);

/* The topic is not there any more: of a tournament that was called off before it began. */
void scoreboard_forget(const Arena *arena, uint64_t tournament);

/* The topic's name; `topic` has LIVE_TOPIC_MAX bytes. Makes the topic if it is not there. */
void scoreboard_topic(const Arena *arena, uint64_t tournament, char *topic);

#endif
