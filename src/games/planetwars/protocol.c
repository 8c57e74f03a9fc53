/* The protocol of Planet Wars: what a bot reads and prints; also draws the map and writes it as
   JSON. */
#include "base/paint.h"
#include "games/planetwars/planetwars.h"

#include <math.h>
#include <string.h>

/* ---- the view ---- */

/* Names and coordinates never change, so the setup holds them as text: a view is made of these
   pieces with numbers in between. Pieces are copied in blocks of STRIDE bytes, which is several
   times as fast as copying exact lengths; source and target have room for the excess. */
enum { STRIDE = 32 };

static const char view_begin[] = "{\"planets\":[{\"ship_count\":";

static PlanetwarsPiece piece_since(const Buffer *text, size_t start) {
    return (PlanetwarsPiece){(uint32_t)start, (uint32_t)(text->length - start)};
}

void planetwars_prepare_view(PlanetwarsSetup *setup) {
    Buffer *text = &setup->text;
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        PlanetwarsSite *site = &setup->sites[i];
        Slice name = {site->name, site->name_length};
        size_t start = text->length;
        buffer_text(text, ",\"x\":");
        json_double(text, site->x);
        buffer_text(text, ",\"y\":");
        json_double(text, site->y);
        buffer_text(text, ",\"owner\":");
        site->place = piece_since(text, start);
        start = text->length;
        buffer_text(text, ",\"name\":");
        json_string(text, name);
        bool last = i + 1 == setup->planet_count;
        buffer_text(text, last ? "}],\"expeditions\":[" : "},{\"ship_count\":");
        site->rest = piece_since(text, start);
        start = text->length;
        buffer_text(text, ",\"origin\":");
        json_string(text, name);
        buffer_text(text, ",\"destination\":");
        site->as_origin = piece_since(text, start);
        start = text->length;
        json_string(text, name);
        buffer_text(text, ",\"owner\":");
        site->as_destination = piece_since(text, start);
    }
    memset(buffer_reserve(text, STRIDE), 0, STRIDE);
}

static char *put_piece(char *to, const PlanetwarsSetup *setup, PlanetwarsPiece piece) {
    const char *from = setup->text.data + piece.at;
    for (uint32_t done = 0; done < piece.length; done += STRIDE)
        memcpy(to + done, from + done, STRIDE);
    return to + piece.length;
}

#define PUT_TEXT(to, text) ((char *)memcpy(to, text, sizeof(text) - 1) + sizeof(text) - 1)

/* Writes an owner as seen by the player, who is always 1; the others count up from there. For
   player 0, owners keep their own numbers. */
static char *put_owner(char *to, const PlanetwarsSetup *setup, uint32_t owner, uint32_t player) {
    if (!owner)
        return PUT_TEXT(to, "null");
    uint32_t seen = owner > player ? owner - player : owner + setup->head.players - player;
    return buffer_put_uint(to, seen);
}

static void write_planets(const PlanetwarsSetup *setup, const PlanetwarsState *state,
                          uint32_t player, Buffer *to) {
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    size_t room = sizeof view_begin + setup->text.length + STRIDE +
                  (size_t)setup->planet_count * 2 * BUFFER_UINT_MAX;
    char *start = buffer_reserve(to, room);
    char *at = PUT_TEXT(start, view_begin);
    for (uint32_t i = 0; i < setup->planet_count; i++) {
        at = buffer_put_uint(at, planets[i].ships);
        at = put_piece(at, setup, setup->sites[i].place);
        at = put_owner(at, setup, planets[i].owner, player);
        at = put_piece(at, setup, setup->sites[i].rest);
    }
    to->length += (size_t)(at - start);
}

/* The maximum length of one expedition: fixed text, four numbers, and two names in which every byte
   may be escaped. */
enum { EXPEDITION_BYTES = 100 + 4 * BUFFER_UINT_MAX + 2 * 2 * PLANETWARS_NAME_MAX + 2 * STRIDE };

