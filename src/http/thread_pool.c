/* See thread_pool.h. */
#include "http/thread_pool.h"

#include "base/json.h"
#include "base/memory.h"

#include <pthread.h>
#include <stdlib.h>

typedef struct PoolJob {
    void (*run)(void *context);
    void *context;
} PoolJob;

struct ThreadPool {
    pthread_mutex_t lock;
    pthread_cond_t news;
    pthread_t *threads;
    uint32_t thread_count;
    PoolJob *queue; /* a ring */
    uint32_t room;  /* the most jobs that may be queued or running */
    uint32_t first;
    uint32_t waiting;
    uint32_t running;
    bool closed;
};

static void *work(void *context) {
    ThreadPool *pool = context;
    pthread_mutex_lock(&pool->lock);
    for (;;) {
        while (!pool->waiting && !pool->closed)
            pthread_cond_wait(&pool->news, &pool->lock);
        if (!pool->waiting)
            break;
        PoolJob next = pool->queue[pool->first];
        pool->first = (pool->first + 1) % pool->room;
        pool->waiting--;
        pool->running++;
        pthread_mutex_unlock(&pool->lock);
        next.run(next.context);
        pthread_mutex_lock(&pool->lock);
        pool->running--;
    }
    pthread_mutex_unlock(&pool->lock);
    json_free_thread();
    return NULL;
}

ThreadPool *thread_pool_new(uint32_t threads, uint32_t queue_max) {
    ThreadPool *pool = xcalloc(1, sizeof *pool);
    pthread_mutex_init(&pool->lock, NULL);
    pthread_cond_init(&pool->news, NULL);
    pool->room = threads + (queue_max ? queue_max : 1);
    pool->queue = xcalloc(pool->room, sizeof *pool->queue);
    pool->threads = xcalloc(threads ? threads : 1, sizeof *pool->threads);
    for (uint32_t i = 0; i < (threads ? threads : 1); i++) {
        if (pthread_create(&pool->threads[i], NULL, work, pool) != 0)
            abort();
        pool->thread_count++;
    }
    return pool;
}

void thread_pool_close(ThreadPool *pool) {
    pthread_mutex_lock(&pool->lock);
    pool->closed = true;
    pthread_cond_broadcast(&pool->news);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i], NULL);
    pool->thread_count = 0;
}

void thread_pool_free(ThreadPool *pool) {
    if (!pool)
        return;
    thread_pool_close(pool);
    pthread_cond_destroy(&pool->news);
    pthread_mutex_destroy(&pool->lock);
    free(pool->threads);
    free(pool->queue);
    free(pool);
}

bool thread_pool_submit(ThreadPool *pool, void (*run)(void *context), void *context) {
    pthread_mutex_lock(&pool->lock);
    /* Counts queued and running jobs together, so that the limit does not depend on how quickly the
       threads wake up. */
    bool room = !pool->closed && pool->waiting + pool->running < pool->room;
    if (room) {
        uint32_t last = (pool->first + pool->waiting++) % pool->room;
        pool->queue[last] = (PoolJob){run, context};
        pthread_cond_signal(&pool->news);
    }
    pthread_mutex_unlock(&pool->lock);
    return room;
}

uint32_t thread_pool_pending(ThreadPool *pool) {
    pthread_mutex_lock(&pool->lock);
    uint32_t pending = pool->waiting + pool->running;
    pthread_mutex_unlock(&pool->lock);
    return pending;
}
