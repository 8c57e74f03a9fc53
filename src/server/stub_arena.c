/* Placeholders, replaced file by file: delete a function here when its own file has it. */
#include "server/auth.h"
#include "server/conductor.h"
#include "server/engine.h"
#include "server/join.h"
#include "server/spec.h"
#include "server/versions.h"

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
