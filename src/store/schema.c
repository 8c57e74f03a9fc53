/* See schema.h. */
#include "store/schema.h"

#include <inttypes.h>

enum { APPLICATION = 0x534b5354 }; /* "SKST" */

/* Every table that issues ids uses AUTOINCREMENT: ids are never reused, so a late result of a job
   cannot hit a newer job with the same id. `accounts.name_key` and `bots.name_key` are unique, see
   store_name_key. A retired bot has no key, which frees its name. */
static const char step_1[] =
    "CREATE TABLE settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;"

    "CREATE TABLE accounts (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL,"
    " name_key TEXT NOT NULL UNIQUE, password TEXT NOT NULL, role INTEGER NOT NULL CHECK (role IN "
    "(0, 1, 2)),"
    " state INTEGER NOT NULL CHECK (state IN (0, 1, 2)), created INTEGER NOT NULL) STRICT;"
    "CREATE INDEX accounts_by_role ON accounts (role, state);"

    "CREATE TABLE sessions (id INTEGER PRIMARY KEY AUTOINCREMENT, secret TEXT NOT NULL UNIQUE,"
    " account INTEGER NOT NULL REFERENCES accounts, address TEXT NOT NULL, created INTEGER NOT "
    "NULL,"
    " expires INTEGER NOT NULL) STRICT;"
    "CREATE INDEX sessions_by_account ON sessions (account, id);"
    "CREATE INDEX sessions_by_expiry ON sessions (expires);"

    "CREATE TABLE tokens (id INTEGER PRIMARY KEY AUTOINCREMENT, secret TEXT NOT NULL UNIQUE,"
    " account INTEGER NOT NULL REFERENCES accounts, name TEXT NOT NULL, created INTEGER NOT NULL,"
    " expires INTEGER NOT NULL, used INTEGER NOT NULL, UNIQUE (account, name)) STRICT;"
    "CREATE INDEX tokens_by_account ON tokens (account, id);"

    "CREATE TABLE invitations (id INTEGER PRIMARY KEY AUTOINCREMENT, secret TEXT NOT NULL UNIQUE,"
    " creator INTEGER NOT NULL REFERENCES accounts, note TEXT NOT NULL, role INTEGER NOT NULL "
    "CHECK (role IN (0, 1, 2)),"
    " uses INTEGER NOT NULL CHECK (uses >= 0), created INTEGER NOT NULL, expires INTEGER NOT "
    "NULL) STRICT;"

    "CREATE TABLE bots (id INTEGER PRIMARY KEY AUTOINCREMENT, owner INTEGER NOT NULL REFERENCES "
    "accounts,"
    " game TEXT NOT NULL, name TEXT NOT NULL, name_key TEXT, active INTEGER REFERENCES versions,"
    " published INTEGER NOT NULL CHECK (published IN (0, 1)), retired INTEGER NOT NULL CHECK "
    "(retired IN (0, 1)),"
    " versions INTEGER NOT NULL, created INTEGER NOT NULL, UNIQUE (owner, name_key)) STRICT;"
    "CREATE INDEX bots_by_owner ON bots (owner, retired, id);"
    "CREATE INDEX bots_by_game ON bots (game, retired, id);"
    "CREATE INDEX bots_by_both ON bots (owner, game, retired, id);"
    "CREATE INDEX bots_by_age ON bots (retired, id);"

    "CREATE TABLE versions (id INTEGER PRIMARY KEY AUTOINCREMENT, bot INTEGER NOT NULL REFERENCES "
    "bots,"
    " number INTEGER NOT NULL, language TEXT NOT NULL, file_name TEXT NOT NULL, source TEXT NOT "
    "NULL,"
    " size INTEGER NOT NULL, spec TEXT NOT NULL, build INTEGER NOT NULL CHECK (build IN (0, 1, "
    "2)), log TEXT NOT NULL,"
    " product TEXT NOT NULL, created INTEGER NOT NULL, built INTEGER NOT NULL, UNIQUE (bot, "
    "number)) STRICT;"
    "CREATE INDEX versions_by_bot ON versions (bot, id);"
    "CREATE INDEX versions_by_source ON versions (source) WHERE source <> '';"
    "CREATE INDEX versions_by_product ON versions (product) WHERE product <> '';"

    "CREATE TABLE tournaments (id INTEGER PRIMARY KEY AUTOINCREMENT, organiser INTEGER NOT NULL "
    "REFERENCES accounts,"
    " name TEXT NOT NULL, game TEXT NOT NULL, format TEXT NOT NULL, plan TEXT NOT NULL,"
    " state INTEGER NOT NULL CHECK (state IN (0, 1, 2, 3)), standings TEXT NOT NULL, created "
    "INTEGER NOT NULL,"
    " started INTEGER NOT NULL, ended INTEGER NOT NULL) STRICT;"
    "CREATE INDEX tournaments_by_game ON tournaments (game, id);"
    "CREATE TABLE entrants (id INTEGER PRIMARY KEY AUTOINCREMENT, tournament INTEGER NOT NULL "
    "REFERENCES tournaments,"
    " bot INTEGER NOT NULL REFERENCES bots, version INTEGER NOT NULL REFERENCES versions, entered "
    "INTEGER NOT NULL,"
    " UNIQUE (tournament, bot)) STRICT;"
    "CREATE INDEX entrants_by_tournament ON entrants (tournament, id);"
    "CREATE INDEX entrants_by_bot ON entrants (bot);"

    "CREATE TABLE matches (id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL CHECK "
    "(kind IN (0, 1, 2)),"
    " state INTEGER NOT NULL CHECK (state IN (0, 1, 2, 3, 4)), open INTEGER NOT NULL CHECK (open "
    "IN (0, 1)),"
    " game TEXT NOT NULL, map TEXT NOT NULL, seed INTEGER NOT NULL, requester INTEGER REFERENCES "
    "accounts,"
    " tournament INTEGER REFERENCES tournaments, fixture INTEGER NOT NULL, leg INTEGER NOT NULL, "
    "created INTEGER NOT NULL,"
    " started INTEGER NOT NULL, ended INTEGER NOT NULL, turns INTEGER NOT NULL, reason TEXT NOT "
    "NULL,"
    " replay TEXT NOT NULL, result INTEGER UNIQUE, UNIQUE (tournament, fixture, leg)) STRICT;"
    "CREATE INDEX matches_by_game ON matches (game, id);"
    "CREATE INDEX matches_by_kind ON matches (game, kind, id);"
    "CREATE INDEX matches_by_result ON matches (game, kind, result) WHERE result IS NOT NULL;"
    "CREATE INDEX matches_by_requester ON matches (requester, id) WHERE requester IS NOT NULL;"
    "CREATE INDEX matches_by_tournament ON matches (tournament, id) WHERE tournament IS NOT NULL;"
    "CREATE INDEX matches_live ON matches (id) WHERE state = 1;"
    "CREATE INDEX matches_by_replay ON matches (replay) WHERE replay <> '';"
    /* Long texts are in their own table, so that lists need not read past them. */
    "CREATE TABLE match_texts (match INTEGER PRIMARY KEY REFERENCES matches, spec TEXT NOT NULL, "
    "verdict TEXT NOT NULL) STRICT;"
    "CREATE TABLE seats (match INTEGER NOT NULL REFERENCES matches, seat INTEGER NOT NULL, bot "
    "INTEGER REFERENCES bots,"
    " version INTEGER REFERENCES versions, label TEXT NOT NULL, source TEXT NOT NULL, place "
    "INTEGER NOT NULL, score INTEGER,"
    " status TEXT NOT NULL, failure TEXT NOT NULL, PRIMARY KEY (match, seat)) STRICT, WITHOUT "
    "ROWID;"
    "CREATE INDEX seats_by_source ON seats (source) WHERE source <> '';"
    "CREATE INDEX seats_by_bot ON seats (bot, match) WHERE bot IS NOT NULL;"
    /* The number of the last result: one row, so that numbers follow the order of commits. */
    "CREATE TABLE results (last INTEGER NOT NULL) STRICT;"
    "INSERT INTO results VALUES (0);"

    /* A job is waiting if `expires` is 0, otherwise leased. Finished jobs are deleted. */
    "CREATE TABLE jobs (id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL CHECK (kind "
    "IN (1, 2)),"
    " urgency INTEGER NOT NULL, match INTEGER UNIQUE REFERENCES matches, version INTEGER UNIQUE "
    "REFERENCES versions,"
    " attempt INTEGER NOT NULL, losses INTEGER NOT NULL, expires INTEGER NOT NULL, holder TEXT "
    "NOT NULL, trouble TEXT NOT NULL,"
    " CHECK ((kind = 1) = (version IS NOT NULL) AND (kind = 2) = (match IS NOT NULL))) STRICT;"
    /* Covering indexes for counting and leasing. */
    "CREATE INDEX jobs_waiting ON jobs (urgency, id, expires) WHERE expires = 0;"
    "CREATE INDEX jobs_leased ON jobs (expires) WHERE expires > 0;"

    "CREATE TABLE ratings (bot INTEGER PRIMARY KEY REFERENCES bots, game TEXT NOT NULL, version "
    "INTEGER REFERENCES versions,"
    " rating INTEGER NOT NULL, error INTEGER NOT NULL, matches INTEGER NOT NULL, won INTEGER NOT "
    "NULL, drawn INTEGER NOT NULL,"
    " lost INTEGER NOT NULL, time INTEGER NOT NULL) STRICT;"
    "CREATE INDEX ratings_by_rank ON ratings (game, rating, bot);"
    "CREATE TABLE rating_points (id INTEGER PRIMARY KEY AUTOINCREMENT, bot INTEGER NOT NULL "
    "REFERENCES bots,"
    " version INTEGER REFERENCES versions, rating INTEGER NOT NULL, error INTEGER NOT NULL, "
    "matches INTEGER NOT NULL,"
    " time INTEGER NOT NULL) STRICT;"
    "CREATE INDEX rating_points_by_bot ON rating_points (bot, id);"

    "CREATE TABLE audit (id INTEGER PRIMARY KEY AUTOINCREMENT, time INTEGER NOT NULL, actor "
    "INTEGER REFERENCES accounts,"
    " action TEXT NOT NULL, subject TEXT NOT NULL, detail TEXT NOT NULL, address TEXT NOT NULL) "
    "STRICT;"
    "CREATE INDEX audit_by_actor ON audit (actor, id);"
    "CREATE INDEX audit_by_time ON audit (time);";

