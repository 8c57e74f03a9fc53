/* Matches, from their request on. They are created and finished through the queue (queue.h); these
   functions read them. */
#ifndef STORE_MATCHES_H
#define STORE_MATCHES_H

#include "store/types.h"

typedef enum StoreMatchKind { MATCH_PLAY_NOW, MATCH_TOURNAMENT, MATCH_LADDER } StoreMatchKind;
typedef enum StoreMatchState {
    MATCH_WAITING,
    MATCH_PLAYING,
    MATCH_OVER,
    MATCH_GIVEN_UP,   /* could not be played; `reason` says why */
    MATCH_CALLED_OFF, /* cancelled */
} StoreMatchState;

/* What the arena calls them, in this order; see NAME_ARRAY in http/schemas.h. */
#define MATCH_KINDS(name, between) \
 name("play_now") between name("tournament") between name("ladder")
#define MATCH_STATES(name, between)                                                    \
 name("waiting") between name("playing") between name("over") between name("given_up") \
     between name("called_off")

typedef struct StoreSeat {
    uint64_t bot;                     /* 0: code that does not belong to a bot */
    uint64_t version;                 /* 0: the same, or a remote bot */
    char name[STORE_PLAYER_SIZE];     /* the bot's current name, or the seat's label */
    char owner_name[STORE_NAME_SIZE]; /* or "" */
    StoreFile source;                 /* uploaded for this match; deleted when the match is over */
    uint32_t rank;                    /* 0 until the match is over */
    bool scored;
    int64_t score;
    char status[STORE_GAME_SIZE];
    char failure[STORE_LINE_SIZE];
} StoreSeat;

/* Whether the account that played was deleted, so that `name` is a placeholder. */
bool store_seat_is_deleted(const StoreSeat *seat);

typedef struct StoreMatch {
    uint64_t id;
    StoreMatchKind kind;
    StoreMatchState state;
    bool open; /* everyone may read the players' stderr */
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
    uint64_t result;                  /* the result's number in order of arrival; 0: none yet */
    char machine[STORE_MACHINE_SIZE]; /* where the match was played, once it is over; or "" */
    uint32_t speed;                   /* of that machine; 0: unknown */
    uint32_t players;
    const StoreSeat *seats; /* owned by the list */
} StoreMatch;

/* A list of matches with their seats. {0} is empty; a list may be filled again. */
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

/* A filter for lists of matches: all conditions must hold. {0} finds every match. */
typedef struct StoreMatchesWanted {
    const char *game;    /* NULL: any */
    uint64_t bot;        /* in any seat; 0: any, also below */
    uint64_t opponent;   /* another bot, in any seat */
    uint64_t owner;      /* an account with a bot in any seat; house bots have none */
    uint64_t tournament; /*  */
    uint64_t requester;  /*  */
    bool of_kind;        /* only those of `kind` */
    bool in_state;       /* only those in `state` */
    bool without_house;  /* no ladder matches between house bots only */
    StoreMatchKind kind;
    StoreMatchState state;
} StoreMatchesWanted;

/* Newest first. Filters that an index covers (game, game and kind, bot, owner, tournament,
   requester, matches in progress; without_house alone or with a game) give full pages. For other
   combinations each page examines the next STORE_LOOK_THROUGH matches and returns those that fit: a
   page may be short or empty and still have a successor. */
enum { STORE_LOOK_THROUGH = 2000 };
StoreResult store_matches_list(Store *store, const StoreMatchesWanted *wanted, StorePage *page,
                               StoreMatches *matches, Error *error);

/* Reads up to `limit` finished ladder matches of a game with result numbers above `after`, in the
   order of these numbers: the input for ratings. A caller that continues from the last number it
   has seen misses none. */
StoreResult store_matches_results(Store *store, const char *game, uint64_t after, uint32_t limit,
                                  StoreMatches *matches, Error *error);

/* Reads up to `limit` finished matches of all kinds with result numbers above `after`, in the order
   of these numbers. */
StoreResult store_matches_ended(Store *store, uint64_t after, uint32_t limit, StoreMatches *matches,
                                Error *error);

/* The number of the last result. */
StoreResult store_matches_last_result(Store *store, uint64_t *last, Error *error);

/* Calls `take` with the verdict of every finished match of a tournament, oldest first. The text is
   valid only during the call. */
StoreResult store_matches_verdicts(Store *store, uint64_t tournament,
                                   void (*take)(void *context, uint64_t match, Slice verdict),
                                   void *context, Error *error);

/* These append the verdict, the build logs (see StoreMatchResult), or the spec for the runner. */
StoreResult store_match_verdict(Store *store, uint64_t id, Buffer *verdict, Error *error);
StoreResult store_match_logs(Store *store, uint64_t id, Buffer *logs, Error *error);
StoreResult store_match_spec(Store *store, uint64_t id, Buffer *spec, Error *error);

/* Drops the replays of at most `limit` ladder and play-now matches that ended before this time,
   oldest first. The matches stay, and tournaments keep their replays. Sweeping deletes the files.
   *count: how many were dropped. */
StoreResult store_matches_forget(Store *store, int64_t before, uint32_t limit, uint32_t *count,
                                 Error *error);

/* Drops replays of matches that visitors requested, oldest first, until these replays have at most
   `most` bytes in total. */
StoreResult store_matches_forget_visitors(Store *store, int64_t most, uint32_t limit,
                                          uint32_t *count, Error *error);

/* Does the same for the casual matches of each account. */
StoreResult store_matches_forget_casual(Store *store, int64_t most, uint32_t limit, uint32_t *count,
                                        Error *error);

#endif
