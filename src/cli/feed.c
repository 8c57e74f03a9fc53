/* skirmish feed: sends the views of a recorded match to a bot, and compares its answers. */
#include "base/clock.h"
#include "base/memory.h"
#include "bots/match_bots.h"
#include "bots/process.h"
#include "cli/match_setup.h"
#include "cli/progress_bar.h"
#include "cli/sandbox_option.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SHOWN_MAX = 10,      /* differences that are printed */
    WAIT_MS = 3600000,   /* time for an answer once a debugger may be attached */
    SHOWN_COLUMNS = 200, /* the most columns printed of an answer */
};

static const char help[] =
    "Send the views of a recorded match to a bot, and compare its answers.\n"
    "\n"
    "Usage: skirmish feed REPLAY [options] BOT\n"
    "\n"
    "No match is played: whatever the bot answers, the next view is the recorded one. Answers\n"
    "with the same orders count as equal, however they are written. Name BOT as for\n"
    "`skirmish play`. Use it as a regression test, and to debug one turn of a match.\n"
    "\n"
    "  --player N            the player whose views are sent, from 1 (default 1)\n"
    "  --turn N              start comparing in this turn; answers to earlier views are ignored\n"
    "  --wait                pause before that turn (default 1) until you press Enter, so that\n"
    "                        you can attach a debugger; from then on there is no time limit\n"
    "  --turn-time MS, --start-time MS, --sandbox MODE, --limit NAME=VALUE\n"
    "                        as for `skirmish play`; the times are those of the match by default\n"
    "  --stderr              print the bot's standard error\n"
    "  --json                print the result as one JSON object\n"
    "  --quiet               print only errors\n"
    "\n"
    "Exit status: 0 all answers are as recorded, 1 some differ or the bot failed, 2 invalid\n"
    "usage, file or bot, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish feed match.skr ./my_bot\n"
    "  skirmish feed match.skr --player 2 --turn 30 --wait --sandbox none ./my_bot\n";

typedef struct Feed {
    const char *path;
    uint32_t player;
    uint32_t first; /* the first turn to compare */
    bool wait;
    bool errors;
    bool json;
    bool quiet;
    SandboxMode sandbox_mode;
    MatchOverrides overrides;

    Sandbox *sandbox;
    Replay *replay;
    Board board;
    bool has_board;
    ReplayTurn turn;
    BotSpec spec;
    BotSpec *seats; /* copies of the spec */
    MatchBots *bots;
    GameOrders *orders[2]; /* recorded, and now */
    bool waited;
    bool over; /* the bot has been released */

    Buffer view;
    Buffer list; /* the differences, as JSON */
    JsonOut out;
    uint32_t compared;
    uint32_t different;
    uint32_t first_different;
} Feed;

/* ---- options ---- */

static bool read_option(void *context, int option, const char *value, Error *error) {
    Feed *feed = context;
    switch (option) {
    case 'p':
        return parse_count("--player", value, 1, GAME_PLAYERS_MAX, &feed->player, error);
    case 'n':
        return parse_count("--turn", value, 1, UINT32_MAX - 1, &feed->first, error);
    case 't':
        return parse_count("--turn-time", value, 1, 3600000, &feed->overrides.turn_ms, error);
    case 'T':
        return parse_count("--start-time", value, 1, 3600000, &feed->overrides.start_ms, error);
    case 'x':
        return read_sandbox_mode(value, &feed->sandbox_mode, error);
    case 'L':
        return read_limit(&feed->overrides, value, error);
    case 'w':
        feed->wait = true;
        return true;
    case 'e':
        feed->errors = true;
        return true;
    case 'j':
        feed->json = true;
        return true;
    default:
        feed->quiet = true;
        return true;
    }
}

