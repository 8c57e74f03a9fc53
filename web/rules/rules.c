/* The rules of the games for the browser: what web/src/rules/recording.ts calls.

   A recording is a match as a list of turns with random access. It is created from a replay, or
   from the header of a match to which turns are added (a live match, or one that a person plays).
   The code that referees matches computes it: board_apply, and replay_apply and replay_check_end to
   verify a replay.

   To show turn N, the board is restored from a copy and the turns after that copy are replayed.
   There is a copy every `stride` turns, as many as fit into COPIES_BYTES. Text is returned in one
   buffer, `output`, which the caller copies before the next call. Functions that fail return 0 and
   leave a message in `output`. */
#include "base/memory.h"
#include "match/replay_source.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

enum { COPIES_BYTES = 16 << 20, READ_SIZE = 64 << 10 };

typedef struct RecordedTurn {
    PlayerTurn *players; /* followed by what their slices point to */
} RecordedTurn;

/* A copy of the board after a turn. */
typedef struct BoardCopy {
    Board board; /* its pointers belong to the recording's board */
    char state[];
} BoardCopy;

typedef struct Recording {
    Buffer records; /* of the replay, unpacked */
    Replay *replay;
    Board board; /* after turn `at` */
    uint32_t at;
    RecordedTurn *turns;
    uint32_t count;
    uint32_t room;
    BoardCopy **copies; /* after turn i * stride */
    uint32_t stride;
    bool ended;    /* a replay was verified to its end */
    Error problem; /* why it was not, or "" */
    Buffer end;    /* the verdict as recorded */
} Recording;

static Buffer output;

static int fail(const Error *error) {
    buffer_clear(&output);
    buffer_text(&output, error->text);
    return 0;
}

EXPORT(rules_alloc) char *rules_alloc(size_t size) {
    return xmalloc(size ? size : 1);
}

EXPORT(rules_free) void rules_free(char *memory) {
    free(memory);
}

EXPORT(rules_output) const char *rules_output(void) {
    return buffer_string(&output);
}

EXPORT(rules_output_length) size_t rules_output_length(void) {
    return output.length;
}

/* The text of a game's standard map. With an empty name, the text of a map generated from the seed
   with that size (0: default). */
EXPORT(rules_map)
int rules_map(const char *game_name, const char *map_name, uint32_t players, uint32_t seed,
              uint32_t size) {
    Error error = {0};
    const Game *game = game_find(slice_of(game_name), &error);
    const GameMap *map = game && *map_name ? game_find_map(game, slice_of(map_name), &error) : NULL;
    buffer_clear(&output);
    if (map)
        buffer_text(&output, map->text);
    else if (game && !*map_name && game->generate)
        game->generate(players, seed, size, &output, &error);
    else
        error_set(&error, "unknown map");
    return error.text[0] ? fail(&error) : 1;
}

/* ---- copies of the board ---- */

static size_t copy_size(const Recording *recording) {
    return sizeof(BoardCopy) + recording->board.setup->state_size;
}

/* Drops every second copy. */
static void thin_out(Recording *recording) {
    uint32_t copies = recording->count / recording->stride + 1;
    for (uint32_t i = 0; i < copies; i++)
        if (i % 2)
            free(recording->copies[i]);
        else
            recording->copies[i / 2] = recording->copies[i];
    recording->stride *= 2;
}

/* Copies the board, which must be at the last turn, if that turn is due for a copy. */
static void keep_copy(Recording *recording) {
    uint32_t index = recording->count / recording->stride;
    if (recording->count % recording->stride)
        return;
    if (index && (uint64_t)index * copy_size(recording) > COPIES_BYTES && index % 2 == 0) {
        recording->copies = xrealloc(recording->copies, (index + 1) * sizeof *recording->copies);
        recording->copies[index] = NULL;
        thin_out(recording);
        index = recording->count / recording->stride;
    }
    BoardCopy *copy = xmalloc(copy_size(recording));
    copy->board = recording->board;
    memcpy(copy->state, recording->board.state, recording->board.setup->state_size);
    recording->copies = xrealloc(recording->copies, (index + 1) * sizeof *recording->copies);
    recording->copies[index] = copy;
}

static void restore(Recording *recording, uint32_t index) {
    const BoardCopy *copy = recording->copies[index];
    Board *board = &recording->board;
    Board was = copy->board;
    was.setup = board->setup;
    was.state = board->state;
    was.notes = board->notes;
    memcpy(was.orders, board->orders, sizeof was.orders);
    *board = was;
    memcpy(board->state, copy->state, board->setup->state_size);
    recording->at = index * recording->stride;
}

