/* A tournament as it is stored: its plan, its bots by seed, the legs that are in the queue or over,
   and the progress that follows from them. Everything here depends only on the store, so reading it
   again gives the same result.

   How a leg counts:
     played                         as the verdict says
     called off, a bot withdrawn    withdrawn bots are last; the others draw
     given up, or called off        a draw for the schedule; the standings ignore it
   A bot is withdrawn when it is retired or its owner is suspended. A leg whose bot was withdrawn
   before it could be queued is added with an empty seat and called off at once, so that the store
   has a record of it.

   Bots are numbered by seed, from 0. The plan lists them by id only ("bot 17" as seeded by the
   organiser, "version 42 of bot 17" once the tournament has started), because names can change and
   those of deleted accounts are removed. */
#ifndef ARENA_TOURNAMENTS_STORED_TOURNAMENT_H
#define ARENA_TOURNAMENTS_STORED_TOURNAMENT_H

#include "arena/arena.h"
#include "league/plan.h"
#include "league/progress.h"
#include "league/report.h"

enum { STORED_BOT_NAME_SIZE = 2 * STORE_NAME_SIZE, TOURNAMENT_MATCHES_MAX = 1000000 };

typedef struct StoredBot {
    uint64_t bot;
    uint64_t version;
    char name[STORED_BOT_NAME_SIZE]; /* "owner/bot" */
} StoredBot;

typedef enum LegState {
    LEG_PENDING, /* in the queue or running */
    LEG_PLAYED,
    LEG_FORFEITED,
    LEG_VOID,
} LegState;

typedef struct StoredSeat {
    uint64_t bot; /* 0: empty */
    uint32_t rank;
    PlayerStatus status;
    /* Read from the verdict by stored_tournament_figures; as in league/standings.h. */
    int64_t score;
    uint64_t refused;
    uint32_t timeouts;
    uint32_t graces;
    int64_t wall;
    int64_t wall_longest;
    int64_t cpu;
} StoredSeat;

/* A row of the store. */
typedef struct StoredLeg {
    uint32_t fixture;
    uint32_t leg;
    uint64_t match;
    uint64_t result;
    LegState state;
    uint32_t turns;
    uint32_t players;
    StoredSeat *seats;
} StoredLeg;

typedef struct StoredTournament {
    StoreTournament row;
    Plan plan;
    StoredBot *bots; /* by seed if `seeded`, otherwise in order of entry */
    uint32_t bot_count;
    bool seeded;
    StoredLeg *legs; /* by fixture and leg */
    uint32_t leg_count;
    Progress *progress; /* NULL until stored_tournament_schedule */
} StoredTournament;

/* Reads row, plan and bots. NULL on failure; *result says whether the tournament exists. */
StoredTournament *stored_tournament_read(Store *store, uint64_t id, StoreResult *result,
                                         Error *error);
void stored_tournament_free(StoredTournament *stored);

/* Fixes the seeding of a running tournament, once: first as the organiser ordered it, then by
   rating, then by time of entry. */
bool stored_tournament_seed(StoredTournament *stored, Store *store, Error *error);

/* Creates the schedule and its progress. False if the format does not fit these bots or needs too
   many matches. */
bool stored_tournament_schedule(StoredTournament *stored, Error *error);

/* Starts an open tournament. STORE_REJECTED if the format does not fit its bots, STORE_CONFLICT if
   it has started already. Notify the scheduler afterwards. */
StoreResult stored_tournament_start(Store *store, uint64_t id, Error *error);

/* Reads all legs. */
bool stored_tournament_recall(StoredTournament *stored, Store *store, Error *error);

/* Reads scores, timeouts and times from the verdicts of the legs, for standings. Call it after
   stored_tournament_recall. */
bool stored_tournament_figures(StoredTournament *stored, Store *store, Error *error);

/* The leg that this match plays. The caller frees the seats. */
StoredLeg stored_leg_of(const StoreMatch *match);

/* The same leg as a record for league/progress.h. */
RecordedLeg stored_leg_record(const StoredTournament *stored, const StoredLeg *leg,
                              const Fixture *fixture);

/* The standings from all legs that are over; advances the progress accordingly. Names are "@ID", or
   the current ones. NULL on failure. */
Standings *stored_tournament_standings(StoredTournament *stored, bool real_names, Error *error);

/* For report.h; valid as long as both arguments are. */
Report stored_tournament_report(const StoredTournament *stored, const Standings *standings);

/* Appends a JSON report with "@ID" replaced by the bots' current names. */
void stored_tournament_name(const StoredTournament *stored, Slice report, Buffer *to);

#endif
