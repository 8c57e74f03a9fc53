/* Inside the store: the keys for an object store. They come from AWS_ACCESS_KEY_ID,
   AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, or from the file set by AWS_SHARED_CREDENTIALS_FILE,
   ~/.aws/credentials by default, where AWS_PROFILE names the section.

   The variables are erased when they are first read, because other programs of the same user, such
   as bots without a sandbox, could read them. Error messages never contain a key. */
#ifndef STORE_S3_CREDENTIALS_H
#define STORE_S3_CREDENTIALS_H

#include "base/error.h"

enum { S3_KEY_SIZE = 256, S3_TOKEN_SIZE = 8192 };

typedef struct S3Credentials {
    char key[S3_KEY_SIZE];
    char secret[S3_KEY_SIZE];
    char token[S3_TOKEN_SIZE]; /* "": none */
} S3Credentials;

bool s3_credentials_read(S3Credentials *credentials, Error *error);

#endif
