/* See bots.h. In the data directory:

     versions/ID/files/    the content of version ID and the output of its build
     versions/ID/built     an empty file: the build succeeded
     versions/.new-...     an upload unpacked for checking, or an unfinished versions/ID
     drafts/KEY/           a draft

   All of it is derived from the store, and can be removed while no bot runs from it. */
#include "arena/bots/bots.h"

#include "arena/bots/archive.h"
#include "arena/bots/directory_tree.h"
#include "arena/bots/house_bots.h"
#include "arena/bots/languages.h"
#include "base/memory.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    BUILT_FILES_MAX = 20000,
    BUILT_BYTES_MAX = 256 << 20,
    DRAFT_UNPACKED_MAX = 4 << 20, /* the engine's thread unpacks it, also for visitors */
};

static bool exists(const char *path) {
    struct stat about;
    return lstat(path, &about) == 0;
}

/* The absolute path of a directory in the data directory, because bots run with another working
   directory. Creates it if it is missing. NULL on failure. */
static char *data_directory(const Arena *arena, const char *name, Error *error) {
    char *relative = path_join(arena->options.data, name);
    char *absolute = tree_make(relative, error) ? realpath(relative, NULL) : NULL;
    free(relative);
    return absolute;
}

/* ---- reading a directory ---- */

typedef struct Only {
    uint32_t count;
    char name[ARCHIVE_NAME_MAX + 1];
} Only;

static void see_entry(void *context, const char *name) {
    Only *only = context;
    if (only->count++ == 0)
        snprintf(only->name, sizeof only->name, "%s", name);
}

/* The directory of the bot: an archive often has everything in a single directory. */
static char *find_root(const char *files) {
    Only only = {0};
    struct stat about;
    tree_each(files, see_entry, &only);
    char *inner = only.count == 1 ? path_join(files, only.name) : NULL;
    if (inner && lstat(inner, &about) == 0 && S_ISDIR(about.st_mode))
        return inner;
    free(inner);
    return xstrdup(files);
}

/* Removes the directory from a message: the owner knows the file as bot.json. */
static void hide_directory(const char *directory, Error *error) {
    size_t length = strlen(directory);
    for (char *at = strstr(error->text, directory); at; at = strstr(at, directory)) {
        size_t cut = length + (at[length] == '/' ? 1 : 0);
        memmove(at, at + cut, strlen(at + cut) + 1);
    }
}

/* The length of the directory that `rest` starts with (versions/ID/files or drafts/KEY), including
   a slash after it; 0 if it starts with something else. */
