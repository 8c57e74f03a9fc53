/* PostgreSQL as the engine of a database, through libpq; see database.h.

   Statements are the same as for SQLite, except that ?1 becomes $1. A number is passed as a bigint
   and a text as a text; PostgreSQL infers the type of a NULL. Results are read completely.

   A write transaction begins by taking an advisory lock that all processes use, either exclusive
   (ACCESS_WRITE) or shared (ACCESS_WRITE_SHARED). The lock is taken before the first snapshot,
   every statement sees what was committed before it (READ COMMITTED), and PostgreSQL releases the
   lock after the commit is visible. So a transaction that writes alone sees everything that earlier
   ones wrote and nothing unfinished, and does not fail because of another one, as with SQLite. The
   transactions that share the lock, which are the frequent ones, rely on row locks; their authors
   define which rows to lock and in which order (see store/queue_internal.h). Waiting transactions
   queue up, so neither kind can starve the other.

   While a response is overdue, checks whether the server still responds; see postgres_connect.h.

   After a failure, only work that has changed nothing is retried: if the server closed an idle
   connection, the first statement on it fails, and is retried once on a new connection if it begins
   a transaction or reads. A transaction in progress fails, and the next one reconnects.

   The URI may contain a password. Only `path`, which has none, may appear in messages. */
#include "base/memory.h"
#include "sql/driver.h"
#include "sql/postgres_connect.h"
#include "sql/postgres_uri.h"

#include <inttypes.h>
#include <libpq-fe.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SENT_MAX = 100, /* statements; so few that their results fit into the socket's buffer */
    BOOL_TYPE = 16, /* these are fixed numbers of pg_type */
    BYTEA_TYPE = 17,
    BIGINT_TYPE = 20,
    TEXT_TYPE = 25,
    OLDEST_SERVER = 150000,
    NAME_SIZE = 12,
    NUMBER_SIZE = 24,
};

/* "SKST" as a number, the key of the advisory lock. */
#define WRITER_LOCK "1397445460"

typedef struct Statement {
    char *sql; /* with $1 for ?1 */
    char name[NAME_SIZE];
    uint32_t uses;       /* a bit for each value that it uses */
    uint32_t connection; /* the connection on which it was prepared */
} Statement;

typedef struct Postgres {
    Database base;
    char *uri;
    char *path; /* the URI without password and options */
    DatabaseKind kind;
    bool relaxed;
    PGconn *handle;
    uint32_t connection; /* counts the connections, because each has its own prepared statements */
    bool lost;           /* the connection is broken */
    bool in_transaction; /* stays true if the connection is lost during the transaction */
    bool opening;        /* only BEGIN and the lock were sent, and no response was read yet */
    DatabaseAccess access; /* of that transaction */
    StatementCache cache;  /* of Statement */
    uint32_t sent;         /* statements whose results have not been read yet */
    PGresult *result;      /* of the current statement */
    int row;
    int64_t changes;
    Buffer bytes;             /* the last result of database_bytes */
    Buffer valid[VALUES_MAX]; /* texts of the current statement that were not UTF-8 */
    DatabaseError failure;
    Error failed;
} Postgres;

static _Atomic uint64_t reconnects; /* of this process */

static Postgres *postgres_of(Database *database) {
    return (Postgres *)database;
}

/* ---- errors ---- */

/* Adds the lines of a message of libpq, without hints. */
static void add_message(Buffer *to, const char *message) {
    Slice rest = slice_of(message);
    Slice line;
    size_t before = to->length;
    while (slice_line(&rest, &line)) {
        if (!line.length || line.at[0] == '\t')
            continue;
        if (to->length > before)
            buffer_text(to, ", ");
        buffer_add(to, line.at, line.length);
    }
}

