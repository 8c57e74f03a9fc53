/* A tournament as the store knows it: its plan, its entrants by their seeding, the legs that are in
   the queue or over, and the schedule that all this leads to. Everything here is a function of the
   store, so that it comes out the same whenever and however often it is read.

   How a leg counts:
     played                         as the verdict says
     called off, a bot withdrawn    who was withdrawn (retired while the tournament ran) is behind
                                    all others, who are level
     given up, or called off        nobody is ahead; the schedule takes it for a draw, and the
                                    standings leave it out
   A leg for which a bot was not there any more when its turn came is put into the queue with an
   empty seat and called off at once: the row is what remembers it.

   Bots are numbered by their seeding, from 0. The plan's list of bots has their ids only ("bot 17"
   while the order is a wish, "version 42 of bot 17" once the tournament has begun): names are what
   they are today, and those of deleted accounts are gone. */
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
    LEG_PENDING, /* waits or is played */
    LEG_PLAYED,
    LEG_FORFEITED,
    LEG_VOID,
} LegState;

typedef struct StoredSeat {
    uint64_t bot; /* 0: empty */
    uint32_t rank;
    PlayerStatus status;
    /* What stored_tournament_figures reads from the verdict: as in league/standings.h. */
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
    StoredBot *bots; /* by seeding, once it is fixed; else the entrants as they came */
    uint32_t bot_count;
    bool seeded;
    StoredLeg *legs; /* by fixture and leg */
    uint32_t leg_count;
    Progress *progress; /* NULL until stored_tournament_schedule */
} StoredTournament;

/* Reads row, plan and entrants. NULL if there is no such tournament (*result says) or it cannot be
   read. */
StoredTournament *stored_tournament_read(Store *store, uint64_t id, StoreResult *result,
                                         Error *error);
void stored_tournament_free(StoredTournament *stored);

/* Fixes the seeding of a tournament that is running, once: as the organiser gave it, the others
   behind by rating, who has none by the time of entry. */
bool stored_tournament_seed(StoredTournament *stored, Store *store, Error *error);

/* Puts the bots into the order in which they would be seeded now. */
bool stored_tournament_order(StoredTournament *stored, Store *store, Error *error);

/* Makes the schedule and its progress, unless the format cannot be played with these bots, or would take too many
   matches. */
bool stored_tournament_schedule(StoredTournament *stored, Error *error);

/* Reads all legs. */
bool stored_tournament_recall(StoredTournament *stored, Store *store, Error *error);

/* Reads what the bots used and did, from the verdicts of the legs that were played: for standings,
   after stored_tournament_recall. */
bool stored_tournament_figures(StoredTournament *stored, Store *store, Error *error);

const StoredLeg *stored_tournament_leg(const StoredTournament *stored, uint32_t fixture,
                                       uint32_t leg);

/* Makes a leg of a match that was read. The seats are the caller's to free. */
StoredLeg stored_leg_of(const StoreMatch *match);

/* The same leg as a record for league/progress.h. */
RecordedLeg stored_leg_record(const StoredTournament *stored, const StoredLeg *leg,
                              const Fixture *fixture);

/* The standings from all legs that are over, settled, with the schedule brought to where they lead.
   Names are "@ID" or as they are today. NULL if they cannot be computed. */
Standings *stored_tournament_standings(StoredTournament *stored, bool real_names, Error *error);

/* For report.h; good while both are. */
Report stored_tournament_report(const StoredTournament *stored, const Standings *standings);

/* Appends a report in JSON with the names that the bots have today in place of "@ID". */
void stored_tournament_name(const StoredTournament *stored, Slice report, Buffer *to);

#endif
