/* The rules of the games for the browser: what web/src/rules/film.ts calls.

   A film is a match as a list of turns with random access. It is created from a replay, or from the
   header of a match, and then grows turn by turn (a live match, or one that a person plays). It is
   played by the code that referees matches: board_apply, and replay_apply and replay_check_end to
   verify a replay.

   To show turn N, it is played again from the state before it: a copy of the board is kept every
   `stride` turns, as many as fit into COPIES_BYTES, and the turns in between are replayed. Text is
   returned in one buffer, `said`, which the caller copies before the next call. Functions that fail
   return 0 and leave a message in `said`. */
#include "base/memory.h"
#include "match/replay_source.h"

#include <stdlib.h>
#include <string.h>

#define EXPORT(name) __attribute__((export_name(#name)))

enum { COPIES_BYTES = 16 << 20, READ_SIZE = 64 << 10 };

typedef struct Turn {
    PlayerTurn *players; /* followed by what their slices point to */
} Turn;

/* A board as it was after a turn. */
typedef struct Copy {
    Board board; /* its pointers belong to the film's board */
    char state[];
} Copy;

typedef struct Film {
    Buffer records; /* of the replay, unpacked */
    Replay *replay;
    Board board; /* as it is after turn `at` */
    uint32_t at;
    Turn *turns;
    uint32_t count;
    uint32_t room;
    Copy **copies; /* after turn i * stride */
    uint32_t stride;
    bool ended;    /* a replay was verified to its end */
    Error problem; /* why it was not, or "" */
    Buffer end;    /* the verdict as recorded */
} Film;

static Buffer said;

static int say_error(const Error *error) {
    buffer_clear(&said);
    buffer_text(&said, error->text);
    return 0;
}

EXPORT(rules_take) char *rules_take(size_t size) {
    return xmalloc(size ? size : 1);
}

EXPORT(rules_give) void rules_give(char *memory) {
    free(memory);
}

EXPORT(rules_said) const char *rules_said(void) {
    return buffer_string(&said);
}

EXPORT(rules_said_length) size_t rules_said_length(void) {
    return said.length;
}

/* The text of a game's standard map; with an empty name, of a map generated from the seed with that
   size (0: default). */
EXPORT(rules_map)
int rules_map(const char *game_name, const char *map_name, uint32_t players, uint32_t seed,
              uint32_t size) {
    Error error = {""};
    const Game *game = game_find(slice_of(game_name), &error);
    const GameMap *map = game && *map_name ? game_find_map(game, slice_of(map_name), &error) : NULL;
    buffer_clear(&said);
    if (map)
        buffer_text(&said, map->text);
    else if (game && !*map_name && game->generate)
        game->generate(players, seed, size, &said, &error);
    else
        error_set(&error, "unknown map");
    return error.text[0] ? say_error(&error) : 1;
}

/* ---- copies of the board ---- */

static size_t copy_size(const Film *film) {
    return sizeof(Copy) + film->board.setup->state_size;
}

/* Half as many copies, twice as far apart. */
static void thin_out(Film *film) {
    uint32_t copies = film->count / film->stride + 1;
    for (uint32_t i = 0; i < copies; i++)
        if (i % 2)
            free(film->copies[i]);
        else
            film->copies[i / 2] = film->copies[i];
    film->stride *= 2;
}

/* Keeps a copy of the board, which is after the last turn. */
static void keep_copy(Film *film) {
    uint32_t index = film->count / film->stride;
    if (film->count % film->stride)
        return;
    if (index && (uint64_t)index * copy_size(film) > COPIES_BYTES && index % 2 == 0) {
        film->copies = xrealloc(film->copies, (index + 1) * sizeof *film->copies);
        film->copies[index] = NULL;
        thin_out(film);
        index = film->count / film->stride;
    }
    Copy *copy = xmalloc(copy_size(film));
    copy->board = film->board;
    memcpy(copy->state, film->board.state, film->board.setup->state_size);
    film->copies = xrealloc(film->copies, (index + 1) * sizeof *film->copies);
    film->copies[index] = copy;
}

static void restore(Film *film, uint32_t index) {
    const Copy *copy = film->copies[index];
    Board *board = &film->board;
    Board was = copy->board;
    was.setup = board->setup;
    was.state = board->state;
    was.notes = board->notes;
    memcpy(was.orders, board->orders, sizeof was.orders);
    *board = was;
    memcpy(board->state, copy->state, board->setup->state_size);
    film->at = index * film->stride;
}

static void play_recorded(Film *film) {
    board_apply(&film->board, film->turns[film->at].players);
    film->at++;
}

