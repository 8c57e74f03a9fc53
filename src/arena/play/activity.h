/* The live topic "activity": what changes on the arena, for pages that show it. An event says what
   changed, and pages reload that.

   "matches" lists matches that started or ended, at most once a second; "ratings" names a game
   whose ratings changed, "build" a bot with a new build, "check" a bot with a version that was
   checked, "tournament" a tournament. */
#ifndef ARENA_PLAY_ACTIVITY_H
#define ARENA_PLAY_ACTIVITY_H

#include "arena/arena.h"
#include "base/buffer.h"

#define ACTIVITY_TOPIC "activity"

void activity_open(const Arena *arena);

/* These can be called from any thread. Without live streams, they do nothing. */
void activity_ratings(const Arena *arena, const char *game);
void activity_build(const Arena *arena, const StoreBot *bot, bool good);
void activity_check(const Arena *arena, const StoreBot *bot);
void activity_tournament(const Arena *arena, uint64_t tournament);

/* The same for a tournament that another arena has changed and reported. */
void activity_tournament_heard(const Arena *arena, uint64_t tournament);

/* Matches that were not published yet; all zeros is empty. Free `items` when done. */
typedef struct ActivityMatches {
    Buffer items; /* JSON objects, separated by commas */
    uint32_t count;
    bool complete; /* false: some are missing because there were too many */
} ActivityMatches;

/* Drops everything that contains names: these matches, and the events kept for browsers that
   reconnect. Matches that are added later are published as usual. */
void activity_forget(const Arena *arena, ActivityMatches *matches);

/* Adds a match that is now in this state. `seats` has its results, or is NULL. */
void activity_add(ActivityMatches *matches, const StoreMatch *match, StoreMatchState state,
                  const StoreSeatResult *seats);

/* Publishes the matches, if there are any, and empties the list. */
void activity_publish(const Arena *arena, ActivityMatches *matches);

#endif
