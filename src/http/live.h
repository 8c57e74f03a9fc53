/* Live streams: topics with a bounded history, and any number of viewers who read them as
   server-sent events.

   Theory of operation. An event is encoded once, when it is published, and kept in its topic's
   ring; viewers only hold references to it. One thread owns all viewers' sockets: it wakes when an
   event is published or a socket becomes writable, and never blocks. A viewer that reads nothing
   for a while, or whose next event has been dropped from the ring, is disconnected; its browser
   reconnects with the last id it saw. Publishing holds a lock briefly and never touches a socket.

   A viewer's socket is lent: from live_join until `gone` is called, no other code may use it. */
#ifndef HTTP_LIVE_H
#define HTTP_LIVE_H

#include "base/buffer.h"
#include "base/slice.h"
#include "http/budget.h"

enum { LIVE_TOPIC_MAX = 64 };

typedef struct Live Live;

typedef struct LiveOptions {
    uint32_t viewers_max;
    uint32_t viewers_per_address;
    uint32_t heartbeat_ms; /* a comment is sent after this much silence */
    uint32_t stall_ms;     /* a viewer that reads nothing for this long is dropped */
    uint32_t send_buffer;  /* the kernel's send buffer per viewer, in bytes; 0: 64 KiB */
    Budget *budget;        /* for send buffers and kept events; may be NULL */
} LiveOptions;

typedef struct LiveCounts {
    uint64_t viewers;
    uint64_t topics;
    uint64_t published;
    uint64_t dropped; /* viewers that were too slow */
} LiveCounts;

Live *live_new(const LiveOptions *options);

/* Disconnects all viewers and accepts no new ones. */
void live_close(Live *live);
void live_free(Live *live); /* after live_close; NULL is fine */
LiveCounts live_counts(Live *live);

/* ---- topics; from any thread. NULL is fine: then nobody watches ---- */

/* Creates a topic that keeps its last `events` events, about `bytes` bytes at most. Does nothing if
   it exists. The name has fewer than LIVE_TOPIC_MAX bytes. */
void live_open(Live *live, const char *topic, uint32_t events, size_t bytes);

/* Publishes an event; `name` is a constant such as "turn", the data may be anything. Returns its id
   (1, 2, ...), or 0 if the topic does not exist or has ended. */
uint64_t live_publish(Live *live, const char *topic, const char *name, Slice data);

/* Ends a topic: viewers receive the remaining events and are disconnected. Later viewers still get
   the history. */
void live_end(Live *live, const char *topic);

/* Removes a topic; its viewers receive the remaining events. */
void live_forget(Live *live, const char *topic);

/* Drops the kept events of all topics whose names begin with this prefix, because they name a
   deleted account. Viewers that have not received them yet are disconnected and reconnect. */
void live_drop_events(Live *live, const char *prefix);

/* ---- topics that several processes share ----

   One process publishes such a topic. It reads the events with live_next and passes them to the
   other processes, which add them with live_receive, so that an event has the same id everywhere.
   If a topic is published again from its beginning, perhaps by another process, this is its next
   run. The ids of a run start after `run` << 32, so they are above those of all earlier runs. */

typedef enum LiveNext {
    LIVE_NEXT_EVENT,
    LIVE_NEXT_NONE_YET,
    LIVE_NEXT_OVER, /* the topic has ended */
    LIVE_NEXT_NO_TOPIC
} LiveNext;

/* Appends the first kept event after *id, in the form in which viewers receive it, and sets *id to
   its id. From then on, the tap is called for the topic. */
LiveNext live_next(Live *live, const char *topic, uint64_t *id, Buffer *to);

/* Makes the server call `tap`, from any thread and without holding a lock, when a topic that
   live_next has read gets an event, ends or is removed. Call it once, before the first topic is
   created. */
void live_set_tap(Live *live, void (*tap)(void *context), void *context);

/* Starts a run unless the topic has already reached it. Drops events of the previous run that
   viewers have not received. */
void live_restart(Live *live, const char *topic, uint32_t run);

/* Declares that other processes serve the topic too. A viewer that reconnects from one of them may
   have seen events that have not arrived here; it waits for the events after them. */
void live_share(Live *live, const char *topic);

/* Adds an event of another process unless the topic already has this id or a later one. Drops all
   kept events if events before this one are missing or it starts a run. */
void live_receive(Live *live, const char *topic, uint64_t id, Slice event);

typedef struct LiveTopic {
    uint64_t oldest; /* the id of the oldest kept event, or of the next one */
    uint64_t last;   /* the id of the newest event, or 0 */
    uint32_t viewers;
    bool ended;
} LiveTopic;

/* False if the topic does not exist. */
bool live_look(Live *live, const char *topic, LiveTopic *found);

/* ---- viewers ---- */

typedef enum LiveFrom {
    LIVE_FROM_START,
    LIVE_FROM_NOW,
    LIVE_FROM_LAST, /* from the newest event on: for topics whose events hold the whole state */
    LIVE_AFTER_ID
} LiveFrom;

typedef struct LiveViewer {
    int socket;       /* connected, non-blocking */
    uint64_t address; /* for the limit per address */
    /* Identify the viewer for live_revoke: an account and its session or token; 0: a visitor. */
    uint64_t account;
    uint64_t credential;
    int64_t until; /* when the credential expires, by clock_now; 0: never */
    const char *topic;
    LiveFrom from;
    /* for LIVE_AFTER_ID; an unknown id means from the start, except for a shared topic */
    uint64_t last_id;
    Slice head;                  /* sent before the first event; copied */
    void (*gone)(void *context); /* the last call about this viewer, from the live thread */
    void *context;
} LiveViewer;

typedef enum LiveJoin {
    LIVE_JOINED,
    LIVE_NO_TOPIC,
    LIVE_OVER, /* the topic has ended and the viewer has seen all events */
    LIVE_FULL, /* too many viewers, in total or from this address, or too little memory */
    LIVE_CLOSED,
} LiveJoin;

/* `gone` is called only after LIVE_JOINED. A viewer whose next event has been dropped from the ring
   first receives an event "gap" with the number of missed events. */
LiveJoin live_join(Live *live, const LiveViewer *viewer);

/* Disconnects the viewers with this session or token of the account, or all viewers of the account
   if `credential` is 0. Callable from any thread; returns before they are disconnected. */
void live_revoke(Live *live, uint64_t account, uint64_t credential);

/* Disconnects all viewers that are logged in, likewise. */
void live_revoke_all(Live *live);

/* How often live_revoke was called. If a viewer's credential was checked before the latest call and
   the viewer joined after it, live_revoke must be called again. */
uint64_t live_revocations(Live *live);

#endif
