/* Inside the store: a transaction, from borrowing a connection to returning it.

     Transaction transaction = transaction_write(store, error);
     if (!sql_run(&transaction, "UPDATE ...", VALUES(as_id(id))))
         transaction_reject(&transaction, STORE_NOT_FOUND, "there is no bot %" PRIu64, id);
     return transaction_end(&transaction);

   The first failure determines the result and the message. All later steps are skipped, and the
   transaction is rolled back at its end. */
#ifndef STORE_TRANSACTION_H
#define STORE_TRANSACTION_H

#include "sql/database.h"
#include "store/news.h"
#include "store/types.h"
#include "store/watch.h"

#include <stddef.h>

typedef struct Transaction {
    Store *store;
    Database *database; /* NULL if no connection could be opened */
    Error *error;
    StoreResult result;
    bool writes;
    uint32_t news; /* bits by StoreNewsKind: news to send after the commit */
    bool alone;    /* no other transaction writes meanwhile */
    /* it failed because of a concurrent transaction: it changed nothing and may be retried */
    bool collided;
    StoreWork work;
    int64_t began; /* clock_now */
} Transaction;

/* Starts a transaction that only reads; every statement sees the latest commit. */
Transaction transaction_read(Store *store, Error *error);

/* From here on, all statements of a reading transaction see the same snapshot. */
void transaction_snapshot(Transaction *transaction);

/* Starts a transaction that writes alone: waits until no other transaction writes. */
Transaction transaction_write(Store *store, Error *error);

/* Starts a transaction that writes concurrently with others started by this function; on SQLite the
   same as transaction_write. Only for the queue, see queue_internal.h. */
Transaction transaction_share(Store *store, Error *error);

/* Starts a transaction that writes concurrently with all others, and waits only for those that
   write the same rows; on SQLite the same as transaction_write. For rows that nothing else depends
   on. */
Transaction transaction_beside(Store *store, Error *error);

/* As transaction_share, but the commit does not wait for the disk of a PostgreSQL server. If the
   server crashes in the next second, the transaction may be lost as a whole. */
Transaction transaction_share_relaxed(Store *store, Error *error);

/* Makes the commit of a transaction that has begun not wait for the disk either. */
void transaction_relax(Transaction *transaction);

/* Sends news of this kind to other processes after the commit. */
static inline void transaction_tell(Transaction *transaction, StoreNewsKind kind) {
    transaction->news |= UINT32_C(1) << kind;
}

/* Commits, or rolls back after a failure. */
StoreResult transaction_end(Transaction *transaction);

void transaction_reject(Transaction *transaction, StoreResult result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Replaces the engine's message if the transaction failed with `result`. */
void transaction_explain(Transaction *transaction, StoreResult result, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Rejects a text that does not fit into its field of a row. */
void transaction_check_length(Transaction *transaction, const char *what, const char *text,
                              size_t size);

/* ---- statements ---- */

/* Runs a statement that returns no rows; returns how many rows it changed. */
int64_t sql_run(Transaction *transaction, const char *sql, const Value *values, size_t count);

/* Runs a statement that returns no rows, possibly together with the next one, which then reports a
   failure of this one. */
void sql_send(Transaction *transaction, const char *sql, const Value *values, size_t count);

/* Runs a statement that returns one number (an id, a count); 0 if it returned no row. */
int64_t sql_number(Transaction *transaction, const char *sql, const Value *values, size_t count);

/* Starts a statement; sql_row then steps through its rows. It need not be read to the end. */
void sql_query(Transaction *transaction, const char *sql, const Value *values, size_t count);
bool sql_row(Transaction *transaction);

/* ---- rows ---- */

typedef enum FieldKind { FIELDS_END, FIELD_NUMBER, FIELD_TEXT, FIELD_THOUSANDTHS } FieldKind;

/* The member of a struct that receives a column. Lists of fields are in the order of the
   columns. */
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

/* Reads the current row from column `first` on; returns the next column. Texts that do not fit are
   truncated, never within a character. */
int row_read(const Transaction *transaction, int first, const Field *fields, void *to);

/* Reads the only row of a statement; false if there is none or it failed. */
bool sql_one(Transaction *transaction, const char *sql, const Value *values, size_t count,
             const Field *fields, void *to);

/* Appends the only text of a statement; false if there is none or it failed. */
bool sql_text(Transaction *transaction, const char *sql, const Value *values, size_t count,
              Buffer *to);

/* ---- lists ---- */

/* Fills a page. The statement takes the cursor as ?1 (key) and ?2 (id), the number of rows as ?3,
   then the values; a list ordered by id does not use ?1. Its columns are the fields, then the key
   and the id that order it, both descending. */
void sql_page(Transaction *transaction, const char *sql, const Value *values, size_t count,
              const Field *fields, StorePage *page, void *rows, size_t row_size);

/* Runs sql_page in its own transaction. */
StoreResult store_list(Store *store, const char *sql, const Value *values, size_t count,
                       const Field *fields, StorePage *page, void *rows, size_t row_size,
                       Error *error);

/* Sets the parameters ?1 to ?3 of a page, for lists that read their rows themselves. */
void page_values(StorePage *page, Value values[3]);

#endif
