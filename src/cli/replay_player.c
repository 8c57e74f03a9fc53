/* See replay_player.h. Stepping back replays the match from the start, which is fast enough: the
   rules play millions of turns per second. */
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

typedef struct ReplayPlayer {
    Replay *replay;
    Board board;
    bool has_board;
    ReplayTurn turn;
    ReplayEnd end;
    bool ended; /* the board is after the last turn */
    bool paused;
    unsigned speed;
    char number[10]; /* digits typed so far */
    size_t digits;
    Buffer picture;
    Error error;
} ReplayPlayer;

/* ---- the play ---- */

static bool forward(ReplayPlayer *player) {
    if (player->ended)
        return true;
    switch (replay_next(player->replay, &player->turn, &player->end, &player->error)) {
    case REPLAY_TURN:
        return replay_apply(&player->board, &player->turn, &player->error);
    case REPLAY_END:
        player->ended = true;
        player->paused = true;
        return true;
    default:
        return false;
    }
}

static bool start_over(ReplayPlayer *player) {
    board_free(&player->board);
    player->ended = false;
    player->has_board = replay_rewind(player->replay, &player->error) &&
                        replay_board(player->replay, &player->board, &player->error);
    return player->has_board;
}

static bool jump(ReplayPlayer *player, uint32_t turn) {
    if (turn < player->board.state->turn && !start_over(player))
        return false;
    while (player->board.state->turn < turn && !player->ended)
        if (!forward(player))
            return false;
    return true;
}

/* ---- drawing ---- */

static void show(ReplayPlayer *player) {
    const ReplayHeader *header = replay_header(player->replay);
    const Board *board = &player->board;
    char head[160];
    char footer[200];
    snprintf(head, sizeof head, "%s  seed %" PRIu64 "  turn %u%s", header->game->title,
             header->seed, board->state->turn, board->state->over ? " (last)" : "");
    buffer_clear(&player->picture);
    terminal_draw_board(board, header->names, head, terminal_has_colour(stdout), &player->picture);
    if (board->state->over)
        buffer_format(&player->picture, "The match ended: %s.\n", board_reason(board));
    snprintf(footer, sizeof footer,
             "%s%s  %u turns/s  space: pause  arrows: step  +-: speed  Home End: ends  "
             "NUMBER Enter: jump  q: quit",
             player->digits   ? "go to turn "
             : player->paused ? "paused"
                              : "playing",
             player->digits ? player->number : "", player->speed);
    terminal_show(&player->picture, footer);
}

/* ---- keys ---- */

static struct termios terminal_before;

static void restore_terminal(void) {
    tcsetattr(STDIN_FILENO, TCSANOW, &terminal_before);
    terminal_close();
}

static void take_terminal(void) {
    struct termios raw;
    tcgetattr(STDIN_FILENO, &terminal_before);
    raw = terminal_before;
    raw.c_lflag &= (tcflag_t) ~(ICANON | ECHO);
    tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    terminal_open();
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

/* Waits up to `timeout` ms (-1: forever) for a key. Digits go to `number`. */
static Key await_key(ReplayPlayer *player, int timeout) {
    struct pollfd wait = {.fd = STDIN_FILENO, .events = POLLIN};
    char bytes[16];
    if (poll(&wait, 1, timeout) <= 0)
        return interrupt_seen ? KEY_QUIT : KEY_NONE;
    ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got <= 0)
        return KEY_QUIT;
    /* Several keys may arrive at once: an escape sequence is one key, otherwise each byte is a key.
       Only the last one counts. */
    Key key = KEY_OTHER;
    for (ssize_t i = 0; i < got; i++) {
        if (bytes[i] == '\033')
            return key_of(bytes + i, (size_t)(got - i));
        if (bytes[i] >= '0' && bytes[i] <= '9' && player->digits + 1 < sizeof player->number)
            player->number[player->digits++] = bytes[i];
        else
            key = key_of(bytes + i, 1);
    }
    return key;
}

static bool act(ReplayPlayer *player, Key key) {
    uint32_t turn = player->board.state->turn;
    uint32_t wanted = (uint32_t)strtoul(player->number, NULL, 10);
    bool jumps = key == KEY_JUMP && player->digits;
    if (key != KEY_OTHER && key != KEY_NONE) {
        player->digits = 0;
        memset(player->number, 0, sizeof player->number);
    }
    switch (key) {
    case KEY_PAUSE:
        player->paused = !player->paused;
        /* Continuing after the end restarts. */
        return !player->ended || player->paused || jump(player, 0);
    case KEY_NEXT:
        player->paused = true;
        return forward(player);
    case KEY_BACK:
        player->paused = true;
        return jump(player, turn ? turn - 1 : 0);
    case KEY_FIRST:
        player->paused = true;
        return jump(player, 0);
    case KEY_LAST:
        return jump(player, UINT32_MAX);
    case KEY_FASTER:
        player->speed = player->speed < 500 ? player->speed * 2 : 1000;
        return true;
    case KEY_SLOWER:
        player->speed = player->speed > 2 ? player->speed / 2 : 1;
        return true;
    case KEY_JUMP:
        player->paused = true;
        return !jumps || jump(player, wanted);
    default:
        return true;
    }
}

static bool perform(ReplayPlayer *player) {
    int64_t next = clock_now();
    show(player);
    for (;;) {
        int64_t left = (next - clock_now()) / CLOCK_MS;
        Key key = await_key(player, player->paused ? -1 : left > 0 ? (int)left : 0);
        if (key == KEY_QUIT)
            return true;
        if (!act(player, key))
            return false;
        if (key == KEY_NONE && !player->paused && clock_now() >= next) {
            if (!forward(player))
                return false;
            next = clock_now() + 1000 * CLOCK_MS / player->speed;
        }
        show(player);
    }
}

int replay_player_run(const char *path, unsigned speed) {
    static ReplayPlayer player;
    player = (ReplayPlayer){.speed = speed ? speed : 1};
    if (!isatty(STDIN_FILENO) || !terminal_has_cursor(stdout)) {
        print_error("replay watch requires a terminal; use `skirmish replay show` instead");
        return STATUS_USAGE;
    }
    player.replay = replay_open(path, &player.error);
    player.has_board = player.replay && replay_board(player.replay, &player.board, &player.error);
    bool good = player.has_board;
    if (good) {
        catch_interrupts();
        take_terminal();
        good = perform(&player);
        restore_terminal();
    }
    if (!good)
        print_error("%s", player.error.text);
    if (player.has_board)
        board_free(&player.board);
    replay_free(player.replay);
    buffer_free(&player.picture);
    return good ? STATUS_DONE : STATUS_USAGE;
}
