/* Shared by tournament_routes.c, which also has the table of routes, tournament_start.c,
   tournament_views.c and tournament_entries.c. */
#ifndef ARENA_API_TOURNAMENT_ROUTES_H
#define ARENA_API_TOURNAMENT_ROUTES_H

#include "arena/api/routes.h"
#include "arena/tournaments/tournaments.h"

/* The names of StoreTournamentState. */
#define TOURNAMENT_STATES(name, between) \
 name("open") between name("running") between name("over") between name("called-off")

/* The id in the path. */
uint64_t tournaments_id(const Request *request);

/* Answers with a problem for a tournament that could not be read. */
Outcome tournaments_problem(const Request *request, Response *response, StoreResult result,
                            const Error *error);

/* Answers with the tournament, or with a problem. */
void tournaments_answer(const Request *request, Response *response, uint64_t id);

/* Records an action on a tournament in the audit log, and notifies pages that show it. */
void tournaments_audit(const Request *request, const char *action, uint64_t id, const char *detail);

void tournaments_write_entrant(JsonOut *out, const StoreEntrant *entrant);

Outcome tournaments_handle_list(Request *request, Response *response);
Outcome tournaments_handle_get(Request *request, Response *response);
Outcome tournaments_handle_entrants(Request *request, Response *response);
Outcome tournaments_handle_standings(Request *request, Response *response);
Outcome tournaments_handle_csv(Request *request, Response *response);
Outcome tournaments_handle_html(Request *request, Response *response);
Outcome tournaments_handle_live(Request *request, Response *response);
Outcome tournaments_handle_schedule(Request *request, Response *response);
Outcome tournaments_handle_start(Request *request, Response *response);
Outcome tournaments_handle_call_off(Request *request, Response *response);
Outcome tournaments_handle_enter(Request *request, Response *response);
Outcome tournaments_handle_leave(Request *request, Response *response);

#endif
