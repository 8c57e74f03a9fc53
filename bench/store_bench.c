/* The store of a busy arena with 1,000 bots and 100,000 matches: microseconds for every list that a
   page shows, from the start and from positions throughout, and how many jobs per second can be
   leased and finished. Fewer of everything with --quick. */
#include "base/clock.h"
#include "bench.h"
#include "crowd.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { PAGE = 50, SAMPLES = 2000, WAITING = 5000 };

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

/* ---- the queries ---- */

typedef StoreResult Question(Crowd *crowd, uint64_t bot, StorePage *page, Error *error);

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

static const struct {
    const char *name;
    Question *ask;
} questions[] = {
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

/* CPU time of this thread, independent of other load. */
static int64_t cpu_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Measures one query. Each page continues where the previous one ended; when a list ends, another
   bot follows. */
static void time_question(Crowd *crowd, size_t index, uint32_t samples, Report *report) {
    static double taken[SAMPLES];
    static double worked[SAMPLES];
    StorePage page = {.limit = PAGE};
    uint64_t bot = 1;
    for (uint32_t i = 0; i < samples; i++) {
        Error error;
        if (!page.from.id)
            bot = 1 + random_below(&crowd->random, crowd->bots);
        int64_t cpu_began = cpu_now();
        int64_t began = clock_now();
        crowd_must(questions[index].ask(crowd, bot, &page, &error), &error);
        taken[i] = (double)(clock_now() - began) / 1000;
        worked[i] = (double)(cpu_now() - cpu_began) / 1000;
        page.from = i % 200 == 199 ? (StoreCursor){0} : page.next;
    }
    Stats stats = stats_of(taken, samples);
    stats_of(worked, samples); /* sorts the samples */
    char note[64];
    snprintf(note, sizeof note, "p99 %.0f; of the CPU's time %.0f",
             stats_share(taken, samples, 0.99), stats_share(worked, samples, 0.99));
    report_figure(report, "store", questions[index].name, "us", stats, note);
}

/* Jobs per second, leased ten at a time and finished one by one. */
static void time_queue(Crowd *crowd, const char *name, uint32_t samples, uint32_t batch,
                       Report *report) {
    double rates[64];
    for (uint32_t i = 0; i < samples; i++) {
        crowd_ask(crowd, batch);
        int64_t began = clock_now();
        uint32_t done = crowd_play(crowd, batch);
        rates[i] = (double)done * 1e9 / (double)(clock_now() - began);
    }
    report_figure(report, "store", name, "jobs/s", stats_of(rates, samples), NULL);
}

void bench_store(const BenchOptions *options, Report *report) {
    const char *place = getenv("TMPDIR");
    char directory[512];
    snprintf(directory, sizeof directory, "%s/skirmish-bench-XXXXXX", place ? place : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(1);
    }
    Crowd crowd = {.bots = options->quick ? 50 : 1000,
                   .games = 5,
                   .matches = options->quick ? 500 : 100000,
                   .random = random_seeded(1)};
    crowd_open(&crowd, directory, true);
    crowd_add_people(&crowd);
    crowd_add_bots(&crowd);
    crowd_ask(&crowd, crowd.matches);
    crowd_play(&crowd, crowd.matches);
    crowd_ask(&crowd, options->quick ? 50 : WAITING);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        time_question(&crowd, i, options->quick ? 20 : SAMPLES, report);
    crowd_play(&crowd, WAITING);
    time_queue(&crowd, "queue, relaxed", options->quick ? 1 : 11, options->quick ? 50 : 2000,
               report);
    store_close(crowd.store, NULL);
    crowd_open(&crowd, directory, false);
    time_queue(&crowd, "queue, synced", options->quick ? 1 : 11, options->quick ? 20 : 500, report);
    store_close(crowd.store, NULL);
    store_matches_free(&matches_read);
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
