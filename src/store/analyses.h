/* Analyses of finished matches: winning chances and blunders. They are requested and executed
   through the queue (queue.h). The result is in the caller's format and contains no names, because
   it outlives deleted accounts. An analysis is deleted with the replay of its match, and with the
   account that requested it. */
#ifndef STORE_ANALYSES_H
#define STORE_ANALYSES_H

#include "store/types.h"

typedef enum StoreAnalysisState {
    ANALYSIS_NONE,
    ANALYSIS_WAITING,
    ANALYSIS_RUNNING,
    ANALYSIS_DONE,
    ANALYSIS_FAILED
} StoreAnalysisState;

/* What the arena calls them, without the first one; see NAME_ARRAY in http/schemas.h. */
#define ANALYSIS_STATES(name, between) \
 name("waiting") between name("running") between name("done") between name("failed")

typedef struct StoreAnalysis {
    StoreAnalysisState state;
    int64_t time;                  /* when it ended; 0 before */
    char failure[STORE_LINE_SIZE]; /* why it failed, or "" */
} StoreAnalysis;

/* Queues the analysis of a match with a replay. STORE_CONFLICT if the match already has an analysis
   that is done or queued; a failed one is repeated. STORE_BUSY if the account has requested `most`
   analyses in the last hour; *wait is then the number of seconds until it can request another one.
   `request` is the id of the HTTP request in the log, or NULL. */
StoreResult store_queue_analysis(Store *store, uint64_t match, uint64_t account, uint32_t most,
                                 const char *request, uint32_t *wait, Error *error);

typedef struct StoreAnalysisResult {
    Slice result;
    const char *failure; /* why it failed permanently, or NULL */
} StoreAnalysisResult;

/* STORE_CONFLICT for a late or duplicate result, which changes nothing. */
StoreResult store_queue_finish_analysis(Store *store, uint64_t job, uint32_t attempt,
                                        const StoreAnalysisResult *result, Error *error);

/* Reads the analysis of a match, and appends its result if it is done and `result` is not NULL. A
   match without one has ANALYSIS_NONE. */
StoreResult store_analysis_get(Store *store, uint64_t match, StoreAnalysis *analysis,
                               Buffer *result, Error *error);

#endif
