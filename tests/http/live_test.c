/* Publishing from many threads while viewers come and go: every viewer that stays sees every event
   once and in order. Also for ThreadSanitizer. */
#include "http/live.h"

#include "base/buffer.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { PUBLISHERS = 4, EACH = 500, VIEWERS = 16 };

static Live *live;
static _Atomic uint32_t gone;

static void viewer_gone(void *context) {
    int *socket = context;
    close(*socket);
    free(socket);
    atomic_fetch_add(&gone, 1);
}

static void *publish(void *context) {
    const char *name = context;
    for (int i = 0; i < EACH; i++) {
        live_publish(live, "m", "turn", slice_of(name));
        if (i % 100 == 0) {
            live_open(live, name, 4, 1000);
            live_publish(live, name, "turn", slice_of(name));
            live_forget(live, name);
        }
    }
    return NULL;
}

typedef struct Watching {
    bool stays;
    uint64_t seen;
} Watching;

/* Reads to the end if `stays`, otherwise only some events; returns how many arrived in order. */
static uint64_t watch(bool stays) {
    int pair[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
        abort();
    int *lent = malloc(sizeof *lent);
    if (!lent)
        abort();
    *lent = pair[0];
    LiveViewer viewer = {
        .socket = pair[0], .topic = "m", .head = {"", 0}, .gone = viewer_gone, .context = lent};
    if (live_join(live, &viewer) != LIVE_JOINED)
        abort();
    FILE *in = fdopen(pair[1], "r");
    if (!in)
        abort();
    char line[200];
    unsigned long long expected = 1;
    while (fgets(line, sizeof line, in) && (stays || expected < 20))
        if (strncmp(line, "id: ", 4) == 0 && strtoull(line + 4, NULL, 10) == expected)
            expected++;
    fclose(in);
    return expected - 1;
}

static void *watch_thread(void *context) {
    Watching *watching = context;
    watching->seen = watch(watching->stays);
    return NULL;
}

static void every_viewer_sees_every_event_in_order(void **state) {
    (void)state;
    static char names[PUBLISHERS][8] = {"a", "b", "c", "d"};
    const LiveOptions options = {
        .viewers_max = 100, .viewers_per_address = 100, .heartbeat_ms = 20, .stall_ms = 60000};
    live = live_new(&options);
    live_open(live, "m", PUBLISHERS * EACH, 10 << 20);
    pthread_t publishers[PUBLISHERS];
    pthread_t viewers[VIEWERS];
    Watching watching[VIEWERS] = {0};
    for (int i = 0; i < VIEWERS; i++) {
        watching[i].stays = i % 4 != 0;
        assert_int_equal(pthread_create(&viewers[i], NULL, watch_thread, &watching[i]), 0);
    }
    for (int i = 0; i < PUBLISHERS; i++)
        assert_int_equal(pthread_create(&publishers[i], NULL, publish, names[i]), 0);
    for (int i = 0; i < PUBLISHERS; i++)
        pthread_join(publishers[i], NULL);
    live_end(live, "m");
    for (int i = 0; i < VIEWERS; i++) {
        pthread_join(viewers[i], NULL);
        if (watching[i].stays)
            assert_int_equal(watching[i].seen, PUBLISHERS * EACH);
    }
    live_close(live);
    assert_int_equal(atomic_load(&gone), VIEWERS);
    assert_int_equal(live_counts(live).viewers, 0);
    assert_int_equal(live_counts(live).topics, 1);
    assert_int_equal(live_counts(live).dropped, 0);
    live_free(live);
}

/* ---- topics that several processes share ---- */

/* Joins "s" as a viewer and writes what it receives until the topic ends, as "1=a 2=b ". */
static void read_shared(LiveFrom from, uint64_t last_id, char text[200]) {
    int pair[2];
    char line[200];
    char id[sizeof line] = "";
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair), 0);
    int *lent = malloc(sizeof *lent);
    assert_non_null(lent);
    *lent = pair[0];
    LiveViewer viewer = {.socket = pair[0],
                         .topic = "s",
                         .from = from,
                         .last_id = last_id,
                         .head = {"", 0},
                         .gone = viewer_gone,
                         .context = lent};
    assert_int_equal(live_join(live, &viewer), LIVE_JOINED);
    FILE *in = fdopen(pair[1], "r");
    assert_non_null(in);
    text[0] = '\0';
    while (fgets(line, sizeof line, in)) {
        size_t length = strlen(text);
        line[strcspn(line, "\n")] = '\0';
        if (strncmp(line, "id: ", 4) == 0)
            snprintf(id, sizeof id, "%.190s=", line + 4);
        else if (strncmp(line, "data: ", 6) == 0)
            snprintf(text + length, 200 - length, "%s%s ", id, line + 6);
    }
    fclose(in);
}

