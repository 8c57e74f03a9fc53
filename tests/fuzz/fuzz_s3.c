/* URIs of buckets, and the lists that an object store answers with. */
#include "fuzz.h"
#include "store/s3_uri.h"

#include <stdlib.h>

static void take(void *context, const char *key) {
    *(size_t *)context += strlen(key) + 1;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    Slice text = {(const char *)data, size};
    char *copy = slice_copy(text);
    S3Uri uri;
    Error error;
    Buffer base = {0};
    Buffer next = {0};
    size_t bytes = 0;
    if (s3_uri_parse(copy, &uri, &error)) {
        s3_uri_base(&uri, &base);
        size_t prefix = strlen(uri.prefix);
        if (strlen(uri.bucket) < 3 || (prefix && uri.prefix[prefix - 1] != '/'))
            abort();
    }
    s3_list_parse(text, take, &bytes, &next);
    if (bytes + next.length > 2 * size)
        abort(); /* more than the input has */
    buffer_free(&next);
    buffer_free(&base);
    free(copy);
    return 0;
}
