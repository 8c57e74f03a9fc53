/* Helpers of bench/scale, which describes what they measure:

     scale-bench queue DIRECTORY SECONDS CLIENTS    lease ten matches at a time and finish them
     scale-bench workers DIRECTORY SECONDS WORKERS  each plays a match of 2 s after the other
     scale-bench short DIRECTORY SECONDS WORKERS    each plays a match of 5 ms after the other
     scale-bench pages DIRECTORY SAMPLES MATCHES    the queries of pages, and the same on SQLite

   The URI of an empty database is in TEST_POSTGRES. The helpers print "begin" before the
   measurement, then lines of figures, the last of which starts with "end". */
#include "base/clock.h"
#include "base/memory.h"
#include "sql/database.h"
#include "stats.h"
#include "store_questions.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum {
    BOTS = 1000,
    GAMES = 5,
    BATCH = 10,
    JOBS_PER_SECOND = 1000, /* for which the queue is filled, per client */
    HISTORY_PER_SECOND = 10000,
    MATCH_MS = 2000,
    SHORT_MATCH_MS = 5,
    PLACES = 2,    /* of a runner: one match being played, and the next one */
    WARM_UP_S = 4, /* at most, until every connection is open and has planned its statements */
    /* the queue is filled for at least as many, because a single client is faster than each of
       several */
    CLIENTS_LEAST = 8,
    STORES = 8, /* shared by the workers: each has its own connections, like a process */
    LEASE_MS = 60000,
};

static void sleep_ms(int64_t ms) {
    nanosleep(&(struct timespec){.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000}, NULL);
}

/* Queries the server for a number. */
static int64_t ask_server(const char *uri, const char *sql) {
    Error error;
    Database *database = database_open(uri, DATABASE_PLAIN, false, &error);
    crowd_must(database ? STORE_OK : STORE_FAILED, &error);
    int64_t number = database_query_number(database, sql);
    database_close(database);
    return number;
}

/* The bytes written to the server's log so far. */
static int64_t wal_bytes(void) {
    return ask_server(getenv("TEST_POSTGRES"),
                      "SELECT CAST(pg_current_wal_lsn() - '0/0' AS BIGINT)");
}

static void begin(void) {
    printf("begin\n");
    fflush(stdout);
}

/* ---- clients ---- */

typedef struct Client {
    Store *store;
    uint32_t number;
    int64_t begins; /* the clock_now at which counting starts */
    int64_t ends;   /* the clock_now after which the client starts nothing new */
    int64_t ended;
    double *taken; /* durations of leases in milliseconds */
    uint32_t leases;
    uint32_t room;
    uint32_t finished;
    uint32_t idle; /* leases without a job */
} Client;

static void note_lease(Client *client, double ms) {
    if (client->leases == client->room) {
        client->room = client->room ? 2 * client->room : 64;
        client->taken = xreallocarray(client->taken, client->room, sizeof *client->taken);
    }
    client->taken[client->leases++] = ms;
}

static uint32_t lease(Client *client, StoreJob *jobs, uint32_t count) {
    Error error;
    char holder[32];
    snprintf(holder, sizeof holder, "client-%" PRIu32, client->number);
    int64_t began = clock_now();
    crowd_must(store_queue_lease(client->store, JOB_MATCH, holder, LEASE_MS, jobs, &count, &error),
               &error);
    if (began >= client->begins) {
        note_lease(client, (double)(clock_now() - began) / 1e6);
        client->idle += !count;
    }
    return count;
}

static void finish(Client *client, const StoreJob *jobs, uint32_t count) {
    Error error;
    StoreFinish finishes[BATCH];
    for (uint32_t i = 0; i < count; i++)
        finishes[i] =
            (StoreFinish){.job = jobs[i].id, .attempt = jobs[i].attempt, .result = &crowd_result};
    crowd_must(store_queue_finish_matches(client->store, finishes, count, &error), &error);
    for (uint32_t i = 0; i < count; i++)
        crowd_must(finishes[i].how, &(Error){.text = "a result was refused"});
    if (clock_now() >= client->begins)
        client->finished += count;
}

static void *lease_and_finish(void *context) {
    Client *client = context;
    StoreJob jobs[BATCH];
    while (clock_now() < client->ends) {
        uint32_t count = lease(client, jobs, BATCH);
        if (!count)
            break;
        finish(client, jobs, count);
    }
    client->ended = clock_now();
    return NULL;
}

static void *work(void *context) {
    Client *client = context;
    StoreJob job;
    /* so that clients do not all start at the same moment */
    sleep_ms(client->number * 7 % MATCH_MS);
    while (clock_now() < client->ends) {
        if (!lease(client, &job, 1)) {
            sleep_ms(100);
            continue;
        }
        sleep_ms(MATCH_MS);
        finish(client, &job, 1);
    }
    client->ended = clock_now();
    return NULL;
}

/* Works like the engine of a worker with one runner: leases the next match while one is being
   played. */