static bool fail(Postgres *postgres, const char *cause, const char *remedy) {
    Buffer message = {0};
    add_message(&message, cause);
    error_set(&postgres->failed, "%s: %s%s%s", postgres->path, buffer_string(&message),
              remedy ? "; " : "", remedy ? remedy : "");
    postgres->failure = DATABASE_FAILED;
    buffer_free(&message);
    return false;
}

/* Failures to connect have no code, so the remedy is derived from the text. */
static bool fail_to_connect(Postgres *postgres) {
    static const char *const remedies[][2] = {
        {"certificate", "check the host name and the option sslrootcert of the URI"},
        {"server does not support SSL", "turn on ssl on the server, or lower sslmode in the URI"},
        {"password authentication failed", "check the user name and the password"},
        {"no password supplied", "set a password in a file named by PGPASSFILE, or in the URI"},
        {"does not exist", "create it, or check its name"},
        {"could not translate host name", "check the host name"},
        {"no pg_hba.conf entry", "allow this user and address in pg_hba.conf"},
        {"too many", "raise max_connections of the server"},
        {"read-only", "name the primary server in the URI"},
    };
    const char *cause = PQerrorMessage(postgres->handle);
    const char *remedy = "check that the server is running and accepts connections from here";
    for (size_t i = sizeof remedies / sizeof *remedies; i-- > 0;)
        if (strstr(cause, remedies[i][0]))
            remedy = remedies[i][1];
    return fail(postgres, cause, remedy);
}

/* Codes of failures that an operator can fix, with messages of this program. */
static const struct {
    const char *code;
    const char *cause; /* NULL: PostgreSQL's own message */
    const char *remedy;
} known_failures[] = {
    {"25006", "the database is read-only", "name the primary server in the URI"},
    {"3F000", NULL, "make this role the owner of the database"},
    {"42501", NULL,
     "make this role the owner of the database; for a worker, see `skirmish help worker`"},
    {"53100", "the disk of the database server is full", NULL},
    {"55P03", "another process has been writing for more than 10 s", "try again later"},
};

/* Records why the last statement failed. */
static bool fail_at(Postgres *postgres, const PGresult *result, const char *sql) {
    const char *code = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    /* An error without a code comes from libpq itself: it could not reach the server. */
    postgres->lost = !code || PQstatus(postgres->handle) != CONNECTION_OK;
    if (postgres->lost)
        return strcmp(sql, "COMMIT") == 0
                   ? fail(postgres, "the connection was lost during a commit",
                          "the last change may or may not have been saved")
                   : fail(postgres, "the connection was lost", "try again");
    if (strcmp(code, "23505") == 0) {
        postgres->failure = DATABASE_DUPLICATE;
        return error_set(&postgres->failed, "this exists already");
    }
    if (strcmp(code, "23503") == 0) {
        postgres->failure = DATABASE_MISSING_REFERENCE;
        return error_set(&postgres->failed, "something this refers to does not exist");
    }
    if (strcmp(code, "40P01") == 0 || strcmp(code, "40001") == 0) {
        fail(postgres, "a conflict with another transaction", "try again");
        postgres->failure = DATABASE_COLLIDED;
        return false;
    }
    const char *cause = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    for (size_t i = 0; i < sizeof known_failures / sizeof *known_failures; i++)
        if (strcmp(code, known_failures[i].code) == 0)
            return fail(postgres,
                        known_failures[i].cause ? known_failures[i].cause
                        : cause                 ? cause
                                                : code,
                        known_failures[i].remedy);
    return fail(postgres, cause ? cause : code, NULL);
}

static DatabaseError postgres_error(Database *database, Error *error) {
    const Postgres *postgres = postgres_of(database);
    error_set(error, "%s", postgres->failed.text);
    return postgres->failure;
}

/* ---- connecting ---- */

static void ignore_notice(void *context, const char *message) {
    (void)context;
    (void)message;
}

