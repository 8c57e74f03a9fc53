/* See bot_users.h. */
#include "bots/bot_users.h"

#include "base/memory.h"
#include "base/slice.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Above the ranges of useradd (up to 600,100,000) and of systemd's containers, and below 2^31,
   where some programs read negative numbers. There is room for 64 users for almost every pid. */
#define FIRST UINT64_C(1879048192)
#define LAST UINT64_C(2147352575)

/* Users from `first` up to, but not including, `end`. */
typedef struct IdRange {
    uint64_t first;
    uint64_t end;
} IdRange;

typedef struct Ranges {
    IdRange *items;
    size_t count;
} Ranges;

static int compare(const void *left, const void *right) {
    uint64_t a = ((const IdRange *)left)->first;
    uint64_t b = ((const IdRange *)right)->first;
    return a < b ? -1 : a > b;
}

/* A line is NAME:FIRST:COUNT. Other lines are ignored, as by the programs that use the file. */
static bool read_range(const char *line, IdRange *range) {
    const char *first = strchr(line, ':');
    const char *count = first ? strchr(first + 1, ':') : NULL;
    int64_t numbers[2];
    if (!count || !slice_int((Slice){first + 1, (size_t)(count - first - 1)}, &numbers[0]) ||
        !slice_int(slice_trim(slice_of(count + 1)), &numbers[1]) || numbers[0] < 0 ||
        numbers[0] > UINT32_MAX || numbers[1] < 0 || numbers[1] > UINT32_MAX)
        return false;
    *range = (IdRange){(uint64_t)numbers[0], (uint64_t)numbers[0] + (uint64_t)numbers[1]};
    return true;
}

static void read_ranges(Ranges *ranges, const char *path) {
    char line[512];
    FILE *file = fopen(path, "re");
    IdRange range;
    while (file && fgets(line, sizeof line, file))
        if (read_range(line, &range)) {
            ranges->items = xreallocarray(ranges->items, ranges->count + 1, sizeof *ranges->items);
            ranges->items[ranges->count++] = range;
        }
    if (file)
        fclose(file);
}

/* The block with this number among the free blocks. Blocks have `size` users each and start at
   FIRST. The ranges are sorted. */
static uint64_t free_block(const Ranges *taken, uint64_t number, uint64_t size) {
    uint64_t total = (LAST + 1 - FIRST) / size;
    uint64_t passed = 0; /* blocks handled so far */
    for (size_t i = 0; i < taken->count; i++) {
        IdRange range = taken->items[i];
        uint64_t from = range.first > FIRST ? (range.first - FIRST) / size : 0;
        uint64_t to = range.end > FIRST ? (range.end - FIRST + size - 1) / size : 0;
        from = from > passed ? from : passed;
        to = to < total ? to : total;
        if (from > number || to <= from)
            continue;
        number += to - from;
        passed = to;
    }
    return number;
}

uint32_t bot_users_first(uint32_t pid, uint32_t count) {
    Ranges taken = {0};
    read_ranges(&taken, "/etc/subuid");
    read_ranges(&taken, "/etc/subgid");
    if (taken.count)
        qsort(taken.items, taken.count, sizeof *taken.items, compare);
    uint64_t total = (LAST + 1 - FIRST) / count;
    uint64_t taken_blocks = free_block(&taken, total, count) - total;
    uint64_t first = taken_blocks < total
                         ? FIRST + free_block(&taken, pid % (total - taken_blocks), count) * count
                         : 0;
    free(taken.items);
    return (uint32_t)first;
}
