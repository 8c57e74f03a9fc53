/* See host.h. */
#include "http/host.h"

#include "http/address.h"

#include <string.h>
#include <strings.h>

/* The host without its port and without the trailing dot of a fully qualified name. */
static Slice without_port(Slice host) {
    const char *colon = host.length ? memrchr(host.at, ':', host.length) : NULL;
    if (colon)
        host.length = (size_t)(colon - host.at);
    if (host.length && host.at[host.length - 1] == '.')
        host.length--;
    return host;
}

/* Whether the name is `word`, or ends in `word` if `word` begins with a dot. */
static bool matches(Slice name, Slice word) {
    bool below = word.length && word.at[0] == '.';
    return (below ? name.length > word.length : name.length == word.length) &&
           strncasecmp(name.at + name.length - word.length, word.at, word.length) == 0;
}

bool host_is_known(const char *names, Slice host) {
    Address address;
    Slice rest = slice_of(names);
    Slice word;
    if (address_parse_with_port(host, &address))
        return true;
    Slice name = without_port(host);
    if (matches(name, slice_of("localhost")) || matches(name, slice_of(".localhost")))
        return true;
    while (slice_word(&rest, &word))
        if (matches(name, word))
            return true;
    return false;
}

bool host_is_served(const char *names, const Head *head) {
    Slice rest = head->target;
    if (!names)
        return true;
    if (slice_skip(&rest, "http://") || slice_skip(&rest, "https://")) {
        const char *slash = rest.length ? memchr(rest.at, '/', rest.length) : NULL;
        rest.length = slash ? (size_t)(slash - rest.at) : rest.length;
        if (!host_is_known(names, rest))
            return false;
    }
    return (head->old && !head->host.length) || host_is_known(names, head->host);
}
