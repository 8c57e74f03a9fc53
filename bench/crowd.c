/* See crowd.h. */
#include "crowd.h"

#include "base/memory.h"
#include "games/game.h"
#include "sql/database.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

enum { POINTS = 100, TOURNAMENTS = 200 };

void crowd_must(StoreResult result, const Error *error) {
    if (result != STORE_OK) {
        fprintf(stderr, "the store: %s\n", error->text);
        exit(1);
    }
}

const char *crowd_game_of(const Crowd *crowd, uint64_t bot) {
    return games_all[bot % crowd->games]->name;
}

void crowd_open(Crowd *crowd, const char *directory, bool relaxed) {
    Error error;
    crowd->store = store_open(
        &(StoreOptions){.directory = directory, .database = crowd->database, .relaxed = relaxed},
        &error);
    crowd_must(crowd->store ? STORE_OK : STORE_FAILED, &error);
}

void crowd_add_people(Crowd *crowd) {
    Error error;
    char name[32];
    for (uint32_t i = 1; i <= CROWD_PEOPLE; i++) {
        snprintf(name, sizeof name, "person-%" PRIu32, i);
        StoreNewAccount account = {
            .name = name,
            .password = "x",
            .role = i <= CROWD_ADMINISTRATORS ? ROLE_ADMINISTRATOR : ROLE_PLAYER,
        };
        crowd_must(store_account_add(crowd->store, &account, NULL, &error), &error);
        crowd_must(
            store_session_add(crowd->store, i, slice_of(name), "::1", INT64_MAX, NULL, &error),
            &error);
        StoreToken token = {.account = i, .name = "laptop", .scopes = STORE_SCOPES_ALL};
        crowd_must(store_token_add(crowd->store, &token, slice_of(name), NULL, &error), &error);
        crowd_must(store_audit_add(crowd->store, &(StoreAudit){.actor = i, .action = "account.add"},
                                   &error),
                   &error);
    }
    for (uint32_t i = 0; i < TOURNAMENTS; i++)
        crowd_must(store_tournament_add(crowd->store,
                                        &(StoreNewTournament){.organiser = 1,
                                                              .name = "Cup",
                                                              .game = crowd_game_of(crowd, i),
                                                              .format = "swiss",
                                                              .plan = "{}"},
                                        NULL, &error),
                   &error);
}

void crowd_add_bots(Crowd *crowd) {
    Error error;
    StoreFile source;
    crowd_must(store_file_put(crowd->store, slice_of("the source"), &source, &error), &error);
    for (uint32_t i = 1; i <= crowd->bots; i++) {
        char name[32];
        snprintf(name, sizeof name, "bot-%" PRIu32, i);
        crowd_must(store_bot_add(crowd->store, i % CROWD_PEOPLE + 1, crowd_game_of(crowd, i), name,
                                 NULL, &error),
                   &error);
        StoreNewVersion version = {
            .bot = i, .language = "c", .file_name = "bot.c", .source = source, .spec = "{}"};
        crowd_must(store_version_add(crowd->store, &version, NULL, &error), &error);
        StoreJob job;
        uint32_t count = 1;
        crowd_must(
            store_queue_lease(crowd->store, JOB_BUILD, "bench", 1000000, &job, &count, &error),
            &error);
        StoreBuildResult good = {.good = true, .activate = true, .log = slice_of("built")};
        crowd_must(store_queue_finish_build(crowd->store, job.id, job.attempt, &good, &error),
                   &error);
    }
    StoreRating *ratings = xcalloc(crowd->bots, sizeof *ratings);
    for (uint32_t point = 0; point < POINTS; point++)
        for (uint32_t game = 0; game < crowd->games; game++) {
            uint32_t count = 0;
            for (uint32_t bot = 1; bot <= crowd->bots; bot++)
                if (bot % crowd->games == game)
                    ratings[count++] = (StoreRating){
                        .bot = bot,
                        .version = bot,
                        .rating = 1000 + (double)random_below(&crowd->random, 1000000) / 1000};
            crowd_must(store_ratings_set(crowd->store, games_all[game]->name, ratings, count, true,
                                         &error),
                       &error);
        }
    free(ratings);
}

void crowd_ask(Crowd *crowd, uint32_t count) {
    Error error;
    StoreNewSeat seats[200][2];
    StoreNewMatch matches[200];
    uint64_t ids[200];
    for (uint32_t done = 0; done < count;) {
        uint32_t batch = count - done < 200 ? count - done : 200;
        for (uint32_t i = 0; i < batch; i++) {
            uint32_t away =
                crowd->games * (uint32_t)random_below(&crowd->random, crowd->bots / crowd->games);
            uint64_t one = 1 + random_below(&crowd->random, crowd->bots);
            uint64_t other = 1 + (one + away - 1) % crowd->bots;
            seats[i][0] = (StoreNewSeat){.bot = one, .version = one};
            seats[i][1] = (StoreNewSeat){.bot = other, .version = other};
            matches[i] = (StoreNewMatch){.kind = MATCH_LADDER,
                                         .game = crowd_game_of(crowd, one),
                                         .map = "plain",
                                         .seed = random_next(&crowd->random),
                                         .requester = one % CROWD_PEOPLE + 1,
                                         .spec = "{}",
                                         .players = 2,
                                         .seats = seats[i]};
        }
        crowd_must(store_queue_matches(crowd->store, matches, batch, ids, &error), &error);
        done += batch;
    }
}