static void receive(uint64_t id, const char *data) {
    char text[100];
    snprintf(text, sizeof text, "id: %llu\nevent: turn\ndata: %s\n\n", (unsigned long long)id,
             data);
    live_receive(live, "s", id, slice_of(text));
}

static void *end_shared(void *context) {
    receive(4, "d");
    receive(5, context);
    live_end(live, "s");
    return NULL;
}

static const LiveOptions shared_options = {
    .viewers_max = 9, .viewers_per_address = 9, .heartbeat_ms = 60000, .stall_ms = 60000};

static void open_shared(void) {
    live = live_new(&shared_options);
    live_open(live, "s", 100, 10000);
    live_share(live, "s");
}

static void close_shared(void) {
    live_close(live);
    live_free(live);
}

static void events_of_another_process_keep_their_ids(void **state) {
    char text[200];
    (void)state;
    open_shared();
    receive(1, "a");
    receive(2, "b");
    receive(2, "again"); /* as if the database's answer was lost */
    receive(1, "again");
    receive(3, "c");
    live_end(live, "s");
    read_shared(LIVE_FROM_START, 0, text);
    assert_string_equal(text, "1=a 2=b 3=c ");
    read_shared(LIVE_AFTER_ID, 2, text);
    assert_string_equal(text, "3=c ");
    close_shared();
}

static void a_viewer_ahead_of_the_received_events_gets_only_later_ones(void **state) {
    char text[200];
    char last[] = "e";
    pthread_t thread;
    (void)state;
    open_shared();
    receive(3, "c"); /* from a process that no longer keeps earlier events */
    assert_int_equal(pthread_create(&thread, NULL, end_shared, last), 0);
    read_shared(LIVE_AFTER_ID, 4, text);
    pthread_join(thread, NULL);
    assert_string_equal(text, "5=e ");
    read_shared(LIVE_FROM_START, 0, text);
    assert_string_equal(text, "{\"missed\":2} 3=c 4=d 5=e ");
    close_shared();
}

static void a_new_run_replaces_the_previous_one(void **state) {
    const uint64_t run = UINT64_C(1) << 32;
    char text[200];
    uint64_t id = 0;
    Buffer bytes = {0};
    (void)state;
    open_shared();
    live_publish(live, "s", "turn", slice_of("a"));
    live_restart(live, "s", 0); /* the first run continues */
    live_publish(live, "s", "turn", slice_of("b"));
    assert_int_equal(live_next(live, "s", &id, &bytes), LIVE_NEXT_EVENT);
    assert_int_equal(id, 1);
    live_restart(live, "s", 1);
    receive(3, "late"); /* from the publisher of the first run */
    assert_int_equal(live_next(live, "s", &id, &bytes), LIVE_NEXT_NONE_YET);
    assert_int_equal(live_publish(live, "s", "turn", slice_of("c")), run + 1);
    assert_int_equal(live_next(live, "s", &id, &bytes), LIVE_NEXT_EVENT);
    assert_int_equal(id, run + 1);
    live_end(live, "s");
    assert_int_equal(live_next(live, "s", &id, &bytes), LIVE_NEXT_OVER);
    read_shared(LIVE_AFTER_ID, 2, text);
    assert_string_equal(text, "4294967297=c ");
    read_shared(LIVE_FROM_START, 0, text);
    assert_string_equal(text, "4294967297=c ");
    buffer_free(&bytes);
    close_shared();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_viewer_sees_every_event_in_order),
        cmocka_unit_test(events_of_another_process_keep_their_ids),
        cmocka_unit_test(a_viewer_ahead_of_the_received_events_gets_only_later_ones),
        cmocka_unit_test(a_new_run_replaces_the_previous_one),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