static void *work_without_pause(void *context) {
    Client *client = context;
    StoreJob held[PLACES];
    int64_t over[PLACES]; /* when each match will have been played */
    uint32_t count = 0;
    int64_t free_at = 0; /* when the runner is free */
    while (clock_now() < client->ends) {
        int64_t now = clock_now();
        if (count && over[0] <= now) {
            finish(client, &held[0], 1);
            held[0] = held[1];
            over[0] = over[1];
            count--;
        } else if (count < PLACES && lease(client, &held[count], 1)) {
            now = clock_now();
            free_at = (free_at > now ? free_at : now) + SHORT_MATCH_MS * CLOCK_MS;
            over[count++] = free_at;
        } else {
            int64_t pause = count ? over[0] - now : CLOCK_MS;
            nanosleep(&(struct timespec){.tv_nsec = pause > 0 ? pause : 0}, NULL);
        }
    }
    client->ended = clock_now();
    return NULL;
}

/* Counts the results and tidies up the queue, like the leader. */
static void *count_results(void *context) {
    const Client *client = context;
    uint32_t seconds = 0;
    while (clock_now() < client->ends) {
        Error error;
        StoreRecord record;
        sleep_ms(1000);
        crowd_must(store_record_get(client->store, 1, 2, &record, &error), &error);
        if (++seconds % 2 == 0)
            crowd_must(store_tidy_queue(client->store, &error), &error);
    }
    return NULL;
}

static void start(pthread_t *thread, const pthread_attr_t *attributes, void *(*task)(void *),
                  Client *client) {
    if (pthread_create(thread, attributes, task, client) != 0) {
        fprintf(stderr, "cannot start a thread\n");
        exit(1);
    }
}

static uint32_t warm_up(uint32_t seconds) {
    return seconds < WARM_UP_S ? 1 : WARM_UP_S;
}

/* Runs clients for some time after a warm-up. */
static void run_clients(Store *const *stores, uint32_t count, uint32_t seconds,
                        void *(*task)(void *)) {
    Client *clients = xcalloc(count, sizeof *clients);
    pthread_t *threads = xcalloc(count, sizeof *threads);
    pthread_attr_t small;
    pthread_attr_init(&small);
    pthread_attr_setstacksize(&small, 256 << 10);
    int64_t began = clock_now() + warm_up(seconds) * 1000 * CLOCK_MS;
    for (uint32_t i = 0; i < count; i++) {
        clients[i] = (Client){.store = stores[i % STORES],
                              .number = i,
                              .begins = began,
                              .ends = began + (int64_t)seconds * 1000 * CLOCK_MS};
        start(&threads[i], &small, task, &clients[i]);
    }
    pthread_t counter;
    start(&counter, NULL, count_results, &clients[0]);
    sleep_ms(warm_up(seconds) * 1000);
    int64_t log = wal_bytes();
    begin();
    pthread_join(counter, NULL);
    uint32_t finished = 0;
    uint32_t idle = 0;
    uint32_t leases = 0;
    int64_t ended = began;
    for (uint32_t i = 0; i < count; i++) {
        pthread_join(threads[i], NULL);
        if (clients[i].ended > ended)
            ended = clients[i].ended;
        finished += clients[i].finished;
        idle += clients[i].idle;
        leases += clients[i].leases;
    }
    double taken = (double)(ended - began) / 1e9;
    double *all = xcalloc(leases + 1, sizeof *all);
    uint32_t at = 0;
    for (uint32_t i = 0; i < count; i++) {
        memcpy(all + at, clients[i].taken, clients[i].leases * sizeof *all);
        at += clients[i].leases;
        free(clients[i].taken);
    }
    if (!leases) {
        fprintf(stderr, "the queue was empty before the measurement began\n");
        exit(1);
    }
    stats_of(all, leases);
    printf("end %" PRIu32 " %.3f %.2f %.2f %" PRIu32 " %" PRId64 "\n", finished, taken,
           stats_share(all, leases, 0.5), stats_share(all, leases, 0.99), idle, wal_bytes() - log);
    free(all);
    free(threads);
    free(clients);
}

/* ---- the parts ---- */

static Crowd crowd_on(const char *uri, const char *directory, uint32_t matches, bool finished) {
    Crowd crowd = {.database = uri,
                   .bots = matches < 100000 ? 50 : BOTS,
                   .games = GAMES,
                   .matches = matches,
                   .random = random_seeded(1)};
    crowd_open(&crowd, directory, true);
    crowd_add_people(&crowd);
    crowd_add_bots(&crowd);
    crowd_fill(&crowd, directory, matches, finished);
    return crowd;
}

/* Opens the store several times, each time with its own directory, like several processes. */
static void open_stores(const char *uri, const char *directory, Store **stores) {
    char command[1500];
    for (uint32_t i = 0; i < STORES; i++) {
        char path[600];
        snprintf(path, sizeof path, "%s-%" PRIu32, directory, i);
        snprintf(command, sizeof command, "mkdir '%s' && cp '%s/store-id' '%s'", path, directory,
                 path);
        if (system(command) != 0)
            exit(1);
        Error error;
        stores[i] = store_open(&(StoreOptions){.directory = path, .database = uri}, &error);
        crowd_must(stores[i] ? STORE_OK : STORE_FAILED, &error);
    }
}

