/* The protocol of Footsoldiers: what a bot reads and prints; also draws the board and writes it as
   JSON. */
#include "base/memory.h"
#include "base/paint.h"
#include "games/footsoldiers/footsoldiers.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

const char *const footsoldiers_type_names[FOOTSOLDIERS_TYPES] = {"Scout", "Assassin", "Tank"};
const char *const footsoldiers_direction_names[FOOTSOLDIERS_DIRECTIONS] = {"Down", "Left", "Up",
                                                                           "Right"};
static const char *const teams[] = {"player1", "player2"};

/* ---- the view ---- */

/* Written with pieces of constant text instead of a JsonOut: views are written twice in every
   turn. */
static void write_square(Buffer *to, FootsoldiersSquare square) {
    buffer_text(to, "{\"x\":");
    buffer_int(to, square.x);
    buffer_text(to, ",\"y\":");
    buffer_int(to, square.y);
    buffer_char(to, '}');
}

static void write_fixture(Buffer *to, const FootsoldiersFixture *fixture) {
    if (fixture->kind == FOOTSOLDIERS_ROCK) {
        buffer_text(to, "{\"position\":");
        write_square(to, fixture->at);
        buffer_text(to, ",\"type\":\"Rock\"}");
    } else {
        buffer_text(to, "{\"type\":\"Base\",\"position\":");
        write_square(to, fixture->at);
        buffer_text(to, ",\"team\":\"");
        buffer_text(to, teams[fixture->kind - FOOTSOLDIERS_BASE]);
        buffer_text(to, "\"}");
    }
}

void footsoldiers_write_fixtures(FootsoldiersSetup *setup) {
    Buffer *text = &setup->fixture_text;
    for (uint32_t i = 0; i < setup->fixture_count; i++) {
        FootsoldiersFixture *fixture = &setup->fixtures[i];
        if (i)
            buffer_char(text, ',');
        fixture->text_start = (uint32_t)text->length;
        write_fixture(text, fixture);
        fixture->text_end = (uint32_t)text->length;
    }
}

static void write_soldier(Buffer *to, const FootsoldiersSoldier *soldier) {
    buffer_text(to, "{\"position\":");
    write_square(to, soldier->at);
    buffer_text(to, ",\"type\":\"");
    buffer_text(to, footsoldiers_type_names[soldier->type]);
    buffer_text(to, "\",\"health\":");
    buffer_int(to, soldier->health);
    buffer_text(to, ",\"team\":\"");
    buffer_text(to, teams[soldier->player]);
    buffer_text(to, "\",\"destination\":");
    write_square(to, soldier->destination);
    buffer_text(to, ",\"attack-direction\":\"");
    buffer_text(to, footsoldiers_direction_names[soldier->direction]);
    buffer_text(to, "\"}");
}

static bool stands_before(FootsoldiersSquare one, FootsoldiersSquare other) {
    return one.x != other.x ? one.x < other.x : one.y < other.y;
}

/* Writes consecutive fixtures as one piece of text. */
static void write_fixtures(Buffer *to, const FootsoldiersSetup *setup, uint32_t first,
                           uint32_t end) {
    uint32_t start = setup->fixtures[first].text_start;
    buffer_add(to, setup->fixture_text.data + start, setup->fixtures[end - 1].text_end - start);
}

/* Writes fixtures and soldiers as one list by x, then y. Both are sorted, and the text of the
   fixtures is ready, so it is copied in runs. */
static void write_map(Buffer *to, const FootsoldiersSetup *setup, const FootsoldiersState *state) {
    const FootsoldiersFixture *fixtures = setup->fixtures;
    uint32_t next = 0;
    for (uint32_t i = 0; i < state->soldier_count; i++) {
        uint32_t first = next;
        while (next < setup->fixture_count &&
               stands_before(fixtures[next].at, state->soldier[i].at))
            next++;
        if (next > first) {
            write_fixtures(to, setup, first, next);
            buffer_char(to, ',');
        }
        write_soldier(to, &state->soldier[i]);
        if (i + 1 < state->soldier_count || next < setup->fixture_count)
            buffer_char(to, ',');
    }
    if (next < setup->fixture_count)
        write_fixtures(to, setup, next, setup->fixture_count);
}

/* The members of the state, without the braces around them. */
static void write_state(Buffer *to, const FootsoldiersSetup *setup,
                        const FootsoldiersState *state) {
    buffer_text(to, "\"map\":[");
    write_map(to, setup, state);
    buffer_text(to, "],\"turns-remaining\":");
    buffer_uint(to, footsoldiers_turns_remaining(setup, state));
    for (int player = 0; player < 2; player++) {
        buffer_text(to, player ? ",\"player2\":{\"team\":\"player2\",\"money\":"
                               : ",\"player1\":{\"team\":\"player1\",\"money\":");
        buffer_int(to, state->player[player].money);
        buffer_text(to, ",\"base\":");
        write_square(to, setup->base[player]);
        buffer_text(to, ",\"health\":");
        buffer_int(to, state->player[player].health);
        buffer_char(to, '}');
    }
}

