/* See live.h. The lock guards the topics with their rings, the list of all viewers, and the queues
   to the thread (`joining`, `touched`). A topic's list of viewers and the rest of a viewer belong
   to the thread. */
#include "http/live.h"

#include "base/buffer.h"
#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "http/event.h"

#include <assert.h>
#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

enum { TOPIC_SLOTS = 1024, BATCH = 16, POLLED = 256 };

typedef struct Viewer Viewer;

typedef struct Topic {
    char name[LIVE_TOPIC_MAX];
    struct Topic *next; /* in its slot */
    Event **ring;       /* the event with id N is at N % ring_size */
    uint32_t ring_size;
    uint64_t oldest;  /* id of the oldest event in the ring; == next_id if it is empty */
    uint64_t next_id; /* id of the next event */
    uint64_t first;   /* id of the first event of the current run */
    size_t bytes;
    size_t bytes_max;
    Budget *budget; /* accounts for `bytes`; may be NULL */
    bool ended;
    bool forgotten;
    bool shared;
    bool tapped;
    bool touched; /* in Live.touched */
    struct Topic *next_touched;
    uint32_t users; /* viewers, including those that are joining */
    Viewer *viewers;
} Topic;

struct Viewer {
    LiveViewer is;
    Topic *topic;
    uint64_t next_id;
    Event *partial; /* partly sent: continue at `offset` */
    size_t offset;
    bool blocked;    /* the socket is not writable */
    int64_t sent_at; /* the last time something was sent */
    Viewer *next;    /* in the topic's list, or in Live.joining */
    Viewer *previous;
    Viewer *next_of_all;
    Viewer *previous_of_all;
    Viewer *next_dead;
    bool dead;
    bool welcomed; /* in the topic's list */
    bool revoked;  /* guarded by the lock */
};

struct Live {
    LiveOptions options;
    pthread_mutex_t lock;
    pthread_t thread;
    int epoll;
    int wake;
    bool closed;
    Topic *topics[TOPIC_SLOTS];
    Topic *touched;
    Viewer *joining;
    Viewer *all;
    Viewer *dead; /* owned by the thread: disconnected at the end of its pass */
    uint64_t revocations;
    bool revoking; /* a viewer was revoked */
    void (*tap)(void *context);
    void *tap_context;
    LiveCounts counts;
};

/* ---- topics; all with the lock held ---- */

static Topic **find_topic(Live *live, const char *name) {
    Topic **place = &live->topics[hash64(name, strlen(name)) % TOPIC_SLOTS];
    while (*place && strcmp((*place)->name, name) != 0)
        place = &(*place)->next;
    return place;
}

static void drop_oldest(Topic *topic) {
    Event **place = &topic->ring[topic->oldest % topic->ring_size];
    topic->bytes -= (*place)->length;
    if (topic->budget)
        budget_subtract(topic->budget, (*place)->length);
    event_release(*place);
    *place = NULL;
    topic->oldest++;
}

static void free_if_unused(Topic *topic) {
    if (!topic->forgotten || topic->users || topic->touched)
        return;
    while (topic->oldest < topic->next_id)
        drop_oldest(topic);
    free(topic->ring);
    free(topic);
}

static void wake(Live *live) {
    uint64_t one = 1;
    while (write(live->wake, &one, sizeof one) < 0 && errno == EINTR)
        continue;
}

static void touch(Live *live, Topic *topic) {
    if (topic->touched)
        return;
    topic->touched = true;
    topic->next_touched = live->touched;
    live->touched = topic;
    wake(live);
}

void live_open(Live *live, const char *name, uint32_t events, size_t bytes) {
    assert(strlen(name) < LIVE_TOPIC_MAX);
    if (!live)
        return;
    pthread_mutex_lock(&live->lock);
    Topic **place = find_topic(live, name);
    if (!*place) {
        Topic *topic = xcalloc(1, sizeof *topic);
        snprintf(topic->name, sizeof topic->name, "%s", name);
        topic->ring_size = events ? events : 1;
        topic->ring = xcalloc(topic->ring_size, sizeof(Event *));
        topic->oldest = topic->next_id = topic->first = 1;
        topic->bytes_max = bytes;
        topic->budget = live->options.budget;
        *place = topic;
        live->counts.topics++;
    }
    pthread_mutex_unlock(&live->lock);
}

