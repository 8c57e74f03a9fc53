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

void wire_put_uint(Buffer *to, uint64_t value);
void wire_put_int(Buffer *to, int64_t value);
void wire_put_slice(Buffer *to, Slice bytes);
void wire_put_text(Buffer *to, const char *text); /* NULL is kept apart from "" */

/* What is left of a message; `good` becomes false with the first field that is not there, and the
   fields after that are zero. */
typedef struct WireReader {
    Slice rest;
    bool good;
} WireReader;

uint64_t wire_uint(WireReader *reader);
int64_t wire_int(WireReader *reader);
Slice wire_slice(WireReader *reader);
char *wire_text(WireReader *reader); /* the caller frees it; NULL if NULL was put in */

/* ---- messages ---- */

enum { WIRE_MESSAGE_MAX = 64 << 20 };

/* Sends a whole message, waiting as long as it takes. `fd` goes along, or is -1; it stays open
   here. False when the other end is gone. */
bool wire_send(int socket, Slice message, int fd);

/* Waits for one whole message and puts it in place of what `message` held. A descriptor that came
   along is *fd, or -1. False at the end. It reads no byte of the next message, whose descriptor
   would be lost with it. */
bool wire_read(int socket, Buffer *message, int *fd);

/* For who must not wait: appends what has come to `in`, descriptors aside. False at the end. */
bool wire_receive(int socket, Buffer *in);

/* Whether a whole message stands at the front of `in`; then that is *message, until wire_drop takes
   it away. False with *broken for a length that no message has. */
bool wire_message(const Buffer *in, Slice *message, bool *broken);
void wire_drop(Buffer *in);

#endif