static void view(const GameSetup *head, const GameState *state, uint32_t player, Buffer *to) {
    const FootsoldiersSetup *setup = (const FootsoldiersSetup *)head;
    buffer_text(to, player ? "{\"you\":\"player2\"," : "{\"you\":\"player1\",");
    write_state(to, setup, (const FootsoldiersState *)state);
    buffer_char(to, '}');
    if (setup->view_newline)
        buffer_char(to, '\n');
}

static bool is_active(const GameSetup *setup, const GameState *state, uint32_t player) {
    (void)setup;
    (void)player;
    return !state->over;
}

/* ---- the answer ---- */

/* Parses a command from left to right; reads nothing after the first error. */
typedef struct CommandReader {
    Slice rest;
    const char *expected; /* what was expected at the first error; NULL if there is none */
} CommandReader;

static bool take_text(CommandReader *reader, const char *text) {
    if (!reader->expected && !slice_skip(&reader->rest, text))
        reader->expected = text;
    return !reader->expected;
}

static int32_t take_number(CommandReader *reader) {
    size_t length = 0;
    int32_t number = 0;
    if (reader->expected)
        return 0;
    while (length < reader->rest.length && reader->rest.at[length] >= '0' &&
           reader->rest.at[length] <= '9') {
        if (length == 9) {
            reader->expected = "a number of at most nine digits";
            return 0;
        }
        number = number * 10 + (reader->rest.at[length++] - '0');
    }
    if (length == 0)
        reader->expected = "a number";
    reader->rest.at += length;
    reader->rest.length -= length;
    return number;
}

static FootsoldiersSquare take_square(CommandReader *reader) {
    FootsoldiersSquare square;
    take_text(reader, "(");
    square.x = take_number(reader);
    take_text(reader, ", ");
    square.y = take_number(reader);
    take_text(reader, ")");
    return square;
}

static uint32_t take_name(CommandReader *reader, const char *const *names, uint32_t count,
                          const char *expected) {
    for (uint32_t i = 0; i < count && !reader->expected; i++)
        if (slice_skip(&reader->rest, names[i]))
            return i;
    if (!reader->expected)
        reader->expected = expected;
    return 0;
}

static uint32_t take_direction(CommandReader *reader) {
    return take_name(reader, footsoldiers_direction_names, FOOTSOLDIERS_DIRECTIONS,
                     "Down, Left, Up or Right");
}

/* Reads a command into the orders. Returns an example of the command for error messages, or NULL if
   the command is unknown. */
static const char *take_command(CommandReader *reader, FootsoldiersOrders *orders) {
    orders->head.count = 1;
    if (slice_skip(&reader->rest, "No-op")) {
        orders->head.count = 0;
        orders->command = FOOTSOLDIERS_NO_OP;
        return "No-op";
    }
    if (slice_skip(&reader->rest, "Build ")) {
        orders->command = FOOTSOLDIERS_BUILD;
        orders->type = take_name(reader, footsoldiers_type_names, FOOTSOLDIERS_TYPES,
                                 "Scout, Assassin or Tank");
        take_text(reader, " ");
        orders->at = take_square(reader);
        take_text(reader, " ");
        orders->destination = take_square(reader);
        take_text(reader, " ");
        orders->direction = take_direction(reader);
        return "Build Scout (3, 4) (20, 5) Up";
    }
    if (slice_skip(&reader->rest, "Move ")) {
        orders->command = FOOTSOLDIERS_MOVE;
        orders->at = take_square(reader);
        take_text(reader, " to ");
        orders->destination = take_square(reader);
        return "Move (3, 4) to (20, 5)";
    }
    if (slice_skip(&reader->rest, "Change attack direction ")) {
        orders->command = FOOTSOLDIERS_CHANGE_DIRECTION;
        orders->at = take_square(reader);
        take_text(reader, " to ");
        orders->direction = take_direction(reader);
        return "Change attack direction (3, 4) to Left";
    }
    reader->expected = "No-op, Build, Move or Change attack direction";
    return NULL;
}