static const char step_2[] =
    /* Build logs of a match's code, for the requester of the match. */
    "ALTER TABLE match_texts ADD COLUMN logs TEXT NOT NULL DEFAULT '';"
    "CREATE INDEX invitations_by_creator ON invitations (creator, id);";

static const char step_3[] =
    /* Replays that may be dropped, oldest first. */
    "CREATE INDEX matches_kept ON matches (ended) WHERE replay <> '' AND kind <> 1;";

static const char step_4[] =
    /* Ladder matches between house bots only; most lists are read without them. */
    "ALTER TABLE matches ADD COLUMN house INTEGER NOT NULL DEFAULT 0 CHECK (house IN (0, 1));"
    "UPDATE matches SET house = 1 WHERE kind = 2 AND NOT EXISTS (SELECT 1 FROM seats s "
    "LEFT JOIN versions v ON v.id = s.version WHERE s.match = matches.id "
    "AND coalesce(v.language, '') <> 'house');"
    "CREATE INDEX matches_shown ON matches (id) WHERE house = 0;"
    "CREATE INDEX matches_shown_by_game ON matches (game, id) WHERE house = 0;";

static const char step_5[] =
    /* The owner of a seat's bot; none for house bots. */
    "ALTER TABLE seats ADD COLUMN owner INTEGER REFERENCES accounts;"
    "UPDATE seats SET owner = (SELECT b.owner FROM bots b WHERE b.id = seats.bot) "
    "WHERE bot IS NOT NULL AND coalesce((SELECT v.language FROM versions v "
    "WHERE v.id = seats.version), '') <> 'house';"
    "CREATE INDEX seats_by_owner ON seats (owner, match) WHERE owner IS NOT NULL;"
    /* Results of a bot against each opponent, see records.h; `first_win` is the first ranked match
       that it won. */
    "CREATE TABLE records (bot INTEGER NOT NULL REFERENCES bots, opponent INTEGER NOT NULL "
    "REFERENCES bots, matches INTEGER NOT NULL, won INTEGER NOT NULL, drawn INTEGER NOT NULL, "
    "lost INTEGER NOT NULL, first_win INTEGER REFERENCES matches, PRIMARY KEY (bot, opponent)) "
    "STRICT, WITHOUT ROWID;"
    "CREATE INDEX records_by_matches ON records (bot, matches, opponent);"
    "INSERT INTO records SELECT me.bot, o.bot, count(*), sum(me.place < o.place), "
    "sum(me.place = o.place), sum(me.place > o.place), "
    "min(CASE WHEN me.place < o.place AND m.kind <> 0 THEN m.id END) "
    "FROM matches m JOIN seats me ON me.match = m.id JOIN seats o ON o.match = m.id "
    "WHERE m.state = 2 AND me.bot IS NOT NULL AND o.bot IS NOT NULL AND me.bot <> o.bot "
    "GROUP BY me.bot, o.bot;"
    /* Ranked matches that a bot won in a row: the current streak, and the longest with its last
       match. */
    "CREATE TABLE streaks (bot INTEGER PRIMARY KEY REFERENCES bots, current INTEGER NOT NULL, "
    "longest INTEGER NOT NULL, last INTEGER REFERENCES matches) STRICT;"
    "WITH played AS (SELECT s.bot, m.id, m.result, max(s.place = 1 AND (SELECT count(*) "
    "FROM seats t WHERE t.match = m.id AND t.place = 1) = 1) AS won "
    "FROM matches m JOIN seats s ON s.match = m.id "
    "WHERE m.state = 2 AND m.kind <> 0 AND s.bot IS NOT NULL GROUP BY s.bot, m.id), "
    "runs AS (SELECT bot, id, won, sum(1 - won) OVER (PARTITION BY bot ORDER BY result) AS run "
    "FROM played), "
    "lengths AS (SELECT bot, run, sum(won) AS length, max(CASE WHEN won THEN id END) AS last "
    "FROM runs GROUP BY bot, run) "
    "INSERT INTO streaks SELECT bot, (SELECT n.length FROM lengths n WHERE n.bot = l.bot "
    "ORDER BY n.run DESC LIMIT 1), max(length), last FROM lengths l GROUP BY bot;";