/* False when the exit status is in *status. */
static bool read_options(Feed *feed, int count, char **arguments, int *status) {
    static const struct option options[] = {
        {"player", required_argument, NULL, 'p'},
        {"turn", required_argument, NULL, 'n'},
        {"turn-time", required_argument, NULL, 't'},
        {"start-time", required_argument, NULL, 'T'},
        {"sandbox", required_argument, NULL, 'x'},
        {"limit", required_argument, NULL, 'L'},
        {"wait", no_argument, NULL, 'w'},
        {"stderr", no_argument, NULL, 'e'},
        {"json", no_argument, NULL, 'j'},
        {"quiet", no_argument, NULL, 'q'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    if (!read_each_option(&command_feed, count, arguments, options, read_option, feed, status))
        return false;
    if (count - optind != 2) {
        *status = usage_error(&command_feed, "expected REPLAY and BOT");
        return false;
    }
    return true;
}

/* ---- start ---- */

static bool open_replay(Feed *feed, Error *error) {
    feed->replay = replay_open(feed->path, error);
    if (!feed->replay)
        return false;
    const ReplayHeader *header = replay_header(feed->replay);
    MatchOverrides *overrides = &feed->overrides;
    if (feed->player > header->players)
        return error_set(error, "%s has no player %u; it has %u players", feed->path, feed->player,
                         header->players);
    if (feed->first > 1 && !replay_goes_beyond(feed->replay, feed->first - 1, error))
        return false;
    feed->has_board = replay_board(feed->replay, &feed->board, error);
    overrides->turn_ms = overrides->turn_ms ? overrides->turn_ms : header->turn_ms;
    overrides->start_ms = overrides->start_ms ? overrides->start_ms : header->start_ms;
    return feed->has_board;
}

static bool open_bot(Feed *feed, const char *bot, Error *error) {
    const ReplayHeader *header = replay_header(feed->replay);
    if (!(feed->sandbox = open_sandbox(feed->sandbox_mode, error)) || !process_prepare(error) ||
        !bot_spec_parse(&feed->spec, bot, header->game->name, feed->sandbox, error) ||
        !build_bot(&feed->spec, feed->sandbox, error))
        return false;
    feed->seats = xcalloc(header->players, sizeof *feed->seats);
    for (uint32_t i = 0; i < header->players; i++)
        feed->seats[i] = feed->spec;
    SandboxLimits limits = overrides_apply(&feed->overrides, feed->board.setup);
    MatchBotsOptions options = {
        .framing = feed->board.setup->talk.framing,
        .answer_limit = feed->board.setup->talk.answer_limit,
        .in_turn = true,
        .sandbox = feed->sandbox,
        .limits = match_limits(&limits, THINK_IN_TURN, false),
        .seed = header->seed,
        .interrupt = &interrupt_seen,
    };
    feed->bots = match_bots_new(header->players, feed->seats, &options, error);
    return feed->bots && match_bots_start(feed->bots, feed->player - 1, error);
}

/* ---- the bot ---- */

/* Explains why the last reply has no answer. */
static bool explain(Feed *feed, const char *when, Error *error) {
    uint32_t player = feed->player - 1;
    char how[MATCH_BOTS_SILENCE_SIZE] = "";
    switch (match_bots_reply(feed->bots, player)->kind) {
    case REPLY_EXIT:
        match_bots_describe_end(feed->bots, player, how, sizeof how);
        return error_set(error, "the bot %s %s", how, when);
    case REPLY_TIMEOUT:
        match_bots_describe_silence(feed->bots, player, how, sizeof how);
        return error_set(error, "the bot timed out %s%s%s", when, how[0] ? "; " : "", how);
    default:
        return error_set(error, "the bot printed too much %s", when);
    }
}

static bool say_hello(Feed *feed, Error *error) {
    const GameTalk *talk = &feed->board.setup->talk;
    uint32_t player = feed->player - 1;
    if (!talk->hello)
        return true;
    match_bots_ask_hello(feed->bots, player, slice_of(talk->greeting), talk->start_ms * CLOCK_MS);
    if (!match_bots_wait(feed->bots))
        return error_set(error, "interrupted");
    const BotReply *reply = match_bots_reply(feed->bots, player);
    if (reply->kind != REPLY_ANSWER)
        return explain(feed, "at the start", error);
    return slice_equals(slice_trim(reply->answer), talk->hello) ||
           error_set(error, "the bot did not say \"%s\" at the start", talk->hello);
}

/* Lets the user attach a debugger. */
static void pause_before(Feed *feed, uint32_t turn) {
    char line[8];
    Error unread;
    print_to(stderr, "Turn %u is next. The bot is process %d%s. Press Enter to continue.\n", turn,
             (int)match_bots_pid(feed->bots, feed->player - 1),
             feed->sandbox_mode == SANDBOX_NONE ? "" : " or its child");
    prompt("", false, line, sizeof line, &unread);
    feed->waited = true;
}

/* Sends the view and waits for the answer. */
static bool ask(Feed *feed, Error *error) {
    const Board *board = &feed->board;
    const GameTalk *talk = &board->setup->talk;
    uint32_t player = feed->player - 1;
    uint32_t turn = board->state->turn + 1;
    if (feed->wait && !feed->waited && turn >= feed->first)
        pause_before(feed, turn);
    int64_t limit = talk->turn_ms + (turn == 1 && !talk->hello ? talk->start_ms : 0);
    buffer_clear(&feed->view);
    board->game->view(board->setup, board->state, player, &feed->view);
    match_bots_ask(feed->bots, player, (Slice){feed->view.data, feed->view.length},
                   (feed->waited ? WAIT_MS : limit) * CLOCK_MS);
    if (!match_bots_wait(feed->bots))
        return error_set(error, "interrupted");
    match_bots_settle(feed->bots);
    if (feed->errors)
        print_text(stderr, match_bots_errors(feed->bots, player));
    char when[32];
    snprintf(when, sizeof when, "in turn %u", turn);
    return match_bots_reply(feed->bots, player)->kind == REPLY_ANSWER || explain(feed, when, error);
}

static void release(Feed *feed) {
    const Board *board = &feed->board;
    if (feed->over)
        return;
    feed->over = true;
    buffer_clear(&feed->view);
    if (board->game->farewell)
        board->game->farewell(board->setup, board->state, feed->player - 1, &feed->view);
    match_bots_release(feed->bots, feed->player - 1, (Slice){feed->view.data, feed->view.length});
}

/* ---- comparing ---- */

/* The orders of an answer as JSON, or the answer itself if it is invalid. */
static void describe(const Feed *feed, Slice answer, GameOrders *orders, Buffer *to) {
    const Board *board = &feed->board;
    Error unread;
    if (board->game->read(board->setup, board->state, feed->player - 1, answer, orders, NULL,
                          &unread)) {
        orders->kind = ORDERS_GIVEN;
        board->game->orders_json(board->setup, orders, to);
    } else {
        JsonOut out = {.to = to};
        json_out_string(&out, NULL, slice_trim(answer));
    }
}

static void report(Feed *feed, const Buffer *recorded, const Buffer *now) {
    uint32_t turn = feed->board.state->turn + 1;
    if (!feed->different++)
        feed->first_different = turn;
    if (feed->json) {
        json_open(&feed->out, NULL, '{');
        json_out_uint(&feed->out, "turn", turn);
        json_out_raw(&feed->out, "recorded", (Slice){recorded->data, recorded->length});
        json_out_raw(&feed->out, "now", (Slice){now->data, now->length});
        json_close(&feed->out, '}');
    } else if (!feed->quiet && feed->different <= SHOWN_MAX) {
        print("turn %u\n  recorded: %.*s\n  now:      %.*s\n", turn,
              (int)(recorded->length < SHOWN_COLUMNS ? recorded->length : SHOWN_COLUMNS),
              recorded->data, (int)(now->length < SHOWN_COLUMNS ? now->length : SHOWN_COLUMNS),
              now->data);
    }
}

static void compare(Feed *feed) {
    Buffer recorded = {0};
    Buffer now = {0};
    describe(feed, feed->turn.players[feed->player - 1].answer, feed->orders[0], &recorded);
    describe(feed, match_bots_reply(feed->bots, feed->player - 1)->answer, feed->orders[1], &now);
    feed->compared++;
    if (recorded.length != now.length || memcmp(recorded.data, now.data, now.length) != 0)
        report(feed, &recorded, &now);
    buffer_free(&recorded);
    buffer_free(&now);
}

/* Whether the recorded bot was sent a view in this turn. */
static bool was_asked(AnswerKind kind) {
    return kind == ANSWER_GIVEN || kind == ANSWER_TIMEOUT || kind == ANSWER_FLOOD;
}

static bool feed_turns(Feed *feed, Error *error) {
    ReplayEnd end;
    ReplayStep step;
    while ((step = replay_next(feed->replay, &feed->turn, &end, error)) == REPLAY_TURN) {
        uint32_t turns = feed->board.setup->turns_max;
        progress_bar_show((double)feed->turn.turn / turns, "turn %u of at most %u", feed->turn.turn,
                          turns);
        AnswerKind kind = feed->turn.players[feed->player - 1].kind;
        if (was_asked(kind)) {
            if (!ask(feed, error))
                return false;
            if (kind == ANSWER_GIVEN && feed->turn.turn >= feed->first)
                compare(feed);
        }
        if (!replay_apply(&feed->board, &feed->turn, error))
            return error_prefix(error, "%s: verification failed", feed->path);
        if (!feed->board.game->is_active(feed->board.setup, feed->board.state, feed->player - 1))
            release(feed);
    }
    return step == REPLAY_END;
}

static void print_result(Feed *feed) {
    if (feed->json) {
        Buffer text = {0};
        JsonOut out = {.to = &text};
        json_close(&feed->out, ']');
        json_open(&out, NULL, '{');
        json_out_uint(&out, "compared", feed->compared);
        json_out_uint(&out, "different", feed->different);
        json_out_raw(&out, "differences", (Slice){feed->list.data, feed->list.length});
        json_close(&out, '}');
        buffer_char(&text, '\n');
        print_buffer(TEXT_JSON, &text);
        buffer_free(&text);
    } else if (!feed->quiet) {
        if (feed->different > SHOWN_MAX)
            print("... and %u more\n", feed->different - SHOWN_MAX);
        if (feed->different)
            print("%u of %u answers differ, the first in turn %u\n", feed->different,
                  feed->compared, feed->first_different);
        else
            print("%u %s as recorded\n", feed->compared,
                  feed->compared == 1 ? "answer is" : "answers, all");
    }
}

/* ---- the command ---- */

static int run_feed(Feed *feed, const char *bot) {
    Error error = {0};
    catch_interrupts();
    if (!open_replay(feed, &error) || !open_bot(feed, bot, &error)) {
        print_error("%s", error.text);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_USAGE;
    }
    for (int i = 0; i < 2; i++)
        feed->orders[i] = game_orders_new(feed->board.setup);
    feed->out = (JsonOut){.to = &feed->list};
    json_open(&feed->out, NULL, '[');
    progress_bar_begin(feed->quiet || feed->wait, PROGRESS_DELAY_MS);
    bool good = say_hello(feed, &error) && feed_turns(feed, &error);
    progress_bar_end();
    if (good)
        release(feed);
    match_bots_end(feed->bots);
    if (feed->errors)
        print_text(stderr, match_bots_errors(feed->bots, feed->player - 1));
    if (!good) {
        print_error("%s", error.text);
        return interrupt_seen ? STATUS_INTERRUPTED : STATUS_FAILURE;
    }
    print_result(feed);
    return feed->different ? STATUS_FAILURE : STATUS_DONE;
}

static int run(int count, char **arguments) {
    static Feed feed; /* a turn is too large for the stack */
    int status = STATUS_DONE;
    feed = (Feed){.player = 1, .first = 1, .sandbox_mode = SANDBOX_BEST_EFFORT};
    if (!read_options(&feed, count, arguments, &status))
        return status;
    feed.path = arguments[optind];
    status = run_feed(&feed, arguments[optind + 1]);
    if (feed.bots)
        match_bots_free(feed.bots);
    for (int i = 0; i < 2; i++)
        free(feed.orders[i]);
    if (feed.has_board)
        board_free(&feed.board);
    free(feed.seats);
    bot_spec_free(&feed.spec);
    replay_free(feed.replay);
    sandbox_free(feed.sandbox);
    buffer_free(&feed.view);
    buffer_free(&feed.list);
    return status;
}

const Command command_feed = {"feed", help, run};
