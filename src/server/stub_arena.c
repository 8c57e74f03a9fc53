/* Placeholders, replaced file by file: delete a function here when its own file has it. */
#include "server/auth.h"
#include "server/conductor.h"
#include "server/engine.h"
#include "server/join.h"
#include "server/spec.h"
#include "server/versions.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- auth.c ---- */
bool auth_admit(Request *request, Response *response) {
    (void)response;
    Slice value;
    StoreAccount account;
    Error error;
    if (request_header(request, "Authorization", &value) && slice_skip(&value, "Bearer ") &&
        store_token_find(arena_of(request)->store, value, NULL, &account, &error) == STORE_OK) {
        request->account = account.id;
        request->role = account.role;
    }
    return true;
}
void auth_dismiss(Request *request) {
    (void)request;
}
bool auth_first_start(Arena *arena, Error *error) {
    (void)arena;
    (void)error;
    return true;
}
bool auth_is_or_organises(const Request *request, uint64_t account) {
    return (request->account && request->account == account) || request->role >= ROLE_ORGANISER;
}
void auth_audit(const Request *request, const char *action, const char *subject,
                const char *detail) {
    (void)request;
    (void)action;
    (void)subject;
    (void)detail;
}
/* ---- versions.c ---- */
const Language languages_all[] = {
    {"python", "Python", ".py", NULL, "python3 %s", "python3"},
    {"c", "C", ".c", "cc -O2 -o bot %s", "./bot", "cc"},
    {NULL, NULL, NULL, NULL, NULL, NULL},
};
bool language_is_here(const Language *language) {
    return language != NULL;
}
static bool ready(const char *directory, const char *language, Slice source, BotSpec *spec,
                  Error *error) {
    Buffer path = {0};
    bool c = strcmp(language, "c") == 0;
    mkdir(directory, 0755);
    buffer_format(&path, "%s/bot.%s", directory, c ? "c" : "py");
    int file = open(buffer_string(&path), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
    bool good = file >= 0 && write(file, source.at, source.length) == (ssize_t)source.length;
    if (file >= 0)
        close(file);
    buffer_free(&path);
    *spec = (BotSpec){.kind = BOT_PROCESS, .name = strdup("bot"), .text = strdup(directory)};
    spec->directory = realpath(directory, NULL);
    spec->command = strdup(c ? "./bot" : "exec python3 bot.py");
    spec->build = c ? strdup("cc -O2 -o bot bot.c") : NULL;
    return good || error_set(error, "cannot write %s", directory);
}
bool versions_prepare(Arena *arena, uint64_t version, BotSpec *spec, bool *built, Error *error) {
    StoreVersion row;
    StoreBot bot;
    Buffer text = {0};
    *spec = (BotSpec){0};
    *built = true;
    bool good = store_version_get(arena->store, version, &row, error) == STORE_OK &&
                store_bot_get(arena->store, row.bot, &bot, error) == STORE_OK &&
                store_file_read(arena->store, &row.source, &text, error) == STORE_OK;
    if (good && strncmp(buffer_string(&text), "house:", 6) == 0) {
        good = bot_spec_parse(spec, buffer_string(&text), bot.game, NULL, error);
    } else if (good) {
        char path[512];
        snprintf(path, sizeof path, "%s/version-%" PRIu64, arena->options.data, version);
        struct stat about;
        *built = stat(path, &about) == 0;
        good = ready(path, row.language, (Slice){text.data, text.length}, spec, error);
    }
    buffer_free(&text);
    return good;
}
void versions_mark_built(Arena *arena, uint64_t version) {
    (void)arena;
    (void)version;
}
bool versions_prepare_draft(Arena *arena, const char *key, const char *language, Slice source,
                            BotSpec *spec, Error *error) {
    char path[512];
    snprintf(path, sizeof path, "%s/draft-%s", arena->options.data, key);
    return ready(path, language, source, spec, error);
}
void versions_drop_draft(Arena *arena, const char *key) {
    char path[512];
    snprintf(path, sizeof path, "%s/draft-%s", arena->options.data, key);
    DIR *entries = opendir(path);
    for (struct dirent *entry = entries ? readdir(entries) : NULL; entry; entry = readdir(entries))
        unlinkat(dirfd(entries), entry->d_name, 0);
    if (entries)
        closedir(entries);
    rmdir(path);
}
static bool add_house_bot(Arena *arena, uint64_t owner, const char *game, const char *name,
                          Error *error) {
    char source[64];
    char full[64];
    uint64_t bot = 0;
    uint64_t version = 0;
    StoreFile file;
    snprintf(source, sizeof source, "house:%s", name);
    snprintf(full, sizeof full, "%s-%s", game, name);
    if (store_bot_add(arena->store, owner, game, full, &bot, error) != STORE_OK ||
        store_file_put(arena->store, slice_of(source), &file, error) != STORE_OK)
        return false;
    StoreNewVersion row = {.bot = bot,
                           .language = "own",
                           .file_name = source,
                           .source = file,
                           .size = (int64_t)strlen(source),
                           .spec = "{}"};
    return store_version_add(arena->store, &row, &version, error) == STORE_OK;
}
bool versions_first_start(Arena *arena, Error *error) {
    static const char *const bots[][2] = {
        {"aliens", "hunter"},      {"aliens", "random"},        {"ctf", "raider"},
        {"ctf", "random"},         {"footsoldiers", "marshal"}, {"footsoldiers", "random"},
        {"planetwars", "admiral"}, {"planetwars", "random"},    {"underworld", "warlord"},
        {"underworld", "random"},
    };
    StoreAccount account;
    uint64_t id = 0;
    if (store_account_find(arena->store, "house", &account, error) == STORE_OK)
        return true;
    StoreNewAccount house = {.name = "house", .password = "!"};
    bool good = store_account_add(arena->store, &house, &id, error) == STORE_OK;
    for (size_t i = 0; good && i < sizeof bots / sizeof *bots; i++)
        good = add_house_bot(arena, id, bots[i][0], bots[i][1], error);
    return good;
}
/* ---- conductor.c ---- */
Conductor *conductor_new(Arena *arena, Error *error) {
    (void)error;
    return (Conductor *)arena;
}
void conductor_free(Conductor *conductor) {
    (void)conductor;
}
void conductor_match_over(Conductor *conductor, uint64_t tournament, uint64_t match) {
    (void)conductor;
    (void)tournament;
    (void)match;
}
void conductor_tick(Conductor *conductor) {
    (void)conductor;
}
/* ---- join.c ---- */
Joins *joins_new(Arena *arena, Error *error) {
    (void)error;
    return (Joins *)arena;
}
void joins_free(Joins *joins) {
    (void)joins;
}
bool joins_seat(Joins *joins, uint64_t match, uint32_t seat, BotSpec *spec, Error *error) {
    (void)joins;
    (void)match;
    (void)seat;
    *spec = (BotSpec){0};
    return error_set(error, "nobody has joined");
}
void joins_end(Joins *joins, uint64_t match) {
    (void)joins;
    (void)match;
}
