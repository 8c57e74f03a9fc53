/* See bot_build.h. */
#include "bots/bot_build.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bots/build_files.h"
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
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#define BUILD_MEMORY (UINT64_C(1) << 30)

enum { BUILD_SECONDS = 120, LOOK_MS = 50 };

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
    uint64_t cut; /* bytes dropped between head and tail */
} BuildOutput;

enum { HEAD_MAX = BUILD_OUTPUT_MAX / 4 * 3, TAIL_MAX = BUILD_OUTPUT_MAX / 4 };

/* Moves bytes from the tail to the head while it has room, and limits the tail. */
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

typedef enum BuildEnd { BUILD_ENDED, BUILD_LATE, BUILD_STOPPED } BuildEnd;

/* Reads the build's output until its shell ends, it times out, or it is interrupted. */
static BuildEnd await_build(Process *process, BuildOutput *output,
                            const volatile sig_atomic_t *interrupt) {
    int64_t deadline = clock_now() + INT64_C(1000000000) * build_seconds();
    struct pollfd ends[3] = {
        {process->out, POLLIN, 0}, {process->err, POLLIN, 0}, {process->end, POLLIN, 0}};
    for (bool ended = false; !ended;) {
        int64_t left = (deadline - clock_now()) / CLOCK_MS;
        if (interrupt && *interrupt)
            return BUILD_STOPPED;
        if (left <= 0)
            return BUILD_LATE;
        if (poll(ends, 3, left < LOOK_MS ? (int)left : LOOK_MS) <= 0)
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
    return BUILD_ENDED;
}

/* Opens the files of a directory for reading, without following links. NULL with errno set. */
static FTS *open_files(const char *directory) {
    char *copy = xstrdup(directory);
    FTS *all = fts_open((char *const[]){copy, NULL}, FTS_PHYSICAL | FTS_NOCHDIR | FTS_XDEV, NULL);
    free(copy);
    return all;
}

/* Removes set-id bits and file capabilities, which would give anyone who runs a file of the build
   the rights of its owner. The sandbox refuses to set them, but it must not be the only
   protection. */
static bool remove_privileges(FTSENT *entry, Error *error) {
    static const char capability[] = "security.capability";
    const char *path = entry->fts_path;
    mode_t mode = entry->fts_statp->st_mode & ALLPERMS;
    mode_t without = mode & ~(mode_t)(S_ISUID | S_ISGID);
    /* Skip files of other users: an ordinary user's build cannot have created them. */
    if (geteuid() != 0 && entry->fts_statp->st_uid != geteuid())
        return true;
    bool good = mode == without || chmod(path, without) == 0;
    if (good && lgetxattr(path, capability, NULL, 0) >= 0)
        good = lremovexattr(path, capability) == 0;
    return good ||
           error_set(error, "cannot remove the privileges of %.300s: %s", path, strerror(errno));
}

/* Removes the privileges of all files below a directory. The build has ended, so nothing can
   replace the files meanwhile. */
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

/* Copies back the files of a build that succeeded. The build must have ended. */
static bool fetch_files(const Process *process, const char *directory, bool good, Error *error) {
    if (process->workplace < 0)
        return true;
    int to = good ? open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
    bool fetched = !good || (to >= 0 && build_files_fetch(process->workplace, to, error));
    if (good && to < 0)
        error_set(error, "cannot write to %.300s: %s", directory, strerror(errno));
    if (to >= 0)
        close(to);
    close(process->workplace);
    return fetched;
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
    if (!process_start(&process, &start, error))
        return error_prefix(error, "bot %s", spec->name);
    close(process.in);
    process.in = -1;
    BuildOutput parts = {0};
    Buffer said = {0};
    BuildEnd end = await_build(&process, &parts, interrupt);
    join_output(&parts, &said);
    bool good = end == BUILD_ENDED && WIFEXITED(process.status) && WEXITSTATUS(process.status) == 0;
    char how[100] = "";
    if (end == BUILD_ENDED)
        process_describe_end(&process, how, sizeof how);
    else if (end == BUILD_STOPPED)
        snprintf(how, sizeof how, "was interrupted");
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
    Error after = {0};
    bool fetched = fetch_files(&process, spec->directory, good, &after);
    if (fetched && remove_all_privileges(spec->directory, &after))
        return good;
    error_set(error, "bot %s: after its build: %s", spec->name, after.text);
    if (output && good)
        buffer_format(output, "The result of the build is rejected: %s.\n", after.text);
    return false;
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
    for (FTSENT *entry; good && size.files <= BUILD_FILES_MAX && (entry = fts_read(all));) {
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
