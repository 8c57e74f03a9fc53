/* Messages between the dispatcher and its runners: a length, that many bytes, and optionally a file
   descriptor. Both ends are the same program, so there are no field names and no versions: fields
   are written and read in a fixed order. Reading checks everything, because the other end may have
   died in the middle of a message. */
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
void message_put_text(Buffer *to, const char *text); /* NULL and "" remain distinct */

/* The part of a message that has not been read yet. `good` becomes false at the first missing
   field, and all fields after it are zero. */
typedef struct MessageReader {
    Slice rest;
    bool good;
} MessageReader;

uint64_t message_uint(MessageReader *reader);
int64_t message_int(MessageReader *reader);
Slice message_slice(MessageReader *reader);
char *message_text(MessageReader *reader); /* the caller frees it; NULL if NULL was written */

/* ---- messages ---- */

enum { MESSAGE_MAX = 64 << 20 };

/* Sends a whole message and blocks until done. The descriptor `fd` is sent with it unless it is -1,
   and stays open in this process. False if the other end is gone. */
bool message_send(int socket, Slice message, int fd);

/* Waits for one whole message, which replaces the content of `message`. *fd is its descriptor, or
   -1. False at the end. Reads no byte of the next message, because its descriptor would be lost. */
bool message_read(int socket, Buffer *message, int *fd);

/* Appends received bytes to `in`, without blocking, and ignores descriptors. False at the end. */
bool message_receive(int socket, Buffer *in);

/* Whether `in` starts with a whole message; sets *message to it, which is valid until message_drop
   removes it. Returns false and sets *broken for an invalid length. */
bool message_next(const Buffer *in, Slice *message, bool *broken);
void message_drop(Buffer *in);

#endif
