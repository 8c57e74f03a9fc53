/* See file_watch.h. */
#include "cli/file_watch.h"

#include "base/hash.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/slice.h"
#include "cli/cli.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    FILES_MAX = 5000,
    DEPTH_MAX = 16,
    HASHED_MAX = 16 << 20, /* larger files are compared by size and time */
    NAMED_MAX = 3,
    BUILDS_MAX = 2, /* a file changed by more builds than this is a product */
};

#define WATCHED                                                                           \
 (IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | \
  IN_MOVE_SELF | IN_ATTRIB | IN_ONLYDIR)

typedef struct WatchedFile {
    char *path; /* relative to the directory */
    uint64_t digest;
    uint32_t in_builds; /* how often it has changed during a build */
    bool product;
} WatchedFile;

typedef struct WatchedFiles {
    WatchedFile *files; /* sorted by path */
    uint32_t count;
} WatchedFiles;

struct FileWatch {
    char *directory;
    int events;
    Buffer ignored; /* .gitignore */
    WatchedFiles known;
};

/* ---- which files count ---- */

static bool has_ending(const char *name, const char *const *endings) {
    size_t length = strlen(name);
    for (; *endings; endings++) {
        size_t end = strlen(*endings);
        if (length > end && strcmp(name + length - end, *endings) == 0)
            return true;
    }
    return false;
}

static bool is_noise(const char *name, bool is_directory) {
    static const char *const directories[] = {"__pycache__", "node_modules", "target", "build",
                                              NULL};
    static const char *const endings[] = {"~",   ".swp",   ".swx", ".tmp", ".bak", ".orig", ".o",
                                          ".hi", ".class", ".pyc", ".log", ".skr", ".part", NULL};
    if (name[0] == '.' || name[0] == '#' || strcmp(name, "4913") == 0) /* the last one is vim's */
        return true;
    for (uint32_t i = 0; is_directory && directories[i]; i++)
        if (strcmp(name, directories[i]) == 0)
            return true;
    return !is_directory && has_ending(name, endings);
}

/* Applies a line of .gitignore; a line that begins with "!" sets *keep. */
static bool matches_line(Slice line, const char *path, const char *name, bool is_directory,
                         bool *keep) {
    line = slice_trim(line);
    *keep = slice_skip(&line, "!");
    if (!line.length || line.at[0] == '#')
        return false;
    bool only_directories = line.at[line.length - 1] == '/';
    line.length -= only_directories;
    bool anchored = line.length && memchr(line.at, '/', line.length);
    slice_skip(&line, "/");
    char *pattern = slice_copy(line);
    bool found = (is_directory || !only_directories) &&
                 fnmatch(pattern, anchored ? path : name, FNM_PATHNAME) == 0;
    free(pattern);
    return found;
}

static bool is_ignored(const FileWatch *watch, const char *path, const char *name,
                       bool is_directory) {
    bool ignored = false;
    Slice rest = {watch->ignored.data, watch->ignored.length};
    Slice line;
    bool keep = false;
    while (slice_line(&rest, &line))
        if (matches_line(line, path, name, is_directory, &keep))
            ignored = !keep;
    return ignored || is_noise(name, is_directory);
}

static void read_ignored(FileWatch *watch) {
    char *path = path_join(watch->directory, ".gitignore");
    Error error;
    buffer_clear(&watch->ignored);
    if (access(path, R_OK) != 0 || !load_file(path, &watch->ignored, &error))
        buffer_clear(&watch->ignored);
    free(path);
}

/* ---- scanning ---- */

/* False for a program or a file that has been deleted. */
static bool digest_file(const char *path, const struct stat *about, uint64_t *digest) {
    Buffer text = {0};
    int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    ssize_t got = fd >= 0 ? 1 : -1;
    while (got > 0 && text.length <= HASHED_MAX) {
        got = read(fd, buffer_reserve(&text, 65536), 65536);
        text.length += got > 0 ? (size_t)got : 0;
    }
    if (fd >= 0)
        close(fd);
    bool good = got >= 0;
    if (text.length > HASHED_MAX)
        *digest = hash64_chain((uint64_t)about->st_size, (uint64_t)about->st_mtim.tv_nsec);
    else if (good)
        *digest = hash64(text.data, text.length);
    *digest = hash64_chain(*digest, about->st_mode & 0111);
    good = good && !(text.length > 4 && (memcmp(text.data, "\177ELF", 4) == 0 ||
                                         memcmp(text.data, "!<arch>", 4) == 0));
    buffer_free(&text);
    return good;
}

static void look_into(FileWatch *watch, const char *below, uint32_t depth, WatchedFiles *found);

static void look_at(FileWatch *watch, const char *path, const char *name, uint32_t depth,
                    WatchedFiles *found) {
    char *full = path_join(watch->directory, path);
    struct stat about;
    uint64_t digest = 0;
    if (lstat(full, &about) == 0 && !is_ignored(watch, path, name, S_ISDIR(about.st_mode))) {
        if (S_ISDIR(about.st_mode)) {
            look_into(watch, path, depth + 1, found);
        } else if (S_ISREG(about.st_mode) && found->count < FILES_MAX &&
                   digest_file(full, &about, &digest)) {
            found->files = xreallocarray(found->files, found->count + 1, sizeof *found->files);
            found->files[found->count++] = (WatchedFile){.path = xstrdup(path), .digest = digest};
        }
    }
    free(full);
}

