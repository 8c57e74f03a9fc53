/* Types that all parts of the store use: results of calls, pages of lists, names of files,
   sizes. */
#ifndef STORE_TYPES_H
#define STORE_TYPES_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct Store Store;

/* The result of a call. With anything but STORE_OK, the Error has a message for the user and
   nothing was changed. */
typedef enum StoreResult {
    STORE_OK,
    STORE_NOT_FOUND, /* it does not exist */
    STORE_CONFLICT,  /* it already exists, was already finished, or has changed */
    STORE_REJECTED,  /* the request breaks a rule, which the message names */
    STORE_BUSY,      /* the requester has reached a limit for now; the message says which */
    STORE_FAILED,    /* an internal failure: disk full, damaged file */
} StoreResult;

/* Sizes of short texts, including NUL. Longer texts chosen by people are rejected. Longer texts
   from programs (a verdict's reason, a bot's failure) are stored whole and truncated only in rows
   of lists. */
enum {
    STORE_NAME_SIZE = 33,    /* of an account or a bot */
    STORE_PLAYER_SIZE = 81,  /* a player of a match: two such names and a suffix */
    STORE_GAME_SIZE = 33,    /* a game's name, a language */
    STORE_LABEL_SIZE = 97,   /* the name of a token, map or tournament */
    STORE_LINE_SIZE = 193,   /* a message */
    STORE_MACHINE_SIZE = 65, /* the name of a machine */
    STORE_REQUEST_SIZE = 17, /* the id of an HTTP request in the log */
    STORE_SEATS_MAX = 64,    /* players of a match */
    STORE_PAGE_MAX = 200,    /* rows of a page */
};

/* Ids start at 1; 0 means none. Times are milliseconds since 1970; 0 means never. */

/* A file in the store is named by its content: 256 bits of BLAKE2b in hexadecimal. "": no file. */
typedef struct StoreFile {
    char name[65];
} StoreFile;

/* A position in a list: after the row with this key and id. It stays valid when rows are added or
   removed. Zero is the front. */
typedef struct StoreCursor {
    int64_t key;
    int64_t id;
} StoreCursor;

enum { STORE_CURSOR_SIZE = 42 };

/* Cursors as text, for URLs ("" is the front). False if the text is not a valid cursor. */
void store_cursor_write(StoreCursor cursor, char text[STORE_CURSOR_SIZE]);
bool store_cursor_read(Slice text, StoreCursor *cursor);

/* A page of a list. Lists start with the newest, or the best. */
typedef struct StorePage {
    StoreCursor from; /* where to start */
    uint32_t limit;   /* 1 to STORE_PAGE_MAX rows: the caller has room for them */
    uint32_t count;   /* out: rows returned */
    StoreCursor next; /* out: start of the next page; zero after the last */
} StorePage;

#endif
