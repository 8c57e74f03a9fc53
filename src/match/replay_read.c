/* Reads the records of a replay, which is untrusted: see replay.h for the format. One record is in
   memory at a time. A ReplaySource provides the bytes. */
#include "match/replay_source.h"

#include "base/json_object.h"
#include "base/memory.h"

#include <stdlib.h>
#include <string.h>

enum {
    RECORD_MAX = 160 << 20,    /* 64 players with answers of 2 MiB, and room */
    UPLOAD_MAX = 16 << 20,     /* unpacked, of an uploaded replay ... */
    UPLOAD_JSON_MAX = 2 << 20, /* ... and of its header, which takes many times that when parsed */
};

struct Replay {
    char *name;
    ReplaySource *source;
    bool uploaded;   /* its unpacked size is limited */
    size_t unpacked; /* bytes so far */
    Buffer plain;
    size_t plain_at; /* the next record begins here */
    Buffer head_text;
    Json head;
    Buffer end_text;
    Json end;
    ReplayHeader header;
    uint32_t turns;
    char *strings[2 * GAME_PLAYERS_MAX + 3]; /* targets of the header's pointers */
    uint32_t string_count;
};

static bool broken(const Replay *replay, Error *error, const char *what) {
    return error_set(error, "%s: the replay is damaged: %s", replay->name, what);
}

/* ---- bytes ---- */

/* Makes sure that `count` bytes from plain_at on are there. */
static bool need(Replay *replay, size_t count, Error *error) {
    while (replay->plain.length - replay->plain_at < count) {
        size_t before = replay->plain.length;
        if (replay->source->done)
            return broken(replay, error, "it ends in the middle of a record");
        if (!replay->source->read(replay->source, &replay->plain, error))
            return error_prefix(error, "%s", replay->name);
        replay->unpacked += replay->plain.length - before;
        if (replay->uploaded && replay->unpacked > UPLOAD_MAX)
            return error_set(error, "%s: unpacks to more than %d bytes", replay->name, UPLOAD_MAX);
    }
    return true;
}

typedef struct Cursor {
    const unsigned char *at;
    const unsigned char *end;
} Cursor;

static bool take_varint(Cursor *cursor, uint64_t *value) {
    *value = 0;
    for (int shift = 0; shift < 64 && cursor->at < cursor->end; shift += 7) {
        unsigned char byte = *cursor->at++;
        *value |= (uint64_t)(byte & 0x7f) << shift;
        if (byte < 0x80)
            return true;
    }
    return false;
}

static bool take_bytes(Cursor *cursor, Slice *bytes) {
    uint64_t length = 0;
    if (!take_varint(cursor, &length) || length > (uint64_t)(cursor->end - cursor->at))
        return false;
    *bytes = (Slice){(const char *)cursor->at, (size_t)length};
    cursor->at += length;
    return true;
}

/* The next record: its type, and a cursor over its bytes. */
static bool next_record(Replay *replay, char *type, Cursor *cursor, Error *error) {
    buffer_drop(&replay->plain, replay->plain_at);
    replay->plain_at = 0;
    uint64_t length = 0;
    size_t head = 1;
    for (;; head++) {
        if (!need(replay, head + 1, error))
            return false;
        if (!(replay->plain.data[head] & 0x80))
            break;
        if (head == 9)
            return broken(replay, error, "a record has an invalid length");
    }
    *type = replay->plain.data[0];
    Cursor number = {(const unsigned char *)replay->plain.data + 1,
                     (const unsigned char *)replay->plain.data + head + 1};
    if (!take_varint(&number, &length) || length > RECORD_MAX)
        return broken(replay, error, "a record is too long");
    if (replay->uploaded && *type != 'T' && length > UPLOAD_JSON_MAX)
        return error_set(error, "%s: its header or its end is longer than %d bytes", replay->name,
                         UPLOAD_JSON_MAX);
    replay->plain_at = head + 1;
    if (!need(replay, (size_t)length, error))
        return false;
    cursor->at = (const unsigned char *)replay->plain.data + replay->plain_at;
    cursor->end = cursor->at + length;
    replay->plain_at += (size_t)length;
    return true;
}

