/* Messages between the processes that use a PostgreSQL database (LISTEN and NOTIFY), on their own
   connection. A message reaches only the processes that are listening at that moment, so everything
   that matters is in tables, and a message is only a hint to read them.

   A Notices may be used by one thread only. */
#ifndef SQL_NOTICES_H
#define SQL_NOTICES_H

#include "base/error.h"
#include "base/slice.h"

#include <stdbool.h>

typedef struct Notices Notices;

enum { NOTICE_MAX = 7900 }; /* bytes of a message */

/* Connects and listens. The channel is a lower-case word. NULL on failure; error messages never
   contain the password of the URI. */
Notices *notices_open(const char *uri, const char *channel, Error *error);
void notices_close(Notices *notices); /* NULL is fine */

/* The descriptor that becomes readable when there may be a message; -1 while the connection is
   lost. */
int notices_socket(const Notices *notices);

/* Reconnects after the connection was lost; this blocks. Messages may have been missed. */
bool notices_reconnect(Notices *notices);

/* Sends a message to the other processes. False if the connection is lost. */
bool notices_send(Notices *notices, const char *text);

/* Takes the next message of another process, without waiting; false if there is none. The text is
   valid until the next call. */
bool notices_next(Notices *notices, Slice *text);

#endif
