/* This program, started again as a child of this process: runners, and what reads archives.

   A process that starts bots adopts what dead runners leave, and ends it. It must know which
   children are its own, in whatever thread they were started. */
#ifndef LEAGUE_OWN_PROGRAM_H
#define LEAGUE_OWN_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct OwnProgram {
    const char *program;    /* NULL: this one */
    char *const *arguments; /* the first is its name; NULL follows the last */
    int in;                 /* becomes standard input; -1: empty */
    int out;                /* becomes standard output; -1: standard error */
    int socket;             /* becomes descriptor OWN_PROGRAM_SOCKET; -1: none */
} OwnProgram;

enum { OWN_PROGRAM_SOCKET = 3 };

/* Starts it with only these descriptors and standard error, the variables of the environment that
   are harmless, and in its own process group, so that Ctrl-C reaches only us. Returns 0 or an
   error number. The caller waits for the process, and then calls own_program_forget. */
int own_program_start(const OwnProgram *start, pid_t *pid);
void own_program_forget(pid_t pid);

/* See process_end_orphans: ends all other children of this process. */
bool own_program_end_others(void);

#endif
