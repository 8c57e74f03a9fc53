/* Bots and their versions. A bot belongs to an account and plays one game; its name is unique among
   the owner's bots. A version is a file that never changes, numbered from 1 within the bot. It is
   built once, through the queue. At most one version, which must have been built successfully, is
   active: the bot plays with it. */
#ifndef STORE_BOTS_H
#define STORE_BOTS_H

#include "store/types.h"

typedef struct StoreBot {
    uint64_t id;
    uint64_t owner;
    char name[STORE_NAME_SIZE];
    char owner_name[STORE_NAME_SIZE];
    char game[STORE_GAME_SIZE];
    uint64_t active;        /* version; 0: none, or the owner is suspended */
    bool suspended;         /* the owner is suspended: nobody can choose the bot */
    uint32_t active_number; /* of that version within the bot, or 0 */
    uint32_t versions;      /* how many there are */
    bool published;         /* everyone may read the sources */
    bool retired;           /* no longer plays and cannot be changed */
    int64_t created;
} StoreBot;

StoreResult store_bot_add(Store *store, uint64_t owner, const char *game, const char *name,
                          uint64_t *id, Error *error);
StoreResult store_bot_get(Store *store, uint64_t id, StoreBot *bot, Error *error);
StoreResult store_bot_find(Store *store, Slice owner, Slice name, StoreBot *bot, Error *error);

/* Lists bots that are not retired. `owner` 0 and `game` NULL: any. */
StoreResult store_bots_list(Store *store, uint64_t owner, const char *game, StorePage *page,
                            StoreBot *rows, Error *error);

/* As store_bots_list, for bots whose names contain this text, regardless of case. An empty text
   finds all. */
StoreResult store_bots_search(Store *store, uint64_t owner, const char *game, Slice text,
                              StorePage *page, StoreBot *rows, Error *error);

StoreResult store_bot_publish(Store *store, uint64_t id, bool published, Error *error);

/* Removes the bot from the ladder for good, cancels its queued matches and frees its name. */
StoreResult store_bot_retire(Store *store, uint64_t id, Error *error);

typedef enum StoreBuild { BUILD_WAITING, BUILD_GOOD, BUILD_FAILED } StoreBuild;

/* The state of the check of a version; see StoreCheckResult. */
typedef enum StoreCheckState {
    CHECK_NONE,
    CHECK_WAITING,
    CHECK_RUNNING,
    CHECK_DONE,
    CHECK_FAILED /* given up */
} StoreCheckState;

typedef struct StoreVersion {
    uint64_t id;
    uint64_t bot;
    uint32_t number;
    StoreBuild build;
    char language[STORE_GAME_SIZE];
    char file_name[STORE_LABEL_SIZE]; /* the owner's name for it */
    StoreFile source;                 /* none if it or the owner's account was deleted */
    StoreFile product;                /* the result of the build, if it is kept */
    int64_t size;                     /* of the source, bytes */
    int64_t created;
    int64_t built; /* when the build ended */
    StoreCheckState check;
    uint32_t check_errors; /* of a check that is done */
    uint32_t check_warnings;
} StoreVersion;

typedef struct StoreNewVersion {
    uint64_t bot;
    const char *language;
    const char *file_name;
    StoreFile source; /* already in files */
    int64_t size;
    const char *spec; /* for the builder */
    /* the limit on builds of the account that wait or run, else STORE_BUSY; 0: no limit */
    uint32_t most;
    const char *request; /* the id of the HTTP request in the log, or NULL */
} StoreNewVersion;

/* Adds a version, and the job that builds it. */
StoreResult store_version_add(Store *store, const StoreNewVersion *version, uint64_t *id,
                              Error *error);
StoreResult store_version_get(Store *store, uint64_t id, StoreVersion *version, Error *error);
StoreResult store_versions_list(Store *store, uint64_t bot, StorePage *page, StoreVersion *rows,
                                Error *error);

/* Appends the build log. */
StoreResult store_version_log(Store *store, uint64_t id, Buffer *log, Error *error);

/* Appends the report of a finished check to `report`, or why the check failed to `failure`; appends
   nothing otherwise. *time is when the check ended, or 0. */
StoreResult store_version_check(Store *store, uint64_t id, int64_t *time, Buffer *report,
                                Buffer *failure, Error *error);

/* Activates a successfully built version of the bot. */
StoreResult store_version_activate(Store *store, uint64_t bot, uint64_t version, Error *error);

#endif
