/* See terms.h. */
#include "match/terms.h"

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
};

const char *limit_name(TermsLimit limit) {
    return limits[limit].name;
}

uint64_t limit_most(TermsLimit limit) {
    return limits[limit].most;
}

SandboxLimits terms_apply(const MatchTerms *terms, GameSetup *setup) {
    GameTalk *talk = &setup->talk;
    if (terms->turn_ms)
        talk->turn_ms = terms->turn_ms;
    if (terms->start_ms)
        talk->start_ms = terms->start_ms;
    if (terms->limits[LIMIT_ANSWER])
        talk->answer_limit = (uint32_t)terms->limits[LIMIT_ANSWER];
    SandboxLimits use = sandbox_standard_limits;
    if (talk->memory_kib)
        use.memory = (uint64_t)talk->memory_kib << 10;
    if (terms->limits[LIMIT_MEMORY])
        use.memory = terms->limits[LIMIT_MEMORY] << 20;
    if (terms->limits[LIMIT_PROCESSES])
        use.processes = (uint32_t)terms->limits[LIMIT_PROCESSES];
    use.cpu = (uint32_t)terms->limits[LIMIT_CPU];
    if (terms->limits[LIMIT_FILES])
        use.open_files = (uint32_t)terms->limits[LIMIT_FILES];
    if (terms->limits[LIMIT_FILE_SIZE])
        use.file_size = terms->limits[LIMIT_FILE_SIZE] << 20;
    if (terms->limits[LIMIT_TMP])
        use.tmp_size = terms->limits[LIMIT_TMP] << 20;
    return use;
}
