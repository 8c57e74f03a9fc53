/* Plays whole tournaments for the tests of schedules: makes up a result for each fixture, in any
   order, and records everything. */
#ifndef TESTS_LEAGUE_SCHEDULE_PLAY_H
#define TESTS_LEAGUE_SCHEDULE_PLAY_H

#include "base/hash.h"
#include "base/random.h"
#include "league/schedule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

enum { IN_PLAY = 5, MATCHES = 2 };

/* Fills in the ranks of one match of a fixture. Depends on its arguments only. */
typedef void Judge(const Fixture *fixture, uint32_t match, uint32_t *ranks);

typedef struct Tournament {
    Schedule *schedule;
    Fixture *fixtures; /* in the order in which they were finished */
    uint32_t count;
    uint32_t capacity;
} Tournament;

static inline void favourites_win(const Fixture *fixture, uint32_t match, uint32_t *ranks) {
    (void)match;
    for (uint32_t i = 0; i < fixture->players; i++) {
        ranks[i] = 1;
        for (uint32_t j = 0; j < fixture->players; j++)
            ranks[i] += fixture->bots[j] < fixture->bots[i];
    }
}

static inline void favourites_lose(const Fixture *fixture, uint32_t match, uint32_t *ranks) {
    (void)match;
    for (uint32_t i = 0; i < fixture->players; i++) {
        ranks[i] = 1;
        for (uint32_t j = 0; j < fixture->players; j++)
            ranks[i] += fixture->bots[j] > fixture->bots[i];
    }
}

static inline void all_draw(const Fixture *fixture, uint32_t match, uint32_t *ranks) {
    (void)match;
    for (uint32_t i = 0; i < fixture->players; i++)
        ranks[i] = 1;
}

/* The seed of random results; printed, so that a failure can be reproduced. */
static uint64_t judge_seed;

static inline int choose_seed(void **unused) {
    (void)unused;
    const char *given = getenv("SCHEDULE_TEST_SEED");
    judge_seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
    printf("seed %llu (SCHEDULE_TEST_SEED)\n", (unsigned long long)judge_seed);
    return 0;
}

/* A random ranking with ties; depends only on the fixture's number and bots. */
static inline void random_result(const Fixture *fixture, uint32_t match, uint32_t *ranks) {
    uint64_t seed = hash64_chain(hash64_chain(judge_seed, fixture->number), match);
    for (uint32_t i = 0; i < fixture->players; i++)
        seed = hash64_chain(seed, fixture->bots[i]);
    Random random = random_seeded(seed);
    uint32_t merits[GAME_PLAYERS_MAX];
    for (uint32_t i = 0; i < fixture->players; i++)
        merits[i] = random_below(&random, 4);
    for (uint32_t i = 0; i < fixture->players; i++) {
        ranks[i] = 1;
        for (uint32_t j = 0; j < fixture->players; j++)
            ranks[i] += merits[j] > merits[i];
    }
}

static inline void add_result(Schedule *schedule, const Fixture *fixture, Judge *judge) {
    uint32_t ranks[MATCHES * GAME_PLAYERS_MAX];
    for (uint32_t m = 0; m < MATCHES; m++)
        judge(fixture, m, ranks + (size_t)m * fixture->players);
    schedule_result(schedule, fixture, MATCHES, ranks);
}

static inline void write_down(Tournament *tournament, const Fixture *fixture) {
    if (tournament->count == tournament->capacity) {
        tournament->capacity = 2 * tournament->capacity + 64;
        tournament->fixtures =
            realloc(tournament->fixtures, tournament->capacity * sizeof *tournament->fixtures);
        assert_non_null(tournament->fixtures);
    }
    tournament->fixtures[tournament->count++] = *fixture;
}

static inline Schedule *make(const ScheduleOptions *options) {
    Error error = {0};
    Schedule *schedule = schedule_new(options, &error);
    if (!schedule)
        fail_msg("%s", error.text);
    return schedule;
}

/* Plays until no fixture is left, with a few open at any time and ending in random order. With
   `order_seed` 0 they end in the order in which they began. */
static inline void play_on(Tournament *tournament, Judge *judge, uint64_t order_seed) {
    Fixture playing[IN_PLAY];
    uint32_t count = 0;
    Random random = random_seeded(order_seed);
    for (;;) {
        while (count < IN_PLAY && schedule_next(tournament->schedule, &playing[count]))
            count++;
        if (count == 0)
            break;
        assert_false(schedule_finished(tournament->schedule));
        uint32_t ended = order_seed ? random_below(&random, count) : 0;
        Fixture fixture = playing[ended];
        memmove(playing + ended, playing + ended + 1, (--count - ended) * sizeof *playing);
        write_down(tournament, &fixture);
        add_result(tournament->schedule, &fixture, judge);
        if (order_seed)
            add_result(tournament->schedule, &fixture, favourites_lose); /* ignored */
    }
    assert_true(schedule_finished(tournament->schedule));
}

static inline Tournament play(const ScheduleOptions *options, Judge *judge, uint64_t order_seed) {
    Tournament tournament = {.schedule = make(options)};
    play_on(&tournament, judge, order_seed);
    return tournament;
}

static inline void tournament_free(Tournament *tournament) {
    schedule_free(tournament->schedule);
    free(tournament->fixtures);
    *tournament = (Tournament){0};
}

static inline int compare_numbers(const void *a, const void *b) {
    uint32_t left = ((const Fixture *)a)->number;
    uint32_t right = ((const Fixture *)b)->number;
    return left < right ? -1 : left > right;
}

static inline void sort_by_number(Tournament *tournament) {
    if (tournament->count)
        qsort(tournament->fixtures, tournament->count, sizeof *tournament->fixtures,
              compare_numbers);
}

/* The result of the first bot of a two-player fixture: 1 won, 0 drawn, -1 lost. */
static inline int outcome(const Fixture *fixture, Judge *judge) {
    int difference = 0;
    for (uint32_t m = 0; m < MATCHES; m++) {
        uint32_t ranks[GAME_PLAYERS_MAX];
        judge(fixture, m, ranks);
        difference += (ranks[0] < ranks[1]) - (ranks[0] > ranks[1]);
    }
    return (difference > 0) - (difference < 0);
}

/* All nodes of a round as text: "0v12 ..", a bye as "0", the winner marked with a star. */
static inline const char *drawn(const Schedule *schedule, BracketSide side, uint32_t round) {
    static char text[512];
    size_t length = 0;
    text[0] = '\0';
    for (uint32_t n = 0; n < schedule_bracket(schedule); n++) {
        const BracketNode *node = schedule_bracket_node(schedule, n);
        if (node->side != side || node->round != round)
            continue;
        const char *between = length ? " " : "";
        for (uint32_t i = 0; i < node->players; i++)
            if (node->bots[i] != BRACKET_NOBODY) {
                length += (size_t)snprintf(text + length, sizeof text - length, "%s%u%s", between,
                                           node->bots[i], node->winner == node->bots[i] ? "*" : "");
                between = "v";
            }
    }
    return text;
}

#endif