static const char step_6[] =
    /* When a tournament starts automatically (0: never), and why it could not. */
    "ALTER TABLE tournaments ADD COLUMN starts INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE tournaments ADD COLUMN start_problem TEXT NOT NULL DEFAULT '';"
    "CREATE INDEX tournaments_due ON tournaments (starts) WHERE state = 0 AND starts > 0;";

static const char step_7[] =
    /* Specs that contain code from an editor, which is deleted when the match ends. */
    "ALTER TABLE match_texts ADD COLUMN code INTEGER NOT NULL DEFAULT 0;"
    "UPDATE match_texts SET code = 1 "
    "WHERE instr(spec, '\"source\":') OR instr(spec, '\"archive\":');"
    "CREATE INDEX match_texts_with_code ON match_texts (match) WHERE code = 1;";

static const char step_8[] =
    /* The current disk usage of a version's build. */
    "ALTER TABLE versions ADD COLUMN build_bytes INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX versions_with_build ON versions (id) WHERE build_bytes > 0;";

static const char step_9[] =
    /* The size of replays, to limit those of visitors; older ones count as 0. */
    "ALTER TABLE matches ADD COLUMN replay_bytes INTEGER NOT NULL DEFAULT 0;"
    "CREATE INDEX matches_of_visitors ON matches (ended, replay_bytes) "
    "WHERE replay <> '' AND kind = 0 AND requester IS NULL;";

