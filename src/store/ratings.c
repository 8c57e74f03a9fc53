/* See ratings.h. */
#include "store/ratings.h"

#include "store/internal.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>
#include <math.h>

static const Field fields[] = {
    NUMBER_OF(StoreRating, bot),         NUMBER_OF(StoreRating, version),
    THOUSANDTHS_OF(StoreRating, rating), THOUSANDTHS_OF(StoreRating, error),
    NUMBER_OF(StoreRating, matches),     NUMBER_OF(StoreRating, won),
    NUMBER_OF(StoreRating, drawn),       NUMBER_OF(StoreRating, lost),
    NUMBER_OF(StoreRating, time),        TEXT_OF(StoreRating, name),
    TEXT_OF(StoreRating, owner_name),    {0}};

#define SELECT                                                                             \
 "SELECT r.bot, r.version, r.rating, r.error, r.matches, r.won, r.drawn, r.lost, r.time, " \
 "b.name, a.name"
#define FROM " FROM ratings r JOIN bots b ON b.id = r.bot JOIN accounts a ON a.id = b.owner "

static Value thousandths(double value) {
    return as_number(llround(value * 1000));
}

StoreResult store_ratings_set(Store *store, const char *game, const StoreRating *ratings,
                              uint32_t count, bool history, Error *error) {
    Transaction transaction = transaction_write(store, error);
    leader_require(&transaction);
    int64_t now = store_now(store);
    for (uint32_t i = 0; transaction.result == STORE_OK && i < count; i++) {
        const StoreRating *rating = &ratings[i];
        sql_run(
            &transaction,
            "INSERT INTO ratings (bot, game, version, rating, error, matches, won, drawn, lost, "
            "time) SELECT b.id, b.game, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10 FROM bots b "
            "JOIN accounts a ON a.id = b.owner "
            "WHERE b.id = ?1 AND b.game = ?2 AND b.retired = 0 AND a.state = " SQL_ACCOUNT_ACTIVE
            " ON CONFLICT (bot) DO UPDATE SET version = excluded.version, "
            "rating = excluded.rating, error = excluded.error, matches = excluded.matches, "
            "won = excluded.won, drawn = excluded.drawn, lost = excluded.lost, "
            "time = excluded.time",
            VALUES(as_id(rating->bot), as_text(game), as_id(rating->version),
                   thousandths(rating->rating), thousandths(rating->error),
                   as_number(rating->matches), as_number(rating->won), as_number(rating->drawn),
                   as_number(rating->lost), as_number(now)));
        if (history)
            sql_run(&transaction,
                    "INSERT INTO rating_points (bot, version, rating, error, matches, time) "
                    "SELECT bot, version, rating, error, matches, time FROM ratings "
                    "WHERE bot = ?1 AND game = ?2",
                    VALUES(as_id(rating->bot), as_text(game)));
    }
    transaction_explain(&transaction, STORE_NOT_FOUND, "a rating refers to an unknown version");
    return transaction_end(&transaction);
}

StoreResult store_ratings_clear(Store *store, const StoreRating *ratings, uint32_t count,
                                Error *error) {
    Transaction transaction = transaction_write(store, error);
    leader_require(&transaction);
    for (uint32_t i = 0; transaction.result == STORE_OK && i < count; i++)
        sql_run(&transaction, "DELETE FROM ratings WHERE bot = ?1 AND version = ?2",
                VALUES(as_id(ratings[i].bot), as_id(ratings[i].version)));
    return transaction_end(&transaction);
}

/* The bot's rank in its game, from 1. */
static uint32_t rank_of(Transaction *transaction, uint64_t bot) {
    return 1 +
           (uint32_t)sql_number(transaction,
                                "SELECT count(*) FROM ratings r JOIN ratings o ON o.game = r.game "
                                "AND (o.rating, o.bot) > (r.rating, r.bot) WHERE r.bot = ?1",
                                VALUES(as_id(bot)));
}

StoreResult store_ratings_list(Store *store, const char *game, StorePage *page, StoreRating *rows,
                               Error *error) {
    Transaction transaction = transaction_read(store, error);
    transaction_snapshot(&transaction);
    sql_page(&transaction,
             SELECT ", r.rating, r.bot" FROM "WHERE r.game = ?4 AND (r.rating, r.bot) < (?1, ?2) "
                    "ORDER BY r.rating DESC, r.bot DESC LIMIT ?3",
             VALUES(as_text(game)), fields, page, rows, sizeof *rows);
    uint32_t first = page->count ? rank_of(&transaction, rows[0].bot) : 0;
    for (uint32_t i = 0; i < page->count; i++)
        rows[i].rank = first + i;
    return transaction_end(&transaction);
}

StoreResult store_rating_get(Store *store, uint64_t bot, StoreRating *rating, Error *error) {
    Transaction transaction = transaction_read(store, error);
    transaction_snapshot(&transaction);
    if (!sql_one(&transaction, SELECT FROM "WHERE r.bot = ?1", VALUES(as_id(bot)), fields, rating))
        transaction_reject(&transaction, STORE_NOT_FOUND, "bot %" PRIu64 " has no rating", bot);
    else
        rating->rank = rank_of(&transaction, bot);
    return transaction_end(&transaction);
}

StoreResult store_rating_history(Store *store, uint64_t bot, StorePage *page,
                                 StoreRatingPoint *rows, Error *error) {
    static const Field point_fields[] = {
        NUMBER_OF(StoreRatingPoint, time),        NUMBER_OF(StoreRatingPoint, version),
        THOUSANDTHS_OF(StoreRatingPoint, rating), THOUSANDTHS_OF(StoreRatingPoint, error),
        NUMBER_OF(StoreRatingPoint, matches),     {0}};
    return store_list(store,
                      "SELECT time, version, rating, error, matches, id, id FROM rating_points "
                      "WHERE bot = ?4 AND id < ?2 ORDER BY id DESC LIMIT ?3",
                      VALUES(as_id(bot)), point_fields, page, rows, sizeof *rows, error);
}
