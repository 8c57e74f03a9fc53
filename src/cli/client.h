/* The arena as a client of its API sees it: requests with a token, answers as JSON, problems as
   sentences, streams of events. On libcurl, which nothing else includes.

   The token goes to the arena that it is for and nowhere else: redirections are not followed, and
   the file that keeps it is its owner's alone. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "base/json.h"
#include "cli/saved_login.h"

#include <stdio.h>

typedef struct Client Client;

/* The url must be http:// or https:// and name nothing but a host and perhaps a port and a folder.
   A token may be NULL. */
Client *client_new(const char *url, const char *token, Error *error);
void client_free(Client *client); /* NULL is fine */

/* The arena that one is logged in to, with its account; or NULL. */
Client *client_logged_in(SavedLogin *account, Error *error);

const char *client_url(const Client *client);

/* Whether others on the way can read along: no TLS, and not this machine. */
bool client_is_open(const Client *client);

typedef struct Call {
    const char *method; /* NULL: GET */
    const char *path;   /* from /api on */
    Slice body;
    const char *type;       /* of the body; NULL: JSON */
    const char *csrf_token; /* of a session, or NULL */
} Call;

/* {0} at first; may be used again. Free it at the end. */
typedef struct Reply {
    long status;
    Buffer body;
    Json json; /* if it was JSON; else it has no nodes */
} Reply;

/* True for an reply with a good status; the error has the problem's sentence else. A status of 0
   says that there was no reply at all. */
bool client_call(Client *client, const Call *call, Reply *reply, Error *error);
bool client_get(Client *client, const char *path, Reply *reply, Error *error);
void reply_free(Reply *reply);

/* Members of an object of the reply, for reading what may be missing or of another kind: then an
   empty text, 0, or false. */
Slice reply_text(const Reply *reply, uint32_t object, const char *key);
int64_t reply_number(const Reply *reply, uint32_t object, const char *key);
bool reply_is(const Reply *reply, uint32_t object, const char *key);
uint32_t reply_member(const Reply *reply, uint32_t object, const char *key);

/* The member "items" of an reply that is a page of a list: walk it with nodes[].next. *end is the
   first node behind. */
uint32_t reply_items(const Reply *reply, uint32_t *end);

/* Appends a piece of a path or of a query, escaped. */
void url_add(Buffer *to, Slice text);

/* ---- streams ---- */

typedef struct Stream Stream;

typedef struct StreamEvent {
    Slice name; /* good until the next call */
    Slice data;
} StreamEvent;

typedef enum StreamStatus {
    STREAM_EVENT,
    STREAM_QUIET, /* the time is up, or something else woke us */
    STREAM_OVER,  /* there is nothing more to come */
    STREAM_FAILED
} StreamStatus;

/* A connection that breaks is made again, and goes on behind the last event. The client must
   stay. */
Stream *stream_open(Client *client, const char *path);
void stream_close(Stream *stream);

/* The next event, for which it waits so many milliseconds at most, or until `also` (-1: none) can
   be read. */
StreamStatus stream_next(Stream *stream, int timeout_ms, int also, StreamEvent *event,
                         Error *error);

/* ---- printing what others wrote ---- */

/* The reply as it came, for --json. */
void print_reply(const Reply *reply);

#endif
