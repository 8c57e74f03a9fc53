/* The audit log and the arena's settings. */
#ifndef STORE_AUDIT_H
#define STORE_AUDIT_H

#include "store/types.h"

typedef struct StoreAudit {
    uint64_t id;
    int64_t time;
    uint64_t actor; /* account; 0: the arena itself or a visitor */
    char actor_name[STORE_NAME_SIZE];
    char action[STORE_GAME_SIZE];   /* a word or two: "bot.retire" */
    char subject[STORE_LABEL_SIZE]; /* the object of the action: "bot 17" */
    char detail[STORE_LINE_SIZE];
    char address[STORE_LABEL_SIZE];
} StoreAudit;

/* Adds an entry; the store sets `id`, `time` and `actor_name`. */
StoreResult store_audit_add(Store *store, const StoreAudit *entry, Error *error);

/* `actor` 0: all. */
StoreResult store_audit_list(Store *store, uint64_t actor, StorePage *page, StoreAudit *rows,
                             Error *error);

/* Deletes entries older than `before`. */
StoreResult store_audit_trim(Store *store, int64_t before, Error *error);

/* The setting from which the keys of visitors' matches are derived. Workers cannot read it. */
#define SETTING_MATCH_SECRET "match_secret"

/* Appends the value; STORE_NOT_FOUND if it was never set. */
StoreResult store_setting_get(Store *store, const char *name, Buffer *value, Error *error);

/* Sets the setting unless it is already set. */
StoreResult store_setting_default(Store *store, const char *name, const char *value, Error *error);

/* Sets the setting; NULL deletes it. */
StoreResult store_setting_set(Store *store, const char *name, const char *value, Error *error);

#endif