/* Adds an encoded event with the id next_id. */
static void add_event(Live *live, Topic *topic, const Buffer *text) {
    assert(topic->ring_size > 0);
    if (topic->next_id - topic->oldest == topic->ring_size)
        drop_oldest(topic);
    topic->ring[topic->next_id % topic->ring_size] = event_new(text);
    topic->bytes += text->length;
    if (topic->budget)
        budget_add(topic->budget, text->length);
    topic->next_id++;
    while (topic->bytes > topic->bytes_max && topic->oldest + 1 < topic->next_id)
        drop_oldest(topic);
    live->counts.published++;
    touch(live, topic);
}

/* Calls the tap if the topic that changed was tapped. Call this without holding the lock. */
static void call_tap(const Live *live, bool tapped) {
    if (tapped && live->tap)
        live->tap(live->tap_context);
}

uint64_t live_publish(Live *live, const char *name, const char *event_name, Slice data) {
    Buffer text = {0};
    if (!live)
        return 0;
    pthread_mutex_lock(&live->lock);
    Topic *topic = *find_topic(live, name);
    uint64_t id = topic && !topic->ended ? topic->next_id : 0;
    bool tapped = id && topic->tapped;
    if (id) {
        event_encode(&text, id, event_name, data);
        add_event(live, topic, &text);
    }
    pthread_mutex_unlock(&live->lock);
    buffer_free(&text);
    call_tap(live, tapped);
    return id;
}

void live_end(Live *live, const char *name) {
    if (!live)
        return;
    pthread_mutex_lock(&live->lock);
    Topic *topic = *find_topic(live, name);
    bool tapped = topic && topic->tapped;
    if (topic && !topic->ended) {
        topic->ended = true;
        touch(live, topic);
    }
    pthread_mutex_unlock(&live->lock);
    call_tap(live, tapped);
}

void live_forget(Live *live, const char *name) {
    if (!live)
        return;
    pthread_mutex_lock(&live->lock);
    Topic **place = find_topic(live, name);
    Topic *topic = *place;
    bool tapped = topic && topic->tapped;
    if (topic) {
        *place = topic->next;
        topic->ended = true;
        topic->forgotten = true;
        live->counts.topics--;
        if (topic->users)
            touch(live, topic);
        free_if_unused(topic);
    }
    pthread_mutex_unlock(&live->lock);
    call_tap(live, tapped);
}

void live_drop_events(Live *live, const char *prefix) {
    if (!live)
        return;
    pthread_mutex_lock(&live->lock);
    for (size_t slot = 0; slot < TOPIC_SLOTS; slot++)
        for (Topic *topic = live->topics[slot]; topic; topic = topic->next)
            while (strncmp(topic->name, prefix, strlen(prefix)) == 0 &&
                   topic->oldest < topic->next_id)
                drop_oldest(topic);
    pthread_mutex_unlock(&live->lock);
}

/* ---- topics that several processes share ---- */

enum { RUN_SHIFT = 32 };

void live_set_tap(Live *live, void (*tap)(void *context), void *context) {
    live->tap = tap;
    live->tap_context = context;
}

LiveNext live_next(Live *live, const char *name, uint64_t *id, Buffer *to) {
    LiveNext answer = LIVE_NEXT_NO_TOPIC;
    pthread_mutex_lock(&live->lock);
    Topic *topic = *find_topic(live, name);
    if (topic) {
        uint64_t next = *id + 1 > topic->oldest ? *id + 1 : topic->oldest;
        answer = topic->ended ? LIVE_NEXT_OVER : LIVE_NEXT_NONE_YET;
        topic->tapped = true;
        if (next < topic->next_id) {
            const Event *event = topic->ring[next % topic->ring_size];
            buffer_add(to, event->bytes, event->length);
            *id = next;
            answer = LIVE_NEXT_EVENT;
        }
    }
    pthread_mutex_unlock(&live->lock);
    return answer;
}

/* Drops the kept events and sets the id of the next event. */
static void skip_to(Topic *topic, uint64_t id) {
    while (topic->oldest < topic->next_id)
        drop_oldest(topic);
    if (id >> RUN_SHIFT != topic->first >> RUN_SHIFT)
        topic->first = (id >> RUN_SHIFT << RUN_SHIFT) + 1;
    topic->oldest = topic->next_id = id;
}

void live_restart(Live *live, const char *name, uint32_t run) {
    uint64_t first = ((uint64_t)run << RUN_SHIFT) + 1;
    if (!live)
        return;
    pthread_mutex_lock(&live->lock);
    Topic *topic = *find_topic(live, name);
    if (topic && !topic->ended && topic->next_id < first)
        skip_to(topic, first);
    pthread_mutex_unlock(&live->lock);
}

