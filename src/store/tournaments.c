/* See tournaments.h. */
#include "store/tournaments.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>

static const Field fields[] = {
    NUMBER_OF(StoreTournament, id),          NUMBER_OF(StoreTournament, organiser),
    TEXT_OF(StoreTournament, name),          TEXT_OF(StoreTournament, game),
    TEXT_OF(StoreTournament, format),        NUMBER_OF(StoreTournament, state),
    NUMBER_OF(StoreTournament, created),     NUMBER_OF(StoreTournament, started),
    NUMBER_OF(StoreTournament, ended),       NUMBER_OF(StoreTournament, starts),
    TEXT_OF(StoreTournament, start_problem), {0}};

#define COLUMNS \
 "id, organiser, name, game, format, state, created, started, ended, starts, start_problem"

static void missing(Transaction *transaction, uint64_t id) {
    transaction_reject(transaction, STORE_NOT_FOUND, "unknown tournament %" PRIu64, id);
}

StoreResult store_tournament_add(Store *store, const StoreNewTournament *tournament, uint64_t *id,
                                 Error *error) {
    Transaction transaction = transaction_write(store, error);
    transaction_check_length(&transaction, "the name of the tournament", tournament->name,
                             STORE_LABEL_SIZE);
    transaction_check_length(&transaction, "the name of the game", tournament->game,
                             STORE_GAME_SIZE);
    transaction_check_length(&transaction, "the format", tournament->format, STORE_GAME_SIZE);
    if (!tournament->name[0])
        transaction_reject(&transaction, STORE_REJECTED, "a tournament needs a name");
    uint64_t made = (uint64_t)sql_number(
        &transaction,
        "INSERT INTO tournaments (organiser, name, game, format, plan, state, standings, created, "
        "started, ended, starts) VALUES (?1, ?2, ?3, ?4, ?5, " SQL_TOURNAMENT_OPEN
        ", '', ?6, 0, 0, ?7) RETURNING id",
        VALUES(as_id(tournament->organiser), as_text(tournament->name), as_text(tournament->game),
               as_text(tournament->format), as_text(tournament->plan), as_number(store_now(store)),
               as_number(tournament->starts)));
    transaction_explain(&transaction, STORE_NOT_FOUND, "unknown account %" PRIu64,
                        tournament->organiser);
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK && id)
        *id = made;
    return result;
}

StoreResult store_tournament_get(Store *store, uint64_t id, StoreTournament *tournament,
                                 Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_one(&transaction, "SELECT " COLUMNS " FROM tournaments WHERE id = ?1",
                 VALUES(as_id(id)), fields, tournament))
        missing(&transaction, id);
    return transaction_end(&transaction);
}

StoreResult store_tournaments_list(Store *store, const char *game, StorePage *page,
                                   StoreTournament *rows, Error *error) {
    static const char all[] = "SELECT " COLUMNS ", id, id FROM tournaments WHERE id < ?2 "
                              "ORDER BY id DESC LIMIT ?3";
    static const char of_game[] = "SELECT " COLUMNS ", id, id FROM tournaments WHERE game = ?4 "
                                  "AND id < ?2 ORDER BY id DESC LIMIT ?3";
    return store_list(store, game ? of_game : all, (const Value[]){as_text(game)}, game ? 1 : 0,
                      fields, page, rows, sizeof *rows, error);
}

StoreResult store_tournament_move(Store *store, uint64_t id, StoreTournamentState to,
                                  Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_number(&transaction, "SELECT id FROM tournaments WHERE id = ?1", VALUES(as_id(id))))
        missing(&transaction, id);
    bool ends = to == TOURNAMENT_OVER || to == TOURNAMENT_CALLED_OFF;
    StoreTournamentState from = to == TOURNAMENT_OVER ? TOURNAMENT_RUNNING : TOURNAMENT_OPEN;
    StoreTournamentState or_from = ends ? TOURNAMENT_RUNNING : TOURNAMENT_OPEN;
    if (!sql_run(&transaction,
                 "UPDATE tournaments SET state = ?2, "
                 "started = CASE WHEN ?4 = 1 THEN ?3 ELSE started END, "
                 "ended = CASE WHEN ?5 = 1 THEN ?3 ELSE ended END "
                 "WHERE id = ?1 AND state IN (?6, ?7)",
                 VALUES(as_id(id), as_number(to), as_number(store_now(store)),
                        as_number(to == TOURNAMENT_RUNNING), as_number(ends), as_number(from),
                        as_number(or_from))))
        transaction_reject(
            &transaction, STORE_CONFLICT,
            "an open tournament can only be started or cancelled, and a running one only "
            "finished or cancelled");
    if (to == TOURNAMENT_CALLED_OFF)
        queue_drop_tournament(&transaction, id);
    return transaction_end(&transaction);
}

StoreResult store_tournament_change(Store *store, uint64_t id, StoreTournamentState in,
                                    const char *name, const char *format, const char *plan,
                                    Error *error) {
    Transaction transaction = transaction_write(store, error);
    transaction_check_length(&transaction, "the name of the tournament", name, STORE_LABEL_SIZE);
    transaction_check_length(&transaction, "the format", format, STORE_GAME_SIZE);
    if (!name[0])
        transaction_reject(&transaction, STORE_REJECTED, "a tournament needs a name");
    if (!sql_number(&transaction, "SELECT id FROM tournaments WHERE id = ?1", VALUES(as_id(id))))
        missing(&transaction, id);
    if (!sql_run(&transaction,
                 "UPDATE tournaments SET name = ?3, format = ?4, plan = ?5 "
                 "WHERE id = ?1 AND state = ?2",
                 VALUES(as_id(id), as_number(in), as_text(name), as_text(format), as_text(plan))))
        transaction_reject(&transaction, STORE_CONFLICT,
                           in == TOURNAMENT_OPEN ? "the tournament has started or is over"
                                                 : "the tournament is not running");
    return transaction_end(&transaction);
}

