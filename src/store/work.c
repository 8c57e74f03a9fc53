/* See work.h. */
#include "store/work.h"

#include "store/inside.h"

#include <assert.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

/* ---- beginning and ending ---- */

static void fail(Work *work) {
    if (work->result != STORE_OK)
        return;
    switch (database_error(work->database, work->error)) {
    case DATABASE_DUPLICATE:
        work->result = STORE_CONFLICT;
        break;
    case DATABASE_MISSING_REFERENCE:
        work->result = STORE_NOT_FOUND;
        break;
    case DATABASE_NOT_A_DATABASE:
    case DATABASE_FAILED:
        work->result = STORE_FAILED;
        break;
    }
}

Work work_read(Store *store, Error *error) {
    Work work = {.store = store, .error = error};
    work.database = store_take_reader(store, error);
    if (!work.database)
        work.result = STORE_FAILED;
    return work;
}

Work work_write(Store *store, Error *error) {
    Work work = {.store = store, .error = error, .writes = true};
    work.database = store_take_writer(store, error);
    if (!work.database)
        work.result = STORE_FAILED;
    else
        sql_run(&work, "BEGIN IMMEDIATE", NULL, 0);
    return work;
}

void work_snapshot(Work *work) {
    sql_run(work, "BEGIN", NULL, 0);
}

StoreResult work_done(Work *work) {
    if (!work->database)
        return work->result;
    if (work->writes)
        sql_run(work, "COMMIT", NULL, 0);
    database_end(work->database);
    if (database_in_transaction(work->database))
        database_script(work->database, "ROLLBACK", NULL);
    if (work->writes)
        store_give_writer(work->store);
    else
        store_give_reader(work->store, work->database);
    work->database = NULL;
    return work->result;
}

void work_refuse(Work *work, StoreResult result, const char *format, ...) {
    if (work->result != STORE_OK)
        return;
    Error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    error_set(work->error, "%s", error.text);
    work->result = result;
}

void work_explain(Work *work, StoreResult result, const char *format, ...) {
    if (work->result != result)
        return;
    Error error;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error.text, sizeof error.text, format, arguments);
    va_end(arguments);
    error_set(work->error, "%s", error.text);
}

void work_fits(Work *work, const char *what, const char *text, size_t size) {
    if (strlen(text) >= size)
        work_refuse(work, STORE_REFUSED, "%s is longer than %zu bytes", what, size - 1);
}

/* ---- statements ---- */

void sql_query(Work *work, const char *sql, const Value *values, size_t count) {
    if (work->result == STORE_OK && !database_start(work->database, sql, values, count))
        fail(work);
}

bool sql_row(Work *work) {
    if (work->result != STORE_OK)
        return false;
    switch (database_step(work->database)) {
    case STEP_ROW:
        return true;
    case STEP_FAILED:
        fail(work);
        break;
    case STEP_DONE:
        break;
    }
    database_end(work->database);
    return false;
}

int64_t sql_run(Work *work, const char *sql, const Value *values, size_t count) {
    sql_query(work, sql, values, count);
    sql_row(work);
    return work->result == STORE_OK ? database_changes(work->database) : 0;
}

int64_t sql_number(Work *work, const char *sql, const Value *values, size_t count) {
    sql_query(work, sql, values, count);
    int64_t number = 0;
    if (sql_row(work))
        number = database_number(work->database, 0);
    while (sql_row(work)) /* to the end: what RETURNING gives is written by then */
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

int row_read(const Work *work, int first, const Field *fields, void *to) {
    int column = first;
    for (const Field *field = fields; field->kind != FIELDS_END; field++, column++) {
        char *at = (char *)to + field->offset;
        if (field->kind == FIELD_TEXT)
            read_text(database_text(work->database, column), field->size, at);
        else if (field->kind == FIELD_NUMBER)
            read_number(database_number(work->database, column), field->size, at);
        else
            memcpy(at, &(double){(double)database_number(work->database, column) / 1000},
                   sizeof(double));
    }
    return column;
}

bool sql_one(Work *work, const char *sql, const Value *values, size_t count, const Field *fields,
             void *to) {
    sql_query(work, sql, values, count);
    if (!sql_row(work))
        return false;
    row_read(work, 0, fields, to);
    database_end(work->database);
    return true;
}

bool sql_text(Work *work, const char *sql, const Value *values, size_t count, Buffer *to) {
    sql_query(work, sql, values, count);
    if (!sql_row(work))
        return false;
    Slice text = database_text(work->database, 0);
    buffer_add(to, text.at, text.length);
    database_end(work->database);
    return true;
}

/* ---- lists ---- */

void page_values(StorePage *page, Value values[3]) {
    assert(page->limit >= 1 && page->limit <= STORE_PAGE_MAX);
    bool front = page->from.key == 0 && page->from.id == 0;
    values[0] = as_number(front ? INT64_MAX : page->from.key);
    values[1] = as_number(front ? INT64_MAX : page->from.id);
    values[2] =
        as_number((int64_t)page->limit + 1); /* one more tells whether there is a next page */
    page->count = 0;
    page->next = (StoreCursor){0};
}

void sql_page(Work *work, const char *sql, const Value *values, size_t count, const Field *fields,
              StorePage *page, void *rows, size_t row_size) {
    Value all[8];
    assert(count + 3 <= sizeof all / sizeof *all);
    page_values(page, all);
    for (size_t i = 0; i < count; i++)
        all[3 + i] = values[i];
    StoreCursor last = {0};
    sql_query(work, sql, all, count + 3);
    while (sql_row(work)) {
        if (page->count == page->limit) {
            page->next = last;
            break;
        }
        void *row = (char *)rows + page->count++ * row_size;
        memset(row, 0, row_size);
        int column = row_read(work, 0, fields, row);
        last.key = database_number(work->database, column);
        last.id = database_number(work->database, column + 1);
    }
    if (work->result != STORE_OK)
        page->count = 0;
}

StoreResult store_list(Store *store, const char *sql, const Value *values, size_t count,
                       const Field *fields, StorePage *page, void *rows, size_t row_size,
                       Error *error) {
    Work work = work_read(store, error);
    page->count = 0;
    sql_page(&work, sql, values, count, fields, page, rows, row_size);
    return work_done(&work);
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