void live_share(Live *live, const char *name) {
    if (!live)
        return;
    pthread_mutex_lock(&live->lock);
    Topic *topic = *find_topic(live, name);
    if (topic)
        topic->shared = true;
    pthread_mutex_unlock(&live->lock);
}

void live_receive(Live *live, const char *name, uint64_t id, Slice event) {
    Buffer text = {0};
    pthread_mutex_lock(&live->lock);
    Topic *topic = *find_topic(live, name);
    if (topic && !topic->ended && id >= topic->next_id) {
        if (id > topic->next_id)
            skip_to(topic, id);
        buffer_add(&text, event.at, event.length);
        add_event(live, topic, &text);
    }
    pthread_mutex_unlock(&live->lock);
    buffer_free(&text);
}

bool live_look(Live *live, const char *name, LiveTopic *found) {
    pthread_mutex_lock(&live->lock);
    const Topic *topic = *find_topic(live, name);
    if (topic)
        *found = (LiveTopic){.oldest = topic->oldest,
                             .last = topic->next_id - 1,
                             .viewers = topic->users,
                             .ended = topic->ended};
    pthread_mutex_unlock(&live->lock);
    return topic != NULL;
}

/* ---- joining ---- */

/* The kernel's send buffer of a viewer, in bytes. */
static size_t send_buffer(const Live *live) {
    return live->options.send_buffer ? live->options.send_buffer : 64 << 10;
}

/* Reserves a place for a viewer and the memory for its kernel send buffer. */
static bool take_place(Live *live, uint64_t address) {
    uint32_t same = 0;
    for (const Viewer *viewer = live->all; viewer; viewer = viewer->next_of_all)
        same += viewer->is.address == address;
    return live->counts.viewers < live->options.viewers_max &&
           same < live->options.viewers_per_address &&
           (!live->options.budget ||
            budget_take(live->options.budget, address, send_buffer(live), false));
}

/* The id of a viewer's first event, and how many events it has missed. */
static uint64_t first_id(const Topic *topic, const LiveViewer *viewer, uint64_t *missed) {
    uint64_t first = 1;
    if (viewer->from == LIVE_FROM_NOW)
        first = topic->next_id;
    else if (viewer->from == LIVE_FROM_LAST)
        first = topic->next_id > topic->oldest ? topic->next_id - 1 : topic->next_id;
    else if (viewer->from == LIVE_AFTER_ID &&
             (viewer->last_id < topic->next_id || (topic->shared && viewer->last_id < UINT64_MAX)))
        first = viewer->last_id + 1;
    first = first > topic->first ? first : topic->first;
    *missed = first < topic->oldest ? topic->oldest - first : 0;
    return first + *missed;
}

static Event *prelude(const LiveViewer *viewer, uint64_t missed) {
    Buffer text = {0};
    buffer_add(&text, viewer->head.at, viewer->head.length);
    buffer_text(&text, "retry: 2000\n\n");
    if (missed) {
        Buffer data = {0};
        buffer_format(&data, "{\"missed\":%llu}", (unsigned long long)missed);
        event_encode(&text, 0, "gap", (Slice){data.data, data.length});
        buffer_free(&data);
    }
    Event *event = event_new(&text);
    buffer_free(&text);
    return event;
}

LiveJoin live_join(Live *live, const LiveViewer *viewer) {
    LiveJoin answer = LIVE_JOINED;
    uint64_t missed = 0;
    pthread_mutex_lock(&live->lock);
    Topic *topic = *find_topic(live, viewer->topic);
    uint64_t first = topic ? first_id(topic, viewer, &missed) : 0;
    if (live->closed)
        answer = LIVE_CLOSED;
    else if (!topic)
        answer = LIVE_NO_TOPIC;
    else if (topic->ended && first >= topic->next_id)
        answer = LIVE_OVER;
    else if (!take_place(live, viewer->address))
        answer = LIVE_FULL;
    if (answer == LIVE_JOINED) {
        Viewer *joined = xcalloc(1, sizeof *joined);
        *joined = (Viewer){.is = *viewer, .topic = topic, .next_id = first};
        joined->partial = prelude(viewer, missed);
        joined->sent_at = clock_now();
        topic->users++;
        joined->next = live->joining;
        live->joining = joined;
        joined->next_of_all = live->all;
        if (live->all)
            live->all->previous_of_all = joined;
        live->all = joined;
        live->counts.viewers++;
        wake(live);
    }
    pthread_mutex_unlock(&live->lock);
    return answer;
}