static bool read(const GameSetup *setup, const GameState *state, uint32_t player, Slice answer,
                 GameOrders *orders_head, Notes *notes, Error *error) {
    FootsoldiersOrders *orders = (FootsoldiersOrders *)orders_head;
    (void)setup;
    (void)state;
    (void)player;
    (void)notes; /* the rules decide whether a command is allowed, when it is carried out */
    *orders = (FootsoldiersOrders){.head = {.kind = ORDERS_GIVEN}};
    Slice command = slice_trim(answer);
    if (!command.length)
        return error_set(error, "the answer is empty; to do nothing, answer No-op");
    CommandReader reader = {.rest = command};
    const char *form = take_command(&reader, orders);
    if (!reader.expected && reader.rest.length)
        reader.expected = "the end of the line";
    if (!reader.expected)
        return true;
    *orders = (FootsoldiersOrders){.head = {.kind = ORDERS_GIVEN}};
    size_t column = command.length - reader.rest.length + 1;
    /* Short pieces of a command are quoted, since a comma or a space is easily overlooked. */
    const char *quote = strlen(reader.expected) < 5 ? "\"" : "";
    return error_set(error, "\"%.*s\" is not a command: column %zu: expected %s%s%s%s%s%s",
                     SLICE_ARGS(command), column, quote, reader.expected, quote,
                     form ? ", as in \"" : "", form ? form : "", form ? "\"" : "");
}

/* ---- the board ---- */

enum { DRAW_MARGIN = 10 }; /* squares around the map where soldiers are drawn */

typedef struct Frame {
    int32_t left, top, right, bottom;
} Frame;

/* The map, extended to include soldiers that are a little outside it. */
static Frame frame_of(const FootsoldiersSetup *setup, const FootsoldiersState *state) {
    Frame frame = {0, 0, setup->width - 1, setup->height - 1};
    for (uint32_t i = 0; i < state->soldier_count; i++) {
        FootsoldiersSquare at = state->soldier[i].at;
        if (at.x < -DRAW_MARGIN || at.x >= setup->width + DRAW_MARGIN || at.y < -DRAW_MARGIN ||
            at.y >= setup->height + DRAW_MARGIN)
            continue;
        frame.left = at.x < frame.left ? at.x : frame.left;
        frame.top = at.y < frame.top ? at.y : frame.top;
        frame.right = at.x > frame.right ? at.x : frame.right;
        frame.bottom = at.y > frame.bottom ? at.y : frame.bottom;
    }
    return frame;
}

/* Draws a character on a square; false if the square is outside the frame. */
static bool put(char *picture, const Frame *frame, FootsoldiersSquare at, char c) {
    if (at.x < frame->left || at.x > frame->right || at.y < frame->top || at.y > frame->bottom)
        return false;
    size_t width = (size_t)(frame->right - frame->left) + 1;
    picture[(size_t)(at.y - frame->top) * width + (size_t)(at.x - frame->left)] = c;
    return true;
}

static void draw_player(const FootsoldiersState *state, uint32_t player, uint32_t out_of_sight,
                        bool colour, Buffer *to) {
    uint32_t count[FOOTSOLDIERS_TYPES] = {0};
    for (uint32_t i = 0; i < state->soldier_count; i++)
        if (state->soldier[i].player == player)
            count[state->soldier[i].type]++;
    paint_text(to, colour, (int)player, teams[player]);
    buffer_format(to, " (%s): health %d, money %" PRId64 ", scouts %u, assassins %u, tanks %u",
                  player ? "s a t" : "S A T", state->player[player].health,
                  state->player[player].money, count[FOOTSOLDIERS_SCOUT],
                  count[FOOTSOLDIERS_ASSASSIN], count[FOOTSOLDIERS_TANK]);
    if (out_of_sight)
        buffer_format(to, ", out of sight %u", out_of_sight);
    buffer_char(to, '\n');
}

/* Soldiers are letters: upper case for player1, lower case for player2. */
static void draw(const GameSetup *head, const GameState *state_head, bool colour, Buffer *to) {
    const FootsoldiersSetup *setup = (const FootsoldiersSetup *)head;
    const FootsoldiersState *state = (const FootsoldiersState *)state_head;
    static const char letters[2][FOOTSOLDIERS_TYPES + 1] = {"SAT", "sat"};
    Frame frame = frame_of(setup, state);
    size_t width = (size_t)(frame.right - frame.left) + 1;
    size_t squares = width * ((size_t)(frame.bottom - frame.top) + 1);
    uint32_t out_of_sight[2] = {0, 0};
    char *picture = xmalloc(squares);
    memset(picture, '.', squares);
    for (uint32_t i = 0; i < setup->fixture_count; i++)
        put(picture, &frame, setup->fixtures[i].at, "12X"[setup->fixtures[i].kind]);
    for (uint32_t i = 0; i < state->soldier_count; i++) {
        const FootsoldiersSoldier *soldier = &state->soldier[i];
        char letter = letters[soldier->player][soldier->type];
        out_of_sight[soldier->player] += !put(picture, &frame, soldier->at, letter);
    }
    for (size_t i = 0; i < squares; i++) {
        char c = picture[i];
        int paint = c == '1' || strchr(letters[0], c)   ? 0
                    : c == '2' || strchr(letters[1], c) ? 1
                    : c == 'X'                          ? PAINT_PLAIN
                                                        : PAINT_DIM;
        paint_char(to, colour, paint, c);
        if ((i + 1) % width == 0)
            buffer_char(to, '\n');
    }
    free(picture);
    for (uint32_t player = 0; player < 2; player++)
        draw_player(state, player, out_of_sight[player], colour, to);
}

