/* See postgres_uri.h. */
#include "sql/postgres_uri.h"

#include "base/buffer.h"

#include <string.h>

char *postgres_without_secrets(const char *uri) {
    const char *host = strstr(uri, "://") + 3;
    const char *at = strrchr(host, '@');
    if (at && strcspn(host, "@/?") != (size_t)(at - host))
        return NULL;
    Buffer path = {0};
    buffer_add(&path, uri, (size_t)(host - uri));
    if (at) {
        buffer_add(&path, host, strcspn(host, ":@"));
        host = at;
    }
    buffer_add(&path, host, strcspn(host, "?"));
    buffer_string(&path);
    return path.data;
}
