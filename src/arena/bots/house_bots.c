/* See house_bots.h. */
#include "arena/bots/house_bots.h"

#include "arena/bots/bots.h"
#include "base/memory.h"
#include "base/nearest_name.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char house_name[] = "house";
static const char no_password[] = "*"; /* never a hash */
static const char holder[] = "house-bots";

enum { LEASE_MS = 60000, NAMES_MAX = 64 };

/* Finds the account "house", or creates it. *id is 0 if a person has that name. */
static bool find_account(Arena *arena, uint64_t *id, Error *error) {
    StoreAccount account;
    Buffer hash = {0};
    StoreResult result = store_account_find(arena->store, slice_of(house_name), &account, error);
    *id = 0;
    if (result == STORE_NOT_FOUND) {
        StoreNewAccount fresh = {.name = house_name, .password = no_password, .role = ROLE_PLAYER};
        return store_account_add(arena->store, &fresh, id, error) == STORE_OK;
    }
    if (result != STORE_OK ||
        store_account_password(arena->store, account.id, &hash, error) != STORE_OK) {
        buffer_free(&hash);
        return false;
    }
    if (slice_equals((Slice){hash.data, hash.length}, no_password))
        *id = account.id;
    else
        log_write(arena->log, LOG_WARNING, "house",
                  &(LogField){"error",
                              "a person owns the account \"house\", so there are no house bots", 0},
                  1);
    buffer_free(&hash);
    return true;
}

static bool add_version(Arena *arena, uint64_t bot, const char *name, Error *error) {
    StoreNewVersion version = {.bot = bot,
                               .language = "house",
                               .file_name = name,
                               .size = (int64_t)strlen(name),
                               .spec = ""};
    return store_file_put(arena->store, slice_of(name), &version.source, error) == STORE_OK &&
           store_version_add(arena->store, &version, NULL, error) == STORE_OK;
}

/* Adds one house bot. *idle becomes true if it has no active version yet. A setting records that it
   was added: if it is missing later, it was retired. */
static bool add_bot(Arena *arena, uint64_t owner, const char *game, const char *name, bool *idle,
                    Error *error) {
    char full[STORE_NAME_SIZE + STORE_GAME_SIZE];
    char note[sizeof full + 8];
    Buffer value = {0};
    StoreBot bot = {0};
    snprintf(full, sizeof full, "%s-%s", game, name);
    snprintf(note, sizeof note, "house.%s", full);
    StoreResult seen = store_setting_get(arena->store, note, &value, error);
    buffer_free(&value);
    StoreResult found =
        store_bot_find(arena->store, slice_of(house_name), slice_of(full), &bot, error);
    if (seen == STORE_OK && found != STORE_FAILED) {
        *idle |= found == STORE_OK && !bot.active;
        return true;
    }
    if (found == STORE_NOT_FOUND)
        found = store_bot_add(arena->store, owner, game, full, &bot.id, error);
    StorePage page = {.limit = 1};
    StoreVersion version;
    *idle = true;
    return found == STORE_OK &&
           store_versions_list(arena->store, bot.id, &page, &version, error) == STORE_OK &&
           (page.count || add_version(arena, bot.id, name, error)) &&
           store_setting_set(arena->store, note, "added", error) == STORE_OK;
}

static bool is_among(Slice names, const char *wanted) {
    Slice name;
    while (slice_word(&names, &name))
        if (slice_equals(name, wanted))
            return true;
    return false;
}

/* Retires bots of this game whose program no longer comes with Skirmish. */
static bool retire_bots(Arena *arena, uint64_t owner, const char *game, Slice names, Error *error) {
    StoreBot *rows = xcalloc(STORE_PAGE_MAX, sizeof *rows);
    StorePage page = {.limit = STORE_PAGE_MAX};
    bool good = true;
    do {
        page.count = 0;
        page.next = (StoreCursor){0};
        good = store_bots_list(arena->store, owner, game, &page, rows, error) == STORE_OK;
        for (uint32_t i = 0; good && i < page.count; i++)
            if (!rows[i].retired && !is_among(names, rows[i].name + strlen(game) + 1)) {
                good = store_bot_retire(arena->store, rows[i].id, error) == STORE_OK;
                log_write(arena->log, LOG_INFO, "house", &(LogField){"retired", rows[i].name, 0},
                          1);
            }
        page.from = page.next;
    } while (good && (page.next.id || page.next.key));
    free(rows);
    return good;
}

