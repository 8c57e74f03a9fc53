/* See s3_client.h. */
#include "store/s3_client.h"

#include "base/clock.h"
#include "base/memory.h"
#include "store/s3_credentials.h"
#include "store/s3_uri.h"

#include <curl/curl.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum {
    HANDLES_MAX = 16, /* idle ones, each with an open connection */
    ATTEMPTS = 5,
    PAUSE_MS = 100, /* before the second attempt; doubled for each further one */
    /* No attempt begins later than this after the first. The engine stores a replay between two
       extensions of its leases, so a server that hangs must not block it for long. */
    RETRY_MS = 15000,
    CONNECT_SECONDS = 10,
    ANSWER_MAX = 8 << 20, /* bytes of a list or an error */
};

struct S3Client {
    S3Uri uri;
    char *base; /* the URL of an object without its key */
    char *name;
    char signature[128]; /* for CURLOPT_AWS_SIGV4 */
    S3Credentials credentials;
    pthread_mutex_t lock; /* guards what follows */
    CURL *idle[HANDLES_MAX];
    uint32_t idle_count;
};

/* ---- opening and closing ---- */

static void initialize_curl(void) {
    curl_global_init(CURL_GLOBAL_ALL);
}

static const char *region_of(const S3Uri *uri) {
    const char *named = getenv("AWS_REGION");
    if (!named)
        named = getenv("AWS_DEFAULT_REGION");
    return uri->region[0] ? uri->region : named && named[0] ? named : "us-east-1";
}

S3Client *s3_client_open(const char *uri, Error *error) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    S3Client *client = xcalloc(1, sizeof *client);
    Buffer base = {0};
    Buffer name = {0};
    pthread_mutex_init(&client->lock, NULL);
    pthread_once(&once, initialize_curl);
    bool good =
        s3_uri_parse(uri, &client->uri, error) && s3_credentials_read(&client->credentials, error);
    char region[sizeof client->uri.region];
    snprintf(region, sizeof region, "%s", region_of(&client->uri));
    memcpy(client->uri.region, region, sizeof region);
    snprintf(client->signature, sizeof client->signature, "aws:amz:%s:s3", region);
    s3_uri_base(&client->uri, &base);
    buffer_format(&name, "s3://%s/%s", client->uri.bucket, client->uri.prefix);
    name.length -= name.data[name.length - 1] == '/';
    buffer_string(&base);
    buffer_string(&name);
    client->base = base.data;
    client->name = name.data;
    if (good)
        return client;
    s3_client_close(client);
    return NULL;
}

void s3_client_close(S3Client *client) {
    for (uint32_t i = 0; i < client->idle_count; i++)
        curl_easy_cleanup(client->idle[i]);
    sodium_memzero(&client->credentials, sizeof client->credentials);
    pthread_mutex_destroy(&client->lock);
    free(client->base);
    free(client->name);
    free(client);
}

const char *s3_client_name(const S3Client *client) {
    return client->name;
}

static CURL *take_handle(S3Client *client) {
    CURL *handle = NULL;
    pthread_mutex_lock(&client->lock);
    if (client->idle_count)
        handle = client->idle[--client->idle_count];
    pthread_mutex_unlock(&client->lock);
    return handle ? handle : curl_easy_init();
}

static void return_handle(S3Client *client, CURL *handle) {
    curl_easy_reset(handle); /* keeps connections open */
    pthread_mutex_lock(&client->lock);
    bool full = client->idle_count == HANDLES_MAX;
    if (!full)
        client->idle[client->idle_count++] = handle;
    pthread_mutex_unlock(&client->lock);
    if (full)
        curl_easy_cleanup(handle);
}

/* ---- one attempt ---- */

/* A request. The body of a successful response goes to `to` or `body`. */
typedef struct S3Request {
    const char *method;
    const char *key;     /* without the prefix */
    const char *query;   /* sorted and encoded, as required for the signature; or NULL */
    FileSource *source;  /* the content to send, or NULL */
    const char *payload; /* the SHA-256 of the content */
    int to;              /* a descriptor; -1: use `body` */
    Buffer body;         /* also receives the body of an error */
    int64_t size;        /* Content-Length of the response */
    CURL *handle;
    Error failure; /* from reading the source or writing the response */
} S3Request;

static size_t send_bytes(char *to, size_t one, size_t room, void *context) {
    S3Request *request = context;
    ssize_t count = source_read(request->source, to, one * room, &request->failure);
    return count < 0 ? CURL_READFUNC_ABORT : (size_t)count;
}

