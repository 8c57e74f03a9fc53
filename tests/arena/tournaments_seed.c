/* Adds accounts and bots to the store of an arena that is not running: tournaments_seed DIRECTORY.

   olga is an organiser, pia and paul are players. The token of each is "skt_", the name and zeros.
   Their bots play Aliens without moving and exit after N turns, which forfeits the match: the bot
   that stays longer wins. pia has stay-9, stay-7, stay-5 and stay-3, paul stay-8, stay-6 and stay-4
   and a bot "ships" for another game. */
#include "store/store.h"

#include <stdio.h>
#include <stdlib.h>

static Error error;

static void need(StoreResult result) {
    if (result == STORE_OK)
        return;
    fprintf(stderr, "%s\n", error.text);
    exit(1);
}

static uint64_t add_person(Store *store, const char *name, StoreRole role) {
    uint64_t id;
    char secret[64];
    StoreNewAccount account = {.name = name, .password = "nobody knows", .role = role};
    need(store_account_add(store, &account, &id, &error));
    snprintf(secret, sizeof secret, "skt_%s%032d", name, 0);
    StoreToken token = {.account = id, .name = "test", .scopes = STORE_SCOPES_ALL};
    need(store_token_add(store, &token, slice_of(secret), NULL, &error));
    return id;
}

static void add_bot(Store *store, uint64_t owner, const char *game, const char *name, int turns) {
    uint64_t bot;
    StoreFile file;
    StoreJob job;
    uint32_t count = 1;
    char source[200];
    snprintf(source, sizeof source,
             "import sys\n"
             "for turn in range(%d):\n"
             "    if not sys.stdin.readline():\n"
             "        break\n"
             "    print('[]', flush=True)\n",
             turns);
    need(store_bot_add(store, owner, game, name, &bot, &error));
    need(store_file_put(store, slice_of(source), &file, &error));
    StoreNewVersion version = {.bot = bot,
                               .language = "python",
                               .file_name = "stay.py",
                               .source = file,
                               .size = (int64_t)slice_of(source).length,
                               .spec = "{}"};
    need(store_version_add(store, &version, NULL, &error));
    need(store_queue_lease(store, JOB_BUILD, "seed", 60000, &job, &count, &error));
    StoreBuildResult built = {.good = true, .activate = true};
    need(store_queue_finish_build(store, job.id, job.attempt, &built, &error));
}

int main(int count, char **arguments) {
    StoreOptions options = {.directory = count == 2 ? arguments[1] : ""};
    Store *store = store_open(&options, &error);
    if (!store)
        need(STORE_FAILED);
    add_person(store, "olga", ROLE_ORGANISER);
    uint64_t pia = add_person(store, "pia", ROLE_PLAYER);
    uint64_t paul = add_person(store, "paul", ROLE_PLAYER);
    for (int turns = 9; turns >= 3; turns--) {
        char name[16];
        snprintf(name, sizeof name, "stay-%d", turns);
        add_bot(store, turns % 2 ? pia : paul, "aliens", name, turns);
    }
    add_bot(store, paul, "planetwars", "ships", 3);
    return store_close(store, &error) ? 0 : 1;
}
