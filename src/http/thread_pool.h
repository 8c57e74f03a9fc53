/* A few threads for work that takes a while (a password hash, a build), and a queue of a fixed
   length before them. It knows nothing of HTTP. */
#ifndef HTTP_THREAD_POOL_H
#define HTTP_THREAD_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ThreadPool ThreadPool;

ThreadPool *thread_pool_new(uint32_t threads, uint32_t queue_max);

/* Closes, and frees. */
void thread_pool_free(ThreadPool *pool);

/* Has one of the threads call run(context). False if the queue is full or the end was announced:
   then it is never called. */
bool thread_pool_submit(ThreadPool *pool, void (*run)(void *context), void *context);

/* How many wait or are being done. */
uint32_t thread_pool_pending(ThreadPool *pool);

/* Takes no more, and waits until all that was given is done. thread_pool_submit may still be called, and
   says no. */
void thread_pool_close(ThreadPool *pool);

#endif
