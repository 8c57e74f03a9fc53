/* Matches, from the moment they are asked for. They are made and finished through the queue
   (queue.h); this is what one reads of them. */
#ifndef STORE_MATCHES_H
#define STORE_MATCHES_H

#include "store/types.h"

typedef enum StoreMatchKind { MATCH_PLAY_NOW, MATCH_TOURNAMENT, MATCH_LADDER } StoreMatchKind;
typedef enum StoreMatchState {
    MATCH_WAITING,
    MATCH_PLAYING,
    MATCH_OVER,
    MATCH_GIVEN_UP,   /* could not be played; `reason` says why */
    MATCH_CALLED_OFF, /* not wanted any more */
} StoreMatchState;

typedef struct StoreSeat {
    uint64_t bot;                     /* 0: code that is no bot's */
    uint64_t version;                 /* 0: likewise, or a bot that joins from outside */
    char name[STORE_PLAYER_SIZE];     /* the bot's today, or the label that the seat was given */
    char owner_name[STORE_NAME_SIZE]; /* or "" */
    StoreFile source;                 /* what was given for it, until the match is over */
    uint32_t rank;                    /* 0 until it is over */
    bool scored;
    int64_t score;
    char status[STORE_GAME_SIZE];
    char failure[STORE_LINE_SIZE];
} StoreSeat;

typedef struct StoreMatch {
    uint64_t id;
    StoreMatchKind kind;
    StoreMatchState state;
    bool open; /* everybody may read the players' stderr */
    char game[STORE_GAME_SIZE];
    char map[STORE_LABEL_SIZE];
    uint64_t seed;
    uint64_t requester;  /* account, or 0 */
    uint64_t tournament; /* or 0 */
    uint32_t fixture;    /* in the tournament */
    uint32_t leg;
    int64_t created;
    int64_t started;
    int64_t ended;
    uint32_t turns;
    char reason[STORE_LINE_SIZE];
    StoreFile replay;
    uint64_t result; /* results are numbered in the order in which they came in; 0 until then */
    uint32_t players;
    const StoreSeat *seats; /* owned by the list */
} StoreMatch;

/* Matches that were read, with their seats. {0} is an empty list; a list may be filled again. */
typedef struct StoreMatches {
    StoreMatch *rows;
    uint32_t count;
    uint32_t capacity;
    StoreSeat *seats;
    uint32_t seats_count;
    uint32_t seats_capacity;
} StoreMatches;

void store_matches_free(StoreMatches *matches);

/* One match: rows[0]. */
StoreResult store_match_get(Store *store, uint64_t id, StoreMatches *match, Error *error);

/* Which matches a list shows: those for which all of it holds. {0} is every match. */
typedef struct StoreMatchesWanted {
    const char *game;    /* NULL: any */
    uint64_t bot;        /* holds a seat; 0: any, likewise below */
    uint64_t tournament; /* that it is part of */
    uint64_t requester;  /* who asked for it */
    bool of_kind;        /* only those of `kind` */
    bool in_state;       /* only those in `state` */
    StoreMatchKind kind;
    StoreMatchState state;
} StoreMatchesWanted;

/* The newest first. What one index answers (a game, a game and a kind, a bot, a tournament, a
   person, what is being played) comes in full pages. For other combinations a page looks through so
   many of the newest and shows those that fit: it may be short, or empty, and still have a next
   one. */
enum { STORE_LOOK_THROUGH = 2000 };
StoreResult store_matches_list(Store *store, const StoreMatchesWanted *wanted, StorePage *page,
                               StoreMatches *matches, Error *error);

/* Up to `limit` matches of a game's ladder that are over, with result numbers above `after`, in
   their order: what ratings are computed from. None is missed by going on from the last number
   seen. */
StoreResult store_matches_results(Store *store, const char *game, uint64_t after, uint32_t limit,
                                  StoreMatches *matches, Error *error);

/* What the referee said of every match of a tournament that is over, the oldest first: `take` is
   called with each, which is gone when it returns. */
StoreResult store_matches_verdicts(Store *store, uint64_t tournament,
                                   void (*take)(void *context, uint64_t match, Slice verdict),
                                   void *context, Error *error);

/* Append what the referee said, what builds said (see StoreMatchResult), or what the runner is
   told. */
StoreResult store_match_verdict(Store *store, uint64_t id, Buffer *verdict, Error *error);
StoreResult store_match_logs(Store *store, uint64_t id, Buffer *logs, Error *error);
StoreResult store_match_spec(Store *store, uint64_t id, Buffer *spec, Error *error);

/* Lets go of the replays of ladder and play-now matches that ended before that time, the oldest
   first and at most `limit`; what else is known of them stays, and tournaments keep theirs. The
   files go when they are swept. *count: how many. */
StoreResult store_matches_forget(Store *store, int64_t before, uint32_t limit, uint32_t *count,
                                 Error *error);

#endif
