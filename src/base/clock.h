/* Time for deadlines and records. Rules never read it. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of a monotonic clock. */
int64_t clock_now(void);

#define CLOCK_MS INT64_C(1000000)

#endif
