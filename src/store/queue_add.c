/* See queue.h: adding and cancelling jobs, and the length of the queue. */
#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/spec_code.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>

/* ---- adding ---- */

void queue_add(Transaction *transaction, StoreJobKind kind, Urgency urgency, uint64_t subject,
               const char *requester, const char *request) {
    bool of_match = kind & (JOB_MATCH | JOB_ANALYSIS);
    sql_run(
        transaction,
        "INSERT INTO jobs (kind, urgency, match, version, attempt, losses, expires, holder, "
        "trouble, requester, long, request, added) VALUES (?1, ?2, ?3, ?4, 0, 0, 0, '', '', ?5, "
        "?6, ?7, ?8)",
        VALUES(as_number(kind), as_number(urgency), as_id(of_match ? subject : 0),
               as_id(of_match ? 0 : subject), as_text(requester), as_number(kind == JOB_CHECK),
               as_text(request ? request : ""), as_number(store_now(transaction->store))));
    transaction_tell(transaction, NEWS_JOBS);
}

void queue_add_check(Transaction *transaction, uint64_t version, const char *request) {
    char requester[REQUESTER_SIZE];
    uint64_t owner = (uint64_t)sql_number(
        transaction, "SELECT b.owner FROM versions v JOIN bots b ON b.id = v.bot WHERE v.id = ?1",
        VALUES(as_id(version)));
    share_of_account(owner, requester);
    queue_add(transaction, JOB_CHECK, URGENCY_CHECK, version, requester, request);
}

static const Urgency urgency_of[] = {
    [MATCH_PLAY_NOW] = URGENCY_PLAY_NOW,
    [MATCH_TOURNAMENT] = URGENCY_TOURNAMENT,
    [MATCH_LADDER] = URGENCY_LADDER,
};

static Urgency urgency(const StoreNewMatch *match) {
    return match->person   ? URGENCY_PERSON
           : match->remote ? URGENCY_REMOTE
                           : urgency_of[match->kind];
}

static void add_seat(Transaction *transaction, uint64_t match, uint32_t index,
                     const StoreNewSeat *seat) {
    const char *label = seat->label ? seat->label : "";
    transaction_check_length(transaction, "the label of a player", label, STORE_PLAYER_SIZE);
    if (seat->bot &&
        !sql_number(transaction,
                    "SELECT 1 FROM bots b JOIN accounts a ON a.id = b.owner WHERE b.id = ?1 "
                    "AND b.retired = 0 AND a.state = " SQL_ACCOUNT_ACTIVE,
                    VALUES(as_id(seat->bot))))
        transaction_reject(transaction, STORE_REJECTED,
                           "bot %" PRIu64 " does not exist, is retired, or its owner is suspended",
                           seat->bot);
    if (seat->version &&
        !sql_number(transaction,
                    "SELECT 1 FROM versions WHERE id = ?1 AND bot = ?2 AND build = " SQL_BUILD_GOOD,
                    VALUES(as_id(seat->version), as_id(seat->bot))))
        transaction_reject(transaction, STORE_REJECTED,
                           "version %" PRIu64 " does not belong to bot %" PRIu64
                           " or was not built",
                           seat->version, seat->bot);
    sql_run(transaction,
            "INSERT INTO seats (match, seat, bot, version, label, source, place, status, failure, "
            "owner) VALUES (?1, ?2, ?3, ?4, ?5, ?6, 0, '', '', (SELECT owner FROM bots "
            "WHERE id = ?3 AND coalesce((SELECT language FROM versions WHERE id = ?4), '') "
            "<> 'house'))",
            VALUES(as_id(match), as_number(index), as_id(seat->bot), as_id(seat->version),
                   as_text(label), as_text(seat->source.name)));
}

void queue_check_most(Transaction *transaction, const char *requester, Urgency urgency,
                      uint32_t most, const char *what) {
    int64_t count = sql_number(
        transaction, "SELECT count(*) FROM jobs WHERE requester = ?1 AND urgency IN (?2, ?3)",
        VALUES(as_text(requester), as_number(urgency),
               as_number(urgency == URGENCY_PLAY_NOW ? URGENCY_REMOTE : urgency)));
    if (count >= most)
        transaction_reject(transaction, STORE_BUSY,
                           "%" PRId64 " of your %s are waiting or running, which is the limit; try "
                           "again when one of them is over",
                           count, what);
}

