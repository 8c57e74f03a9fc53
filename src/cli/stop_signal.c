/* See stop_signal.h. */
#include "cli/stop_signal.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static int stop_pipe[2] = {-1, -1};

/* Any thread may receive the signal; the pipe wakes the waiting one. */
static void on_stop(int signal_number) {
    int kept = errno;
    char byte = (char)signal_number;
    ssize_t written = write(stop_pipe[1], &byte, 1);
    (void)written;
    errno = kept;
}

static void set_handlers(void) {
    struct sigaction action = {.sa_handler = on_stop, .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}

int stop_signal_catch(Error *error) {
    if (stop_pipe[0] < 0 && pipe2(stop_pipe, O_CLOEXEC | O_NONBLOCK) != 0) {
        error_set(error, "cannot make a pipe: %s", strerror(errno));
        return -1;
    }
    set_handlers();
    return stop_pipe[0];
}

static bool is_readable(int timeout_ms) {
    struct pollfd waiting = {.fd = stop_pipe[0], .events = POLLIN};
    return poll(&waiting, 1, timeout_ms) > 0;
}

void stop_signal_wait(void) {
    while (!is_readable(-1))
        continue;
}

bool stop_signal_wait_for(int milliseconds) {
    return is_readable(milliseconds);
}

bool stop_signal_seen(void) {
    return is_readable(0);
}

void stop_signal_again(void) {
    char byte;
    while (read(stop_pipe[0], &byte, 1) == 1)
        continue;
    set_handlers();
}
