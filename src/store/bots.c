/* See bots.h. */
#include "store/bots.h"

#include "store/internal.h"
#include "store/queue_internal.h"
#include "store/queue_share.h"
#include "store/sql_enums.h"
#include "store/store.h"

#include <inttypes.h>

/* ---- bots ---- */

static const Field bot_fields[] = {NUMBER_OF(StoreBot, id),
                                   NUMBER_OF(StoreBot, owner),
                                   TEXT_OF(StoreBot, name),
                                   TEXT_OF(StoreBot, owner_name),
                                   TEXT_OF(StoreBot, game),
                                   NUMBER_OF(StoreBot, active),
                                   NUMBER_OF(StoreBot, active_number),
                                   NUMBER_OF(StoreBot, versions),
                                   NUMBER_OF(StoreBot, published),
                                   NUMBER_OF(StoreBot, retired),
                                   NUMBER_OF(StoreBot, created),
                                   NUMBER_OF(StoreBot, suspended),
                                   {0}};

/* The bots of a suspended account do not play. */
#define PLAYS "CASE WHEN a.state <> " SQL_ACCOUNT_SUSPENDED " THEN b.active END"
#define BOT_SELECT                                           \
 "SELECT b.id, b.owner, b.name, a.name, b.game, " PLAYS ", " \
 "(SELECT number FROM versions WHERE id = " PLAYS            \
 "), b.versions, b.published, b.retired, b.created, a.state = " SQL_ACCOUNT_SUSPENDED
#define BOT_FROM " FROM bots b JOIN accounts a ON a.id = b.owner "

StoreResult store_bot_add(Store *store, uint64_t owner, const char *game, const char *name,
                          uint64_t *id, Error *error) {
    if (!store_name_check("a bot", slice_of(name), error))
        return STORE_REJECTED;
    char key[STORE_NAME_SIZE];
    store_name_key(slice_of(name), key);
    Transaction transaction = transaction_write(store, error);
    transaction_check_length(&transaction, "the name of the game", game, STORE_GAME_SIZE);
    if (!sql_number(&transaction,
                    "SELECT id FROM accounts WHERE id = ?1 AND state <> " SQL_ACCOUNT_DELETED,
                    VALUES(as_id(owner))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown account %" PRIu64, owner);
    uint64_t made = (uint64_t)sql_number(
        &transaction,
        "INSERT INTO bots (owner, game, name, name_key, published, retired, versions, created) "
        "VALUES (?1, ?2, ?3, ?4, 0, 0, 0, ?5) RETURNING id",
        VALUES(as_id(owner), as_text(game), as_text(name), as_text(key),
               as_number(store_now(store))));
    transaction_explain(&transaction, STORE_CONFLICT,
                        "this account already has a bot called \"%s\"; choose another name", name);
    StoreResult result = transaction_end(&transaction);
    if (result == STORE_OK && id)
        *id = made;
    return result;
}

StoreResult store_bot_get(Store *store, uint64_t id, StoreBot *bot, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_one(&transaction, BOT_SELECT BOT_FROM "WHERE b.id = ?1", VALUES(as_id(id)), bot_fields,
                 bot))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown bot %" PRIu64, id);
    return transaction_end(&transaction);
}

StoreResult store_bot_find(Store *store, Slice owner, Slice name, StoreBot *bot, Error *error) {
    char keys[2][STORE_NAME_SIZE] = {"", ""};
    if (store_name_check("an account", owner, NULL) && store_name_check("a bot", name, NULL)) {
        store_name_key(owner, keys[0]);
        store_name_key(name, keys[1]);
    }
    Transaction transaction = transaction_read(store, error);
    if (!sql_one(&transaction, BOT_SELECT BOT_FROM "WHERE a.name_key = ?1 AND b.name_key = ?2",
                 VALUES(as_text(keys[0]), as_text(keys[1])), bot_fields, bot))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown bot \"%.*s/%.*s\"",
                           SLICE_ARGS(owner), SLICE_ARGS(name));
    return transaction_end(&transaction);
}

#define BOT_PAGE "b.retired = 0 AND b.id < ?2 ORDER BY b.id DESC LIMIT ?3"

StoreResult store_bots_list(Store *store, uint64_t owner, const char *game, StorePage *page,
                            StoreBot *rows, Error *error) {
    static const char *const lists[2][2] = {
        {BOT_SELECT ", b.id, b.id" BOT_FROM "WHERE " BOT_PAGE,
         BOT_SELECT ", b.id, b.id" BOT_FROM "WHERE b.game = ?5 AND " BOT_PAGE},
        {BOT_SELECT ", b.id, b.id" BOT_FROM "WHERE b.owner = ?4 AND " BOT_PAGE,
         BOT_SELECT ", b.id, b.id" BOT_FROM "WHERE b.owner = ?4 AND b.game = ?5 AND " BOT_PAGE},
    };
    return store_list(store, lists[owner != 0][game != NULL],
                      (const Value[]){as_id(owner), as_text(game)},
                      game    ? 2
                      : owner ? 1
                              : 0,
                      bot_fields, page, rows, sizeof *rows, error);
}

