/* See client.h. */
#include "cli/client.h"

#include "base/clock.h"
#include "base/memory.h"
#include "cli/cli.h"
#include "cli/progress_bar.h"

#include <ctype.h>
#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>

enum {
    CONNECT_SECONDS = 10,
    CALL_SECONDS = 120,
    SILENCE_SECONDS = 60, /* on a stream: the arena sends heartbeats */
    ANSWER_MAX = 64 << 20,
    EVENT_MAX = 16 << 20,
    PAUSE_MS = 500, /* pause before a stream is reopened */
    TRIES = 10      /* attempts in a row without an event */
};

struct Client {
    CURL *curl;
    char *url;
    char *authorization; /* the header, or NULL */
    bool loopback;
    bool secure;
};

/* ---- making one ---- */

static bool check_url(const char *url, CURLU *parts, Client *client, Error *error) {
    char *scheme = NULL;
    char *host = NULL;
    char *other = NULL;
    bool good = curl_url_set(parts, CURLUPART_URL, url, 0) == CURLUE_OK &&
                curl_url_get(parts, CURLUPART_SCHEME, &scheme, 0) == CURLUE_OK &&
                curl_url_get(parts, CURLUPART_HOST, &host, 0) == CURLUE_OK &&
                (strcmp(scheme, "http") == 0 || strcmp(scheme, "https") == 0);
    static const CURLUPart refused[] = {CURLUPART_USER, CURLUPART_PASSWORD, CURLUPART_QUERY,
                                        CURLUPART_FRAGMENT};
    for (size_t i = 0; good && i < sizeof refused / sizeof *refused; i++)
        good = curl_url_get(parts, refused[i], &other, 0) != CURLUE_OK;
    if (good) {
        client->secure = strcmp(scheme, "https") == 0;
        client->loopback = strcmp(host, "localhost") == 0 || strncmp(host, "127.", 4) == 0 ||
                           strcmp(host, "[::1]") == 0;
    }
    curl_free(scheme);
    curl_free(host);
    curl_free(other);
    return good ||
           error_set(
               error,
               "invalid arena address \"%.200s\"; expected a URL such as http://localhost:3000",
               url);
}

Client *client_new(const char *url, const char *token, Error *error) {
    static bool ready;
    if (!ready)
        ready = curl_global_init(CURL_GLOBAL_DEFAULT) == CURLE_OK;
    Client *client = xcalloc(1, sizeof *client);
    CURLU *parts = curl_url();
    if (!parts || !ready)
        abort();
    bool good = check_url(url, parts, client, error);
    curl_url_cleanup(parts);
    for (const char *c = token ? token : ""; *c && good; c++)
        if (*c <= ' ' || *c > '~')
            good =
                error_set(error, "invalid API token; a token has no spaces or control characters");
    if (good) {
        Buffer text = {0};
        buffer_text(&text, url);
        while (text.length && text.data[text.length - 1] == '/')
            text.length--;
        buffer_string(&text);
        client->url = text.data;
        client->curl = curl_easy_init();
        if (client->curl)
            curl_easy_setopt(client->curl, CURLOPT_COOKIEFILE, ""); /* cookies, in memory only */
    }
    if (good && token && *token) {
        Buffer text = {0};
        buffer_format(&text, "Authorization: Bearer %s", token);
        buffer_string(&text);
        client->authorization = text.data;
    }
    if (good && client->curl)
        return client;
    client_free(client);
    return NULL;
}

void client_free(Client *client) {
    if (!client)
        return;
    if (client->curl)
        curl_easy_cleanup(client->curl);
    free(client->url);
    free(client->authorization);
    free(client);
}

Client *client_logged_in(SavedLogin *account, Error *error) {
    return saved_login_load(account, error) ? client_new(account->url, account->token, error)
                                            : NULL;
}

const char *client_url(const Client *client) {
    return client->url;
}

bool client_is_open(const Client *client) {
    return !client->secure && !client->loopback;
}

/* ---- calls ---- */

