/* See address.h. */
#include "http/address.h"

#include "base/hash.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

static const uint8_t mapped[12] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};

static Address from_ipv4(const void *bytes) {
    Address address;
    memcpy(address.bytes, mapped, sizeof mapped);
    memcpy(address.bytes + sizeof mapped, bytes, 4);
    return address;
}

static bool is_ipv4(Address address) {
    return memcmp(address.bytes, mapped, sizeof mapped) == 0;
}

Address address_of(const struct sockaddr *socket_address) {
    Address address = {{0}};
    if (socket_address && socket_address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, socket_address, sizeof in);
        address = from_ipv4(&in.sin_addr);
    } else if (socket_address && socket_address->sa_family == AF_INET6) {
        struct sockaddr_in6 in;
        memcpy(&in, socket_address, sizeof in);
        memcpy(address.bytes, &in.sin6_addr, sizeof address.bytes);
    }
    return address;
}

bool address_parse(Slice text, Address *address) {
    char copy[ADDRESS_TEXT];
    uint8_t bytes[4];
    if (!text.length || text.length >= sizeof copy || memchr(text.at, '\0', text.length))
        return false;
    memcpy(copy, text.at, text.length);
    copy[text.length] = '\0';
    if (inet_pton(AF_INET, copy, bytes) == 1) {
        *address = from_ipv4(bytes);
        return true;
    }
    return inet_pton(AF_INET6, copy, address->bytes) == 1;
}

void address_write(Address address, char text[ADDRESS_TEXT]) {
    text[0] = '\0';
    if (is_ipv4(address))
        inet_ntop(AF_INET, address.bytes + sizeof mapped, text, ADDRESS_TEXT);
    else
        inet_ntop(AF_INET6, address.bytes, text, ADDRESS_TEXT);
}

uint64_t address_key(Address address) {
    return hash64(address.bytes, is_ipv4(address) ? 16 : 8);
}

bool network_parse(Slice text, Network *network, Error *error) {
    const char *slash = text.length ? memchr(text.at, '/', text.length) : NULL;
    Slice base = {text.at, slash ? (size_t)(slash - text.at) : text.length};
    int64_t bits = 128;
    if (!address_parse(base, &network->base))
        return error_set(error, "invalid address or network \"%.*s\"; use the form 10.0.0.0/8",
                         SLICE_ARGS(text));
    int64_t most = is_ipv4(network->base) ? 32 : 128;
    if (slash) {
        Slice digits = {slash + 1, text.length - base.length - 1};
        if (!slice_int(digits, &bits) || bits < 0 || bits > most)
            return error_set(
                error, "invalid network \"%.*s\"; the number after the slash must be from 0 to %d",
                SLICE_ARGS(text), (int)most);
        bits += 128 - most;
    }
    network->bits = (uint32_t)bits;
    return true;
}

bool network_holds(const Network *networks, uint32_t count, Address address) {
    for (uint32_t i = 0; i < count; i++) {
        uint32_t whole = networks[i].bits / 8;
        uint32_t rest = networks[i].bits % 8;
        const uint8_t *base = networks[i].base.bytes;
        if (memcmp(base, address.bytes, whole) == 0 &&
            (!rest || (base[whole] >> (8 - rest)) == (address.bytes[whole] >> (8 - rest))))
            return true;
    }
    return false;
}

static bool is_port(Slice text) {
    int64_t port = 0;
    return text.length >= 1 && text.length <= 5 && text.at[0] != '-' && slice_int(text, &port) &&
           port <= UINT16_MAX;
}

bool address_parse_with_port(Slice text, Address *address) {
    bool bracket = text.length && text.at[0] == '[';
    const char *end = text.length ? memchr(text.at, bracket ? ']' : ':', text.length) : NULL;
    if (bracket) {
        if (!end)
            return false;
        Slice inside = {text.at + 1, (size_t)(end - text.at) - 1};
        Slice rest = {end + 1, text.length - inside.length - 2};
        bool plain =
            !rest.length || (rest.at[0] == ':' && is_port((Slice){rest.at + 1, rest.length - 1}));
        return plain && memchr(inside.at, ':', inside.length) && address_parse(inside, address);
    }
    if (!end || memchr(end + 1, ':', text.length - (size_t)(end - text.at) - 1))
        return address_parse(text, address); /* without a port, or IPv6 */
    Slice host = {text.at, (size_t)(end - text.at)};
    return is_port((Slice){end + 1, text.length - host.length - 1}) && address_parse(host, address);
}

bool address_follow(Address *address, Slice line, const Network *proxies, uint32_t count) {
    while (line.length && network_holds(proxies, count, *address)) {
        const char *comma = memrchr(line.at, ',', line.length);
        size_t start = comma ? (size_t)(comma - line.at) + 1 : 0;
        Slice last = slice_trim((Slice){line.at + start, line.length - start});
        if (!address_parse_with_port(last, address))
            return false; /* a trusted proxy adds only addresses */
        line.length = comma ? start - 1 : 0;
    }
    return true;
}
