/* The faults that a check can find in a bot: the name and severity of each, and what to change.
   docs/checking-bots.md lists them all. */
#ifndef CHECK_FAULT_H
#define CHECK_FAULT_H

#include "check/check.h"

typedef enum Fault {
    FAULT_NONE,
    /* the start */
    FAULT_NO_START,
    FAULT_NO_HELLO,
    FAULT_SLOW_START,
    FAULT_NEEDS_NETWORK,
    FAULT_WRITES_FILES,
    FAULT_OUT_OF_MEMORY,
    /* an answer */
    FAULT_NOT_FLUSHED,
    FAULT_READS_AHEAD,
    FAULT_UNTERMINATED_ANSWER,
    FAULT_NO_ANSWER,
    FAULT_SLOW_TURN,
    FAULT_CRASH,
    FAULT_EXITS_EARLY,
    FAULT_ANSWER_TOO_LONG,
    FAULT_INVALID_ANSWER,
    FAULT_DEBUG_OUTPUT,
    FAULT_EXTRA_ANSWERS,
    FAULT_REJECTED_ORDERS,
    /* the end */
    FAULT_IGNORES_END,
    FAULT_CRASH_AT_END,
    FAULT_OUTPUT_AT_END,
    FAULT_LEAVES_PROCESSES,
    FAULT_FAILS_WHEN_ELIMINATED,
    /* only in certain places */
    FAULT_FAILS_IN_SEAT,
    FAULT_FAILS_ON_MAP,
    FAULT_FAILS_WITH_PLAYERS,
    FAULT_FAILS_AT_LIMITS,
    FAULT_SLOW_AT_LIMITS,
    /* another referee */
    FAULT_CRLF,
    FAULT_VIEW_IN_PIECES,
    FAULT_VIEWS_TOGETHER,
    /* resources and seeds */
    FAULT_LITTLE_TIME,
    FAULT_LITTLE_MEMORY,
    FAULT_NOT_DETERMINISTIC,
    FAULTS
} Fault;

typedef struct FaultKind {
    const char *id;
    CheckSeverity severity;
    const char *change; /* a sentence */
} FaultKind;

const FaultKind *fault_kind(Fault fault);

#endif
