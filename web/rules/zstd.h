/* Stands in for libzstd where the rules are compiled for the browser: the page unpacks a replay
   before it hands it over (src/rules/film.ts), so that what reads replays finds a "compressed"
   stream whose bytes are plain already. Only what src/match/replay_read.c calls is here. */
#ifndef WEB_ZSTD_H
#define WEB_ZSTD_H

#include <stddef.h>
#include <string.h>

typedef struct ZSTD_DCtx {
    int unused;
} ZSTD_DCtx;

typedef struct ZSTD_inBuffer {
    const void *src;
    size_t size;
    size_t pos;
} ZSTD_inBuffer;

typedef struct ZSTD_outBuffer {
    void *dst;
    size_t size;
    size_t pos;
} ZSTD_outBuffer;

enum { ZSTD_d_windowLogMax, ZSTD_reset_session_only };

static inline ZSTD_DCtx *ZSTD_createDCtx(void) {
    static ZSTD_DCtx only;
    return &only;
}

static inline size_t ZSTD_freeDCtx(ZSTD_DCtx *context) {
    (void)context;
    return 0;
}

static inline size_t ZSTD_DCtx_setParameter(ZSTD_DCtx *context, int name, int value) {
    (void)context, (void)name, (void)value;
    return 0;
}

static inline size_t ZSTD_DCtx_reset(ZSTD_DCtx *context, int what) {
    (void)context, (void)what;
    return 0;
}

/* How many bytes of the stream are to come; whoever opens a replay sets it (rules.c). */
extern size_t zstd_bytes_left;

static inline size_t ZSTD_decompressStream(ZSTD_DCtx *context, ZSTD_outBuffer *out,
                                           ZSTD_inBuffer *in) {
    size_t part = in->size - in->pos;
    (void)context;
    if (part > out->size - out->pos)
        part = out->size - out->pos;
    memcpy((char *)out->dst + out->pos, (const char *)in->src + in->pos, part);
    in->pos += part;
    out->pos += part;
    zstd_bytes_left -= part;
    return zstd_bytes_left;
}

static inline unsigned ZSTD_isError(size_t code) {
    (void)code;
    return 0;
}

static inline const char *ZSTD_getErrorName(size_t code) {
    (void)code;
    return "";
}

#endif
