/* See transaction.h. */
#include "store/transaction.h"

#include "base/clock.h"
#include "store/internal.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- beginning and ending ---- */

static void fail(Transaction *transaction) {
    if (transaction->result != STORE_OK)
        return;
    switch (database_error(transaction->database, transaction->error)) {
    case DATABASE_DUPLICATE:
        transaction->result = STORE_CONFLICT;
        break;
    case DATABASE_MISSING_REFERENCE:
        transaction->result = STORE_NOT_FOUND;
        break;
    case DATABASE_COLLIDED:
        transaction->result = STORE_FAILED;
        transaction->collided = true;
        watch_happened(&transaction->store->watch, EVENT_COLLIDED, 1);
        break;
    case DATABASE_NOT_A_DATABASE:
    case DATABASE_FAILED:
        transaction->result = STORE_FAILED;
        break;
    }
}

static void begin(Transaction *transaction, DatabaseAccess access) {
    if (transaction->result == STORE_OK && !database_begin(transaction->database, access))
        fail(transaction);
}

Transaction transaction_read(Store *store, Error *error) {
    Transaction transaction = {
        .store = store, .error = error, .work = WORK_READ, .began = clock_now()};
    transaction.database = store_take_reader(store, error);
    if (transaction.database)
        store_clock_follow(&store->clock, transaction.database);
    else
        transaction.result = STORE_FAILED;
    return transaction;
}

static Transaction begin_write(Store *store, DatabaseAccess access, Error *error) {
    Transaction transaction = {.store = store,
                               .error = error,
                               .writes = true,
                               .alone = access == ACCESS_WRITE,
                               .work = access == ACCESS_WRITE          ? WORK_WRITE
                                       : access == ACCESS_WRITE_BESIDE ? WORK_BESIDE
                                                                       : WORK_QUEUE,
                               .began = clock_now()};
    transaction.database = store_take_writer(store, transaction.alone, error);
    if (transaction.database) {
        store_clock_follow(&store->clock, transaction.database);
        begin(&transaction, access);
    } else {
        transaction.result = STORE_FAILED;
    }
    return transaction;
}

Transaction transaction_write(Store *store, Error *error) {
    return begin_write(store, ACCESS_WRITE, error);
}

Transaction transaction_share(Store *store, Error *error) {
    return begin_write(store, ACCESS_WRITE_SHARED, error);
}

Transaction transaction_beside(Store *store, Error *error) {
    return begin_write(store, ACCESS_WRITE_BESIDE, error);
}

Transaction transaction_share_relaxed(Store *store, Error *error) {
    return begin_write(store, ACCESS_WRITE_RELAXED, error);
}

void transaction_relax(Transaction *transaction) {
    if (transaction->database && database_engine(transaction->database) == ENGINE_POSTGRES)
        sql_send(transaction, "SET LOCAL synchronous_commit = off", NULL, 0);
}

void transaction_snapshot(Transaction *transaction) {
    begin(transaction, ACCESS_READ);
}

static void report(const Transaction *transaction) {
    watch_worked(&transaction->store->watch, transaction->work, clock_now() - transaction->began,
                 transaction->result == STORE_FAILED && !transaction->collided);
}

StoreResult transaction_end(Transaction *transaction) {
    if (!transaction->database) {
        report(transaction);
        return transaction->result;
    }
    if (transaction->writes)
        sql_run(transaction, "COMMIT", NULL, 0);
    database_end(transaction->database);
    if (database_in_transaction(transaction->database))
        database_script(transaction->database, "ROLLBACK", NULL);
    if (transaction->writes)
        store_return_writer(transaction->store, transaction->database, transaction->alone);
    else
        store_return_reader(transaction->store, transaction->database);
    transaction->database = NULL;
    report(transaction);
    for (StoreNewsKind kind = 0; transaction->result == STORE_OK && kind < NEWS_KINDS; kind++)
        if (transaction->news >> kind & 1)
            store_news_send(transaction->store, kind, 0);
    return transaction->result;
}

void transaction_reject(Transaction *transaction, StoreResult result, const char *format, ...) {
    if (transaction->result != STORE_OK)
        return;
    Error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    error_set(transaction->error, "%s", error.text);
    transaction->result = result;
}

void transaction_explain(Transaction *transaction, StoreResult result, const char *format, ...) {
    if (transaction->result != result)
        return;
    Error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    error_set(transaction->error, "%s", error.text);
}

void transaction_check_length(Transaction *transaction, const char *what, const char *text,
                              size_t size) {
    if (strlen(text) >= size)
        transaction_reject(transaction, STORE_REJECTED, "%s is longer than %zu bytes", what,
                           size - 1);
}

/* ---- statements ---- */

void sql_query(Transaction *transaction, const char *sql, const Value *values, size_t count) {
    if (transaction->result == STORE_OK &&
        !database_start(transaction->database, sql, values, count))
        fail(transaction);
}

void sql_send(Transaction *transaction, const char *sql, const Value *values, size_t count) {
    if (transaction->result == STORE_OK &&
        !database_send(transaction->database, sql, values, count))
        fail(transaction);
}

bool sql_row(Transaction *transaction) {
    if (transaction->result != STORE_OK)
        return false;
    switch (database_step(transaction->database)) {
    case STEP_ROW:
        return true;
    case STEP_FAILED:
        fail(transaction);
        break;
    case STEP_DONE:
        break;
    }
    database_end(transaction->database);
    return false;
}

