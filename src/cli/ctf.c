/* skirmish ctf: Capture the flag by the command line of its own document. Events on standard
   output, what the brains write to standard error on standard error, and a last line that tells the
   score or who failed. */
#include "cli/match_setup.h"
#include "cli/sandbox_option.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char help[] =
    "Usage: skirmish ctf CONFIG CMD_A CMD_B\n"
    "\n"
    "Plays Capture the flag as its own document has it: CONFIG is a file with a line of\n"
    "Rules and the map, CMD_A and CMD_B are the shell commands of the two brains.\n"
    "\n"
    "Standard output is a log of events; its last line is the score, such as\n"
    "  Final score: A 0 - B 101\n"
    "or \"A failed\" or \"B failed\" when a brain ended early, said something malformed or\n"
    "was out of time (both lines, A first, when both did in the same round).\n"
    "Standard error carries what the brains write there, each line led by \"A: \" or \"B: \".\n"
    "\n"
    "`skirmish play ctf` plays the same game with all of play's options.\n"
    "\n"
    "Exit status: 0 the match came to a verdict, 2 wrong usage or a bad file or command,\n"
    "1 our own failure, 130 interrupted.\n";

/* Lines may arrive in parts: a part waits for its end. */
typedef struct Brains {
    Buffer line[2];
} Brains;

static void print_line(uint32_t team, Buffer *line) {
    fprintf(stderr, "%c: %s\n", (char)('A' + team), buffer_string(line));
    buffer_clear(line);
}

static void print_errors(Brains *brains, const PlayerTurn *turns) {
    for (uint32_t team = 0; team < 2; team++)
        for (size_t i = 0; i < turns[team].errors.length; i++) {
            char c = turns[team].errors.at[i];
            if (c == '\n')
                print_line(team, &brains->line[team]);
            else if (c != '\0')
                buffer_char(&brains->line[team], c);
        }
}

static void on_turn(void *context, const Board *board, const PlayerTurn *turns) {
    const Notes *notes = board->notes;
    printf("Round %u\n", board->state->turn);
    fwrite(notes->events, 1, notes->events_length, stdout);
    uint32_t team = 0;
    Slice text;
    for (uint32_t at = 0; notes_next_refusal(notes, &at, &team, &text);)
        printf("%c: refused: %s\n", (char)('A' + team), text.at);
    fflush(stdout);
    print_errors(context, turns);
}

static void on_end(void *context, const Board *board, const PlayerTurn *last_words) {
    Brains *brains = context;
    (void)board;
    print_errors(brains, last_words);
    for (uint32_t team = 0; team < 2; team++)
        if (brains->line[team].length)
            print_line(team, &brains->line[team]);
}

static void print_verdict(const Verdict *verdict) {
    bool failed = false;
    for (uint32_t team = 0; team < 2; team++)
        if (verdict->player[team].failure[0])
            printf("%c %s\n", (char)('A' + team), verdict->player[team].failure);
    for (uint32_t team = 0; team < 2; team++)
        if (verdict->player[team].status != STATUS_OK) {
            printf("%c failed\n", (char)('A' + team));
            failed = true;
        }
    if (!failed)
        printf("Final score: A %lld - B %lld\n", (long long)verdict->player[0].score,
               (long long)verdict->player[1].score);
}

static int play(MatchSetup *setup, Brains *brains) {
    Error error = {""};
    MatchWatcher watcher = {
        .context = brains, .wants_events = true, .turn = on_turn, .ended = on_end};
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
    if (count != 4)
        return usage_error(&command_ctf, "expected CONFIG CMD_A CMD_B, found %d arguments",
                           count - 1);
    MatchSetup setup = {0};
    Brains brains = {0};
    Error error = {""};
    int status = STATUS_USAGE;
    Sandbox *sandbox = open_sandbox(SANDBOX_BEST_EFFORT, &error);
    setup.sandbox = sandbox;
    if (!sandbox || !match_setup_game(&setup, "ctf", &error) ||
        !match_setup_load(&setup, arguments[1], NULL, 2, 0, &error) ||
        !match_setup_bots(&setup, arguments + 2, 2, &error))
        print_error("%s", error.text);
    else
        status = play(&setup, &brains);
    match_setup_free(&setup);
    sandbox_free(sandbox);
    buffer_free(&brains.line[0]);
    buffer_free(&brains.line[1]);
    return status;
}

const Command command_ctf = {"ctf", "Capture the flag by the command line of its own document",
                             help, run};
