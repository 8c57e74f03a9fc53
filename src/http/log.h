/* The log: one JSON object per line, with time, level, event and the caller's fields.

   Values are written as JSON, so no value can inject a line or a field. Never pass a header, a
   query, a body or a password; the server's own lines name the route, never the URL. Lines are
   buffered and written together by log_flush; lines of level LOG_WARNING and above are written at
   once. If the log cannot be written, lines are dropped and counted, and nothing blocks. Safe to
   use from any thread. */
#ifndef HTTP_LOG_H
#define HTTP_LOG_H

#include "base/slice.h"

typedef enum LogLevel { LOG_DEBUG, LOG_INFO, LOG_WARNING, LOG_ERROR } LogLevel;

typedef struct LogField {
    const char *name;
    const char *text; /* NULL: the field has the value `number` */
    int64_t number;
} LogField;

typedef struct Log Log;

/* Writes lines of level `least` and above to `fd`, which the caller continues to own. */
Log *log_new(int fd, LogLevel least);
void log_free(Log *log);

/* Does nothing if `log` is NULL. `event` and the names are constants. */
void log_write(Log *log, LogLevel level, const char *event, const LogField *fields, uint32_t count);
void log_flush(Log *log);

#endif
