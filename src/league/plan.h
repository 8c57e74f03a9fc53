/* The plan of a tournament: bots, game, format. It is read from a hand-written JSON file, and
   stored in the tournament file in the same form, including the texts of maps and configuration, so
   that a tournament can be resumed even if those files have changed.

   Members; only game and bots are required:
     title        any text
     game         "aliens"
     format       "round-robin", "gauntlet", "swiss", "knockout", "double-knockout" or "ladder"
     bots         a list of BOTs as for `skirmish play`, or {"name": ..., "bot": BOT}; the favourite
                  first
     players      in a match (default: 2, or the game's minimum)
     maps         a list of names, files, generate:SEED, or {"name": ..., "text": ...}
     config       a file's name, or {"name": ..., "text": ...}
     games        pairs of matches in a fixture, with the seats swapped (with more players:
                  rotations through all seats), each on the next map (default: one per map)
     rounds, challengers, error   see schedule.h
     seed         of all random choices
     turn_time, start_time   milliseconds
     ponder       true: bots are not paused while no answer is expected of them
     limits       an object, such as {"memory": 64}
     sandbox      "strict", "best-effort" or "none"
     replays      false: no replays are kept
     directory    where the bots' commands are run; set when the tournament begins
     speed_min, speed_max   on an arena: the permitted speed of machines, see calibration.h */
#ifndef LEAGUE_PLAN_H
#define LEAGUE_PLAN_H

#include "base/json.h"
#include "bots/sandbox.h"
#include "league/schedule.h"
#include "match/overrides.h"

enum { PLAN_BOTS_MAX = 10000, PLAN_MAPS_MAX = 1000, PLAN_SPEED_MAX = 100000 };

/* A file: its name and, once read, its text. */
typedef struct PlanFile {
    char *name; /* NULL: none */
    char *text; /* NULL: not read yet */
} PlanFile;

typedef struct PlanBot {
    char *name; /* NULL: the bot's own name */
    char *text; /* as for `skirmish play` */
} PlanBot;

typedef struct Plan {
    char *title;
    const Game *game;
    Format format;
    uint32_t players;
    uint32_t games;
    uint32_t rounds;
    uint32_t challengers;
    double error;
    uint64_t seed;
    bool seed_given;
    PlanFile config;
    PlanFile *maps;
    uint32_t map_count;
    PlanBot *bots;
    uint32_t bot_count;
    SandboxMode sandbox;
    MatchOverrides overrides;
    bool no_replays;
    uint32_t speed_min; /* 0: any */
    uint32_t speed_max;
    char *directory;
} Plan;

/* Reads a plan; errors start with `name` and the line. The caller frees the plan in either case. */
bool plan_read(Plan *plan, const char *name, Slice text, Error *error);
void plan_free(Plan *plan);

void plan_add_bot(Plan *plan, const char *name, const char *text);
void plan_add_map(Plan *plan, const char *name);
void plan_clear_maps(Plan *plan);

/* Players of a match: as given, otherwise 2 or the game's minimum. */
uint32_t plan_players(const Plan *plan);

/* Sets defaults for players, map and games, once maps and configuration are read. Fails if game,
   players and maps are not compatible. */
bool plan_settle(Plan *plan, Error *error);

/* Appends the plan's title, or else game and format. */
void plan_title(const Plan *plan, Buffer *to);

/* Appends the whole plan as JSON. */
void plan_write(const Plan *plan, Buffer *to);

/* Write a file, or a number, as a member; nothing if it is not set (no name, or 0). */
void plan_write_file(JsonOut *out, const char *key, const PlanFile *file);
void plan_write_number(JsonOut *out, const char *key, uint64_t value);

/* The plan's files in the form that games take. */
GameFile plan_config(const Plan *plan);
GameFile plan_map(const Plan *plan, uint32_t map);

ScheduleOptions plan_schedule(const Plan *plan);

#endif