static void write_expeditions(const PlanetwarsSetup *setup, const PlanetwarsState *state,
                              uint32_t player, Buffer *to) {
    const PlanetwarsExpedition *expeditions = planetwars_expeditions(setup, state);
    for (uint32_t i = 0; i < state->expedition_count; i++) {
        const PlanetwarsExpedition *one = &expeditions[i];
        char *start = buffer_reserve(to, EXPEDITION_BYTES);
        char *at = i ? PUT_TEXT(start, ",{\"id\":") : PUT_TEXT(start, "{\"id\":");
        at = buffer_put_uint(at, one->id);
        at = PUT_TEXT(at, ",\"ship_count\":");
        at = buffer_put_uint(at, one->ships);
        at = put_piece(at, setup, setup->sites[one->origin].as_origin);
        at = put_piece(at, setup, setup->sites[one->destination].as_destination);
        at = put_owner(at, setup, one->owner, player);
        at = PUT_TEXT(at, ",\"turns_remaining\":");
        at = buffer_put_uint(at, one->turns_remaining);
        *at++ = '}';
        to->length += (size_t)(at - start);
    }
}

static void view(const GameSetup *head, const GameState *state_head, uint32_t player, Buffer *to) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsState *state = (const PlanetwarsState *)state_head;
    write_planets(setup, state, player, to);
    write_expeditions(setup, state, player, to);
    buffer_text(to, "]}\n");
}

static bool is_active(const GameSetup *setup, const GameState *state, uint32_t player) {
    (void)setup;
    return !state->over && !planetwars_players((const PlanetwarsState *)state)[player].died;
}

/* ---- the answer ---- */

/* The three members of a move, as nodes of the JSON. */
typedef struct Move {
    uint32_t origin;
    uint32_t destination;
    uint32_t ships;
} Move;

static Move find_members(const Json *json, uint32_t node) {
    return (Move){
        .origin = json_member(json, node, "origin"),
        .destination = json_member(json, node, "destination"),
        .ships = json_member(json, node, "ship_count"),
    };
}

static bool check_name(const Json *json, uint32_t node, uint32_t number, const char *field,
                       Error *error) {
    if (node == JSON_NONE)
        return error_set(error, "moves[%u] has no \"%s\"", number, field);
    if (json->nodes[node].kind != JSON_STRING)
        return error_set(error, "\"%s\" of moves[%u] must be a planet's name, not %s", field,
                         number, json_kind_name(json, node));
    return true;
}

static bool check_move(const Json *json, uint32_t node, uint32_t number, Error *error) {
    if (json->nodes[node].kind != JSON_OBJECT)
        return error_set(error, "moves[%u] must be an object, not %s", number,
                         json_kind_name(json, node));
    Move move = find_members(json, node);
    uint64_t ships = 0;
    if (!check_name(json, move.origin, number, "origin", error) ||
        !check_name(json, move.destination, number, "destination", error))
        return false;
    if (move.ships == JSON_NONE)
        return error_set(error, "moves[%u] has no \"ship_count\"", number);
    if (json->nodes[move.ships].kind != JSON_NUMBER)
        return error_set(error, "\"ship_count\" of moves[%u] must be a number, not %s", number,
                         json_kind_name(json, move.ships));
    if (!json_uint64(json, move.ships, &ships))
        return error_set(error,
                         "\"ship_count\" of moves[%u] must be a whole number from 0 to "
                         "18446744073709551615 in digits only, not %.*s",
                         number, SLICE_ARGS(json->nodes[move.ships].text));
    return true;
}

/* Checks the format of the whole answer first: an invalid answer has no effect, and none of its
   moves is rejected individually. */
static bool check_answer(const Json *json, uint32_t *moves, Error *error) {
    if (json->nodes[0].kind != JSON_OBJECT)
        return error_set(error, "the answer must be an object with \"moves\", not %s",
                         json_kind_name(json, 0));
    *moves = json_member(json, 0, "moves");
    if (*moves == JSON_NONE)
        return error_set(error, "the answer has no \"moves\"");
    if (json->nodes[*moves].kind != JSON_ARRAY)
        return error_set(error, "\"moves\" must be an array, not %s", json_kind_name(json, *moves));
    uint32_t number = 0;
    for (uint32_t node = *moves + 1; node < json->nodes[*moves].next;
         node = json->nodes[node].next, number++)
        if (!check_move(json, node, number, error))
            return false;
    return true;
}

