/* See disk.h. */
#include "arena/disk.h"

#include "http/problem.h"

#include <inttypes.h>
#include <stdio.h>
#include <sys/statvfs.h>

enum { RETRY_SECONDS = 60 };

const char disk_low_notice[] =
    "The disk of this arena is almost full; no matches start until there is space again";

static void make_metrics(Arena *arena) {
    ArenaDisk *disk = &arena->disk;
    if (disk->free_bytes || !arena->metrics)
        return;
    disk->free_bytes = metrics_gauge(arena->metrics, "skirmish_disk_free_bytes",
                                     "Free space on the disk with the data directory.", NULL, NULL);
    disk->low_gauge = metrics_gauge(
        arena->metrics, "skirmish_disk_low",
        "1 while the free space is below --free-min and no matches start.", NULL, NULL);
}

/* Logs that the disk has become low, or is no longer low. */
static void report_change(const Arena *arena, bool low, uint64_t room) {
    char text[120];
    snprintf(text, sizeof text,
             low ? "%" PRIu64 " MiB are free: no matches start until there is space"
                 : "%" PRIu64 " MiB are free: matches start again",
             room >> 20);
    if (arena->log)
        log_write(arena->log, low ? LOG_WARNING : LOG_INFO, "disk",
                  &(LogField){"sentence", text, 0}, 1);
}

void disk_measure(Arena *arena) {
    ArenaDisk *disk = &arena->disk;
    struct statvfs about;
    make_metrics(arena);
    if (statvfs(arena->options.data, &about) != 0)
        return; /* the free space is unknown: keep the last state */
    uint64_t room = (uint64_t)about.f_bavail * about.f_frsize;
    uint64_t least = arena->options.free_min;
    bool before = atomic_load(&disk->low);
    /* Resuming needs a little more space, so that the state does not change every second. */
    bool low = room < least + (before ? least / 8 : 0);
    atomic_store(&disk->low, low);
    if (disk->free_bytes) {
        metric_set(disk->free_bytes, (int64_t)room);
        metric_set(disk->low_gauge, low);
    }
    if (low != before)
        report_change(arena, low, room);
}

bool disk_is_low(const Arena *arena) {
    return atomic_load(&arena->disk.low);
}

bool disk_refuse(const Request *request, Response *response) {
    if (!disk_is_low(arena_of(request)))
        return false;
    problem_retry(request, response, 507, RETRY_SECONDS, disk_low_notice);
    return true;
}