static uint64_t add_match(Transaction *transaction, const StoreNewMatch *match) {
    char requester[REQUESTER_SIZE];
    share_of_match(match, requester);
    if (match->most)
        queue_check_most(transaction, requester, URGENCY_PLAY_NOW, match->most, "matches");
    transaction_check_length(transaction, "the name of the game", match->game, STORE_GAME_SIZE);
    transaction_check_length(transaction, "the name of the map", match->map, STORE_LABEL_SIZE);
    if (match->players < 1 || match->players > STORE_SEATS_MAX)
        transaction_reject(transaction, STORE_REJECTED, "a match has 1 to %d players",
                           STORE_SEATS_MAX);
    uint64_t id = (uint64_t)sql_number(
        transaction,
        "INSERT INTO matches (kind, state, open, game, map, seed, requester, tournament, fixture, "
        "leg, created, started, ended, turns, reason, replay) "
        "VALUES (?1, " SQL_MATCH_WAITING
        ", ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, 0, 0, 0, '', '') RETURNING id",
        VALUES(as_number(match->kind), as_number(match->open), as_text(match->game),
               as_text(match->map), as_number((int64_t)match->seed), as_id(match->requester),
               as_id(match->tournament), as_number(match->fixture), as_number(match->leg),
               as_number(store_now(transaction->store))));
    transaction_explain(transaction, STORE_CONFLICT,
                        "leg %" PRIu32 " of fixture %" PRIu32 " is already in the tournament",
                        match->leg, match->fixture);
    transaction_explain(transaction, STORE_NOT_FOUND, "unknown account or tournament");
    sql_run(transaction,
            "INSERT INTO match_texts (match, spec, verdict, code) VALUES (?1, ?2, '', ?3)",
            VALUES(as_id(id), as_text(match->spec), as_number(spec_has_code(match->spec))));
    for (uint32_t i = 0; transaction->result == STORE_OK && i < match->players; i++)
        add_seat(transaction, id, i, &match->seats[i]);
    if (match->kind == MATCH_LADDER)
        sql_run(transaction,
                "UPDATE matches SET house = 1 WHERE id = ?1 AND NOT EXISTS "
                "(SELECT 1 FROM seats WHERE match = ?1 AND (owner IS NOT NULL OR bot IS NULL))",
                VALUES(as_id(id)));
    queue_add(transaction, JOB_MATCH, urgency(match), id, requester, match->request);
    if (match->speed_min || match->speed_max)
        sql_run(transaction,
                "UPDATE jobs SET speed_min = ?2, speed_max = ?3 WHERE match = ?1 "
                "AND kind = " SQL_JOB_MATCH,
                VALUES(as_id(id), as_number(match->speed_min), as_number(match->speed_max)));
    if (match->owner)
        sql_run(transaction,
                "UPDATE jobs SET owner = ?2 WHERE match = ?1 AND kind = " SQL_JOB_MATCH,
                VALUES(as_id(id), as_text(match->owner)));
    return id;
}

StoreResult store_queue_matches(Store *store, const StoreNewMatch *matches, uint32_t count,
                                uint64_t *ids, Error *error) {
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t seat = 0; seat < matches[i].players; seat++) {
            StoreResult there = files_need(store, &matches[i].seats[seat].source, error);
            if (there != STORE_OK)
                return there;
        }
    Transaction transaction = transaction_write(store, error);
    for (uint32_t i = 0; transaction.result == STORE_OK && i < count; i++)
        ids[i] = add_match(&transaction, &matches[i]);
    return transaction_end(&transaction);
}

/* ---- cancelling ---- */

void queue_forget_code(Transaction *transaction, uint64_t match) {
    Buffer spec = {0};
    Buffer rest = {0};
    sql_text(transaction, "SELECT spec FROM match_texts WHERE match = ?1", VALUES(as_id(match)),
             &spec);
    spec_without_code((Slice){spec.data, spec.length}, &rest);
    sql_run(transaction, "UPDATE match_texts SET code = 0, spec = ?2 WHERE match = ?1",
            VALUES(as_id(match), as_slice((Slice){rest.data, rest.length})));
    buffer_free(&spec);
    buffer_free(&rest);
}

