/* Which host names a server answers to.

   A page of another site can make its own name resolve to our address and then send requests that
   its browser takes for requests to that site (DNS rebinding): it could read everything that we
   show without a login, past a firewall. But such requests carry that name in their Host header. An
   address, or a name that can only mean this machine, cannot be abused in this way. */
#ifndef HTTP_HOST_H
#define HTTP_HOST_H

#include "http/head.h"

/* Whether a host, with or without a port, is an address, localhost, a name below it, or one of the
   words of `names`. A word ".example.org" stands for all names below example.org. */
bool host_is_known(const char *names, Slice host);

/* Whether the Host header of a request, and the host of an absolute URL, are known. An HTTP/1.0
   request needs no host. NULL for `names` means that any will do. */
bool host_is_served(const char *names, const Head *head);

#endif
