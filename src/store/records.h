/* Head-to-head records over all finished matches, and people's achievements. Before anything is
   read, results that have not been counted yet, which exist only on PostgreSQL, are counted. */
#ifndef STORE_RECORDS_H
#define STORE_RECORDS_H

#include "store/types.h"

/* A bot's results against one opponent. With more than two players, the better rank wins. */
typedef struct StoreRecord {
    uint64_t opponent;
    char name[STORE_NAME_SIZE]; /* of the opponent */
    char owner_name[STORE_NAME_SIZE];
    uint32_t matches;
    uint32_t won;
    uint32_t drawn;
    uint32_t lost;
} StoreRecord;

/* The opponents of a bot, most frequent first. */
StoreResult store_records_list(Store *store, uint64_t bot, StorePage *page, StoreRecord *rows,
                               Error *error);

/* The results against one opponent: zeros if they have not met. */
StoreResult store_record_get(Store *store, uint64_t bot, uint64_t opponent, StoreRecord *record,
                             Error *error);

/* A house bot, and the first ranked match in which a bot of the person beat it. */
typedef struct StoreHouseWin {
    char game[STORE_GAME_SIZE];
    char house_bot[STORE_NAME_SIZE];
    char by[STORE_NAME_SIZE]; /* the person's bot; "": none has beaten it yet */
    uint64_t match;           /* or 0 */
    int64_t time;
} StoreHouseWin;

/* Reads up to *count house bots, ordered by game and name; sets *count to how many. */
StoreResult store_house_wins(Store *store, uint64_t account, StoreHouseWin *rows, uint32_t *count,
                             Error *error);

/* The longest series of ranked matches that a bot of the person won. */
typedef struct StoreStreak {
    char bot[STORE_NAME_SIZE];
    char game[STORE_GAME_SIZE];
    uint32_t length; /* 0: no bot has won yet */
    uint64_t last;   /* its last match */
} StoreStreak;

StoreResult store_longest_streak(Store *store, uint64_t account, StoreStreak *streak, Error *error);

#endif
