/* See process.h and process_tree.h: descendants of a process, found in /proc. */
#include "bots/process_tree.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Calls `visit` for every child of `pid`, as listed by the kernel for each of its threads. */
void process_each_child(pid_t pid, void (*visit)(pid_t child, void *context), void *context) {
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    if (!tasks)
        return;
    for (struct dirent *task = readdir(tasks); task; task = readdir(tasks)) {
        if (task->d_name[0] == '.')
            continue;
        char list[320];
        snprintf(list, sizeof list, "/proc/%d/task/%s/children", (int)pid, task->d_name);
        FILE *children = fopen(list, "re");
        int child = 0;
        while (children &&
               fscanf(children, "%d", &child) == 1) // NOLINT(cert-err34-c): the kernel's own list
            visit(child, context);
        if (children)
            fclose(children);
    }
    closedir(tasks);
}

void process_kill_tree(pid_t pid, void *unused) {
    /* Stop the parent first, so that it starts no more children. Its existing children stay listed
       while it is a zombie, or have become ours. */
    kill(pid, SIGSTOP);
    process_each_child(pid, process_kill_tree, unused);
    kill(pid, SIGKILL);
}

static void count_child(pid_t child, void *context) {
    (void)child;
    ++*(int *)context;
}

typedef struct Orphans {
    bool (*is_ours)(pid_t child);
    int left;
} Orphans;

static void end_orphan(pid_t child, void *context) {
    Orphans *orphans = context;
    if (orphans->is_ours(child))
        return;
    process_kill_tree(child, NULL);
    orphans->left += waitpid(child, NULL, WNOHANG) != child;
}

bool process_end_orphans(bool (*is_ours)(pid_t child)) {
    Orphans orphans = {is_ours, 0};
    process_each_child(getpid(), end_orphan, &orphans);
    cgroup_end_leftovers(); /* a process in a frozen v1 group does not die before it thaws */
    return orphans.left == 0;
}

typedef struct ChildSweep {
    const Sandbox *sandbox;
    int children;
} ChildSweep;

static void sweep_child(pid_t child, void *context) {
    ChildSweep *sweep = context;
    if (cell_is_idle(sweep->sandbox, child))
        return;
    sweep->children++;
    process_kill_tree(child, NULL);
    waitpid(child, NULL, WNOHANG);
}

void process_sweep(const Sandbox *sandbox) {
    for (;;) {
        ChildSweep sweep = {sandbox, 0};
        process_each_child(getpid(), sweep_child, &sweep);
        if (!sweep.children)
            return;
        struct timespec moment = {.tv_nsec = 200000};
        nanosleep(&moment, NULL);
    }
}

bool process_has_children(const Process *process) {
    int children = 0;
    if (process->pid && !process->ended)
        process_each_child(process->pid, count_child, &children);
    return children > 0;
}

typedef struct ThreadVisit {
    void (*visit)(const char *directory, pid_t thread, void *context);
    void *context;
} ThreadVisit;

static void visit_threads(pid_t pid, void *context) {
    const ThreadVisit *how = context;
    char path[64];
    snprintf(path, sizeof path, "/proc/%d/task", (int)pid);
    DIR *tasks = opendir(path);
    for (struct dirent *task = tasks ? readdir(tasks) : NULL; task; task = readdir(tasks)) {
        char directory[300];
        int64_t thread = 0;
        snprintf(directory, sizeof directory, "%s/%.200s", path, task->d_name);
        if (slice_int(slice_of(task->d_name), &thread))
            how->visit(directory, (pid_t)thread, how->context);
    }
    if (tasks)
        closedir(tasks);
    process_each_child(pid, visit_threads, context);
}

void process_each_thread(const Process *process,
                         void (*visit)(const char *directory, pid_t thread, void *context),
                         void *context) {
    ThreadVisit how = {visit, context};
    if (process->pid && !process->ended)
        visit_threads(process->pid, &how);
}

Slice process_read(const char *directory, const char *name, char *text, size_t size) {
    char path[320];
    snprintf(path, sizeof path, "%s/%s", directory, name);
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t count = file >= 0 ? read(file, text, size - 1) : 0;
    if (file >= 0)
        close(file);
    size_t length = count > 0 ? (size_t)count : 0;
    text[length] = '\0';
    return (Slice){text, length};
}

/* The state is the first word after the name, which is in parentheses and may contain any
   characters. */
bool process_thread_runs(const char *directory) {
    char text[512];
    Slice stat = process_read(directory, "stat", text, sizeof text);
    while (stat.length && stat.at[stat.length - 1] != ')')
        stat.length--;
    return stat.length && stat.at[stat.length] == ' ' && stat.at[stat.length + 1] == 'R';
}
