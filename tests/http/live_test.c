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

/* Reads to the end, or only a little, and returns how many events came in order. */
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

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_viewer_sees_every_event_in_order),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