/* Deletes the code of seats in matches that will not be played any more. */
static void forget_sources(Transaction *transaction) {
    sql_run(transaction,
            "UPDATE seats SET source = '' WHERE source <> '' "
            "AND NOT EXISTS (SELECT 1 FROM jobs WHERE jobs.match = seats.match "
            "AND kind = " SQL_JOB_MATCH ")",
            NULL, 0);
    uint64_t match;
    while ((match = (uint64_t)sql_number(
                transaction,
                "SELECT match FROM match_texts WHERE code = 1 AND NOT EXISTS (SELECT 1 FROM jobs "
                "WHERE jobs.match = match_texts.match AND kind = " SQL_JOB_MATCH ") LIMIT 1",
                NULL, 0)))
        queue_forget_code(transaction, match);
}

void queue_forget_analyses(Transaction *transaction) {
    sql_run(transaction,
            "DELETE FROM jobs WHERE kind = " SQL_JOB_ANALYSIS
            " AND EXISTS (SELECT 1 FROM matches m WHERE m.id = jobs.match AND m.replay = '')",
            NULL, 0);
    sql_run(transaction,
            "DELETE FROM analyses WHERE EXISTS (SELECT 1 FROM matches m "
            "WHERE m.id = analyses.match AND m.replay = '')",
            NULL, 0);
}

/* Statements that cancel matches and delete their jobs. ?1 selects them. */
typedef struct CallOff {
    const char *reason;
    const char *matches; /* ?2 is the reason, ?3 the time */
    const char *jobs;
    const char *charge;
} CallOff;

/* The start of a condition that selects jobs of matches. */
#define PLAYS "kind = " SQL_JOB_MATCH " AND "
#define CALL_OFF(which)                                                                     \
 .matches = "UPDATE matches SET state = " SQL_MATCH_CALLED_OFF ", reason = ?2, ended = ?3 " \
            "WHERE id IN (SELECT match FROM jobs WHERE " PLAYS which ")",                   \
 .jobs = "DELETE FROM jobs WHERE " PLAYS which, .charge = SHARE_CHARGE(PLAYS which)

static const CallOff of_match = {
    .reason = "called off",
    CALL_OFF("match = ?1"),
};
static const CallOff of_bot = {
    .reason = "one of its bots was retired, or the owner of one suspended",
    CALL_OFF("match IN (SELECT match FROM seats WHERE bot = ?1)"),
};
static const CallOff of_requester = {
    .reason = "the account that requested it was suspended or deleted",
    CALL_OFF("match IN (SELECT id FROM matches WHERE requester = ?1 AND kind = " SQL_MATCH_PLAY_NOW
             ")"),
};
static const CallOff of_tournament = {
    .reason = "the tournament was cancelled",
    CALL_OFF("match IN (SELECT id FROM matches WHERE tournament = ?1)"),
};

/* Jobs that can be cancelled without a trace. ?1 selects them. */
typedef struct Drop {
    const char *jobs;
    const char *charge;
} Drop;

#define DROP(which) .jobs = "DELETE FROM jobs WHERE " which, .charge = SHARE_CHARGE(which)

static const Drop of_versions = {DROP("version IN (SELECT id FROM versions WHERE bot = ?1)")};
static const Drop of_analysed_bot = {DROP("kind = " SQL_JOB_ANALYSIS " AND match IN (SELECT match "
                                          "FROM seats WHERE bot = ?1)")};
static const Drop of_analyst = {
    DROP("kind = " SQL_JOB_ANALYSIS " AND requester = 'account ' || ?1")};

static void drop_jobs(Transaction *transaction, const Drop *which, uint64_t whose) {
    sql_run(transaction, which->charge,
            VALUES(as_id(whose), as_number(store_now(transaction->store))));
    if (sql_run(transaction, which->jobs, VALUES(as_id(whose))))
        transaction_tell(transaction, NEWS_CANCELLED);
}

static int64_t call_off(Transaction *transaction, const CallOff *how, uint64_t whose) {
    sql_run(transaction, how->matches,
            VALUES(as_id(whose), as_text(how->reason), as_number(store_now(transaction->store))));
    sql_run(transaction, how->charge,
            VALUES(as_id(whose), as_number(store_now(transaction->store))));
    int64_t gone = sql_run(transaction, how->jobs, VALUES(as_id(whose)));
    if (gone)
        transaction_tell(transaction, NEWS_CANCELLED);
    forget_sources(transaction);
    return gone;
}

StoreResult store_queue_call_off(Store *store, uint64_t match, const char *why, Error *error) {
    Transaction transaction = transaction_write(store, error);
    CallOff how = of_match;
    if (why)
        how.reason = why;
    if (!call_off(&transaction, &how, match))
        transaction_reject(&transaction, STORE_CONFLICT,
                           "match %" PRIu64 " is neither waiting nor being played", match);
    return transaction_end(&transaction);
}

