/* A few threads for work that takes a while (a password hash, a build), and a queue of a fixed
   length before them. It knows nothing of HTTP. */
#ifndef HTTP_LATER_H
#define HTTP_LATER_H

#include <stdbool.h>
#include <stdint.h>

typedef struct Later Later;

Later *later_new(uint32_t threads, uint32_t queue_max);

/* Closes, and frees. */
void later_free(Later *later);

/* Has one of the threads call run(context). False if the queue is full or the end was announced:
   then it is never called. */
bool later_give(Later *later, void (*run)(void *context), void *context);

/* How many wait or are being done. */
uint32_t later_pending(Later *later);

/* Takes no more, and waits until all that was given is done. later_give may still be called, and
   says no. */
void later_close(Later *later);

#endif
