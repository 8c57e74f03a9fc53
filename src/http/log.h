/* The log: one JSON object a line, with time, level and event, and the fields that the caller
   names.

   Whatever the fields hold is written as JSON, so no value can begin a line or a field of its own.
   Nobody should hand it a header, a query, a body or a password; the server's own lines say which
   route was asked for, never which words. Lines are kept for a moment and written together:
   log_flush does it, and anything from LOG_WARNING up does it at once. A log that cannot be written
   loses lines, counts them, and holds nobody up. May be used from any thread. */
#ifndef HTTP_LOG_H
#define HTTP_LOG_H

#include "base/slice.h"

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR } LogLevel;

typedef struct LogField {
    const char *name;
    const char *text; /* NULL: the number */
    int64_t number;
} LogField;

typedef struct Log Log;

/* Writes to `fd`, which stays the caller's, what is of level `least` and above. */
Log *log_new(int fd, LogLevel least);
void log_free(Log *log);

/* A NULL log takes anything. `event` and the names are constants. */
void log_write(Log *log, LogLevel level, const char *event, const LogField *fields, uint32_t count);
void log_flush(Log *log);

#endif