/* ---- the header ---- */

/* Keeps a NUL-terminated copy; the caller rejects text that contains a NUL, by its length. */
static const char *keep(Replay *replay, Slice text) {
    char *copy = slice_copy(text);
    replay->strings[replay->string_count++] = copy;
    return copy;
}

static bool get_string(const Replay *replay, uint32_t object, const char *key, Slice *text,
                       Error *error) {
    uint32_t node = json_member(&replay->head, object, key);
    if (node == JSON_NONE || replay->head.nodes[node].kind != JSON_STRING)
        return error_set(error, "%s: the replay is damaged: its header has no \"%s\"", replay->name,
                         key);
    *text = replay->head.nodes[node].text;
    return true;
}

static bool get_uint(const Replay *replay, const char *key, uint64_t most, uint64_t *value,
                     Error *error) {
    uint32_t node = json_member(&replay->head, 0, key);
    if (node == JSON_NONE || !json_uint64(&replay->head, node, value) || *value > most)
        return error_set(error, "%s: the replay is damaged: its header has no valid \"%s\"",
                         replay->name, key);
    return true;
}

static bool get_file(Replay *replay, const char *key, GameFile *file, Error *error) {
    uint32_t node = json_member(&replay->head, 0, key);
    *file = (GameFile){0};
    if (node == JSON_NONE || (replay->head.nodes[node].kind != JSON_NULL &&
                              replay->head.nodes[node].kind != JSON_OBJECT))
        return error_set(error, "%s: the replay is damaged: its header has no \"%s\"", replay->name,
                         key);
    if (replay->head.nodes[node].kind == JSON_NULL)
        return true;
    Slice name = {0};
    if (!get_string(replay, node, "name", &name, error) ||
        !get_string(replay, node, "text", &file->text, error))
        return false;
    file->name = keep(replay, name);
    return true;
}

static bool get_players(Replay *replay, Error *error) {
    const Json *head = &replay->head;
    uint32_t list = json_member(head, 0, "players");
    if (list == JSON_NONE || head->nodes[list].kind != JSON_ARRAY || head->nodes[list].count < 1 ||
        head->nodes[list].count > GAME_PLAYERS_MAX)
        return broken(replay, error, "its header has no valid \"players\"");
    replay->header.players = head->nodes[list].count;
    uint32_t node = list + 1;
    for (uint32_t i = 0; i < replay->header.players; i++, node = head->nodes[node].next) {
        Slice name = {0};
        Slice bot = {0};
        if (head->nodes[node].kind != JSON_OBJECT)
            return broken(replay, error, "its header has no valid \"players\"");
        if (!get_string(replay, node, "name", &name, error) ||
            !get_string(replay, node, "bot", &bot, error))
            return false;
        uint32_t absent = json_member(head, node, "absent");
        replay->header.names[i] = keep(replay, name);
        replay->header.bots[i] = keep(replay, bot);
        replay->header.absent[i] = absent != JSON_NONE && head->nodes[absent].kind == JSON_TRUE;
    }
    return true;
}