static bool check_server(Postgres *postgres) {
    int version = PQserverVersion(postgres->handle);
    if (version < OLDEST_SERVER) {
        char cause[64];
        snprintf(cause, sizeof cause, "the server is PostgreSQL %d", version / 10000);
        return fail(postgres, cause, "Skirmish needs PostgreSQL 15 or later");
    }
    const char *encoding = PQparameterStatus(postgres->handle, "server_encoding");
    return (encoding && strcmp(encoding, "UTF8") == 0) ||
           fail(postgres, "the database does not store UTF-8",
                "create one with ENCODING 'UTF8' TEMPLATE template0");
}

/* The timeouts abort the transaction of a process that was stopped or cut off, before the writers
   that wait for it time out.

   The statements find few rows by indexes, whatever their values are, so each is planned only once:
   planning the list of matches takes several times as long as reading it. A generic plan does not
   take into account how few rows a page has; without these settings, it would scan whole tables for
   joins. */
#define WRITER_SETTINGS                             \
 "SET jit = off; SET lock_timeout = '10s'; "        \
 "SET idle_in_transaction_session_timeout = '5s'; " \
 "SET plan_cache_mode = force_generic_plan"

static const char *settings_of(const Postgres *postgres) {
    switch (postgres->kind) {
    case DATABASE_WRITER:
        return postgres->relaxed ? WRITER_SETTINGS "; SET synchronous_commit = off"
                                 : WRITER_SETTINGS;
    case DATABASE_READER:
        return "SET jit = off; SET default_transaction_read_only = on; "
               "SET plan_cache_mode = force_generic_plan; "
               "SET enable_seqscan = off; SET enable_hashjoin = off; "
               "SET enable_mergejoin = off; SET max_parallel_workers_per_gather = 0; "
               "SET idle_in_transaction_session_timeout = '60s'";
    default:
        return "SET jit = off";
    }
}

/* Runs one or more statements; returns the result of the last one, or the first failure. */
static PGresult *run_text(Postgres *postgres, const char *sql) {
    int sent = PQsendQuery(postgres->handle, sql);
    return postgres_result(postgres->handle, postgres->uri, sent);
}

/* Replaces the connection, if there is one. */
static bool reconnect(Postgres *postgres) {
    PQfinish(postgres->handle);
    if (postgres->connection++)
        atomic_fetch_add(&reconnects, 1);
    postgres->sent = 0;
    postgres->in_transaction = postgres->opening = false;
    postgres->handle = postgres_connect(postgres->uri);
    postgres->lost = PQstatus(postgres->handle) != CONNECTION_OK;
    if (postgres->lost)
        return fail_to_connect(postgres);
    PQsetNoticeProcessor(postgres->handle, ignore_notice, NULL);
    PGresult *result = run_text(postgres, settings_of(postgres));
    bool good = (PQresultStatus(result) == PGRES_COMMAND_OK || fail_at(postgres, result, "SET")) &&
                check_server(postgres);
    PQclear(result);
    postgres->lost = !good;
    return good;
}

/* ---- opening and closing ---- */

static bool check_uri(const Postgres *postgres, Error *error) {
    if (!postgres->path)
        return error_set(error, "invalid PostgreSQL URI; in user names, passwords and options, "
                                "write \"/\" as %%2F, \"?\" as %%3F and \"@\" as %%40");
    /* libpq's message may contain the password. */
    PQconninfoOption *options = PQconninfoParse(postgres->uri, NULL);
    bool good = options || error_set(error,
                                     "invalid PostgreSQL URI \"%s\"; expected "
                                     "postgresql://USER@HOST:PORT/DATABASE?OPTION=VALUE",
                                     postgres->path);
    PQconninfoFree(options);
    return good;
}

static void postgres_end(Database *database) {
    Postgres *postgres = postgres_of(database);
    PQclear(postgres->result);
    postgres->result = NULL;
}

