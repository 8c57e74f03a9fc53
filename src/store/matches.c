/* See matches.h. A list is read with one statement, which returns a row for each seat: it finds a
   page of matches by an index, and then their players. */
#include "store/matches.h"

#include "base/memory.h"
#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const Field match_fields[] = {NUMBER_OF(StoreMatch, id),
                                     NUMBER_OF(StoreMatch, kind),
                                     NUMBER_OF(StoreMatch, state),
                                     NUMBER_OF(StoreMatch, open),
                                     TEXT_OF(StoreMatch, game),
                                     TEXT_OF(StoreMatch, map),
                                     NUMBER_OF(StoreMatch, seed),
                                     NUMBER_OF(StoreMatch, requester),
                                     NUMBER_OF(StoreMatch, tournament),
                                     NUMBER_OF(StoreMatch, fixture),
                                     NUMBER_OF(StoreMatch, leg),
                                     NUMBER_OF(StoreMatch, created),
                                     NUMBER_OF(StoreMatch, started),
                                     NUMBER_OF(StoreMatch, ended),
                                     NUMBER_OF(StoreMatch, turns),
                                     TEXT_OF(StoreMatch, reason),
                                     TEXT_OF(StoreMatch, replay.name),
                                     NUMBER_OF(StoreMatch, result),
                                     TEXT_OF(StoreMatch, machine),
                                     NUMBER_OF(StoreMatch, speed),
                                     {0}};

static const Field seat_fields[] = {NUMBER_OF(StoreSeat, bot),
                                    NUMBER_OF(StoreSeat, version),
                                    TEXT_OF(StoreSeat, name),
                                    TEXT_OF(StoreSeat, owner_name),
                                    TEXT_OF(StoreSeat, source.name),
                                    NUMBER_OF(StoreSeat, rank),
                                    NUMBER_OF(StoreSeat, scored),
                                    NUMBER_OF(StoreSeat, score),
                                    TEXT_OF(StoreSeat, status),
                                    TEXT_OF(StoreSeat, failure),
                                    {0}};

/* Statements name all columns that they read, because later versions may add columns. */
#define ROW                                                                                        \
 "id, kind, state, open, game, map, seed, requester, tournament, fixture, leg, created, started, " \
 "ended, turns, reason, replay, result, machine, speed"
#define FILTERED "SELECT id, game, kind, state, tournament, requester, house FROM matches "

/* The matches that `which` finds, with their seats, ordered by `order` and then by seat. */
#define MATCHES(which, order)                                                               \
 "SELECT m.id, m.kind, m.state, m.open, m.game, m.map, m.seed, m.requester, m.tournament, " \
 "m.fixture, m.leg, m.created, m.started, m.ended, m.turns, m.reason, m.replay, m.result, " \
 "m.machine, m.speed, "                                                                     \
 "s.bot, s.version, coalesce(b.name, s.label), coalesce(a.name, ''), s.source, s.place, "   \
 "s.score IS NOT NULL, s.score, s.status, s.failure "                                       \
 "FROM (SELECT " ROW " FROM matches WHERE " which ") m JOIN seats s ON s.match = m.id "     \
 "LEFT JOIN bots b ON b.id = s.bot LEFT JOIN accounts a ON a.id = b.owner "                 \
 "ORDER BY " order ", s.seat"

/* The parameters of every list: ?2 is the id below which to start, ?3 the number of rows; then
   follow the filter, and ?13, the number of rows to examine. */
enum {
    GAME_VALUE = 4,
    KIND_VALUE,
    BOT_VALUE,
    TOURNAMENT_VALUE,
    REQUESTER_VALUE,
    STATE_VALUE,
    HOUSE_VALUE,
    OPPONENT_VALUE,
    OWNER_VALUE,
    LOOK_VALUE
};

/* A condition: a seat of match `v` has this value in `column`, or the value is NULL. PostgreSQL
   needs the CAST to know the type of the parameter. */
