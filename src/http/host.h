/* Which host names a server answers to.

   Another site can make its own name resolve to this server's address and send requests that the
   browser treats as same-origin (DNS rebinding): it could read everything that needs no login, past
   a firewall. But such requests carry that name in their Host header. Addresses, and names that can
   only mean this machine, cannot be abused in this way. */
#ifndef HTTP_HOST_H
#define HTTP_HOST_H

#include "http/head.h"

/* Whether a host, with or without a port, is an address, localhost, a name below it, or one of the
   words of `names`. A word ".example.org" matches all names below example.org. */
bool host_is_known(const char *names, Slice host);

/* Whether the Host header of a request, and the host of an absolute URL, are known. An HTTP/1.0
   request does not need a host. NULL for `names` allows any. */
bool host_is_served(const char *names, const Head *head);

#endif