static bool read_header(Replay *replay, Error *error) {
    char type = 0;
    Cursor cursor = {0};
    if (!next_record(replay, &type, &cursor, error))
        return false;
    if (type != 'H')
        return broken(replay, error, "it does not begin with a header");
    if (replay->header.game)
        return true; /* parsed before a rewind */
    buffer_add(&replay->head_text, cursor.at, (size_t)(cursor.end - cursor.at));
    Error inner;
    if (!json_parse(&replay->head, (Slice){replay->head_text.data, replay->head_text.length},
                    &inner) ||
        replay->head.nodes[0].kind != JSON_OBJECT)
        return broken(replay, error, "its header is not a JSON object");
    Slice game = {0};
    Slice think = {0};
    uint64_t turn_ms = 0;
    uint64_t start_ms = 0;
    if (!get_string(replay, 0, "game", &game, error) ||
        !get_string(replay, 0, "think", &think, error) ||
        !get_uint(replay, "seed", UINT64_MAX, &replay->header.seed, error) ||
        !get_uint(replay, "turn_ms", UINT32_MAX, &turn_ms, error) ||
        !get_uint(replay, "start_ms", UINT32_MAX, &start_ms, error) ||
        !get_file(replay, "config", &replay->header.config, error) ||
        !get_file(replay, "map", &replay->header.map, error) || !get_players(replay, error))
        return false;
    replay->header.turn_ms = (uint32_t)turn_ms;
    replay->header.start_ms = (uint32_t)start_ms;
    replay->header.think = keep(replay, think);
    for (const Game *const *known = games_all; *known; known++)
        if (slice_equals(game, (*known)->name))
            replay->header.game = *known;
    if (!replay->header.game)
        return error_set(error, "%s: a replay of an unknown game, \"%.*s\"", replay->name,
                         SLICE_ARGS(game));
    return true;
}

/* ---- opening ---- */

void replay_head(char head[REPLAY_HEAD_BYTES]) {
    memcpy(head, REPLAY_MAGIC, sizeof REPLAY_MAGIC - 1);
    for (size_t i = sizeof REPLAY_MAGIC - 1, shift = 0; i < REPLAY_HEAD_BYTES; i++, shift += 8)
        head[i] = (char)(REPLAY_VERSION >> shift);
}

bool replay_check_head(Slice file, Error *error) {
    const size_t magic = sizeof REPLAY_MAGIC - 1;
    if (file.length < REPLAY_HEAD_BYTES || memcmp(file.at, REPLAY_MAGIC, magic) != 0)
        return error_set(error, "not a Skirmish replay");
    const unsigned char *version = (const unsigned char *)file.at + magic;
    unsigned number = version[0] | (unsigned)version[1] << 8 | (unsigned)version[2] << 16 |
                      (unsigned)version[3] << 24;
    return number == REPLAY_VERSION ||
           error_set(error, "a replay of format %u; this version reads format %d", number,
                     REPLAY_VERSION);
}

Replay *replay_open_source(const char *name, ReplaySource *source, bool uploaded, Error *error) {
    Replay *replay = xcalloc(1, sizeof *replay);
    replay->name = xstrdup(name);
    replay->source = source;
    replay->uploaded = uploaded;
    if (read_header(replay, error))
        return replay;
    replay_free(replay);
    return NULL;
}

void replay_free(Replay *replay) {
    if (!replay)
        return;
    replay->source->free(replay->source);
    for (uint32_t i = 0; i < replay->string_count; i++)
        free(replay->strings[i]);
    buffer_free(&replay->plain);
    buffer_free(&replay->head_text);
    buffer_free(&replay->end_text);
    json_free(&replay->head);
    json_free(&replay->end);
    free(replay->name);
    free(replay);
}

const ReplayHeader *replay_header(const Replay *replay) {
    return &replay->header;
}

Slice replay_header_json(const Replay *replay) {
    return (Slice){replay->head_text.data, replay->head_text.length};
}

bool replay_rewind(Replay *replay, Error *error) {
    replay->plain_at = 0;
    replay->unpacked = 0;
    buffer_clear(&replay->plain);
    replay->turns = 0;
    if (!replay->source->rewind(replay->source, error))
        return error_prefix(error, "%s", replay->name);
    return read_header(replay, error);
}

bool replay_board(const Replay *replay, Board *board, Error *error) {
    const ReplayHeader *header = &replay->header;
    GameSetup *setup = header->game->setup(&header->config, &header->map, header->players, error);
    if (!setup)
        return error_prefix(error, "%s: its configuration is invalid", replay->name);
    if (setup->players != header->players) {
        header->game->setup_free(setup);
        return broken(replay, error, "its configuration is for another number of players");
    }
    board_init(board, setup, header->seed);
    for (uint32_t i = 0; i < board->players; i++)
        if (header->absent[i])
            board_absent(board, i);
    return true;
}

