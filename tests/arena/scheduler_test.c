/* Tournaments in the arena, with a store and no runners: instead of the engine, the test takes
   waiting matches from the queue and decides them by strength. The result of a leg depends only on
   its number and its bots, so a tournament must have the same outcome however often it is
   interrupted. */
#include "arena/tournaments/scheduler.h"

#include "base/hash.h"
#include "league/plan.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

enum { BOTS_MAX = 200 };

static uint32_t many_bots = BOTS_MAX; /* the first argument */

/* A store with bots, the strongest first, and the simulated player. */
typedef struct World {
    Arena arena;
    char directory[64];
    uint64_t organiser;
    const Game *game;
    uint64_t bots[BOTS_MAX];
    uint32_t bot_count;
    TournamentScheduler *scheduler;
    uint32_t played;
    uint32_t waiting_most;
    bool noisy;        /* the stronger one does not always win */
    uint64_t unplayed; /* a bot whose matches the arena cannot play; 0: none */
} World;

#define GOOD(call)                        \
 do {                                     \
  if ((call) != STORE_OK)                 \
   fail_msg("%s: %s", #call, error.text); \
 } while (0)

/* ---- the world ---- */

static void add_bots(World *world, uint32_t count) {
    Error error;
    StoreFile source;
    GOOD(store_file_put(world->arena.store, slice_of("print()"), &source, &error));
    for (uint32_t i = 0; i < count; i++) {
        char name[16];
        uint64_t version;
        snprintf(name, sizeof name, "bot-%u", i);
        GOOD(store_bot_add(world->arena.store, world->organiser, world->game->name, name,
                           &world->bots[i], &error));
        StoreNewVersion new = {world->bots[i], "python", "bot.py", source, 7, "{}", 0, NULL};
        GOOD(store_version_add(world->arena.store, &new, &version, &error));
    }
    world->bot_count = count;
    for (uint32_t left = count; left > 0;) {
        StoreJob jobs[QUEUE_LEASE_MAX];
        uint32_t leased = QUEUE_LEASE_MAX;
        GOOD(
            store_queue_lease(world->arena.store, JOB_BUILD, "test", 60000, jobs, &leased, &error));
        for (uint32_t i = 0; i < leased; i++) {
            StoreBuildResult built = {.good = true, .activate = true};
            GOOD(store_queue_finish_build(world->arena.store, jobs[i].id, jobs[i].attempt, &built,
                                          &error));
        }
        left -= leased;
    }
}

static void open_world(World *world, const char *game, uint32_t bots) {
    Error error;
    *world = (World){.game = game_find(slice_of(game), NULL)};
    /* In memory if possible: the store syncs what it writes. */
    snprintf(world->directory, sizeof world->directory, "%s/skirmish-scheduler-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(world->directory));
    StoreOptions options = {.directory = world->directory, .relaxed = true};
    world->arena.store = store_open(&options, &error);
    assert_non_null(world->arena.store);
    world->arena.live = live_new(&(LiveOptions){.viewers_max = 1, .viewers_per_address = 1});
    StoreNewAccount account = {.name = "olga", .password = "x", .role = ROLE_ORGANISER};
    GOOD(store_account_add(world->arena.store, &account, &world->organiser, &error));
    add_bots(world, bots);
    world->scheduler = tournament_scheduler_new(&world->arena, &error);
    assert_non_null(world->scheduler);
}

static void close_world(World *world) {
    char command[100];
    tournament_scheduler_free(world->scheduler);
    live_close(world->arena.live);
    live_free(world->arena.live);
    assert_true(store_close(world->arena.store, NULL));
    snprintf(command, sizeof command, "rm -r %s", world->directory);
    assert_int_equal(system(command), 0); // NOLINT(cert-env33-c): a directory of our own
}

static void restart(World *world) {
    Error error;
    tournament_scheduler_free(world->scheduler);
    world->scheduler = tournament_scheduler_new(&world->arena, &error);
    assert_non_null(world->scheduler);
}

/* ---- tournaments ---- */

static uint64_t add_tournament(World *world, Plan *plan, uint32_t bots) {
    Error error;
    uint64_t id;
    Buffer text = {0};
    plan->game = world->game;
    assert_true(plan_settle(plan, &error));
    plan_write(plan, &text);
    StoreNewTournament new = {.organiser = world->organiser,
                              .name = "Cup",
                              .game = world->game->name,
                              .format = format_name(plan->format),
                              .plan = buffer_string(&text)};
    GOOD(store_tournament_add(world->arena.store, &new, &id, &error));
    for (uint32_t i = 0; i < bots; i++)
        GOOD(store_tournament_enter(world->arena.store, id, world->bots[i], &error));
    buffer_free(&text);
    plan_free(plan);
    return id;
}

static void start(World *world, uint64_t id) {
    Error error;
    GOOD(store_tournament_move(world->arena.store, id, TOURNAMENT_RUNNING, &error));
    tournament_scheduler_notify(world->scheduler);
    tournament_scheduler_tick(world->scheduler);
}

static StoreTournamentState state_of(const World *world, uint64_t id) {
    Error error;
    StoreTournament row;
    GOOD(store_tournament_get(world->arena.store, id, &row, &error));
    return row.state;
}

/* ---- playing ---- */

static int64_t number_of(const World *world, uint64_t bot) {
    int64_t own = 0;
    while (world->bots[own] != bot)
        own++;
    return own;
}

static int64_t strength(const World *world, const StoreMatch *match, uint64_t bot) {
    int64_t own = number_of(world, bot);
    uint64_t luck = hash64_chain(hash64_chain(match->fixture, match->leg), bot);
    return world->noisy ? -own + (int64_t)(luck % (world->bot_count + 1)) : -own;
}

/* A verdict like the referee's, with figures that differ by bot. */
static void write_verdict(const World *world, const StoreMatch *match, Buffer *to) {
    buffer_text(to, "{\"players\":[");
    for (uint32_t i = 0; i < match->players; i++) {
        int own = (int)number_of(world, match->seats[i].bot);
        buffer_format(to,
                      "%s{\"refused\":%d,\"timeouts\":%d,\"graces\":%d,\"wall_total_ms\":%d.5,"
                      "\"wall_longest_ms\":%d,\"cpu_total_ms\":%d}",
                      i ? "," : "", own * 3, own * 2, own, own * 10, own * 4, own * 5);
    }
    buffer_text(to, "]}");
}

static void finish(World *world, const StoreJob *job, const StoreMatch *match) {
    Error error;
    int64_t merit[GAME_PLAYERS_MAX];
    uint32_t ranks[GAME_PLAYERS_MAX];
    StoreSeatResult seats[GAME_PLAYERS_MAX];
    for (uint32_t i = 0; i < match->players; i++)
        merit[i] = strength(world, match, match->seats[i].bot);
    game_rank_by(match->players, merit, ranks);
    for (uint32_t i = 0; i < match->players; i++)
        seats[i] = (StoreSeatResult){.rank = ranks[i], .status = "ok"};
    Buffer verdict = {0};
    write_verdict(world, match, &verdict);
    StoreMatchResult result = {.turns = 10,
                               .reason = "score",
                               .verdict = {verdict.data, verdict.length},
                               .players = match->players};
    result.seats = seats;
    GOOD(store_queue_finish_match(world->arena.store, job->id, job->attempt, &result, &error));
    buffer_free(&verdict);
}

/* Takes one match from the queue and plays it; 0 if there is none, else the tournament. */
static uint64_t play_one(World *world) {
    Error error;
    StoreJob job;
    uint32_t count = 1;
    StoreMatches found = {0};
    StoreQueueSize size;
    GOOD(store_queue_size(world->arena.store, &size, &error));
    if (size.matches[MATCH_TOURNAMENT] > world->waiting_most)
        world->waiting_most = size.matches[MATCH_TOURNAMENT];
    GOOD(store_queue_lease(world->arena.store, JOB_MATCH, "test", 60000, &job, &count, &error));
    if (!count)
        return 0;
    GOOD(store_match_get(world->arena.store, job.subject, &found, &error));
    uint64_t tournament = found.rows[0].tournament;
    bool over = true;
    bool fails = false;
    for (uint32_t i = 0; i < found.rows[0].players; i++)
        fails |= found.rows[0].seats[i].bot == world->unplayed;
    if (fails)
        GOOD(
            store_queue_fail(world->arena.store, job.id, job.attempt, "no luck", 0, &over, &error));
    else
        finish(world, &job, &found.rows[0]);
    store_matches_free(&found);
    world->played++;
    if (over)
        tournament_scheduler_match_over(world->scheduler, tournament, job.subject);
    return tournament;
}

/* Plays until the tournament is over; restarts the scheduler after every `restart_after` matches
   (0: never). */
static void play_all(World *world, uint64_t id, uint32_t restart_after) {
    while (state_of(world, id) == TOURNAMENT_RUNNING) {
        if (play_one(world)) {
            if (restart_after && world->played % restart_after == 0)
                restart(world);
            continue;
        }
        /* What remains is a sweep, or the last table, which a thread computes. How long that takes
           depends on the machine; if it never ends, the test times out. */
        tournament_scheduler_tick(world->scheduler);
        usleep(1000);
    }
}

/* ---- checks ---- */

/* Writes a match as a line. */
typedef struct Line {
    uint32_t fixture;
    uint32_t leg;
    char *text;
} Line;

static int by_number(const void *a, const void *b) {
    const Line *first = a;
    const Line *second = b;
    if (first->fixture != second->fixture)
        return first->fixture > second->fixture ? 1 : -1;
    return (first->leg > second->leg) - (first->leg < second->leg);
}

static Line line_of(const StoreMatch *match) {
    Buffer text = {0};
    buffer_format(&text, "%u.%u state %d %s %llu:", match->fixture, match->leg, match->state,
                  match->map, (unsigned long long)match->seed);
    for (uint32_t k = 0; k < match->players; k++)
        buffer_format(&text, " %s %u", match->seats[k].name, match->seats[k].rank);
    buffer_text(&text, "\n");
    buffer_string(&text);
    return (Line){match->fixture, match->leg, text.data};
}

/* All matches by number, and the standings without their history, which depends on the order of
   play. */
static char *dump(const World *world, uint64_t id, uint32_t *count) {
    Error error;
    StoreMatches page_rows = {0};
    StorePage page = {.limit = STORE_PAGE_MAX};
    StoreMatchesWanted wanted = {.tournament = id};
    Line *all = NULL;
    Buffer to = {0};
    *count = 0;
    do {
        GOOD(store_matches_list(world->arena.store, &wanted, &page, &page_rows, &error));
        all = realloc(all, (*count + page.count + 1) * sizeof *all);
        assert_non_null(all);
        for (uint32_t i = 0; i < page.count; i++)
            all[(*count)++] = line_of(&page_rows.rows[i]);
        page.from = page.next;
    } while (page.next.id);
    qsort(all, *count, sizeof *all, by_number);
    for (uint32_t i = 0; i < *count; i++) {
        buffer_text(&to, all[i].text);
        free(all[i].text);
    }
    free(all);
    store_matches_free(&page_rows);
    Buffer standings = {0};
    GOOD(store_tournament_standings(world->arena.store, id, &standings, &error));
    char *history = strstr(buffer_string(&standings), "\"history\"");
    if (history)
        *history = '\0';
    buffer_text(&to, standings.data);
    buffer_free(&standings);
    buffer_string(&to);
    return to.data;
}

/* Whether the standings contain this text. */
static bool says(const World *world, uint64_t id, const char *text) {
    Error error;
    Buffer standings = {0};
    GOOD(store_tournament_standings(world->arena.store, id, &standings, &error));
    bool found = strstr(buffer_string(&standings), text) != NULL;
    buffer_free(&standings);
    return found;
}

static void assert_place(const World *world, uint64_t id, uint32_t bot, uint32_t place) {
    char text[80];
    snprintf(text, sizeof text, "\"name\":\"@%llu\",\"place\":%u,",
             (unsigned long long)world->bots[bot], place);
    if (!says(world, id, text))
        fail_msg("bot %u is not at place %u", bot, place);
}

static void standings_agree_with_the_matches(void **state) {
    (void)state;
    World world;
    Plan plan = {.format = FORMAT_ROUND_ROBIN, .seed = 3};
    open_world(&world, "aliens", 3);
    uint64_t id = add_tournament(&world, &plan, 3);
    start(&world, id);
    play_all(&world, id, 0);
    /* Two opponents, in both seats: four matches each. */
    assert_true(says(&world, id,
                     "\"turns\":40,\"wall_ms\":42.000000,\"wall_longest_ms\":4.000000,\"cpu_ms\":"
                     "20.000000,\"timeouts\":8,\"graces\":4,\"crashes\":0,\"refused\":12"));
    assert_true(says(&world, id,
                     "\"turns\":40,\"wall_ms\":82.000000,\"wall_longest_ms\":8.000000,\"cpu_ms\":"
                     "40.000000,\"timeouts\":16,\"graces\":8,\"crashes\":0,\"refused\":24"));
    close_world(&world);
}

static void a_live_stream_is_removed_some_time_after_its_tournament(void **state) {
    (void)state;
    World world;
    Plan plan = {.format = FORMAT_ROUND_ROBIN, .seed = 3};
    open_world(&world, "aliens", 2);
    world.arena.options.topic_kept_ms = 1;
    uint64_t topics = live_counts(world.arena.live).topics;
    uint64_t id = add_tournament(&world, &plan, 2);
    start(&world, id);
    play_all(&world, id, 0);
    struct timespec between_looks = {0, 1000000};
    while (live_counts(world.arena.live).topics != topics) /* else the test times out */
        nanosleep(&between_looks, NULL);
    assert_true(live_counts(world.arena.live).published > 0);
    close_world(&world);
}

/* ---- the formats ---- */

typedef struct Case {
    const char *game;
    uint32_t bots;
    Plan plan;
    uint32_t matches; /* if the stronger bot always wins */
} Case;

static const Case cases[] = {
    /* 12 fixtures with a loser, in both seat orders */
    {"aliens", 13, {.format = FORMAT_KNOCKOUT, .seed = 1}, 24},
    /* all bots except the winner lose twice */
    {"aliens", 13, {.format = FORMAT_DOUBLE, .seed = 2}, 48},
    /* four rounds of four pairs and a bye */
    {"aliens", 9, {.format = FORMAT_SWISS, .rounds = 4, .seed = 3}, 32},
    /* fifteen sets of four, in four rotations */
    {"underworld", 6, {.format = FORMAT_ROUND_ROBIN, .players = 4, .seed = 4}, 60},
    /* two challengers against five, two games each way */
    {"aliens", 7, {.format = FORMAT_GAUNTLET, .challengers = 2, .games = 2, .seed = 5}, 40},
    /* five rounds of at least eight fixtures */
    {"aliens", 6, {.format = FORMAT_LADDER, .rounds = 5, .seed = 6}, 80},
};
enum { CASES = sizeof cases / sizeof *cases };

/* Plays a tournament in a world with at least this many bots. */
static char *run_case(World *world, const Case *one, uint32_t restart_after, uint32_t *count) {
    Plan plan = one->plan;
    uint64_t before = live_counts(world->arena.live).published;
    uint64_t id = add_tournament(world, &plan, one->bots);
    start(world, id);
    play_all(world, id, restart_after);
    assert_int_equal(state_of(world, id), TOURNAMENT_OVER);
    assert_true(says(world, id, "\"finished\":true"));
    bool bracket = one->plan.format == FORMAT_KNOCKOUT || one->plan.format == FORMAT_DOUBLE;
    assert_true(says(world, id, "\"bracket\":[") == bracket);
    if (!world->noisy)
        assert_place(world, id, 0, 1);
    char *text = dump(world, id, count);
    assert_true(live_counts(world->arena.live).published > before + *count);
    return text;
}

static void the_strongest_bot_wins_every_format(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < CASES; i++) {
        World world;
        uint32_t count;
        open_world(&world, cases[i].game, cases[i].bots);
        free(run_case(&world, &cases[i], 0, &count));
        if (count != cases[i].matches)
            fail_msg("%s took %u matches, not %u", format_name(cases[i].plan.format), count,
                     cases[i].matches);
        close_world(&world);
    }
}

static void restarts_do_not_change_the_outcome_of_a_tournament(void **unused) {
    (void)unused;
    for (uint32_t i = 0; i < CASES; i++) {
        World world;
        uint32_t count;
        open_world(&world, cases[i].game, cases[i].bots);
        world.noisy = true;
        char *plain = run_case(&world, &cases[i], 0, &count);
        static const uint32_t points[] = {1, 3, 7};
        for (uint32_t k = 0; k < sizeof points / sizeof *points; k++) {
            uint32_t again;
            char *broken = run_case(&world, &cases[i], points[k], &again);
            assert_string_equal(plain, broken);
            free(broken);
        }
        free(plain);
        close_world(&world);
    }
}

/* ---- failures ---- */

static void failed_matches_are_draws_that_the_table_ignores(void **unused) {
    (void)unused;
    World world;
    uint32_t count;
    Plan plan = {.format = FORMAT_ROUND_ROBIN, .seed = 7};
    open_world(&world, "aliens", 4);
    world.unplayed = world.bots[1];
    uint64_t id = add_tournament(&world, &plan, 4);
    start(&world, id);
    play_all(&world, id, 5);
    char *text = dump(&world, id, &count);
    assert_int_equal(count, 12);
    assert_non_null(strstr(text, "\"matches\":6,\"bots\"")); /* three bots, in both seats */
    assert_non_null(strstr(text, "state 3"));
    free(text);
    close_world(&world);
}

static void a_knockout_with_a_failed_match_has_a_winner(void **unused) {
    (void)unused;
    World world;
    Plan plan = {.format = FORMAT_KNOCKOUT, .seed = 8};
    open_world(&world, "aliens", 5);
    world.unplayed = world.bots[0];
    uint64_t id = add_tournament(&world, &plan, 5);
    start(&world, id);
    play_all(&world, id, 2);
    assert_place(&world, id, 0, 1); /* by its seeding, after three play-offs each time */
    close_world(&world);
}

/* The second bot's results against the third. */
static void read_pair(const World *world, uint64_t id, unsigned *wins, unsigned *losses) {
    Error error;
    unsigned draws;
    Buffer standings = {0};
    GOOD(store_tournament_standings(world->arena.store, id, &standings, &error));
    const char *pair = strstr(buffer_string(&standings), "\"a\":1,\"b\":2,");
    assert_non_null(pair);
    assert_int_equal(sscanf(pair, "\"a\":1,\"b\":2,\"wins\":%u,\"draws\":%u,\"losses\":%u", wins,
                            &draws, losses),
                     3);
    assert_int_equal(draws, 0);
    buffer_free(&standings);
}

/* The number of lines of a dump that contain all three texts. */
static uint32_t lines_with(const char *text, const char *a, const char *b, const char *c) {
    Slice rest = slice_of(text);
    Slice line;
    uint32_t count = 0;
    while (slice_line(&rest, &line))
        count += memmem(line.at, line.length, a, strlen(a)) &&
                 memmem(line.at, line.length, b, strlen(b)) &&
                 memmem(line.at, line.length, c, strlen(c));
    return count;
}

/* Retires a bot, plays this many matches, and makes the scheduler notice. */
static void retire_and_play(World *world, uint32_t bot, uint32_t matches) {
    Error error;
    GOOD(store_bot_retire(world->arena.store, world->bots[bot], &error));
    restart(world);
    for (uint32_t i = 0; i < matches; i++)
        assert_true(play_one(world));
    tournament_scheduler_notify(world->scheduler); /* instead of waiting for a sweep */
    tournament_scheduler_tick(world->scheduler);
}

static void a_retired_bot_forfeits_its_remaining_matches(void **unused) {
    (void)unused;
    World world;
    uint32_t count;
    unsigned wins;
    unsigned losses;
    Plan plan = {.format = FORMAT_ROUND_ROBIN, .rounds = 30, .seed = 9};
    open_world(&world, "aliens", 5);
    uint64_t id = add_tournament(&world, &plan, 5);
    start(&world, id);
    for (uint32_t i = 0; i < 40; i++)
        assert_true(play_one(&world));
    retire_and_play(&world, 1, 40);
    retire_and_play(&world, 2, 40);
    play_all(&world, id, 50);
    char *text = dump(&world, id, &count);
    assert_int_equal(count, 600); /* a row for each leg, played or not */
    assert_non_null(strstr(text, " withdrawn 0"));
    read_pair(&world, id, &wins, &losses);
    /* The bot forfeited its cancelled matches, and those after it retired until its opponent
       retired too. */
    uint32_t called_off = lines_with(text, " state 4", " bot-1 0", " bot-2 0");
    uint32_t empty = lines_with(text, " state 4", " withdrawn 0", " bot-2 0");
    assert_true(called_off > 0 && empty > 0);
    assert_int_equal(losses, called_off + empty);
    assert_true(wins > 0);           /* the matches that were played */
    assert_true(wins + losses < 60); /* nobody won after both retired */
    free(text);
    close_world(&world);
}

static void cancelling_a_tournament_empties_the_queue(void **unused) {
    (void)unused;
    World world;
    Error error;
    StoreQueueSize size;
    Plan plan = {.format = FORMAT_ROUND_ROBIN, .rounds = 20, .seed = 10};
    open_world(&world, "aliens", 8);
    uint64_t id = add_tournament(&world, &plan, 8);
    start(&world, id);
    for (uint32_t i = 0; i < 10; i++)
        play_one(&world);
    GOOD(store_tournament_move(world.arena.store, id, TOURNAMENT_CALLED_OFF, &error));
    tournament_scheduler_notify(world.scheduler);
    tournament_scheduler_tick(world.scheduler);
    assert_int_equal(play_one(&world), 0);
    GOOD(store_queue_size(world.arena.store, &size, &error));
    assert_int_equal(size.matches[MATCH_TOURNAMENT] + size.leased, 0);
    restart(&world);
    assert_int_equal(play_one(&world), 0);
    assert_int_equal(state_of(&world, id), TOURNAMENT_CALLED_OFF);
    close_world(&world);
}

static void a_tournament_without_enough_bots_at_the_start_is_cancelled(void **unused) {
    (void)unused;
    World world;
    Error error;
    Plan plan = {.format = FORMAT_KNOCKOUT, .seed = 11};
    open_world(&world, "aliens", 2);
    uint64_t id = add_tournament(&world, &plan, 2);
    GOOD(store_bot_retire(world.arena.store, world.bots[0], &error));
    start(&world, id);
    assert_int_equal(state_of(&world, id), TOURNAMENT_CALLED_OFF);
    close_world(&world);
}

/* The scheduler learns of the start only after the bot is retired. */
static void a_bot_that_is_retired_right_after_the_start_forfeits(void **unused) {
    (void)unused;
    World world;
    Error error;
    uint32_t count;
    Plan plan = {.format = FORMAT_ROUND_ROBIN, .rounds = 1, .seed = 12};
    open_world(&world, "aliens", 2);
    uint64_t id = add_tournament(&world, &plan, 2);
    GOOD(store_tournament_move(world.arena.store, id, TOURNAMENT_RUNNING, &error));
    GOOD(store_bot_retire(world.arena.store, world.bots[0], &error));
    tournament_scheduler_notify(world.scheduler);
    tournament_scheduler_tick(world.scheduler);
    play_all(&world, id, 0);
    assert_int_equal(state_of(&world, id), TOURNAMENT_OVER);
    char *text = dump(&world, id, &count);
    assert_int_equal(count, 2);
    assert_int_equal(lines_with(text, " state 4", " withdrawn 0", " bot-1 0"), 2);
    free(text);
    close_world(&world);
}

static void schedule(World *world, uint64_t id, int64_t after_ms) {
    Error error;
    Store *store = world->arena.store;
    GOOD(store_tournament_schedule(store, id, store_now(store) + after_ms, "", &error));
    tournament_scheduler_notify(world->scheduler);
    tournament_scheduler_tick(world->scheduler);
}

static void a_scheduled_tournament_starts_automatically_even_after_a_restart(void **state) {
    (void)state;
    World world;
    Error error;
    open_world(&world, "aliens", 3);
    uint64_t now = add_tournament(&world, &(Plan){.format = FORMAT_KNOCKOUT}, 2);
    uint64_t later = add_tournament(&world, &(Plan){.format = FORMAT_KNOCKOUT}, 2);
    schedule(&world, later, 3600000);
    assert_int_equal(state_of(&world, later), TOURNAMENT_OPEN);
    GOOD(store_tournament_schedule(world.arena.store, now, store_now(world.arena.store), "",
                                   &error));
    assert_int_equal(store_tournament_enter(world.arena.store, now, world.bots[2], &error),
                     STORE_CONFLICT);
    restart(&world);
    tournament_scheduler_tick(world.scheduler);
    assert_int_equal(state_of(&world, now), TOURNAMENT_RUNNING);
    assert_int_equal(state_of(&world, later), TOURNAMENT_OPEN);
    assert_int_equal(store_tournament_schedule(world.arena.store, now, 0, "", &error),
                     STORE_CONFLICT);
    close_world(&world);
}

static void a_scheduled_tournament_without_enough_bots_stays_open_and_says_why(void **state) {
    (void)state;
    World world;
    Error error;
    StoreTournament row;
    open_world(&world, "aliens", 2);
    uint64_t id = add_tournament(&world, &(Plan){.format = FORMAT_KNOCKOUT}, 1);
    schedule(&world, id, 0);
    GOOD(store_tournament_get(world.arena.store, id, &row, &error));
    assert_int_equal(row.state, TOURNAMENT_OPEN);
    assert_int_equal(row.starts, 0);
    assert_string_equal(row.start_problem, "a tournament needs at least two bots, not 1");
    GOOD(store_tournament_enter(world.arena.store, id, world.bots[1], &error));
    schedule(&world, id, 0);
    assert_int_equal(state_of(&world, id), TOURNAMENT_RUNNING);
    close_world(&world);
}

/* ---- seeding, several tournaments, many bots ---- */

/* In the first round of a knockout of four, the first seed meets the last. */
static void seeding_is_by_rating_unless_it_was_set(void **unused) {
    (void)unused;
    World world;
    Error error;
    uint32_t count;
    char bot_name[40];
    Plan plan = {.format = FORMAT_KNOCKOUT, .seed = 12};
    open_world(&world, "aliens", 4);
    StoreRating ratings[2] = {{.bot = world.bots[3], .rating = 200, .error = 9, .matches = 5},
                              {.bot = world.bots[1], .rating = 100, .error = 9, .matches = 5}};
    GOOD(store_ratings_set(world.arena.store, "aliens", ratings, 2, false, &error));
    uint64_t by_rating = add_tournament(&world, &plan, 4);
    start(&world, by_rating);
    char *text = dump(&world, by_rating, &count);
    /* 3 1 0 2: three meets two, one meets zero */
    assert_non_null(strstr(text, " bot-3 0 bot-2 0\n"));
    assert_non_null(strstr(text, " bot-2 0 bot-3 0\n")); /* with the seats swapped */
    assert_non_null(strstr(text, " bot-1 0 bot-0 0\n"));
    free(text);
    Plan given = {.format = FORMAT_KNOCKOUT, .seed = 12};
    snprintf(bot_name, sizeof bot_name, "bot %llu", (unsigned long long)world.bots[2]);
    plan_add_bot(&given, bot_name, bot_name);
    uint64_t as_given = add_tournament(&world, &given, 4);
    start(&world, as_given);
    text = dump(&world, as_given, &count); /* 2 3 1 0 */
    assert_non_null(strstr(text, " bot-2 0 bot-0 0\n"));
    assert_non_null(strstr(text, " bot-3 0 bot-1 0\n"));
    free(text);
    close_world(&world);
}

static void two_tournaments_run_at_once(void **unused) {
    (void)unused;
    World world;
    Plan swiss = {.format = FORMAT_SWISS, .seed = 13};
    Plan robin = {.format = FORMAT_ROUND_ROBIN, .seed = 14};
    open_world(&world, "aliens", 8);
    uint64_t first = add_tournament(&world, &swiss, 8);
    uint64_t second = add_tournament(&world, &robin, 6);
    start(&world, first);
    start(&world, second);
    play_all(&world, first, 11);
    play_all(&world, second, 11);
    assert_place(&world, first, 0, 1);
    assert_place(&world, second, 0, 1);
    close_world(&world);
}

static void many_bots_never_fill_the_queue(void **unused) {
    (void)unused;
    static const Plan plans[] = {{.format = FORMAT_KNOCKOUT, .seed = 15},
                                 {.format = FORMAT_SWISS, .seed = 16},
                                 {.format = FORMAT_GAUNTLET, .seed = 17}};
    World world;
    open_world(&world, "aliens", many_bots);
    for (uint32_t i = 0; i < sizeof plans / sizeof *plans; i++) {
        Plan plan = plans[i];
        uint64_t id = add_tournament(&world, &plan, many_bots);
        start(&world, id);
        play_all(&world, id, 0);
        assert_place(&world, id, 0, 1);
    }
    assert_in_range(world.waiting_most, many_bots, 256);
    close_world(&world);
}

int main(int count, char **words) {
    if (count > 1)
        many_bots = (uint32_t)strtoul(words[1], NULL, 10);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(standings_agree_with_the_matches),
        cmocka_unit_test(a_live_stream_is_removed_some_time_after_its_tournament),
        cmocka_unit_test(the_strongest_bot_wins_every_format),
        cmocka_unit_test(restarts_do_not_change_the_outcome_of_a_tournament),
        cmocka_unit_test(failed_matches_are_draws_that_the_table_ignores),
        cmocka_unit_test(a_knockout_with_a_failed_match_has_a_winner),
        cmocka_unit_test(a_retired_bot_forfeits_its_remaining_matches),
        cmocka_unit_test(cancelling_a_tournament_empties_the_queue),
        cmocka_unit_test(a_tournament_without_enough_bots_at_the_start_is_cancelled),
        cmocka_unit_test(a_bot_that_is_retired_right_after_the_start_forfeits),
        cmocka_unit_test(a_scheduled_tournament_starts_automatically_even_after_a_restart),
        cmocka_unit_test(a_scheduled_tournament_without_enough_bots_stays_open_and_says_why),
        cmocka_unit_test(seeding_is_by_rating_unless_it_was_set),
        cmocka_unit_test(two_tournaments_run_at_once),
        cmocka_unit_test(many_bots_never_fill_the_queue),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