void live_revoke(Live *live, uint64_t account, uint64_t credential) {
    pthread_mutex_lock(&live->lock);
    live->revocations++;
    for (Viewer *viewer = live->all; viewer; viewer = viewer->next_of_all)
        if (viewer->is.account == account && (!credential || viewer->is.credential == credential))
            viewer->revoked = live->revoking = true;
    if (live->revoking)
        wake(live);
    pthread_mutex_unlock(&live->lock);
}

void live_revoke_all(Live *live) {
    pthread_mutex_lock(&live->lock);
    live->revocations++;
    for (Viewer *viewer = live->all; viewer; viewer = viewer->next_of_all)
        if (viewer->is.account)
            viewer->revoked = live->revoking = true;
    if (live->revoking)
        wake(live);
    pthread_mutex_unlock(&live->lock);
}

uint64_t live_revocations(Live *live) {
    pthread_mutex_lock(&live->lock);
    uint64_t count = live->revocations;
    pthread_mutex_unlock(&live->lock);
    return count;
}

/* ---- the thread ---- */

/* Marks a viewer to be disconnected. It is freed only at the end of the pass, because events that
   epoll has already returned may still refer to it. */
static void give_up(Live *live, Viewer *viewer) {
    if (viewer->dead)
        return;
    viewer->dead = true;
    viewer->next_dead = live->dead;
    live->dead = viewer;
}

static void disconnect(Live *live, Viewer *viewer) {
    Topic *topic = viewer->topic;
    epoll_ctl(live->epoll, EPOLL_CTL_DEL, viewer->is.socket, NULL);
    shutdown(viewer->is.socket, SHUT_WR); /* the kernel still sends what is in the send buffer */
    if (viewer->previous)
        viewer->previous->next = viewer->next;
    else
        topic->viewers = viewer->next;
    if (viewer->next)
        viewer->next->previous = viewer->previous;
    pthread_mutex_lock(&live->lock);
    if (viewer->previous_of_all)
        viewer->previous_of_all->next_of_all = viewer->next_of_all;
    else
        live->all = viewer->next_of_all;
    if (viewer->next_of_all)
        viewer->next_of_all->previous_of_all = viewer->previous_of_all;
    live->counts.viewers--;
    if (live->options.budget)
        budget_return(live->options.budget, viewer->is.address, send_buffer(live));
    topic->users--;
    free_if_unused(topic);
    pthread_mutex_unlock(&live->lock);
    event_release(viewer->partial);
    LiveViewer was = viewer->is;
    free(viewer);
    was.gone(was.context);
}

static void drop_slow(Live *live, Viewer *viewer) {
    pthread_mutex_lock(&live->lock);
    live->counts.dropped++;
    pthread_mutex_unlock(&live->lock);
    give_up(live, viewer);
}

typedef enum Reach { REACH_MORE, REACH_OVERTAKEN, REACH_END } Reach;

/* Gets a viewer's next few events and holds a reference to each. REACH_END: they are the last. */
static Reach take_events(Live *live, Viewer *viewer, Event **events, uint32_t *count) {
    Reach reach = REACH_MORE;
    pthread_mutex_lock(&live->lock);
    const Topic *topic = viewer->topic;
    if (viewer->next_id < topic->first)
        viewer->next_id = topic->first; /* the topic has started a new run */
    uint64_t id = viewer->next_id;
    if (id < topic->oldest)
        reach = REACH_OVERTAKEN;
    else
        while (*count < BATCH && id < topic->next_id)
            events[(*count)++] = event_hold(topic->ring[id++ % topic->ring_size]);
    if (reach == REACH_MORE && topic->ended && id >= topic->next_id)
        reach = REACH_END;
    pthread_mutex_unlock(&live->lock);
    return reach;
}

/* Advances the viewer by `sent` bytes of the events, the first of which may be `partial`. An event
   that was only partly sent becomes the new `partial`. */
static void count_sent(Viewer *viewer, Event **events, uint32_t count, size_t sent) {
    for (uint32_t i = 0; i < count; i++) {
        bool was_partial = viewer->partial && events[i] == viewer->partial;
        size_t left = events[i]->length - (was_partial ? viewer->offset : 0);
        if (sent >= left) {
            sent -= left;
            if (was_partial) {
                event_release(viewer->partial);
                viewer->partial = NULL;
                viewer->offset = 0;
            } else {
                viewer->next_id++;
            }
        } else {
            if (sent && !was_partial) {
                viewer->partial = event_hold(events[i]);
                viewer->next_id++;
            }
            viewer->offset += sent;
            break;
        }
    }
}