int64_t sql_run(Transaction *transaction, const char *sql, const Value *values, size_t count) {
    sql_query(transaction, sql, values, count);
    sql_row(transaction);
    return transaction->result == STORE_OK ? database_changes(transaction->database) : 0;
}

int64_t sql_number(Transaction *transaction, const char *sql, const Value *values, size_t count) {
    sql_query(transaction, sql, values, count);
    int64_t number = 0;
    if (sql_row(transaction))
        number = database_number(transaction->database, 0);
    while (sql_row(transaction)) /* a statement with RETURNING must be stepped to its end */
        continue;
    return number;
}

/* ---- rows ---- */

static void read_number(int64_t number, uint32_t size, void *to) {
    switch (size) {
    case sizeof(int64_t):
        memcpy(to, &number, sizeof number);
        break;
    case sizeof(int32_t):
        memcpy(to, &(int32_t){(int32_t)number}, sizeof(int32_t));
        break;
    default:
        assert(size == sizeof(bool));
        *(bool *)to = number != 0;
    }
}

static void read_text(Slice text, uint32_t size, char *to) {
    size_t length = text.length < size ? text.length : size - 1;
    if (length < text.length)
        while (length && ((unsigned char)text.at[length] & 0xc0) == 0x80)
            length--;
    memcpy(to, text.at, length);
    to[length] = '\0';
}

int row_read(const Transaction *transaction, int first, const Field *fields, void *to) {
    int column = first;
    for (const Field *field = fields; field->kind != FIELDS_END; field++, column++) {
        char *at = (char *)to + field->offset;
        if (field->kind == FIELD_TEXT)
            read_text(database_text(transaction->database, column), field->size, at);
        else if (field->kind == FIELD_NUMBER)
            read_number(database_number(transaction->database, column), field->size, at);
        else
            memcpy(at, &(double){(double)database_number(transaction->database, column) / 1000},
                   sizeof(double));
    }
    return column;
}

bool sql_one(Transaction *transaction, const char *sql, const Value *values, size_t count,
             const Field *fields, void *to) {
    sql_query(transaction, sql, values, count);
    if (!sql_row(transaction))
        return false;
    row_read(transaction, 0, fields, to);
    database_end(transaction->database);
    return true;
}

bool sql_text(Transaction *transaction, const char *sql, const Value *values, size_t count,
              Buffer *to) {
    sql_query(transaction, sql, values, count);
    if (!sql_row(transaction))
        return false;
    Slice text = database_text(transaction->database, 0);
    buffer_add(to, text.at, text.length);
    database_end(transaction->database);
    return true;
}

/* ---- lists ---- */

void page_values(StorePage *page, Value values[3]) {
    assert(page->limit >= 1 && page->limit <= STORE_PAGE_MAX);
    bool front = page->from.key == 0 && page->from.id == 0;
    values[0] = as_number(front ? INT64_MAX : page->from.key);
    values[1] = as_number(front ? INT64_MAX : page->from.id);
    /* An extra row shows whether there is a next page. */
    values[2] = as_number((int64_t)page->limit + 1);
    page->count = 0;
    page->next = (StoreCursor){0};
}

void sql_page(Transaction *transaction, const char *sql, const Value *values, size_t count,
              const Field *fields, StorePage *page, void *rows, size_t row_size) {
    Value all[8];
    assert(count + 3 <= sizeof all / sizeof *all);
    page_values(page, all);
    for (size_t i = 0; i < count; i++)
        all[3 + i] = values[i];
    StoreCursor last = {0};
    sql_query(transaction, sql, all, count + 3);
    while (sql_row(transaction)) {
        if (page->count == page->limit) {
            page->next = last;
            break;
        }
        void *row = (char *)rows + page->count++ * row_size;
        memset(row, 0, row_size);
        int column = row_read(transaction, 0, fields, row);
        last.key = database_number(transaction->database, column);
        last.id = database_number(transaction->database, column + 1);
    }
    if (transaction->result != STORE_OK)
        page->count = 0;
}

StoreResult store_list(Store *store, const char *sql, const Value *values, size_t count,
                       const Field *fields, StorePage *page, void *rows, size_t row_size,
                       Error *error) {
    Transaction transaction = transaction_read(store, error);
    page->count = 0;
    sql_page(&transaction, sql, values, count, fields, page, rows, row_size);
    return transaction_end(&transaction);
}

void store_cursor_write(StoreCursor cursor, char text[STORE_CURSOR_SIZE]) {
    text[0] = '\0';
    if (cursor.key || cursor.id)
        snprintf(text, STORE_CURSOR_SIZE, "%" PRId64 ".%" PRId64, cursor.key, cursor.id);
}

bool store_cursor_read(Slice text, StoreCursor *cursor) {
    *cursor = (StoreCursor){0};
    if (!text.length)
        return true;
    const char *dot = memchr(text.at, '.', text.length);
    if (!dot)
        return false;
    Slice key = {text.at, (size_t)(dot - text.at)};
    Slice id = {dot + 1, text.length - key.length - 1};
    return slice_int(key, &cursor->key) && slice_int(id, &cursor->id);
}