static void play_recorded(Recording *recording) {
    board_apply(&recording->board, recording->turns[recording->at].players);
    recording->at++;
}

/* Moves the board to the end of a turn, including its orders and notes. */
static void go_to(Recording *recording, uint32_t turn) {
    uint32_t before = turn ? turn - 1 : 0; /* the turn itself is replayed for its notes */
    if (recording->at == turn && turn)
        return;
    if (turn == 0 || recording->at > before ||
        recording->at / recording->stride < before / recording->stride)
        restore(recording, before / recording->stride);
    while (recording->at < turn)
        play_recorded(recording);
}

/* ---- creating recordings ---- */

static void keep_turn(Recording *recording, const PlayerTurn *players) {
    uint32_t count = recording->board.players;
    size_t size = count * sizeof *players;
    for (uint32_t i = 0; i < count; i++)
        size += players[i].answer.length + players[i].errors.length;
    char *memory = xmalloc(size);
    PlayerTurn *kept = (PlayerTurn *)(void *)memory;
    char *to = memory + count * sizeof *players;
    for (uint32_t i = 0; i < count; i++) {
        kept[i] = players[i];
        Slice *texts[] = {&kept[i].answer, &kept[i].errors};
        for (int t = 0; t < 2; t++) {
            if (texts[t]->length)
                memcpy(to, texts[t]->at, texts[t]->length);
            texts[t]->at = to;
            to += texts[t]->length;
        }
    }
    if (recording->count == recording->room) {
        recording->room = recording->room ? recording->room * 2 : 256;
        recording->turns = xrealloc(recording->turns, recording->room * sizeof *recording->turns);
    }
    recording->turns[recording->count++].players = kept;
    recording->at = recording->count;
}

EXPORT(recording_free) void recording_free(Recording *recording) {
    if (!recording)
        return;
    for (uint32_t i = 0; recording->copies && i <= recording->count / recording->stride; i++)
        free(recording->copies[i]);
    for (uint32_t i = 0; i < recording->count; i++)
        free(recording->turns[i].players);
    free(recording->copies);
    free(recording->turns);
    board_free(&recording->board);
    replay_free(recording->replay);
    buffer_free(&recording->records);
    buffer_free(&recording->end);
    free(recording);
}

/* The records of a recording as the source of its replay. */
typedef struct PlainSource {
    ReplaySource source; /* first: a PlainSource is used as one */
    Slice left;
} PlainSource;

static bool plain_read(ReplaySource *source, Buffer *to, Error *error) {
    PlainSource *plain = (PlainSource *)source;
    (void)error;
    size_t part = plain->left.length < READ_SIZE ? plain->left.length : READ_SIZE;
    buffer_add(to, plain->left.at, part);
    plain->left = (Slice){plain->left.at + part, plain->left.length - part};
    source->done = plain->left.length == 0;
    return true;
}

static bool plain_rewind(ReplaySource *source, Error *error) {
    (void)source;
    return error_set(error, "cannot be rewound"); /* never called for a recording */
}

static bool plain_at_end(ReplaySource *source, bool *more, Error *error) {
    (void)source, (void)error;
    *more = false;
    return true;
}

static void plain_free(ReplaySource *source) {
    free(source);
}

/* Opens the records of `recording` as a replay, and sets up the board. */
static bool set_up_recording(Recording *recording, Error *error) {
    PlainSource *plain = xcalloc(1, sizeof *plain);
    *plain = (PlainSource){
        .source = {.done = recording->records.length == 0,
                   .read = plain_read,
                   .rewind = plain_rewind,
                   .at_end = plain_at_end,
                   .free = plain_free},
        .left = {recording->records.data, recording->records.length},
    };
    recording->replay = replay_open_source("the replay", &plain->source, false, error);
    if (!recording->replay || !replay_board(recording->replay, &recording->board, error))
        return false;
    recording->board.notes->wants_events = true;
    keep_copy(recording);
    return true;
}

static Recording *alloc_recording(void) {
    Recording *recording = xcalloc(1, sizeof *recording);
    recording->stride = 1;
    return recording;
}

/* The number of bytes before the compressed part of a replay file. */
EXPORT(replay_head_bytes) size_t replay_head_bytes(void) {
    return REPLAY_HEAD_BYTES;
}

/* Checks those bytes: fails if this is not a replay of a supported version. */
EXPORT(replay_head_check) int replay_head_check(const char *head, size_t length) {
    Error error = {0};
    return replay_check_head((Slice){head, length}, &error) ? 1 : fail(&error);
}

