/* See crowd.h. */
#include "crowd.h"

#include "base/memory.h"
#include "games/game.h"

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
    crowd->store = store_open(&(StoreOptions){.directory = directory, .relaxed = relaxed}, &error);
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

uint32_t crowd_play(Crowd *crowd, uint32_t count) {
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
        crowd_must(
            store_queue_lease(crowd->store, JOB_MATCH, "bench", 1000000, jobs, &leased, &error),
            &error);
        if (!leased)
            break;
        for (uint32_t i = 0; i < leased; i++)
            crowd_must(store_queue_finish_match(crowd->store, jobs[i].id, jobs[i].attempt, &result,
                                                &error),
                       &error);
        done += leased;
    }
    return done;
}
