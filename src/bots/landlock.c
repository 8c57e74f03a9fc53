/* See landlock.h. The system's header may be older than the kernel, so definitions that it may lack
   are here. They are used only if the kernel's own version supports them. */
#include "bots/landlock.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/landlock.h>
#include <stdint.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Rights that were added after the first version, and the three fields of the kernel's
   landlock_ruleset_attr. */
#define TRUNCATE ((uint64_t)1 << 14)
#define IOCTL_DEVICE ((uint64_t)1 << 15)
#define TCP_BIND ((uint64_t)1 << 0)
#define TCP_CONNECT ((uint64_t)1 << 1)
#define SCOPE_ABSTRACT_SOCKETS ((uint64_t)1 << 0)
#define SCOPE_SIGNALS ((uint64_t)1 << 1)

typedef struct Ruleset {
    uint64_t files;
    uint64_t net;
    uint64_t scoped;
} Ruleset;

/* What is handled is denied unless a rule allows it. */
#define READ                                                             \
 ((uint64_t)(LANDLOCK_ACCESS_FS_EXECUTE | LANDLOCK_ACCESS_FS_READ_FILE | \
             LANDLOCK_ACCESS_FS_READ_DIR))
#define CHANGE                                                               \
 ((uint64_t)(LANDLOCK_ACCESS_FS_WRITE_FILE | LANDLOCK_ACCESS_FS_REMOVE_DIR | \
             LANDLOCK_ACCESS_FS_REMOVE_FILE | LANDLOCK_ACCESS_FS_MAKE_DIR |  \
             LANDLOCK_ACCESS_FS_MAKE_REG | LANDLOCK_ACCESS_FS_MAKE_SOCK |    \
             LANDLOCK_ACCESS_FS_MAKE_FIFO | LANDLOCK_ACCESS_FS_MAKE_SYM |    \
             LANDLOCK_ACCESS_FS_REFER) |                                     \
  TRUNCATE)
#define MAKE_DEVICE ((uint64_t)(LANDLOCK_ACCESS_FS_MAKE_CHAR | LANDLOCK_ACCESS_FS_MAKE_BLOCK))
/* With ioctl, so that programs can check whether it is a terminal. */
#define DEVICE                                                                          \
 ((uint64_t)(LANDLOCK_ACCESS_FS_READ_FILE | LANDLOCK_ACCESS_FS_WRITE_FILE) | TRUNCATE | \
  IOCTL_DEVICE)
/* The rights that a rule for a single file may contain. */
#define OF_A_FILE (DEVICE | (uint64_t)LANDLOCK_ACCESS_FS_EXECUTE)

int landlock_abi(void) {
    long version =
        syscall(SYS_landlock_create_ruleset, NULL, (size_t)0, LANDLOCK_CREATE_RULESET_VERSION);
    return version > 0 ? (int)version : 0;
}

static Ruleset ruleset_of(int abi) {
    Ruleset all = {
        .files = READ | CHANGE | MAKE_DEVICE | IOCTL_DEVICE,
        .net = TCP_BIND | TCP_CONNECT,
        .scoped = SCOPE_ABSTRACT_SOCKETS | SCOPE_SIGNALS,
    };
    if (abi < 2)
        all.files &= ~(uint64_t)LANDLOCK_ACCESS_FS_REFER;
    if (abi < 3)
        all.files &= ~TRUNCATE;
    if (abi < 4)
        all.net = 0;
    if (abi < 5)
        all.files &= ~IOCTL_DEVICE;
    if (abi < 6)
        all.scoped = 0;
    return all;
}

static bool allow_path(int ruleset, const char *path, uint64_t rights, Error *error) {
    int file = open(path, O_PATH | O_CLOEXEC);
    if (file < 0) {
        if (errno == ENOENT || errno == ENOTDIR)
            return true;
        return error_set(error, "cannot restrict files by Landlock: open %s: %s", path,
                         strerror(errno));
    }
    struct stat status;
    bool done = fstat(file, &status) == 0;
    if (done) {
        const struct landlock_path_beneath_attr rule = {
            .allowed_access = S_ISDIR(status.st_mode) ? rights : rights & OF_A_FILE,
            .parent_fd = file,
        };
        done = syscall(SYS_landlock_add_rule, ruleset, LANDLOCK_RULE_PATH_BENEATH, &rule, 0U) == 0;
    }
    int reason = errno;
    close(file);
    return done || error_set(error, "cannot restrict files by Landlock: landlock_add_rule %s: %s",
                             path, strerror(reason));
}

static bool allow_paths(int ruleset, const char *const *paths, uint64_t rights, Error *error) {
    for (; *paths; paths++)
        if (!allow_path(ruleset, *paths, rights, error))
            return false;
    return true;
}

bool landlock_restrict(const char *const *read_only, const char *const *read_write,
                       const char *const *devices, Error *error) {
    const Ruleset handled = ruleset_of(landlock_abi());
    int ruleset = (int)syscall(SYS_landlock_create_ruleset, &handled, sizeof handled, 0U);
    if (ruleset < 0)
        return error_set(error, "cannot restrict files by Landlock: landlock_create_ruleset: %s",
                         strerror(errno));
    bool done = allow_paths(ruleset, read_only, READ & handled.files, error) &&
                allow_paths(ruleset, read_write, (READ | CHANGE) & handled.files, error) &&
                allow_paths(ruleset, devices, DEVICE & handled.files, error);
    if (done && syscall(SYS_landlock_restrict_self, ruleset, 0U) != 0)
        done = error_set(error, "cannot restrict files by Landlock: landlock_restrict_self: %s",
                         strerror(errno));
    close(ruleset);
    return done;
}