/* ---- turns ---- */

/* Skips the reasons: viewers recompute them, and a later version may word them differently. */
static bool take_refusals(Cursor *cursor, uint64_t *refused) {
    uint64_t kept = 0;
    Slice text;
    if (!take_varint(cursor, refused) || !take_varint(cursor, &kept) || kept > *refused)
        return false;
    for (; kept; kept--)
        if (!take_bytes(cursor, &text))
            return false;
    return true;
}

static bool take_player(Cursor *cursor, uint32_t player, ReplayTurn *turn) {
    PlayerTurn *to = &turn->players[player];
    uint64_t wall = 0;
    uint64_t cpu = 0;
    uint64_t late = 0;
    uint64_t grace = 0;
    if (cursor->at == cursor->end)
        return false;
    unsigned kind = *cursor->at++;
    bool graced = kind & REPLAY_GRACED;
    kind &= ~(unsigned)REPLAY_GRACED;
    if (kind >= ANSWER_KINDS ||
        (graced && (!take_varint(cursor, &grace) || !grace || grace > INT64_MAX)))
        return false;
    to->kind = (AnswerKind)kind;
    to->grace = (int64_t)grace;
    if (!take_varint(cursor, &wall) || !take_varint(cursor, &cpu) || !take_varint(cursor, &late) ||
        wall > INT64_MAX || cpu > INT64_MAX || late > UINT32_MAX ||
        !take_bytes(cursor, &to->answer) || !take_bytes(cursor, &to->errors))
        return false;
    to->wall = (int64_t)wall;
    to->cpu = (int64_t)cpu;
    to->late = (uint32_t)late;
    return take_refusals(cursor, &turn->refused[player]);
}

static bool take_turn(Replay *replay, Cursor cursor, ReplayTurn *turn) {
    uint64_t number = 0;
    turn->digest = 0;
    turn->record = (Slice){(const char *)cursor.at, (size_t)(cursor.end - cursor.at)};
    if (!take_varint(&cursor, &number) || number != (uint64_t)replay->turns + 1)
        return false;
    turn->turn = ++replay->turns;
    for (uint32_t i = 0; i < replay->header.players; i++)
        if (!take_player(&cursor, i, turn))
            return false;
    if (cursor.end - cursor.at != 8)
        return false;
    for (int i = 7; i >= 0; i--)
        turn->digest = turn->digest << 8 | cursor.at[i];
    return true;
}

/* ---- the end ---- */

static bool take_end_player(const Json *json, uint32_t node, uint32_t player, const char *name,
                            ReplayEnd *end) {
    if (json->nodes[node].kind != JSON_OBJECT)
        return false;
    uint32_t rank = json_member(json, node, "rank");
    uint32_t score = json_member(json, node, "score");
    uint32_t status = json_member(json, node, "status");
    uint32_t refused = json_member(json, node, "refused");
    uint32_t timeouts = json_member(json, node, "timeouts");
    uint32_t late = json_member(json, node, "late");
    uint32_t graces = json_member(json, node, "graces");
    uint32_t restarts = json_member(json, node, "restarts");
    uint32_t named = json_member(json, node, "name");
    uint64_t number = 0;
    if (timeouts == JSON_NONE || late == JSON_NONE || named == JSON_NONE || restarts == JSON_NONE ||
        !json_uint64(json, restarts, &end->restarts[player]) ||
        !json_uint64(json, timeouts, &end->timeouts[player]) ||
        !json_uint64(json, late, &end->late[player]) || json->nodes[named].kind != JSON_STRING ||
        !slice_equals(json->nodes[named].text, name))
        return false;
    end->graces[player] = 0;
    if (graces != JSON_NONE && !json_uint64(json, graces, &end->graces[player]))
        return false;
    if (rank == JSON_NONE || score == JSON_NONE || status == JSON_NONE || refused == JSON_NONE ||
        !json_uint64(json, rank, &number) || number > GAME_PLAYERS_MAX ||
        json->nodes[status].kind != JSON_STRING ||
        !json_uint64(json, refused, &end->refused[player]))
        return false;
    end->rank[player] = (uint32_t)number;
    end->status[player] = json->nodes[status].text;
    end->scored = json->nodes[score].kind != JSON_NULL;
    return !end->scored || json_whole(json, score, &end->score[player]);
}

