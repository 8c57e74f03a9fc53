/* Parses the head of an HTTP/1 request: the request line and the headers.

   Parsing is strict. It rejects everything that a proxy in front of this server could interpret
   differently: lines that end in a bare LF, white space before a colon, folded lines, NUL and other
   control characters, and repeated or contradictory Host, Content-Length and Transfer-Encoding
   headers. The functions are pure and allocate nothing. */
#ifndef HTTP_HEAD_H
#define HTTP_HEAD_H

#include "base/error.h"
#include "http/decode.h"

enum {
    HEAD_URI_MAX = 4096,
    HEAD_BYTES_MAX = 12288, /* of the names and values of all headers */
    HEAD_LINES_MAX = 48,
    /* of a whole head, including punctuation and line ends; larger heads are rejected */
    HEAD_SIZE_MAX = 24 << 10,
};

typedef struct Head {
    Slice method;
    Slice target;  /* as sent: a path with a query, an absolute URL, or anything else */
    bool old;      /* HTTP/1.0 */
    Slice host;    /* empty in an HTTP/1.0 request without one */
    Pair *headers; /* the caller's, HEAD_LINES_MAX of them */
    uint32_t header_count;
    bool announced; /* a body follows */
    bool chunked;   /* the body is chunked; otherwise it has `body_size` bytes */
    uint64_t body_size;
    bool close;   /* the client wants the connection closed after the response */
    bool expects; /* the client waits for "100 Continue" before it sends the body */
} Head;

typedef enum HeadEnd {
    HEAD_INCOMPLETE,
    HEAD_COMPLETE,
    HEAD_BARE_LF, /* a line that does not end in CR LF */
} HeadEnd;

/* Looks for the empty line that ends a head. `searched` starts at 0 and records how far earlier
   calls have searched. Sets `size` to the length of a complete head, including the empty line. */
HeadEnd head_find_end(Slice bytes, size_t *searched, size_t *size);

/* Parses a complete head into `head`, whose member `headers` the caller has set; the slices point
   into `bytes`. Returns 0, or the status of the response with an error: 400, 414, 417, 431, 501
   or 505. Then only the members read before the error are set. */
unsigned head_parse(Slice bytes, Head *head, Error *error);

#endif