/* Shows the progress of large uploads and downloads. Aborts the call after Ctrl-C. */
static int on_progress(void *context, curl_off_t to_receive, curl_off_t received,
                       curl_off_t to_send, curl_off_t sent) {
    enum { LARGE = 1 << 20 };
    bool *shows = context; /* NULL: never */
    bool sends = to_send > 0 && sent < to_send;
    double whole = (double)(sends ? to_send : to_receive);
    double done = (double)(sends ? sent : received);
    if (shows && !*shows && to_send + received > LARGE) {
        progress_bar_begin(false, PROGRESS_DELAY_MS);
        *shows = true;
    }
    if (shows && *shows && whole > 0)
        progress_bar_show(done / whole, "%s, %.1f of %.1f MiB", sends ? "uploading" : "downloading",
                          done / (1 << 20), whole / (1 << 20));
    else if (shows && *shows)
        progress_bar_show(-1, "waiting for the arena, %.1f MiB received", done / (1 << 20));
    return interrupt_seen ? 1 : 0;
}

/* Options of every request: HTTP only, no redirects, and no proxy for this machine itself. */
static void set_common(CURL *curl, const Client *client, const char *path,
                       struct curl_slist *headers, bool *shows) {
    Buffer url = {0};
    buffer_format(&url, "%s%s", client->url, path);
    curl_easy_setopt(curl, CURLOPT_URL, buffer_string(&url));
    buffer_free(&url);
    curl_easy_setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    curl_easy_setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(curl, CURLOPT_CONNECTTIMEOUT, (long)CONNECT_SECONDS);
    curl_easy_setopt(curl, CURLOPT_USERAGENT, "skirmish/" SKIRMISH_VERSION);
    curl_easy_setopt(curl, CURLOPT_HTTPHEADER, headers);
    curl_easy_setopt(curl, CURLOPT_NOPROGRESS, 0L);
    curl_easy_setopt(curl, CURLOPT_XFERINFOFUNCTION, on_progress);
    curl_easy_setopt(curl, CURLOPT_XFERINFODATA, shows);
    if (client->loopback)
        curl_easy_setopt(curl, CURLOPT_NOPROXY, "*");
}

static size_t on_body(char *bytes, size_t size, size_t count, void *context) {
    Buffer *body = context;
    if (body->length + size * count > ANSWER_MAX)
        return 0;
    buffer_add(body, bytes, size * count);
    return size * count;
}

/* Sets the error when there was no reply. */
static bool explain(const Client *client, CURLcode code, Error *error) {
    if (code == CURLE_ABORTED_BY_CALLBACK && interrupt_seen)
        return error_set(error, "interrupted");
    if (code == CURLE_WRITE_ERROR)
        return error_set(error, "the arena at %.200s sent a response larger than %d MiB",
                         client->url, ANSWER_MAX >> 20);
    if (code == CURLE_PEER_FAILED_VERIFICATION)
        return error_set(error,
                         "cannot verify the TLS certificate of %.200s; it may be self-signed, "
                         "expired or issued for another name",
                         client->url);
    return error_set(error, "cannot reach the arena at %.200s: %s", client->url,
                     curl_easy_strerror(code));
}

/* The API's problems are sentences, but errors here begin in lower case and have no full stop.
   Words that are not simply capitalised, such as "API", stay unchanged. */
static bool set_problem(Slice detail, Error *error) {
    error_set(error, "%.*s", (int)(detail.length < 400 ? detail.length : 400), detail.at);
    size_t length = strlen(error->text);
    if (length && error->text[length - 1] == '.')
        error->text[length - 1] = '\0';
    if (isupper((unsigned char)error->text[0]) && !isupper((unsigned char)error->text[1]))
        error->text[0] = (char)tolower((unsigned char)error->text[0]);
    return false;
}

/* Sets the error for a reply with a failure status. */
static bool explain_status(const Client *client, const Reply *reply, Error *error) {
    Slice detail = reply_text(reply, 0, "detail");
    if (reply->status == 401 && client->authorization)
        return error_set(
            error,
            "the API token for %.200s is invalid, expired or revoked; log in with: skirmish login "
            "%.200s",
            client->url, client->url);
    if (reply->status >= 300 && reply->status < 400)
        return error_set(error, "%.200s redirects to another address; use the arena's own address",
                         client->url);
    if (detail.length)
        return set_problem(detail, error);
    if (reply->status == 413)
        return error_set(
            error, "the proxy in front of the arena at %.200s rejected the upload as too large",
            client->url);
    if (reply->status == 502 || reply->status == 504)
        return error_set(error,
                         "the proxy in front of the arena at %.200s got no response (status %ld); "
                         "the arena may be stopped or starting",
                         client->url, reply->status);
    return error_set(error,
                     "the arena at %.200s responded with status %ld; is it a Skirmish arena?",
                     client->url, reply->status);
}

