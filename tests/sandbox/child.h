/* Runs the body of a test in a child process, since a filter cannot be removed. */
#ifndef TESTS_SANDBOX_CHILD_H
#define TESTS_SANDBOX_CHILD_H

/* Runs `body` with no_new_privs in a child; returns the wait status, 0 on success. The body returns
   how many of its claims failed; each failure is printed to standard error. */
int in_child(int (*body)(void));

/* Checks a call that returns as system calls do: `expected` is the errno, 0 for success. Returns 1
   if it differs. */
#define CLAIM(expected, ...) claim(#__VA_ARGS__, (long)(__VA_ARGS__), expected)
int claim(const char *what, long answer, int expected);

#endif
