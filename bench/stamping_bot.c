/* A bot for Planet Wars that plays at a steady pace and puts the current time, in nanoseconds of
   CLOCK_MONOTONIC, into each answer. The rules ignore unknown members, and spectators see answers,
   so they can measure how late a turn reaches them. bench/http uploads it to the arena like a
   visitor's code. */
#include <inttypes.h>
#include <stdio.h>
#include <time.h>

enum { TURNS_A_SECOND = 20, SECOND = 1000000000 };

int main(void) {
    struct timespec due;
    clock_gettime(CLOCK_MONOTONIC, &due);
    for (int byte; (byte = getchar()) != EOF;) {
        if (byte != '\n')
            continue;
        due.tv_nsec += SECOND / TURNS_A_SECOND;
        if (due.tv_nsec >= SECOND) {
            due.tv_nsec -= SECOND;
            due.tv_sec++;
        }
        clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &due, NULL);
        struct timespec now;
        clock_gettime(CLOCK_MONOTONIC, &now);
        printf("{\"moves\":[{\"origin\":\"home 2\",\"destination\":\"alpha 2\",\"ship_count\":1}],"
               "\"sent\":%" PRId64 "}\n",
               (int64_t)now.tv_sec * SECOND + now.tv_nsec);
        fflush(stdout);
    }
    return 0;
}