static int rewind_source(void *context, curl_off_t offset, int origin) {
    S3Request *request = context;
    if (offset != 0 || origin != SEEK_SET)
        return CURL_SEEKFUNC_CANTSEEK;
    source_rewind(request->source);
    return CURL_SEEKFUNC_OK;
}

static size_t receive_bytes(char *bytes, size_t one, size_t count, void *context) {
    S3Request *request = context;
    long status = 0;
    curl_easy_getinfo(request->handle, CURLINFO_RESPONSE_CODE, &status);
    if (request->to >= 0 && status == 200)
        return file_write_bytes(request->to, bytes, one * count, &request->failure) ? one * count
                                                                                    : 0;
    if (request->body.length + one * count > ANSWER_MAX)
        return 0;
    buffer_add(&request->body, bytes, one * count);
    return one * count;
}

static struct curl_slist *headers_of(const S3Client *client, const S3Request *request) {
    static const char of_nothing[] =
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855";
    Buffer line = {0};
    buffer_format(&line, "x-amz-content-sha256: %s",
                  request->payload ? request->payload : of_nothing);
    struct curl_slist *headers = curl_slist_append(NULL, buffer_string(&line));
    if (client->credentials.token[0]) {
        buffer_clear(&line);
        buffer_format(&line, "x-amz-security-token: %s", client->credentials.token);
        headers = curl_slist_append(headers, buffer_string(&line));
    }
    sodium_memzero(line.data, line.length);
    buffer_free(&line);
    return headers;
}

static void set_options(const S3Client *client, S3Request *request, const char *url,
                        struct curl_slist *headers) {
    CURL *handle = request->handle;
    curl_easy_setopt(handle, CURLOPT_URL, url);
    curl_easy_setopt(handle, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(handle, CURLOPT_AWS_SIGV4, client->signature);
    curl_easy_setopt(handle, CURLOPT_USERNAME, client->credentials.key);
    curl_easy_setopt(handle, CURLOPT_PASSWORD, client->credentials.secret);
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_PATH_AS_IS, 1L);
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(handle, CURLOPT_LOW_SPEED_TIME, (long)client->uri.timeout);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, receive_bytes);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, request);
    if (strcmp(request->method, "HEAD") == 0) {
        curl_easy_setopt(handle, CURLOPT_NOBODY, 1L);
    } else if (request->source) {
        /* curl sends "Expect: 100-continue". Waiting for the response would cost a round trip.
           Suppressing it with an empty header "Expect:" would make that header part of the
           signature. */
        curl_easy_setopt(handle, CURLOPT_EXPECT_100_TIMEOUT_MS, 1L);
        curl_easy_setopt(handle, CURLOPT_UPLOAD, 1L);
        curl_easy_setopt(handle, CURLOPT_INFILESIZE_LARGE, (curl_off_t)request->source->size);
        curl_easy_setopt(handle, CURLOPT_READFUNCTION, send_bytes);
        curl_easy_setopt(handle, CURLOPT_READDATA, request);
        curl_easy_setopt(handle, CURLOPT_SEEKFUNCTION, rewind_source);
        curl_easy_setopt(handle, CURLOPT_SEEKDATA, request);
        source_rewind(request->source);
    } else if (strcmp(request->method, "GET") != 0) {
        curl_easy_setopt(handle, CURLOPT_CUSTOMREQUEST, request->method);
    }
}

/* Sends the request once; *status is the status of the response. */
static CURLcode attempt(S3Client *client, S3Request *request, long *status) {
    Buffer url = {0};
    buffer_format(&url, "%s/%s%s%s%s", client->base, request->query ? "" : client->uri.prefix,
                  request->key, request->query ? "?" : "", request->query ? request->query : "");
    struct curl_slist *headers = headers_of(client, request);
    curl_off_t size = -1;
    *status = 0;
    buffer_clear(&request->body);
    request->failure.text[0] = '\0';
    request->handle = take_handle(client);
    set_options(client, request, buffer_string(&url), headers);
    CURLcode code = curl_easy_perform(request->handle);
    curl_easy_getinfo(request->handle, CURLINFO_RESPONSE_CODE, status);
    curl_easy_getinfo(request->handle, CURLINFO_CONTENT_LENGTH_DOWNLOAD_T, &size);
    request->size = size;
    return_handle(client, request->handle);
    for (struct curl_slist *header = headers; header; header = header->next)
        sodium_memzero(header->data, strlen(header->data)); /* one may contain the session token */
    curl_slist_free_all(headers);
    buffer_free(&url);
    return code;
}

