/* Inside the store: requests to an S3-compatible object store. libcurl signs them (SigV4), checks
   certificates and keeps connections open. Requests that fail for a temporary reason (5xx, 429, no
   connection, a truncated response) are retried a few times, with exponential backoff and jitter.
   Requests that the server refuses (4xx) are not. Every function may be called from any thread. */
#ifndef STORE_S3_CLIENT_H
#define STORE_S3_CLIENT_H

#include "store/file_backend.h"

typedef struct S3Client S3Client;

/* Does not connect yet. NULL if the URI is invalid or there are no credentials. */
S3Client *s3_client_open(const char *uri, Error *error);
void s3_client_close(S3Client *client);

/* "s3://BUCKET/PREFIX", for messages; owned by the client. */
const char *s3_client_name(const S3Client *client);

/* Requests for single objects. `key` does not include the prefix. FILE_MISSING: the object does not
   exist. A missing bucket is a failure. */
FileResult s3_get(S3Client *client, const char *key, int to, Error *error);
FileResult s3_get_small(S3Client *client, const char *key, Buffer *to, Error *error);
FileResult s3_head(S3Client *client, const char *key, int64_t *size, Error *error);
bool s3_put(S3Client *client, const char *key, FileSource *source, Error *error);
bool s3_delete(S3Client *client, const char *key, Error *error);

/* Calls `take` with every key that begins with the prefix and `under`, without the prefix; with
   `any`, for at most one key. */
bool s3_list(S3Client *client, const char *under, bool any, FileVisitor *take, void *context,
             Error *error);

#endif
