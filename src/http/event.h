/* One event of a live stream, encoded once and shared by all its viewers. Only live.c uses it. */
#ifndef HTTP_EVENT_H
#define HTTP_EVENT_H

#include "base/buffer.h"
#include "base/slice.h"

#include <stdatomic.h>

typedef struct Event {
    _Atomic uint32_t holders;
    size_t length;
    char bytes[];
} Event;

/* A copy of the text, with one holder. */
Event *event_new(const Buffer *text);
Event *event_hold(Event *event);
void event_release(Event *event); /* NULL is fine; the last release frees it */

/* Appends an event in the wire format; `id` 0 means no id. Every line of the data becomes a field,
   whatever its line ending, so that no data can end the event early. */
void event_encode(Buffer *to, uint64_t id, const char *name, Slice data);

#endif
