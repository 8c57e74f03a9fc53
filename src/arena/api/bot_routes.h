/* Shared by bot_routes.c, which also has the table of routes, version_routes.c and
   check_routes.c. */
#ifndef ARENA_API_BOT_ROUTES_H
#define ARENA_API_BOT_ROUTES_H

#include "arena/api/routes.h"

/* The names of StoreBuild. */
#define BUILD_STATES(name, between) name("waiting") between name("good") between name("failed")

/* The names of StoreCheckState. */
#define CHECK_STATES(name, between)                                                \
 name("none") between name("waiting") between name("running") between name("done") \
     between name("failed")

/* The schema of what versions_write_check writes. */
#define CHECK_REQUIRED "\"state\",\"errors\",\"warnings\""
#define CHECK_MEMBERS \
 "\"state\":" ENUM_SCHEMA(CHECK_STATES) ",\"errors\":" COUNT_SCHEMA ",\"warnings\":" COUNT_SCHEMA

/* Finds a bot by what people type: owner/name. */
StoreResult bots_find(const Request *request, Slice text, StoreBot *bot, Error *error);

/* Finds the bot {owner}/{bot} of the path. Answers with a problem and returns false if there is
   none. */
bool bots_of_path(const Request *request, Response *response, StoreBot *bot);

/* Whether the request may change the bot: its owner may, and an administrator if this is
   `moderation`. Otherwise answers with a problem. */
bool bots_may_change(const Request *request, Response *response, const StoreBot *bot,
                     bool moderation);

/* Whether the request may read the bot's sources and logs. */
bool bots_may_read(const Request *request, const StoreBot *bot);

/* Writes an object; `key` as in json_open. */
void versions_write(JsonOut *out, const char *key, const StoreVersion *version, const StoreBot *bot,
                    bool may_read);

/* Writes the members of a check that its summary and its report share. */
void versions_write_check(JsonOut *out, const StoreVersion *version);

/* Finds the version of the path and its bot, for sources, logs and checks. Callers who may not read
   them get 404. */
bool versions_find_readable(const Request *request, Response *response, StoreVersion *version,
                            StoreBot *bot);

/* Records an action on a bot in the audit log. */
void bots_audit(const Request *request, const char *action, const StoreBot *bot,
                const char *detail);

Outcome handle_versions_list(Request *request, Response *response);
bool permit_version_add(Request *request, Response *response);
Outcome handle_version_add(Request *request, Response *response);
Outcome handle_version_get(Request *request, Response *response);
Outcome handle_version_log(Request *request, Response *response);
Outcome handle_version_diagnostics(Request *request, Response *response);
Outcome handle_version_source(Request *request, Response *response);
Outcome handle_version_delete(Request *request, Response *response);
Outcome handle_version_activate(Request *request, Response *response);

#endif