/* The next match that waits for an owner that is gone, or 0. */
static uint64_t find_orphan(Store *store, StoreResult *result, Error *error) {
    Transaction transaction = transaction_read(store, error);
    uint64_t match = (uint64_t)sql_number(
        &transaction,
        "SELECT match FROM jobs WHERE owner <> '' AND expires = 0 AND kind = " SQL_JOB_MATCH
        " AND NOT EXISTS (SELECT 1 FROM workers w WHERE w.name = jobs.owner AND w.state <> ?1 "
        "AND w.seen >= ?2) LIMIT 1",
        VALUES(as_number(WORKER_STOPPED), as_number(workers_seen_since(store))));
    *result = transaction_end(&transaction);
    return *result == STORE_OK ? match : 0;
}

StoreResult store_queue_call_off_orphans(Store *store, const char *why, Error *error) {
    StoreResult result = STORE_OK;
    uint64_t match;
    while (result == STORE_OK && (match = find_orphan(store, &result, error)))
        result = store_queue_call_off(store, match, why, error);
    return result == STORE_CONFLICT ? STORE_OK : result;
}

void queue_drop_bot(Transaction *transaction, uint64_t bot) {
    sql_run(transaction,
            "UPDATE seats SET status = '" QUEUE_WITHDRAWN "' WHERE bot = ?1 AND match IN "
            "(SELECT match FROM jobs WHERE kind = " SQL_JOB_MATCH ")",
            VALUES(as_id(bot)));
    call_off(transaction, &of_bot, bot);
    /* Drop its builds and checks, and the analyses of its matches, because they would run it. */
    drop_jobs(transaction, &of_versions, bot);
    drop_jobs(transaction, &of_analysed_bot, bot);
    sql_run(transaction,
            "UPDATE versions SET build = " SQL_BUILD_FAILED
            ", log = 'the bot was retired, or its owner suspended' "
            "WHERE bot = ?1 AND build = " SQL_BUILD_WAITING,
            VALUES(as_id(bot)));
}

void queue_drop_requester(Transaction *transaction, uint64_t account) {
    call_off(transaction, &of_requester, account);
    drop_jobs(transaction, &of_analyst, account);
}

void queue_drop_tournament(Transaction *transaction, uint64_t tournament) {
    call_off(transaction, &of_tournament, tournament);
}

/* ---- length ---- */

StoreResult store_queue_size(Store *store, StoreQueueSize *size, Error *error) {
    *size = (StoreQueueSize){0};
    uint32_t *const counts[URGENCIES] = {
        [URGENCY_BUILD] = &size->builds,
        [URGENCY_PLAY_NOW] = &size->matches[MATCH_PLAY_NOW],
        [URGENCY_ANALYSIS] = &size->analyses,
        [URGENCY_CHECK] = &size->checks,
        [URGENCY_TOURNAMENT] = &size->matches[MATCH_TOURNAMENT],
        [URGENCY_LADDER] = &size->matches[MATCH_LADDER],
        [URGENCY_PERSON] = &size->people,
    };
    Transaction transaction = transaction_read(store, error);
    transaction_snapshot(&transaction);
    sql_query(&transaction, "SELECT urgency, count(*) FROM jobs WHERE expires = 0 GROUP BY urgency",
              NULL, 0);
    while (sql_row(&transaction)) {
        int64_t found = database_number(transaction.database, 0);
        if (found == URGENCY_REMOTE)
            found = URGENCY_PLAY_NOW;
        if (found >= 0 && found < URGENCIES)
            *counts[found] += (uint32_t)database_number(transaction.database, 1);
    }
    size->leased =
        (uint32_t)sql_number(&transaction, "SELECT count(*) FROM jobs WHERE expires > 0", NULL, 0);
    size->without_worker = (uint32_t)sql_number(
        &transaction,
        "SELECT coalesce(sum(r.waiting), 0) FROM (SELECT speed_min, speed_max, count(*) AS waiting "
        "FROM jobs WHERE expires = 0 AND (speed_min > 0 OR speed_max > 0) "
        "GROUP BY speed_min, speed_max) AS r WHERE NOT EXISTS (SELECT 1 FROM workers "
        "WHERE " WORKER_FITS("r.speed_min", "r.speed_max", "?1") ")",
        VALUES(as_number(workers_seen_since(store))));
    return transaction_end(&transaction);
}

