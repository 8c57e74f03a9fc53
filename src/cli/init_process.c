/* See init_process.h. */
#include "cli/init_process.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exits if the child has ended. */
static void reap(pid_t child) {
    int status = 0;
    pid_t pid;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
        if (pid == child)
            _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status));
}

void init_process_separate(void) {
    sigset_t all;
    sigset_t before;
    if (getpid() != 1)
        return;
    /* The kernel discards signals to process 1 that it neither handles nor blocks. */
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t child = fork();
    if (child <= 0) {
        sigprocmask(SIG_SETMASK, &before, NULL);
        return;
    }
    for (;;) {
        siginfo_t from;
        int number = sigwaitinfo(&all, &from);
        if (number == SIGCHLD)
            reap(child);
        else if (number > 0 && from.si_code != SI_KERNEL) /* the terminal signals the child too */
            kill(child, number);
    }
}
