/* See bot_build.h. */
#include "bots/bot_build.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bots/process.h"

#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <time.h>
#include <unistd.h>

#define BUILD_MEMORY (UINT64_C(1) << 30)

enum {
    BUILD_SECONDS = 120,
    DISK_LOOK_MS = 50,    /* at least every so many; more often while there is little room */
    DISK_SPEED = 8000000, /* bytes per ms: more than programs can write */
    DISK_LEFT = 10,       /* a build is stopped when less than a tenth of the disk is left */
    DISK_TAKEN = 20,      /* and a twentieth of it was used since the build began, */
    FILES_TAKEN = 200000, /* or when this many files were created */
};

/* Two minutes, unless the environment sets it. */
static int64_t build_seconds(void) {
    const char *given = getenv("SKIRMISH_BUILD_SECONDS");
    int64_t seconds = 0;
    return given && slice_int(slice_of(given), &seconds) && seconds > 0 && seconds <= 86400
               ? seconds
               : BUILD_SECONDS;
}

/* What a build prints. The first errors matter most, and the last lines show how it ended. */
typedef struct BuildOutput {
    Buffer head;
    Buffer tail;
    uint64_t cut; /* bytes between the two that were dropped */
} BuildOutput;

enum { HEAD_MAX = BUILD_OUTPUT_MAX / 4 * 3, TAIL_MAX = BUILD_OUTPUT_MAX / 4 };

/* Moves what was read from the tail to the head, and limits the tail. */
static void settle_output(BuildOutput *output) {
    size_t room = HEAD_MAX - output->head.length;
    size_t moved = output->tail.length < room ? output->tail.length : room;
    buffer_add(&output->head, output->tail.data, moved);
    buffer_drop(&output->tail, moved);
    if (output->tail.length > TAIL_MAX) {
        output->cut += output->tail.length - TAIL_MAX;
        buffer_drop(&output->tail, output->tail.length - TAIL_MAX);
    }
}

/* Joins the parts into one text, and frees them. */
static void join_output(BuildOutput *output, Buffer *to) {
    buffer_add(to, output->head.data, output->head.length);
    if (output->cut)
        buffer_format(to, "\n[%" PRIu64 " bytes omitted]\n", output->cut);
    buffer_add(to, output->tail.data, output->tail.length);
    buffer_free(&output->head);
    buffer_free(&output->tail);
}

/* Whether the disk fills up during a build, or else in how many ms to look again: before a program
   that writes as fast as memory allows could fill it. (fallocate, which is faster, is refused.) The
   size of a file is limited, but a build may create many, and keep removed ones open, so only the
   file system knows. What others write in the meantime counts as well, which does no harm while
   there is room. */
static bool fills_disk(const char *directory, const struct statvfs *before, int *again) {
    struct statvfs now;
    *again = DISK_LOOK_MS;
    if (statvfs(directory, &now) != 0)
        return false;
    uint64_t taken = before->f_bavail > now.f_bavail ? before->f_bavail - now.f_bavail : 0;
    uint64_t full = (uint64_t)now.f_bavail * now.f_frsize / DISK_SPEED;
    if (full < DISK_LOOK_MS)
        *again = full ? (int)full : 1;
    bool files = before->f_ffree > now.f_ffree && before->f_ffree - now.f_ffree > FILES_TAKEN;
    return files || (taken > now.f_blocks / DISK_TAKEN && now.f_bavail < now.f_blocks / DISK_LEFT);
}

typedef enum BuildEnd { BUILD_ENDED, BUILD_LATE, BUILD_STOPPED, BUILD_FILLED } BuildEnd;

/* Reads what the build prints until its shell ends, it times out, the disk fills up, or it is
   interrupted. */
