/* See notes.h. */
#include "games/notes.h"

#include <assert.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

void notes_clear(Notes *notes) {
    memset(notes->refused, 0, sizeof notes->refused);
    memset(notes->refused_bytes, 0, sizeof notes->refused_bytes);
    notes->refusals_length = 0;
    notes->events_length = 0;
    notes->events_left_out = 0;
}

void notes_refuse(Notes *notes, uint32_t player, const char *format, ...) {
    if (!notes)
        return;
    assert(player < 64);
    notes->refused[player]++;
    char text[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    /* The text may quote a bot's answer: control characters must not reach a terminal. */
    for (char *c = text; *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f)
            *c = '?';
    uint32_t length = (uint32_t)strlen(text) + 2;
    if (notes->refused_bytes[player] + length > NOTES_PLAYER_BYTES ||
        notes->refusals_length + length > NOTES_BYTES)
        return;
    notes->refused_bytes[player] += length;
    notes->refusals[notes->refusals_length] = (char)player;
    memcpy(notes->refusals + notes->refusals_length + 1, text, length - 1);
    notes->refusals_length += length;
}

void notes_event(Notes *notes, const char *format, ...) {
    if (!notes || !notes->wants_events)
        return;
    size_t room = NOTES_BYTES - notes->events_length;
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(notes->events + notes->events_length, room, format, arguments);
    va_end(arguments);
    if (length < 0 || (size_t)length + 1 > room) {
        notes->events_left_out++;
        return;
    }
    notes->events_length += (uint32_t)length;
    notes->events[notes->events_length++] = '\n';
}

bool notes_next_refusal(const Notes *notes, uint32_t *at, uint32_t *player, Slice *text) {
    if (*at >= notes->refusals_length)
        return false;
    *player = (unsigned char)notes->refusals[*at];
    *text = slice_of(notes->refusals + *at + 1);
    *at += (uint32_t)text->length + 2;
    return true;
}
