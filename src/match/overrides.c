/* See overrides.h. */
#include "match/overrides.h"

static const struct {
    const char *name;
    uint64_t most;
} limits[LIMITS] = {
    [LIMIT_MEMORY] = {"memory", 1 << 20},
    [LIMIT_PROCESSES] = {"processes", 100000},
    [LIMIT_CPU] = {"cpu", 100000},
    [LIMIT_FILES] = {"files", 1 << 20},
    [LIMIT_FILE_SIZE] = {"file-size", 1 << 20},
    [LIMIT_TMP] = {"tmp", 1 << 20},
    [LIMIT_ANSWER] = {"answer", 1 << 30},
    [LIMIT_STDERR] = {"stderr", 1 << 30},
    [LIMIT_REPLAY] = {"replay", 1 << 30},
};

const char *limit_name(LimitKind limit) {
    return limits[limit].name;
}

uint64_t limit_most(LimitKind limit) {
    return limits[limit].most;
}

SandboxLimits overrides_apply(const MatchOverrides *overrides, GameSetup *setup) {
    GameTalk *talk = &setup->talk;
    if (overrides->turn_ms)
        talk->turn_ms = overrides->turn_ms;
    if (overrides->start_ms)
        talk->start_ms = overrides->start_ms;
    if (overrides->limits[LIMIT_ANSWER])
        talk->answer_limit = (uint32_t)overrides->limits[LIMIT_ANSWER];
    SandboxLimits use = sandbox_standard_limits;
    if (talk->memory_kib)
        use.memory = (uint64_t)talk->memory_kib << 10;
    if (overrides->limits[LIMIT_MEMORY])
        use.memory = overrides->limits[LIMIT_MEMORY] << 20;
    uint64_t most = (uint64_t)overrides->memory_most << 20;
    if (most && use.memory > most)
        use.memory = most;
    if (overrides->limits[LIMIT_PROCESSES])
        use.processes = (uint32_t)overrides->limits[LIMIT_PROCESSES];
    use.cpu = (uint32_t)overrides->limits[LIMIT_CPU];
    if (overrides->limits[LIMIT_FILES])
        use.open_files = (uint32_t)overrides->limits[LIMIT_FILES];
    if (overrides->limits[LIMIT_FILE_SIZE])
        use.file_size = overrides->limits[LIMIT_FILE_SIZE] << 20;
    if (overrides->limits[LIMIT_TMP])
        use.tmp_size = overrides->limits[LIMIT_TMP] << 20;
    return use;
}
