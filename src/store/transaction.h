/* Inside the store: a piece of work on the database, from taking a database to giving it back.

     Transaction transaction = transaction_write(store, error);
     if (!sql_run(&transaction, "UPDATE ...", VALUES(as_id(id))))
         transaction_reject(&transaction, STORE_NOT_FOUND, "there is no bot %" PRIu64, id);
     return transaction_end(&transaction);

   The first thing that goes wrong decides the result and the sentence; from then on every step is
   skipped, and in the end nothing has changed. */
#ifndef STORE_TRANSACTION_H
#define STORE_TRANSACTION_H

#include "sql/database.h"
#include "store/types.h"

#include <stddef.h>

typedef struct Transaction {
    Store *store;
    Database *database; /* NULL once it has failed for want of one */
    Error *error;
    StoreResult result;
    bool writes;
} Transaction;

/* Takes a database for reading; every statement sees the last commit before it. */
Transaction transaction_read(Store *store, Error *error);

/* From here to the end of a work that reads, all statements see one moment. */
void transaction_snapshot(Transaction *transaction);

/* Waits for its turn, and opens a transaction. */
Transaction transaction_write(Store *store, Error *error);

/* Commits, or undoes everything if something went wrong. The work is over. */
StoreResult transaction_end(Transaction *transaction);

void transaction_reject(Transaction *transaction, StoreResult result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Where the engine answered with `result`, says in better words what that means here. */
void transaction_explain(Transaction *transaction, StoreResult result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Refuses a text that is longer than the rows of its list can show. */
void transaction_check_length(Transaction *transaction, const char *what, const char *text,
                              size_t size);

/* ---- statements ---- */

/* Runs a statement that gives no rows; how many it changed. */
int64_t sql_run(Transaction *transaction, const char *sql, const Value *values, size_t count);

/* Runs a statement that gives one number (an id, a count); 0 if it gave no row. */
int64_t sql_number(Transaction *transaction, const char *sql, const Value *values, size_t count);

/* Starts a statement whose rows are then taken one by one. It need not be read to its end. */
void sql_query(Transaction *transaction, const char *sql, const Value *values, size_t count);
bool sql_row(Transaction *transaction);

/* ---- rows ---- */

typedef enum FieldKind { FIELDS_END, FIELD_NUMBER, FIELD_TEXT, FIELD_THOUSANDTHS } FieldKind;

/* Where a column goes in a struct. A list of them stands in the order of the columns. */
typedef struct Field {
    FieldKind kind;
    uint32_t size;
    size_t offset;
} Field;

#define FIELD_OF(kind, type, member) \
 { kind, sizeof(((type *)0)->member), offsetof(type, member) }
#define NUMBER_OF(type, member) FIELD_OF(FIELD_NUMBER, type, member)
#define TEXT_OF(type, member) FIELD_OF(FIELD_TEXT, type, member)
#define THOUSANDTHS_OF(type, member) FIELD_OF(FIELD_THOUSANDTHS, type, member)

/* Reads the current row, from column `first` on; returns the column behind. Texts are cut to fit,
   between characters. */
int row_read(const Transaction *transaction, int first, const Field *fields, void *to);

/* Reads the one row of a statement; false if there is none, or if it failed. */
bool sql_one(Transaction *transaction, const char *sql, const Value *values, size_t count,
             const Field *fields, void *to);

/* Appends the one text of a statement; false likewise. */
bool sql_text(Transaction *transaction, const char *sql, const Value *values, size_t count,
              Buffer *to);

/* ---- lists ---- */

/* Fills a page. The statement takes ?1 and ?2, the place to begin behind, and ?3, the number of
   rows; then the values (a list by id alone has no use for ?1). Its columns are the fields', and
   then the key and the id that order it, both falling. */
void sql_page(Transaction *transaction, const char *sql, const Value *values, size_t count,
              const Field *fields, StorePage *page, void *rows, size_t row_size);

/* The same as a work of its own. */
StoreResult store_list(Store *store, const char *sql, const Value *values, size_t count,
                       const Field *fields, StorePage *page, void *rows, size_t row_size,
                       Error *error);

/* For lists that read their rows themselves: ?1, ?2, ?3 of the page. */
void page_values(StorePage *page, Value values[3]);

#endif
