/* The standings of running tournaments, computed again now and then by a thread of their own: from
   the store, back into the store, and to whoever watches. A fit of many bots' ratings takes a
   while, and the engine's thread has matches to hand out.

   Live topic "tournament-ID", event "standings": the table, short; the whole is in the store. */
#ifndef ARENA_TOURNAMENTS_STANDINGS_UPDATER_H
#define ARENA_TOURNAMENTS_STANDINGS_UPDATER_H

#include "arena/arena.h"

typedef struct StandingsUpdater StandingsUpdater;

StandingsUpdater *standings_updater_new(Arena *arena);

/* Finishes what it is at, and leaves the rest. NULL is fine. */
void standings_updater_free(StandingsUpdater *updater);

/* Something has changed. From any thread, as the next. */
void standings_updater_request(StandingsUpdater *updater, uint64_t tournament);

/* All has been played, or the tournament was called off: once the last standings are in the store,
   a running tournament is moved to over, and its topic ends. The topic is forgotten after a while
   (topic_kept), as a match's is. */
void standings_updater_finish(StandingsUpdater *updater, uint64_t tournament);

/* The topic is not there any more: of a tournament that was called off before it began. */
void tournament_topic_forget(const Arena *arena, uint64_t tournament);

/* The topic's name; `topic` has LIVE_TOPIC_MAX bytes. Makes the topic if it is not there. */
void tournament_topic_open(const Arena *arena, uint64_t tournament, char *topic);

#endif