static bool read(const GameSetup *head, const GameState *state_head, uint32_t player, Slice answer,
                 GameOrders *orders_head, Notes *notes, Error *error) {
    /* Reused in every turn, so that parsing usually allocates nothing. */
    static _Thread_local Json json = {.lenient = true};
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsState *state = (const PlanetwarsState *)state_head;
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    PlanetwarsOrders *orders = (PlanetwarsOrders *)orders_head;
    orders->head = (GameOrders){.kind = ORDERS_NONE};
    uint32_t moves = JSON_NONE;
    json_keep_for_thread(&json);
    if (!json_parse(&json, answer, error))
        return error_prefix(error, "the answer is not valid JSON");
    if (!check_answer(&json, &moves, error))
        return false;
    orders->head.kind = ORDERS_GIVEN;
    uint64_t sent[PLANETWARS_PLANETS_MAX];
    memset(sent, 0, setup->planet_count * sizeof *sent);
    uint32_t number = 0;
    for (uint32_t node = moves + 1; node < json.nodes[moves].next;
         node = json.nodes[node].next, number++) {
        Move members = find_members(&json, node);
        Slice origin = json.nodes[members.origin].text;
        Slice destination = json.nodes[members.destination].text;
        PlanetwarsMove move = {
            .origin = planetwars_find(setup, origin),
            .destination = planetwars_find(setup, destination),
        };
        json_uint64(&json, members.ships, &move.ships);
        uint64_t ships =
            move.origin < setup->planet_count ? planets[move.origin].ships - sent[move.origin] : 0;
        uint32_t under_way = planetwars_players(state)[player].expeditions + orders->head.count;
        const char *reason = planetwars_refusal(setup, state, player, &move, ships, under_way);
        if (reason) {
            notes_refuse(notes, player, "moves[%u], %.*s from \"%.*s\" to \"%.*s\": %s", number,
                         SLICE_ARGS(json.nodes[members.ships].text), SLICE_ARGS(origin),
                         SLICE_ARGS(destination), reason);
            continue;
        }
        sent[move.origin] += move.ships;
        orders->moves[orders->head.count++] = move;
    }
    return true;
}

/* ---- drawing and JSON ---- */

enum { CANVAS_COLS = 80, CANVAS_ROWS = 24, MARGIN_LEFT = 12 /* for names */ };

/* A canvas of characters and their colours. */
typedef struct Canvas {
    char text[CANVAS_ROWS][CANVAS_COLS];
    int paint[CANVAS_ROWS][CANVAS_COLS];
    double left;
    double top;
    double scale; /* columns per unit of distance; a row is as high as two columns are wide */
} Canvas;

static void fit_canvas(Canvas *canvas, const PlanetwarsSetup *setup) {
    const PlanetwarsSite *sites = setup->sites;
    double right = sites[0].x;
    double bottom = sites[0].y;
    memset(canvas->text, ' ', sizeof canvas->text);
    memset(canvas->paint, 0, sizeof canvas->paint);
    canvas->left = sites[0].x;
    canvas->top = sites[0].y;
    for (uint32_t i = 1; i < setup->planet_count; i++) {
        canvas->left = fmin(canvas->left, sites[i].x);
        canvas->top = fmax(canvas->top, sites[i].y);
        right = fmax(right, sites[i].x);
        bottom = fmin(bottom, sites[i].y);
    }
    double width = fmax(right - canvas->left, 1e-9);
    double height = fmax(canvas->top - bottom, 1e-9);
    canvas->scale = fmin((CANVAS_COLS - MARGIN_LEFT - 5) / width, (CANVAS_ROWS - 1) * 2 / height);
    canvas->scale = fmin(canvas->scale, 4);
}

static uint32_t row_of(const Canvas *canvas, double y) {
    return (uint32_t)((canvas->top - y) * canvas->scale / 2 + 0.5);
}

static uint32_t col_of(const Canvas *canvas, double x) {
    return (uint32_t)((x - canvas->left) * canvas->scale + 0.5) + MARGIN_LEFT;
}

/* Writes a word if its squares and the ones next to it are free. */
static bool place_word(Canvas *canvas, uint32_t row, uint32_t col, const char *word, int paint) {
    uint32_t length = (uint32_t)strlen(word);
    if (col + length > CANVAS_COLS)
        return false;
    for (uint32_t i = col ? col - 1 : 0; i < col + length; i++)
        if (canvas->text[row][i] != ' ')
            return false;
    for (uint32_t i = 0; i < length; i++) {
        canvas->text[row][col + i] = word[i];
        canvas->paint[row][col + i] = paint;
    }
    return true;
}

