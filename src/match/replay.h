/* Replay files: the answers of the bots, and proof that they lead to the result.

   A file is 16 bytes "SKIRMISH REPLAY\n", a version (4 bytes, little-endian), and one zstd frame
   with a checksum. The frame holds records: a type byte, the length of what follows as a varint,
   and that many bytes:

     H  once, first: a JSON object with game, configuration, map, seed, players, limits, how the
        bots think and the active sandbox layers
     T  once per turn: varint turn; then for each player a byte AnswerKind, plus REPLAY_GRACED if a
        varint ns of grace follows; varints wall ns, cpu ns and late answers; the answer and its
        standard error, each as varint length and bytes; varint orders rejected; varint reasons
        kept, and each reason as varint length and bytes; then the 8-byte digest of the state after
        the turn, little-endian
     E  once, last: a JSON object with the verdict and the bots' last words

   The board is never stored: it is recomputed by the rules. */
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
    /* how long the person who played it could think; 0: a bot played. Only written */
    uint32_t person_ms[GAME_PLAYERS_MAX];
    uint32_t prelude_turns;    /* these first turns are another match's. Only written */
    const char *const *layers; /* the active layers of the sandbox; only written */
    uint32_t layer_count;
} ReplayHeader;

/* The first bytes of a file: magic and version. */
void replay_head(char head[REPLAY_HEAD_BYTES]);

/* Whether a file, of which at least these first bytes are given, begins like a replay of this
   version. */
bool replay_check_head(Slice file, Error *error);

/* ---- writing ---- */

typedef struct ReplayWriter ReplayWriter;

/* Opens a temporary file next to `path`, which is renamed to `path` when it is complete. */
ReplayWriter *replay_create(const char *path, Error *error);

/* The same on an empty open file, which the writer closes. The caller names it and syncs it. */
ReplayWriter *replay_create_on(int fd, Error *error);
bool replay_write_header(ReplayWriter *writer, const ReplayHeader *header, Error *error);
bool replay_write_turn(ReplayWriter *writer, const Board *board, const PlayerTurn *turns,
                       Error *error);
bool replay_write_end(ReplayWriter *writer, const Verdict *verdict, const PlayerTurn *last_words,
                      Error *error);

/* Appends the header as JSON, as in the file. */
void replay_header_write(const ReplayHeader *header, Buffer *to);

/* Copies header, turn and end of another file, instead of the functions above. */
bool replay_copy_header(ReplayWriter *writer, Slice json, Error *error);
bool replay_copy_turn(ReplayWriter *writer, Slice record, Error *error);
bool replay_copy_end(ReplayWriter *writer, Slice json, Error *error);

/* Without replay_write_end, a file that replay_create opened is removed. NULL is fine. */
void replay_close(ReplayWriter *writer);

/* ---- reading ---- */

/* One turn as recorded. The slices are valid until the next replay_next. */
typedef struct ReplayTurn {
    uint32_t turn;
    PlayerTurn players[GAME_PLAYERS_MAX];
    uint64_t refused[GAME_PLAYERS_MAX];
    uint64_t digest;
    Slice record; /* all of it, as in the file */
} ReplayTurn;

/* The verdict as recorded; the strings are valid until replay_free. */
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
    uint64_t graces[GAME_PLAYERS_MAX]; /* 0 in files from before grace existed */
    uint64_t restarts[GAME_PLAYERS_MAX];
    Slice last_words[GAME_PLAYERS_MAX];
    Slice json;
} ReplayEnd;

typedef struct Replay Replay;

/* Opens a file and reads its header. On failure returns NULL, and the error begins with the file's
   name. */
Replay *replay_open(const char *path, Error *error);

/* The same for an open file, which is closed with the replay, on failure too. */
Replay *replay_open_on(const char *name, int fd, Error *error);

/* The same for a replay that is in memory, which must outlive it. */
Replay *replay_open_memory(const char *name, Slice bytes, Error *error);

/* The same for one that was uploaded to a server: a few bytes can unpack to gigabytes, so more than
   16 MiB are rejected. */
Replay *replay_open_uploaded(const char *name, Slice bytes, Error *error);
void replay_free(Replay *replay);

const ReplayHeader *replay_header(const Replay *replay);

/* The header as in the file. */
Slice replay_header_json(const Replay *replay);

/* Sets up a board as the header describes it, which the caller frees. False if the recorded
   configuration is invalid. */
bool replay_board(const Replay *replay, Board *board, Error *error);

typedef enum ReplayStep { REPLAY_TURN, REPLAY_END, REPLAY_BROKEN } ReplayStep;

/* Reads the next record: a turn, or the end. */
ReplayStep replay_next(Replay *replay, ReplayTurn *turn, ReplayEnd *end, Error *error);

/* Back to the first turn. */
bool replay_rewind(Replay *replay, Error *error);

/* Whether the match continued after that turn; otherwise the error says when it ended. `replay`
   must be at its start, and is again afterwards. */
bool replay_goes_beyond(Replay *replay, uint32_t turn, Error *error);

/* Plays one recorded turn on the board, and checks the result against the record. */
bool replay_apply(Board *board, const ReplayTurn *turn, Error *error);

/* Checks the verdict of the board after the last turn against the recorded one. */
bool replay_check_end(const Board *board, const ReplayEnd *end, Error *error);

/* ---- JSON ---- */

/* Appends a turn that the board has just played as one JSON object: the state, and for each player
   its answer, orders, rejected orders and times, and its standard error if `errors` is set. */
void replay_turn_json(const Board *board, const char *const *names, const PlayerTurn *turns,
                      bool errors, Buffer *to);

/* ---- what not everybody may read ---- */

/* What a copy has of each player. */
typedef struct ReplayRedaction {
    bool errors[GAME_PLAYERS_MAX];       /* the standard error */
    const char *names[GAME_PLAYERS_MAX]; /* another name; NULL: the recorded one */
} ReplayRedaction;

/* Copies a replay. The copy can still be verified. `from` must be at its start. */
bool replay_redact(Replay *from, const ReplayRedaction *how, ReplayWriter *to, Error *error);

/* Appends what one player's bot wrote to standard error during the whole match. `from` must be at
   its start. */
bool replay_errors(Replay *from, uint32_t player, Buffer *to, Error *error);

#endif