static BuildEnd await_build(Process *process, const char *directory, BuildOutput *output,
                            const volatile sig_atomic_t *interrupt) {
    struct statvfs before;
    bool seen = statvfs(directory, &before) == 0;
    int again = DISK_LOOK_MS;
    int64_t deadline = clock_now() + INT64_C(1000000000) * build_seconds();
    struct pollfd ends[3] = {
        {process->out, POLLIN, 0}, {process->err, POLLIN, 0}, {process->end, POLLIN, 0}};
    for (bool ended = false; !ended;) {
        int64_t left = (deadline - clock_now()) / CLOCK_MS;
        if (interrupt && *interrupt)
            return BUILD_STOPPED;
        if (left <= 0)
            return BUILD_LATE;
        if (seen && fills_disk(directory, &before, &again))
            return BUILD_FILLED;
        if (poll(ends, 3, left < again ? (int)left : again) <= 0)
            continue;
        ended = ends[2].revents && process_reap(process);
        for (int i = 0; i < 2; i++) {
            ssize_t got = ends[i].fd >= 0 && (ends[i].revents || ended)
                              ? read(ends[i].fd, buffer_reserve(&output->tail, 65536), 65536)
                              : -2;
            output->tail.length += got > 0 ? (size_t)got : 0;
            if (got == 0 || (got == -1 && errno != EAGAIN && errno != EINTR))
                ends[i].fd = -1;
        }
        settle_output(output);
    }
    return seen && fills_disk(directory, &before, &again) ? BUILD_FILLED : BUILD_ENDED;
}