static const char step_10[] =
    /* The requester of a job, when it was leased, and whether it is for runners of long jobs; see
       queue_share.h. */
    "ALTER TABLE jobs ADD COLUMN requester TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE jobs ADD COLUMN leased INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN long INTEGER NOT NULL DEFAULT 0 CHECK (long IN (0, 1));"
    "UPDATE jobs SET requester = CASE WHEN kind = 1 THEN 'account ' || (SELECT b.owner "
    "FROM versions v JOIN bots b ON b.id = v.bot WHERE v.id = jobs.version) "
    "ELSE (SELECT CASE m.kind WHEN 1 THEN 'tournament ' || m.tournament WHEN 2 THEN 'ladder' "
    "ELSE coalesce('account ' || m.requester, 'visitor') END FROM matches m "
    "WHERE m.id = jobs.match) END;"
    "CREATE INDEX jobs_by_requester ON jobs (requester, urgency, id, long, expires) "
    "WHERE expires = 0;"
    /* The runner time that a requester has recently used, in milliseconds, and when one of its jobs
       was last interrupted. */
    "CREATE TABLE shares (requester TEXT PRIMARY KEY, used INTEGER NOT NULL, "
    "time INTEGER NOT NULL, slow INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;";

static const char step_11[] =
    /* What API tokens may be used for. Older tokens keep all their rights, but all tokens now
       expire. */
    "ALTER TABLE tokens ADD COLUMN scopes INTEGER NOT NULL DEFAULT 31;"
    "UPDATE tokens SET expires = (unixepoch() + 90 * 86400) * 1000 WHERE expires = 0;";