static void parse_answer(CURL *curl, Reply *reply) {
    const char *type = NULL;
    Error ignored;
    reply->json.count = 0;
    curl_easy_getinfo(curl, CURLINFO_CONTENT_TYPE, &type);
    reply->json.lenient = true;
    if (!type ||
        (strncmp(type, "application/json", 16) != 0 &&
         strncmp(type, "application/problem+json", 24) != 0) ||
        !json_parse(&reply->json, (Slice){reply->body.data, reply->body.length}, &ignored))
        reply->json.count = 0;
}

static CURLcode perform(Client *client, const Call *call, Reply *reply) {
    char type[96];
    char csrf_token[128];
    const char *method = call->method ? call->method : "GET";
    bool shows = false; /* whether progress is shown */
    bool bare = strcmp(method, "GET") == 0 || strcmp(method, "DELETE") == 0;
    struct curl_slist *headers = curl_slist_append(NULL, "Expect:");
    if (client->authorization)
        headers = curl_slist_append(headers, client->authorization);
    if (call->csrf_token) {
        snprintf(csrf_token, sizeof csrf_token, "X-CSRF-Token: %s", call->csrf_token);
        headers = curl_slist_append(headers, csrf_token);
    }
    /* Keeps the handle, and with it the connection and the session's cookies. Sets every option
       again, because resetting the handle would leak memory. */
    curl_easy_setopt(client->curl, CURLOPT_HTTPGET, 1L);
    if (!bare) {
        snprintf(type, sizeof type, "Content-Type: %s",
                 call->type ? call->type : "application/json");
        headers = curl_slist_append(headers, type);
        curl_easy_setopt(client->curl, CURLOPT_POSTFIELDSIZE_LARGE, (curl_off_t)call->body.length);
        curl_easy_setopt(client->curl, CURLOPT_POSTFIELDS, call->body.length ? call->body.at : "");
    }
    set_common(client->curl, client, call->path, headers, &shows);
    curl_easy_setopt(client->curl, CURLOPT_CUSTOMREQUEST, method);
    curl_easy_setopt(client->curl, CURLOPT_TIMEOUT, (long)CALL_SECONDS);
    curl_easy_setopt(client->curl, CURLOPT_ACCEPT_ENCODING, "");
    curl_easy_setopt(client->curl, CURLOPT_WRITEFUNCTION, on_body);
    curl_easy_setopt(client->curl, CURLOPT_WRITEDATA, &reply->body);
    CURLcode code = curl_easy_perform(client->curl);
    if (shows)
        progress_bar_end();
    curl_slist_free_all(headers);
    return code;
}

bool client_call(Client *client, const Call *call, Reply *reply, Error *error) {
    buffer_clear(&reply->body);
    reply->status = 0;
    reply->json.count = 0;
    CURLcode code = perform(client, call, reply);
    if (code != CURLE_OK)
        return explain(client, code, error);
    curl_easy_getinfo(client->curl, CURLINFO_RESPONSE_CODE, &reply->status);
    parse_answer(client->curl, reply);
    return (reply->status >= 200 && reply->status < 300) || explain_status(client, reply, error);
}

bool client_get(Client *client, const char *path, Reply *reply, Error *error) {
    return client_call(client, &(Call){.path = path}, reply, error);
}

void reply_free(Reply *reply) {
    buffer_free(&reply->body);
    json_free(&reply->json);
}

/* ---- the content of a reply ---- */

uint32_t reply_member(const Reply *reply, uint32_t object, const char *key) {
    if (object >= reply->json.count || reply->json.nodes[object].kind != JSON_OBJECT)
        return JSON_NONE;
    return json_member(&reply->json, object, key);
}

Slice reply_text(const Reply *reply, uint32_t object, const char *key) {
    uint32_t node = reply_member(reply, object, key);
    return node != JSON_NONE && reply->json.nodes[node].kind == JSON_STRING
               ? reply->json.nodes[node].text
               : (Slice){"", 0};
}