/* To read all files of a directory, without following links. NULL with errno set. */
static FTS *open_files(const char *directory) {
    char *copy = xstrdup(directory);
    FTS *all = fts_open((char *const[]){copy, NULL}, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    free(copy);
    return all;
}

static bool is_later(const struct timespec *one, const struct timespec *other) {
    return one->tv_sec != other->tv_sec ? one->tv_sec > other->tv_sec
                                        : one->tv_nsec > other->tv_nsec;
}

/* A time that is later than that of every file which exists, and earlier than that of every file
   which will be created. The clock of file systems advances every few milliseconds only, so this
   waits for its next step. */
static struct timespec begin_new_files(void) {
    struct timespec now;
    struct timespec of_files;
    clock_gettime(CLOCK_REALTIME, &now);
    /* If the clock is set back meanwhile, not for long. */
    for (int tries = 0; tries < 100; tries++) {
        clock_gettime(CLOCK_REALTIME_COARSE, &of_files);
        if (is_later(&of_files, &now))
            break;
        nanosleep(&(struct timespec){.tv_nsec = CLOCK_MS}, NULL);
    }
    return now;
}

/* Removes what was created in a directory after a time, as far as the file system knows when. */
static void remove_newer(const char *directory, const struct timespec *since) {
    FTS *all = open_files(directory);
    for (FTSENT *entry; all && (entry = fts_read(all));) {
        struct statx about;
        if (entry->fts_info == FTS_D || entry->fts_level == FTS_ROOTLEVEL ||
            statx(AT_FDCWD, entry->fts_path, AT_SYMLINK_NOFOLLOW, STATX_BTIME, &about) != 0 ||
            !(about.stx_mask & STATX_BTIME))
            continue;
        struct timespec created = {about.stx_btime.tv_sec, about.stx_btime.tv_nsec};
        if (is_later(&created, since))
            remove(entry->fts_path);
    }
    if (all)
        fts_close(all);
}

/* Removes what would give whoever runs a file of the build the rights of its owner: set-id bits and
   file capabilities. The sandbox refuses to set them, but must not be all that prevents it. */
static bool remove_privileges(FTSENT *entry, Error *error) {
    static const char capability[] = "security.capability";
    const char *path = entry->fts_path;
    mode_t mode = entry->fts_statp->st_mode & ALLPERMS;
    mode_t without = mode & ~(mode_t)(S_ISUID | S_ISGID);
    /* Files of others: an ordinary user's build cannot have made them. */
    if (geteuid() != 0 && entry->fts_statp->st_uid != geteuid())
        return true;
    bool good = mode == without || chmod(path, without) == 0;
    if (good && lgetxattr(path, capability, NULL, 0) >= 0)
        good = lremovexattr(path, capability) == 0;
    return good ||
           error_set(error, "cannot remove the privileges of %.300s: %s", path, strerror(errno));
}

/* From all files below a directory. Nothing of the build runs any more that could exchange them. */
static bool remove_all_privileges(const char *directory, Error *error) {
    FTS *all = open_files(directory);
    bool good = all || error_set(error, "cannot read %.300s: %s", directory, strerror(errno));
    for (FTSENT *entry; good && (entry = fts_read(all));)
        if (entry->fts_info == FTS_F)
            good = remove_privileges(entry, error);
        else if (entry->fts_info == FTS_DNR || entry->fts_info == FTS_NS)
            good = error_set(error, "cannot read %.300s: %s", entry->fts_path,
                             strerror(entry->fts_errno));
    if (all)
        fts_close(all);
    return good;
}

static bool run_build(const BotSpec *spec, const Sandbox *sandbox,
                      const volatile sig_atomic_t *interrupt, Buffer *output, Error *error) {
    Process process;
    ProcessStart start = {
        .command = spec->build,
        .directory = spec->directory,
        .sandbox = sandbox,
        .limits = sandbox_standard_limits,
        .writable = true,
    };
    start.limits.memory = BUILD_MEMORY;
    start.limits.share = true;
    struct timespec began = begin_new_files();
    if (!process_start(&process, &start, error))
        return error_prefix(error, "bot %s", spec->name);
    close(process.in);
    process.in = -1;
    BuildOutput parts = {0};
    Buffer said = {0};
    BuildEnd end = await_build(&process, spec->directory, &parts, interrupt);
    join_output(&parts, &said);
    bool good = end == BUILD_ENDED && WIFEXITED(process.status) && WEXITSTATUS(process.status) == 0;
    char how[100] = "";
    if (end == BUILD_ENDED)
        process_describe_end(&process, how, sizeof how);
    else if (end == BUILD_STOPPED)
        snprintf(how, sizeof how, "was interrupted");
    else if (end == BUILD_FILLED)
        snprintf(how, sizeof how, "was stopped: the disk filled up; its new files are removed");
    else
        snprintf(how, sizeof how, "timed out after %lld s", (long long)build_seconds());
    size_t from = said.length > 300 ? said.length - 300 : 0;
    if (!good)
        error_set(error, "bot %s: its build (%s in %s) %s\n%s", spec->name, spec->build,
                  spec->directory, how, buffer_string(&said) + from);
    if (output)
        buffer_add(output, said.data, said.length);
    if (output && !good)
        buffer_format(output, "%sThe build %s.\n",
                      said.length && said.data[said.length - 1] != '\n' ? "\n" : "", how);
    buffer_free(&said);
    process_end(&process);
    process_sweep(sandbox);
    if (end == BUILD_FILLED)
        remove_newer(spec->directory, &began);
    if (remove_all_privileges(spec->directory, error))
        return good;
    return error_prefix(error, "bot %s: after its build", spec->name);
}

bool bot_build(const BotSpec *spec, const Sandbox *sandbox, const volatile sig_atomic_t *interrupt,
               Buffer *output, Error *error) {
    if (spec->build && !run_build(spec, sandbox, interrupt, output, error))
        return false;
    if (bot_spec_check_run(spec, error))
        return true;
    if (output && output->length)
        buffer_format(output, "%s%s\n", output->data[output->length - 1] != '\n' ? "\n" : "",
                      error->text);
    return false;
}

BuildSize bot_build_size(const char *directory) {
    FTS *all = open_files(directory);
    bool good = all != NULL;
    BuildSize size = {0};
    errno = 0;
    for (FTSENT *entry; good && size.files <= FILES_TAKEN && (entry = fts_read(all));) {
        good = entry->fts_info != FTS_ERR && entry->fts_info != FTS_NS;
        if (entry->fts_info == FTS_DP || !good)
            continue;
        size.files++;
        size.bytes += (uint64_t)entry->fts_statp->st_blocks * 512;
    }
    good = good && errno == 0;
    if (all)
        fts_close(all);
    return good ? size : (BuildSize){UINT64_MAX, UINT64_MAX};
}
