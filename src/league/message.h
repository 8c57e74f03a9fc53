/* Messages between the dispatcher and its runners: a length and so many bytes, perhaps with a file
   descriptor beside them. Both ends are the same program, so there are no names and no versions:
   fields are put in and taken out in one order. What is taken out is still checked, since the other
   end may have died in the middle of a word. */
#ifndef LEAGUE_MESSAGE_H
#define LEAGUE_MESSAGE_H

#include "base/buffer.h"
#include "base/slice.h"

#include <stdbool.h>
#include <stdint.h>

/* ---- fields ---- */

void message_put_uint(Buffer *to, uint64_t value);
void message_put_int(Buffer *to, int64_t value);
void message_put_slice(Buffer *to, Slice bytes);
void message_put_text(Buffer *to, const char *text); /* NULL is kept apart from "" */

/* What is left of a message; `good` becomes false with the first field that is not there, and the
   fields after that are zero. */
typedef struct MessageReader {
    Slice rest;
    bool good;
} MessageReader;

uint64_t message_uint(MessageReader *reader);
int64_t message_int(MessageReader *reader);
Slice message_slice(MessageReader *reader);
char *message_text(MessageReader *reader); /* the caller frees it; NULL if NULL was put in */

/* ---- messages ---- */

enum { MESSAGE_MAX = 64 << 20 };

/* Sends a whole message, waiting as long as it takes. `fd` goes along, or is -1; it stays open
   here. False when the other end is gone. */
bool message_send(int socket, Slice message, int fd);

/* Waits for one whole message and puts it in place of what `message` held. A descriptor that came
   along is *fd, or -1. False at the end. It reads no byte of the next message, whose descriptor
   would be lost with it. */
bool message_read(int socket, Buffer *message, int *fd);

/* For who must not wait: appends what has come to `in`, descriptors aside. False at the end. */
bool message_receive(int socket, Buffer *in);

/* Whether a whole message stands at the front of `in`; then that is *message, until message_drop takes
   it away. False with *broken for a length that no message has. */
bool message_next(const Buffer *in, Slice *message, bool *broken);
void message_drop(Buffer *in);

#endif
