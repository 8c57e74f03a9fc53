/* A thread that recomputes the standings of running tournaments from the store, stores them and
   publishes them. It is separate from the engine because rating many bots takes a while.

   Live topic "tournament-ID", event "standings": a short table; the store has the full one. */
#ifndef ARENA_TOURNAMENTS_STANDINGS_UPDATER_H
#define ARENA_TOURNAMENTS_STANDINGS_UPDATER_H

#include "arena/arena.h"

typedef struct StandingsUpdater StandingsUpdater;

StandingsUpdater *standings_updater_new(Arena *arena);

/* Finishes the current computation only. NULL is fine. */
void standings_updater_free(StandingsUpdater *updater);

/* Requests new standings. From any thread, like standings_updater_finish. */
void standings_updater_request(StandingsUpdater *updater, uint64_t tournament);

/* The tournament is complete or was called off: once its last standings are stored, a running
   tournament is moved to "over" and its topic ends. The topic is removed after topic_kept(). */
void standings_updater_finish(StandingsUpdater *updater, uint64_t tournament);

/* The leader publishes this topic from now on: it has started the tournament, or taken it over. */
void tournament_topic_lead(const Arena *arena, uint64_t tournament);

/* This process no longer leads. */
void tournament_topic_leave(const Arena *arena, uint64_t tournament);

/* Like tournament_topic_open, for a viewer: the events also arrive if another arena leads. */
void tournament_topic_watch(const Arena *arena, uint64_t tournament, char *topic);

/* Removes the topic of a tournament that was called off before it started. */
void tournament_topic_forget(const Arena *arena, uint64_t tournament);

/* Drops the events of all tournaments, because they contain names of bots. */
void tournament_topics_clear(const Arena *arena);

/* Writes the topic's name to `topic` (LIVE_TOPIC_MAX bytes), and opens it if it does not exist. */
void tournament_topic_open(const Arena *arena, uint64_t tournament, char *topic);

#endif
