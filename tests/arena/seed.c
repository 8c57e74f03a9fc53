/* Adds accounts with tokens, and their bots, to the store of an arena that is not running.

   Usage: seed DIRECTORY [account NAME ROLE TOKEN | token NAME TOKEN EXPIRES | bot OWNER GAME NAME
   LANGUAGE FILE | rate GAME COUNT]... */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static Error error;

static void must(StoreResult result) {
    if (result == STORE_OK)
        return;
    fprintf(stderr, "seed: %s\n", error.text);
    exit(1);
}

static void add_account(Store *store, char **words) {
    uint64_t id = 0;
    uint64_t token = 0;
    StoreNewAccount account = {
        .name = words[0], .password = "!", .role = (StoreRole)strtoul(words[1], NULL, 10)};
    must(store_account_add(store, &account, &id, &error));
    StoreToken row = {.account = id, .name = "test", .scopes = STORE_SCOPES_ALL};
    must(store_token_add(store, &row, slice_of(words[2]), &token, &error));
}

/* Adds another token; it expires at a time in milliseconds since 1970. */
static void add_token(Store *store, char **words) {
    StoreAccount account;
    must(store_account_find(store, slice_of(words[0]), &account, &error));
    StoreToken row = {.account = account.id,
                      .name = "timed",
                      .scopes = STORE_SCOPES_ALL,
                      .expires = strtoll(words[2], NULL, 10)};
    must(store_token_add(store, &row, slice_of(words[1]), NULL, &error));
}

static uint64_t add_bot(Store *store, const char *owner, const char *game, const char *name,
                        const char *language, const char *file_name, Slice source,
                        uint64_t *version) {
    StoreAccount account;
    StoreFile file;
    uint64_t bot = 0;
    must(store_account_find(store, slice_of(owner), &account, &error));
    must(store_bot_add(store, account.id, game, name, &bot, &error));
    must(store_file_put(store, source, &file, &error));
    StoreNewVersion row = {.bot = bot,
                           .language = language,
                           .file_name = file_name,
                           .source = file,
                           .size = (int64_t)source.length,
                           .spec = "{}"};
    must(store_version_add(store, &row, version, &error));
    return bot;
}

static void add_bot_of(Store *store, char **words) {
    static char source[65536];
    uint64_t version = 0;
    FILE *file = fopen(words[4], "rb");
    size_t length = file ? fread(source, 1, sizeof source, file) : 0;
    if (file)
        fclose(file);
    const char *slash = strrchr(words[4], '/');
    add_bot(store, words[0], words[1], words[2], words[3], slash ? slash + 1 : words[4],
            (Slice){source, length}, &version);
}

/* Adds a ladder of `count` rated bots that have never played. */
static void add_ratings(Store *store, const char *game, unsigned long count) {
    StoreNewAccount account = {.name = "crowd", .password = "!"};
    uint64_t id = 0;
    must(store_account_add(store, &account, &id, &error));
    StoreRating *rows = calloc(count, sizeof *rows);
    for (unsigned long i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "bot%lu", i);
        rows[i].bot = add_bot(store, "crowd", game, name, "own", "x", slice_of("house:random"),
                              &rows[i].version);
        rows[i].rating = 1500 + (double)i;
        rows[i].error = 40;
        rows[i].matches = 100;
    }
    must(store_ratings_set(store, game, rows, (uint32_t)count, false, &error));
    free(rows);
}

int main(int count, char **words) {
    if (count < 2)
        return 2;
    StoreOptions options = {.directory = words[1], .relaxed = true};
    Store *store = store_open(&options, &error);
    if (!store)
        must(STORE_FAILED);
    for (int i = 2; i < count;) {
        if (strcmp(words[i], "account") == 0 && i + 3 < count) {
            add_account(store, words + i + 1);
            i += 4;
        } else if (strcmp(words[i], "token") == 0 && i + 3 < count) {
            add_token(store, words + i + 1);
            i += 4;
        } else if (strcmp(words[i], "bot") == 0 && i + 5 < count) {
            add_bot_of(store, words + i + 1);
            i += 6;
        } else if (strcmp(words[i], "rate") == 0 && i + 2 < count) {
            add_ratings(store, words[i + 1], strtoul(words[i + 2], NULL, 10));
            i += 3;
        } else {
            return 2;
        }
    }
    return store_close(store, &error) ? 0 : 1;
}
