/* Placeholders, replaced file by file: delete a function here when its own file has it. */
#include "server/auth.h"
#include "server/conductor.h"
#include "server/engine.h"
#include "server/join.h"
#include "server/spec.h"
#include "server/versions.h"

/* ---- auth.c ---- */
bool auth_admit(Request *request, Response *response) {
    (void)request;
    (void)response;
    return true;
}
void auth_dismiss(Request *request) {
    (void)request;
}
bool auth_first_start(Arena *arena, Error *error) {
    (void)arena;
    (void)error;
    return true;
}
bool auth_is_or_organises(const Request *request, uint64_t account) {
    return request->account == account;
}
void auth_audit(const Request *request, const char *action, const char *subject,
                const char *detail) {
    (void)request;
    (void)action;
    (void)subject;
    (void)detail;
}
/* ---- versions.c ---- */
bool versions_first_start(Arena *arena, Error *error) {
    (void)arena;
    (void)error;
    return true;
}
/* ---- engine.c ---- */
Engine *engine_start(Arena *arena, Error *error) {
    (void)error;
    return (Engine *)arena;
}
void engine_wake(Engine *engine) {
    (void)engine;
}
void engine_stop(Engine *engine, uint32_t drain_ms) {
    (void)engine;
    (void)drain_ms;
}
/* ---- spec.c ---- */
void spec_write(const MatchSpec *spec, Buffer *to) {
    buffer_format(to, "{\"players\":%u,\"remote\":[", spec->players);
    for (uint32_t i = 0; i < spec->players; i++)
        buffer_format(to, "%s%s", i ? "," : "", spec->seats[i].remote ? "true" : "false");
    buffer_text(to, "]}");
}
void spec_free(MatchSpec *spec) {
    (void)spec;
}
bool spec_choose(MatchSpec *spec, const Game *game, const char *map, const char *config,
                 uint32_t players, uint64_t seed, Error *error) {
    (void)config;
    (void)seed;
    const GameMap *standard = game_map(game, map, players);
    if (!standard)
        return error_set(error, "no such map");
    spec->map.name = (char *)(uintptr_t)standard->name;
    return true;
}
