/* One event of a live stream, encoded once and shared by all who send it. Only live.c uses it. */
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
void event_release(Event *event); /* NULL is fine; the last who lets go frees it */

/* Appends an event as it goes over the wire; `id` 0 for none. Each line of the data gets a field of
   its own, whatever ends it, so that nothing in it can end the event. */
void event_encode(Buffer *to, uint64_t id, const char *name, Slice data);

#endif
