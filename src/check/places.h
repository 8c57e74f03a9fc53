/* Where a bot is checked: all standard maps of a game, those of its generator, and the largest that
   its rules allow. */
#ifndef CHECK_PLACES_H
#define CHECK_PLACES_H

#include "check/session.h"

enum { PLACES_MAX = 32 };

typedef struct Places {
    Place list[PLACES_MAX];
    Buffer texts[PLACES_MAX]; /* texts of the generated maps */
    uint32_t count;
    uint32_t usual; /* the default map for the fewest players */
    Place largest;
    Buffer largest_map;
} Places;

/* Finds all places. Free them even on failure. */
bool places_find(Places *places, const Game *game, uint64_t seed, Error *error);
void places_free(Places *places);

const Place *places_default(const Places *places);
uint32_t places_fewest_players(const Places *places);
uint32_t places_most_players(const Places *places);

/* The seat with the longest first view, and the length of that view; 0 bytes if the place is
   invalid. */
uint32_t places_longest_view(const Game *game, const Place *place, uint64_t seed, size_t *bytes);

#endif