/* How long the first waiting job of an urgency has been in the queue. */
static int64_t oldest(Transaction *transaction, Urgency urgency) {
    int64_t added =
        sql_number(transaction,
                   "SELECT added FROM jobs WHERE expires = 0 AND urgency = ?1 ORDER BY id LIMIT 1",
                   VALUES(as_number(urgency)));
    return added ? store_now(transaction->store) - added : 0;
}

StoreResult store_queue_ages(Store *store, StoreQueueAges *ages, Error *error) {
    *ages = (StoreQueueAges){0};
    Transaction transaction = transaction_read(store, error);
    int64_t remote = oldest(&transaction, URGENCY_REMOTE);
    int64_t play_now = oldest(&transaction, URGENCY_PLAY_NOW);
    ages->builds = oldest(&transaction, URGENCY_BUILD);
    ages->checks = oldest(&transaction, URGENCY_CHECK);
    ages->analyses = oldest(&transaction, URGENCY_ANALYSIS);
    ages->matches[MATCH_PLAY_NOW] = remote > play_now ? remote : play_now;
    ages->matches[MATCH_TOURNAMENT] = oldest(&transaction, URGENCY_TOURNAMENT);
    ages->matches[MATCH_LADDER] = oldest(&transaction, URGENCY_LADDER);
    ages->people = oldest(&transaction, URGENCY_PERSON);
    int64_t leased = sql_number(
        &transaction, "SELECT coalesce(min(leased), 0) FROM jobs WHERE expires > 0", NULL, 0);
    ages->lease = leased ? store_now(store) - leased : 0;
    ages->repeated = (uint32_t)sql_number(
        &transaction, "SELECT count(*) FROM jobs WHERE expires > 0 AND losses > 0", NULL, 0);
    return transaction_end(&transaction);
}

StoreResult store_queue_ladder(Store *store, StoreQueuedVersion *rows, uint32_t *count,
                               Error *error) {
    Transaction transaction = transaction_read(store, error);
    uint32_t most = *count;
    *count = 0;
    sql_query(&transaction,
              "SELECT s.version, count(*) FROM jobs j JOIN seats s ON s.match = j.match "
              "WHERE j.urgency = ?1 AND s.version IS NOT NULL GROUP BY s.version LIMIT ?2",
              VALUES(as_number(URGENCY_LADDER), as_number(most)));
    while (sql_row(&transaction))
        rows[(*count)++] =
            (StoreQueuedVersion){.version = (uint64_t)database_number(transaction.database, 0),
                                 .seats = (uint32_t)database_number(transaction.database, 1)};
    return transaction_end(&transaction);
}

StoreResult store_queue_ahead(Store *store, uint64_t match, uint32_t *count, Error *error) {
    *count = 0;
    Transaction transaction = transaction_read(store, error);
    /* Requesters take turns: if `own` jobs of this requester come first, so do at most as many jobs
       of each other requester, plus one of those whose first job is more urgent or older. The
       statement returns the number plus one, to distinguish the front from no row. */
    int64_t place = sql_number(
        &transaction,
        "WITH mine AS (SELECT requester, urgency, id, (SELECT count(*) FROM jobs a "
        "WHERE a.expires = 0 AND a.requester = j.requester AND (a.urgency, a.id) < "
        "(j.urgency, j.id) AND (a.urgency = ?2) = (j.urgency = ?2)) AS own "
        "FROM jobs j WHERE j.match = ?1 AND j.kind = " SQL_JOB_MATCH " AND j.expires = 0) "
        "SELECT 1 + mine.own + coalesce((SELECT sum(CASE WHEN waiting <= mine.own THEN waiting "
        "WHEN first < (mine.urgency << 48 | mine.id) THEN mine.own + 1 ELSE mine.own END) "
        "FROM (SELECT count(*) AS waiting, min(jobs.urgency << 48 | jobs.id) AS first "
        "FROM jobs WHERE expires = 0 AND jobs.requester <> mine.requester "
        "AND (jobs.urgency = ?2) = (mine.urgency = ?2) "
        "GROUP BY jobs.requester) AS others), 0) FROM mine",
        VALUES(as_id(match), as_number(URGENCY_PERSON)));
    if (!place)
        transaction_reject(&transaction, STORE_NOT_FOUND, "match %" PRIu64 " is not waiting",
                           match);
    else
        *count = (uint32_t)place - 1;
    return transaction_end(&transaction);
}