static bool is_wanted(const Arena *arena, const char *name) {
    return !arena->options.house_bots || is_among(slice_of(arena->options.house_bots), name);
}

/* False with an error if --house-bots contains a name that no game has. */
static bool check_names(const Arena *arena, Error *error) {
    Buffer known = {0};
    const char *names[NAMES_MAX + 1] = {NULL};
    uint32_t count = 0;
    uint32_t index = 0;
    char *word = NULL;
    Slice rest = slice_of(arena->options.house_bots ? arena->options.house_bots : "");
    Slice name;
    bool good = true;
    for (const Game *const *game = games_all; *game; game++)
        bot_house_names((*game)->name, &known);
    buffer_string(&known);
    for (char *next = strtok_r(known.data, " ", &word); next && count < NAMES_MAX;
         next = strtok_r(NULL, " ", &word))
        if (!find_name("house bot", slice_of(next), names, &index, NULL))
            names[count++] = next;
    while (good && slice_word(&rest, &name))
        good = find_name("house bot", name, names, &index, error) ||
               error_prefix(error, "--house-bots");
    buffer_free(&known);
    return good;
}

static bool add_bots(Arena *arena, uint64_t owner, bool *idle, Error *error) {
    for (const Game *const *game = games_all; *game; game++) {
        Buffer names = {0};
        bot_house_names((*game)->name, &names);
        if (!names.length)
            log_write(arena->log, LOG_WARNING, "house",
                      &(LogField){"no_house_bots_of", (*game)->name, 0}, 1);
        Slice rest = {names.data, names.length};
        Slice name;
        bool good = true;
        while (good && slice_word(&rest, &name)) {
            char text[STORE_NAME_SIZE];
            snprintf(text, sizeof text, "%.*s", SLICE_ARGS(name));
            if (!is_wanted(arena, text))
                continue;
            good = add_bot(arena, owner, (*game)->name, text, idle, error);
        }
        good = good && (!names.length || retire_bots(arena, owner, (*game)->name,
                                                     (Slice){names.data, names.length}, error));
        buffer_free(&names);
        if (!good)
            return false;
    }
    return true;
}

/* House bots need no build: finishes their build jobs at once. If the queue has more jobs than fit
   into one lease, the engine finishes the others. */
static bool finish_builds(Arena *arena, Error *error) {
    StoreJob jobs[QUEUE_LEASE_MAX];
    uint32_t count = QUEUE_LEASE_MAX;
    if (store_queue_lease(arena->store, JOB_BUILD, holder, LEASE_MS, jobs, &count, error) !=
        STORE_OK)
        return false;
    bool good = true;
    for (uint32_t i = 0; i < count && good; i++) {
        StoreVersion version;
        StoreBuildResult result = {
            .good = true, .activate = true, .log = slice_of("House bot: nothing to build.\n")};
        good = store_version_get(arena->store, jobs[i].subject, &version, error) == STORE_OK;
        if (good && strcmp(version.language, "house") == 0)
            good = store_queue_finish_build(arena->store, jobs[i].id, jobs[i].attempt, &result,
                                            error) == STORE_OK;
        else if (good)
            good = store_queue_return(arena->store, jobs[i].id, jobs[i].attempt, error) == STORE_OK;
    }
    return good;
}

bool house_bots_add(Arena *arena, Error *error) {
    uint64_t owner = 0;
    uint32_t back = 0;
    bool idle = false;
    if (store_queue_recover(arena->store, holder, &back, error) != STORE_OK ||
        !find_account(arena, &owner, error) || !check_names(arena, error))
        return false;
    return !owner ||
           (add_bots(arena, owner, &idle, error) && (!idle || finish_builds(arena, error)));
}