static void postgres_close(Database *database) {
    Postgres *postgres = postgres_of(database);
    postgres_end(database);
    for (uint32_t i = 0; i < CACHE_SLOTS; i++) {
        Statement *statement = postgres->cache.slots[i].statement;
        if (statement)
            free(statement->sql);
        free(statement);
    }
    for (uint32_t i = 0; i < VALUES_MAX; i++)
        buffer_free(&postgres->valid[i]);
    buffer_free(&postgres->bytes);
    PQfinish(postgres->handle);
    free(postgres->uri);
    free(postgres->path);
    free(postgres);
}

static Database *postgres_open(const char *uri, DatabaseKind kind, bool relaxed, Error *error) {
    Postgres *postgres = xcalloc(1, sizeof *postgres);
    postgres->base.driver = &postgres_driver;
    postgres->uri = xstrdup(uri);
    postgres->path = postgres_without_secrets(uri);
    postgres->kind = kind;
    postgres->relaxed = relaxed;
    if (check_uri(postgres, error)) {
        if (reconnect(postgres))
            return &postgres->base;
        postgres_error(&postgres->base, error);
    }
    postgres_close(&postgres->base);
    return NULL;
}

static const char *postgres_path(Database *database) {
    return postgres_of(database)->path;
}

/* ---- statements ---- */

/* Turns ?1 into $1, and removes the comment signs around clauses for PostgreSQL. Statements have no
   other comments, and no question marks in string literals. */
static void translate(const char *sql, Statement *statement) {
    static const char opens[] = "/*postgres";
    static const char closes[] = "*/";
    Buffer to = {0};
    for (const char *at = sql; *at;) {
        if (strncmp(at, opens, sizeof opens - 1) == 0) {
            at += sizeof opens - 1;
        } else if (strncmp(at, closes, sizeof closes - 1) == 0) {
            at += sizeof closes - 1;
        } else {
            buffer_char(&to, *at == '?' ? '$' : *at);
            if (*at++ == '?')
                statement->uses |= UINT32_C(1) << (strtoul(at, NULL, 10) - 1);
        }
    }
    buffer_string(&to);
    statement->sql = to.data;
}

static Statement *find_statement(Postgres *postgres, const char *sql) {
    Prepared *slot = statement_slot(&postgres->cache, sql);
    if (slot->sql)
        return slot->statement;
    Statement *statement = xcalloc(1, sizeof *statement);
    translate(sql, statement);
    snprintf(statement->name, sizeof statement->name, "s%" PRIu32, postgres->cache.count);
    statement_add(&postgres->cache, slot, sql, statement);
    return statement;
}

/* Takes the result of a statement, and updates the state of the transaction. */
static bool take_result(Postgres *postgres, PGresult *result, const char *sql) {
    ExecStatusType status = PQresultStatus(result);
    bool good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    if (!good)
        fail_at(postgres, result, sql);
    if (!postgres->lost)
        postgres->in_transaction = PQtransactionStatus(postgres->handle) != PQTRANS_IDLE;
    if (!good) {
        PQclear(result);
        return false;
    }
    if (strcmp(sql, "COMMIT") == 0 && strcmp(PQcmdStatus(result), "COMMIT") != 0)
        good = fail(postgres, "the transaction had failed and was not committed", NULL);
    postgres->result = result;
    postgres->row = -1;
    postgres->changes = strtoll(PQcmdTuples(result), NULL, 10);
    return good;
}

/* Waits for the results of all statements that were sent, and takes the last one, or the first
   failure. `sql` is the last statement. */
