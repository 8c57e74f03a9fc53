/* Words that every part of the store uses: how a call went, pages of a list, names of files,
   sizes. */
#ifndef STORE_TYPES_H
#define STORE_TYPES_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Store Store;

/* How a call went. With anything but STORE_OK the Error has a sentence for the person who asked,
   and nothing was changed. */
typedef enum StoreResult {
    STORE_OK,
    STORE_NOT_FOUND, /* there is no such thing */
    STORE_CONFLICT,  /* it is there already, was finished by another, or changed meanwhile */
    STORE_REFUSED,   /* what was asked for breaks a rule, which the sentence names */
    STORE_FAILED,    /* our own failure: a full disk, a damaged file */
} StoreResult;

/* Room for short texts, their NUL included. What a person may choose is refused when it is longer;
   what programs say (the reason of a verdict, why a bot failed) is kept whole and cut only in the
   rows of lists. */
enum {
    STORE_NAME_SIZE = 33,   /* of an account or a bot */
    STORE_PLAYER_SIZE = 49, /* what a player of a match is called: such a name, and how it plays */
    STORE_GAME_SIZE = 33,   /* a game's name, a language */
    STORE_LABEL_SIZE = 97,  /* names of tokens, maps, tournaments */
    STORE_LINE_SIZE = 193,  /* a sentence */
    STORE_SEATS_MAX = 64,   /* players of a match */
    STORE_PAGE_MAX = 200,   /* rows of a page */
};

/* Ids count from 1; 0 is nobody and nothing. Times are milliseconds since 1970; 0 is never. */

/* A file in the store is named by its content: BLAKE2b, 256 bits, in hexadecimal. "" is no file. */
typedef struct StoreFile {
    char name[65];
} StoreFile;

/* A place in a list: behind the row that has these. Rows that come or go elsewhere do not move it.
   Zero is the front. */
typedef struct StoreCursor {
    int64_t key;
    int64_t id;
} StoreCursor;

enum { STORE_CURSOR_SIZE = 42 };

/* As text, for addresses of pages ("" is the front), and back; false for a text that no cursor
   has. */
void store_cursor_write(StoreCursor cursor, char text[STORE_CURSOR_SIZE]);
bool store_cursor_read(Slice text, StoreCursor *cursor);

/* A page of a list. Every list starts with the newest, or with the best. */
typedef struct StorePage {
    StoreCursor from; /* where to begin */
    uint32_t limit;   /* rows wanted, 1 to STORE_PAGE_MAX: the caller has room for so many */
    uint32_t count;   /* out: rows given */
    StoreCursor next; /* out: where the next page begins; zero when this was the last */
} StorePage;

#endif
