/* Who asks. A browser has a session, in a cookie that scripts cannot read; a program has a token, in the header Authorization. What a session asks for and that changes something must also
   carry the session's own mark (header X-Skirmish-Mark, from the answer to logging in or GET /api/v1/me): another site's page can send the cookie along, but cannot know the mark.

   Passwords are argon2id (libsodium), computed by request_later only. */
#ifndef SERVER_AUTH_H
#define SERVER_AUTH_H

#include "server/arena.h"

/* For HttpOptions. */
bool auth_admit(Request *request, Response *response);
void auth_dismiss(Request *request);

/* Where there is no account yet: makes the administrator, and tells its password once. */
bool auth_first_start(Arena *arena, Error *error);

/* Whether the request comes from this account, or from an organiser or administrator. */
bool auth_is_or_organises(const Request *request, uint64_t account);

/* Writes down what was done: "bot.retire", "bot 17". */
void auth_audit(const Request *request, const char *action, const char *subject,
                const char *detail);

#endif
