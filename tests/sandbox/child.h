/* A test's body in a child process, where a filter may hold it for good. */
#ifndef TESTS_SANDBOX_CHILD_H
#define TESTS_SANDBOX_CHILD_H

/* Runs `body` with no_new_privs in a child; returns the wait status, 0 when all is well. The body
   returns how many of its claims failed, each of which has said so on standard error. */
int in_child(int (*body)(void));

/* A claim about a call that answers as system calls do: `expected` is the errno, 0 for success.
   Returns 1 if it fails. */
#define CLAIM(expected, ...) claim(#__VA_ARGS__, (long)(__VA_ARGS__), expected)
int claim(const char *what, long answer, int expected);

#endif
