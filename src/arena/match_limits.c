/* See match_limits.h. The limits are stored as one setting: a list of NAME=VALUE. A version that
   does not know a name ignores it, so that adjacent versions can run side by side. */
#include "arena/match_limits.h"

#include <inttypes.h>
#include <string.h>

#define SETTING "limits"

typedef struct Limit {
    const char *name;
    uint64_t *wide;
    uint32_t *narrow; /* if `wide` is NULL */
} Limit;

enum { LIMITS = 8 };

static void limits_of(ArenaOptions *options, Limit limits[LIMITS]) {
    const Limit all[LIMITS] = {
        {"match_seconds", NULL, &options->match_seconds},
        {"lease_seconds", NULL, &options->lease_seconds},
        {"bot_memory_max", NULL, &options->bot_memory_max},
        {"replay_max", &options->replay_max, NULL},
        {"upload_max", &options->upload_max, NULL},
        {"unpacked_max", &options->unpacked_max, NULL},
        {"disk_max", &options->disk_max, NULL},
        {"worker_speed_min", NULL, &options->worker_speed_min},
    };
    memcpy(limits, all, sizeof all);
}

bool match_limits_store(const Arena *arena, Error *error) {
    ArenaOptions options = arena->options;
    Limit limits[LIMITS];
    Buffer text = {0};
    Buffer stored = {0};
    limits_of(&options, limits);
    for (uint32_t i = 0; i < LIMITS; i++)
        buffer_format(&text, "%s%s=%" PRIu64, i ? " " : "", limits[i].name,
                      limits[i].wide ? *limits[i].wide : *limits[i].narrow);
    StoreResult result = store_setting_get(arena->store, SETTING, &stored, error);
    if (result == STORE_NOT_FOUND ||
        (result == STORE_OK && strcmp(buffer_string(&stored), buffer_string(&text)) != 0))
        result = store_setting_set(arena->store, SETTING, buffer_string(&text), error);
    buffer_free(&text);
    buffer_free(&stored);
    return result == STORE_OK;
}

bool match_limits_load(Arena *arena, Error *error) {
    Limit limits[LIMITS];
    Buffer stored = {0};
    Slice word;
    limits_of(&arena->options, limits);
    StoreResult result = store_setting_get(arena->store, SETTING, &stored, error);
    Slice rest = {stored.data, stored.length};
    while (result == STORE_OK && slice_word(&rest, &word))
        for (uint32_t i = 0; i < LIMITS; i++) {
            Slice value = word;
            int64_t number;
            if (!slice_skip(&value, limits[i].name) || !slice_skip(&value, "=") ||
                !slice_int(value, &number) || number < 0)
                continue;
            if (limits[i].wide)
                *limits[i].wide = (uint64_t)number;
            else
                *limits[i].narrow = (uint32_t)number;
        }
    buffer_free(&stored);
    return result == STORE_OK || result == STORE_NOT_FOUND;
}
