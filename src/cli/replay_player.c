/* See replay_player.h. Going back means playing again from the start: the rules do millions of turns a
   second. */
#include "cli/replay_player.h"

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/terminal.h"

#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <termios.h>
#include <unistd.h>

typedef enum Key {
    KEY_NONE,
    KEY_QUIT,
    KEY_PAUSE,
    KEY_NEXT,
    KEY_BACK,
    KEY_FIRST,
    KEY_LAST,
    KEY_FASTER,
    KEY_SLOWER,
    KEY_JUMP,
    KEY_OTHER
} Key;

typedef struct Theatre {
    Replay *replay;
    Board board;
    bool has_board;
    ReplayTurn turn;
    ReplayEnd end;
    bool ended; /* the board stands after the last turn */
    bool paused;
    unsigned speed;
    char number[10]; /* a turn that is being typed */
    size_t digits;
    Buffer picture;
    Error error;
} Theatre;

/* ---- the play ---- */

static bool forward(Theatre *theatre) {
    if (theatre->ended)
        return true;
    switch (replay_next(theatre->replay, &theatre->turn, &theatre->end, &theatre->error)) {
    case REPLAY_TURN:
        return replay_apply(&theatre->board, &theatre->turn, &theatre->error);
    case REPLAY_END:
        theatre->ended = true;
        theatre->paused = true;
        return true;
    default:
        return false;
    }
}

static bool start_over(Theatre *theatre) {
    board_free(&theatre->board);
    theatre->ended = false;
    theatre->has_board = replay_rewind(theatre->replay, &theatre->error) &&
                         replay_board(theatre->replay, &theatre->board, &theatre->error);
    return theatre->has_board;
}

static bool jump(Theatre *theatre, uint32_t turn) {
    if (turn < theatre->board.state->turn && !start_over(theatre))
        return false;
    while (theatre->board.state->turn < turn && !theatre->ended)
        if (!forward(theatre))
            return false;
    return true;
}

/* ---- what is seen ---- */

static void show(Theatre *theatre) {
    const ReplayHeader *header = replay_header(theatre->replay);
    const Board *board = &theatre->board;
    char head[160];
    char footer[200];
    snprintf(head, sizeof head, "%s  seed %" PRIu64 "  turn %u%s", header->game->title,
             header->seed, board->state->turn, board->state->over ? " (the last)" : "");
    buffer_clear(&theatre->picture);
    screen_draw(board, header->names, head, screen_has_colour(), &theatre->picture);
    if (board->state->over)
        buffer_format(&theatre->picture, "The match ended: %s.\n", board_reason(board));
    snprintf(
        footer, sizeof footer,
        "%s%s  %u turns/s  space: pause  arrows: step  +-: speed  Home End: ends  NUMBER Enter: jump  q: quit",
        theatre->digits   ? "go to turn "
        : theatre->paused ? "paused"
                          : "playing",
        theatre->digits ? theatre->number : "", theatre->speed);
    screen_show(&theatre->picture, footer);
}

/* ---- keys ---- */

static struct termios terminal_before;

static void restore_terminal(void) {
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    screen_close();
}

static void take_terminal(void) {
    struct termios raw;
    tcgetattr(STDIN_FILENO, &terminal_before);
    raw = terminal_before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    screen_open();
}

static Key key_of(const char *bytes, size_t count) {
    static const struct {
        const char *bytes;
        Key key;
    } keys[] = {
        {"q", KEY_QUIT},       {"\033", KEY_QUIT},     {" ", KEY_PAUSE},     {"n", KEY_NEXT},
        {".", KEY_NEXT},       {"p", KEY_BACK},        {",", KEY_BACK},      {"\033[C", KEY_NEXT},
        {"\033OC", KEY_NEXT},  {"\033[D", KEY_BACK},   {"\033OD", KEY_BACK}, {"\033[H", KEY_FIRST},
        {"\033OH", KEY_FIRST}, {"\033[1~", KEY_FIRST}, {"g", KEY_FIRST},     {"\033[F", KEY_LAST},
        {"\033OF", KEY_LAST},  {"\033[4~", KEY_LAST},  {"G", KEY_LAST},      {"+", KEY_FASTER},
        {"=", KEY_FASTER},     {"-", KEY_SLOWER},      {"\n", KEY_JUMP},     {"\r", KEY_JUMP},
    };
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        if (strlen(keys[i].bytes) == count && memcmp(keys[i].bytes, bytes, count) == 0)
            return keys[i].key;
    return KEY_OTHER;
}

