/* The engine: one thread that takes jobs from the queue, has them done by the dispatcher's runners,
   and puts the results back; publishes the turns of running matches; keeps the ratings; and, when
   there is nothing else to do, adds the ladder matches that tell most.

   Live topics: "match-ID" with the events "start" (game, map, configuration, seed, players: what a
   replay's header has), "turn" (as `skirmish replay export` has it, without standard error) and
   "end" (the verdict); "ladder-GAME" with "ratings"; "queue" with "size". */
#ifndef ARENA_PLAY_ENGINE_H
#define ARENA_PLAY_ENGINE_H

#include "arena/arena.h"

typedef struct Engine Engine;

/* What the topic of a match keeps for who comes late, for live_open. What is more is in the replay,
   soon. */
enum { LIVE_MATCH_EVENTS = 10000, LIVE_MATCH_BYTES = 4 << 20 };

Engine *engine_start(Arena *arena, Error *error);

/* Something was put into the queue. From any thread. NULL is fine. */
void engine_wake(Engine *engine);

/* Running matches finish within so many milliseconds or go back to the queue. engine_wake may still
   be called until engine_free. NULL is fine for both. */
void engine_stop(Engine *engine, uint32_t drain_ms);
void engine_free(Engine *engine);

#endif