int64_t reply_number(const Reply *reply, uint32_t object, const char *key) {
    uint32_t node = reply_member(reply, object, key);
    int64_t value = 0;
    return node != JSON_NONE && json_whole(&reply->json, node, &value) ? value : 0;
}

uint32_t reply_items(const Reply *reply, uint32_t *end) {
    uint32_t list = reply_member(reply, 0, "items");
    *end = 0;
    if (list == JSON_NONE || reply->json.nodes[list].kind != JSON_ARRAY)
        return 0;
    *end = reply->json.nodes[list].next;
    return list + 1;
}

void url_add(Buffer *to, Slice text) {
    for (size_t i = 0; i < text.length; i++) {
        char c = text.at[i];
        bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                     c == '-' || c == '_' || c == '.';
        if (plain)
            buffer_char(to, c);
        else
            buffer_format(to, "%%%02X", (unsigned char)c);
    }
}

void print_reply(const Reply *reply) {
    print_as(stdout, TEXT_JSON, (Slice){reply->body.data, reply->body.length});
    if (reply->body.length && reply->body.data[reply->body.length - 1] != '\n')
        print("\n");
}

/* ---- streams ---- */

struct Stream {
    Client *client;
    CURL *curl;
    CURLM *multi;
    struct curl_slist *headers;
    char *path;
    Buffer in;   /* not parsed yet */
    Buffer name; /* name of the event being read */
    Buffer data;
    Buffer id;      /* id of the event being read */
    Buffer last_id; /* id of the last complete event */
    bool has_data;
    bool handed_out; /* the complete event was returned */
    bool running;
    uint32_t tries;
};

Stream *stream_open(Client *client, const char *path) {
    Stream *stream = xcalloc(1, sizeof *stream);
    stream->client = client;
    stream->multi = curl_multi_init();
    stream->path = xstrdup(path);
    if (!stream->multi)
        abort();
    return stream;
}

static void hang_up(Stream *stream) {
    if (stream->curl) {
        curl_multi_remove_handle(stream->multi, stream->curl);
        curl_easy_cleanup(stream->curl);
    }
    curl_slist_free_all(stream->headers);
    stream->headers = NULL;
    stream->curl = NULL;
    stream->running = false;
}

void stream_close(Stream *stream) {
    if (!stream)
        return;
    hang_up(stream);
    curl_multi_cleanup(stream->multi);
    buffer_free(&stream->in);
    buffer_free(&stream->name);
    buffer_free(&stream->data);
    buffer_free(&stream->id);
    buffer_free(&stream->last_id);
    free(stream->path);
    free(stream);
}

static size_t on_stream(char *bytes, size_t size, size_t count, void *context) {
    Stream *stream = context;
    if (stream->in.length + size * count > EVENT_MAX)
        return 0;
    buffer_add(&stream->in, bytes, size * count);
    return size * count;
}

static void call_up(Stream *stream) {
    stream->curl = curl_easy_init();
    if (!stream->curl)
        abort();
    stream->headers = curl_slist_append(NULL, "Accept: text/event-stream");
    if (stream->client->authorization)
        stream->headers = curl_slist_append(stream->headers, stream->client->authorization);
    if (stream->last_id.length) {
        Buffer header = {0};
        buffer_format(&header, "Last-Event-ID: %s", buffer_string(&stream->last_id));
        stream->headers = curl_slist_append(stream->headers, buffer_string(&header));
        buffer_free(&header);
    }
    set_common(stream->curl, stream->client, stream->path, stream->headers, NULL);
    curl_easy_setopt(stream->curl, CURLOPT_LOW_SPEED_LIMIT, 1L);
    curl_easy_setopt(stream->curl, CURLOPT_LOW_SPEED_TIME, (long)SILENCE_SECONDS);
    curl_easy_setopt(stream->curl, CURLOPT_WRITEFUNCTION, on_stream);
    curl_easy_setopt(stream->curl, CURLOPT_WRITEDATA, stream);
    curl_multi_add_handle(stream->multi, stream->curl);
    buffer_clear(&stream->in);
    buffer_clear(&stream->name);
    buffer_clear(&stream->data);
    stream->has_data = stream->handed_out = false;
    stream->running = true;
    stream->tries++;
}