/* ---- failures ---- */

static bool may_pass(CURLcode code, long status) {
    switch (code) {
    case CURLE_OK:
        return status >= 500 || status == 429;
    case CURLE_UNSUPPORTED_PROTOCOL:
    case CURLE_URL_MALFORMAT:
    case CURLE_PEER_FAILED_VERIFICATION:
    case CURLE_WRITE_ERROR:
    case CURLE_ABORTED_BY_CALLBACK:
        return false;
    default:
        return true;
    }
}

static void pause_before(uint32_t attempt_number) {
    uint32_t most = (uint32_t)PAUSE_MS << attempt_number;
    uint32_t pause = most / 2 + randombytes_uniform(most / 2 + 1);
    struct timespec time = {.tv_sec = pause / 1000, .tv_nsec = (long)(pause % 1000) * 1000000};
    nanosleep(&time, NULL);
}

/* Explains a rejected request and what the operator can do. The server's own message may contain a
   key, so only its code is shown. */
static void explain(const S3Client *client, const char *code, long status, Error *error) {
    static const struct {
        const char *code;
        long status;
        const char *cause;
        const char *remedy;
    } known[] = {
        {"NoSuchBucket", 0, "the bucket does not exist", "create it, or check its name"},
        {"InvalidAccessKeyId", 0, "the server does not know the access key",
         "check the credentials"},
        {"SignatureDoesNotMatch", 0, "the secret key is wrong", "check the credentials"},
        {"ExpiredToken", 0, "the session token has expired", "renew the credentials"},
        {"RequestTimeTooSkewed", 0, "the clock of this machine is wrong", "set it"},
        {"AuthorizationHeaderMalformed", 0, "the bucket is in another region",
         "name it with region=NAME"},
        {"PermanentRedirect", 0, "the bucket is in another region", "name it with region=NAME"},
        {"", 301, "the bucket is in another region", "name it with region=NAME"},
        {"", 403, "access denied", "check the credentials and their rights to the bucket"},
        {"", 404, "not found", "check the bucket and the endpoint"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (known[i].code[0] ? strcmp(known[i].code, code) == 0 : known[i].status == status) {
            error_set(error, "%s: %s (status %ld); %s", client->name, known[i].cause, status,
                      known[i].remedy);
            return;
        }
    error_set(error, "%s: the server answered with status %ld%s%.60s", client->name, status,
              code[0] ? ", " : "", code);
}

static void fail(const S3Client *client, const S3Request *request, CURLcode code, long status,
                 Error *error) {
    Buffer reason = {0};
    if (request->failure.text[0])
        error_set(error, "%s", request->failure.text);
    else if (code == CURLE_OPERATION_TIMEDOUT)
        error_set(error, "%s: the server did not answer within %" PRIu32 " s; try again later",
                  client->name, client->uri.timeout);
    else if (code != CURLE_OK)
        error_set(error, "%s: %s; check the endpoint, and that the server is running", client->name,
                  curl_easy_strerror(code));
    else {
        s3_xml_text((Slice){request->body.data, request->body.length}, "Code", &reason);
        explain(client, buffer_string(&reason), status, error);
    }
    buffer_free(&reason);
}

/* ---- requests ---- */

static bool is_missing(const S3Request *request, long status) {
    Buffer code = {0};
    s3_xml_text((Slice){request->body.data, request->body.length}, "Code", &code);
    bool bucket = strcmp(buffer_string(&code), "NoSuchBucket") == 0;
    buffer_free(&code);
    return status == 404 && !bucket && !request->query;
}

/* Sends the request, with retries. The response to a GET must be complete, even without a
   Content-Length. */
static FileResult run(S3Client *client, S3Request *request, Error *error) {
    CURLcode code = CURLE_OK;
    long status = 0;
    int64_t last = clock_now() + RETRY_MS * CLOCK_MS;
    for (uint32_t i = 0; i < ATTEMPTS && (!i || clock_now() < last); i++) {
        if (i)
            pause_before(i);
        if (request->to >= 0 &&
            (ftruncate(request->to, 0) != 0 || lseek(request->to, 0, SEEK_SET) != 0)) {
            error_set(error, "cannot write a copy of a file");
            return FILE_FAILED;
        }
        code = attempt(client, request, &status);
        if (!may_pass(code, status))
            break;
    }
    if (code == CURLE_OK && status >= 200 && status < 300)
        return FILE_FOUND;
    if (code == CURLE_OK && is_missing(request, status))
        return FILE_MISSING;
    fail(client, request, code, status, error);
    return FILE_FAILED;
}

FileResult s3_get(S3Client *client, const char *key, int to, Error *error) {
    S3Request request = {.method = "GET", .key = key, .to = to};
    FileResult result = run(client, &request, error);
    buffer_free(&request.body);
    return result;
}

FileResult s3_get_small(S3Client *client, const char *key, Buffer *to, Error *error) {
    S3Request request = {.method = "GET", .key = key, .to = -1};
    FileResult result = run(client, &request, error);
    if (result == FILE_FOUND)
        buffer_add(to, request.body.data, request.body.length);
    buffer_free(&request.body);
    return result;
}

FileResult s3_head(S3Client *client, const char *key, int64_t *size, Error *error) {
    S3Request request = {.method = "HEAD", .key = key, .to = -1};
    FileResult result = run(client, &request, error);
    *size = request.size;
    buffer_free(&request.body);
    return result;
}

static bool hash_payload(FileSource *source, char hex[2 * crypto_hash_sha256_BYTES + 1],
                         Error *error) {
    crypto_hash_sha256_state state;
    unsigned char hash[crypto_hash_sha256_BYTES];
    char *chunk = xmalloc(FILE_CHUNK);
    ssize_t count;
    crypto_hash_sha256_init(&state);
    source_rewind(source);
    while ((count = source_read(source, chunk, FILE_CHUNK, error)) > 0)
        crypto_hash_sha256_update(&state, (const unsigned char *)chunk, (unsigned long long)count);
    crypto_hash_sha256_final(&state, hash);
    sodium_bin2hex(hex, 2 * crypto_hash_sha256_BYTES + 1, hash, sizeof hash);
    free(chunk);
    return count == 0;
}

bool s3_put(S3Client *client, const char *key, FileSource *source, Error *error) {
    char payload[2 * crypto_hash_sha256_BYTES + 1];
    if (!hash_payload(source, payload, error))
        return false;
    S3Request request = {
        .method = "PUT", .key = key, .source = source, .payload = payload, .to = -1};
    FileResult result = run(client, &request, error);
    if (result == FILE_MISSING) /* the bucket, although the server did not send NoSuchBucket */
        explain(client, "NoSuchBucket", 404, error);
    buffer_free(&request.body);
    return result == FILE_FOUND;
}

bool s3_delete(S3Client *client, const char *key, Error *error) {
    S3Request request = {.method = "DELETE", .key = key, .to = -1};
    FileResult result = run(client, &request, error);
    buffer_free(&request.body);
    return result != FILE_FAILED;
}

/* ---- lists ---- */

typedef struct Keys {
    size_t skip; /* bytes of the prefix */
    FileVisitor *take;
    void *context;
} Keys;

static void take_key(void *context, const char *key) {
    const Keys *keys = context;
    if (strlen(key) > keys->skip)
        keys->take(keys->context, key + keys->skip);
}

static void add_escaped(Buffer *to, const char *name, const char *text) {
    char *escaped = curl_easy_escape(NULL, text, 0);
    buffer_format(to, "%s%s", name, escaped ? escaped : "");
    curl_free(escaped);
}

bool s3_list(S3Client *client, const char *under, bool any, FileVisitor *take, void *context,
             Error *error) {
    Keys keys = {strlen(client->uri.prefix), take, context};
    Buffer next = {0};
    Buffer prefix = {0};
    bool good;
    buffer_format(&prefix, "%s%s", client->uri.prefix, under);
    do {
        Buffer query = {0};
        if (next.length)
            add_escaped(&query, "continuation-token=", buffer_string(&next));
        buffer_format(&query, "%slist-type=2&max-keys=%d", next.length ? "&" : "", any ? 1 : 1000);
        add_escaped(&query, "&prefix=", buffer_string(&prefix));
        S3Request request = {.method = "GET", .key = "", .query = buffer_string(&query), .to = -1};
        buffer_clear(&next);
        good = run(client, &request, error) == FILE_FOUND;
        if (good &&
            !s3_list_parse((Slice){request.body.data, request.body.length}, take_key, &keys, &next))
            good = error_set(error, "%s: the server did not answer with a list of objects",
                             client->name);
        buffer_free(&request.body);
        buffer_free(&query);
    } while (good && next.length && !any);
    buffer_free(&next);
    buffer_free(&prefix);
    return good;
}
