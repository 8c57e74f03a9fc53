/* Matches as JSON, and who may read their standard error. */
#ifndef ARENA_API_MATCH_JSON_H
#define ARENA_API_MATCH_JSON_H

#include "arena/api/routes.h"

/* The names of StoreMatchKind and StoreMatchState. */
extern const char *const match_kind_names[];
extern const char *const match_state_names[];

/* Writes the name of a state; null for ANALYSIS_NONE. */
void analysis_state_json(JsonOut *out, const char *key, StoreAnalysisState state);

#define ANALYSIS_STATE_SCHEMA "{\"enum\":[" ANALYSIS_STATES(NAME_QUOTED, ",") ",null]}"

/* Writes the members that rows of lists also have, into an object that the caller opened. */
void match_json_row(JsonOut *out, const StoreMatch *match);

/* Answers with the problem that the match has no replay, and why. */
Outcome match_no_replay(const Request *request, Response *response, unsigned status,
                        const StoreMatch *match);

/* The same as an error; returns false. */
bool match_no_replay_error(const StoreMatch *match, Error *error);

/* What the caller can do with a match. */
typedef struct MatchRights {
    bool cancel;
    bool analyse; /* unless it is already being analysed */
} MatchRights;

/* Writes one match: the row, its place in the queue, its verdict, the state of its analysis, and
   what the caller can do. `key` may be NULL. */
StoreResult match_json(const Arena *arena, const StoreMatch *match, MatchRights rights,
                       const char *key, Buffer *to, Error *error);

/* The key with which a visitor can read the standard error of their code and cancel the match. It
   is in the response to the request for the match, and expires when the arena restarts, unless
   the store is in PostgreSQL: then all arenas accept it. */
enum { MATCH_KEY_SIZE = 33 };
void match_key(const Arena *arena, uint64_t match, char key[MATCH_KEY_SIZE]);

/* Whether the request has the key of this match. */
bool match_has_key(const Request *request, uint64_t match);

/* Whether the request may read the standard error of a player: anyone if the match is open, else
   the owner of the bot (for drafts, the person who requested the match) and organisers. */
bool match_may_read_errors(const Request *request, const StoreMatch *match, uint32_t seat);

#endif
