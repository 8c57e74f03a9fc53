/* Reads lists of results, one match per line:

       # a comment
       alice > bob                 alice finished before bob
       alice = bob                 a draw
       "odd > name" > b = c > d    any number of bots, best first; names are quoted as in JSON if
                                   they begin with a quote, # or {, or contain one of > = *
       alice > bob * 12            twelve times
       {"players": [{"name": "alice", "rank": 1}, {"name": "bob", "rank": 2}]}
                                   what `skirmish play --json` prints, including times, timeouts and
                                   rejected orders

   It reads lines and numbers the names in order of appearance; the caller provides the lines. */
#ifndef LEAGUE_RESULTS_READER_H
#define LEAGUE_RESULTS_READER_H

#include "base/json.h"
#include "league/standings.h"

enum { RESULTS_READER_BOTS_MAX = 5000, RESULTS_READER_TIMES_MAX = 1000000 };

/* `{0}` is the initial state. */
typedef struct ResultsReader {
    uint32_t bots;
    char **names;
    uint32_t *slots; /* a hash table of the names: a bot's number plus 1, or 0 */
    size_t slot_count;
    Json json;
} ResultsReader;

void results_reader_free(ResultsReader *results_reader);

/* Reads a line. `match->players` is 0 for a line without a match; *times is how often the match
   counts. The error does not name file and line. */
bool results_reader_read(ResultsReader *results_reader, Slice line, PlayedMatch *match,
                         uint64_t *times, Error *error);

#endif