static const StoreSeatResult seat_results[2] = {
    {.rank = 1, .scored = true, .score = 7, .status = "alive"},
    {.rank = 2, .scored = true, .score = 3, .status = "dead"}};

static const char verdict[] =
    "{\"turns\":120,\"reason\":\"all enemies gone\",\"players\":[{\"rank\":1,\"score\":7},"
    "{\"rank\":2,\"score\":3}]}";

const StoreMatchResult crowd_result = {.turns = 120,
                                       .reason = "all enemies gone",
                                       .verdict = {verdict, sizeof verdict - 1},
                                       .players = 2,
                                       .seats = seat_results};

/* The bots of match `m`: ?1 is the number of bots, ?2 the number of games. */
#define ONE "(1 + m.id * 7919 % ?1)"
#define OTHER "(1 + (m.id * 7919 + ?2 * (1 + m.id % (?1 / ?2 - 1))) % ?1)"

static void run(Database *database, const char *sql, const Value *values, size_t count) {
    Error error;
    crowd_must(database_run(database, sql, values, count, &error) ? STORE_OK : STORE_FAILED,
               &error);
}

void crowd_fill(Crowd *crowd, const char *directory, uint32_t count, bool finished) {
    Error error;
    char path[600];
    snprintf(path, sizeof path, "%s/arena.db", directory);
    Database *database =
        database_open(crowd->database ? crowd->database : path, DATABASE_WRITER, true, &error);
    crowd_must(database ? STORE_OK : STORE_FAILED, &error);
    const Value bots[] = {as_number(crowd->bots), as_number(crowd->games)};
    if (!database_begin(database, ACCESS_WRITE))
        crowd_must(STORE_FAILED, &(Error){.text = "cannot begin"});
    run(database,
        "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ?1) "
        "INSERT INTO matches (kind, state, open, game, map, seed, requester, fixture, leg, "
        "created, started, ended, turns, reason, replay, result) SELECT 2, ?2, 0, '', 'plain', i, "
        "1 + i % ?3, 0, 0, i, 0, 0, 120, '', '', CASE WHEN ?2 = 2 THEN i END FROM n",
        VALUES(as_number(count), as_number(finished ? 2 : 0), as_number(CROWD_PEOPLE)));
    run(database,
        "UPDATE matches AS m SET game = (SELECT game FROM bots WHERE id = " ONE ") "
        "WHERE m.game = ''",
        bots, 1);
    run(database,
        "INSERT INTO match_texts (match, spec, verdict) SELECT id, '{}', ?1 FROM matches m "
        "WHERE NOT EXISTS (SELECT 1 FROM match_texts t WHERE t.match = m.id)",
        VALUES(as_text(finished ? verdict : "")));
    run(database,
        "INSERT INTO seats (match, seat, bot, version, label, source, place, score, status, "
        "failure, owner) SELECT m.id, n.i, b.id, b.id, '', '', ?3 * (n.i + 1), 7, '', '', b.owner "
        "FROM matches m JOIN (SELECT 0 AS i UNION ALL SELECT 1) AS n ON true "
        "JOIN bots b ON b.id = CASE n.i WHEN 0 THEN " ONE " ELSE " OTHER " END "
        "WHERE NOT EXISTS (SELECT 1 FROM seats t WHERE t.match = m.id)",
        VALUES(bots[0], bots[1], as_number(finished)));
    if (finished)
        run(database,
            "UPDATE results SET last = ?1 /*postgres + 0 * setval('result_numbers', ?1)*/",
            VALUES(as_number(count)));
    else
        run(database,
            "INSERT INTO jobs (kind, urgency, match, attempt, losses, expires, holder, trouble, "
            "requester) SELECT 2, 5, id, 0, 0, 0, '', '', 'ladder' FROM matches m WHERE state = 0 "
            "AND NOT EXISTS (SELECT 1 FROM jobs j WHERE j.match = m.id)",
            NULL, 0);
    run(database, "COMMIT", NULL, 0);
    run(database, crowd->database ? "VACUUM ANALYZE" : "ANALYZE", NULL, 0);
    database_close(database);
}

uint32_t crowd_play(Crowd *crowd, uint32_t count) {
    Error error;
    uint32_t done = 0;
    while (done < count) {
        StoreJob jobs[10];
        uint32_t leased = count - done < 10 ? count - done : 10;
        crowd_must(
            store_queue_lease(crowd->store, JOB_MATCH, "bench", 1000000, jobs, &leased, &error),
            &error);
        if (!leased)
            break;
        for (uint32_t i = 0; i < leased; i++)
            crowd_must(store_queue_finish_match(crowd->store, jobs[i].id, jobs[i].attempt,
                                                &crowd_result, &error),
                       &error);
        done += leased;
    }
    return done;
}