static bool take_sent(Postgres *postgres, const char *sql) {
    uint32_t count = postgres->sent;
    postgres->sent = 0;
    PGresult *last = NULL;
    bool good = PQpipelineSync(postgres->handle) == 1;
    for (uint32_t i = 0; good && i < count; i++) {
        PQclear(last);
        last = postgres_result(postgres->handle, postgres->uri, true);
        ExecStatusType status = PQresultStatus(last);
        good = status == PGRES_COMMAND_OK || status == PGRES_TUPLES_OK;
    }
    /* After a failure, the server skips all later statements; their results are discarded. Two
       NULLs in a row mean that the connection broke and no sync will come. */
    uint32_t nothing = 0;
    for (bool synced = false;
         last && !synced && nothing < 2 && PQstatus(postgres->handle) == CONNECTION_OK;) {
        PGresult *rest;
        if (!postgres_next(postgres->handle, postgres->uri, &rest)) {
            PQclear(last);
            last = NULL;
            break;
        }
        nothing = rest ? 0 : nothing + 1;
        synced = PQresultStatus(rest) == PGRES_PIPELINE_SYNC;
        PQclear(rest);
    }
    PQexitPipelineMode(postgres->handle);
    return take_result(postgres, last, sql);
}

static bool prepare(Postgres *postgres, Statement *statement, const Value *values, size_t count) {
    static const Oid types[] = {
        [VALUE_NUMBER] = BIGINT_TYPE, [VALUE_TEXT] = TEXT_TYPE, [VALUE_BYTES] = BYTEA_TYPE};
    if (postgres->sent && !take_sent(postgres, "PREPARE"))
        return false;
    postgres_end(&postgres->base);
    Oid of_values[VALUES_MAX];
    for (size_t i = 0; i < count; i++)
        of_values[i] = statement->uses >> i & 1 ? types[values[i].kind] : TEXT_TYPE;
    int sent =
        PQsendPrepare(postgres->handle, statement->name, statement->sql, (int)count, of_values);
    PGresult *result = postgres_result(postgres->handle, postgres->uri, sent);
    bool good = take_result(postgres, result, "PREPARE");
    if (good)
        statement->connection = postgres->connection;
    postgres_end(&postgres->base);
    return good;
}

/* Values in the form that libpq takes. */
typedef struct Bound {
    char numbers[VALUES_MAX][NUMBER_SIZE];
    const char *at[VALUES_MAX];
    int lengths[VALUES_MAX];
    int formats[VALUES_MAX]; /* in the binary format, a text needs no terminating NUL */
} Bound;

static void bind_values(Postgres *postgres, const Value *values, size_t count, Bound *bound) {
    for (size_t i = 0; i < count; i++) {
        Slice text = {NULL, 0};
        if (values[i].kind == VALUE_NUMBER) {
            snprintf(bound->numbers[i], NUMBER_SIZE, "%" PRId64, values[i].number);
            text = slice_of(bound->numbers[i]);
        } else if (values[i].kind == VALUE_TEXT) {
            text = value_text(&values[i], &postgres->valid[i]);
            text.at = text.at ? text.at : "";
        } else if (values[i].kind == VALUE_BYTES) {
            text = values[i].text;
            text.at = text.at ? text.at : "";
        }
        bound->at[i] = text.at;
        bound->lengths[i] = (int)text.length;
        bound->formats[i] = values[i].kind == VALUE_TEXT || values[i].kind == VALUE_BYTES;
    }
}

/* Waits for the end of the statement, unless it is only sent. */
static bool execute(Postgres *postgres, const char *sql, const Value *values, size_t count,
                    bool wait) {
    if (count > VALUES_MAX)
        abort();
    Statement *statement = find_statement(postgres, sql);
    if (statement->connection != postgres->connection &&
        !prepare(postgres, statement, values, count))
        return false;
    Bound bound;
    bind_values(postgres, values, count, &bound);
    bool alone = wait && !postgres->sent;
    int sent = (alone || postgres->sent || PQenterPipelineMode(postgres->handle)) &&
               PQsendQueryPrepared(postgres->handle, statement->name, (int)count, bound.at,
                                   bound.lengths, bound.formats, 0);
    if (alone)
        return take_result(postgres, postgres_result(postgres->handle, postgres->uri, sent), sql);
    if (!sent)
        return take_result(postgres, NULL, sql);
    postgres->sent++;
    return (!wait && postgres->sent < SENT_MAX) || take_sent(postgres, sql);
}

