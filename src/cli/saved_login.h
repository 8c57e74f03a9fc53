/* The arena that the user is logged in to, kept in a file that only the user can read. */
#ifndef CLI_SAVED_LOGIN_H
#define CLI_SAVED_LOGIN_H

#include "base/buffer.h"
#include "base/error.h"

/* Which arena, and who is asking: from login, kept in $XDG_CONFIG_HOME/skirmish/arena.json; or from
   the environment, SKIRMISH_URL and SKIRMISH_TOKEN. */
typedef struct SavedLogin {
    char *url;   /* without a slash at its end */
    char *token; /* "" for nobody */
    char *name;  /* the account's, or "" */
    uint64_t token_id;
} SavedLogin;

/* False when nobody has logged in, or the file is damaged: the error says what to do. Free it in
   either case. */
bool saved_login_load(SavedLogin *account, Error *error);
bool saved_login_save(const SavedLogin *account, Error *error);
bool saved_login_delete(Error *error);
void saved_login_free(SavedLogin *account);

/* Where it is kept, for messages. */
void saved_login_path(Buffer *to);

#endif