#define SEAT_OF(value, column)                                                                   \
 "(CAST(" value                                                                                  \
 " AS BIGINT) IS NULL OR EXISTS (SELECT 1 FROM seats WHERE match = v.id AND " column " = " value \
 "))"

/* The matches in `view` that pass the filter. A NULL parameter matches anything. */
#define FITTING(view)                                                                       \
 MATCHES("id IN (SELECT v.id FROM (" view ") v WHERE coalesce(?4, v.game) = v.game "        \
         "AND coalesce(?5, v.kind) = v.kind AND coalesce(?9, v.state) = v.state "           \
         "AND coalesce(?7, v.tournament, 0) = coalesce(v.tournament, 0) "                   \
         "AND coalesce(?8, v.requester, 0) = coalesce(v.requester, 0) "                     \
         "AND coalesce(?10, v.house) = v.house AND " SEAT_OF("?6", "bot") " AND " SEAT_OF(  \
             "?11", "bot") " AND " SEAT_OF("?12", "owner") " ORDER BY v.id DESC LIMIT ?3)", \
         "m.id DESC")
/* The id of the last match that was examined; NULL if there are no more matches after it. */
#define LAST_SEEN(ids) "SELECT CASE WHEN count(*) = ?13 THEN min(id) END FROM (" ids ") v"

#define WAY(which)                                                                 \
 .whole = MATCHES(which "id < ?2 ORDER BY id DESC LIMIT ?3", "m.id DESC"),         \
 .fitting = FITTING(FILTERED "WHERE " which "id < ?2 ORDER BY id DESC LIMIT ?13"), \
 .last = LAST_SEEN("SELECT id FROM matches WHERE " which "id < ?2 ORDER BY id DESC LIMIT ?13")

/* DISTINCT, because a bot can have two seats in a match. */
#define SEATS_OF(whose, count)                                                                \
 "SELECT DISTINCT match AS id FROM seats WHERE " whose " AND match < ?2 ORDER BY match DESC " \
 "LIMIT " count
#define WAY_BY_SEATS(whose)                                               \
 .whole = MATCHES("id IN (" SEATS_OF(whose, "?3") ")", "m.id DESC"),      \
 .fitting = FITTING(FILTERED "WHERE id IN (" SEATS_OF(whose, "?13") ")"), \
 .last = LAST_SEEN(SEATS_OF(whose, "?13"))

/* The conditions of the filter, as bits. */
enum {
    BY_STATE = 1,
    BY_TOURNAMENT = 2,
    BY_BOT = 4,
    BY_REQUESTER = 8,
    BY_GAME = 16,
    BY_KIND = 32,
    BY_HOUSE = 64,
    BY_OPPONENT = 128,
    BY_OWNER = 256,
};

/* The indexes that can answer a filter, most selective first. `values` is the last value that
   `whole` uses. */
static const struct {
    unsigned by;
    size_t values;
    const char *whole;
    const char *fitting;
    const char *last;
} ways[] = {
    /* Only for matches in progress. On PostgreSQL, they are found through their jobs, because an
       index of them would slow down every lease. */
    {BY_STATE, 3,
     WAY("state = " SQL_MATCH_PLAYING " AND /*postgres id IN (SELECT match FROM jobs "
         "WHERE expires > 0) AND*/ ")},
    {BY_TOURNAMENT, TOURNAMENT_VALUE, WAY("tournament = ?7 AND ")},
    {BY_BOT, BOT_VALUE, WAY_BY_SEATS("bot = ?6")},
    {BY_OWNER, OWNER_VALUE, WAY_BY_SEATS("owner = ?12")},
    {BY_REQUESTER, REQUESTER_VALUE, WAY("requester = ?8 AND ")},
    {BY_GAME | BY_HOUSE, GAME_VALUE, WAY("house = 0 AND game = ?4 AND ")},
    {BY_HOUSE, 3, WAY("house = 0 AND ")},
    {BY_GAME | BY_KIND, KIND_VALUE, WAY("game = ?4 AND kind = ?5 AND ")},
    {BY_GAME, GAME_VALUE, WAY("game = ?4 AND ")},
    {0, 3, WAY("")},
};

