/* Time for deadlines and records. The rules never look at it. */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

/* Nanoseconds of a clock that only goes forward. */
int64_t clock_now(void);

#define CLOCK_MS INT64_C(1000000)

#endif