/* Opens the decompressed part of a replay file and verifies it turn by turn; recording_state
   reports the outcome. */
EXPORT(recording_open) Recording *recording_open(const char *records, size_t length) {
    Recording *recording = alloc_recording();
    Error error = {0};
    ReplayTurn turn;
    ReplayEnd end;
    buffer_add(&recording->records, records, length);
    if (!set_up_recording(recording, &error)) {
        recording_free(recording);
        fail(&error);
        return NULL;
    }
    for (;;) {
        ReplayStep step = replay_next(recording->replay, &turn, &end, &recording->problem);
        if (step == REPLAY_END) {
            buffer_add(&recording->end, end.json.at, end.json.length);
            recording->ended = replay_check_end(&recording->board, &end, &recording->problem);
        }
        if (step != REPLAY_TURN || !replay_apply(&recording->board, &turn, &recording->problem))
            break;
        keep_turn(recording, turn.players);
        keep_copy(recording);
    }
    if (!recording->ended) { /* the board may be at a turn that failed verification */
        recording->at = UINT32_MAX;
        go_to(recording, recording->count);
    }
    return recording;
}

/* Creates a match without turns. `header` is the JSON header of a replay. */
EXPORT(recording_new) Recording *recording_new(const char *header, size_t length) {
    Recording *recording = alloc_recording();
    Error error = {0};
    buffer_char(&recording->records, 'H');
    buffer_varint(&recording->records, length);
    buffer_add(&recording->records, header, length);
    if (!set_up_recording(recording, &error)) {
        recording_free(recording);
        fail(&error);
        return NULL;
    }
    return recording;
}

static bool find_kind(const Json *json, uint32_t node, AnswerKind *kind) {
    for (int i = 0; i < ANSWER_KINDS; i++)
        if (slice_equals(json->nodes[node].text, answer_kind_name((AnswerKind)i))) {
            *kind = (AnswerKind)i;
            return true;
        }
    return false;
}

static int64_t nanoseconds(const Json *json, uint32_t node, const char *key) {
    double value = 0;
    uint32_t member = json_member(json, node, key);
    if (member == JSON_NONE || !json_number(json, member, &value) || value < 0 || value > 1e12)
        return 0;
    return (int64_t)(value * 1e6);
}

/* Reads a player's turn from an object as replay_turn_json writes it; only "kind" and "answer" are
   required. */
static bool read_player(const Json *json, uint32_t node, PlayerTurn *turn) {
    if (json->nodes[node].kind != JSON_OBJECT)
        return false;
    uint32_t kind = json_member(json, node, "kind");
    uint32_t answer = json_member(json, node, "answer");
    if (kind == JSON_NONE || json->nodes[kind].kind != JSON_STRING ||
        !find_kind(json, kind, &turn->kind) || answer == JSON_NONE ||
        json->nodes[answer].kind != JSON_STRING)
        return false;
    turn->answer = json->nodes[answer].text;
    uint32_t errors = json_member(json, node, "stderr");
    if (errors != JSON_NONE && json->nodes[errors].kind == JSON_STRING)
        turn->errors = json->nodes[errors].text;
    turn->wall = nanoseconds(json, node, "wall_ms");
    turn->cpu = nanoseconds(json, node, "cpu_ms");
    turn->grace = nanoseconds(json, node, "grace_ms");
    return true;
}

/* Adds a turn. `players` is a JSON array with one object per player. */
EXPORT(recording_play)
int recording_play(Recording *recording, const char *players, size_t length) {
    PlayerTurn turns[GAME_PLAYERS_MAX] = {0};
    Json json = {0};
    Error error = {0};
    bool good = json_parse(&json, (Slice){players, length}, &error);
    go_to(recording, recording->count);
    if (good && recording->board.state->over)
        good = error_set(&error, "the match is over");
    if (good &&
        (json.nodes[0].kind != JSON_ARRAY || json.nodes[0].count != recording->board.players))
        good = error_set(&error, "expected an answer for each of the %u players",
                         recording->board.players);
    for (uint32_t i = 0, node = 1; good && i < recording->board.players;
         i++, node = json.nodes[node].next)
        if (!read_player(&json, node, &turns[i]))
            good = error_set(&error, "player %u: the answer is invalid", i + 1);
    if (good) {
        board_apply(&recording->board, turns);
        keep_turn(recording, turns);
        keep_copy(recording);
    }
    json_free(&json);
    return good ? 1 : fail(&error);
}

/* ---- queries ---- */

EXPORT(recording_header) void recording_header(Recording *recording) {
    Slice json = replay_header_json(recording->replay);
    buffer_clear(&output);
    buffer_add(&output, json.at, json.length);
}

