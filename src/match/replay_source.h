/* Where the replay reader gets its bytes: the records of a replay, unpacked. The program reads
   files and memory through zstd (replay_file.c); the browser hands over bytes that it has unpacked
   itself. */
#ifndef MATCH_REPLAY_SOURCE_H
#define MATCH_REPLAY_SOURCE_H

#include "match/replay.h"

typedef struct ReplaySource ReplaySource;

/* Errors do not name the replay: the reader does. */
struct ReplaySource {
    bool done; /* the last byte of the records has been read */
    /* Appends the next bytes, tens of kilobytes at most; while not `done` only. */
    bool (*read)(ReplaySource *source, Buffer *to, Error *error);
    bool (*rewind)(ReplaySource *source, Error *error);
    /* Sets `more` if something follows the records; when `done` only. */
    bool (*at_end)(ReplaySource *source, bool *more, Error *error);
    void (*free)(ReplaySource *source);
};

/* Opens a replay, and takes the source over, on failure too. Of an `uploaded` replay the unpacked
   size is limited. */
Replay *replay_open_source(const char *name, ReplaySource *source, bool uploaded, Error *error);

#endif
