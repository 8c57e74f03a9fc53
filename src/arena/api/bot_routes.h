/* What the two files of the group "bots" share: bot_routes.c has the bots, the languages and the
   table of routes, version_routes.c the versions. */
#ifndef ARENA_API_BOT_ROUTES_H
#define ARENA_API_BOT_ROUTES_H

#include "arena/api/api.h"

/* The bot that the path names by {owner} and {bot}; false, and a problem, if there is none. */
bool bots_of_path(const Request *request, Response *response, StoreBot *bot);

/* Whether the request may change the bot; else a problem. Its owner may; what keeps the arena clean
   (`cleaning`) an administrator may as well. */
bool bots_may_change(const Request *request, Response *response, const StoreBot *bot,
                     bool cleaning);

/* Whether the sources and logs of the bot are the asker's to read. */
bool bots_may_read(const Request *request, const StoreBot *bot);

/* As an object; `key` as in json_open. */
void versions_write(JsonOut *out, const char *key, const StoreVersion *version, const StoreBot *bot,
                    bool may_read);

/* Writes down what was done to a bot. */
void bots_audit(const Request *request, const char *action, const StoreBot *bot,
                const char *detail);

Outcome handle_versions_list(Request *request, Response *response);
Outcome handle_version_add(Request *request, Response *response);
Outcome handle_version_get(Request *request, Response *response);
Outcome handle_version_log(Request *request, Response *response);
Outcome handle_version_diagnostics(Request *request, Response *response);
Outcome handle_version_source(Request *request, Response *response);
Outcome handle_version_activate(Request *request, Response *response);

#endif
