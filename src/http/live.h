/* Live streams: topics with a bounded history, and any number of viewers who read them as
   server-sent events.

   Theory of operation. An event is encoded once, when it is published, and kept in its topic's
   ring; viewers only hold references to it. One thread owns all viewers' sockets: it wakes when
   something was published or a socket can take more, and sends as much as the socket takes, never
   waiting. A viewer that takes nothing for a while, or that the ring has overtaken, is dropped; its
   browser comes back by itself with the last id it saw. Publishing takes a lock for a moment and
   never touches a socket.

   A viewer's socket is lent: from live_join until `gone` is called nobody else may use it. This
   file knows nothing of requests. */
#ifndef HTTP_LIVE_H
#define HTTP_LIVE_H

#include "base/slice.h"

enum { LIVE_TOPIC_MAX = 64 };

typedef struct Live Live;

typedef struct LiveOptions {
    uint32_t viewers_max;
    uint32_t viewers_per_address;
    uint32_t heartbeat_ms; /* a comment, when nothing else was sent for so long */
    uint32_t stall_ms;     /* a viewer that takes nothing for so long is dropped */
    uint32_t send_buffer;  /* bytes that the kernel may hold for a viewer; 0: 64 KiB */
} LiveOptions;

typedef struct LiveCounts {
    uint64_t viewers;
    uint64_t topics;
    uint64_t published;
    uint64_t dropped; /* viewers that were too slow */
} LiveCounts;

Live *live_new(const LiveOptions *options);

/* Lets all viewers go, and takes no more. */
void live_close(Live *live);
void live_free(Live *live); /* after live_close; NULL is fine */
LiveCounts live_counts(Live *live);

/* ---- topics; from any thread ---- */

/* A topic that keeps its last `events` events, and of those no more than about `bytes`. Nothing
   happens if it is there. The name has less than LIVE_TOPIC_MAX bytes. */
void live_open(Live *live, const char *topic, uint32_t events, size_t bytes);

/* Publishes an event; `name` is a constant such as "turn". Whatever the data is, it stays one
   event. Returns its id (1, 2, ...), or 0 if there is no such topic or it has ended. */
uint64_t live_publish(Live *live, const char *topic, const char *name, Slice data);

/* No more events will come: viewers get what there is and are let go; who comes later still gets
   the history. */
void live_end(Live *live, const char *topic);

/* The topic is not there any more; its viewers get what there is. */
void live_forget(Live *live, const char *topic);

/* ---- viewers ---- */

typedef enum LiveFrom {
    LIVE_FROM_START,
    LIVE_FROM_NOW,
    LIVE_FROM_LAST, /* the newest event and what follows: where each event is the whole state */
    LIVE_AFTER_ID
} LiveFrom;

typedef struct LiveViewer {
    int socket;       /* connected, non-blocking */
    uint64_t address; /* a key for counting */
    const char *topic;
    LiveFrom from;
    uint64_t last_id; /* for LIVE_AFTER_ID; one that was never given out means from the start */
    Slice head;       /* sent before the first event; copied */
    void (*gone)(void *context); /* called once, from the live thread, as the last thing */
    void *context;
} LiveViewer;

typedef enum LiveJoin {
    LIVE_JOINED,
    LIVE_NO_TOPIC,
    LIVE_OVER, /* the topic has ended and there is nothing more to see */
    LIVE_FULL, /* too many viewers, here or from this address */
    LIVE_CLOSED,
} LiveJoin;

/* `gone` is called only after LIVE_JOINED. A viewer whose next event is not kept any more first
   gets an event "gap" with the number of those missed. */
LiveJoin live_join(Live *live, const LiveViewer *viewer);

#endif
