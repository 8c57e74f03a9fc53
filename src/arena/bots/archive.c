/* See archive.h. */
#include "arena/bots/archive.h"

#include "arena/bots/archive_child.h"
#include "base/buffer.h"
#include "base/clock.h"
#include "base/memory.h"
#include "league/own_program.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

enum { SECONDS_MAX = 30 }; /* for one archive */

/* ---- names ---- */

static bool ends_with(const char *name, const char *ending) {
    size_t length = strlen(name);
    size_t tail = strlen(ending);
    return length > tail && strcasecmp(name + length - tail, ending) == 0;
}

bool archive_is_zip(const char *file_name) {
    return ends_with(file_name, ".zip");
}

bool archive_is_gzip(const char *file_name) {
    return ends_with(file_name, ".tar.gz") || ends_with(file_name, ".tgz");
}

bool archive_is(const char *file_name) {
    return archive_is_zip(file_name) || archive_is_gzip(file_name) || ends_with(file_name, ".tar");
}

bool archive_name_check(Slice name, Error *error) {
    if (!name.length || name.length > ARCHIVE_NAME_MAX)
        return error_set(error, "a file name must have 1 to %d bytes; this one has %zu",
                         ARCHIVE_NAME_MAX, name.length);
    for (size_t i = 0; i < name.length; i++)
        if (name.at[i] < 0x20 || name.at[i] > 0x7e || name.at[i] == '\\' || name.at[i] == '/')
            return error_set(error, "a file name may contain only printable ASCII characters, "
                                    "without slashes and backslashes");
    if (slice_equals(name, ".") || slice_equals(name, ".."))
        return error_set(error, "a file cannot be named \"%.*s\"", SLICE_ARGS(name));
    return true;
}

/* The parts of a path, without ".", which tar puts first. */
typedef struct Path {
    Slice parts[ARCHIVE_DEPTH_MAX];
    uint32_t count;
} Path;

static bool path_read(Path *path, Slice text, Error *error) {
    path->count = 0;
    if (text.length > ARCHIVE_PATH_MAX)
        return error_set(error, "a path in the archive is longer than %d bytes: \"%.*s...\"",
                         ARCHIVE_PATH_MAX, SLICE_ARGS(text));
    if (text.length && text.at[0] == '/')
        return error_set(error,
                         "the archive contains an absolute path; use paths relative to the bot");
    while (text.length) {
        const char *slash = memchr(text.at, '/', text.length);
        Slice part = {text.at, slash ? (size_t)(slash - text.at) : text.length};
        size_t taken = part.length + (slash ? 1 : 0);
        text = (Slice){text.at + taken, text.length - taken};
        if (!part.length || slice_equals(part, "."))
            continue;
        if (slice_equals(part, ".."))
            return error_set(error, "the archive contains a path with \"..\"; remove that file");
        if (!archive_name_check(part, error))
            return error_prefix(error, "in the archive");
        if (path->count == ARCHIVE_DEPTH_MAX)
            return error_set(error, "the archive has directories nested more than %d deep",
                             ARCHIVE_DEPTH_MAX);
        path->parts[path->count++] = part;
    }
    return true;
}

/* ---- writing ---- */

static bool internal_failure(Error *error) {
    return error_set(error, "the arena could not unpack the upload: %s", strerror(errno));
}

static bool name_taken(Error *error, const char *name) {
    return error_set(error, "the archive contains \"%s\" twice, or as a file and as a directory",
                     name);
}