static const char step_12[] =
    /* The addresses from which the owner of an account has logged in. */
    "CREATE TABLE known_addresses (account INTEGER NOT NULL REFERENCES accounts, address TEXT NOT "
    "NULL, time INTEGER NOT NULL, PRIMARY KEY (account, address)) STRICT, WITHOUT ROWID;";

static const char step_13[] =
    /* The password must be changed at the first login. */
    "ALTER TABLE accounts ADD COLUMN temporary INTEGER NOT NULL DEFAULT 0 CHECK (temporary IN (0, "
    "1));";

static const char step_14[] =
    /* The result of store_name_look for a name. */
    "CREATE INDEX accounts_by_look ON accounts "
    "(replace(replace(replace(name_key, '0', 'o'), '1', 'l'), 'i', 'l'));";

static const char step_15[] =
    /* The disk quota that an administrator has set for an account's bots; 0: the default. */
    "ALTER TABLE accounts ADD COLUMN disk_max INTEGER NOT NULL DEFAULT 0;";

static const char step_16[] =
    /* To limit the replays of the casual matches of each account. */
    "CREATE INDEX matches_of_accounts ON matches (requester, ended, replay_bytes) "
    "WHERE replay <> '' AND kind = 0 AND requester IS NOT NULL;";

static const char step_17[] =
    /* Jobs that check a version (16) or analyse a match (32): a match or version has at most one
       job of each kind. The ids continue from the last one. Urgencies 2 and 3 are new and come
       before those of tournaments and the ladder. */
    "CREATE TABLE jobs_17 (id INTEGER PRIMARY KEY AUTOINCREMENT, kind INTEGER NOT NULL CHECK (kind "
    "IN (1, 2, 16, 32)), urgency INTEGER NOT NULL, match INTEGER REFERENCES matches, version "
    "INTEGER REFERENCES versions, attempt INTEGER NOT NULL, losses INTEGER NOT NULL, expires "
    "INTEGER NOT NULL, holder TEXT NOT NULL, trouble TEXT NOT NULL, requester TEXT NOT NULL, "
    "leased INTEGER NOT NULL DEFAULT 0, long INTEGER NOT NULL DEFAULT 0 CHECK (long IN (0, 1)), "
    "UNIQUE (match, kind), UNIQUE (version, kind), CHECK ((kind IN (1, 16)) = (version IS NOT "
    "NULL) AND (kind IN (2, 32)) = (match IS NOT NULL))) STRICT;"
    "INSERT INTO sqlite_sequence (name, seq) SELECT 'jobs_17', seq FROM sqlite_sequence "
    "WHERE name = 'jobs';"
    "INSERT INTO jobs_17 SELECT id, kind, iif(urgency < 2, urgency, urgency + 2), match, version, "
    "attempt, losses, expires, holder, trouble, requester, leased, long FROM jobs;"
    "DROP TABLE jobs;"
    "ALTER TABLE jobs_17 RENAME TO jobs;"
    "CREATE INDEX jobs_waiting ON jobs (urgency, id, expires) WHERE expires = 0;"
    "CREATE INDEX jobs_leased ON jobs (expires) WHERE expires > 0;"
    "CREATE INDEX jobs_by_requester ON jobs (requester, urgency, id, long, expires, kind) "
    "WHERE expires = 0;"
    /* The results of checks and analyses; `failure` says why there is none. */
    "CREATE TABLE checks (version INTEGER PRIMARY KEY REFERENCES versions, time INTEGER NOT NULL, "
    "errors INTEGER NOT NULL, warnings INTEGER NOT NULL, report TEXT NOT NULL, failure TEXT NOT "
    "NULL) STRICT;"
    "CREATE TABLE analyses (match INTEGER PRIMARY KEY REFERENCES matches, requester INTEGER "
    "REFERENCES accounts, time INTEGER NOT NULL, result TEXT NOT NULL, failure TEXT NOT NULL) "
    "STRICT;"
    "CREATE INDEX analyses_by_requester ON analyses (requester);";