/* Sends until there is nothing more to send or the socket is full. */
static void pump(Live *live, Viewer *viewer) {
    while (!viewer->dead) {
        Event *events[BATCH + 1];
        struct iovec parts[BATCH + 1];
        uint32_t count = 0;
        bool resumes = viewer->partial != NULL;
        if (resumes)
            events[count++] = event_hold(viewer->partial);
        Reach reach = take_events(live, viewer, events, &count);
        if (reach == REACH_OVERTAKEN)
            drop_slow(live, viewer);
        size_t total = 0;
        for (uint32_t i = 0; i < count; i++) {
            size_t skip = resumes && i == 0 ? viewer->offset : 0;
            parts[i] = (struct iovec){events[i]->bytes + skip, events[i]->length - skip};
            total += parts[i].iov_len;
        }
        ssize_t sent = 0;
        if (total && !viewer->dead) {
            struct msghdr message = {.msg_iov = parts, .msg_iovlen = count};
            do
                sent = sendmsg(viewer->is.socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT);
            while (sent < 0 && errno == EINTR);
            viewer->blocked = sent < 0 ? errno == EAGAIN : (size_t)sent < total;
            if (sent < 0 && !viewer->blocked)
                give_up(live, viewer);
            if (sent > 0) {
                viewer->sent_at = clock_now();
                count_sent(viewer, events, count, (size_t)sent);
            }
        }
        for (uint32_t i = 0; i < count; i++)
            event_release(events[i]);
        bool all = sent >= 0 && (size_t)sent == total;
        if (all && reach == REACH_END)
            give_up(live, viewer);
        if (!all || count < BATCH)
            return;
    }
}

