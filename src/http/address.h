/* Addresses of clients, including clients behind trusted proxies. */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include "base/error.h"
#include "base/slice.h"

#include <sys/socket.h>

enum { ADDRESS_TEXT = 46 };

/* An IPv6 address; IPv4 addresses are stored as ::ffff:a.b.c.d. */
typedef struct Address {
    uint8_t bytes[16];
} Address;

typedef struct Network {
    Address base;
    uint32_t bits; /* of the 128 that must match */
} Network;

/* All zeros for anything but IPv4 and IPv6. */
Address address_of(const struct sockaddr *socket_address);
bool address_parse(Slice text, Address *address);
void address_write(Address address, char text[ADDRESS_TEXT]);

/* The key for limits: the address, or its /64 for IPv6, which one customer usually has. */
uint64_t address_key(Address address);

/* "10.0.0.0/8", "::1", ... */
bool network_parse(Slice text, Network *network, Error *error);
bool network_holds(const Network *networks, uint32_t count, Address address);

/* Parses an address as proxies write it, with or without a port: "192.0.2.1:80",
   "[2001:db8::1]:80". */
bool address_parse_with_port(Slice text, Address *address);

/* Follows a line of X-Forwarded-For from right to left: as long as `address` is a trusted proxy,
   replaces it by the next address to the left. With several lines, start with the peer and the last
   line. Returns false at an entry that is not an address; `address` is then the trusted proxy that
   added the entry. */
bool address_follow(Address *address, Slice line, const Network *proxies, uint32_t count);

#endif
