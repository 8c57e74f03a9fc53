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
    (void)spec;
    buffer_text(to, "{}");
}