static void measure_clients(const char *uri, const char *directory, uint32_t seconds,
                            uint32_t clients, uint32_t matches, void *(*task)(void *)) {
    Crowd crowd = crowd_on(uri, directory, HISTORY_PER_SECOND * seconds, true);
    crowd_fill(&crowd, directory, matches, false);
    store_close(crowd.store, NULL);
    Store *stores[STORES];
    open_stores(uri, directory, stores);
    run_clients(stores, clients, seconds, task);
    for (uint32_t i = 0; i < STORES; i++)
        store_close(stores[i], NULL);
}

/* Alternates one query between both engines, so that both meet the same disturbances. */
static void measure_question(Crowd crowds[2], size_t index, uint32_t samples, double *taken[2]) {
    StorePage pages[2] = {{.limit = QUESTION_PAGE}, {.limit = QUESTION_PAGE}};
    uint64_t bot = 1;
    for (uint32_t i = 0; i < samples; i++) {
        if (!pages[0].from.id)
            bot = 1 + random_below(&crowds[0].random, crowds[0].bots);
        for (uint32_t engine = 0; engine < 2; engine++) {
            Error error;
            int64_t began = clock_now();
            crowd_must(store_questions[index].ask(&crowds[engine], bot, &pages[engine], &error),
                       &error);
            taken[engine][i] = (double)(clock_now() - began) / 1000;
            pages[engine].from = i % 200 == 199 ? (StoreCursor){0} : pages[engine].next;
        }
    }
}

static void measure_pages(const char *uri, const char *directory, uint32_t samples,
                          uint32_t matches) {
    char path[600];
    snprintf(path, sizeof path, "%s-sqlite", directory);
    Crowd crowds[2] = {crowd_on(NULL, path, matches, true),
                       crowd_on(uri, directory, matches, true)};
    double *taken[2];
    double *all[2];
    for (uint32_t engine = 0; engine < 2; engine++) {
        taken[engine] = xcalloc(samples, sizeof(double));
        all[engine] = xcalloc(samples * store_question_count, sizeof(double));
    }
    begin();
    for (size_t i = 0; i < store_question_count; i++) {
        measure_question(crowds, i, samples, taken);
        for (uint32_t engine = 0; engine < 2; engine++) {
            memcpy(all[engine] + i * samples, taken[engine], samples * sizeof(double));
            stats_of(taken[engine], samples);
        }
        printf("%s\t%.0f\t%.0f\t%.0f\t%.0f\n", store_questions[i].name,
               stats_share(taken[0], samples, 0.5), stats_share(taken[1], samples, 0.5),
               stats_share(taken[0], samples, 0.99), stats_share(taken[1], samples, 0.99));
    }
    uint32_t count = samples * (uint32_t)store_question_count;
    for (uint32_t engine = 0; engine < 2; engine++)
        stats_of(all[engine], count);
    printf("bytes\t%" PRId64 "\n",
           ask_server(getenv("TEST_POSTGRES"), "SELECT pg_database_size(current_database())"));
    printf("all\t%.0f\t%.0f\t%.0f\t%.0f\nend\n", stats_share(all[0], count, 0.5),
           stats_share(all[1], count, 0.5), stats_share(all[0], count, 0.99),
           stats_share(all[1], count, 0.99));
    store_questions_free();
    for (uint32_t engine = 0; engine < 2; engine++) {
        store_close(crowds[engine].store, NULL);
        free(taken[engine]);
        free(all[engine]);
    }
}

int main(int count, char **words) {
    const char *uri = getenv("TEST_POSTGRES");
    if (count != 5 || !uri) {
        fprintf(stderr, "usage: see the head of scale_bench.c\n");
        return 2;
    }
    const char *part = words[1];
    uint32_t first = (uint32_t)strtoul(words[3], NULL, 10);
    uint32_t second = (uint32_t)strtoul(words[4], NULL, 10);
    if (strcmp(part, "queue") == 0)
        measure_clients(uri, words[2], first, second,
                        (warm_up(first) + first) * JOBS_PER_SECOND *
                            (second > CLIENTS_LEAST ? second : CLIENTS_LEAST),
                        lease_and_finish);
    else if (strcmp(part, "workers") == 0)
        measure_clients(uri, words[2], first, second,
                        second * (2 + (warm_up(first) + first) * 1000 / MATCH_MS), work);
    else if (strcmp(part, "short") == 0)
        measure_clients(uri, words[2], first, second,
                        second * (2 + (warm_up(first) + first) * 1000 / SHORT_MATCH_MS),
                        work_without_pause);
    else
        measure_pages(uri, words[2], first, second);
    return 0;
}
