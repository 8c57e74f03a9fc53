/* The routes of the arena, group by group; arena.c puts them into one table, and the OpenAPI
   document is made from that. A group is one file api_NAME.c. */
#ifndef ARENA_API_API_H
#define ARENA_API_API_H

#include "arena/store_problem.h"
#include "base/json_object.h"
#include "http/openapi.h"
#include "http/problem.h"

typedef struct ApiGroup {
    const Route *routes;
    uint32_t route_count;
    const Schema *schemas;
    uint32_t schema_count;
} ApiGroup;

extern const ApiGroup api_accounts; /* register, log in and out, password, sessions, tokens */
extern const ApiGroup api_admin;    /* accounts, roles, invitations, settings, the audit log */
extern const ApiGroup api_bots;     /* bots, versions, sources, logs; languages */
extern const ApiGroup api_matches; /* play now, matches, replays, live; games and maps; the queue */
extern const ApiGroup api_ladder;  /* leaderboards, history */
extern const ApiGroup api_tournaments; /* tournaments */
extern const ApiGroup api_join;        /* seats that are played from elsewhere */

/* Classes of limits, for Route.rate; arena.c has the numbers. */
enum {
    RATE_NONE,
    RATE_READ,     /* what is cheap */
    RATE_WRITE,    /* what changes something */
    RATE_LOGIN,    /* what tries a password */
    RATE_GUESS,    /* the same, counted for the account that is tried */
    RATE_REGISTER, /* what makes an account */
    RATE_UPLOAD,   /* what has to be unpacked and built */
    RATE_PLAY,     /* what has to be played */
    RATE_VISITOR,  /* the same, for people without an account: on top of RATE_PLAY */
    RATES
};

/* For Route.body_max: as much as the arena's options allow in an upload. arena.c puts the number
   in. */
#define BODY_UPLOAD SIZE_MAX

#define SCHEMA_ROLES "\"player\",\"organiser\",\"administrator\""

/* A page's parameters, for a Route. */
#define PAGE_PARAMETERS                                                                           \
 {"cursor", PARAMETER_TEXT, 0, 64, NULL, "where to go on, from the `next` of the page before"}, { \
  "limit", PARAMETER_NUMBER, 1, STORE_PAGE_MAX, NULL, "how many rows, 50 unless it is given"      \
 }

/* The page that was asked for; false, and a problem, for a cursor that is none. */
bool api_page(const Request *request, Response *response, StorePage *page);

/* An answer that is a page of a list: "items", to be written between the two, and "next", a cursor
   or null. */
void api_list_open(JsonOut *out);
void api_list_close(JsonOut *out, const StorePage *page);

/* The body as a JSON object, for reading with base/json_object.h; false, and a problem, if it is none.
   config_free it in either case. */
bool api_body(const Request *request, Response *response, JsonObject *config);

/* A problem for what json_object.h refused. */
Outcome api_body_problem(const Request *request, Response *response, const Error *error);

/* A time as RFC 3339 in UTC, or null for 0. */
void api_time(JsonOut *out, const char *key, int64_t milliseconds);

#endif
