/* A client of the arena's API: requests with a token, replies as JSON, problems as errors, and
   streams of events. Only client.c uses libcurl.

   The token is sent only to its own arena: redirects are not followed. */
#ifndef CLI_CLIENT_H
#define CLI_CLIENT_H

#include "base/json.h"
#include "cli/saved_login.h"

#include <stdio.h>

typedef struct Client Client;

/* The url is http:// or https:// with a host and optionally a port and a path. The token may be
   NULL. */
Client *client_new(const char *url, const char *token, Error *error);
void client_free(Client *client); /* NULL is fine */

/* A client for the arena that the user is logged in to; NULL if there is none. */
Client *client_logged_in(SavedLogin *account, Error *error);

const char *client_url(const Client *client);

/* Whether others can read the traffic: it is not encrypted and leaves this machine. */
bool client_is_open(const Client *client);

typedef struct Call {
    const char *method; /* NULL: GET */
    const char *path;   /* begins with /api */
    Slice body;
    const char *type;       /* content type of the body; NULL: JSON */
    const char *csrf_token; /* CSRF token of the session, or NULL */
} Call;

/* Starts as {0} and can be reused. */
typedef struct Reply {
    long status;
    Buffer body;
    Json json; /* without nodes if the body is not JSON */
} Reply;

/* True for a reply with a 2xx status; otherwise sets the error. Status 0 means that there was no
   reply at all. */
bool client_call(Client *client, const Call *call, Reply *reply, Error *error);
bool client_get(Client *client, const char *path, Reply *reply, Error *error);
void reply_free(Reply *reply);

/* Members of an object in the reply. A member that is missing or of another kind reads as an empty
   text or 0. */
Slice reply_text(const Reply *reply, uint32_t object, const char *key);
int64_t reply_number(const Reply *reply, uint32_t object, const char *key);
uint32_t reply_member(const Reply *reply, uint32_t object, const char *key);

/* The member "items" of a reply that is a page of a list: walk it with nodes[].next. *end is the
   first node after it. */
uint32_t reply_items(const Reply *reply, uint32_t *end);

/* Appends a part of a path or query, percent-encoded. */
void url_add(Buffer *to, Slice text);

/* ---- streams ---- */

typedef struct Stream Stream;

typedef struct StreamEvent {
    Slice name; /* valid until the next call */
    Slice data;
} StreamEvent;

typedef enum StreamStatus {
    STREAM_EVENT,
    STREAM_QUIET, /* timed out, or `also` can be read */
    STREAM_OVER,  /* complete */
    STREAM_FAILED
} StreamStatus;

/* A broken connection is reopened and continues after the last event. The client must outlive the
   stream. */
Stream *stream_open(Client *client, const char *path);
void stream_close(Stream *stream);

/* Waits for the next event, for at most `timeout_ms`, or until the descriptor `also` (-1: none) can
   be read. */
StreamStatus stream_next(Stream *stream, int timeout_ms, int also, StreamEvent *event,
                         Error *error);

/* ---- printing ---- */

/* Prints the body unchanged, for --json. */
void print_reply(const Reply *reply);

#endif
