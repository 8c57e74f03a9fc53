/* Shared by the files with routes. Each group of routes is one file NAME_routes.c; api.c joins the
   groups into one table. Private to arena/api. */
#ifndef ARENA_API_ROUTES_H
#define ARENA_API_ROUTES_H

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

extern const ApiGroup api_accounts;    /* sign up, log in, password, profiles */
extern const ApiGroup api_sessions;    /* sessions, API tokens */
extern const ApiGroup api_admin;       /* accounts, roles, invitations, settings, the audit log */
extern const ApiGroup api_workers;     /* the processes that play */
extern const ApiGroup api_bots;        /* bots, versions, sources, logs; languages */
extern const ApiGroup api_games;       /* games, with their maps and options */
extern const ApiGroup api_matches;     /* matches, replays, the queue */
extern const ApiGroup api_analyses;    /* analyses of matches */
extern const ApiGroup api_ladder;      /* ladders, rating history */
extern const ApiGroup api_tournaments; /* tournaments */
extern const ApiGroup api_join;        /* seats played by remote bots and people */
extern const ApiGroup api_checks;      /* the checks of versions */
extern const ApiGroup api_records;     /* records against opponents, achievements */
extern const ApiGroup api_activity;    /* the live stream of changes */
extern const ApiGroup api_pages;       /* the web interface */

/* Rate limit classes, for Route.rate. The numbers are in api.c. */
enum {
    RATE_NONE,
    RATE_READ,     /* cheap requests */
    RATE_WRITE,    /* changes */
    RATE_LOGIN,    /* logins, per address */
    RATE_GUESS,    /* wrong passwords, per account and address */
    RATE_ACCOUNT,  /* wrong passwords, per account from all addresses that it does not know */
    RATE_CONFIRM,  /* wrong passwords of a logged-in person, per session */
    RATE_REGISTER, /* new accounts */
    RATE_UPLOAD,   /* uploads */
    RATE_PLAY,     /* requests for a match */
    RATE_VISITOR,  /* the same for visitors, on top of RATE_PLAY */
    RATES
};

/* For Route.body_max: the largest upload that the options of the arena allow. */
#define BODY_UPLOAD SIZE_MAX

/* The parameters of a list, for a Route. */
#define PAGE_PARAMETERS                                                                 \
 {"cursor", PARAMETER_TEXT, 0, 64, NULL, "the `next` of the previous page"}, {          \
  "limit", PARAMETER_NUMBER, 1, STORE_PAGE_MAX, NULL, "the number of rows (default 50)" \
 }

/* Parameters in paths, for a Route. */
#define OWNER_PARAMETER \
 { "owner", PARAMETER_TEXT, 0, 32, NULL, "the name of the owner's account" }
#define BOT_PARAMETER \
 { "bot", PARAMETER_TEXT, 0, 32, NULL, "the name of the bot" }
#define MATCH_PARAMETER \
 { "match", PARAMETER_NUMBER, 1, INT64_MAX, NULL, "the id of the match" }

/* Schemas that several groups refer to. */
#define FROM_REF REF_SCHEMA("From")
#define SEAT_REF REF_SCHEMA("Seat")
#define DIAGNOSTIC_REF REF_SCHEMA("Diagnostic")

/* Reads the parameters of a list. Answers with a problem and returns false if the cursor is
   invalid. */
bool api_page(const Request *request, Response *response, StorePage *page);

/* A page of a list: write the "items" between the two calls. "next" is a cursor or null. */
void api_list_open(JsonOut *out);
void api_list_close(JsonOut *out, const StorePage *page);

/* Parses the body as a JSON object. Answers with a problem and returns false if it is not one. Free
   it in either case. */
bool api_body(const Request *request, Response *response, JsonObject *config);

/* Answers with 422 for an error of json_object.h. */
Outcome api_body_problem(const Request *request, Response *response, const Error *error);

/* Deletes an account, everything that names it, and its files, and records this. Answers with 204,
   or with a problem and returns false. For request_defer or request_hash. */
bool api_delete_account(const Request *request, Response *response, uint64_t account);

/* Answers with 204. */
Outcome api_no_content(Response *response);

/* Writes a time as RFC 3339 in UTC, or null for 0. */
void api_time(JsonOut *out, const char *key, int64_t milliseconds);

#endif