static const char step_18[] =
    /* Files that are not in a directory: when they were last used, and since when they are being
       deleted (0: they are not), see file_uses.c; and their content, see file_table.c. */
    "CREATE TABLE files (name TEXT PRIMARY KEY, size INTEGER NOT NULL, used INTEGER NOT NULL, "
    "doomed INTEGER NOT NULL DEFAULT 0) STRICT, WITHOUT ROWID;"
    "CREATE TABLE file_chunks (name TEXT NOT NULL REFERENCES files ON DELETE CASCADE, number "
    "INTEGER NOT NULL, bytes BLOB NOT NULL, PRIMARY KEY (name, number)) STRICT;"
    "UPDATE settings SET name = 'files_id' WHERE name = 'data_directory';";

static const char step_19[] =
    /* On PostgreSQL a requester has several rows, see SHARE_PART. */
    "CREATE TABLE shares_19 (requester TEXT NOT NULL, part INTEGER NOT NULL, used INTEGER NOT "
    "NULL, time INTEGER NOT NULL, slow INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (requester, part)) "
    "STRICT, WITHOUT ROWID;"
    "INSERT INTO shares_19 SELECT requester, 0, used, time, slow FROM shares;"
    "DROP TABLE shares;"
    "ALTER TABLE shares_19 RENAME TO shares;";

static const char step_20[] =
    /* The processes that play, see workers.h. */
    "CREATE TABLE workers (name TEXT PRIMARY KEY, machine TEXT NOT NULL, kind INTEGER NOT NULL, "
    "version TEXT NOT NULL, speed INTEGER NOT NULL, runners INTEGER NOT NULL, state INTEGER NOT "
    "NULL, wanted INTEGER NOT NULL, started INTEGER NOT NULL, seen INTEGER NOT NULL) STRICT, "
    "WITHOUT ROWID;"
    /* The speed that a job needs; its progress, when it last made some, and how long it may take to
       make more (0: no limit); and the HTTP request that added it. */
    "ALTER TABLE jobs ADD COLUMN speed_min INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN speed_max INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN progress INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN progressed INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN patience INTEGER NOT NULL DEFAULT 0;"
    "ALTER TABLE jobs ADD COLUMN request TEXT NOT NULL DEFAULT '';"
    /* When a job was added to the queue. */
    "ALTER TABLE jobs ADD COLUMN added INTEGER NOT NULL DEFAULT 0;"
    /* The only process that can play a match: its remote players are connected to it. */
    "ALTER TABLE jobs ADD COLUMN owner TEXT NOT NULL DEFAULT '';"
    "DROP INDEX jobs_by_requester;"
    "CREATE INDEX jobs_by_requester ON jobs (requester, urgency, id, long, expires, kind, "
    "speed_min, speed_max, owner) WHERE expires = 0;"
    "CREATE INDEX jobs_by_owner ON jobs (owner) WHERE owner <> '';"
    "CREATE INDEX jobs_by_speed ON jobs (speed_min, speed_max, expires) "
    "WHERE expires = 0 AND (speed_min > 0 OR speed_max > 0);"
    /* Where a match was played. */
    "ALTER TABLE matches ADD COLUMN machine TEXT NOT NULL DEFAULT '';"
    "ALTER TABLE matches ADD COLUMN speed INTEGER NOT NULL DEFAULT 0;"
    /* Rate limits that all arenas of a database share, see rates.h. */
    "CREATE TABLE rates (name TEXT PRIMARY KEY, full_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;"
    "CREATE INDEX rates_by_time ON rates (full_at);";