/* Writes the ships of a planet, or a star if the number does not fit. */
static void place_ships(Canvas *canvas, const PlanetwarsSite *site, const PlanetwarsPlanet *planet,
                        Buffer *word) {
    uint32_t row = row_of(canvas, site->y);
    uint32_t col = col_of(canvas, site->x);
    int paint = planet->owner ? (int)planet->owner - 1 : PAINT_DIM;
    buffer_clear(word);
    buffer_uint(word, planet->ships);
    if (place_word(canvas, row, col, buffer_string(word), paint))
        return;
    canvas->text[row][col] = '*';
    canvas->paint[row][col] = paint;
}

/* Writes the name of a planet in front of its ships if there is room. Only ASCII names, since
   others may not be one column per byte. */
static void place_name(Canvas *canvas, const PlanetwarsSite *site, const PlanetwarsPlanet *planet,
                       Buffer *word) {
    uint32_t col = col_of(canvas, site->x);
    for (uint32_t i = 0; i < site->name_length; i++)
        if ((unsigned char)site->name[i] >= 0x80)
            return;
    buffer_clear(word);
    buffer_format(word, "%s:", site->name);
    if (word->length <= col)
        place_word(canvas, row_of(canvas, site->y), col - (uint32_t)word->length,
                   buffer_string(word), planet->owner ? (int)planet->owner - 1 : PAINT_DIM);
}

static void place_expedition(Canvas *canvas, const PlanetwarsSetup *setup,
                             const PlanetwarsExpedition *one) {
    const PlanetwarsSite *origin = &setup->sites[one->origin];
    const PlanetwarsSite *destination = &setup->sites[one->destination];
    uint32_t turns = setup->travel[one->origin * setup->planet_count + one->destination];
    double left = (double)one->turns_remaining / turns;
    uint32_t row = row_of(canvas, destination->y + (origin->y - destination->y) * left);
    uint32_t col = col_of(canvas, destination->x + (origin->x - destination->x) * left);
    if (canvas->text[row][col] == ' ') {
        canvas->text[row][col] = 'o';
        canvas->paint[row][col] = (int)one->owner - 1;
    }
}

static void draw_players(const PlanetwarsSetup *setup, const PlanetwarsState *state, bool colour,
                         Buffer *to) {
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    const PlanetwarsExpedition *expeditions = planetwars_expeditions(setup, state);
    uint64_t ships[GAME_PLAYERS_MAX + 1] = {0};
    for (uint32_t i = 0; i < setup->planet_count; i++)
        ships[planets[i].owner] += planets[i].ships;
    for (uint32_t i = 0; i < state->expedition_count; i++)
        ships[expeditions[i].owner] += expeditions[i].ships;
    Buffer number = {0};
    for (uint32_t player = 0; player < setup->head.players; player++) {
        const PlanetwarsPlayer *one = &planetwars_players(state)[player];
        buffer_clear(&number);
        buffer_uint(&number, player + 1);
        paint_text(to, colour, (int)player, buffer_string(&number));
        if (one->died)
            buffer_format(to, ": eliminated in turn %u\n", one->died);
        else
            buffer_format(to, ": %u %s, %llu ships, %u %s\n", one->planets,
                          one->planets == 1 ? "planet" : "planets",
                          (unsigned long long)ships[player + 1], one->expeditions,
                          one->expeditions == 1 ? "expedition" : "expeditions");
    }
    buffer_free(&number);
}

