/* See child.h. */
#include "child.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

int in_child(int (*body)(void)) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
            _exit(99);
        int wrong = body();
        _exit(wrong < 98 ? wrong : 98); /* not exit, which would run the parent's handlers */
    }
    int status = -1;
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

int claim(const char *what, long answer, int expected) {
    int got = answer < 0 ? errno : 0;
    if (got == expected)
        return 0;
    fprintf(stderr, "%s: %s, but expected: %s\n", what, strerror(got), strerror(expected));
    return 1;
}
