/* Figures about the store, for /metrics: how long its transactions and requests for files take, the
   ages of jobs, connections. A worker, which has no /metrics, writes them to its log. */
#ifndef ARENA_FIGURES_H
#define ARENA_FIGURES_H

#include "arena/arena.h"

typedef struct Figures Figures;

/* Registers the metrics. Call it before opening the store, and pass the watch in its options. */
Figures *figures_new(Arena *arena, StoreWatch *watch);
void figures_free(Figures *figures);

/* Reads from the store the figures that change without this process. It waits for the store, so do
   not call it on a thread that serves requests. */
void figures_read(Arena *arena);

/* Writes a line "status" to the log, with some more figures. */
void figures_log(const Arena *arena, const LogField *more, uint32_t count);

/* Whether the next line is due: the first one immediately, then one every minute. */
bool figures_are_due(const Arena *arena);

#endif