/* Moves the board to the end of that turn, with its orders and notes. */
static void go_to(Film *film, uint32_t turn) {
    uint32_t before = turn ? turn - 1 : 0; /* the turn itself is replayed for its notes */
    if (film->at == turn && turn)
        return;
    if (turn == 0 || film->at > before || film->at / film->stride < before / film->stride)
        restore(film, before / film->stride);
    while (film->at < turn)
        play_recorded(film);
}

/* ---- making films ---- */

static void keep_turn(Film *film, const PlayerTurn *players) {
    uint32_t count = film->board.players;
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
    if (film->count == film->room) {
        film->room = film->room ? film->room * 2 : 256;
        film->turns = xrealloc(film->turns, film->room * sizeof *film->turns);
    }
    film->turns[film->count++].players = kept;
    film->at = film->count;
}

EXPORT(film_free) void film_free(Film *film) {
    if (!film)
        return;
    for (uint32_t i = 0; film->copies && i <= film->count / film->stride; i++)
        free(film->copies[i]);
    for (uint32_t i = 0; i < film->count; i++)
        free(film->turns[i].players);
    free(film->copies);
    free(film->turns);
    board_free(&film->board);
    replay_free(film->replay);
    buffer_free(&film->records);
    buffer_free(&film->end);
    free(film);
}

/* The records of a film as the source of its replay. */
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
    return error_set(error, "cannot be rewound"); /* a film never is */
}

static bool plain_at_end(ReplaySource *source, bool *more, Error *error) {
    (void)source, (void)error;
    *more = false;
    return true;
}

static void plain_free(ReplaySource *source) {
    free(source);
}

/* Opens the records of `film` as a replay, and sets the board up. */
static bool open_film(Film *film, Error *error) {
    PlainSource *plain = xcalloc(1, sizeof *plain);
    *plain = (PlainSource){
        .source = {.done = film->records.length == 0,
                   .read = plain_read,
                   .rewind = plain_rewind,
                   .at_end = plain_at_end,
                   .free = plain_free},
        .left = {film->records.data, film->records.length},
    };
    film->replay = replay_open_source("the replay", &plain->source, false, error);
    if (!film->replay || !replay_board(film->replay, &film->board, error))
        return false;
    film->board.notes->wants_events = true;
    keep_copy(film);
    return true;
}

static Film *new_film(void) {
    Film *film = xcalloc(1, sizeof *film);
    film->stride = 1;
    return film;
}

/* How many bytes of a replay file stand before its compressed part, and whether they are those of a
   replay that can be read here. */
EXPORT(replay_head_bytes) size_t replay_head_bytes(void) {
    return REPLAY_HEAD_BYTES;
}

EXPORT(replay_head_check) int replay_head_check(const char *head, size_t length) {
    Error error = {""};
    return replay_check_head((Slice){head, length}, &error) ? 1 : say_error(&error);
}

/* The unpacked part of a replay file. It is played to its end; film_state says how far that
   went. */
EXPORT(film_open) Film *film_open(const char *records, size_t length) {
    Film *film = new_film();
    Error error = {""};
    ReplayTurn turn;
    ReplayEnd end;
    buffer_add(&film->records, records, length);
    if (!open_film(film, &error)) {
        film_free(film);
        say_error(&error);
        return NULL;
    }
    for (;;) {
        ReplayStep step = replay_next(film->replay, &turn, &end, &film->problem);
        if (step == REPLAY_END) {
            buffer_add(&film->end, end.json.at, end.json.length);
            film->ended = replay_check_end(&film->board, &end, &film->problem);
        }
        if (step != REPLAY_TURN || !replay_apply(&film->board, &turn, &film->problem))
            break;
        keep_turn(film, turn.players);
        keep_copy(film);
    }
    if (!film->ended) { /* a turn that could not be verified was played nevertheless */
        film->at = UINT32_MAX;
        go_to(film, film->count);
    }
    return film;
}

