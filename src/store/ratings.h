/* The ladder of each game: a rating for each bot, with its history. Ratings are stored with three
   decimals. */
#ifndef STORE_RATINGS_H
#define STORE_RATINGS_H

#include "store/types.h"

typedef struct StoreRating {
    uint64_t bot;
    uint64_t version; /* the rated version */
    double rating;
    double error; /* half the width of the 95% interval */
    uint32_t matches;
    uint32_t won;
    uint32_t drawn;
    uint32_t lost;
    int64_t time;               /* this and all members below: output only */
    char name[STORE_NAME_SIZE]; /* of the bot */
    char owner_name[STORE_NAME_SIZE];
    uint32_t rank; /* from 1, by rating */
} StoreRating;

/* Replaces the ratings of these bots in the game and, with `history`, adds them to the history.
   Skips bots that are retired or whose owner is suspended. */
StoreResult store_ratings_set(Store *store, const char *game, const StoreRating *ratings,
                              uint32_t count, bool history, Error *error);

/* Deletes the ratings of these bots for the given versions. Call it for versions that have no
   counting results left. Ratings of other versions stay. */
StoreResult store_ratings_clear(Store *store, const StoreRating *ratings, uint32_t count,
                                Error *error);

/* The ladder, best first. */
StoreResult store_ratings_list(Store *store, const char *game, StorePage *page, StoreRating *rows,
                               Error *error);
StoreResult store_rating_get(Store *store, uint64_t bot, StoreRating *rating, Error *error);

typedef struct StoreRatingPoint {
    int64_t time;
    uint64_t version;
    double rating;
    double error;
    uint32_t matches;
} StoreRatingPoint;

/* A bot's history, newest first. */
StoreResult store_rating_history(Store *store, uint64_t bot, StorePage *page,
                                 StoreRatingPoint *rows, Error *error);

#endif