/* ---- the list in memory ---- */

void store_matches_free(StoreMatches *matches) {
    free(matches->rows);
    free(matches->seats);
    *matches = (StoreMatches){0};
}

static void *grown(void *items, uint32_t *capacity, uint32_t needed, size_t size) {
    if (needed <= *capacity)
        return items;
    *capacity = needed > 2 * *capacity ? needed : 2 * *capacity;
    return xreallocarray(items, *capacity, size);
}

/* Adds the current row. False at the first seat after `limit` matches. */
static bool take_row(Transaction *transaction, StoreMatches *matches, uint32_t limit) {
    uint64_t id = (uint64_t)database_number(transaction->database, 0);
    if (!matches->count || matches->rows[matches->count - 1].id != id) {
        if (matches->count == limit)
            return false;
        matches->rows =
            grown(matches->rows, &matches->capacity, matches->count + 1, sizeof *matches->rows);
        matches->rows[matches->count] = (StoreMatch){0};
        row_read(transaction, 0, match_fields, &matches->rows[matches->count++]);
    }
    matches->seats = grown(matches->seats, &matches->seats_capacity, matches->seats_count + 1,
                           sizeof *matches->seats);
    StoreSeat *seat = &matches->seats[matches->seats_count++];
    *seat = (StoreSeat){0};
    row_read(transaction, (int)(sizeof match_fields / sizeof *match_fields) - 1, seat_fields, seat);
    matches->rows[matches->count - 1].players++;
    return true;
}

/* Reads all rows; returns whether there were more than `limit` matches. */
static bool take_all(Transaction *transaction, StoreMatches *matches, uint32_t limit) {
    matches->count = 0;
    matches->seats_count = 0;
    bool more = false;
    while (!more && sql_row(transaction))
        more = !take_row(transaction, matches, limit);
    if (transaction->result != STORE_OK)
        matches->count = 0;
    uint32_t seat = 0;
    for (uint32_t i = 0; i < matches->count; i++) {
        matches->rows[i].seats = matches->seats + seat;
        seat += matches->rows[i].players;
    }
    return more;
}

/* ---- reading ---- */

bool store_seat_is_deleted(const StoreSeat *seat) {
    return seat->bot ? strncmp(seat->owner_name, DELETED_PREFIX, strlen(DELETED_PREFIX)) == 0
                     : strcmp(seat->name, DELETED_LABEL) == 0;
}

StoreResult store_match_get(Store *store, uint64_t id, StoreMatches *match, Error *error) {
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction, MATCHES("id = ?1", "m.id"), VALUES(as_id(id)));
    take_all(&transaction, match, 1);
    if (!match->count)
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown match %" PRIu64, id);
    return transaction_end(&transaction);
}