/* Opens a directory inside another, and creates it if it is missing. Returns -1 on failure. */
static int enter(int directory, Slice part, Error *error) {
    char name[ARCHIVE_NAME_MAX + 1];
    memcpy(name, part.at, part.length);
    name[part.length] = '\0';
    if (mkdirat(directory, name, 0777) == 0) {
        /* The build may run as another user. The data directory itself is closed to others. */
        if (fchmodat(directory, name, 0777, 0) != 0) {
            internal_failure(error);
            return -1;
        }
    } else if (errno != EEXIST) {
        internal_failure(error);
        return -1;
    }
    int inner = openat(directory, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (inner < 0)
        name_taken(error, name);
    return inner;
}

/* Opens the directory that the first `count` parts lead to. The caller closes it. */
static int walk(int directory, const Path *path, uint32_t count, Error *error) {
    int at = fcntl(directory, F_DUPFD_CLOEXEC, 0);
    if (at < 0)
        internal_failure(error);
    for (uint32_t i = 0; i < count && at >= 0; i++) {
        int inner = enter(at, path->parts[i], error);
        close(at);
        at = inner;
    }
    return at;
}

static int make_file(int directory, Slice part, bool executable, Error *error) {
    char name[ARCHIVE_NAME_MAX + 1];
    memcpy(name, part.at, part.length);
    name[part.length] = '\0';
    int fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) {
        if (errno == EEXIST)
            name_taken(error, name);
        else
            internal_failure(error);
    } else if (fchmod(fd, executable ? 0755 : 0644) != 0) {
        internal_failure(error);
        close(fd);
        return -1;
    }
    return fd;
}

static bool write_all(int fd, Slice bytes, Error *error) {
    while (bytes.length) {
        ssize_t put = write(fd, bytes.at, bytes.length);
        if (put < 0 && errno != EINTR)
            return internal_failure(error);
        size_t done = put > 0 ? (size_t)put : 0;
        bytes = (Slice){bytes.at + done, bytes.length - done};
    }
    return true;
}

bool archive_write_file(int directory, const char *name, Slice bytes, Error *error) {
    if (!archive_name_check(slice_of(name), error))
        return false;
    int fd = make_file(directory, slice_of(name), false, error);
    if (fd < 0)
        return false;
    bool good = write_all(fd, bytes, error);
    return (close(fd) == 0 || internal_failure(error)) && good;
}

/* ---- messages ---- */

typedef struct Unpack {
    ArchiveSource *source;
    ArchiveHead head; /* of the message that was read last */
    char message[ARCHIVE_MESSAGE_MAX + 1];
    uint64_t bytes_in;
    uint64_t bytes_out;
    uint64_t bytes_max;
    uint32_t entries;
    int directory; /* -1: check only */
    Buffer names;  /* of the files so far, in lower case, each followed by a zero byte */
    Error *error;
} Unpack;

static bool read_bytes(Unpack *unpack, void *to, size_t length) {
    char *at = to;
    while (length) {
        ssize_t got = unpack->source->read(unpack->source, at, length);
        if (got <= 0) {
            unpack->source->ended = true;
            return error_set(unpack->error, "the archive cannot be read: damaged data");
        }
        at += got;
        length -= (size_t)got;
    }
    return true;
}

/* Reads the next message and adds a zero byte to it. */
static bool next_message(Unpack *unpack) {
    if (!read_bytes(unpack, &unpack->head, sizeof unpack->head))
        return false;
    if (unpack->head.kind >= ARCHIVE_KINDS || unpack->head.length > ARCHIVE_MESSAGE_MAX)
        return error_set(unpack->error, "the archive cannot be read: damaged data");
    unpack->message[unpack->head.length] = '\0';
    return read_bytes(unpack, unpack->message, unpack->head.length);
}

/* Sets the error: the last message is the reason. Returns false. */
static bool damaged(const Unpack *unpack) {
    Buffer plain = {0};
    for (const char *why = unpack->message; *why; why++) /* it may quote bytes of the archive */
        buffer_char(&plain, *why >= 0x20 && *why <= 0x7e ? *why : '?');
    error_set(unpack->error,
              unpack->head.kind == ARCHIVE_UNREAD ? "the arena could not unpack the upload: %s"
                                                  : "the archive cannot be read: %s",
              plain.length ? buffer_string(&plain) : "damaged data");
    buffer_free(&plain);
    return false;
}

/* ---- entries ---- */

