/* The preview that other sites show for a link to a match: a title, a sentence, and a picture of
   the final board.

   The picture is the drawing of the terminal with a rectangle for each character: the rules draw
   it, so it shows what happened. It has no text; title and sentence come with the link. */
#include "arena/api/match_preview.h"

#include "arena/api/match_json.h"
#include "arena/copies.h"
#include "base/memory.h"
#include "base/paint.h"
#include "base/utf8.h"
#include "match/replay.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

/* ---- the board as a grid of colours ---- */

enum {
    WIDTH = 1200, /* of the picture, as sites recommend */
    HEIGHT = 630,
    MARGIN = 30,
    GRID_MAX = 1 << 22, /* characters; larger boards have no picture */
};

enum { GROUND, DOT, WALL, INK, DANGER, PLAYERS, COLOURS = PLAYERS + PAINT_PLAYERS };

/* The same colours as in web/src/games/pen.ts. */
static const unsigned char colours[COLOURS][3] = {
    [GROUND] = {0xf4, 0xf1, 0xea},      [DOT] = {0xdd, 0xd7, 0xca},
    [WALL] = {0x8a, 0x82, 0x72},        [INK] = {0x1f, 0x23, 0x28},
    [DANGER] = {0xc4, 0x30, 0x2b},      [PLAYERS] = {0xe6, 0x9f, 0x00},
    [PLAYERS + 1] = {0x3a, 0x8f, 0xd6}, [PLAYERS + 2] = {0x00, 0x9e, 0x73},
    [PLAYERS + 3] = {0xd5, 0x5e, 0x00}, [PLAYERS + 4] = {0xb9, 0x67, 0xc7},
    [PLAYERS + 5] = {0xc7, 0xb3, 0x1c}, [PLAYERS + 6] = {0x36, 0xb5, 0xa2},
    [PLAYERS + 7] = {0x8c, 0x6d, 0x4f},
};

typedef struct Drawing {
    unsigned char *cells; /* colours, row by row */
    uint32_t columns;
    uint32_t rows;
    uint32_t cell_width; /* the shape of a cell: 1 by 1, or 1 by 2 as in a terminal */
    uint32_t cell_height;
} Drawing;

static unsigned char colour_of(int paint, char c) {
    if (c == ' ')
        return GROUND;
    if (paint >= 0)
        return (unsigned char)(PLAYERS + paint % PAINT_PLAYERS);
    if (paint == PAINT_DEAD)
        return DANGER;
    if (c == '.')
        return DOT;
    return paint == PAINT_BRIGHT ? INK : WALL;
}

/* Leaves out every second column if all of these are empty, so that the cells are square. */
static void make_square(Drawing *grid) {
    grid->cell_height = 2;
    for (uint32_t row = 0; row < grid->rows; row++)
        for (uint32_t column = 1; column < grid->columns; column += 2)
            if (grid->cells[row * grid->columns + column] != GROUND)
                return;
    uint32_t columns = (grid->columns + 1) / 2;
    for (uint32_t row = 0; row < grid->rows; row++)
        for (uint32_t column = 0; column < columns; column++)
            grid->cells[row * columns + column] = grid->cells[row * grid->columns + 2 * column];
    grid->columns = columns;
    grid->cell_height = 1;
}

/* The drawing without its last lines, which describe the players. False if it is too large. */
static bool read_drawing(Slice text, uint32_t players, Drawing *grid) {
    uint32_t lines = 0;
    uint32_t column = 0;
    int paint = PAINT_PLAIN;
    char c = 0;
    Slice rest = text;
    while (paint_read(&rest, &paint, &c)) {
        column = c == '\n' ? 0 : column + 1;
        lines += c == '\n';
        grid->columns = column > grid->columns ? column : grid->columns;
    }
    /* Lines about players may be longer than the board. */
    grid->rows = lines > players ? lines - players : 0;
    if (!grid->rows || (uint64_t)grid->rows * grid->columns > GRID_MAX)
        return false;
    grid->cells = xcalloc((size_t)grid->rows * grid->columns, 1);
    uint32_t used = 1;
    uint32_t row = 0;
    for (column = 0, rest = text; row < grid->rows && paint_read(&rest, &paint, &c);) {
        if (c == '\n') {
            row++;
            column = 0;
            continue;
        }
        grid->cells[row * grid->columns + column++] = colour_of(paint, c);
        used = column > used ? column : used;
    }
    for (size_t i = 0; i < grid->rows; i++)
        memmove(grid->cells + i * used, grid->cells + i * grid->columns, used);
    grid->columns = used;
    grid->cell_width = 1;
    make_square(grid);
    return true;
}

/* ---- PNG ---- */

static void add_number(Buffer *to, uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
        buffer_char(to, (char)(value >> shift & 0xff));
}