static void welcome(Live *live, Viewer *viewer) {
    int size = (int)send_buffer(live);
    setsockopt(viewer->is.socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    Topic *topic = viewer->topic;
    viewer->previous = NULL;
    viewer->next = topic->viewers;
    if (topic->viewers)
        topic->viewers->previous = viewer;
    topic->viewers = viewer;
    viewer->welcomed = true;
    struct epoll_event want = {.events = EPOLLOUT | EPOLLRDHUP | EPOLLET, .data.ptr = viewer};
    if (epoll_ctl(live->epoll, EPOLL_CTL_ADD, viewer->is.socket, &want) != 0)
        give_up(live, viewer);
    pump(live, viewer);
}

/* Takes a few of the touched topics, and counts as a user of each so that they are not freed. */
static uint32_t take_touched(Live *live, Topic **topics) {
    uint32_t count = 0;
    pthread_mutex_lock(&live->lock);
    while (live->touched && count < BATCH) {
        Topic *topic = live->touched;
        live->touched = topic->next_touched;
        topic->touched = false;
        topic->users++;
        topics[count++] = topic;
    }
    if (live->touched)
        wake(live); /* leave the rest to the next pass, so that busy topics starve nothing else */
    pthread_mutex_unlock(&live->lock);
    return count;
}

static void send_news(Live *live) {
    Topic *topics[BATCH];
    uint32_t count = take_touched(live, topics);
    for (uint32_t i = 0; i < count; i++) {
        for (Viewer *viewer = topics[i]->viewers; viewer; viewer = viewer->next)
            if (!viewer->blocked)
                pump(live, viewer);
        pthread_mutex_lock(&live->lock);
        topics[i]->users--;
        free_if_unused(topics[i]);
        pthread_mutex_unlock(&live->lock);
    }
}

static void welcome_all(Live *live) {
    pthread_mutex_lock(&live->lock);
    Viewer *joining = live->joining;
    live->joining = NULL;
    pthread_mutex_unlock(&live->lock);
    while (joining) {
        Viewer *next = joining->next;
        welcome(live, joining);
        joining = next;
    }
}

/* Sends heartbeats to viewers without recent events, and drops viewers that read nothing. */
static void check_deadlines(Live *live, int64_t now) {
    int64_t heartbeat = live->options.heartbeat_ms * CLOCK_MS;
    int64_t stall = live->options.stall_ms * CLOCK_MS;
    /* Other threads only add at the front, and only this thread removes entries. */
    pthread_mutex_lock(&live->lock);
    Viewer *viewer = live->all;
    pthread_mutex_unlock(&live->lock);
    for (; viewer; viewer = viewer->next_of_all) {
        int64_t quiet = now - viewer->sent_at;
        if (viewer->dead || !viewer->welcomed)
            continue;
        if (viewer->is.until && now >= viewer->is.until)
            give_up(live, viewer);
        else if (viewer->blocked || viewer->partial) {
            if (quiet > stall)
                drop_slow(live, viewer);
        } else if (quiet > heartbeat) {
            ssize_t sent = send(viewer->is.socket, ":\n\n", 3, MSG_NOSIGNAL | MSG_DONTWAIT);
            if (sent == 3)
                viewer->sent_at = now;
            else if (sent < 0 && errno != EAGAIN)
                give_up(live, viewer);
            else
                drop_slow(live, viewer);
        }
    }
}

static void drop_revoked(Live *live) {
    pthread_mutex_lock(&live->lock);
    bool revoking = live->revoking;
    live->revoking = false;
    for (Viewer *viewer = revoking ? live->all : NULL; viewer; viewer = viewer->next_of_all) {
        if (viewer->revoked && viewer->welcomed)
            give_up(live, viewer);
        else if (viewer->revoked)
            live->revoking = true; /* it has just joined: disconnect it in the next pass */
    }
    pthread_mutex_unlock(&live->lock);
}

static void *run(void *context) {
    Live *live = context;
    uint32_t shortest = live->options.heartbeat_ms < live->options.stall_ms
                            ? live->options.heartbeat_ms
                            : live->options.stall_ms;
    int tick = shortest / 4 < 250 ? (int)(shortest / 4) + 1 : 250;
    int64_t looked = clock_now();
    for (bool closed = false; !closed;) {
        struct epoll_event happened[POLLED];
        int count = epoll_wait(live->epoll, happened, POLLED, tick);
        for (int i = 0; i < count; i++) {
            Viewer *viewer = happened[i].data.ptr;
            uint64_t signals;
            if (!viewer) {
                while (read(live->wake, &signals, sizeof signals) < 0 && errno == EINTR)
                    continue;
            } else if (happened[i].events & (EPOLLRDHUP | EPOLLHUP | EPOLLERR)) {
                give_up(live, viewer);
            } else {
                viewer->blocked = false;
                pump(live, viewer);
            }
        }
        pthread_mutex_lock(&live->lock);
        closed = live->closed;
        pthread_mutex_unlock(&live->lock);
        send_news(live);
        welcome_all(live);
        drop_revoked(live);
        int64_t now = clock_now();
        if (now - looked >= tick * CLOCK_MS) {
            check_deadlines(live, now);
            looked = now;
        }
        for (Viewer *viewer = closed ? live->all : NULL; viewer; viewer = viewer->next_of_all)
            give_up(live, viewer);
        while (live->dead) {
            Viewer *viewer = live->dead;
            live->dead = viewer->next_dead;
            disconnect(live, viewer);
        }
    }
    return NULL;
}

/* ---- start and stop ---- */

Live *live_new(const LiveOptions *options) {
    Live *live = xcalloc(1, sizeof *live);
    live->options = *options;
    pthread_mutex_init(&live->lock, NULL);
    live->epoll = epoll_create1(EPOLL_CLOEXEC);
    live->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    struct epoll_event want = {.events = EPOLLIN, .data.ptr = NULL};
    if (live->epoll < 0 || live->wake < 0 ||
        epoll_ctl(live->epoll, EPOLL_CTL_ADD, live->wake, &want) != 0 ||
        pthread_create(&live->thread, NULL, run, live) != 0)
        abort();
    return live;
}

void live_close(Live *live) {
    pthread_mutex_lock(&live->lock);
    bool was_closed = live->closed;
    live->closed = true;
    wake(live);
    pthread_mutex_unlock(&live->lock);
    if (!was_closed)
        pthread_join(live->thread, NULL);
}

void live_free(Live *live) {
    if (!live)
        return;
    assert(live->closed);
    while (live->touched) {
        Topic *topic = live->touched;
        live->touched = topic->next_touched;
        topic->touched = false;
        free_if_unused(topic);
    }
    for (uint32_t i = 0; i < TOPIC_SLOTS; i++)
        while (live->topics[i]) {
            Topic *topic = live->topics[i];
            live->topics[i] = topic->next;
            topic->forgotten = true;
            free_if_unused(topic);
        }
    close(live->epoll);
    close(live->wake);
    pthread_mutex_destroy(&live->lock);
    free(live);
}

LiveCounts live_counts(Live *live) {
    pthread_mutex_lock(&live->lock);
    LiveCounts counts = live->counts;
    pthread_mutex_unlock(&live->lock);
    return counts;
}
