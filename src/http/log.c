/* See log.h. */
#include "http/log.h"

#include "base/json.h"
#include "base/memory.h"

#include <errno.h>
#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

enum { KEPT_MAX = 1 << 20, WRITE_AT = 1 << 16 };

struct Log {
    int fd;
    LogLevel least;
    pthread_mutex_t lock;
    Buffer kept;    /* whole lines */
    Buffer writing; /* being written by the thread that set `busy` */
    bool busy;
    uint64_t lost;
};

Log *log_new(int fd, LogLevel least) {
    Log *log = xcalloc(1, sizeof *log);
    log->fd = fd;
    log->least = least;
    pthread_mutex_init(&log->lock, NULL);
    return log;
}

void log_free(Log *log) {
    if (!log)
        return;
    log_flush(log);
    pthread_mutex_destroy(&log->lock);
    buffer_free(&log->kept);
    buffer_free(&log->writing);
    free(log);
}

static void write_time(Buffer *to) {
    struct timespec now;
    struct tm parts;
    clock_gettime(CLOCK_REALTIME, &now);
    gmtime_r(&now.tv_sec, &parts);
    buffer_format(to, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", parts.tm_year + 1900, parts.tm_mon + 1,
                  parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec,
                  (int)(now.tv_nsec / 1000000));
}

static void write_line(Buffer *to, LogLevel level, const char *event, const LogField *fields,
                       uint32_t count) {
    static const char *const levels[] = {"debug", "info", "warning", "error"};
    buffer_text(to, "{\"time\":\"");
    write_time(to);
    buffer_char(to, '"');
    JsonOut out = {.to = to, .comma = true};
    json_out_text(&out, "level", levels[level]);
    json_out_text(&out, "event", event);
    for (uint32_t i = 0; i < count; i++) {
        if (fields[i].text)
            json_out_text(&out, fields[i].name, fields[i].text);
        else
            json_out_int(&out, fields[i].name, fields[i].number);
    }
    buffer_text(to, "}\n");
}

/* Writes the buffered lines. Called with the lock held, which it releases while it writes. */
static void flush(Log *log) {
    if (log->busy || !log->kept.length)
        return;
    log->busy = true;
    Buffer swapped = log->writing;
    log->writing = log->kept;
    log->kept = swapped;
    pthread_mutex_unlock(&log->lock);
    size_t done = 0;
    while (done < log->writing.length) {
        ssize_t count = write(log->fd, log->writing.data + done, log->writing.length - done);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            break;
        done += (size_t)count;
    }
    uint64_t lost = 0;
    for (; done < log->writing.length; done++)
        lost += log->writing.data[done] == '\n';
    buffer_clear(&log->writing);
    pthread_mutex_lock(&log->lock);
    log->lost += lost;
    log->busy = false;
}

void log_write(Log *log, LogLevel level, const char *event, const LogField *fields,
               uint32_t count) {
    if (!log || level < log->least)
        return;
    pthread_mutex_lock(&log->lock);
    if (log->kept.length > KEPT_MAX) {
        log->lost++;
    } else {
        if (log->lost) {
            write_line(&log->kept, LOG_WARNING, "log lines lost",
                       &(LogField){.name = "lines", .number = (int64_t)log->lost}, 1);
            log->lost = 0;
        }
        write_line(&log->kept, level, event, fields, count);
    }
    if (level >= LOG_WARNING || log->kept.length >= WRITE_AT)
        flush(log);
    pthread_mutex_unlock(&log->lock);
}

void log_flush(Log *log) {
    if (!log)
        return;
    pthread_mutex_lock(&log->lock);
    flush(log);
    pthread_mutex_unlock(&log->lock);
}