StoreResult store_bots_search(Store *store, uint64_t owner, const char *game, Slice text,
                              StorePage *page, StoreBot *rows, Error *error) {
    static const char *const lists[2][2] = {
        {BOT_SELECT ", b.id, b.id" BOT_FROM "WHERE b.name_key LIKE ?4 AND " BOT_PAGE, BOT_SELECT
         ", b.id, b.id" BOT_FROM "WHERE b.game = ?6 AND b.name_key LIKE ?4 AND " BOT_PAGE},
        {BOT_SELECT ", b.id, b.id" BOT_FROM
                    "WHERE b.owner = ?5 AND b.name_key LIKE ?4 AND " BOT_PAGE,
         BOT_SELECT ", b.id, b.id" BOT_FROM
                    "WHERE b.owner = ?5 AND b.game = ?6 AND b.name_key LIKE ?4 AND " BOT_PAGE},
    };
    char pattern[SEARCH_SIZE];
    search_pattern(text, pattern);
    return store_list(store, lists[owner != 0][game != NULL],
                      (const Value[]){as_text(pattern), as_id(owner), as_text(game)},
                      game    ? 3
                      : owner ? 2
                              : 1,
                      bot_fields, page, rows, sizeof *rows, error);
}

StoreResult store_bot_publish(Store *store, uint64_t id, bool published, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction, "UPDATE bots SET published = ?2 WHERE id = ?1 AND retired = 0",
                 VALUES(as_id(id), as_number(published))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown bot %" PRIu64, id);
    return transaction_end(&transaction);
}

void bot_withdraw(Transaction *transaction, uint64_t bot) {
    queue_drop_bot(transaction, bot);
    sql_run(transaction, "DELETE FROM ratings WHERE bot = ?1", VALUES(as_id(bot)));
    sql_run(transaction,
            "DELETE FROM entrants WHERE bot = ?1 AND tournament IN "
            "(SELECT id FROM tournaments WHERE state = " SQL_TOURNAMENT_OPEN ")",
            VALUES(as_id(bot)));
}

StoreResult store_bot_retire(Store *store, uint64_t id, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_run(&transaction,
                 "UPDATE bots SET retired = 1, name_key = NULL, active = NULL "
                 "WHERE id = ?1 AND retired = 0",
                 VALUES(as_id(id))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown bot %" PRIu64, id);
    bot_withdraw(&transaction, id);
    return transaction_end(&transaction);
}

/* ---- versions ---- */

static const Field version_fields[] = {NUMBER_OF(StoreVersion, id),
                                       NUMBER_OF(StoreVersion, bot),
                                       NUMBER_OF(StoreVersion, number),
                                       NUMBER_OF(StoreVersion, build),
                                       TEXT_OF(StoreVersion, language),
                                       TEXT_OF(StoreVersion, file_name),
                                       TEXT_OF(StoreVersion, source.name),
                                       TEXT_OF(StoreVersion, product.name),
                                       NUMBER_OF(StoreVersion, size),
                                       NUMBER_OF(StoreVersion, created),
                                       NUMBER_OF(StoreVersion, built),
                                       NUMBER_OF(StoreVersion, check),
                                       NUMBER_OF(StoreVersion, check_errors),
                                       NUMBER_OF(StoreVersion, check_warnings),
                                       {0}};

#define OF_CHECK "FROM checks WHERE version = versions.id"
#define VERSION_COLUMNS                                                                           \
 "id, bot, number, build, language, file_name, source, product, size, created, built, "           \
 "coalesce((SELECT CASE WHEN expires > 0 THEN " SQL_CHECK_RUNNING " ELSE " SQL_CHECK_WAITING      \
 " END FROM jobs WHERE version = versions.id AND kind = " SQL_JOB_CHECK "), "                     \
 "(SELECT CASE WHEN failure = '' THEN " SQL_CHECK_DONE " ELSE " SQL_CHECK_FAILED " END " OF_CHECK \
 "), " SQL_CHECK_NONE "), coalesce((SELECT errors " OF_CHECK "), 0), "                            \
 "coalesce((SELECT warnings " OF_CHECK "), 0)"

StoreResult store_version_add(Store *store, const StoreNewVersion *version, uint64_t *id,
                              Error *error) {
    if (!version->source.name[0]) {
        error_set(error, "a version needs its source");
        return STORE_REJECTED;
    }
    StoreResult result = files_need(store, &version->source, error);
    if (result != STORE_OK)
        return result;
    Transaction transaction = transaction_write(store, error);
    transaction_check_length(&transaction, "the name of the language", version->language,
                             STORE_GAME_SIZE);
    transaction_check_length(&transaction, "the name of the file", version->file_name,
                             STORE_LABEL_SIZE);
    char requester[REQUESTER_SIZE];
    share_of_account((uint64_t)sql_number(&transaction, "SELECT owner FROM bots WHERE id = ?1",
                                          VALUES(as_id(version->bot))),
                     requester);
    if (version->most)
        queue_check_most(&transaction, requester, URGENCY_BUILD, version->most, "builds");
    int64_t next = sql_number(
        &transaction,
        "UPDATE bots SET versions = versions + 1 WHERE id = ?1 AND retired = 0 RETURNING versions",
        VALUES(as_id(version->bot)));
    if (!next)
        transaction_reject(&transaction, STORE_NOT_FOUND, "unknown bot %" PRIu64, version->bot);
    uint64_t made = (uint64_t)sql_number(
        &transaction,
        "INSERT INTO versions (bot, number, language, file_name, source, size, spec, build, log, "
        "product, created, built) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, " SQL_BUILD_WAITING
        ", '', '', ?8, 0) "
        "RETURNING id",
        VALUES(as_id(version->bot), as_number(next), as_text(version->language),
               as_text(version->file_name), as_text(version->source.name), as_number(version->size),
               as_text(version->spec), as_number(store_now(store))));
    queue_add(&transaction, JOB_BUILD, URGENCY_BUILD, made, requester, version->request);
    result = transaction_end(&transaction);
    if (result == STORE_OK && id)
        *id = made;
    return result;
}

static void no_version(Transaction *transaction, uint64_t id) {
    transaction_reject(transaction, STORE_NOT_FOUND, "unknown version %" PRIu64, id);
}

StoreResult store_version_get(Store *store, uint64_t id, StoreVersion *version, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_one(&transaction, "SELECT " VERSION_COLUMNS " FROM versions WHERE id = ?1",
                 VALUES(as_id(id)), version_fields, version))
        no_version(&transaction, id);
    return transaction_end(&transaction);
}

