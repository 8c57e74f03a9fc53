/* The process tree, for process.c. */
#ifndef BOTS_PROCESS_TREE_H
#define BOTS_PROCESS_TREE_H

#include "bots/process.h"

/* Calls `visit` for every child of `pid`, as listed by the kernel for each of its threads. */
void process_each_child(pid_t pid, void (*visit)(pid_t child, void *context), void *context);

/* Sends SIGKILL to a process and to its descendants. */
void process_kill_tree(pid_t pid, void *unused);

#endif
