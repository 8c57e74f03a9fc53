/* Shared by the hostile programs: a polite Planet Wars player, and reports of attempts.

   Each attempt is a line on standard error: "DENIED name errno" or "ALLOWED name". The test
   finds these lines in the replay. */
#ifndef SANDBOX_HOSTILE_POLITE_H
#define SANDBOX_HOSTILE_POLITE_H

#include <dirent.h>
#include <stdbool.h>
#include <stddef.h>
#include <unistd.h>

static const char answer[] = "{\"moves\": []}\n";

/* Writes all bytes; false if that fails. */
static inline bool say(const char *text, size_t length) {
    for (ssize_t done = 0; length; text += done, length -= (size_t)done)
        if ((done = write(STDOUT_FILENO, text, length)) <= 0)
            return false;
    return true;
}

/* Reads one view up to its newline; false at the end of input. */
static inline bool view(void) {
    static char bytes[1 << 16];
    ssize_t got = 0;
    do
        got = read(STDIN_FILENO, bytes, sizeof bytes);
    while (got > 0 && bytes[got - 1] != '\n');
    return got > 0;
}

static inline bool polite_turn(void) {
    return view() && say(answer, sizeof answer - 1);
}

static inline void polite(void) {
    while (polite_turn()) {}
}

/* Whether few processes are visible, as in a sandbox; elsewhere these programs do no harm. */
static inline bool is_confined(void) {
    int count = 0;
    DIR *all = opendir("/proc");
    for (struct dirent *entry; all && (entry = readdir(all));)
        count += entry->d_name[0] >= '0' && entry->d_name[0] <= '9';
    if (all)
        closedir(all);
    return getpid() < 64 && count < 16;
}

#endif