/* A match that is to be played: `header` is a replay's, as JSON. */
EXPORT(film_new) Film *film_new(const char *header, size_t length) {
    Film *film = new_film();
    Error error = {""};
    buffer_char(&film->records, 'H');
    buffer_varint(&film->records, length);
    buffer_add(&film->records, header, length);
    if (!open_film(film, &error)) {
        film_free(film);
        say_error(&error);
        return NULL;
    }
    return film;
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

/* One player's turn from an object with at least "kind" and "answer", as replay_turn_json writes
   them. */
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

/* Plays one more turn: `players` is a JSON array with one object per player. */
EXPORT(film_play) int film_play(Film *film, const char *players, size_t length) {
    PlayerTurn turns[GAME_PLAYERS_MAX] = {0};
    Json json = {0};
    Error error = {""};
    bool good = json_parse(&json, (Slice){players, length}, &error);
    go_to(film, film->count);
    if (good && film->board.state->over)
        good = error_set(&error, "the match is over");
    if (good && (json.nodes[0].kind != JSON_ARRAY || json.nodes[0].count != film->board.players))
        good =
            error_set(&error, "expected an answer for each of the %u players", film->board.players);
    for (uint32_t i = 0, node = 1; good && i < film->board.players;
         i++, node = json.nodes[node].next)
        if (!read_player(&json, node, &turns[i]))
            good = error_set(&error, "player %u: the answer is invalid", i + 1);
    if (good) {
        board_apply(&film->board, turns);
        keep_turn(film, turns);
        keep_copy(film);
    }
    json_free(&json);
    return good ? 1 : say_error(&error);
}

/* ---- asking ---- */

EXPORT(film_header) void film_header(Film *film) {
    Slice json = replay_header_json(film->replay);
    buffer_clear(&said);
    buffer_add(&said, json.at, json.length);
}

/* The state after the last turn: turns, whether and how it ended, and whether it was verified. */
EXPORT(film_state) void film_state(Film *film) {
    GameResult result = {0};
    JsonOut out = {.to = &said};
    go_to(film, film->count);
    const Board *board = &film->board;
    board->game->result(board->setup, board->state, &result);
    buffer_clear(&said);
    json_open(&out, NULL, '{');
    json_out_uint(&out, "turns", film->count);
    json_out_uint(&out, "turns_max", board->setup->turns_max);
    json_out_bool(&out, "over", board->state->over != 0);
    json_out_bool(&out, "verified", film->ended);
    json_out_text(&out, "problem", film->problem.text);
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
    if (film->end.length)
        json_out_raw(&out, "verdict", (Slice){film->end.data, film->end.length});
    else
        json_out_null(&out, "verdict");
    json_close(&out, '}');
}

/* A turn as replay_turn_json writes it. Turn 0 is the start: a state, and no players. */
EXPORT(film_turn) int film_turn(Film *film, uint32_t turn) {
    Error error = {""};
    if (turn > film->count) {
        error_set(&error, "no turn %u", turn);
        return say_error(&error);
    }
    go_to(film, turn);
    buffer_clear(&said);
    if (turn) {
        replay_turn_json(&film->board, replay_header(film->replay)->names,
                         film->turns[turn - 1].players, true, &said);
    } else {
        buffer_text(&said, "{\"turn\":0,\"state\":");
        film->board.game->state_json(film->board.setup, film->board.state, &said);
        buffer_text(&said, ",\"players\":[],\"events\":[],\"digest\":\"\"}");
    }
    return 1;
}

/* The view that the player's bot would get now. */
EXPORT(film_view) int film_view(Film *film, uint32_t player) {
    Error error = {""};
    if (player >= film->board.players) {
        error_set(&error, "no player %u", player + 1);
        return say_error(&error);
    }
    go_to(film, film->count);
    buffer_clear(&said);
    film->board.game->view(film->board.setup, film->board.state, player, &said);
    return 1;
}

/* What an answer would do in the next turn if no other player did anything: its orders, and which
   are rejected and why. The film does not change. */
EXPORT(film_try) int film_try(Film *film, uint32_t player, const char *answer, size_t length) {
    Error error = {""};
    PlayerTurn turns[GAME_PLAYERS_MAX] = {0};
    JsonOut out = {.to = &said};
    go_to(film, film->count);
    Board *board = &film->board;
    if (player >= board->players)
        error_set(&error, "no player %u", player + 1);
    else if (board->state->over)
        error_set(&error, "the match is over");
    if (error.text[0])
        return say_error(&error);
    for (uint32_t i = 0; i < board->players; i++)
        turns[i].kind = ANSWER_NOT_ASKED;
    turns[player] = (PlayerTurn){.kind = ANSWER_GIVEN, .answer = {answer, length}};
    board_apply(board, turns);
    buffer_clear(&said);
    json_open(&out, NULL, '{');
    json_out_raw(&out, "orders", (Slice){"", 0});
    board->game->orders_json(board->setup, board->orders[player], &said);
    json_open(&out, "refused", '[');
    uint32_t whose = 0;
    Slice text;
    for (uint32_t at = 0; notes_next_refusal(board->notes, &at, &whose, &text);)
        if (whose == player)
            json_out_string(&out, NULL, text);
    json_close(&out, ']');
    json_close(&out, '}');
    film->at = UINT32_MAX; /* the board no longer matches any turn */
    go_to(film, film->count);
    return 1;
}