/* One line of the stream. True when it completes an event. */
static bool take_line(Stream *stream, Slice line) {
    if (!line.length)
        return stream->has_data;
    if (slice_skip(&line, "event:")) {
        slice_skip(&line, " ");
        buffer_clear(&stream->name);
        buffer_add(&stream->name, line.at, line.length);
    } else if (slice_skip(&line, "id:")) {
        slice_skip(&line, " ");
        buffer_clear(&stream->id);
        for (size_t i = 0; i < line.length; i++)
            if (line.at[i] > ' ' && line.at[i] <= '~')
                buffer_char(&stream->id, line.at[i]);
    } else if (slice_skip(&line, "data:")) {
        slice_skip(&line, " ");
        if (stream->has_data)
            buffer_char(&stream->data, '\n');
        buffer_add(&stream->data, line.at, line.length);
        stream->has_data = true;
    }
    return false;
}

/* Takes the next complete event from the input. */
static bool take_event(Stream *stream, StreamEvent *event) {
    if (stream->handed_out) {
        buffer_clear(&stream->name);
        buffer_clear(&stream->data);
        stream->has_data = stream->handed_out = false;
    }
    for (;;) {
        const char *end =
            stream->in.length ? memchr(stream->in.data, '\n', stream->in.length) : NULL;
        if (!end)
            return false;
        size_t length = (size_t)(end - stream->in.data);
        Slice line = {stream->in.data, length};
        if (line.length && line.at[line.length - 1] == '\r')
            line.length--;
        bool complete = take_line(stream, line);
        buffer_drop(&stream->in, length + 1);
        if (complete) {
            stream->handed_out = true;
            buffer_clear(&stream->last_id);
            buffer_add(&stream->last_id, stream->id.data, stream->id.length);
            stream->tries = 0;
            *event = (StreamEvent){{stream->name.data, stream->name.length},
                                   {stream->data.data, stream->data.length}};
            return true;
        }
    }
}

/* Decides what the end of the connection means: finished, failed, or to be reopened
   (STREAM_QUIET). */
static StreamStatus judge_end(Stream *stream, CURLcode code, Error *error) {
    Reply reply = {0};
    curl_easy_getinfo(stream->curl, CURLINFO_RESPONSE_CODE, &reply.status);
    StreamStatus news = STREAM_QUIET;
    if (reply.status == 204 || (reply.status == 404 && stream->last_id.length))
        news = STREAM_OVER;
    else if (reply.status >= 300 && reply.status != 429 && reply.status != 503) {
        buffer_add(&reply.body, stream->in.data, stream->in.length);
        parse_answer(stream->curl, &reply);
        explain_status(stream->client, &reply, error);
        news = STREAM_FAILED;
    } else if (stream->tries >= TRIES || interrupt_seen) {
        if (code == CURLE_OK)
            error_set(error, "the arena at %.200s keeps closing the connection",
                      stream->client->url);
        else
            explain(stream->client, code, error);
        news = STREAM_FAILED;
    }
    hang_up(stream);
    reply_free(&reply);
    return news;
}

StreamStatus stream_next(Stream *stream, int timeout_ms, int also, StreamEvent *event,
                         Error *error) {
    int64_t deadline = clock_now() + timeout_ms * CLOCK_MS;
    while (!interrupt_seen) {
        int count = 0;
        struct curl_waitfd waited = {.fd = also, .events = CURL_WAIT_POLLIN};
        int64_t left = (deadline - clock_now()) / CLOCK_MS;
        bool pause = !stream->running && stream->tries;
        if (take_event(stream, event))
            return STREAM_EVENT;
        if (!stream->running && !pause)
            call_up(stream);
        curl_multi_perform(stream->multi, &count);
        if (take_event(stream, event))
            return STREAM_EVENT;
        const CURLMsg *message = curl_multi_info_read(stream->multi, &count);
        if (message && message->msg == CURLMSG_DONE) {
            StreamStatus news = judge_end(stream, message->data.result, error);
            if (news != STREAM_QUIET)
                return news;
            continue;
        }
        if (left <= 0)
            break;
        curl_multi_poll(stream->multi, &waited, also >= 0,
                        (int)(pause && left > PAUSE_MS ? PAUSE_MS : left), NULL);
        if (pause)
            call_up(stream);
        if (waited.revents)
            break;
    }
    return STREAM_QUIET;
}
