/* What a turn reports besides its state: which orders were rejected and why, and, if anyone reads
   the log, what happened.

   Notes have a fixed size, so that a step allocates nothing. The reasons for one player are kept up
   to a limit per turn; beyond it they are only counted. With `notes` NULL, the functions do
   nothing. */
#ifndef GAMES_NOTES_H
#define GAMES_NOTES_H

#include "base/slice.h"

#include <stdint.h>

enum { NOTES_BYTES = 16384, NOTES_PLAYER_BYTES = 1024 };

typedef struct Notes {
    bool wants_events; /* set by the reader of the events; writing them costs time */
    uint32_t refused[64];
    uint32_t refused_bytes[64];
    uint32_t refusals_length;
    uint32_t events_length;
    uint32_t events_left_out;
    char refusals[NOTES_BYTES]; /* records: player (1 byte), text, NUL */
    char events[NOTES_BYTES];   /* lines */
} Notes;

/* Empties them for the next turn. */
void notes_clear(Notes *notes);

void notes_refuse(Notes *notes, uint32_t player, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Adds a line to the log. Callers may check wants_events first to save work. */
void notes_event(Notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Iterates over the rejected orders: start with *at = 0; false at the end. */
bool notes_next_refusal(const Notes *notes, uint32_t *at, uint32_t *player, Slice *text);

#endif