StoreResult store_matches_list(Store *store, const StoreMatchesWanted *wanted, StorePage *page,
                               StoreMatches *matches, Error *error) {
    Value values[LOOK_VALUE] = {{0}};
    page_values(page, values);
    values[GAME_VALUE - 1] = as_text(wanted->game);
    values[BOT_VALUE - 1] = as_id(wanted->bot);
    values[TOURNAMENT_VALUE - 1] = as_id(wanted->tournament);
    values[REQUESTER_VALUE - 1] = as_id(wanted->requester);
    values[LOOK_VALUE - 1] = as_number(STORE_LOOK_THROUGH);
    if (wanted->of_kind)
        values[KIND_VALUE - 1] = as_number(wanted->kind);
    if (wanted->in_state)
        values[STATE_VALUE - 1] = as_number(wanted->state);
    if (wanted->without_house)
        values[HOUSE_VALUE - 1] = as_number(0);
    values[OPPONENT_VALUE - 1] = as_id(wanted->opponent);
    values[OWNER_VALUE - 1] = as_id(wanted->owner);
    unsigned by = (wanted->in_state ? BY_STATE : 0) | (wanted->tournament ? BY_TOURNAMENT : 0) |
                  (wanted->bot ? BY_BOT : 0) | (wanted->requester ? BY_REQUESTER : 0) |
                  (wanted->game ? BY_GAME : 0) | (wanted->of_kind ? BY_KIND : 0) |
                  (wanted->without_house ? BY_HOUSE : 0) | (wanted->opponent ? BY_OPPONENT : 0) |
                  (wanted->owner ? BY_OWNER : 0);
    /* The first entry is only for matches in progress, the only state with an index. */
    size_t way = wanted->in_state && wanted->state == MATCH_PLAYING ? 0 : 1;
    while ((by & ways[way].by) != ways[way].by)
        way++;
    bool whole = by == ways[way].by;
    Transaction transaction = transaction_read(store, error);
    if (!whole)
        transaction_snapshot(&transaction); /* for two statements */
    sql_query(&transaction, whole ? ways[way].whole : ways[way].fitting, values,
              whole ? ways[way].values : LOOK_VALUE);
    bool more = take_all(&transaction, matches, page->limit);
    page->count = matches->count;
    int64_t last = more    ? (int64_t)matches->rows[matches->count - 1].id
                   : whole ? 0
                           : sql_number(&transaction, ways[way].last, values, LOOK_VALUE);
    page->next = (StoreCursor){.key = last, .id = last};
    return transaction_end(&transaction);
}

StoreResult store_matches_results(Store *store, const char *game, uint64_t after, uint32_t limit,
                                  StoreMatches *matches, Error *error) {
    StoreResult counted = records_catch_up(store, error);
    if (counted != STORE_OK)
        return counted;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              MATCHES("game = ?1 AND kind = " SQL_MATCH_LADDER
                      " AND result > ?2 /*postgres AND result <= "
                      "(SELECT last FROM results)*/ ORDER BY result LIMIT ?3",
                      "m.result"),
              VALUES(as_text(game), as_number((int64_t)after), as_number(limit)));
    take_all(&transaction, matches, limit);
    return transaction_end(&transaction);
}

StoreResult store_matches_ended(Store *store, uint64_t after, uint32_t limit, StoreMatches *matches,
                                Error *error) {
    StoreResult counted = records_catch_up(store, error);
    if (counted != STORE_OK)
        return counted;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              MATCHES("result > ?1 /*postgres AND result <= (SELECT last FROM results)*/ "
                      "ORDER BY result LIMIT ?2",
                      "m.result"),
              VALUES(as_number((int64_t)after), as_number(limit)));
    take_all(&transaction, matches, limit);
    return transaction_end(&transaction);
}

StoreResult store_matches_last_result(Store *store, uint64_t *last, Error *error) {
    Transaction transaction = transaction_read(store, error);
    *last = (uint64_t)sql_number(&transaction, "SELECT last FROM results", NULL, 0);
    return transaction_end(&transaction);
}

StoreResult store_matches_verdicts(Store *store, uint64_t tournament,
                                   void (*take)(void *context, uint64_t match, Slice verdict),
                                   void *context, Error *error) {
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              "SELECT m.id, t.verdict FROM matches m JOIN match_texts t ON t.match = m.id "
              "WHERE m.tournament = ?1 AND m.state = " SQL_MATCH_OVER " ORDER BY m.id",
              VALUES(as_id(tournament)));
    while (sql_row(&transaction))
        take(context, (uint64_t)database_number(transaction.database, 0),
             database_text(transaction.database, 1));
    return transaction_end(&transaction);
}

/* Appends a text of a match. */
static StoreResult read_match_text(Store *store, const char *sql, uint64_t id, Buffer *to,
                                   Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_text(&transaction, sql, VALUES(as_id(id)), to))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown match %" PRIu64, id);
    return transaction_end(&transaction);
}

