/* See fault.h. */
#include "check/fault.h"

static const FaultKind kinds[FAULTS] = {
    [FAULT_NO_START] = {"no-start", CHECK_ERROR,
                        "Read the error output. Start the same command in the bot's directory: "
                        "the sandbox shows only that directory and the system's runtimes."},
    [FAULT_NO_HELLO] = {"no-hello", CHECK_ERROR,
                        "Print the line that the rules require before anything else, and flush."},
    [FAULT_SLOW_START] = {"slow-start", CHECK_ERROR,
                          "Do less before the first answer, or spread the work over the turns."},
    [FAULT_NEEDS_NETWORK] = {"needs-network", CHECK_ERROR,
                             "Do not use the network: a bot has none in the sandbox. Put what it "
                             "needs into its directory."},
    [FAULT_WRITES_FILES] = {"writes-files", CHECK_ERROR,
                            "Write files only to /tmp: everything else is read-only in the "
                            "sandbox. Files are gone after the match."},
    [FAULT_OUT_OF_MEMORY] = {"out-of-memory", CHECK_ERROR,
                             "Use less memory. The limit includes the language's runtime."},
    [FAULT_NOT_FLUSHED] = {"not-flushed", CHECK_ERROR,
                           "Flush the output after every answer: print(..., flush=True), "
                           "fflush(stdout), $stdout.sync = true."},
    [FAULT_READS_AHEAD] = {"reads-ahead", CHECK_ERROR,
                           "Answer as soon as a view is complete: do not read beyond its end."},
    [FAULT_UNTERMINATED_ANSWER] = {"unterminated-answer", CHECK_ERROR,
                                   "End every answer as the rules say: with a newline, an empty "
                                   "line, \"end\" or \"]\"."},
    [FAULT_NO_ANSWER] = {"no-answer", CHECK_ERROR,
                         "Answer every view, even if there is nothing to do; the rules show an "
                         "answer without orders."},
    [FAULT_SLOW_TURN] = {"slow-turn", CHECK_ERROR,
                         "Look at the clock while the bot thinks, and answer before the limit."},
    [FAULT_CRASH] = {"crash", CHECK_ERROR,
                     "Read the error output. `skirmish feed` sends a recorded view again."},
    [FAULT_EXITS_EARLY] = {"exits-early", CHECK_ERROR,
                           "Read views in a loop until the input ends, and answer each."},
    [FAULT_ANSWER_TOO_LONG] = {"answer-too-long", CHECK_ERROR, "Print shorter answers."},
    [FAULT_INVALID_ANSWER] = {"invalid-answer", CHECK_ERROR,
                              "Print answers in the form that the rules describe."},
    [FAULT_DEBUG_OUTPUT] = {"debug-output", CHECK_ERROR,
                            "Print only answers to standard output, and everything else to "
                            "standard error."},
    [FAULT_EXTRA_ANSWERS] = {"extra-answers", CHECK_ERROR, "Print one answer for each view."},
    [FAULT_REJECTED_ORDERS] = {"rejected-orders", CHECK_WARNING,
                               "Give only orders that the rules allow; `skirmish play --log` "
                               "prints each rejected one."},
    [FAULT_IGNORES_END] = {"ignores-end", CHECK_ERROR,
                           "Exit when standard input ends: the match is over, or the player is "
                           "eliminated."},
    [FAULT_CRASH_AT_END] = {"crash-at-end", CHECK_WARNING,
                            "Treat the end of the input as the normal end: exit with status 0."},
    [FAULT_OUTPUT_AT_END] = {"output-at-end", CHECK_WARNING,
                             "Print nothing when the input ends: nobody reads it."},
    [FAULT_LEAVES_PROCESSES] = {"leaves-processes", CHECK_WARNING,
                                "End the processes that the bot starts before it exits; what is "
                                "left is killed."},
    [FAULT_FAILS_WHEN_ELIMINATED] = {"fails-when-eliminated", CHECK_ERROR,
                                     "Handle views in which the player has nothing left, and "
                                     "the end of the input after them."},
    [FAULT_FAILS_IN_SEAT] = {"fails-in-seat", CHECK_ERROR,
                             "Read from the view which player the bot is; do not assume the "
                             "first."},
    [FAULT_FAILS_ON_MAP] = {"fails-on-map", CHECK_ERROR,
                            "Read the size of the map from the view; do not assume the default "
                            "map."},
    [FAULT_FAILS_WITH_PLAYERS] = {"fails-with-players", CHECK_ERROR,
                                  "Handle any number of players that the rules allow."},
    [FAULT_FAILS_AT_LIMITS] = {"fails-at-limits", CHECK_ERROR,
                               "Handle the longest views that the rules allow: do not assume a "
                               "fixed size."},
    [FAULT_SLOW_AT_LIMITS] =
        {"slow-at-limits", CHECK_WARNING,
         "Look at the clock while the bot thinks: on the largest map that the rules allow, "
         "it needs more time than it has."},
    [FAULT_CRLF] = {"crlf", CHECK_WARNING,
                    "Ignore white space at the end of lines. Views end in LF, but tools and other "
                    "systems may convert them."},
    [FAULT_VIEW_IN_PIECES] = {"view-in-pieces", CHECK_ERROR,
                              "Read up to the end of the view: one read may return a part of it. "
                              "Long views, and those after a missed turn, arrive in pieces."},
    [FAULT_VIEWS_TOGETHER] = {"views-together", CHECK_WARNING,
                              "Read one view at a time, and keep what follows it for the next: "
                              "after a missed turn, several views may arrive at once."},
    [FAULT_LITTLE_TIME] = {"little-time", CHECK_WARNING,
                           "Use at most half of the time limit: other machines are slower."},
    [FAULT_LITTLE_MEMORY] = {"little-memory", CHECK_WARNING,
                             "Use at most half of the memory limit: other matches need more."},
    [FAULT_NOT_DETERMINISTIC] = {"not-deterministic", CHECK_WARNING,
                                 "Seed random numbers with SKIRMISH_SEED from the environment, and "
                                 "do not depend on the time or on the order of hash tables, so "
                                 "that matches repeat."},
};

const FaultKind *fault_kind(Fault fault) {
    return &kinds[fault];
}