/* Waits up to `timeout` ms (-1: for ever) for a key. Digits go to `number`. */
static Key await_key(Theatre *theatre, int timeout) {
    struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[16];
    if (poll(&wait, 1, timeout) <= 0)
        return interrupt_seen ? KEY_QUIT : KEY_NONE;
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got <= 0)
        return KEY_QUIT;
    /* Several keys may come at once: an escape sequence is one key, anything else is a key a byte;
       only the last of those acts. */
    Key key = KEY_OTHER;
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] == '\033')
            return key_of(bytes + i, (size_t)(got - i));
        if (bytes[i] >= '0' && bytes[i] <= '9' && theatre->digits + 1 < sizeof theatre->number)
            theatre->number[theatre->digits++] = bytes[i];
        else
            key = key_of(bytes + i, 1);
    }
    return key;
}

static bool act(Theatre *theatre, Key key) {
    uint32_t turn = theatre->board.state->turn;
    uint32_t wanted = (uint32_t)strtoul(theatre->number, NULL, 10);
    bool jumps = key == KEY_JUMP && theatre->digits;
    if (key != KEY_OTHER && key != KEY_NONE) {
        theatre->digits = 0;
        memset(theatre->number, 0, sizeof theatre->number);
    }
    switch (key) {
    case KEY_PAUSE:
        theatre->paused = !theatre->paused;
        return !theatre->ended || theatre->paused ||
               jump(theatre, 0); /* going on after the end begins anew */
    case KEY_NEXT:
        theatre->paused = true;
        return forward(theatre);
    case KEY_BACK:
        theatre->paused = true;
        return jump(theatre, turn ? turn - 1 : 0);
    case KEY_FIRST:
        theatre->paused = true;
        return jump(theatre, 0);
    case KEY_LAST:
        return jump(theatre, UINT32_MAX);
    case KEY_FASTER:
        theatre->speed = theatre->speed < 500 ? theatre->speed * 2 : 1000;
        return true;
    case KEY_SLOWER:
        theatre->speed = theatre->speed > 2 ? theatre->speed / 2 : 1;
        return true;
    case KEY_JUMP:
        theatre->paused = true;
        return !jumps || jump(theatre, wanted);
    default:
        return true;
    }
}

static bool perform(Theatre *theatre) {
    int64_t next = clock_now();
    show(theatre);
    for (;;) {
        int64_t left = (next - clock_now()) / CLOCK_MS;
        Key key = await_key(theatre, theatre->paused ? -1 : left > 0 ? (int)left : 0);
        if (key == KEY_QUIT)
            return true;
        if (!act(theatre, key))
            return false;
        if (key == KEY_NONE && !theatre->paused && clock_now() >= next) {
            if (!forward(theatre))
                return false;
            next = clock_now() + 1000 * CLOCK_MS / theatre->speed;
        }
        show(theatre);
    }
}

int theatre_play(const char *path, unsigned speed) {
    static Theatre theatre;
    theatre = (Theatre){.speed = speed ? speed : 1};
    if (!isatty(STDIN_FILENO) || !isatty(STDOUT_FILENO)) {
        complain("replay watch needs a terminal; `skirmish replay show` and `export` do without");
        return STATUS_USAGE;
    }
    theatre.replay = replay_open(path, &theatre.error);
    theatre.has_board =
        theatre.replay && replay_board(theatre.replay, &theatre.board, &theatre.error);
    bool good = theatre.has_board;
    if (good) {
        catch_interrupts();
        take_terminal();
        good = perform(&theatre);
        restore_terminal();
    }
    if (!good)
        complain("%s", theatre.error.text);
    if (theatre.has_board)
        board_free(&theatre.board);
    replay_free(theatre.replay);
    buffer_free(&theatre.picture);
    return good ? STATUS_DONE : STATUS_USAGE;
}
