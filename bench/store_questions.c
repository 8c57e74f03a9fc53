/* See store_questions.h. */
#include "store_questions.h"

#include <inttypes.h>
#include <stdio.h>

enum { PAGE = QUESTION_PAGE };

static StoreMatches matches_read;

#define MATCHES_QUESTION(name, ...)                                                                \
 static StoreResult name(Crowd *crowd, uint64_t bot, StorePage *page, Error *error) {              \
  (void)bot;                                                                                       \
  return store_matches_list(crowd->store, &(StoreMatchesWanted){__VA_ARGS__}, page, &matches_read, \
                            error);                                                                \
 }
MATCHES_QUESTION(all_matches, 0)
MATCHES_QUESTION(matches_of_game, .game = crowd_game_of(crowd, bot))
MATCHES_QUESTION(matches_of_kind, .game = crowd_game_of(crowd, bot), .of_kind = true,
                 .kind = MATCH_LADDER)
MATCHES_QUESTION(matches_of_bot, .bot = bot)
MATCHES_QUESTION(matches_of_requester, .requester = bot % CROWD_PEOPLE + 1)
MATCHES_QUESTION(matches_live, .in_state = true, .state = MATCH_PLAYING)
/* Queries that search many rows to find few or none. */
MATCHES_QUESTION(matches_none, .of_kind = true, .kind = MATCH_TOURNAMENT)
MATCHES_QUESTION(matches_of_bot_none, .bot = bot, .of_kind = true, .kind = MATCH_TOURNAMENT)
MATCHES_QUESTION(matches_of_two, .game = crowd_game_of(crowd, bot), .bot = bot,
                 .requester = bot % CROWD_PEOPLE + 1)

static StoreResult one_match(Crowd *crowd, uint64_t bot, StorePage *page, Error *error) {
    (void)page;
    return store_match_get(crowd->store, 1 + bot * 97 % crowd->matches, &matches_read, error);
}

static StoreResult results_of_ladder(Crowd *crowd, uint64_t bot, StorePage *page, Error *error) {
    return store_matches_results(crowd->store, crowd_game_of(crowd, bot), bot * 97 % crowd->matches,
                                 page->limit, &matches_read, error);
}

/* Rows of all lists: one buffer is large enough for a page of any of them. */
static union Rows {
    StoreAccount accounts[PAGE];
    StoreSession sessions[PAGE];
    StoreToken tokens[PAGE];
    StoreBot bots[PAGE];
    StoreVersion versions[PAGE];
    StoreRating ratings[PAGE];
    StoreRatingPoint points[PAGE];
    StoreTournament tournaments[PAGE];
    StoreAudit entries[PAGE];
} rows;

#define QUESTION(name, call)                                                          \
 static StoreResult name(Crowd *crowd, uint64_t bot, StorePage *page, Error *error) { \
  (void)bot;                                                                          \
  (void)page;                                                                         \
  return call;                                                                        \
 }
QUESTION(ladder,
         store_ratings_list(crowd->store, crowd_game_of(crowd, bot), page, rows.ratings, error))
QUESTION(rating, store_rating_get(crowd->store, bot, rows.ratings, error))
QUESTION(history, store_rating_history(crowd->store, bot, page, rows.points, error))
QUESTION(all_bots, store_bots_list(crowd->store, 0, NULL, page, rows.bots, error))
QUESTION(bots_of_game,
         store_bots_list(crowd->store, 0, crowd_game_of(crowd, bot), page, rows.bots, error))
QUESTION(bots_of_owner,
         store_bots_list(crowd->store, bot % CROWD_PEOPLE + 1, NULL, page, rows.bots, error))
QUESTION(bots_search,
         store_bots_search(crowd->store, 0, NULL, slice_of("zz"), page, rows.bots, error))
QUESTION(accounts_search,
         store_accounts_search(crowd->store, slice_of("zz"), true, page, rows.accounts, error))
QUESTION(versions, store_versions_list(crowd->store, bot, page, rows.versions, error))
QUESTION(accounts, store_accounts_list(crowd->store, page, rows.accounts, error))
QUESTION(tournaments, store_tournaments_list(crowd->store, crowd_game_of(crowd, bot), page,
                                             rows.tournaments, error))
QUESTION(tokens, store_tokens_list(crowd->store, bot % CROWD_PEOPLE + 1, page, rows.tokens, error))
QUESTION(sessions,
         store_sessions_list(crowd->store, bot % CROWD_PEOPLE + 1, page, rows.sessions, error))
QUESTION(audit, store_audit_list(crowd->store, 0, page, rows.entries, error))

static StoreResult session(Crowd *crowd, uint64_t bot, StorePage *page, Error *error) {
    (void)page;
    char secret[32];
    snprintf(secret, sizeof secret, "person-%" PRIu64, bot % CROWD_PEOPLE + 1);
    return store_session_find(crowd->store, slice_of(secret), NULL, rows.accounts, error);
}

static StoreResult queue_size(Crowd *crowd, uint64_t bot, StorePage *page, Error *error) {
    (void)bot;
    (void)page;
    StoreQueueSize size;
    return store_queue_size(crowd->store, &size, error);
}

const StoreQuestion store_questions[] = {
    {"all matches", all_matches},
    {"a game's", matches_of_game},
    {"a ladder's", matches_of_kind},
    {"a bot's", matches_of_bot},
    {"a person's", matches_of_requester},
    {"live matches", matches_live},
    {"of a kind, none", matches_none},
    {"a bot's, none", matches_of_bot_none},
    {"by three things", matches_of_two},
    {"one match", one_match},
    {"results", results_of_ladder},
    {"ladder", ladder},
    {"rating", rating},
    {"history", history},
    {"all bots", all_bots},
    {"bots of a game", bots_of_game},
    {"bots of one", bots_of_owner},
    {"search, bots", bots_search},
    {"search, people", accounts_search},
    {"versions", versions},
    {"accounts", accounts},
    {"tournaments", tournaments},
    {"tokens", tokens},
    {"sessions", sessions},
    {"audit", audit},
    {"session", session},
    {"queue", queue_size},
};
const size_t store_question_count = sizeof store_questions / sizeof *store_questions;

void store_questions_free(void) {
    store_matches_free(&matches_read);
}