/* Watches the directory before reading it, so that no change in between is missed. */
static void look_into(FileWatch *watch, const char *below, uint32_t depth, WatchedFiles *found) {
    char *full = *below ? path_join(watch->directory, below) : xstrdup(watch->directory);
    inotify_add_watch(watch->events, full, WATCHED);
    DIR *list = depth < DEPTH_MAX ? opendir(full) : NULL;
    const struct dirent *entry = NULL;
    while (list && (entry = readdir(list))) {
        if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
            continue;
        char *path = *below ? path_join(below, entry->d_name) : xstrdup(entry->d_name);
        look_at(watch, path, entry->d_name, depth, found);
        free(path);
    }
    if (list)
        closedir(list);
    free(full);
}

static int compare_files(const void *one, const void *other) {
    return strcmp(((const WatchedFile *)one)->path, ((const WatchedFile *)other)->path);
}

static void files_free(WatchedFiles *files) {
    for (uint32_t i = 0; i < files->count; i++)
        free(files->files[i].path);
    free(files->files);
    *files = (WatchedFiles){0};
}

static WatchedFiles look(FileWatch *watch) {
    WatchedFiles found = {0};
    read_ignored(watch);
    look_into(watch, "", 0, &found);
    if (found.count)
        qsort(found.files, found.count, sizeof *found.files, compare_files);
    return found;
}

/* ---- what has changed ---- */

typedef enum WatchPhase { WATCH_IDLE, WATCH_BUILDING, WATCH_BUILT } WatchPhase;

/* Whether the change of a file counts. `before` is NULL if it is new. */
static bool counts(const WatchedFile *before, WatchedFile *file, WatchPhase phase) {
    if (before) {
        file->product = before->product;
        file->in_builds = before->in_builds;
    }
    if (before && before->digest == file->digest)
        return false;
    if (!before && phase == WATCH_BUILT)
        file->product = true;
    if (phase != WATCH_IDLE && ++file->in_builds > BUILDS_MAX)
        file->product = true;
    return !file->product;
}

static void add_name(Buffer *names, uint32_t count, const char *path) {
    if (count < NAMED_MAX)
        buffer_format(names, "%s%s", count ? ", " : "", path);
}

/* Compares the files with those of the last scan, which they replace, and names the changes. */
static bool compare(FileWatch *watch, WatchPhase phase, Buffer *names) {
    WatchedFiles found = look(watch);
    const WatchedFiles *known = &watch->known;
    uint32_t changed = 0;
    uint32_t old = 0;
    uint32_t new = 0;
    while (old < known->count || new < found.count) {
        int order = old == known->count  ? 1
                    : new == found.count ? -1
                                         : compare_files(&known->files[old], &found.files[new]);
        if (order < 0 && !known->files[old].product)
            add_name(names, changed++, known->files[old].path);
        else if (order >= 0 && counts(order ? NULL : &known->files[old], &found.files[new], phase))
            add_name(names, changed++, found.files[new].path);
        old += order <= 0;
        new += order >= 0;
    }
    if (changed > NAMED_MAX)
        buffer_format(names, " and %u more", changed - NAMED_MAX);
    files_free(&watch->known);
    watch->known = found;
    return changed > 0;
}

bool file_watch_changed(FileWatch *watch, bool is_building, Buffer *names) {
    return compare(watch, is_building ? WATCH_BUILDING : WATCH_IDLE, names);
}

bool file_watch_built(FileWatch *watch, Buffer *names) {
    return compare(watch, WATCH_BUILT, names);
}

/* ---- events ---- */

FileWatch *file_watch_new(const char *directory, Error *error) {
    FileWatch *watch = xcalloc(1, sizeof *watch);
    watch->directory = xstrdup(directory);
    watch->events = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    if (watch->events < 0 || inotify_add_watch(watch->events, directory, WATCHED) < 0) {
        error_set(error, "cannot watch %.300s: %s", directory, strerror(errno));
        file_watch_free(watch);
        return NULL;
    }
    /* The directory itself may be replaced. */
    char *parent = path_join(directory, "..");
    inotify_add_watch(watch->events, parent, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR);
    free(parent);
    watch->known = look(watch);
    return watch;
}

void file_watch_free(FileWatch *watch) {
    if (!watch)
        return;
    files_free(&watch->known);
    buffer_free(&watch->ignored);
    if (watch->events >= 0)
        close(watch->events);
    free(watch->directory);
    free(watch);
}

int file_watch_descriptor(const FileWatch *watch) {
    return watch->events;
}

bool file_watch_read(FileWatch *watch) {
    char events[4096];
    bool some = false;
    while (read(watch->events, events, sizeof events) > 0)
        some = true;
    return some;
}
