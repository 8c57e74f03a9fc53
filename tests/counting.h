/* Counts allocations: linked with -Wl,--wrap for malloc, calloc, realloc and free (see
   meson.build). */
#ifndef TESTS_COUNTING_H
#define TESTS_COUNTING_H

#include <stddef.h>
#include <stdint.h>

extern uint64_t counting_calls; /* of malloc, calloc and realloc so far */
extern size_t counting_live;    /* bytes allocated now */

#endif
