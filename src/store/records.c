/* See records.h. */
#include "store/records.h"

#include "base/memory.h"
#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <stdlib.h>

static const Field record_fields[] = {
    NUMBER_OF(StoreRecord, opponent), TEXT_OF(StoreRecord, name),
    TEXT_OF(StoreRecord, owner_name), NUMBER_OF(StoreRecord, matches),
    NUMBER_OF(StoreRecord, won),      NUMBER_OF(StoreRecord, drawn),
    NUMBER_OF(StoreRecord, lost),     {0}};

#define SELECT_RECORD                                                                \
 "SELECT r.opponent, b.name, a.name, r.matches, r.won, r.drawn, r.lost, r.matches, " \
 "r.opponent FROM records r JOIN bots b ON b.id = r.opponent "                       \
 "JOIN accounts a ON a.id = b.owner "

/* ---- counting ---- */

/* Results are counted in batches of this size, so that other writers do not wait long. */
enum { BATCH = 1000 };

/* Counts the results with numbers above ?1 up to ?2. If a bot has two seats, several pairs have the
   same opponent. CROSS JOIN makes SQLite begin with the few matches. */
static const char count_records[] =
    "INSERT INTO records AS r (bot, opponent, matches, won, drawn, lost, first_win) "
    "SELECT bot, opponent, matches, won, drawn, lost, "
    "(SELECT id FROM matches WHERE result = first) FROM (SELECT me.bot AS bot, "
    "o.bot AS opponent, count(*) AS matches, "
    "sum(CASE WHEN me.place < o.place THEN 1 ELSE 0 END) AS won, "
    "sum(CASE WHEN me.place = o.place THEN 1 ELSE 0 END) AS drawn, "
    "sum(CASE WHEN me.place > o.place THEN 1 ELSE 0 END) AS lost, "
    "min(CASE WHEN me.place < o.place AND m.kind <> " SQL_MATCH_PLAY_NOW " THEN m.result END) "
    "AS first FROM matches m CROSS JOIN seats me CROSS JOIN seats o WHERE m.result > ?1 "
    "AND m.result <= ?2 AND me.match = m.id AND o.match = m.id AND me.bot <> o.bot "
    "GROUP BY me.bot, o.bot) AS counted WHERE true "
    "ON CONFLICT (bot, opponent) DO UPDATE SET "
    "matches = r.matches + excluded.matches, won = r.won + excluded.won, "
    "drawn = r.drawn + excluded.drawn, lost = r.lost + excluded.lost, "
    "first_win = coalesce(r.first_win, excluded.first_win)";

/* A bot's row of `streaks`. */
typedef struct Streak {
    uint64_t bot;
    int64_t current;
    int64_t longest;
    uint64_t last;
} Streak;

/* Computes the streaks of the bots in these results, one result after the other. Returns an array,
   which the caller frees. */
static Streak *continue_streaks(Transaction *transaction, int64_t after, int64_t last,
                                size_t *count) {
    static const Field fields[] = {NUMBER_OF(Streak, bot),
                                   NUMBER_OF(Streak, current),
                                   NUMBER_OF(Streak, longest),
                                   NUMBER_OF(Streak, last),
                                   {0}};
    Streak *streaks = NULL;
    size_t room = 0;
    *count = 0;
    sql_query(transaction,
              "SELECT s.bot, coalesce(max(t.current), 0), coalesce(max(t.longest), 0), "
              "coalesce(max(t.last), 0), m.id, max(CASE WHEN s.place = 1 AND (SELECT count(*) "
              "FROM seats w WHERE w.match = m.id AND w.place = 1) = 1 THEN 1 ELSE 0 END) "
              "FROM matches m CROSS JOIN seats s LEFT JOIN streaks t ON t.bot = s.bot "
              "WHERE m.result > ?1 AND m.result <= ?2 AND s.match = m.id "
              "AND m.kind <> " SQL_MATCH_PLAY_NOW
              " AND s.bot IS NOT NULL GROUP BY s.bot, m.id, m.result ORDER BY s.bot, m.result",
              VALUES(as_number(after), as_number(last)));
    while (sql_row(transaction)) {
        Streak before;
        int column = row_read(transaction, 0, fields, &before);
        uint64_t match = (uint64_t)database_number(transaction->database, column);
        if (!*count || streaks[*count - 1].bot != before.bot) {
            if (*count == room) {
                room = room ? 2 * room : 16;
                streaks = xreallocarray(streaks, room, sizeof *streaks);
            }
            streaks[(*count)++] = before;
        }
        Streak *streak = &streaks[*count - 1];
        bool won = database_number(transaction->database, column + 1) != 0;
        streak->current = won ? streak->current + 1 : 0;
        if (streak->current > streak->longest) {
            streak->longest = streak->current;
            streak->last = match;
        }
    }
    return streaks;
}

