/* See workplace.h. */
#include "workplace.h"

#include <fcntl.h>
#include <grp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

enum { NOBODY = 65534 };

static bool copy_file(const char *from, const char *to) {
    char bytes[1 << 16];
    int in = open(from, O_RDONLY | O_CLOEXEC);
    int out = open(to, O_CREAT | O_WRONLY | O_CLOEXEC, 0755);
    ssize_t got = -1;
    while (in >= 0 && out >= 0 && (got = read(in, bytes, sizeof bytes)) > 0)
        if (write(out, bytes, (size_t)got) != got)
            return false;
    return in >= 0 && close(in) == 0 && out >= 0 && close(out) == 0 && got == 0;
}

bool workplace_open(Workplace *workplace, const char *program, bool as_nobody) {
    const char *slash = strrchr(program, '/');
    *workplace = (Workplace){.base = "/tmp/skirmish-test-XXXXXX"};
    if (!mkdtemp(workplace->base) || chmod(workplace->base, 0755) != 0)
        return false;
    snprintf(workplace->directory, sizeof workplace->directory, "%s/bot", workplace->base);
    snprintf(workplace->program, sizeof workplace->program, "%s/%.60s", workplace->directory,
             slash ? slash + 1 : program);
    if (mkdir(workplace->directory, 0755) != 0 || !copy_file(program, workplace->program))
        return false;
    return !as_nobody || geteuid() != 0 ||
           (chown(workplace->base, NOBODY, NOBODY) == 0 &&
            chown(workplace->directory, NOBODY, NOBODY) == 0 && setgroups(0, NULL) == 0 &&
            setresgid(NOBODY, NOBODY, NOBODY) == 0 && setresuid(NOBODY, NOBODY, NOBODY) == 0 &&
            prctl(PR_SET_DUMPABLE, 1) == 0); /* or root would own /proc/self */
}

void workplace_remove(const Workplace *workplace) {
    unlink(workplace->program);
    rmdir(workplace->directory);
    rmdir(workplace->base); /* /tmp is sticky, so this user must own the directory */
}
