/* Addresses of clients, and which of those we believe when they speak for another (a proxy in front
   of the arena). */
#ifndef HTTP_ADDRESS_H
#define HTTP_ADDRESS_H

#include "base/error.h"
#include "base/slice.h"

#include <sys/socket.h>

enum { ADDRESS_TEXT = 46 };

/* An IPv6 address; one of IPv4 as ::ffff:a.b.c.d. */
typedef struct Address {
    uint8_t bytes[16];
} Address;

typedef struct Network {
    Address base;
    uint32_t bits; /* of the 128 */
} Network;

/* Anything else than IPv4 and IPv6 is the address of zeros. */
Address address_of(const struct sockaddr *socket_address);
bool address_parse(Slice text, Address *address);
void address_write(Address address, char text[ADDRESS_TEXT]);

/* What limits are counted by: the address, or for IPv6 its /64, since that is what one customer
   has. */
uint64_t address_key(Address address);

/* "10.0.0.0/8", "::1", ... */
bool network_parse(Slice text, Network *network, Error *error);
bool network_holds(const Network *networks, uint32_t count, Address address);

/* Who a request comes from: the peer, or if that is one of our proxies the last one in
   X-Forwarded-For that is not. */
Address address_forwarded(Address peer, Slice forwarded, const Network *proxies, uint32_t count);

#endif