void records_count(Transaction *transaction, int64_t after, int64_t last) {
    sql_send(transaction, count_records, VALUES(as_number(after), as_number(last)));
    size_t count;
    Streak *streaks = continue_streaks(transaction, after, last, &count);
    for (size_t i = 0; i < count; i++)
        sql_send(transaction,
                 "INSERT INTO streaks (bot, current, longest, last) VALUES (?1, ?2, ?3, ?4) "
                 "ON CONFLICT (bot) DO UPDATE SET current = excluded.current, "
                 "longest = excluded.longest, last = excluded.last",
                 VALUES(as_id(streaks[i].bot), as_number(streaks[i].current),
                        as_number(streaks[i].longest), as_id(streaks[i].last)));
    free(streaks);
    sql_send(transaction, "UPDATE results SET last = ?1", VALUES(as_number(last)));
}

/* Counts the next results up to `most`; returns how many. Concurrent calls wait for each other, at
   the lock on the row of `results`. */
static uint32_t count_next(Transaction *transaction, int64_t most) {
    int64_t after =
        sql_number(transaction, "SELECT last FROM results /*postgres FOR UPDATE*/", NULL, 0);
    int64_t last = after;
    uint32_t count = 0;
    sql_query(transaction,
              "SELECT count(*), max(result) FROM (SELECT result FROM matches "
              "WHERE result > ?1 AND result <= ?2 ORDER BY result LIMIT ?3) AS next",
              VALUES(as_number(after), as_number(most), as_number(BATCH)));
    while (sql_row(transaction)) {
        count = (uint32_t)database_number(transaction->database, 0);
        last = database_number(transaction->database, 1);
    }
    if (count)
        records_count(transaction, after, last);
    return count;
}

static StoreResult are_uncounted(Store *store, bool *uncounted, Error *error) {
    Transaction transaction = transaction_read(store, error);
    *uncounted = sql_number(&transaction,
                            "SELECT coalesce((SELECT max(result) FROM matches), 0) > "
                            "(SELECT last FROM results)",
                            NULL, 0);
    return transaction_end(&transaction);
}

/* Finds the highest number up to which no result is missing. The transaction writes alone, so no
   other one can be about to store a result with a lower number. */
static StoreResult last_known(Store *store, int64_t *number, Error *error) {
    Transaction transaction = transaction_write(store, error);
    *number = sql_number(&transaction, "SELECT max(result) FROM matches", NULL, 0);
    share_forget(&transaction);
    return transaction_end(&transaction);
}

StoreResult records_catch_up(Store *store, Error *error) {
    if (!store_counts_later(store) || store->read_only)
        return STORE_OK;
    bool more;
    int64_t most = 0;
    StoreResult result = are_uncounted(store, &more, error);
    if (more && result == STORE_OK)
        result = last_known(store, &most, error);
    while (more && result == STORE_OK) {
        Transaction transaction = transaction_share(store, error);
        more = count_next(&transaction, most) == BATCH;
        result = transaction_end(&transaction);
    }
    return result;
}