StoreResult store_tournament_schedule(Store *store, uint64_t id, int64_t starts,
                                      const char *problem, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_number(&transaction, "SELECT id FROM tournaments WHERE id = ?1", VALUES(as_id(id))))
        missing(&transaction, id);
    if (!sql_run(&transaction,
                 "UPDATE tournaments SET starts = ?2, start_problem = ?3 "
                 "WHERE id = ?1 AND state = " SQL_TOURNAMENT_OPEN,
                 VALUES(as_id(id), as_number(starts), as_text(problem))))
        transaction_reject(&transaction, STORE_CONFLICT, "the tournament has started or is over");
    return transaction_end(&transaction);
}

StoreResult store_tournament_next_start(Store *store, uint64_t *id, int64_t *starts, Error *error) {
    typedef struct Due {
        uint64_t id;
        int64_t starts;
    } Due;
    static const Field due_fields[] = {NUMBER_OF(Due, id), NUMBER_OF(Due, starts), {0}};
    Due due = {0};
    Transaction transaction = transaction_read(store, error);
    sql_one(&transaction,
            "SELECT id, starts FROM tournaments WHERE state = " SQL_TOURNAMENT_OPEN
            " AND starts > 0 ORDER BY starts LIMIT 1",
            NULL, 0, due_fields, &due);
    *id = due.id;
    *starts = due.starts;
    return transaction_end(&transaction);
}

/* ---- texts ---- */

static StoreResult read_tournament_text(Store *store, const char *sql, uint64_t id, Buffer *to,
                                        Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_text(&transaction, sql, VALUES(as_id(id)), to))
        missing(&transaction, id);
    return transaction_end(&transaction);
}

StoreResult store_tournament_plan(Store *store, uint64_t id, Buffer *plan, Error *error) {
    return read_tournament_text(store, "SELECT plan FROM tournaments WHERE id = ?1", id, plan,
                                error);
}

StoreResult store_tournament_standings(Store *store, uint64_t id, Buffer *standings, Error *error) {
    return read_tournament_text(store, "SELECT standings FROM tournaments WHERE id = ?1", id,
                                standings, error);
}

StoreResult store_tournament_set_standings(Store *store, uint64_t id, Slice standings,
                                           Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction, "UPDATE tournaments SET standings = ?2 WHERE id = ?1",
                 VALUES(as_id(id), as_slice(standings))))
        missing(&transaction, id);
    return transaction_end(&transaction);
}

/* ---- entrants ---- */

static void need_open(Transaction *transaction, uint64_t id) {
    if (!sql_number(transaction, "SELECT id FROM tournaments WHERE id = ?1", VALUES(as_id(id))))
        missing(transaction, id);
    if (!sql_number(transaction,
                    "SELECT id FROM tournaments WHERE id = ?1 AND state = " SQL_TOURNAMENT_OPEN,
                    VALUES(as_id(id))))
        transaction_reject(transaction, STORE_CONFLICT, "the tournament has started or is over");
    if (sql_number(transaction,
                   "SELECT id FROM tournaments WHERE id = ?1 AND starts > 0 AND starts <= ?2",
                   VALUES(as_id(id), as_number(store_now(transaction->store)))))
        transaction_reject(transaction, STORE_CONFLICT,
                           "entries are closed: the tournament starts now");
}

StoreResult store_tournament_enter(Store *store, uint64_t id, uint64_t bot, Error *error) {
    Transaction transaction = transaction_write(store, error);
    need_open(&transaction, id);
    if (!sql_run(&transaction,
                 "INSERT INTO entrants (tournament, bot, version, entered) "
                 "SELECT ?1, b.id, b.active, ?3 FROM bots b JOIN tournaments t ON t.id = ?1 "
                 "JOIN accounts a ON a.id = b.owner AND a.state = " SQL_ACCOUNT_ACTIVE
                 " WHERE b.id = ?2 AND b.game = t.game AND b.active IS NOT NULL",
                 VALUES(as_id(id), as_id(bot), as_number(store_now(store)))))
        transaction_reject(&transaction, STORE_REJECTED,
                           "this bot plays another game, has no active version, or its owner is "
                           "suspended");
    transaction_explain(&transaction, STORE_CONFLICT, "this bot has already entered");
    return transaction_end(&transaction);
}

StoreResult store_tournament_leave(Store *store, uint64_t id, uint64_t bot, Error *error) {
    Transaction transaction = transaction_write(store, error);
    need_open(&transaction, id);
    if (!sql_run(&transaction, "DELETE FROM entrants WHERE tournament = ?1 AND bot = ?2",
                 VALUES(as_id(id), as_id(bot))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "this bot has not entered");
    return transaction_end(&transaction);
}

StoreResult store_tournament_entrants(Store *store, uint64_t id, StorePage *page,
                                      StoreEntrant *rows, Error *error) {
    static const Field entrant_fields[] = {
        NUMBER_OF(StoreEntrant, bot),     NUMBER_OF(StoreEntrant, version),
        TEXT_OF(StoreEntrant, name),      TEXT_OF(StoreEntrant, owner_name),
        NUMBER_OF(StoreEntrant, entered), {0}};
    return store_list(
        store,
        "SELECT e.bot, e.version, b.name, a.name, e.entered, e.id, e.id "
        "FROM entrants e JOIN bots b ON b.id = e.bot JOIN accounts a ON a.id = b.owner "
        "WHERE e.tournament = ?4 AND e.id < ?2 ORDER BY e.id DESC LIMIT ?3",
        VALUES(as_id(id)), entrant_fields, page, rows, sizeof *rows, error);
}