static void add_chunk(Buffer *to, const char *name, const void *bytes, size_t length) {
    add_number(to, (uint32_t)length);
    size_t from = to->length;
    buffer_text(to, name);
    buffer_add(to, bytes, length);
    add_number(to, (uint32_t)crc32(0, (const Bytef *)to->data + from, (uInt)(4 + length)));
}

/* Appends an image of indexed colours, whose rows begin with a zero byte (no filter). */
static void add_png(const unsigned char *rows, Buffer *to) {
    enum { ROW = WIDTH + 1 };
    static const char signature[] = "\x89PNG\r\n\x1a\n";
    Buffer head = {0};
    add_number(&head, WIDTH);
    add_number(&head, HEIGHT);
    buffer_add(&head, "\x08\x03\0\0\0", 5); /* 8 bits, a palette */
    uLongf size = compressBound((uLong)ROW * HEIGHT);
    Bytef *packed = xmalloc(size);
    if (compress2(packed, &size, rows, (uLong)ROW * HEIGHT, Z_BEST_SPEED) == Z_OK) {
        buffer_text(to, signature);
        add_chunk(to, "IHDR", head.data, head.length);
        add_chunk(to, "PLTE", colours, sizeof colours);
        add_chunk(to, "IDAT", packed, size);
        add_chunk(to, "IEND", NULL, 0);
    }
    free(packed);
    buffer_free(&head);
}

/* Scales the grid to fit, with gaps between cells that are large enough. */
static void paint_grid(const Drawing *grid, Buffer *to) {
    enum { GAP_FROM = 6 }; /* pixels */
    unsigned char *rows = xcalloc((size_t)(WIDTH + 1) * HEIGHT, 1);
    double across = (double)(WIDTH - 2 * MARGIN) / (grid->columns * grid->cell_width);
    double down = (double)(HEIGHT - 2 * MARGIN) / (grid->rows * grid->cell_height);
    double unit = across < down ? across : down;
    double width = unit * grid->cell_width;
    double height = unit * grid->cell_height;
    double left = (WIDTH - width * grid->columns) / 2;
    double top = (HEIGHT - height * grid->rows) / 2;
    for (uint32_t y = 0; y < HEIGHT; y++)
        for (uint32_t x = 0; x < WIDTH; x++) {
            double column = (x - left) / width;
            double row = (y - top) / height;
            if (column < 0 || row < 0 || column >= grid->columns || row >= grid->rows)
                continue;
            unsigned char colour = grid->cells[(uint32_t)row * grid->columns + (uint32_t)column];
            double dx = (column - (uint32_t)column) * width;
            double dy = (row - (uint32_t)row) * height;
            bool gap = width >= GAP_FROM && (dx < 1 || dy < 1);
            bool off_dot = colour == DOT && (dx < width * 0.4 || dx > width * 0.6 ||
                                             dy < height * 0.4 || dy > height * 0.6);
            if (!gap && !off_dot)
                rows[y * (WIDTH + 1) + 1 + x] = colour;
        }
    add_png(rows, to);
    free(rows);
}

/* ---- the picture of a match ---- */

/* Plays the recorded match to its end. The caller frees the board if the result is true. */
static bool replay_to_end(Replay *replay, Board *board, Error *error) {
    ReplayTurn turn;
    ReplayEnd end;
    ReplayStep step = REPLAY_TURN;
    if (!replay_board(replay, board, error))
        return false;
    while ((step = replay_next(replay, &turn, &end, error)) == REPLAY_TURN)
        if (!replay_apply(board, &turn, error))
            break;
    if (step == REPLAY_END)
        return true;
    board_free(board);
    return false;
}

static bool write_all(int file, const Buffer *bytes, Error *error) {
    size_t done = 0;
    while (done < bytes->length) {
        ssize_t written = write(file, bytes->data + done, bytes->length - done);
        if (written < 0 && errno == EINTR)
            continue;
        if (written <= 0)
            return error_set(error, "cannot write a picture: %s", strerror(errno));
        done += (size_t)written;
    }
    return true;
}

/* A CopyMaker that writes the picture. */
static bool draw_match(void *unused, Replay *replay, int file, Error *error) {
    (void)unused;
    Buffer text = {0};
    Buffer picture = {0};
    Board board;
    Drawing grid = {0};
    bool good = replay_to_end(replay, &board, error);
    if (good) {
        board.game->draw(board.setup, board.state, true, &text);
        good = read_drawing((Slice){text.data, text.length}, board.players, &grid) ||
               error_set(error, "the board is too large for a picture");
        board_free(&board);
    }
    if (good)
        paint_grid(&grid, &picture);
    good = good && write_all(file, &picture, error);
    free(grid.cells);
    buffer_free(&picture);
    buffer_free(&text);
    return good;
}

