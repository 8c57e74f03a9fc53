/* The store of a busy arena, 1,000 bots and 100,000 matches: microseconds of every list that a page shows, from the front and from places all over it, and how many
   jobs a second can be leased and finished. A few of all with --quick. */
#include "base/clock.h"
#include "base/random.h"
#include "bench.h"
#include "store/store.h"

#include <ftw.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { ACCOUNTS = 200, PAGE = 50, POINTS = 100, TOURNAMENTS = 200, SAMPLES = 2000, WAITING = 5000 };

typedef struct Arena {
    Store *store;
    uint32_t bots;
    uint32_t matches;
    Random random;
} Arena;

static void must(StoreResult result, const Error *error) {
    if (result != STORE_OK) {
        fprintf(stderr, "the store: %s\n", error->text);
        exit(1);
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *place) {
    (void)status;
    (void)type;
    (void)place;
    return remove(path);
}

static const char *const games[] = {"aliens", "ctf", "footsoldiers", "planetwars", "underworld"};

static const char *game_of(uint64_t bot) {
    return games[bot % 5];
}

/* ---- filling ---- */

static void add_people(Arena *arena) {
    Error error;
    char name[32];
    for (uint32_t i = 1; i <= ACCOUNTS; i++) {
        snprintf(name, sizeof name, "person-%" PRIu32, i);
        must(store_account_add(arena->store, &(StoreNewAccount){.name = name, .password = "x"},
                               NULL, &error),
             &error);
        must(store_session_add(arena->store, i, slice_of(name), "::1", INT64_MAX, NULL, &error),
             &error);
        must(store_token_add(arena->store, i, "laptop", slice_of(name), 0, NULL, &error), &error);
        must(store_audit_add(arena->store, &(StoreAudit){.actor = i, .action = "account.add"},
                             &error),
             &error);
    }
    for (uint32_t i = 0; i < TOURNAMENTS; i++)
        must(store_tournament_add(arena->store,
                                  &(StoreNewTournament){.organiser = 1,
                                                        .name = "Cup",
                                                        .game = game_of(i),
                                                        .format = "swiss",
                                                        .plan = "{}"},
                                  NULL, &error),
             &error);
}

static void add_bots(Arena *arena) {
    Error error;
    StoreFile source;
    must(store_file_put(arena->store, slice_of("the source"), &source, &error), &error);
    for (uint32_t i = 1; i <= arena->bots; i++) {
        char name[32];
        snprintf(name, sizeof name, "bot-%" PRIu32, i);
        must(store_bot_add(arena->store, i % ACCOUNTS + 1, game_of(i), name, NULL, &error), &error);
        StoreNewVersion version = {
            .bot = i, .language = "c", .file_name = "bot.c", .source = source, .spec = "{}"};
        must(store_version_add(arena->store, &version, NULL, &error), &error);
        StoreJob job;
        uint32_t count = 1;
        must(store_queue_lease(arena->store, JOB_BUILD, "bench", 1000000, &job, &count, &error),
             &error);
        StoreBuildResult good = {.good = true, .activate = true, .log = slice_of("built")};
        must(store_queue_finish_build(arena->store, job.id, job.attempt, &good, &error), &error);
    }
    StoreRating *ratings = calloc(arena->bots, sizeof *ratings);
    if (!ratings)
        abort();
    for (uint32_t point = 0; point < POINTS; point++)
        for (uint32_t game = 0; game < 5; game++) {
            uint32_t count = 0;
            for (uint32_t bot = 1; bot <= arena->bots; bot++)
                if (bot % 5 == game)
                    ratings[count++] = (StoreRating){
                        .bot = bot,
                        .version = bot,
                        .rating = 1000 + (double)random_below(&arena->random, 1000000) / 1000};
            must(store_ratings_set(arena->store, games[game], ratings, count, true, &error),
                 &error);
        }
    free(ratings);
}

/* Asks for matches between bots of one game, a batch at a time. */
static void ask_for(Arena *arena, uint32_t count) {
    Error error;
    StoreNewSeat seats[200][2];
    StoreNewMatch matches[200];
    uint64_t ids[200];
    for (uint32_t done = 0; done < count;) {
        uint32_t batch = count - done < 200 ? count - done : 200;
        for (uint32_t i = 0; i < batch; i++) {
            uint64_t one = 1 + random_below(&arena->random, arena->bots);
            uint64_t other =
                1 + (one + 5 * random_below(&arena->random, arena->bots / 5) - 1) % arena->bots;
            seats[i][0] = (StoreNewSeat){.bot = one, .version = one};
            seats[i][1] = (StoreNewSeat){.bot = other, .version = other};
            matches[i] = (StoreNewMatch){.kind = MATCH_LADDER,
                                         .game = game_of(one),
                                         .map = "plain",
                                         .seed = random_next(&arena->random),
                                         .requester = one % ACCOUNTS + 1,
                                         .spec = "{}",
                                         .players = 2,
                                         .seats = seats[i]};
        }
        must(store_queue_matches(arena->store, matches, batch, ids, &error), &error);
        done += batch;
    }
}

/* Leases and finishes up to `count` matches; how many. */
static uint32_t play(Arena *arena, uint32_t count) {
    static const char verdict[] =
        "{\"turns\":120,\"reason\":\"all enemies gone\",\"players\":[{\"rank\":1,\"score\":7},"
        "{\"rank\":2,\"score\":3}]}";
    Error error;
    StoreSeatResult seats[2] = {{.rank = 1, .scored = true, .score = 7, .status = "alive"},
                                {.rank = 2, .scored = true, .score = 3, .status = "dead"}};
    StoreMatchResult result = {.turns = 120,
                               .reason = "all enemies gone",
                               .verdict = slice_of(verdict),
                               .players = 2,
                               .seats = seats};
    uint32_t done = 0;
    while (done < count) {
        StoreJob jobs[10];
        uint32_t leased = count - done < 10 ? count - done : 10;
        must(store_queue_lease(arena->store, JOB_MATCH, "bench", 1000000, jobs, &leased, &error),
             &error);
        if (!leased)
            break;
        for (uint32_t i = 0; i < leased; i++)
            must(store_queue_finish_match(arena->store, jobs[i].id, jobs[i].attempt, &result,
                                          &error),
                 &error);
        done += leased;
    }
    return done;
}

/* ---- the questions ---- */

typedef StoreResult Question(Arena *arena, uint64_t bot, StorePage *page, Error *error);

static StoreMatches matches_read;

#define MATCHES_QUESTION(name, ...)                                                                \
 static StoreResult name(Arena *arena, uint64_t bot, StorePage *page, Error *error) {              \
  (void)bot;                                                                                       \
  return store_matches_list(arena->store, &(StoreMatchesWanted){__VA_ARGS__}, page, &matches_read, \
                            error);                                                                \
 }
MATCHES_QUESTION(all_matches, 0)
MATCHES_QUESTION(matches_of_game, .game = game_of(bot))
MATCHES_QUESTION(matches_of_kind, .game = game_of(bot), .of_kind = true, .kind = MATCH_LADDER)
MATCHES_QUESTION(matches_of_bot, .bot = bot)
MATCHES_QUESTION(matches_of_requester, .requester = bot % ACCOUNTS + 1)
MATCHES_QUESTION(matches_live, .in_state = true, .state = MATCH_PLAYING)
/* Those that look through many to find few, or none. */
MATCHES_QUESTION(matches_none, .of_kind = true, .kind = MATCH_TOURNAMENT)
MATCHES_QUESTION(matches_of_bot_none, .bot = bot, .of_kind = true, .kind = MATCH_TOURNAMENT)
MATCHES_QUESTION(matches_of_two, .game = game_of(bot), .bot = bot, .requester = bot % ACCOUNTS + 1)

static StoreResult one_match(Arena *arena, uint64_t bot, StorePage *page, Error *error) {
    (void)page;
    return store_match_get(arena->store, 1 + bot * 97 % arena->matches, &matches_read, error);
}

static StoreResult results_of_ladder(Arena *arena, uint64_t bot, StorePage *page, Error *error) {
    return store_matches_results(arena->store, game_of(bot), bot * 97 % arena->matches, page->limit,
                                 &matches_read, error);
}

/* Lists whose rows are structs: one buffer is large enough for a page of any. */
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
 static StoreResult name(Arena *arena, uint64_t bot, StorePage *page, Error *error) { \
  (void)bot;                                                                          \
  (void)page;                                                                         \
  return call;                                                                        \
 }
QUESTION(ladder, store_ratings_list(arena->store, game_of(bot), page, rows.ratings, error))
QUESTION(rating, store_rating_get(arena->store, bot, rows.ratings, error))
QUESTION(history, store_rating_history(arena->store, bot, page, rows.points, error))
QUESTION(all_bots, store_bots_list(arena->store, 0, NULL, page, rows.bots, error))
QUESTION(bots_of_game, store_bots_list(arena->store, 0, game_of(bot), page, rows.bots, error))
QUESTION(bots_of_owner,
         store_bots_list(arena->store, bot % ACCOUNTS + 1, NULL, page, rows.bots, error))
QUESTION(bots_search,
         store_bots_search(arena->store, 0, NULL, slice_of("zz"), page, rows.bots, error))
QUESTION(accounts_search,
         store_accounts_search(arena->store, slice_of("zz"), true, page, rows.accounts, error))
QUESTION(versions, store_versions_list(arena->store, bot, page, rows.versions, error))
QUESTION(accounts, store_accounts_list(arena->store, page, rows.accounts, error))
QUESTION(tournaments,
         store_tournaments_list(arena->store, game_of(bot), page, rows.tournaments, error))
QUESTION(tokens, store_tokens_list(arena->store, bot % ACCOUNTS + 1, page, rows.tokens, error))
QUESTION(sessions,
         store_sessions_list(arena->store, bot % ACCOUNTS + 1, page, rows.sessions, error))
QUESTION(audit, store_audit_list(arena->store, 0, page, rows.entries, error))

static StoreResult session(Arena *arena, uint64_t bot, StorePage *page, Error *error) {
    (void)page;
    char secret[32];
    snprintf(secret, sizeof secret, "person-%" PRIu64, bot % ACCOUNTS + 1);
    return store_session_find(arena->store, slice_of(secret), NULL, rows.accounts, error);
}

static StoreResult queue_size(Arena *arena, uint64_t bot, StorePage *page, Error *error) {
    (void)bot;
    (void)page;
    StoreQueueSize size;
    return store_queue_size(arena->store, &size, error);
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

/* Of this thread's work alone, whatever else goes on in the machine. */
static int64_t cpu_now(void) {
    struct timespec time;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return (int64_t)time.tv_sec * 1000000000 + time.tv_nsec;
}

/* Times one question, each page going on where the last ended, of another bot each time a list is through. */
static void time_question(Arena *arena, size_t index, uint32_t samples, Report *report) {
    static double taken[SAMPLES];
    static double worked[SAMPLES];
    StorePage page = {.limit = PAGE};
    uint64_t bot = 1;
    for (uint32_t i = 0; i < samples; i++) {
        Error error;
        if (!page.from.id)
            bot = 1 + random_below(&arena->random, arena->bots);
        int64_t cpu_began = cpu_now();
        int64_t began = clock_now();
        must(questions[index].ask(arena, bot, &page, &error), &error);
        taken[i] = (double)(clock_now() - began) / 1000;
        worked[i] = (double)(cpu_now() - cpu_began) / 1000;
        page.from = i % 200 == 199 ? (StoreCursor){0} : page.next;
    }
    Stats stats = stats_of(taken, samples);
    stats_of(worked, samples); /* sorts them */
    char note[64];
    snprintf(note, sizeof note, "p99 %.0f; of the CPU's time %.0f",
             stats_share(taken, samples, 0.99), stats_share(worked, samples, 0.99));
    report_figure(report, "store", questions[index].name, "us", stats, note);
}

/* Jobs a second, leased ten at a time and finished one by one. */
static void time_queue(Arena *arena, const char *name, uint32_t samples, uint32_t batch,
                       Report *report) {
    double rates[64];
    for (uint32_t i = 0; i < samples; i++) {
        ask_for(arena, batch);
        int64_t began = clock_now();
        uint32_t done = play(arena, batch);
        rates[i] = (double)done * 1e9 / (double)(clock_now() - began);
    }
    report_figure(report, "store", name, "jobs/s", stats_of(rates, samples), NULL);
}

static void open_arena(Arena *arena, const char *directory, bool relaxed) {
    Error error;
    arena->store = store_open(&(StoreOptions){.directory = directory, .relaxed = relaxed}, &error);
    must(arena->store ? STORE_OK : STORE_FAILED, &error);
}

void bench_store(const BenchOptions *options, Report *report) {
    const char *place = getenv("TMPDIR");
    char directory[512];
    snprintf(directory, sizeof directory, "%s/skirmish-bench-XXXXXX", place ? place : "/tmp");
    if (!mkdtemp(directory)) {
        perror(directory);
        exit(1);
    }
    Arena arena = {.bots = options->quick ? 50 : 1000,
                   .matches = options->quick ? 500 : 100000,
                   .random = random_seeded(1)};
    open_arena(&arena, directory, true);
    add_people(&arena);
    add_bots(&arena);
    ask_for(&arena, arena.matches);
    play(&arena, arena.matches);
    ask_for(&arena, options->quick ? 50 : WAITING);
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        time_question(&arena, i, options->quick ? 20 : SAMPLES, report);
    play(&arena, WAITING);
    time_queue(&arena, "queue, relaxed", options->quick ? 1 : 11, options->quick ? 50 : 2000,
               report);
    store_close(arena.store, NULL);
    open_arena(&arena, directory, false);
    time_queue(&arena, "queue, synced", options->quick ? 1 : 11, options->quick ? 20 : 500, report);
    store_close(arena.store, NULL);
    store_matches_free(&matches_read);
    nftw(directory, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}
