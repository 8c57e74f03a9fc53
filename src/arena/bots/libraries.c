/* Libraries for bots: see bots.h. */
#include "arena/bots/languages.h"

#include "base/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

enum { LIBRARIES_MAX = 100, LIBRARY_NAME_MAX = 60 };

/* Splits "python:numpy". */
static bool split(Slice word, Slice *language, Slice *name) {
    const char *colon = memchr(word.at, ':', word.length);
    if (!colon)
        return false;
    *language = (Slice){word.at, (size_t)(colon - word.at)};
    *name = (Slice){colon + 1, word.length - language->length - 1};
    return true;
}

/* Names go into shell commands, so they have no quotes and no other special characters. */
static bool is_name(Slice name) {
    static const char letters[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-./:@+";
    for (size_t i = 0; i < name.length; i++)
        if (!name.at[i] || !strchr(letters, name.at[i]))
            return false;
    return name.length > 0 && name.length <= LIBRARY_NAME_MAX;
}

/* Runs the command in roughly the environment of a bot and discards its output. True if it exits
   with status 0. */
static bool succeeds(char *command) {
    char shell[] = "sh";
    char option[] = "-c";
    char path[] = "PATH=/usr/local/bin:/usr/bin:/bin";
    char *arguments[] = {shell, option, command, NULL};
    char *environment[] = {path, NULL};
    posix_spawn_file_actions_t actions;
    pid_t child = 0;
    int status = 0;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    bool started = posix_spawn(&child, "/bin/sh", &actions, NULL, arguments, environment) == 0;
    posix_spawn_file_actions_destroy(&actions);
    while (started && waitpid(child, &status, 0) < 0)
        if (errno != EINTR)
            return false;
    return started && WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static bool can_import(const Language *language, Slice name) {
    if (!language->import)
        return true;
    const char *place = strstr(language->import, "%s");
    Buffer command = {0};
    buffer_text(&command, "cd / && ");
    buffer_add(&command, language->import, (size_t)(place - language->import));
    buffer_add(&command, name.at, name.length);
    buffer_text(&command, place + 2);
    char *text = xstrdup(buffer_string(&command));
    bool good = succeeds(text);
    free(text);
    buffer_free(&command);
    return good;
}

bool libraries_check(const char *list, Error *error) {
    Slice rest = slice_of(list ? list : "");
    Slice word;
    for (uint32_t count = 0; slice_word(&rest, &word); count++) {
        Slice language_name;
        Slice name;
        if (count == LIBRARIES_MAX)
            return error_set(error, "more than %d libraries", LIBRARIES_MAX);
        if (!split(word, &language_name, &name) || !is_name(name))
            return error_set(error, "expected LANGUAGE:NAME, such as python:numpy, not \"%.*s\"",
                             (int)(word.length < 60 ? word.length : 60), word.at);
        const Language *language = language_find(language_name, error);
        if (!language)
            return false;
        if (!language_is_installed(language))
            return error_set(error, "%s is not installed", language->title);
        if (!can_import(language, name))
            return error_set(error,
                             "%s cannot import \"%.*s\"; install it for all users, below /usr",
                             language->title, SLICE_ARGS(name));
    }
    return true;
}

void libraries_write(JsonOut *out, const char *list, const Language *language) {
    Slice rest = slice_of(list ? list : "");
    Slice word;
    Slice language_name;
    Slice name;
    json_open(out, "libraries", '[');
    while (slice_word(&rest, &word))
        if (split(word, &language_name, &name) && slice_equals(language_name, language->name))
            json_out_string(out, NULL, name);
    json_close(out, ']');
}
