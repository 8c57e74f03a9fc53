/* Moves the clock of a program, for tests of clocks that jump: preloaded, it adds the number of
   seconds in the file that CLOCK_SHIM names to the time of day. The monotonic clock does not
   change. The file has eight bytes and may change at any time. */
#include <fcntl.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

static const volatile int64_t nothing;
static const volatile int64_t *seconds = &nothing;

__attribute__((constructor)) static void map_file(void) {
    const char *path = getenv("CLOCK_SHIM");
    int file = path ? open(path, O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0)
        return;
    const void *bytes = mmap(NULL, sizeof *seconds, PROT_READ, MAP_SHARED, file, 0);
    if (bytes != MAP_FAILED)
        seconds = bytes;
    close(file);
}

int clock_gettime(clockid_t clock, struct timespec *now) {
    long result = syscall(SYS_clock_gettime, clock, now);
    if (result == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
        now->tv_sec += *seconds;
    return (int)result;
}

int gettimeofday(struct timeval *restrict now, void *restrict zone) {
    struct timespec precise;
    (void)zone;
    int result = clock_gettime(CLOCK_REALTIME, &precise);
    *now = (struct timeval){precise.tv_sec, precise.tv_nsec / 1000};
    return result;
}

time_t time(time_t *to) {
    struct timespec precise;
    clock_gettime(CLOCK_REALTIME, &precise);
    if (to)
        *to = precise.tv_sec;
    return precise.tv_sec;
}
