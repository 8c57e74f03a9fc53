/* See saved_login.h. */
#include "cli/saved_login.h"
#include "base/memory.h"

#include "base/json.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { FILE_MAX = 64 << 10 };

static void add_directory(Buffer *to) {
    const char *config = getenv("XDG_CONFIG_HOME");
    const char *home = getenv("HOME");
    if (config && *config == '/')
        buffer_format(to, "%s/skirmish", config);
    else
        buffer_format(to, "%s/.config/skirmish", home ? home : "");
}

static void add_path(Buffer *to) {
    add_directory(to);
    buffer_text(to, "/arena.json");
}

static bool read_all(const char *path, Buffer *to, Error *error) {
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0 && errno == ENOENT)
        return error_set(error, "not logged in; log in with: skirmish login http://localhost:3000");
    if (fd < 0)
        return error_set(error, "cannot read %.300s: %s", path, strerror(errno));
    ssize_t got = read(fd, buffer_reserve(to, FILE_MAX), FILE_MAX);
    to->length += got > 0 ? (size_t)got : 0;
    close(fd);
    return got >= 0 || error_set(error, "cannot read %.300s: %s", path, strerror(errno));
}

static bool parse(SavedLogin *account, Slice text, const char *path, Error *error) {
    Json json = {0};
    bool good = json_parse(&json, text, error) && json.nodes[0].kind == JSON_OBJECT;
    static const char *const names[] = {"url", "token", "name"};
    char **const places[] = {&account->url, &account->token, &account->name};
    for (uint32_t i = 0; good && i < 3; i++) {
        uint32_t node = json_member(&json, 0, names[i]);
        good = node != JSON_NONE && json.nodes[node].kind == JSON_STRING &&
               !memchr(json.nodes[node].text.at, '\0', json.nodes[node].text.length);
        if (good)
            *places[i] = slice_copy(json.nodes[node].text);
    }
    uint32_t id = good ? json_member(&json, 0, "token_id") : JSON_NONE;
    if (id != JSON_NONE)
        json_uint64(&json, id, &account->token_id);
    json_free(&json);
    return good ||
           error_set(error, "%.300s is damaged; log in again with: skirmish login URL", path);
}

bool saved_login_load(SavedLogin *account, Error *error) {
    const char *url = getenv("SKIRMISH_URL");
    const char *token = getenv("SKIRMISH_TOKEN");
    *account = (SavedLogin){0};
    if (url && *url && token) {
        *account = (SavedLogin){.url = xstrdup(url), .token = xstrdup(token), .name = xstrdup("")};
        return true;
    }
    Buffer path = {0};
    Buffer text = {0};
    add_path(&path);
    bool good = read_all(buffer_string(&path), &text, error) &&
                parse(account, (Slice){text.data, text.length}, buffer_string(&path), error);
    buffer_free(&path);
    buffer_free(&text);
    return good;
}

/* Creates a directory and its parents. */
static bool make_directories(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        bool good = mkdir(path, 0700) == 0 || errno == EEXIST;
        *slash = '/';
        if (!good)
            return false;
    }
    return mkdir(path, 0700) == 0 || errno == EEXIST;
}

/* Writes a temporary file, syncs and renames it, so that the file is always complete. */
static bool write_file(const char *path, const Buffer *text) {
    Buffer temporary = {0};
    buffer_format(&temporary, "%s.%ld", path, (long)getpid());
    const char *name = buffer_string(&temporary);
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    bool good =
        fd >= 0 && write(fd, text->data, text->length) == (ssize_t)text->length && fsync(fd) == 0;
    if (fd >= 0)
        close(fd);
    good = good && rename(name, path) == 0;
    int reason = errno;
    if (!good && fd >= 0)
        unlink(name);
    buffer_free(&temporary);
    errno = reason;
    return good;
}

bool saved_login_save(const SavedLogin *account, Error *error) {
    Buffer directory = {0};
    Buffer path = {0};
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_text(&out, "url", account->url);
    json_out_text(&out, "name", account->name);
    json_out_text(&out, "token", account->token);
    json_out_uint(&out, "token_id", account->token_id);
    json_close(&out, '}');
    buffer_char(&text, '\n');
    add_directory(&directory);
    add_path(&path);
    buffer_string(&directory);
    bool good = make_directories(directory.data) && write_file(buffer_string(&path), &text);
    if (!good)
        error_set(error, "cannot write %.300s: %s", buffer_string(&path), strerror(errno));
    buffer_free(&directory);
    buffer_free(&path);
    buffer_free(&text);
    return good;
}

bool saved_login_delete(Error *error) {
    Buffer path = {0};
    add_path(&path);
    bool good = unlink(buffer_string(&path)) == 0 || errno == ENOENT;
    if (!good)
        error_set(error, "cannot remove %.300s: %s", buffer_string(&path), strerror(errno));
    buffer_free(&path);
    return good;
}

void saved_login_free(SavedLogin *account) {
    free(account->url);
    free(account->token);
    free(account->name);
    *account = (SavedLogin){0};
}