const SchemaStep schema_steps[] = {
    {step_1, NULL, 0},
    {step_2, NULL, 0},
    {step_3, NULL, 0},
    {step_4, NULL, 0},
    {step_5, NULL, 0},
    {step_6, NULL, 0},
    {step_7, NULL, 0},
    {step_8, NULL, 0},
    {step_9, NULL, 0},
    {step_10, NULL, 0},
    {step_11, NULL, 0},
    {step_12, NULL, 0},
    {step_13, NULL, 0},
    {step_14, NULL, 0},
    {step_15, NULL, 0},
    {step_16, NULL, 0},
    {step_17, schema_postgres_17, 0},
    {step_18, schema_postgres_18, 0},
    {step_19, schema_postgres_19, 0},
    {step_20, schema_postgres_20, 0}, /* version 19 cannot know of `oldest` */
};
const uint32_t schema_version = sizeof schema_steps / sizeof *schema_steps;

/* Reads the stamp; true if the database is empty or a store. */
static bool read_stamp(Database *database, DatabaseStamp *stamp, Error *error) {
    return database_read_stamp(database, stamp, error) &&
           (stamp->empty || stamp->application == APPLICATION ||
            error_set(error, "this is another program's database; use an empty one"));
}

static bool check_usable(const DatabaseStamp *stamp, uint32_t known, Error *error) {
    return stamp->version <= known || stamp->oldest <= known ||
           error_set(error,
                     "this store was written by a newer version of Skirmish (schema version "
                     "%" PRIu32 "; this program supports up to %" PRIu32 "); upgrade this program",
                     stamp->version, known);
}

/* Other processes may be upgrading at the same time, so the version is read again once no other
   process can write. */
static bool take_step(Database *database, const char *step, uint32_t version, uint32_t oldest,
                      Error *error) {
    DatabaseStamp stamp;
    const DatabaseStamp after = {
        .application = APPLICATION, .version = version, .oldest = oldest ? oldest : version};
    if (!read_stamp(database, &stamp, error))
        return false;
    if (stamp.version >= version)
        return database_script(database, "ROLLBACK", error);
    return database_script(database, step, error) &&
           database_write_stamp(database, &after, error) &&
           database_script(database, "COMMIT", error);
}

static bool run_step(Database *database, const char *step, uint32_t version, uint32_t oldest,
                     Error *error) {
    if (!database_begin(database, ACCESS_WRITE))
        database_error(database, error);
    else if (take_step(database, step, version, oldest, error))
        return true;
    if (database_in_transaction(database))
        database_script(database, "ROLLBACK", NULL);
    return error_prefix(error, "upgrading the store to schema version %" PRIu32, version);
}

bool schema_migrate(Database *database, const SchemaStep *steps, uint32_t count, Error *error) {
    DatabaseStamp stamp;
    if (!read_stamp(database, &stamp, error) || !check_usable(&stamp, count, error))
        return false;
    /* Not before the checks, because the file could belong to another program. */
    if (!database_use_wal(database, error))
        return false;
    bool postgres = database_engine(database) == ENGINE_POSTGRES;
    for (uint32_t version = stamp.version; version < count; version++) {
        const char *step = postgres ? steps[version].postgres : steps[version].sqlite;
        if (step && !run_step(database, step, version + 1, steps[version].oldest, error))
            return false;
    }
    return true;
}

/* Reads the version of a store that this program may use. */
static bool read_version(Database *database, uint32_t *version, Error *error) {
    DatabaseStamp stamp;
    if (!read_stamp(database, &stamp, error) || !check_usable(&stamp, schema_version, error))
        return false;
    *version = stamp.version;
    return stamp.version > 0 ||
           error_set(error, "there is no store in it; `skirmish serve` creates one");
}

bool schema_is_own(Database *database, Error *error) {
    DatabaseStamp stamp;
    return schema_is_current(database, error) && read_stamp(database, &stamp, error) &&
           (stamp.version == schema_version ||
            error_set(error, "this store has tables that this program does not know; copy it with "
                             "the version of Skirmish that upgraded it"));
}

bool schema_is_known(Database *database, Error *error) {
    uint32_t version;
    return read_version(database, &version, error);
}

bool schema_is_current(Database *database, Error *error) {
    uint32_t version;
    return read_version(database, &version, error) &&
           (version >= schema_version ||
            error_set(error, "this store is from an older version of Skirmish; `skirmish serve` "
                             "upgrades it"));
}
