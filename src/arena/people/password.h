/* Passwords: which may be chosen, how they are kept, whether one is right. Hashing takes tens of
   milliseconds and 19 MiB on purpose, so it is for the threads of request_hash only; their number
   is how many are computed at once. */
#ifndef ARENA_PEOPLE_PASSWORD_H
#define ARENA_PEOPLE_PASSWORD_H

#include "base/error.h"
#include "base/slice.h"

enum {
    PASSWORD_LEAST = 8,
    PASSWORD_MOST = 200,
    PASSWORD_HASH_SIZE = 128,
    SECRET_TEXT_SIZE = 44, /* 256 bits in 43 letters, digits, '-' and '_' */
    PASSWORD_DRAWN_SIZE = 21
};

/* Before anything else here. Makes the hash that unknown names are tried against. */
bool password_prepare(Error *error);

/* 8 to 200 bytes, and not the name. */
bool password_check(Slice password, const char *name, Error *error);

/* argon2id. False when memory is short. */
bool password_hash(Slice password, char hash[PASSWORD_HASH_SIZE], Error *error);

/* Takes as long whether the hash is a real one or "" (nobody's), which no password fits. */
bool password_fits(Slice password, const char *hash);

/* Whether the hash was made with less or more effort than we take today. */
bool password_is_old(const char *hash);

/* 256 bits of chance, for sessions, tokens and codes. */
void secret_draw(char text[SECRET_TEXT_SIZE]);

/* A password for a person to copy: 20 letters and digits that cannot be taken for each other. */
void password_draw(char text[PASSWORD_DRAWN_SIZE]);

#endif
