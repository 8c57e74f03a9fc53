/* What a turn has to tell besides its state: which orders were refused and why, and, where somebody
   reads along, what happened.

   Notes have a fixed size, so that a step that writes into them allocates nothing. A player's
   reasons are kept up to a limit in a turn; past it they are only counted. Where `notes` is NULL
   the functions do nothing. */
#ifndef GAMES_NOTES_H
#define GAMES_NOTES_H

#include "base/slice.h"

#include <stdint.h>

enum { NOTES_BYTES = 16384, NOTES_PLAYER_BYTES = 1024 };

typedef struct Notes {
    bool wants_events; /* set by whoever reads the events: they cost time to write */
    uint32_t refused[64];
    uint32_t refused_bytes[64];
    uint32_t refusals_length;
    uint32_t events_length;
    uint32_t events_left_out;
    char refusals[NOTES_BYTES]; /* records: player (1 byte), text, NUL */
    char events[NOTES_BYTES];   /* lines */
} Notes;

/* Empty, for the next turn. */
void notes_clear(Notes *notes);

void notes_refuse(Notes *notes, uint32_t player, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* One line of the readable log. Callers need not look at wants_events, but may, before work that
   only serves an event. */
void notes_event(Notes *notes, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Walks over the refusals: start with *at = 0; false at the end. */
bool notes_next_refusal(const Notes *notes, uint32_t *at, uint32_t *player, Slice *text);

#endif
