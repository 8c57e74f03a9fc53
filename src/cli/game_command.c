/* skirmish GAME CONFIG COMMAND...: the command line that a game's original document defines (see
   Game.command_help). Prints events to standard output and the bots' standard error to standard
   error; the last line is the score, or which bots failed. Players are called A, B, ... */
#include "cli/match_setup.h"
#include "cli/sandbox_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The letter that stands for a player. */
static char letter(uint32_t player) {
    return (char)('A' + player);
}

/* The unfinished last line of each bot's standard error, because text arrives in arbitrary
   pieces. */
typedef struct ErrorLines {
    Buffer line[GAME_PLAYERS_MAX];
} ErrorLines;

static void print_line(uint32_t player, Buffer *line) {
    print_to(stderr, "%c: ", letter(player));
    print_text(stderr, (Slice){line->data, line->length});
    print_to(stderr, "\n");
    buffer_clear(line);
}

static void print_errors(ErrorLines *lines, uint32_t players, const PlayerTurn *turns) {
    for (uint32_t player = 0; player < players; player++)
        for (size_t i = 0; i < turns[player].errors.length; i++) {
            char c = turns[player].errors.at[i];
            if (c == '\n')
                print_line(player, &lines->line[player]);
            else
                buffer_char(&lines->line[player], c);
        }
}

static void on_turn(void *context, const Board *board, const PlayerTurn *turns) {
    const Notes *notes = board->notes;
    print("Round %u\n", board->state->turn);
    print_text(stdout, (Slice){notes->events, notes->events_length});
    uint32_t player = 0;
    Slice text;
    for (uint32_t at = 0; notes_next_refusal(notes, &at, &player, &text);)
        print("%c: refused: %s\n", letter(player), text.at);
    print_flush();
    print_errors(context, board->players, turns);
}

static void on_end(void *context, const Board *board, const PlayerTurn *last_turns) {
    ErrorLines *lines = context;
    print_errors(lines, board->players, last_turns);
    for (uint32_t player = 0; player < board->players; player++)
        if (lines->line[player].length)
            print_line(player, &lines->line[player]);
}

static void print_verdict(const Verdict *verdict) {
    bool failed = false;
    for (uint32_t player = 0; player < verdict->players; player++)
        if (verdict->player[player].failure[0])
            print("%c %s\n", letter(player), verdict->player[player].failure);
    for (uint32_t player = 0; player < verdict->players; player++)
        if (verdict->player[player].status != STATUS_OK) {
            print("%c failed\n", letter(player));
            failed = true;
        }
    if (failed)
        return;
    for (uint32_t player = 0; player < verdict->players; player++)
        print("%s%c %lld", player ? " - " : "Final score: ", letter(player),
              (long long)verdict->player[player].score);
    print("\n");
}

static int play(MatchSetup *setup, ErrorLines *lines) {
    Error error = {0};
    MatchWatcher watcher = {
        .context = lines, .wants_events = true, .turn = on_turn, .ended = on_end};
    MatchOptions options = {
        .setup = setup->game_setup,
        .sandbox = setup->sandbox,
        .limits = sandbox_standard_limits,
        .bots = setup->bots,
        .config = &setup->config,
        .map = &setup->map,
        .watcher = &watcher,
        .interrupt = &interrupt_seen,
    };
    catch_interrupts();
    setup->game_setup = NULL;
    Verdict verdict;
    MatchOutcome outcome = match_play(&options, &verdict, &error);
    if (outcome == MATCH_PLAYED)
        print_verdict(&verdict);
    else
        print_error("%s", outcome == MATCH_INTERRUPTED ? "interrupted" : error.text);
    verdict_free(&verdict);
    return outcome == MATCH_PLAYED    ? STATUS_DONE
           : outcome == MATCH_BAD_BOT ? STATUS_USAGE
           : outcome == MATCH_FAILED  ? STATUS_FAILURE
                                      : STATUS_INTERRUPTED;
}

static int run(int count, char **arguments) {
    const Command *command = game_command(arguments[0]);
    int players = count - 2; /* after the command and CONFIG */
    if (players < 1 || players > GAME_PLAYERS_MAX)
        return usage_error(command, "expected CONFIG and a command for each player");
    MatchSetup setup = {0};
    ErrorLines lines = {0};
    Error error = {0};
    int status = STATUS_USAGE;
    Sandbox *sandbox = open_sandbox(SANDBOX_BEST_EFFORT, &error);
    setup.sandbox = sandbox;
    if (!sandbox || !match_setup_game(&setup, arguments[0], &error) ||
        !match_setup_load(&setup, arguments[1], NULL, (uint32_t)players, 0, &error) ||
        !match_setup_bots(&setup, arguments + 2, (uint32_t)players, &error))
        print_error("%s", error.text);
    else
        status = play(&setup, &lines);
    match_setup_free(&setup);
    sandbox_free(sandbox);
    for (uint32_t i = 0; i < GAME_PLAYERS_MAX; i++)
        buffer_free(&lines.line[i]);
    return status;
}

const Command *game_command(const char *name) {
    static Command command;
    Error ignored;
    const Game *game = game_find(slice_of(name), &ignored);
    if (!game || !game->command_help)
        return NULL;
    command = (Command){game->name, game->command_help, run};
    return &command;
}