static void state_json(const GameSetup *setup, const GameState *state, Buffer *to) {
    buffer_char(to, '{');
    write_state(to, (const FootsoldiersSetup *)setup, (const FootsoldiersState *)state);
    buffer_char(to, '}');
}

static void orders_json(const GameSetup *setup, const GameOrders *head, Buffer *to) {
    static const char *const names[] = {"No-op", "Build", "Move", "Change attack direction"};
    const FootsoldiersOrders *orders = (const FootsoldiersOrders *)head;
    (void)setup;
    if (head->kind != ORDERS_GIVEN || orders->command > FOOTSOLDIERS_CHANGE_DIRECTION) {
        buffer_text(to, "null");
        return;
    }
    bool builds = orders->command == FOOTSOLDIERS_BUILD;
    buffer_format(to, "{\"command\":\"%s\"", names[orders->command]);
    if (builds)
        buffer_format(to, ",\"type\":\"%s\"",
                      footsoldiers_type_names[orders->type % FOOTSOLDIERS_TYPES]);
    if (orders->command != FOOTSOLDIERS_NO_OP) {
        buffer_text(to, ",\"position\":");
        write_square(to, orders->at);
    }
    if (builds || orders->command == FOOTSOLDIERS_MOVE) {
        buffer_text(to, ",\"destination\":");
        write_square(to, orders->destination);
    }
    if (builds || orders->command == FOOTSOLDIERS_CHANGE_DIRECTION)
        buffer_format(to, ",\"attack-direction\":\"%s\"",
                      footsoldiers_direction_names[orders->direction % FOOTSOLDIERS_DIRECTIONS]);
    buffer_char(to, '}');
}

static const GameOption options[] = {
    {"initial-money", "10", "money at the start, 0 to 1000000000"},
    {"money-per-turn", "3", "income per turn, 0 to 1000000"},
    {"max-distance-from-base", "5", "how far from the base soldiers can be built, 0 to 1000000"},
    {"total-turns", "100", "turns until the match is a draw, 1 to 10000"},
    {"bot-memory-limit-kib", "2621440", "memory of a bot in KiB, 1024 to 1073741824"},
    {"bot-initialisation-time", "15", "seconds that a bot has to print Ready, 1 to 3600"},
    {"health", "{\"scout\": 9, \"assassin\": 6, \"tank\": 12}",
     "health of a new soldier, 1 to 1000000000"},
    {"speed", "{\"scout\": 6, \"assassin\": 5, \"tank\": 2}", "single steps in a turn, 0 to 31"},
    {"damage", "{\"scout\": 3, \"assassin\": 5, \"tank\": 2}",
     "damage of a strike, 0 to 1000000000"},
    {"cost", "{\"scout\": 10, \"assassin\": 11, \"tank\": 12}",
     "price of a soldier, 0 to 1000000000"},
    {"view-newline", "true", "whether a view ends with a newline"},
    {"allowed-commands", "", "accepted, but has no effect"},
    {0},
};

const Game game_footsoldiers = {
    .name = "footsoldiers",
    .title = "Footsoldiers",
    .summary = "Scouts, assassins and tanks cross a field of rocks to bring down the enemy's base.",
    .players_min = 2,
    .players_max = 2,
    .talk =
        {
            .framing = FRAMING_LINE,
            .answer_limit = 1 << 20,
            .turn_ms = 1000,
            .start_ms = 15000,
            .greeting = "",
            .hello = "Ready",
            .restarts = 4,
            .on_timeout = FAILURE_SKIPS,
            .on_exit = FAILURE_RESTARTS,
            .on_malformed = FAILURE_SKIPS,
            .on_no_hello = FAILURE_RESTARTS,
            .memory_kib = 2621440,
        },
    .maps = footsoldiers_maps,
    .options = options,
    .largest = footsoldiers_largest,
    .setup = footsoldiers_setup,
    .setup_free = footsoldiers_setup_free,
    .init = footsoldiers_init,
    .step = footsoldiers_step,
    .result = footsoldiers_result,
    .is_active = is_active,
    .view = view,
    .read = read,
    .draw = draw,
    .state_json = state_json,
    .orders_json = orders_json,
};
