/* Private to people/: see people.h for the rest. */
#ifndef ARENA_PEOPLE_PASSWORD_H
#define ARENA_PEOPLE_PASSWORD_H

#include "base/error.h"

/* Makes the hash that the passwords of unknown accounts are compared with. Call it before
   password_matches. */
bool password_prepare(Error *error);

/* The words of common passwords, each between spaces: see common_passwords.c. */
extern const char password_common_words[];

#endif