/* Remembers a file's path. False if another differs from it in case only. */
static bool note_name(Unpack *unpack, const Path *path) {
    Buffer name = {0};
    for (uint32_t i = 0; i < path->count; i++)
        for (size_t k = 0; k <= path->parts[i].length; k++) {
            char c = k < path->parts[i].length ? path->parts[i].at[k] : '/';
            buffer_char(&name, c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c);
        }
    buffer_string(&name);
    bool fresh = true;
    for (size_t at = 0; at < unpack->names.length && fresh;
         at += strlen(unpack->names.data + at) + 1)
        fresh = strcmp(unpack->names.data + at, name.data) != 0;
    if (fresh)
        buffer_add(&unpack->names, name.data, name.length + 1);
    else
        error_set(unpack->error,
                  "the archive contains two files named \"%.*s\" (ignoring case); rename one",
                  (int)name.length - 1, name.data);
    buffer_free(&name);
    return fresh;
}

static bool within_bounds(const Unpack *unpack) {
    if (unpack->bytes_out > unpack->bytes_max)
        return error_set(unpack->error,
                         "the archive unpacks to more than %" PRIu64
                         " bytes, the limit of this arena",
                         unpack->bytes_max);
    if (unpack->bytes_out > ARCHIVE_RATIO_FROM &&
        unpack->bytes_out / ARCHIVE_RATIO_MAX > unpack->bytes_in)
        return error_set(unpack->error,
                         "the archive unpacks to more than %d times its size, like a zip bomb",
                         ARCHIVE_RATIO_MAX);
    return true;
}

/* Copies an entry's content to `fd`, or nowhere (-1), and reads the message after it. */
static bool copy_content(Unpack *unpack, int fd) {
    while (next_message(unpack)) {
        if (unpack->head.kind != ARCHIVE_DATA)
            return true;
        unpack->bytes_out += unpack->head.length;
        if (!within_bounds(unpack) ||
            (fd >= 0 &&
             !write_all(fd, (Slice){unpack->message, unpack->head.length}, unpack->error)))
            return false;
    }
    return false;
}

static bool take_file(Unpack *unpack, const Path *path, bool executable) {
    if (unpack->directory < 0)
        return copy_content(unpack, -1);
    int directory = walk(unpack->directory, path, path->count - 1, unpack->error);
    if (directory < 0)
        return false;
    int fd = make_file(directory, path->parts[path->count - 1], executable, unpack->error);
    close(directory);
    bool good = fd >= 0 && copy_content(unpack, fd);
    if (fd >= 0 && close(fd) != 0)
        good = internal_failure(unpack->error);
    return good;
}

static bool take_directory(Unpack *unpack, const Path *path) {
    if (!copy_content(unpack, -1)) /* it should be empty; if not, it counts */
        return false;
    if (unpack->directory < 0)
        return true;
    int directory = walk(unpack->directory, path, path->count, unpack->error);
    if (directory >= 0)
        close(directory);
    return directory >= 0;
}

/* Processes the entry that begins with the last message. */
static bool take_entry(Unpack *unpack) {
    Path path;
    char name[ARCHIVE_MESSAGE_MAX + 1];
    ArchiveKind kind = unpack->head.kind;
    memcpy(name, unpack->message, unpack->head.length + 1);
    if (++unpack->entries > ARCHIVE_FILES_MAX)
        return error_set(unpack->error, "the archive contains more than %d files",
                         ARCHIVE_FILES_MAX);
    if (kind == ARCHIVE_NAMELESS)
        return error_set(unpack->error,
                         "the archive contains a file whose name is not ASCII; rename it");
    if (!path_read(&path, slice_of(name), unpack->error))
        return false;
    if (kind == ARCHIVE_ENCRYPTED)
        return error_set(unpack->error, "the archive is encrypted; upload it without a password");
    if (kind == ARCHIVE_LINK)
        return error_set(unpack->error,
                         "the archive contains a link, \"%.*s\"; only regular files are allowed",
                         SLICE_ARGS(slice_of(name)));
    if (kind != ARCHIVE_FILE && kind != ARCHIVE_PROGRAM && kind != ARCHIVE_DIRECTORY)
        return error_set(unpack->error, "\"%.*s\" in the archive is neither a file nor a directory",
                         SLICE_ARGS(slice_of(name)));
    /* Metadata that macOS adds. */
    if (path.count && slice_equals(path.parts[0], "__MACOSX"))
        return copy_content(unpack, -1);
    if (kind == ARCHIVE_DIRECTORY)
        return take_directory(unpack, &path);
    if (!path.count)
        return error_set(unpack->error, "the archive contains a file without a name");
    return note_name(unpack, &path) && take_file(unpack, &path, kind == ARCHIVE_PROGRAM);
}

