/* Bots and their versions. A bot is its owner's, for one game; its name is unique among the owner's
   bots. A version is a file that never changes, numbered from 1 within the bot; it is built once,
   by the queue, and one version that was built well may be active: that one plays. */
#ifndef STORE_BOTS_H
#define STORE_BOTS_H

#include "store/types.h"

typedef struct StoreBot {
    uint64_t id;
    uint64_t owner;
    char name[STORE_NAME_SIZE];
    char owner_name[STORE_NAME_SIZE];
    char game[STORE_GAME_SIZE];
    uint64_t active;        /* version, or 0; also 0 while the owner's account is suspended */
    uint32_t active_number; /* of that version within the bot, or 0 */
    uint32_t versions;      /* how many there are */
    bool published;         /* everybody may read the sources */
    bool retired;           /* plays no more, cannot be changed */
    int64_t created;
} StoreBot;

StoreResult store_bot_add(Store *store, uint64_t owner, const char *game, const char *name,
                          uint64_t *id, Error *error);
StoreResult store_bot_get(Store *store, uint64_t id, StoreBot *bot, Error *error);
StoreResult store_bot_find(Store *store, const char *owner, const char *name, StoreBot *bot,
                           Error *error);

/* Without the retired ones. Either of `owner` (0) and `game` (NULL) may be left open. */
StoreResult store_bots_list(Store *store, uint64_t owner, const char *game, StorePage *page,
                            StoreBot *rows, Error *error);

/* The same, of those with this piece of text in their names, whatever its case; a text that no name
   can hold finds none, an empty one all. */
StoreResult store_bots_search(Store *store, uint64_t owner, const char *game, Slice text,
                              StorePage *page, StoreBot *rows, Error *error);

/* How many bots an account has, without the retired ones. */
StoreResult store_bots_count(Store *store, uint64_t owner, uint32_t *count, Error *error);
StoreResult store_bot_publish(Store *store, uint64_t id, bool published, Error *error);

/* The bot leaves the ladder for good, and what waits in the queue for it is called off. Its name
   becomes free. */
StoreResult store_bot_retire(Store *store, uint64_t id, Error *error);

typedef enum StoreBuild { BUILD_WAITING, BUILD_GOOD, BUILD_FAILED } StoreBuild;

typedef struct StoreVersion {
    uint64_t id;
    uint64_t bot;
    uint32_t number;
    StoreBuild build;
    char language[STORE_GAME_SIZE];
    char file_name[STORE_LABEL_SIZE]; /* what the owner called it */
    StoreFile source;                 /* none once the owner is deleted */
    StoreFile product;                /* what the build made, if it is kept */
    int64_t size;                     /* of the source, bytes */
    int64_t created;
    int64_t built; /* when the build ended */
} StoreVersion;

typedef struct StoreNewVersion {
    uint64_t bot;
    const char *language;
    const char *file_name;
    StoreFile source; /* is in the files already */
    int64_t size;
    const char *spec; /* for the builder */
} StoreNewVersion;

/* The version and the job that will build it. */
StoreResult store_version_add(Store *store, const StoreNewVersion *version, uint64_t *id,
                              Error *error);
StoreResult store_version_get(Store *store, uint64_t id, StoreVersion *version, Error *error);
StoreResult store_versions_list(Store *store, uint64_t bot, StorePage *page, StoreVersion *rows,
                                Error *error);

/* Appends what the build said, or what the builder was told. */
StoreResult store_version_log(Store *store, uint64_t id, Buffer *log, Error *error);
StoreResult store_version_spec(Store *store, uint64_t id, Buffer *spec, Error *error);

/* Makes a version of the bot that was built well the one that plays. */
StoreResult store_version_activate(Store *store, uint64_t bot, uint64_t version, Error *error);

#endif
