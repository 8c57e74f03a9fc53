/* Tournaments in the arena: they use the same schedules as `skirmish tournament`, and their
   fixtures become matches in the queue. Everything is stored: a tournament is resumed by recreating
   its schedule and reporting the results to it. */
#ifndef ARENA_TOURNAMENTS_SCHEDULER_H
#define ARENA_TOURNAMENTS_SCHEDULER_H

#include "arena/arena.h"

typedef struct TournamentScheduler TournamentScheduler;

/* Resumes the tournaments that were running. Registers with the arena's engine, so call it before
   engine_start. */
TournamentScheduler *tournament_scheduler_new(Arena *arena, Error *error);

/* Stops the thread that publishes standings. Call it after engine_stop and before http_stop;
   afterwards tournament_scheduler_notify does nothing. NULL is fine. */
void tournament_scheduler_stop(TournamentScheduler *scheduler);

/* Calls tournament_scheduler_stop first. Call it after http_stop. NULL is fine. */
void tournament_scheduler_free(TournamentScheduler *scheduler);

/* Reports that a match of a tournament has ended or was given up, and adds the fixtures that this
   makes possible to the queue. Call it on the engine's thread. */
void tournament_scheduler_match_over(TournamentScheduler *scheduler, uint64_t tournament,
                                     uint64_t match);

/* Reports that a tournament was scheduled, started or called off: the next tick checks all of them.
   From any thread; NULL is fine. */
void tournament_scheduler_notify(TournamentScheduler *scheduler);

/* Reports that an account was deleted: the next tick reads the names of all bots again, and drops
   the events that contain its name. From any thread; NULL is fine. */
void tournament_scheduler_forget_names(TournamentScheduler *scheduler);

/* Starts tournaments that are due or were moved to running, drops those that were called off, and
   finds matches that were called off. Call it regularly on the engine's thread. */
void tournament_scheduler_tick(TournamentScheduler *scheduler);

#endif
