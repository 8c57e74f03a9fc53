/* See beside.h. Linux only. */
#include "base/beside.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

void beside_program(const char *relative, char path[BESIDE_SIZE]) {
    char self[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    int fits = snprintf(path, BESIDE_SIZE, "%s/%s", self, relative);
    (void)fits;
}
