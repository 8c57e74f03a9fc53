/* Output of compilers and bots: every diagnostic found is part of the text, and the JSON made from
   it is valid. */
#include "arena/bots/bots.h"
#include "fuzz.h"

#include <stdlib.h>

static void check_inside(Slice part, Slice text) {
    if (part.length && (part.at < text.at || part.at + part.length > text.at + text.length))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Diagnostic found[DIAGNOSTICS_MAX];
    Slice text = {(const char *)data, size};
    uint32_t count = diagnostics_find(text, found);
    for (uint32_t i = 0; i < count; i++) {
        check_inside(found[i].file, text);
        check_inside(found[i].message, text);
        if (!found[i].file.length || !found[i].line)
            abort();
    }
    Buffer written = {0};
    Json json = {0};
    Error error;
    JsonOut out = {.to = &written};
    json_open(&out, NULL, '{');
    diagnostics_write(&out, &text, 1);
    json_close(&out, '}');
    if (!json_parse(&json, (Slice){written.data, written.length}, &error))
        abort();
    json_free(&json);
    buffer_free(&written);
    return 0;
}
