/* A few threads for slow work (a password hash, an upload to unpack) with a queue of fixed
   length. */
#ifndef HTTP_THREAD_POOL_H
#define HTTP_THREAD_POOL_H

#include <stdbool.h>
#include <stdint.h>

typedef struct ThreadPool ThreadPool;

ThreadPool *thread_pool_new(uint32_t threads, uint32_t queue_max);

/* Closes the pool and frees it. NULL is fine. */
void thread_pool_free(ThreadPool *pool);

/* Has one of the threads call run(context). False if the queue is full or the pool is closed; then
   `run` is never called. */
bool thread_pool_submit(ThreadPool *pool, void (*run)(void *context), void *context);

/* How many jobs are queued or running. */
uint32_t thread_pool_pending(ThreadPool *pool);

/* Accepts no more jobs and waits until all accepted ones are done. thread_pool_submit may still be
   called, and returns false. */
void thread_pool_close(ThreadPool *pool);

#endif
