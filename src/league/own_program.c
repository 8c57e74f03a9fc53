/* See own_program.h. */
#include "league/own_program.h"

#include "base/memory.h"
#include "bots/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* The children of this process. The lock is held while a child is started, until it is in the
   list. */
static pthread_mutex_t children_lock = PTHREAD_MUTEX_INITIALIZER;
static pid_t *children;
static uint32_t child_count;

/* Whether a child, and a bot without a sandbox, may inherit the variable. */
static bool is_harmless(const char *variable) {
    static const char *const names[] = {"PATH=",         "HOME=",
                                        "USER=",         "LOGNAME=",
                                        "SHELL=",        "LANG=",
                                        "LC_",           "TZ=",
                                        "TMPDIR=",       "SKIRMISH_BUILD_SECONDS=",
                                        "ASAN_OPTIONS=", "UBSAN_OPTIONS=",
                                        "LSAN_OPTIONS=", NULL};
    for (const char *const *name = names; *name; name++)
        if (strncmp(variable, *name, strlen(*name)) == 0)
            return true;
    return false;
}

static char **harmless_environment(void) {
    size_t count = 0;
    while (environ[count])
        count++;
    char **list = xcalloc(count + 1, sizeof *list);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
        if (is_harmless(environ[i]))
            list[kept++] = environ[i];
    return list;
}

int own_program_start(const OwnProgram *start, pid_t *pid) {
    char **environment = harmless_environment();
    posix_spawn_file_actions_t actions;
    posix_spawnattr_t attributes;
    sigset_t none;
    sigemptyset(&none);
    posix_spawn_file_actions_init(&actions);
    if (start->in < 0)
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    else
        posix_spawn_file_actions_adddup2(&actions, start->in, 0);
    posix_spawn_file_actions_adddup2(&actions, start->out < 0 ? 2 : start->out, 1);
    if (start->socket >= 0)
        posix_spawn_file_actions_adddup2(&actions, start->socket, OWN_PROGRAM_SOCKET);
    posix_spawnattr_init(&attributes);
    posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK);
    posix_spawnattr_setsigmask(&attributes, &none);
    pthread_mutex_lock(&children_lock);
    int failure = posix_spawn(pid, start->program ? start->program : "/proc/self/exe", &actions,
                              &attributes, start->arguments, environment);
    if (!failure) {
        children = xreallocarray(children, child_count + 1, sizeof *children);
        children[child_count++] = *pid;
    }
    pthread_mutex_unlock(&children_lock);
    posix_spawn_file_actions_destroy(&actions);
    posix_spawnattr_destroy(&attributes);
    free(environment);
    return failure;
}

void own_program_forget(pid_t pid) {
    pthread_mutex_lock(&children_lock);
    for (uint32_t i = 0; i < child_count; i++)
        if (children[i] == pid) {
            children[i] = children[--child_count];
            break;
        }
    if (!child_count) {
        free(children);
        children = NULL;
    }
    pthread_mutex_unlock(&children_lock);
}

static bool is_ours(pid_t child) {
    for (uint32_t i = 0; i < child_count; i++)
        if (children[i] == child)
            return true;
    return false;
}

bool own_program_end_others(void) {
    pthread_mutex_lock(&children_lock);
    bool none = process_end_orphans(is_ours);
    pthread_mutex_unlock(&children_lock);
    return none;
}