StoreResult store_versions_list(Store *store, uint64_t bot, StorePage *page, StoreVersion *rows,
                                Error *error) {
    return store_list(store,
                      "SELECT " VERSION_COLUMNS ", id, id FROM versions WHERE bot = ?4 "
                      "AND id < ?2 ORDER BY id DESC LIMIT ?3",
                      VALUES(as_id(bot)), version_fields, page, rows, sizeof *rows, error);
}

StoreResult store_version_log(Store *store, uint64_t id, Buffer *log, Error *error) {
    Transaction transaction = transaction_read(store, error);
    if (!sql_text(&transaction, "SELECT log FROM versions WHERE id = ?1", VALUES(as_id(id)), log))
        no_version(&transaction, id);
    return transaction_end(&transaction);
}

StoreResult store_version_check(Store *store, uint64_t id, int64_t *time, Buffer *report,
                                Buffer *failure, Error *error) {
    *time = 0;
    Transaction transaction = transaction_read(store, error);
    sql_query(&transaction, "SELECT time, report, failure FROM checks WHERE version = ?1",
              VALUES(as_id(id)));
    if (sql_row(&transaction)) {
        *time = database_number(transaction.database, 0);
        Slice texts[2] = {database_text(transaction.database, 1),
                          database_text(transaction.database, 2)};
        buffer_add(report, texts[0].at, texts[0].length);
        buffer_add(failure, texts[1].at, texts[1].length);
    }
    return transaction_end(&transaction);
}

StoreResult store_version_activate(Store *store, uint64_t bot, uint64_t version, Error *error) {
    Transaction transaction = transaction_write(store, error);
    if (!sql_number(&transaction, "SELECT 1 FROM versions WHERE id = ?1 AND bot = ?2",
                    VALUES(as_id(version), as_id(bot))))
        transaction_reject(&transaction, STORE_NOT_FOUND, "bot %" PRIu64 " has no version %" PRIu64,
                           bot, version);
    if (!sql_number(
            &transaction,
            "SELECT 1 FROM versions WHERE id = ?1 AND source <> '' AND build = " SQL_BUILD_GOOD,
            VALUES(as_id(version))))
        transaction_reject(&transaction, STORE_REJECTED,
                           "only a version that was built successfully and not deleted can be "
                           "active");
    if (!sql_run(&transaction, "UPDATE bots SET active = ?2 WHERE id = ?1 AND retired = 0",
                 VALUES(as_id(bot), as_id(version))))
        transaction_reject(&transaction, STORE_REJECTED, "bot %" PRIu64 " is retired", bot);
    return transaction_end(&transaction);
}
