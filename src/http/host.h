/* Which host names a server answers to.

   This prevents DNS rebinding: a hostile site can make its own name resolve to this server's
   address, so that the browser treats requests from that site as same-origin. It could then read
   everything that needs no login, even behind a firewall. Such requests carry the site's name in
   their Host header. Addresses and names that always mean this machine are safe. */
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