static size_t bots_directory(Slice rest) {
    static const char word[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    Slice left = rest;
    bool version = slice_skip(&left, "versions/");
    if (!version && !slice_skip(&left, "drafts/"))
        return 0;
    size_t name = 0;
    while (name < left.length && left.at[name] && strchr(word, left.at[name]))
        name++;
    left = (Slice){left.at + name, left.length - name};
    if (!name || (version && !slice_skip(&left, "/files")))
        return 0;
    slice_skip(&left, "/");
    return rest.length - left.length;
}

void versions_hide_paths(const Arena *arena, Slice text, Buffer *to) {
    if (!text.length)
        return;
    char *data = realpath(arena->options.data, NULL);
    size_t length = data ? strlen(data) : 0;
    const char *at = text.at;
    const char *end = text.at + text.length;
    const char *found;
    while (data && at < end && (found = memmem(at, (size_t)(end - at), data, length))) {
        const char *behind = found + length;
        size_t inside = behind < end && *behind == '/'
                            ? bots_directory((Slice){behind + 1, (size_t)(end - behind - 1)})
                            : 0;
        if (inside) {
            buffer_add(to, at, (size_t)(found - at));
            if (behind[inside] != '/')
                buffer_char(to, '.'); /* the directory itself */
            at = behind + 1 + inside;
        } else {
            buffer_add(to, at, (size_t)(behind - at));
            at = behind;
        }
    }
    buffer_add(to, at, (size_t)(end - at));
    free(data);
}

/* Fills the spec from the directory `files`. `language` becomes the name of the language, or
   LANGUAGE_OWN. */
static bool read_spec(const char *files, BotSpec *spec, const char **language, Error *error) {
    *spec = (BotSpec){0};
    char *root = find_root(files);
    char *own = path_join(root, "bot.json");
    struct stat about;
    bool good = true;
    if (lstat(own, &about) == 0) {
        *language = LANGUAGE_OWN;
        /* A build may have replaced it, for example with a link to a file that only we may read. */
        good =
            S_ISREG(about.st_mode)
                ? bot_spec_parse(spec, root, "", NULL, error)
                : error_set(error, "bot.json is no longer a regular file; its build replaced it");
        if (!spec->text)
            spec->text = xstrdup(root);
        if (good)
            *language = language_of_own_commands(spec);
        else
            hide_directory(root, error);
    } else {
        spec->text = xstrdup(root);
        spec->directory = xstrdup(root);
        const Language *found = language_fill_spec(spec, error);
        good = found != NULL;
        *language = found ? found->name : "";
        if (!good)
            bot_spec_free(spec); /* not the bot's fault: its language may have been uninstalled */
    }
    free(own);
    free(root);
    return good;
}

/* Unpacks an upload into the new directory `files`: at most `bytes_max` of an archive. */
static bool unpack(const Arena *arena, const char *file_name, Slice bytes, uint64_t bytes_max,
                   const char *files, Error *error) {
    const Language *language = language_of_file(file_name);
    if (!archive_is(file_name) && !language)
        return error_set(error,
                         "\"%.60s\" is neither an archive (.zip, .tar, .tar.gz, .tgz) nor a source "
                         "file in a supported language",
                         file_name);
    int directory = -1;
    if (mkdir(files, 0700) == 0 && chmod(files, 0777) == 0)
        directory = open(files, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (directory < 0)
        return error_set(error, "the arena could not unpack the upload: %s", strerror(errno));
    bool good;
    if (language) {
        char name[LANGUAGE_FILE_SIZE];
        language_file_name(language, bytes, file_name, name);
        good = archive_write_file(directory, name, bytes, error);
    } else {
        good =
            archive_unpack(arena->options.program, file_name, bytes, bytes_max, directory, error);
    }
    close(directory);
    return good;
}

/* ---- uploads ---- */

bool versions_check(const Arena *arena, const char *file_name, Slice bytes,
                    char language[STORE_GAME_SIZE], Error *error) {
    if (!archive_name_check(slice_of(file_name), error))
        return false;
    if (!bytes.length)
        return error_set(error, "the file is empty");
    if (bytes.length > arena->options.upload_max)
        return error_set(error, "the file has %zu bytes; this arena accepts at most %" PRIu64,
                         bytes.length, arena->options.upload_max);
    char *versions = data_directory(arena, "versions", error);
    char *fresh = versions ? tree_make_new(versions, ".new-", error) : NULL;
    char *files = fresh ? path_join(fresh, "files") : NULL;
    BotSpec spec = {0};
    const char *found = "";
    bool good = files &&
                unpack(arena, file_name, bytes, arena->options.unpacked_max, files, error) &&
                read_spec(files, &spec, &found, error);
    snprintf(language, STORE_GAME_SIZE, "%s", good ? found : "");
    bot_spec_free(&spec);
    if (fresh)
        tree_remove(fresh);
    free(files);
    free(fresh);
    free(versions);
    return good;
}

/* ---- versions ---- */

/* DATA/versions/ID, or a path inside it. */
static char *version_path(const char *versions, uint64_t id, const char *inside) {
    char name[64];
    snprintf(name, sizeof name, "%" PRIu64 "%s%s", id, inside ? "/" : "", inside ? inside : "");
    return path_join(versions, name);
}

/* Creates versions/ID from the store, under another name until it is complete. */
static bool make_directory(Arena *arena, const StoreVersion *version, const char *versions,
                           Error *error) {
    Buffer bytes = {0};
    if (!version->source.name[0])
        return error_set(error, "the source of version %" PRIu64 " was deleted", version->id);
    char *fresh = NULL;
    bool good = store_file_read(arena->store, &version->source, &bytes, error) == STORE_OK &&
                (fresh = tree_make_new(versions, ".new-", error)) != NULL;
    if (good) {
        char *files = path_join(fresh, "files");
        char *last = version_path(versions, version->id, NULL);
        good = unpack(arena, version->file_name, (Slice){bytes.data, bytes.length},
                      arena->options.unpacked_max, files, error) &&
               tree_sync(fresh, error);
        /* Another thread may have created the same directory first. */
        if (good && rename(fresh, last) != 0 && errno != ENOTEMPTY && errno != EEXIST)
            good = error_set(error, "cannot rename %s to %s: %s", fresh, last, strerror(errno));
        free(files);
        free(last);
    }
    if (fresh)
        tree_remove(fresh);
    free(fresh);
    buffer_free(&bytes);
    return good;
}

static bool prepare_files(Arena *arena, const StoreVersion *version, BotSpec *spec, bool *built,
                          Error *error) {
    char *versions = data_directory(arena, "versions", error);
    if (!versions)
        return false;
    char *files = version_path(versions, version->id, "files");
    char *marker = version_path(versions, version->id, "built");
    const char *language = "";
    bool fresh = !exists(files);
    bool good = (!fresh || make_directory(arena, version, versions, error)) &&
                read_spec(files, spec, &language, error);
    *built = good && (!spec->build || exists(marker));
    if (fresh && *built) /* nothing is built, so no build records the size */
        good = store_usage_set_build(arena->store, version->id,
                                     (int64_t)bot_build_size(files).bytes, error) == STORE_OK;
    free(marker);
    free(files);
    free(versions);
    return good;
}

static bool prepare_house(Arena *arena, const StoreVersion *version, const StoreBot *bot,
                          BotSpec *spec, Error *error) {
    Buffer text = {0};
    buffer_text(&text, "house:");
    bool good = store_file_read(arena->store, &version->source, &text, error) == STORE_OK &&
                bot_spec_parse(spec, buffer_string(&text), bot->game, NULL, error);
    buffer_free(&text);
    return good;
}

bool versions_prepare(Arena *arena, uint64_t version, BotSpec *spec, bool *built, Error *error) {
    StoreVersion row;
    StoreBot bot;
    *spec = (BotSpec){0};
    *built = false;
    if (store_version_get(arena->store, version, &row, error) != STORE_OK ||
        store_bot_get(arena->store, row.bot, &bot, error) != STORE_OK)
        return false;
    if (strcmp(row.language, "house") == 0) {
        *built = prepare_house(arena, &row, &bot, spec, error);
        if (!*built) {
            bot_spec_free(spec);
            return false;
        }
    } else if (!prepare_files(arena, &row, spec, built, error)) {
        return error_prefix(error, "version %" PRIu64, version);
    }
    free(spec->name);
    spec->name = xstrdup(bot.name);
    return true;
}

/* Whole MiB, rounded up. */
static uint64_t mib(uint64_t bytes) {
    return (bytes + (1 << 20) - 1) >> 20;
}

uint64_t versions_disk_max(const Arena *arena, const StoreUsage *usage) {
    return usage->most ? (uint64_t)usage->most : arena->options.disk_max;
}

bool versions_have_room(const Arena *arena, uint64_t owner, uint64_t bytes, uint64_t instead_of,
                        Error *error) {
    StoreUsage usage;
    int64_t replaced = 0;
    if (store_usage(arena->store, owner, &usage, error) != STORE_OK ||
        (instead_of &&
         store_usage_of_build(arena->store, instead_of, &replaced, error) != STORE_OK))
        return false;
    uint64_t used = (uint64_t)(usage.sources + usage.builds - replaced);
    uint64_t most = versions_disk_max(arena, &usage);
    if (used <= most && bytes <= most - used)
        return true;
    error_set(error,
              "this takes %" PRIu64 " MiB, but your bots already take %" PRIu64
              " MiB (sources %" PRIu64 ", builds %" PRIu64 ") of the %" PRIu64
              " MiB that an account has; retire a bot, or delete old versions",
              mib(bytes), mib(used), mib((uint64_t)usage.sources), mib((uint64_t)usage.builds),
              mib(most));
    return false;
}

/* Whether a build of the version may have this size. */
static bool fits(const Arena *arena, uint64_t version, BuildSize left, Error *error) {
    StoreVersion row;
    StoreBot bot;
    if (left.files > BUILT_FILES_MAX || left.bytes > BUILT_BYTES_MAX)
        return error_set(error, "the build left more than %d files or %d MiB", BUILT_FILES_MAX,
                         BUILT_BYTES_MAX >> 20);
    return store_version_get(arena->store, version, &row, error) == STORE_OK &&
           store_bot_get(arena->store, row.bot, &bot, error) == STORE_OK &&
           versions_have_room(arena, bot.owner, left.bytes, version, error);
}

bool versions_mark_built(Arena *arena, uint64_t version, BuildSize left, Error *error) {
    Error unread;
    char *versions = data_directory(arena, "versions", &unread);
    char *directory = versions ? version_path(versions, version, NULL) : NULL;
    char *marker = versions ? version_path(versions, version, "built") : NULL;
    bool small = fits(arena, version, left, error);
    if (small && versions && exists(directory) && tree_sync(directory, &unread)) {
        store_usage_set_build(arena->store, version, (int64_t)left.bytes, &unread);
        int fd = open(marker, O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
        if (fd >= 0)
            close(fd);
    }
    free(marker);
    free(directory);
    free(versions);
    return small;
}

/* Moves a directory to the trash; deletes it here if that fails. */
static void discard(Arena *arena, const char *path) {
    Error unread;
    char *trash = data_directory(arena, "trash", &unread);
    char *place = trash ? tree_make_new(trash, "dropped-", &unread) : NULL;
    if (!place || rename(path, place) != 0) {
        if (place)
            tree_remove(place);
        tree_remove(path);
    }
    free(place);
    free(trash);
}

void versions_drop_build(Arena *arena, uint64_t version) {
    Error unread;
    char *versions = data_directory(arena, "versions", &unread);
    char *directory = versions ? version_path(versions, version, NULL) : NULL;
    if (directory)
        discard(arena, directory);
    store_usage_set_build(arena->store, version, 0, &unread);
    free(directory);
    free(versions);
}

static void drop_if_unneeded(void *context, const char *name) {
    Arena *arena = context;
    Error error;
    int64_t id = 0;
    bool needed = true;
    if (slice_int(slice_of(name), &id) && id > 0 &&
        store_usage_needs_build(arena->store, (uint64_t)id, &needed, &error) == STORE_OK && !needed)
        versions_drop_build(arena, (uint64_t)id);
}

void versions_drop_unneeded(Arena *arena) {
    char *versions = path_join(arena->options.data, "versions");
    tree_each(versions, drop_if_unneeded, arena);
    free(versions);
}

/* ---- drafts ---- */

/* DATA/drafts/KEY, or NULL if the key is invalid. */
static char *draft_path(const Arena *arena, const char *key, Error *error) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
    if (!*key || strlen(key) > ARCHIVE_NAME_MAX || key[strspn(key, plain)]) {
        error_set(error, "the key of a draft may contain only letters, digits, '-' and '_'");
        return NULL;
    }
    char *drafts = data_directory(arena, "drafts", error);
    char *path = drafts ? path_join(drafts, key) : NULL;
    free(drafts);
    return path;
}

bool versions_prepare_draft(Arena *arena, const char *key, const char *language, Slice code,
                            BotSpec *spec, Error *error) {
    *spec = (BotSpec){0};
    const Language *known = language ? language_find(slice_of(language), error) : NULL;
    if (language && !known)
        return false;
    if (code.length > arena->options.upload_max)
        return error_set(error, "the code has %zu bytes; this arena accepts at most %" PRIu64,
                         code.length, arena->options.upload_max);
    char *path = draft_path(arena, key, error);
    if (!path)
        return false;
    char name[LANGUAGE_FILE_SIZE] = "draft.zip";
    const char *found = "";
    if (known)
        language_file_name(known, code, NULL, name);
    uint64_t most = arena->options.unpacked_max;
    most = most < DRAFT_UNPACKED_MAX ? most : DRAFT_UNPACKED_MAX;
    bool good = (tree_remove(path) || error_set(error, "cannot remove an older draft")) &&
                unpack(arena, name, code, most, path, error) &&
                read_spec(path, spec, &found, error);
    if (good)
        spec->name = xstrdup("draft");
    else
        tree_remove(path);
    free(path);
    return good;
}

void versions_drop_draft(Arena *arena, const char *key) {
    char *path = draft_path(arena, key, NULL);
    if (path)
        discard(arena, path);
    free(path);
}

/* ---- removing ---- */

static void remove_from(void *context, const char *name) {
    char *path = path_join(context, name);
    tree_remove(path);
    free(path);
}

void versions_empty_trash(Arena *arena) {
    char *trash = path_join(arena->options.data, "trash");
    tree_each(trash, remove_from, trash);
    free(trash);
}

typedef struct VersionSweep {
    Arena *arena;
    const char *versions;
    bool starting; /* no bot runs yet */
} VersionSweep;

/* Whether to remove the directory of a version: because its source is gone; or, when the arena
   starts, because it is unfinished or belongs to an inactive version. If the store cannot be read,
   it stays. */
static bool is_obsolete(const VersionSweep *sweep, const char *name, const char *path) {
    Error error;
    StoreVersion version;
    StoreBot bot;
    int64_t id = 0;
    if (!slice_int(slice_of(name), &id) || id <= 0)
        return sweep->starting;
    StoreResult result = store_version_get(sweep->arena->store, (uint64_t)id, &version, &error);
    if (result == STORE_FAILED)
        return false;
    if (result != STORE_OK || !version.source.name[0])
        return true;
    if (!sweep->starting ||
        store_bot_get(sweep->arena->store, version.bot, &bot, &error) != STORE_OK)
        return false;
    char *marker = path_join(path, "built");
    bool half = !exists(marker);
    free(marker);
    return half || bot.active != version.id;
}

static void sweep_entry(void *context, const char *name) {
    const VersionSweep *sweep = context;
    char *path = path_join(sweep->versions, name);
    if (is_obsolete(sweep, name, path))
        tree_remove(path);
    free(path);
}

static bool sweep_all(Arena *arena, bool starting, Error *error) {
    VersionSweep sweep = {arena, NULL, starting};
    char *versions = data_directory(arena, "versions", error);
    sweep.versions = versions;
    bool done = versions && tree_each(versions, sweep_entry, &sweep);
    free(versions);
    return done;
}

void versions_remove_orphans(Arena *arena) {
    sweep_all(arena, false, NULL);
}

/* Whether the build of a version still takes space: on this machine, or if the store is shared, on
   another one. A build may be missing because someone deleted it, or because the store comes from a
   backup. */
static bool is_kept(const Arena *arena, const char *versions, uint64_t version) {
    Error unread;
    bool needed = true;
    if (arena->options.store)
        return store_usage_needs_build(arena->store, version, &needed, &unread) != STORE_OK ||
               needed;
    char *path = version_path(versions, version, NULL);
    bool there = exists(path);
    free(path);
    return there;
}

static bool forget_missing(Arena *arena, Error *error) {
    enum { BATCH = 100 };
    uint64_t ids[BATCH];
    uint64_t after = 0;
    uint32_t count = BATCH;
    char *versions = path_join(arena->options.data, "versions");
    bool good = true;
    while (good && count == BATCH) {
        good = store_usage_builds(arena->store, after, ids, &count, error) == STORE_OK;
        for (uint32_t i = 0; good && i < count; i++) {
            after = ids[i];
            good = is_kept(arena, versions, after) ||
                   store_usage_set_build(arena->store, after, 0, error) == STORE_OK;
        }
    }
    free(versions);
    return good;
}

bool versions_clean(Arena *arena, Error *error) {
    char *drafts = path_join(arena->options.data, "drafts");
    tree_remove(drafts);
    free(drafts);
    return sweep_all(arena, true, error);
}

bool versions_start(Arena *arena, Error *error) {
    return versions_clean(arena, error) && forget_missing(arena, error) &&
           house_bots_add(arena, error);
}