/* ---- reading ---- */

StoreResult store_records_list(Store *store, uint64_t bot, StorePage *page, StoreRecord *rows,
                               Error *error) {
    StoreResult counted = records_catch_up(store, error);
    if (counted != STORE_OK)
        return counted;
    return store_list(store,
                      SELECT_RECORD "WHERE r.bot = ?4 AND (r.matches, r.opponent) < (?1, ?2) "
                                    "ORDER BY r.matches DESC, r.opponent DESC LIMIT ?3",
                      VALUES(as_id(bot)), record_fields, page, rows, sizeof *rows, error);
}

StoreResult store_record_get(Store *store, uint64_t bot, uint64_t opponent, StoreRecord *record,
                             Error *error) {
    StoreResult counted = records_catch_up(store, error);
    if (counted != STORE_OK)
        return counted;
    Transaction transaction = transaction_read(store, error);
    *record = (StoreRecord){.opponent = opponent};
    sql_one(&transaction, SELECT_RECORD "WHERE r.bot = ?1 AND r.opponent = ?2",
            VALUES(as_id(bot), as_id(opponent)), record_fields, record);
    return transaction_end(&transaction);
}

StoreResult store_house_wins(Store *store, uint64_t account, StoreHouseWin *rows, uint32_t *count,
                             Error *error) {
    StoreResult counted = records_catch_up(store, error);
    if (counted != STORE_OK)
        return counted;
    static const Field fields[] = {
        TEXT_OF(StoreHouseWin, game),    TEXT_OF(StoreHouseWin, house_bot),
        NUMBER_OF(StoreHouseWin, match), TEXT_OF(StoreHouseWin, by),
        NUMBER_OF(StoreHouseWin, time),  {0}};
    uint32_t most = *count;
    *count = 0;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction,
              "SELECT w.game, w.name, coalesce(w.first, 0), coalesce((SELECT b.name FROM seats s "
              "JOIN bots b ON b.id = s.bot WHERE s.match = w.first AND b.owner = ?1 "
              "ORDER BY s.place LIMIT 1), ''), coalesce(m.ended, 0) "
              "FROM (SELECT h.game, h.name, (SELECT min(r.first_win) FROM bots b "
              "JOIN records r ON r.bot = b.id AND r.opponent = h.id WHERE b.owner = ?1) AS first "
              "FROM bots h JOIN versions v ON v.id = h.active WHERE h.retired = 0 "
              "AND h.owner = (SELECT id FROM accounts WHERE name_key = 'house') "
              "AND v.language = 'house') w LEFT JOIN matches m ON m.id = w.first "
              "ORDER BY w.game, w.name LIMIT ?2",
              VALUES(as_id(account), as_number(most)));
    while (sql_row(&transaction)) {
        rows[*count] = (StoreHouseWin){0};
        row_read(&transaction, 0, fields, &rows[(*count)++]);
    }
    return transaction_end(&transaction);
}

StoreResult store_longest_streak(Store *store, uint64_t account, StoreStreak *streak,
                                 Error *error) {
    StoreResult counted = records_catch_up(store, error);
    if (counted != STORE_OK)
        return counted;
    static const Field fields[] = {TEXT_OF(StoreStreak, bot),
                                   TEXT_OF(StoreStreak, game),
                                   NUMBER_OF(StoreStreak, length),
                                   NUMBER_OF(StoreStreak, last),
                                   {0}};
    Transaction transaction = transaction_read(store, error);
    *streak = (StoreStreak){0};
    sql_one(&transaction,
            "SELECT b.name, b.game, s.longest, coalesce(s.last, 0) FROM bots b "
            "JOIN streaks s ON s.bot = b.id WHERE b.owner = ?1 "
            "ORDER BY s.longest DESC, s.last LIMIT 1",
            VALUES(as_id(account)), fields, streak);
    return transaction_end(&transaction);
}
