/* The arena that the user is logged in to, kept in a file that only the user can read. */
#ifndef CLI_SAVED_LOGIN_H
#define CLI_SAVED_LOGIN_H

#include "base/buffer.h"
#include "base/error.h"

/* From `skirmish login`, saved in $XDG_CONFIG_HOME/skirmish/arena.json, or from the environment,
   SKIRMISH_URL and SKIRMISH_TOKEN. */
typedef struct SavedLogin {
    char *url;   /* without a trailing slash */
    char *token; /* "" if not logged in */
    char *name;  /* the account's, or "" */
    uint64_t token_id;
} SavedLogin;

/* False if the user is not logged in or the file is damaged. Free the login in either case. */
bool saved_login_load(SavedLogin *account, Error *error);
bool saved_login_save(const SavedLogin *account, Error *error);
bool saved_login_delete(Error *error);
void saved_login_free(SavedLogin *account);

#endif
