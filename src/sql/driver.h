/* Inside sql/: a driver implements database.h for one database engine. database.c chooses it by the
   name of a database and forwards each call to it. */
#ifndef SQL_DRIVER_H
#define SQL_DRIVER_H

#include "base/buffer.h"
#include "sql/database.h"

/* The functions of database.h, for one engine. */
typedef struct DatabaseDriver {
    DatabaseEngine kind;
    Database *(*open)(const char *name, DatabaseKind kind, bool relaxed, Error *error);
    void (*close)(Database *database);
    const char *(*path)(Database *database);
    bool (*begin)(Database *database, DatabaseAccess access);
    bool (*start)(Database *database, const char *sql, const Value *values, size_t count);
    bool (*send)(Database *database, const char *sql, const Value *values, size_t count);
    Step (*step)(Database *database);
    void (*end)(Database *database);
    int64_t (*changes)(Database *database);
    int64_t (*last_id)(Database *database);
    int64_t (*number)(Database *database, int column);
    Slice (*text)(Database *database, int column);
    Slice (*bytes)(Database *database, int column);
    DatabaseError (*error)(Database *database, Error *error);
    bool (*in_transaction)(Database *database);
    bool (*script)(Database *database, const char *sql, Error *error);
    int64_t (*query_number)(Database *database, const char *sql);
    bool (*read_stamp)(Database *database, DatabaseStamp *stamp, Error *error);
    bool (*write_stamp)(Database *database, const DatabaseStamp *stamp, Error *error);
    bool (*use_wal)(Database *database, Error *error);
    uint32_t (*wal_pages)(Database *database);
    bool (*checkpoint)(Database *database, bool whole, Error *error);
    void (*remove_wal)(Database *database);
    bool (*copy)(Database *from, Database *to, Error *error);
    bool (*check)(Database *database, Error *error);
    void (*query_plans)(Database *database,
                        void (*take)(void *context, const char *sql, const char *plan),
                        void *context);
} DatabaseDriver;

/* The first member of each engine's own struct. */
struct Database {
    const DatabaseDriver *driver;
};

extern const DatabaseDriver sqlite_driver;
extern const DatabaseDriver postgres_driver;

/* The maximum number of values in a statement. */
enum { VALUES_MAX = 24 };

/* ---- prepared statements ---- */

enum { CACHE_SLOTS = 512 };

typedef struct Prepared {
    const char *sql;
    void *statement; /* the engine's */
} Prepared;

/* A hash table with open addressing. The key is the address of the text, because statements are
   constants of the program. */
typedef struct StatementCache {
    Prepared slots[CACHE_SLOTS];
    uint32_t count;
} StatementCache;

/* The slot of a statement; its `sql` is NULL if the statement has not been added yet. */
Prepared *statement_slot(StatementCache *cache, const char *sql);

/* Fills an empty slot. */
void statement_add(StatementCache *cache, Prepared *slot, const char *sql, void *statement);

/* ---- values ---- */

/* The text of a value as UTF-8. If it contains invalid bytes, the corrected text is in `valid`. */
Slice value_text(const Value *value, Buffer *valid);

#endif