static void send_picture(Request *request, Response *response) {
    StoreMatches matches;
    Error error = {0};
    int64_t size = 0;
    int file = -1;
    if (match_of_path(request, response, &matches)) {
        const StoreMatch *match = &matches.rows[0];
        if (!match->replay.name[0]) {
            match_no_replay(request, response, 404, match);
        } else if ((file = copies_open(arena_of(request)->copies, &match->replay, "png", draw_match,
                                       NULL, &size, &error)) >= 0) {
            response->type = TYPE_PNG;
            response->file = file;
            response->file_size = (uint64_t)size;
            response->cache = CACHE_ASK;
            snprintf(response->etag, sizeof response->etag, "\"%.16s-png\"", match->replay.name);
        } else {
            problem_from_store(request, response, STORE_FAILED, &error);
        }
    }
    store_matches_free(&matches);
}

Outcome match_handle_picture(Request *request, Response *response) {
    (void)response;
    return request_defer(request, send_picture);
}

/* ---- title and sentence ---- */

enum { NAMED = 4, NAME_MOST = 60 };

static void escape(Buffer *to, const char *text) {
    Buffer clean = {0};
    utf8_show(&clean, slice_of(text), NAME_MOST);
    for (size_t i = 0; i < clean.length; i++) {
        char c = clean.data[i];
        if (strchr("&<>\"'", c))
            buffer_format(to, "&#%d;", c);
        else
            buffer_char(to, c);
    }
    buffer_free(&clean);
}

/* Appends names, such as "one, two and three": of all players, or of those in first place. Returns
   how many players these are; of many, only the first are named. */
static uint32_t add_names(Buffer *to, const StoreMatch *match, bool first, const char *last) {
    uint32_t count = 0;
    uint32_t added = 0;
    for (uint32_t i = 0; i < match->players; i++)
        count += !first || match->seats[i].rank == 1;
    uint32_t shown = count > NAMED ? NAMED - 1 : count;
    for (uint32_t i = 0; i < match->players && added < shown; i++)
        if (!first || match->seats[i].rank == 1) {
            if (added)
                buffer_text(to, added + 1 == count ? last : ", ");
            escape(to, match->seats[i].name);
            added++;
        }
    if (shown < count)
        buffer_format(to, " and %u others", count - shown);
    return count;
}

static void add_sentence(Buffer *to, const Game *game, const StoreMatch *match) {
    escape(to, game ? game->title : match->game);
    buffer_text(to, ": ");
    if (match->state != MATCH_OVER) {
        buffer_text(to, match->state == MATCH_PLAYING ? "live now." : "waiting to be played.");
        return;
    }
    Buffer names = {0};
    uint32_t winners = add_names(&names, match, true, " and ");
    if (winners == match->players)
        buffer_text(to, "draw");
    else if (winners)
        buffer_format(to, "%s %s", buffer_string(&names), winners == 1 ? "won" : "tied");
    else
        buffer_text(to, "no result");
    buffer_format(to, " after %u turn%s.", match->turns, match->turns == 1 ? "" : "s");
    buffer_free(&names);
}

/* Whether the host is safe to use in a URL. */
static bool good_host(Slice host) {
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-:[]";
    for (size_t i = 0; i < host.length; i++)
        if (!host.at[i] || !strchr(allowed, host.at[i]))
            return false;
    return host.length > 0 && host.length <= 255;
}

void match_preview_tags(const Request *request, const StoreMatch *match, Buffer *to) {
    Error error;
    Slice host = {0};
    const Game *game = game_find(slice_of(match->game), &error);
    buffer_text(to, "<meta property=\"og:type\" content=\"website\">\n"
                    "<meta property=\"og:site_name\" content=\"Skirmish\">\n"
                    "<meta property=\"og:title\" content=\"");
    add_names(to, match, false, match->players == 2 ? " vs " : " and ");
    buffer_text(to, "\">\n<meta property=\"og:description\" content=\"");
    add_sentence(to, game, match);
    buffer_text(to, "\">\n");
    if (match->replay.name[0] && request_header(request, "Host", &host) && good_host(host))
        buffer_format(to,
                      "<meta name=\"twitter:card\" content=\"summary_large_image\">\n"
                      "<meta property=\"og:image\" content=\"%s://%.*s/api/v1/matches/%" PRIu64
                      "/picture\">\n"
                      "<meta property=\"og:image:width\" content=\"%d\">\n"
                      "<meta property=\"og:image:height\" content=\"%d\">\n",
                      arena_of(request)->options.secure_cookies ? "https" : "http",
                      (int)host.length, host.at, match->id, WIDTH, HEIGHT);
}
