/* Starts this program again as a child of this process: runners, and the process that reads
   archives. A process that starts bots adopts the orphans of dead runners and ends them. So it must
   recognise the children that it started itself, from any thread. */
#ifndef LEAGUE_OWN_PROGRAM_H
#define LEAGUE_OWN_PROGRAM_H

#include <stdbool.h>
#include <sys/types.h>

typedef struct OwnProgram {
    const char *program;    /* NULL: this one */
    char *const *arguments; /* the first is the program's name; terminated by NULL */
    int in;                 /* becomes standard input; -1: empty */
    int out;                /* becomes standard output; -1: standard error */
    int socket;             /* becomes descriptor OWN_PROGRAM_SOCKET; -1: none */
} OwnProgram;

enum { OWN_PROGRAM_SOCKET = 3 };

/* Starts the program with only these descriptors and standard error, harmless environment
   variables, and a separate process group, so that Ctrl-C does not reach it. Returns 0 or an error
   number. The caller waits for the process, and then calls own_program_forget. */
int own_program_start(const OwnProgram *start, pid_t *pid);
void own_program_forget(pid_t pid);

/* See process_end_orphans: ends all other children of this process. */
bool own_program_end_others(void);

#endif