bool archive_take(ArchiveSource *source, uint64_t bytes_in, uint64_t bytes_max, int directory,
                  Error *error) {
    Unpack unpack = {.source = source,
                     .bytes_in = bytes_in,
                     .bytes_max = bytes_max,
                     .directory = directory,
                     .error = error};
    bool good = next_message(&unpack);
    while (good && unpack.head.kind < ARCHIVE_END)
        good = take_entry(&unpack);
    if (good && unpack.head.kind != ARCHIVE_END)
        good = damaged(&unpack);
    if (good && !unpack.names.length)
        good = error_set(error, "the archive contains no files");
    buffer_free(&unpack.names);
    return good;
}

/* ---- the process that reads the archive ---- */

typedef struct ChildSource {
    ArchiveSource source;
    int out; /* its standard output */
    int64_t deadline;
    bool late;
} ChildSource;

static ssize_t read_child(ArchiveSource *source, void *to, size_t length) {
    ChildSource *child = (ChildSource *)source;
    for (;;) {
        int64_t left = (child->deadline - clock_now()) / CLOCK_MS;
        struct pollfd end = {.fd = child->out, .events = POLLIN};
        child->late = left <= 0;
        if (child->late)
            return -1;
        if (poll(&end, 1, (int)left) <= 0)
            continue;
        ssize_t got = read(child->out, to, length);
        if (got >= 0 || errno != EINTR)
            return got;
    }
}

/* Returns an in-memory file that contains the archive, positioned at its start; -1 on failure. */
static int memory_file(Slice bytes, Error *error) {
    int file = memfd_create("upload", MFD_CLOEXEC);
    if (file < 0)
        internal_failure(error);
    else if (!write_all(file, bytes, error) || lseek(file, 0, SEEK_SET) != 0) {
        close(file);
        file = -1;
    }
    return file;
}

static pid_t start_child(const char *program, const char *file_name, Slice bytes, int *out,
                         Error *error) {
    int ends[2];
    pid_t pid = -1;
    int file = memory_file(bytes, error);
    if (file < 0)
        return -1;
    if (pipe2(ends, O_CLOEXEC) == 0) {
        char *name = xstrdup(file_name);
        char *arguments[] = {(char[]){"skirmish"}, (char[]){"unpack"}, name, NULL};
        OwnProgram start = {
            .program = program, .arguments = arguments, .in = file, .out = ends[1], .socket = -1};
        errno = own_program_start(&start, &pid);
        if (errno) {
            pid = -1;
            close(ends[0]);
        }
        free(name);
        close(ends[1]);
    }
    if (pid < 0)
        internal_failure(error);
    *out = ends[0];
    close(file);
    return pid;
}

/* Kills the child if it still runs, and returns its wait status. */
static int end_child(pid_t pid) {
    int status = 0;
    kill(pid, SIGKILL);
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
        continue;
    own_program_forget(pid);
    return status;
}

bool archive_unpack(const char *program, const char *file_name, Slice bytes, uint64_t bytes_max,
                    int directory, Error *error) {
    assert(archive_is(file_name));
    ChildSource child = {.source = {.read = read_child},
                         .deadline = clock_now() + (int64_t)SECONDS_MAX * 1000 * CLOCK_MS};
    pid_t pid = start_child(program, file_name, bytes, &child.out, error);
    if (pid < 0)
        return false;
    bool good = archive_take(&child.source, bytes.length, bytes_max, directory, error);
    close(child.out);
    int status = end_child(pid);
    if (good || !child.source.ended)
        return good;
    if (child.late || (WIFSIGNALED(status) && WTERMSIG(status) == SIGXCPU))
        return error_set(error, "the archive cannot be read: unpacking it takes too long");
    if (WIFSIGNALED(status) && WTERMSIG(status) != SIGKILL)
        return error_set(error,
                         "the archive cannot be read: it crashed the process that unpacks "
                         "archives (%s)",
                         strsignal(WTERMSIG(status)));
    return error_set(error, "the arena could not unpack the upload: the process that unpacks "
                            "archives ended early");
}
