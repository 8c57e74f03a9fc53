/* Replay files: what the bots said, and proof that it leads to the result.

   A file is 16 bytes "SKIRMISH REPLAY\n", a version (4 bytes, the lowest first), and one zstd frame
   with a checksum. Inside it stand records: a type byte, the length of what follows as a varint,
   and that many bytes:

     H  once, first: a JSON object with game, configuration, map, seed, players, limits, the way of
        thinking and the active sandbox layers
     T  once a turn: varint turn; then for each player a byte AnswerKind, plus REPLAY_GRACED if a
        varint ns of grace follows; varints wall ns, cpu ns and late
        answers, and as varint length and bytes each: the answer, its standard error; then varint
        orders refused, varint texts kept and as length and bytes each
        text; at the end the 8-byte digest of the state after the turn, the lowest byte first
     E  once, last: a JSON object with the verdict and the bots' last words

   The board is never stored: it is computed again from the rules. */
#ifndef MATCH_REPLAY_H
#define MATCH_REPLAY_H

#include "match/board.h"
#include "match/verdict.h"

#define REPLAY_MAGIC "SKIRMISH REPLAY\n"

enum {
    REPLAY_VERSION = 1,
    REPLAY_HEAD_BYTES = sizeof REPLAY_MAGIC - 1 + 4,
    REPLAY_GRACED = 128,
};

typedef struct ReplayHeader {
    const Game *game;
    uint64_t seed;
    uint32_t players;
    GameFile config;
    GameFile map;
    uint32_t turn_ms;
    uint32_t start_ms;
    const char *think;
    const char *names[GAME_PLAYERS_MAX];
    const char *bots[GAME_PLAYERS_MAX]; /* as they were named on the command line */
    bool absent[GAME_PLAYERS_MAX];
    /* how long the person who played it might think; 0: a bot did. Only written */
    uint32_t person_ms[GAME_PLAYERS_MAX];
    uint32_t prelude_turns;    /* the first so many are those of another match. Only written */
    const char *const *layers; /* of the sandbox that were active; only written */
    uint32_t layer_count;
} ReplayHeader;

/* The first bytes of a file: magic and version. */
void replay_head(char head[REPLAY_HEAD_BYTES]);

/* Whether a file, of which at least these first bytes are given, begins like a replay of this
   version. */
bool replay_check_head(Slice file, Error *error);

/* ---- writing ---- */

typedef struct ReplayWriter ReplayWriter;

/* Opens a new file beside `path`; it takes the name `path` only when it is complete. */
ReplayWriter *replay_create(const char *path, Error *error);

/* The same on an empty file that is open already and is taken over. Whoever opened it names it, and
   sees to it that it is on the disk. */
ReplayWriter *replay_create_on(int fd, Error *error);
bool replay_write_header(ReplayWriter *writer, const ReplayHeader *header, Error *error);
bool replay_write_turn(ReplayWriter *writer, const Board *board, const PlayerTurn *turns,
                       Error *error);
bool replay_write_end(ReplayWriter *writer, const Verdict *verdict, const PlayerTurn *last_words,
                      Error *error);

/* The header as JSON, as the file has it. */
void replay_header_write(const ReplayHeader *header, Buffer *to);

/* Header, turn and end as another file has them, in place of the functions above. */
bool replay_copy_header(ReplayWriter *writer, Slice json, Error *error);
bool replay_copy_turn(ReplayWriter *writer, Slice record, Error *error);
bool replay_copy_end(ReplayWriter *writer, Slice json, Error *error);

/* Without replay_write_end nothing is left of a file that replay_create opened. NULL is fine. */
void replay_close(ReplayWriter *writer);

/* ---- reading ---- */

/* One turn as recorded. The slices are good until the next replay_next. */
typedef struct ReplayTurn {
    uint32_t turn;
    PlayerTurn players[GAME_PLAYERS_MAX];
    uint64_t refused[GAME_PLAYERS_MAX];
    uint64_t digest;
    Slice record; /* all of it, as it stands in the file */
} ReplayTurn;

/* The verdict as recorded; the strings are good until replay_free. */
typedef struct ReplayEnd {
    uint32_t turns;
    Slice reason;
    uint32_t rank[GAME_PLAYERS_MAX];
    int64_t score[GAME_PLAYERS_MAX];
    bool scored;
    Slice status[GAME_PLAYERS_MAX];
    uint64_t refused[GAME_PLAYERS_MAX];
    uint64_t timeouts[GAME_PLAYERS_MAX];
    uint64_t late[GAME_PLAYERS_MAX];
    uint64_t graces[GAME_PLAYERS_MAX]; /* 0 in files that are older than grace */
    Slice last_words[GAME_PLAYERS_MAX];
    Slice json;
} ReplayEnd;

typedef struct Replay Replay;

/* Opens a file and reads its header. On failure NULL, and a sentence that begins with the file's
   name. */
Replay *replay_open(const char *path, Error *error);

/* The same for a replay that is in memory, which must outlive it. */
Replay *replay_open_memory(const char *name, Slice bytes, Error *error);

/* The same for one that was uploaded to a server: a few bytes can unpack to gigabytes, so more than
   16 MiB are rejected. */
Replay *replay_open_uploaded(const char *name, Slice bytes, Error *error);
void replay_free(Replay *replay);

const ReplayHeader *replay_header(const Replay *replay);

/* The header as it stands in the file. */
Slice replay_header_json(const Replay *replay);

/* A fresh board as the header describes it. The caller frees it. False if the recorded
   configuration is refused. */
bool replay_board(const Replay *replay, Board *board, Error *error);

typedef enum ReplayStep { REPLAY_TURN, REPLAY_END, REPLAY_BROKEN } ReplayStep;

/* Reads the next record: a turn, or the end. */
ReplayStep replay_next(Replay *replay, ReplayTurn *turn, ReplayEnd *end, Error *error);

/* Back to the first turn. */
bool replay_rewind(Replay *replay, Error *error);

/* Whether so many turns were played and the match then went on; the error says how many there were.
   `replay` must be fresh, and is again. */
bool replay_goes_beyond(Replay *replay, uint32_t turn, Error *error);

/* Plays one recorded turn on the board and checks that it leads where the record says. */
bool replay_apply(Board *board, const ReplayTurn *turn, Error *error);

/* Checks the verdict of the board, after the last turn, against the recorded one. */
bool replay_check_end(const Board *board, const ReplayEnd *end, Error *error);

/* ---- what is told of a turn ---- */

/* Appends a turn that the board has just played as one JSON object: the state, and for each player
   its answer, orders, refused orders and times; standard error too where `errors` is set. */
void replay_turn_json(const Board *board, const char *const *names, const PlayerTurn *turns,
                      bool errors, Buffer *to);

/* ---- standard error ---- */

/* Writes the replay anew, without the standard error of the players that `keep` is not set for. It
   still proves what it proved. `from` must be fresh. */
bool replay_redact(Replay *from, const bool *keep, ReplayWriter *to, Error *error);

/* Appends what one player's bot wrote to its standard error in the whole match, its last words
   included. `from` must be fresh. */
bool replay_errors(Replay *from, uint32_t player, Buffer *to, Error *error);

#endif
