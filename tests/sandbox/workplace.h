/* A test's directory with a copy of a hostile program, for tests that run as root and as nobody. */
#ifndef TESTS_SANDBOX_WORKPLACE_H
#define TESTS_SANDBOX_WORKPLACE_H

#include <stdbool.h>

typedef struct Workplace {
    char base[32];
    char directory[64]; /* of the bot */
    char program[160];
} Workplace;

/* Copies the program to a directory that everyone can read. With `as_nobody`, root then switches to
   that user permanently. Returns false on failure. */
bool workplace_open(Workplace *workplace, const char *program, bool as_nobody);

void workplace_remove(const Workplace *workplace);

#endif
