/* See records.h. */
#include "store/records.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

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

void records_add(Transaction *transaction, uint64_t match) {
    /* A bot can have two seats: then several pairs are about the same opponent. */
    sql_run(transaction,
            "INSERT INTO records AS r (bot, opponent, matches, won, drawn, lost, first_win) "
            "SELECT me.bot, o.bot, count(*), sum(CASE WHEN me.place < o.place THEN 1 ELSE 0 END), "
            "sum(CASE WHEN me.place = o.place THEN 1 ELSE 0 END), "
            "sum(CASE WHEN me.place > o.place THEN 1 ELSE 0 END), "
            "min(CASE WHEN me.place < o.place AND m.kind <> " SQL_MATCH_PLAY_NOW " THEN m.id END) "
            "FROM matches m JOIN seats me ON me.match = m.id JOIN seats o ON o.match = m.id "
            "WHERE m.id = ?1 AND me.bot IS NOT NULL AND o.bot IS NOT NULL AND me.bot <> o.bot "
            "GROUP BY me.bot, o.bot ON CONFLICT (bot, opponent) DO UPDATE SET "
            "matches = r.matches + excluded.matches, won = r.won + excluded.won, "
            "drawn = r.drawn + excluded.drawn, lost = r.lost + excluded.lost, "
            "first_win = coalesce(r.first_win, excluded.first_win)",
            VALUES(as_id(match)));
    sql_run(transaction,
            "INSERT INTO streaks AS t (bot, current, longest, last) "
            "SELECT bot, won, won, CASE WHEN won = 1 THEN ?1 END FROM (SELECT s.bot, "
            "max(CASE WHEN s.place = 1 AND (SELECT count(*) FROM seats WHERE match = ?1 "
            "AND place = 1) = 1 THEN 1 ELSE 0 END) AS won "
            "FROM matches m JOIN seats s ON s.match = m.id WHERE m.id = ?1 "
            "AND m.kind <> " SQL_MATCH_PLAY_NOW " AND s.bot IS NOT NULL GROUP BY s.bot) AS played "
            "WHERE true ON CONFLICT (bot) DO UPDATE SET "
            "current = CASE WHEN excluded.current = 1 THEN t.current + 1 ELSE 0 END, "
            "longest = CASE WHEN excluded.current = 1 AND t.current + 1 > t.longest "
            "THEN t.current + 1 ELSE t.longest END, "
            "last = CASE WHEN excluded.current = 1 AND t.current + 1 > t.longest "
            "THEN excluded.last ELSE t.last END",
            VALUES(as_id(match)));
}

/* ---- reading ---- */

StoreResult store_records_list(Store *store, uint64_t bot, StorePage *page, StoreRecord *rows,
                               Error *error) {
    return store_list(store,
                      SELECT_RECORD "WHERE r.bot = ?4 AND (r.matches, r.opponent) < (?1, ?2) "
                                    "ORDER BY r.matches DESC, r.opponent DESC LIMIT ?3",
                      VALUES(as_id(bot)), record_fields, page, rows, sizeof *rows, error);
}

StoreResult store_record_get(Store *store, uint64_t bot, uint64_t opponent, StoreRecord *record,
                             Error *error) {
    Transaction transaction = transaction_read(store, error);
    *record = (StoreRecord){.opponent = opponent};
    sql_one(&transaction, SELECT_RECORD "WHERE r.bot = ?1 AND r.opponent = ?2",
            VALUES(as_id(bot), as_id(opponent)), record_fields, record);
    return transaction_end(&transaction);
}

StoreResult store_house_wins(Store *store, uint64_t account, StoreHouseWin *rows, uint32_t *count,
                             Error *error) {
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