/* Reconnects after the connection was lost, unless a transaction is still to be rolled back. */
static bool ready(Postgres *postgres) {
    postgres_end(&postgres->base);
    if (!postgres->lost)
        return true;
    return postgres->in_transaction ? fail(postgres, "the connection was lost", "try again")
                                    : reconnect(postgres);
}

/* Sends BEGIN and the statement that takes the lock, without waiting. The first statement of the
   transaction waits for both, which saves a round trip. */
static bool begin(Postgres *postgres, DatabaseAccess access) {
    static const char *const locks[] = {
        [ACCESS_WRITE] = "SELECT pg_advisory_xact_lock(" WRITER_LOCK ")",
        [ACCESS_WRITE_SHARED] = "SELECT pg_advisory_xact_lock_shared(" WRITER_LOCK ")",
        [ACCESS_WRITE_RELAXED] = "SELECT pg_advisory_xact_lock_shared(" WRITER_LOCK
                                 "), set_config('synchronous_commit', 'off', true)",
        [ACCESS_WRITE_BESIDE] = NULL,
    };
    bool good =
        execute(postgres, "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE", NULL, 0, false) &&
        (!locks[access] || execute(postgres, locks[access], NULL, 0, false));
    if (good)
        postgres->opening = postgres->in_transaction = true;
    postgres->access = access;
    return good;
}

/* The server may have closed an idle connection. If only the beginning of a transaction was sent
   (`opening`), begins the transaction again on a new connection. */
static bool begin_again(Postgres *postgres, bool opening) {
    return opening && postgres->lost && reconnect(postgres) && begin(postgres, postgres->access);
}

/* Waits until a transaction whose beginning was sent has begun. */
static bool settle(Postgres *postgres) {
    bool opening = postgres->opening;
    if (!opening)
        return true;
    bool good = take_sent(postgres, "BEGIN") ||
                (begin_again(postgres, opening) && take_sent(postgres, "BEGIN"));
    postgres->opening = false;
    postgres_end(&postgres->base);
    return good;
}

static bool postgres_start(Database *database, const char *sql, const Value *values, size_t count) {
    Postgres *postgres = postgres_of(database);
    bool reads = postgres->kind == DATABASE_READER && !postgres->in_transaction;
    bool opening = postgres->opening;
    bool good =
        ready(postgres) &&
        (execute(postgres, sql, values, count, true) ||
         (((reads && postgres->lost && reconnect(postgres)) || begin_again(postgres, opening)) &&
          execute(postgres, sql, values, count, true)));
    postgres->opening = false;
    return good;
}

static bool postgres_send(Database *database, const char *sql, const Value *values, size_t count) {
    Postgres *postgres = postgres_of(database);
    return ready(postgres) && settle(postgres) &&
           execute(postgres, sql, values, count, !postgres->in_transaction);
}

/* Runs a statement. A ROLLBACK ignores failures of statements that were sent before it. */
static bool run(Postgres *postgres, const char *sql) {
    if (!settle(postgres) && (postgres->lost || strcmp(sql, "ROLLBACK") != 0))
        return false;
    if (postgres->sent) {
        bool good = take_sent(postgres, sql);
        postgres_end(&postgres->base);
        if (!good && (postgres->lost || strcmp(sql, "ROLLBACK") != 0))
            return false;
    }
    return take_result(postgres, run_text(postgres, sql), sql);
}

static bool postgres_begin(Database *database, DatabaseAccess access) {
    Postgres *postgres = postgres_of(database);
    if (access == ACCESS_READ) {
        static const char reading[] = "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY";
        bool good =
            ready(postgres) && (run(postgres, reading) ||
                                (postgres->lost && reconnect(postgres) && run(postgres, reading)));
        postgres_end(database);
        return good;
    }
    return ready(postgres) && (begin(postgres, access) ||
                               (postgres->lost && reconnect(postgres) && begin(postgres, access)));
}