/* The state after the last turn: number of turns, result so far, and verification. */
EXPORT(recording_state) void recording_state(Recording *recording) {
    GameResult result = {0};
    JsonOut out = {.to = &output};
    go_to(recording, recording->count);
    const Board *board = &recording->board;
    board->game->result(board->setup, board->state, &result);
    buffer_clear(&output);
    json_open(&out, NULL, '{');
    json_out_uint(&out, "turns", recording->count);
    json_out_uint(&out, "turns_max", board->setup->turns_max);
    json_out_bool(&out, "over", board->state->over != 0);
    json_out_bool(&out, "verified", recording->ended);
    json_out_text(&out, "problem", recording->problem.text);
    json_out_text(&out, "reason", board->state->over ? board_reason(board) : "");
    json_open(&out, "ranks", '[');
    for (uint32_t i = 0; i < board->players; i++)
        json_out_uint(&out, NULL, result.rank[i]);
    json_close(&out, ']');
    json_open(&out, "scores", '[');
    for (uint32_t i = 0; i < board->players && result.scored; i++)
        json_out_int(&out, NULL, result.score[i]);
    json_close(&out, ']');
    json_open(&out, "asks", '[');
    for (uint32_t i = 0; i < board->players; i++)
        json_out_bool(&out, NULL,
                      !board->state->over && board->game->is_active(board->setup, board->state, i));
    json_close(&out, ']');
    if (recording->end.length)
        json_out_raw(&out, "verdict", (Slice){recording->end.data, recording->end.length});
    else
        json_out_null(&out, "verdict");
    json_close(&out, '}');
}

/* A turn as replay_turn_json writes it. Turn 0 is the start: it has a state but no players. */
EXPORT(recording_turn) int recording_turn(Recording *recording, uint32_t turn) {
    Error error = {0};
    if (turn > recording->count) {
        error_set(&error, "no turn %u", turn);
        return fail(&error);
    }
    go_to(recording, turn);
    buffer_clear(&output);
    if (turn) {
        replay_turn_json(&recording->board, replay_header(recording->replay)->names,
                         recording->turns[turn - 1].players, true, &output);
    } else {
        buffer_text(&output, "{\"turn\":0,\"state\":");
        recording->board.game->state_json(recording->board.setup, recording->board.state, &output);
        buffer_text(&output, ",\"players\":[],\"events\":[],\"digest\":\"\"}");
    }
    return 1;
}

/* The view that the player's bot receives after `turns` turns; in a recorded match, the view that
   it received in the next turn. */
EXPORT(recording_view)
int recording_view(Recording *recording, uint32_t player, uint32_t turns) {
    Error error = {0};
    if (player >= recording->board.players)
        error_set(&error, "no player %u", player + 1);
    else if (turns > recording->count)
        error_set(&error, "no turn %u", turns);
    if (error.text[0])
        return fail(&error);
    go_to(recording, turns);
    buffer_clear(&output);
    recording->board.game->view(recording->board.setup, recording->board.state, player, &output);
    return 1;
}

/* What an answer would do in the next turn if no other player did anything: its orders, and which
   are rejected and why. The recording does not change. */
EXPORT(recording_try)
int recording_try(Recording *recording, uint32_t player, const char *answer, size_t length) {
    Error error = {0};
    PlayerTurn turns[GAME_PLAYERS_MAX] = {0};
    JsonOut out = {.to = &output};
    go_to(recording, recording->count);
    Board *board = &recording->board;
    if (player >= board->players)
        error_set(&error, "no player %u", player + 1);
    else if (board->state->over)
        error_set(&error, "the match is over");
    if (error.text[0])
        return fail(&error);
    for (uint32_t i = 0; i < board->players; i++)
        turns[i].kind = ANSWER_NOT_ASKED;
    turns[player] = (PlayerTurn){.kind = ANSWER_GIVEN, .answer = {answer, length}};
    board_apply(board, turns);
    buffer_clear(&output);
    json_open(&out, NULL, '{');
    json_out_raw(&out, "orders", (Slice){"", 0});
    board->game->orders_json(board->setup, board->orders[player], &output);
    json_open(&out, "refused", '[');
    uint32_t whose = 0;
    Slice text;
    for (uint32_t at = 0; notes_next_refusal(board->notes, &at, &whose, &text);)
        if (whose == player)
            json_out_string(&out, NULL, text);
    json_close(&out, ']');
    json_close(&out, '}');
    recording->at = UINT32_MAX; /* the board no longer matches any turn */
    go_to(recording, recording->count);
    return 1;
}