static bool take_end(Replay *replay, Cursor cursor, ReplayEnd *end) {
    Json *json = &replay->end;
    buffer_clear(&replay->end_text);
    buffer_add(&replay->end_text, cursor.at, (size_t)(cursor.end - cursor.at));
    end->json = (Slice){replay->end_text.data, replay->end_text.length};
    if (!json_parse(json, end->json, NULL) || json->nodes[0].kind != JSON_OBJECT)
        return false;
    uint32_t turns = json_member(json, 0, "turns");
    uint32_t reason = json_member(json, 0, "reason");
    uint32_t players = json_member(json, 0, "players");
    uint32_t words = json_member(json, 0, "last_words");
    uint64_t number = 0;
    if (turns == JSON_NONE || reason == JSON_NONE || players == JSON_NONE || words == JSON_NONE ||
        !json_uint64(json, turns, &number) || number > UINT32_MAX ||
        json->nodes[reason].kind != JSON_STRING || json->nodes[players].kind != JSON_ARRAY ||
        json->nodes[players].count != replay->header.players ||
        json->nodes[words].kind != JSON_ARRAY || json->nodes[words].count != replay->header.players)
        return false;
    end->turns = (uint32_t)number;
    end->reason = json->nodes[reason].text;
    uint32_t player = players + 1;
    uint32_t word = words + 1;
    for (uint32_t i = 0; i < replay->header.players; i++) {
        if (!take_end_player(json, player, i, replay->header.names[i], end) ||
            json->nodes[word].kind != JSON_STRING)
            return false;
        end->last_words[i] = json->nodes[word].text;
        player = json->nodes[player].next;
        word = json->nodes[word].next;
    }
    return true;
}

/* The last record is followed by the checksum of the frame, and nothing else. */
static bool at_very_end(Replay *replay, Error *error) {
    Error unused;
    bool more = replay->plain_at < replay->plain.length || need(replay, 1, &unused);
    if (!more && !replay->source->done)
        return broken(replay, error, "its checksum is wrong or missing");
    if (!more && !replay->source->at_end(replay->source, &more, error))
        return error_prefix(error, "%s", replay->name);
    return !more || broken(replay, error, "there is more data after its end");
}

ReplayStep replay_next(Replay *replay, ReplayTurn *turn, ReplayEnd *end, Error *error) {
    char type = 0;
    Cursor cursor = {0};
    if (!next_record(replay, &type, &cursor, error))
        return REPLAY_BROKEN;
    if (type == 'T' && take_turn(replay, cursor, turn))
        return REPLAY_TURN;
    if (type == 'E' && take_end(replay, cursor, end)) {
        if (!at_very_end(replay, error))
            return REPLAY_BROKEN;
        return REPLAY_END;
    }
    broken(replay, error,
           type == 'T' || type == 'E' ? "a record is invalid" : "a record of an unknown type");
    return REPLAY_BROKEN;
}

bool replay_goes_beyond(Replay *replay, uint32_t turn, Error *error) {
    ReplayTurn record;
    ReplayEnd end;
    for (uint32_t read = 0; read <= turn; read++) {
        ReplayStep step = replay_next(replay, &record, &end, error);
        if (step == REPLAY_END)
            return error_set(error, "%s: the match ended after turn %u", replay->name, read);
        if (step == REPLAY_BROKEN)
            return false;
    }
    return replay_rewind(replay, error);
}