static Step postgres_step(Database *database) {
    Postgres *postgres = postgres_of(database);
    if (!postgres->result)
        return STEP_DONE;
    return ++postgres->row < PQntuples(postgres->result) ? STEP_ROW : STEP_DONE;
}

static int64_t postgres_changes(Database *database) {
    return postgres_of(database)->changes;
}

static Slice postgres_text(Database *database, int column) {
    const Postgres *postgres = postgres_of(database);
    return (Slice){PQgetvalue(postgres->result, postgres->row, column),
                   (size_t)PQgetlength(postgres->result, postgres->row, column)};
}

static char digit(char c) {
    return (char)(c <= '9' ? c - '0' : c - 'a' + 10);
}

/* The text format of a BYTEA is "\x" followed by two hexadecimal digits for each byte. */
static Slice postgres_bytes(Database *database, int column) {
    Postgres *postgres = postgres_of(database);
    Slice text = postgres_text(database, column);
    buffer_clear(&postgres->bytes);
    if (!slice_skip(&text, "\\x") || !text.length)
        return (Slice){"", 0};
    char *to = buffer_reserve(&postgres->bytes, text.length / 2);
    for (size_t i = 0; i + 1 < text.length; i += 2)
        *to++ = (char)(digit(text.at[i]) << 4 | digit(text.at[i + 1]));
    postgres->bytes.length = text.length / 2;
    return (Slice){postgres->bytes.data, postgres->bytes.length};
}

/* Also reads a numeric, the type of a sum, and a boolean, the type of a condition. */
static int64_t postgres_number(Database *database, int column) {
    const Postgres *postgres = postgres_of(database);
    const char *text = PQgetvalue(postgres->result, postgres->row, column);
    if (PQftype(postgres->result, column) == BOOL_TYPE)
        return text[0] == 't';
    return strtoll(text, NULL, 10);
}

static bool postgres_in_transaction(Database *database) {
    return postgres_of(database)->in_transaction;
}

/* ---- outside of the usual statements ---- */

static bool postgres_script(Database *database, const char *sql, Error *error) {
    Postgres *postgres = postgres_of(database);
    bool good = ready(postgres) && run(postgres, sql);
    if (!good && strcmp(sql, "ROLLBACK") == 0)
        postgres->in_transaction = false;
    if (!good)
        postgres_error(database, error);
    postgres_end(database);
    return good;
}

static int64_t postgres_query_number(Database *database, const char *sql) {
    Postgres *postgres = postgres_of(database);
    int64_t answer = -1;
    if (ready(postgres) && run(postgres, sql) && postgres_step(database) == STEP_ROW)
        answer = postgres_number(database, 0);
    postgres_end(database);
    return answer;
}

static int64_t postgres_last_id(Database *database) {
    return postgres_query_number(database, "SELECT lastval()");
}

/* Counts tables, except for those of extensions. */
static const char count_tables[] =
    "SELECT count(*) FROM pg_class c WHERE c.relnamespace = current_schema()::regnamespace "
    "AND c.relkind IN ('r', 'p') AND NOT EXISTS (SELECT 1 FROM pg_depend d "
    "WHERE d.classid = 'pg_class'::regclass AND d.objid = c.oid AND d.deptype = 'e')";

/* Version 19 and older do not have the column `oldest`. */
static const char has_oldest[] =
    "SELECT count(*) FROM pg_attribute WHERE attrelid = 'skirmish_stamp'::regclass "
    "AND attname = 'oldest' AND NOT attisdropped";

