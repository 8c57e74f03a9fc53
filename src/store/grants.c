/* See grants.h. tests/arena/test_workers.py runs a worker with these rights. */
#include "store/grants.h"

#include "store/audit.h"

#include <string.h>

enum { ROLE_MAX = 63 }; /* bytes; PostgreSQL truncates longer names */

/* Pairs of rights and a table. */
static const char *const grants[][2] = {
    {"SELECT", "skirmish_stamp"},
    {"SELECT", "settings"},
    {"SELECT (id, name, state, disk_max)", "accounts"},
    {"SELECT, UPDATE (active)", "bots"},
    {"SELECT, UPDATE (build, log, product, built, build_bytes)", "versions"},
    {"SELECT", "tournaments"},
    {"SELECT", "entrants"},
    {"SELECT, UPDATE (state, started, ended, turns, reason, replay, replay_bytes, result, machine, "
     "speed)",
     "matches"},
    {"SELECT, UPDATE (spec, verdict, logs, code)", "match_texts"},
    {"SELECT, UPDATE (source, place, score, status, failure)", "seats"},
    {"USAGE", "SEQUENCE result_numbers"},
    {"SELECT", "results"},
    {"SELECT, INSERT, UPDATE, DELETE", "jobs"},
    {"SELECT, INSERT, UPDATE, DELETE", "shares"},
    /* not `wanted`, which administrators set */
    {"SELECT, INSERT, UPDATE (machine, kind, version, speed, runners, state, started, seen)",
     "workers"},
    {"SELECT, INSERT, UPDATE", "checks"},
    {"SELECT, INSERT, UPDATE", "analyses"},
    {"SELECT, INSERT, UPDATE", "files"},
    {"SELECT, INSERT", "file_chunks"},
    {"SELECT (topic, number), INSERT, DELETE", "relay"},
};

/* Hides a single row with a policy, because rights apply to whole tables. Policies do not restrict
   the owner of the table. */
static const char hide_secret[] =
    "SET LOCAL client_min_messages = warning;\n" /* no notice if the policy does not exist */
    "ALTER TABLE settings ENABLE ROW LEVEL SECURITY;\n"
    "DROP POLICY IF EXISTS without_secrets ON settings;\n"
    "CREATE POLICY without_secrets ON settings FOR SELECT USING (name <> '" SETTING_MATCH_SECRET
    "');\n";

bool store_grants_write(const char *role, Buffer *to, Error *error) {
    Buffer name = {0};
    size_t length = strlen(role);
    if (!length || length > ROLE_MAX)
        return error_set(error, "the name of a role must have 1 to %d bytes", ROLE_MAX);
    buffer_char(&name, '"');
    for (const char *at = role; *at; at++) {
        if (*at == '"')
            buffer_char(&name, '"');
        buffer_char(&name, *at);
    }
    buffer_char(&name, '"');
    const char *quoted = buffer_string(&name);
    buffer_text(to, "BEGIN;\n");
    buffer_format(to, "REVOKE ALL ON ALL TABLES IN SCHEMA public FROM %s;\n", quoted);
    buffer_format(to, "REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM %s;\n", quoted);
    /* Databases upgraded from PostgreSQL 14 let every role create functions and tables. */
    buffer_format(to, "REVOKE CREATE ON SCHEMA public FROM PUBLIC, %s;\n", quoted);
    buffer_format(to, "GRANT USAGE ON SCHEMA public TO %s;\n", quoted);
    for (size_t i = 0; i < sizeof grants / sizeof *grants; i++)
        buffer_format(to, "GRANT %s ON %s TO %s;\n", grants[i][0], grants[i][1], quoted);
    buffer_text(to, hide_secret);
    buffer_text(to, "COMMIT;\n");
    buffer_free(&name);
    return true;
}
