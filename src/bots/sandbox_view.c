/* See sandbox_view.h. build_root in sandbox_keeper.c decides what is visible. */
#include "bots/sandbox_view.h"

#include "base/buffer.h"
#include "base/memory.h"
#include "base/path.h"
#include "base/slice.h"
#include "bots/sandbox_internal.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Whether every bot sees an absolute path without links. */
static bool is_system(const Sandbox *sandbox, const char *path) {
    static const char *const roots[] = {"/usr",  "/opt", "/proc",  "/dev",   "/bin",
                                        "/sbin", "/lib", "/lib32", "/lib64", "/libx32"};
    for (size_t i = 0; i < sizeof roots / sizeof *roots; i++)
        if (path_is_below(path, roots[i]))
            return true;
    for (uint32_t i = 0; i < sandbox->part_count; i++)
        if (path_is_below(path, sandbox->parts[i]))
            return true;
    return false;
}

/* Whether a bot in this directory sees an absolute path without links. */
static bool is_shown(const Sandbox *sandbox, const char *directory, const char *path) {
    /* The directories above the bot's directory exist as well, but are empty. */
    return is_system(sandbox, path) || path_is_below(path, directory) ||
           path_is_below(directory, path) || strcmp(path, "/") == 0 || strcmp(path, "/tmp") == 0 ||
           strcmp(path, "/etc") == 0;
}

/* Makes a path absolute and removes "." and ".." from it. Links stay. */
static char *plain_path(const char *directory, const char *path) {
    Buffer plain = {0};
    Slice parts[2] = {slice_of(path[0] == '/' ? "" : directory), slice_of(path)};
    for (int i = 0; i < 2; i++)
        while (parts[i].length) {
            size_t length = 0;
            while (length < parts[i].length && parts[i].at[length] != '/')
                length++;
            Slice name = {parts[i].at, length};
            size_t step = length < parts[i].length ? length + 1 : length;
            parts[i] = (Slice){parts[i].at + step, parts[i].length - step};
            if (slice_equals(name, "..")) {
                while (plain.length && plain.data[--plain.length] != '/')
                    continue;
            } else if (name.length && !slice_equals(name, ".")) {
                buffer_char(&plain, '/');
                buffer_add(&plain, name.at, name.length);
            }
        }
    if (!plain.length)
        buffer_char(&plain, '/');
    buffer_string(&plain);
    return plain.data;
}

/* If this path exists but cannot be used in the sandbox, returns the path that the sandbox hides;
   otherwise NULL. The caller frees it. */
static char *hidden_path(const Sandbox *sandbox, const char *path) {
    char directory[PATH_MAX];
    char real[PATH_MAX];
    if (!sandbox || !sandbox_has(sandbox, LAYER_FILES) || !getcwd(directory, sizeof directory) ||
        !realpath(path, real))
        return NULL;
    char *plain = plain_path(directory, path);
    bool shown = is_shown(sandbox, directory, plain);
    if (shown && is_shown(sandbox, directory, real)) {
        free(plain);
        return NULL;
    }
    if (!shown)
        return plain;
    free(plain);
    return xstrdup(real); /* the target of a link */
}

static bool hides(const char *path, Error *error) {
    error_set(
        error,
        "the sandbox hides %s: bots see only their own directory, /usr and /opt; start in its "
        "directory, give that directory as the bot, or use --sandbox=none",
        path);
    return true;
}

/* A word as the shell would expand it outside the sandbox. The caller frees it. */
static char *expand(Slice word) {
    static const char *const homes[] = {"~/", "$HOME/", "${HOME}/"};
    const char *home = getenv("HOME");
    Buffer text = {0};
    for (size_t i = 0; home && i < sizeof homes / sizeof *homes; i++)
        if (slice_skip(&word, homes[i])) {
            buffer_format(&text, "%s/", home);
            break;
        }
    buffer_add(&text, word.at, word.length);
    buffer_string(&text);
    return text.data;
}

bool sandbox_hides_word(const Sandbox *sandbox, const char *command, Error *error) {
    static const char between[] = " \t\n;&|()<>\"'`=:,";
    const char *at = command;
    while (*(at += strspn(at, between))) {
        size_t length = strcspn(at, between);
        char *word = expand((Slice){at, length});
        char *hidden = hidden_path(sandbox, word);
        bool found = hidden && hides(hidden, error);
        free(hidden);
        free(word);
        if (found)
            return true;
        at += length;
    }
    return false;
}

bool sandbox_hides_bot(const Sandbox *sandbox, const BotSpec *spec, Error *error) {
    return spec->kind == BOT_PROCESS && spec->command && !spec->directory &&
           sandbox_hides_word(sandbox, spec->command, error);
}

/* Finds a program in a list of directories as the shell does. The caller frees the path. */
static char *find_program(const char *directories, const char *name) {
    for (const char *at = directories; at && *at;) {
        size_t length = strcspn(at, ":");
        char *directory = slice_copy((Slice){at, length});
        char *path = path_join(directory, name);
        free(directory);
        if (length && access(path, X_OK) == 0)
            return path;
        free(path);
        at += length + (at[length] == ':');
    }
    return NULL;
}

bool sandbox_hides_program(const Sandbox *sandbox, const char *program, const char *what,
                           Error *error) {
    char *path = NULL;
    if (strchr(program, '/'))
        path = xstrdup(program);
    else {
        char *inside = find_program(SANDBOX_PATH, program);
        path = inside ? inside : find_program(getenv("PATH"), program);
    }
    char *hidden = path ? hidden_path(sandbox, path) : NULL;
    if (hidden)
        error_set(error,
                  "%s is %s, which the sandbox hides; install it in /usr/local, or use "
                  "--sandbox=none",
                  what, hidden);
    bool found = hidden != NULL;
    free(hidden);
    free(path);
    return found;
}

bool sandbox_shows(const Sandbox *sandbox, const char *path) {
    char directory[PATH_MAX];
    char real[PATH_MAX];
    if (!sandbox_has(sandbox, LAYER_FILES) || !getcwd(directory, sizeof directory))
        return false;
    /* A path that does not exist yet will be created below its last existing directory. */
    char *part = plain_path(directory, path);
    for (char *end; !realpath(part, real) && (end = strrchr(part, '/')); *end = '\0')
        if (end == part)
            break;
    bool shown = is_system(sandbox, real);
    free(part);
    return shown;
}
