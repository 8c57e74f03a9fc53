/* Runs a command under the seccomp filter and nothing else: under_filter COMMAND [ARGUMENT...] */
#include "bots/seccomp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

int main(int count, char **arguments) {
    SeccompFilter filter;
    Error error;
    if (count < 2) {
        fputs("usage: under_filter COMMAND [ARGUMENT...]\n", stderr);
        return 2;
    }
    if (!seccomp_filter_build(&filter, &error) || prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
        !seccomp_filter_apply(&filter, NULL, &error)) {
        fprintf(stderr, "under_filter: %s\n", error.text);
        return 2;
    }
    seccomp_filter_free(&filter);
    execvp(arguments[1], arguments + 1);
    fprintf(stderr, "under_filter: %s: %s\n", arguments[1], strerror(errno));
    return 127;
}