static bool postgres_read_stamp(Database *database, DatabaseStamp *stamp, Error *error) {
    *stamp = (DatabaseStamp){0};
    int64_t tables = postgres_query_number(database, count_tables);
    int64_t stamped =
        tables > 0
            ? postgres_query_number(database, "SELECT to_regclass('skirmish_stamp') IS NOT NULL")
            : 0;
    int64_t application = 0;
    int64_t version = 0;
    int64_t oldest = 0;
    if (stamped > 0) {
        application = postgres_query_number(
            database, "SELECT coalesce(max(application), 0) FROM skirmish_stamp");
        version =
            postgres_query_number(database, "SELECT coalesce(max(version), 0) FROM skirmish_stamp");
        oldest = postgres_query_number(database, has_oldest);
        if (oldest > 0)
            oldest = postgres_query_number(database,
                                           "SELECT coalesce(max(oldest), 0) FROM skirmish_stamp");
    }
    if (tables < 0 || stamped < 0 || application < 0 || version < 0 || oldest < 0) {
        postgres_error(database, error);
        return false;
    }
    *stamp = (DatabaseStamp){(uint32_t)application, (uint32_t)version,
                             oldest ? (uint32_t)oldest : (uint32_t)version, tables == 0};
    return true;
}

static bool postgres_write_stamp(Database *database, const DatabaseStamp *stamp, Error *error) {
    char sql[384];
    snprintf(sql, sizeof sql,
             "CREATE TABLE IF NOT EXISTS skirmish_stamp (application BIGINT NOT NULL, "
             "version BIGINT NOT NULL); "
             "ALTER TABLE skirmish_stamp ADD COLUMN IF NOT EXISTS oldest BIGINT; "
             "DELETE FROM skirmish_stamp; "
             "INSERT INTO skirmish_stamp (application, version, oldest) VALUES (%" PRIu32
             ", %" PRIu32 ", %" PRIu32 ")",
             stamp->application, stamp->version, stamp->oldest);
    return postgres_script(database, sql, error);
}

static bool postgres_copy(Database *from, Database *to, Error *error) {
    (void)to;
    return error_set(error, "%s: Skirmish cannot copy a PostgreSQL database; use pg_dump",
                     postgres_of(from)->path);
}

/* The server manages its own log and files. */

static bool postgres_use_wal(Database *database, Error *error) {
    (void)database;
    (void)error;
    return true;
}

static uint32_t postgres_wal_pages(Database *database) {
    (void)database;
    return 0;
}

static bool postgres_checkpoint(Database *database, bool whole, Error *error) {
    (void)database;
    (void)whole;
    (void)error;
    return true;
}

static void postgres_remove_wal(Database *database) {
    (void)database;
}

static bool postgres_check(Database *database, Error *error) {
    (void)database;
    (void)error;
    return true;
}

static void postgres_query_plans(Database *database,
                                 void (*take)(void *context, const char *sql, const char *plan),
                                 void *context) {
    (void)database;
    (void)take;
    (void)context;
}

uint64_t database_reconnects(void) {
    return atomic_load(&reconnects);
}

const DatabaseDriver postgres_driver = {
    .kind = ENGINE_POSTGRES,
    .open = postgres_open,
    .close = postgres_close,
    .path = postgres_path,
    .begin = postgres_begin,
    .start = postgres_start,
    .send = postgres_send,
    .step = postgres_step,
    .end = postgres_end,
    .changes = postgres_changes,
    .last_id = postgres_last_id,
    .number = postgres_number,
    .text = postgres_text,
    .bytes = postgres_bytes,
    .error = postgres_error,
    .in_transaction = postgres_in_transaction,
    .script = postgres_script,
    .query_number = postgres_query_number,
    .read_stamp = postgres_read_stamp,
    .write_stamp = postgres_write_stamp,
    .use_wal = postgres_use_wal,
    .wal_pages = postgres_wal_pages,
    .checkpoint = postgres_checkpoint,
    .remove_wal = postgres_remove_wal,
    .copy = postgres_copy,
    .check = postgres_check,
    .query_plans = postgres_query_plans,
};
