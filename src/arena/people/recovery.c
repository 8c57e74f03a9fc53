/* Password recovery. See people.h. For a running arena, the file REQUEST in its data directory
   holds {"account": ID, "password": HASH, "temporary": BOOL}. The arena removes it when it is
   done. */
#include "arena/people/people.h"

#include "base/clock.h"
#include "base/json.h"
#include "base/path.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#define REQUEST "password.request"

enum { TIMEOUT_MS = 30000, REQUEST_MAX = 1024 };

/* ---- setting the password ---- */

typedef struct NewPassword {
    uint64_t account;
    char hash[PASSWORD_HASH_SIZE];
    bool temporary; /* it must be changed */
} NewPassword;

static bool set_password(Store *store, const NewPassword *password, Error *error) {
    StoreAccount account;
    StoreAudit entry = {.action = "account.reset", .detail = "with skirmish password"};
    if (store_account_get(store, password->account, &account, error) != STORE_OK ||
        store_account_set_password(store, password->account, password->hash, password->temporary,
                                   (Slice){0}, error) != STORE_OK)
        return false;
    snprintf(entry.subject, sizeof entry.subject, "%s", account.name);
    return store_audit_add(store, &entry, error) == STORE_OK;
}

/* ---- in the arena ---- */

static bool read_request(Slice text, NewPassword *to, Error *error) {
    Json json = {0};
    bool good = json_parse(&json, text, error);
    if (good) {
        bool object = json.nodes[0].kind == JSON_OBJECT;
        uint32_t account = object ? json_member(&json, 0, "account") : JSON_NONE;
        uint32_t password = object ? json_member(&json, 0, "password") : JSON_NONE;
        uint32_t temporary = object ? json_member(&json, 0, "temporary") : JSON_NONE;
        good = account != JSON_NONE && json_uint64(&json, account, &to->account) &&
               password != JSON_NONE && json.nodes[password].kind == JSON_STRING &&
               json.nodes[password].text.length < sizeof to->hash;
        to->temporary = temporary != JSON_NONE && json.nodes[temporary].kind == JSON_TRUE;
        if (good)
            snprintf(to->hash, sizeof to->hash, "%.*s", (int)json.nodes[password].text.length,
                     json.nodes[password].text.at);
        else
            error_set(error, "the file was not written by `skirmish password`");
    }
    json_free(&json);
    return good;
}

void recovery_tick(Arena *arena) {
    char *path = path_join(arena->options.data, REQUEST);
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
    if (file >= 0) {
        char text[REQUEST_MAX];
        NewPassword password = {0};
        Error error = {0};
        ssize_t got = read(file, text, sizeof text);
        bool good = read_request((Slice){text, got > 0 ? (size_t)got : 0}, &password, &error) &&
                    set_password(arena->store, &password, &error);
        auth_end_streams(arena, password.account, 0);
        LogField fields[] = {{"account", NULL, (int64_t)password.account},
                             {"error", error.text, 0}};
        log_write(arena->log, good ? LOG_INFO : LOG_ERROR, "password", fields, good ? 1 : 2);
        close(file);
        unlink(path);
    }
    free(path);
}

/* ---- in `skirmish password` ---- */

/* Writes the file under another name and renames it, so that the arena never reads half of it. The
   arena's user must be able to read it even if root wrote it. */
static bool write_request(const char *data, const char *path, const NewPassword *password,
                          Error *error) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    struct stat about;
    json_open(&out, NULL, '{');
    json_out_uint(&out, "account", password->account);
    json_out_text(&out, "password", password->hash);
    json_out_bool(&out, "temporary", password->temporary);
    json_close(&out, '}');
    char *fresh = path_join(data, REQUEST ".XXXXXX");
    int file = mkostemp(fresh, O_CLOEXEC);
    bool good = file >= 0 && stat(data, &about) == 0 &&
                (geteuid() != 0 || fchown(file, about.st_uid, about.st_gid) == 0) &&
                write(file, text.data, text.length) == (ssize_t)text.length &&
                rename(fresh, path) == 0;
    if (!good) {
        error_set(error, "cannot write to %s: %s", data, strerror(errno));
        if (file >= 0)
            unlink(fresh);
    }
    if (file >= 0)
        close(file);
    free(fresh);
    buffer_free(&text);
    return good;
}

/* Waits until the file is gone. */
static bool await_removal(const char *path) {
    int64_t deadline = clock_now() + TIMEOUT_MS * CLOCK_MS;
    int watch = inotify_init1(IN_CLOEXEC | IN_NONBLOCK);
    bool watched = watch >= 0 && inotify_add_watch(watch, path, IN_DELETE_SELF | IN_ATTRIB) >= 0;
    bool gone = access(path, F_OK) != 0;
    while (!gone && watched && clock_now() < deadline) {
        struct pollfd news = {watch, POLLIN, 0};
        char events[sizeof(struct inotify_event) + NAME_MAX + 1];
        poll(&news, 1, (int)((deadline - clock_now()) / CLOCK_MS) + 1);
        while (read(watch, events, sizeof events) > 0)
            continue;
        gone = access(path, F_OK) != 0;
    }
    if (watch >= 0)
        close(watch);
    return gone;
}

/* Has the running arena set the password, and checks that it did. */
static bool ask_arena(const char *data, Store *store, const NewPassword *password, Error *error) {
    char *path = path_join(data, REQUEST);
    Buffer now = {0};
    bool good = write_request(data, path, password, error);
    if (good && !await_removal(path)) {
        unlink(path);
        good = error_set(error, "the arena running in %s did not respond within %d s", data,
                         TIMEOUT_MS / 1000);
    }
    good = good && store_account_password(store, password->account, &now, error) == STORE_OK &&
           (strcmp(buffer_string(&now), password->hash) == 0 ||
            error_set(error, "the running arena did not set the password; see its log"));
    buffer_free(&now);
    free(path);
    return good;
}

static void hear_nothing(void *context, StoreNewsKind kind, uint64_t subject) {
    (void)context;
    (void)kind;
    (void)subject;
}

/* Notifies arenas on other machines that use the same database. If that fails, the account's
   streams stay open there. */
static void notify_arenas(Store *store, uint64_t account) {
    Error error;
    if (store_news_start(store, (StoreNewsListener){NULL, hear_nothing}, &error))
        store_news_send(store, NEWS_REVOKED, account); /* closing the store sends it */
}

bool recovery_password(const char *data, const char *database, const char *name, Slice password,
                       char *generated, Error *error) {
    NewPassword set = {.temporary = !password.length};
    StoreAccount account = {0};
    if (!store_is_there(data))
        return error_set(error, "no arena in %s", data);
    bool runs = store_is_in_use(data);
    StoreOptions options = {
        .directory = data, .database = database, .without_files = true, .read_only = runs};
    Store *store = store_open(&options, error);
    if (!store)
        return false;
    if (!password.length) {
        password_generate(generated);
        password = slice_of(generated);
    }
    bool good = store_account_find(store, slice_of(name), &account, error) == STORE_OK &&
                password_check(password, account.name, error) &&
                password_hash(password, set.hash, error);
    set.account = account.id;
    good = good && (runs ? ask_arena(data, store, &set, error) : set_password(store, &set, error));
    if (good)
        auth_forget_initial_password(data, &account);
    if (good && !runs)
        notify_arenas(store, account.id);
    return store_close(store, good ? error : NULL) && good;
}