StoreResult store_match_verdict(Store *store, uint64_t id, Buffer *verdict, Error *error) {
    return read_match_text(store, "SELECT verdict FROM match_texts WHERE match = ?1", id, verdict,
                           error);
}

StoreResult store_match_logs(Store *store, uint64_t id, Buffer *logs, Error *error) {
    return read_match_text(store, "SELECT logs FROM match_texts WHERE match = ?1", id, logs, error);
}

StoreResult store_match_spec(Store *store, uint64_t id, Buffer *spec, Error *error) {
    return read_match_text(store, "SELECT spec FROM match_texts WHERE match = ?1", id, spec, error);
}

/* ---- retention ---- */

StoreResult store_matches_forget(Store *store, int64_t before, uint32_t limit, uint32_t *count,
                                 Error *error) {
    Transaction transaction = transaction_write(store, error);
    *count =
        (uint32_t)sql_run(&transaction,
                          "UPDATE matches SET replay = '' WHERE id IN (SELECT id FROM matches "
                          "WHERE replay <> '' AND kind <> " SQL_MATCH_TOURNAMENT " AND ended < ?1 "
                          "ORDER BY ended LIMIT ?2)",
                          VALUES(as_number(before), as_number(limit)));
    if (*count)
        queue_forget_analyses(&transaction);
    return transaction_end(&transaction);
}

#define OF_ACCOUNTS "replay <> '' AND kind = " SQL_MATCH_PLAY_NOW " AND requester IS NOT NULL"

StoreResult store_matches_forget_casual(Store *store, int64_t most, uint32_t limit, uint32_t *count,
                                        Error *error) {
    *count = 0;
    Transaction transaction = transaction_read(store, error);
    int64_t exceeded = sql_number(&transaction,
                                  "SELECT EXISTS (SELECT 1 FROM matches WHERE " OF_ACCOUNTS
                                  " GROUP BY requester HAVING sum(replay_bytes) > ?1)",
                                  VALUES(as_number(most)));
    StoreResult result = transaction_end(&transaction);
    if (result != STORE_OK || !exceeded)
        return result;
    transaction = transaction_write(store, error);
    *count = (uint32_t)sql_run(
        &transaction,
        "UPDATE matches SET replay = '' WHERE id IN (SELECT id FROM (SELECT id, "
        "sum(replay_bytes) OVER (PARTITION BY requester ORDER BY ended DESC, id DESC) AS newer "
        "FROM matches WHERE " OF_ACCOUNTS ") AS replays WHERE newer > ?1 LIMIT ?2)",
        VALUES(as_number(most), as_number(limit)));
    if (*count)
        queue_forget_analyses(&transaction);
    return transaction_end(&transaction);
}

#define OF_VISITORS "replay <> '' AND kind = " SQL_MATCH_PLAY_NOW " AND requester IS NULL"

StoreResult store_matches_forget_visitors(Store *store, int64_t most, uint32_t limit,
                                          uint32_t *count, Error *error) {
    *count = 0;
    Transaction transaction = transaction_read(store, error);
    int64_t bytes = sql_number(
        &transaction, "SELECT coalesce(sum(replay_bytes), 0) FROM matches WHERE " OF_VISITORS, NULL,
        0);
    StoreResult result = transaction_end(&transaction);
    if (result != STORE_OK || bytes <= most)
        return result;
    /* Drop as many of the oldest as necessary. */
    transaction = transaction_write(store, error);
    *count = (uint32_t)sql_run(
        &transaction,
        "UPDATE matches SET replay = '' WHERE id IN (SELECT id FROM (SELECT id, "
        "sum(replay_bytes) OVER (ORDER BY ended, id) - replay_bytes AS before FROM matches "
        "WHERE " OF_VISITORS ") AS replays WHERE before < ?1 LIMIT ?2)",
        VALUES(as_number(bytes - most), as_number(limit)));
    if (*count)
        queue_forget_analyses(&transaction);
    return transaction_end(&transaction);
}
