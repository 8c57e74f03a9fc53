/* See later.h. */
#include "http/later.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct Work {
    void (*run)(void *context);
    void *context;
} Work;

struct Later {
    pthread_mutex_t lock;
    pthread_cond_t news;
    pthread_t *threads;
    uint32_t thread_count;
    Work *queue;   /* a ring */
    uint32_t room; /* for work that waits or is being done */
    uint32_t first;
    uint32_t waiting;
    uint32_t running;
    bool closed;
};

static void *work(void *context) {
    Later *later = context;
    pthread_mutex_lock(&later->lock);
    for (;;) {
        while (!later->waiting && !later->closed)
            pthread_cond_wait(&later->news, &later->lock);
        if (!later->waiting)
            break;
        Work next = later->queue[later->first];
        later->first = (later->first + 1) % later->room;
        later->waiting--;
        later->running++;
        pthread_mutex_unlock(&later->lock);
        next.run(next.context);
        pthread_mutex_lock(&later->lock);
        later->running--;
    }
    pthread_mutex_unlock(&later->lock);
    return NULL;
}

Later *later_new(uint32_t threads, uint32_t queue_max) {
    Later *later = calloc(1, sizeof *later);
    if (!later)
        abort();
    pthread_mutex_init(&later->lock, NULL);
    pthread_cond_init(&later->news, NULL);
    later->room = threads + (queue_max ? queue_max : 1);
    later->queue = calloc(later->room, sizeof *later->queue);
    later->threads = calloc(threads ? threads : 1, sizeof *later->threads);
    if (!later->queue || !later->threads)
        abort();
    for (uint32_t i = 0; i < (threads ? threads : 1); i++) {
        if (pthread_create(&later->threads[i], NULL, work, later) != 0)
            abort();
        later->thread_count++;
    }
    return later;
}

void later_close(Later *later) {
    pthread_mutex_lock(&later->lock);
    later->closed = true;
    pthread_cond_broadcast(&later->news);
    pthread_mutex_unlock(&later->lock);
    for (uint32_t i = 0; i < later->thread_count; i++)
        pthread_join(later->threads[i], NULL);
    later->thread_count = 0;
}

void later_free(Later *later) {
    if (!later)
        return;
    later_close(later);
    pthread_cond_destroy(&later->news);
    pthread_mutex_destroy(&later->lock);
    free(later->threads);
    free(later->queue);
    free(later);
}

bool later_give(Later *later, void (*run)(void *context), void *context) {
    pthread_mutex_lock(&later->lock);
    /* A thread that has not woken yet is as good as one that works: how full it is does not hang on
       how busy the machine is. */
    bool room = !later->closed && later->waiting + later->running < later->room;
    if (room) {
        uint32_t last = (later->first + later->waiting++) % later->room;
        later->queue[last] = (Work){run, context};
        pthread_cond_signal(&later->news);
    }
    pthread_mutex_unlock(&later->lock);
    return room;
}

uint32_t later_pending(Later *later) {
    pthread_mutex_lock(&later->lock);
    uint32_t pending = later->waiting + later->running;
    pthread_mutex_unlock(&later->lock);
    return pending;
}
