/* See event.h. */
#include "http/event.h"

#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

Event *event_new(const Buffer *text) {
    Event *event = xmalloc(sizeof *event + text->length);
    event->holders = 1;
    event->length = text->length;
    if (text->length)
        memcpy(event->bytes, text->data, text->length);
    return event;
}

Event *event_hold(Event *event) {
    atomic_fetch_add_explicit(&event->holders, 1, memory_order_relaxed);
    return event;
}

void event_release(Event *event) {
    if (event && atomic_fetch_sub_explicit(&event->holders, 1, memory_order_acq_rel) == 1)
        free(event);
}

void event_encode(Buffer *to, uint64_t id, const char *name, Slice data) {
    if (id)
        buffer_format(to, "id: %llu\n", (unsigned long long)id);
    buffer_format(to, "event: %s\ndata: ", name);
    size_t start = 0;
    for (size_t i = 0; i < data.length; i++) {
        if (data.at[i] != '\n' && data.at[i] != '\r')
            continue;
        buffer_add(to, data.at + start, i - start);
        buffer_text(to, "\ndata: ");
        if (data.at[i] == '\r' && i + 1 < data.length && data.at[i + 1] == '\n')
            i++;
        start = i + 1;
    }
    if (data.length > start)
        buffer_add(to, data.at + start, data.length - start);
    buffer_text(to, "\n\n");
}
