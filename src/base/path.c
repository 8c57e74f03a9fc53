/* See path.h. */
#include "base/path.h"

#include "base/memory.h"

#include <limits.h>
#include <string.h>
#include <unistd.h>

char *path_join(const char *directory, const char *name) {
    return xasprintf("%s/%s", directory, name);
}

bool path_is_below(const char *path, const char *root) {
    size_t length = strlen(root);
    return strncmp(path, root, length) == 0 && (path[length] == '/' || path[length] == '\0');
}

char *path_of_program_file(const char *relative) {
    char directory[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", directory, sizeof directory - 1);
    char *slash = length > 0 ? strrchr(directory, '/') : NULL;
    if (slash)
        *slash = '\0';
    return path_join(directory, relative);
}
