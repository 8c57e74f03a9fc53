/* Matches as the API shows them, and who may see what of them. */
#ifndef ARENA_API_MATCH_JSON_H
#define ARENA_API_MATCH_JSON_H

#include "arena/api/api.h"

/* The words for StoreMatchKind and StoreMatchState, NULL behind the last; and the same as the
   choices of a Parameter. */
extern const char *const match_kind_names[];
extern const char *const match_state_names[];
#define MATCH_KINDS "play_now tournament ladder"
#define MATCH_STATES "waiting playing over given_up called_off"

/* The members that rows of lists have too, of an object that the caller has opened. */
void match_json_row(JsonOut *out, const StoreMatch *match);

/* What comes behind "match 7 has no replay", of one that has none. */
const char *match_lacks_replay(const StoreMatch *match);

/* The whole answer for one match: the row, its place in the queue and its verdict. `key` may be
   NULL. */
StoreResult match_json(const Arena *arena, const StoreMatch *match, const char *key, Buffer *to,
                       Error *error);

/* What lets a visitor read what their own code wrote: it is told to whoever asked for the match,
   and is worth nothing after a restart. */
enum { MATCH_KEY_SIZE = 33 };
void match_key(uint64_t match, char key[MATCH_KEY_SIZE]);

/* Whether the request may read the standard error of a player: everybody may if the match is open,
   else its owner, organisers, and for code that is no bot's whoever asked for the match. */
bool match_may_read_errors(const Request *request, const StoreMatch *match, uint32_t seat);

/* The handler of POST /api/v1/matches (play_now.c). */
Outcome play_now(Request *request, Response *response);

#endif