static void draw(const GameSetup *head, const GameState *state_head, bool colour, Buffer *to) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsState *state = (const PlanetwarsState *)state_head;
    const PlanetwarsPlanet *planets = planetwars_planets(setup, state);
    Canvas canvas;
    Buffer word = {0};
    fit_canvas(&canvas, setup);
    for (uint32_t i = 0; i < setup->planet_count; i++)
        place_ships(&canvas, &setup->sites[i], &planets[i], &word);
    for (uint32_t i = 0; i < setup->planet_count; i++)
        place_name(&canvas, &setup->sites[i], &planets[i], &word);
    for (uint32_t i = 0; i < state->expedition_count; i++)
        place_expedition(&canvas, setup, &planetwars_expeditions(setup, state)[i]);
    buffer_free(&word);
    uint32_t rows = 0;
    for (uint32_t i = 0; i < setup->planet_count; i++)
        if (row_of(&canvas, setup->sites[i].y) >= rows)
            rows = row_of(&canvas, setup->sites[i].y) + 1;
    for (uint32_t row = 0; row < rows; row++) {
        uint32_t end = CANVAS_COLS;
        while (end > 0 && canvas.text[row][end - 1] == ' ')
            end--;
        for (uint32_t col = 0; col < end; col++)
            if (canvas.text[row][col] == ' ')
                buffer_char(to, ' ');
            else
                paint_char(to, colour, canvas.paint[row][col], canvas.text[row][col]);
        buffer_char(to, '\n');
    }
    draw_players(setup, state, colour, to);
}

/* The view with the owners' own numbers, followed by what a view does not contain. */
static void state_json(const GameSetup *head, const GameState *state_head, Buffer *to) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsState *state = (const PlanetwarsState *)state_head;
    write_planets(setup, state, 0, to);
    write_expeditions(setup, state, 0, to);
    buffer_char(to, ']');
    JsonOut out = {.to = to, .comma = true};
    json_open(&out, "players", '[');
    for (uint32_t player = 0; player < setup->head.players; player++) {
        const PlanetwarsPlayer *one = &planetwars_players(state)[player];
        json_open(&out, NULL, '{');
        json_out_uint(&out, "planets", one->planets);
        json_out_uint(&out, "expeditions", one->expeditions);
        if (one->died)
            json_out_uint(&out, "died", one->died);
        else
            json_out_null(&out, "died");
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_out_uint(&out, "turn", state->head.turn);
    json_out_uint(&out, "max_turns", setup->head.turns_max);
    json_close(&out, '}');
}

static Slice name_or_empty(const PlanetwarsSetup *setup, uint32_t planet) {
    return planet < setup->planet_count
               ? (Slice){setup->sites[planet].name, setup->sites[planet].name_length}
               : (Slice){"", 0};
}

static void orders_json(const GameSetup *head, const GameOrders *head_orders, Buffer *to) {
    const PlanetwarsSetup *setup = (const PlanetwarsSetup *)head;
    const PlanetwarsOrders *orders = (const PlanetwarsOrders *)head_orders;
    uint32_t count = orders->head.kind == ORDERS_GIVEN ? orders->head.count : 0;
    JsonOut out = {.to = to};
    json_open(&out, NULL, '{');
    json_open(&out, "moves", '[');
    for (uint32_t i = 0; i < count; i++) {
        json_open(&out, NULL, '{');
        json_out_string(&out, "origin", name_or_empty(setup, orders->moves[i].origin));
        json_out_string(&out, "destination", name_or_empty(setup, orders->moves[i].destination));
        json_out_uint(&out, "ship_count", orders->moves[i].ships);
        json_close(&out, '}');
    }
    json_close(&out, ']');
    json_close(&out, '}');
}

static const GameOption options[] = {
    {"max_turns", "500", "turns until the surviving players tie, 1 to 100000"},
    {"planets", "from the map",
     "the planets, unless a map has them: name, x, y, ship_count, owner"},
    {0},
};

const Game game_planetwars = {
    .name = "planetwars",
    .title = "Planet Wars",
    .summary = "Expeditions fly from planet to planet, and the largest fleet takes what it finds; "
               "the last player with ships wins.",
    .players_min = 2,
    .players_max = GAME_PLAYERS_MAX,
    .talk =
        {
            .framing = FRAMING_LINE,
            .answer_limit = 1 << 20,
            .turn_ms = 1000,
            .start_ms = 5000,
            .greeting = "",
            .on_timeout = FAILURE_SKIPS,
            .on_exit = FAILURE_SKIPS,
            .on_malformed = FAILURE_SKIPS,
        },
    .maps = planetwars_maps,
    .options = options,
    .generate = planetwars_generate,
    .setup = planetwars_setup,
    .setup_free = planetwars_setup_free,
    .init = planetwars_init,
    .step = planetwars_step,
    .result = planetwars_result,
    .is_active = is_active,
    .view = view,
    .read = read,
    .draw = draw,
    .state_json = state_json,
    .orders_json = orders_json,
};
