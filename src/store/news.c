/* See news.h. A message is a list of words: a letter for the kind and the number of the subject. */
#include "store/news.h"

#include "base/clock.h"
#include "base/memory.h"
#include "sql/notices.h"
#include "store/internal.h"

#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define CHANNEL "skirmish"

enum {
    GATHER_MS = 20,       /* between two messages */
    RECONNECT_MS = 2000,  /* between two attempts to connect */
    PENDING_MAX = 1 << 16 /* bytes; beyond this, the receivers have to check everything */
};

static const char letters[NEWS_KINDS] = {
    [NEWS_MISSED] = 'x',  [NEWS_JOBS] = 'j',       [NEWS_CANCELLED] = 'c', [NEWS_MATCH] = 'm',
    [NEWS_BUILD] = 'b',   [NEWS_CHECK] = 'k',      [NEWS_WATCH] = 'w',     [NEWS_EVENTS] = 'e',
    [NEWS_REVOKED] = 'r', [NEWS_FORGOTTEN] = 'f',  [NEWS_SETTINGS] = 's',  [NEWS_CALL] = 'q',
    [NEWS_ANSWER] = 'a',  [NEWS_TOURNAMENT] = 't', [NEWS_RATINGS] = 'g'};

struct News {
    Notices *notices;
    StoreNewsListener listener;
    pthread_t thread;
    int wake; /* an eventfd */
    atomic_bool arrive;
    pthread_mutex_t lock;    /* guards what follows */
    Buffer pending;          /* words that have not been sent yet */
    bool queued[NEWS_KINDS]; /* `pending` contains this kind without a subject */
    bool stopping;
    bool ended; /* the thread */
};

/* ---- sending ---- */

static void add_pending(struct News *news, StoreNewsKind kind, uint64_t subject) {
    uint64_t one = 1;
    pthread_mutex_lock(&news->lock);
    if (news->pending.length > PENDING_MAX) {
        buffer_clear(&news->pending);
        memset(news->queued, 0, sizeof news->queued);
        kind = NEWS_MISSED;
        subject = 0;
    }
    if (subject)
        buffer_format(&news->pending, "%c%" PRIu64 " ", letters[kind], subject);
    else if (!news->queued[kind])
        buffer_format(&news->pending, "%c ", letters[kind]);
    news->queued[kind] |= !subject;
    pthread_mutex_unlock(&news->lock);
    if (write(news->wake, &one, sizeof one) < 0)
        return; /* the eventfd's counter is full, so the thread wakes anyway */
}

void store_news_send(Store *store, StoreNewsKind kind, uint64_t subject) {
    if (store->news)
        add_pending(store->news, kind, subject);
}

/* Sends up to NOTICE_MAX bytes, cut between words. False if the connection is lost. */
static bool send_part(struct News *news, Slice *rest) {
    size_t length = rest->length < NOTICE_MAX ? rest->length : NOTICE_MAX - 1;
    while (length && rest->at[length - 1] != ' ')
        length--;
    char *text = slice_copy((Slice){rest->at, length});
    *rest = (Slice){rest->at + length, rest->length - length};
    bool good = notices_send(news->notices, text);
    free(text);
    return good;
}

static void send_pending(struct News *news) {
    Buffer words = {0};
    pthread_mutex_lock(&news->lock);
    words = news->pending;
    news->pending = (Buffer){0};
    memset(news->queued, 0, sizeof news->queued);
    pthread_mutex_unlock(&news->lock);
    Slice rest = {words.data, words.length};
    while (rest.length && send_part(news, &rest))
        continue;
    buffer_free(&words);
}

/* ---- receiving ---- */

static void take_word(const struct News *news, Slice word) {
    int64_t subject = 0;
    Slice number = {word.at + 1, word.length - 1};
    if (number.length && (!slice_int(number, &subject) || subject < 0))
        return; /* a word of another version of the program */
    for (StoreNewsKind kind = 0; kind < NEWS_KINDS; kind++)
        if (word.at[0] == letters[kind])
            news->listener.take(news->listener.context, kind, (uint64_t)subject);
}

static void receive(const struct News *news) {
    Slice text;
    Slice word;
    while (notices_next(news->notices, &text))
        while (slice_word(&text, &word))
            take_word(news, word);
}

/* ---- the thread ---- */

static bool is_stopping(struct News *news) {
    pthread_mutex_lock(&news->lock);
    bool stopping = news->stopping;
    pthread_mutex_unlock(&news->lock);
    return stopping;
}

/* Waits for a message, if there is a connection, or for words to send. */
static bool wait_for(const struct News *news, bool words, int milliseconds) {
    struct pollfd polled[2] = {{.fd = notices_socket(news->notices), .events = POLLIN},
                               {.fd = words ? news->wake : -1, .events = POLLIN}};
    uint64_t times;
    poll(polled, 2, milliseconds);
    return (polled[1].revents & POLLIN) &&
           read(news->wake, &times, sizeof times) == (ssize_t)sizeof times;
}

static void connect_again(struct News *news, int64_t *next) {
    if (clock_now() < *next || is_stopping(news))
        return;
    *next = clock_now() + RECONNECT_MS * CLOCK_MS;
    if (!notices_reconnect(news->notices))
        return;
    add_pending(news, NEWS_MISSED, 0); /* for the news that could not be sent */
    news->listener.take(news->listener.context, NEWS_MISSED, 0);
}

static void *run(void *context) {
    struct News *news = context;
    int64_t next_connect = 0;
    int64_t sent = 0;
    bool words = false;
    while (!is_stopping(news)) {
        bool connected = notices_socket(news->notices) >= 0;
        news->arrive = connected;
        if (!connected)
            connect_again(news, &next_connect);
        int64_t now = clock_now();
        int64_t due = sent + GATHER_MS * CLOCK_MS;
        if (words && now >= due) {
            send_pending(news);
            words = false;
            sent = clock_now();
        }
        int pause = words ? (int)((due - now) / CLOCK_MS) + 1 : RECONNECT_MS;
        words |= wait_for(news, !words, pause);
        receive(news);
    }
    send_pending(news);
    return NULL;
}

/* ---- starting and stopping ---- */

static void news_free(struct News *news) {
    notices_close(news->notices);
    if (news->wake >= 0)
        close(news->wake);
    pthread_mutex_destroy(&news->lock);
    buffer_free(&news->pending);
    free(news);
}

bool store_news_start(Store *store, StoreNewsListener listener, Error *error) {
    sigset_t all;
    sigset_t before;
    if (!database_is_uri(store->database))
        return true;
    struct News *news = xcalloc(1, sizeof *news);
    news->listener = listener;
    pthread_mutex_init(&news->lock, NULL);
    news->wake = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
    int failure = news->wake < 0 ? errno : 0;
    news->notices = failure ? NULL : notices_open(store->database, CHANNEL, error);
    if (news->notices) {
        sigfillset(&all);
        pthread_sigmask(SIG_SETMASK, &all, &before); /* signals are for the main thread */
        failure = pthread_create(&news->thread, NULL, run, news);
        pthread_sigmask(SIG_SETMASK, &before, NULL);
    }
    if (failure)
        error_set(error, "cannot start the thread of the news: %s", strerror(failure));
    if (failure || !news->notices) {
        news_free(news);
        return false;
    }
    store->news = news;
    return true;
}

void store_news_stop(Store *store) {
    struct News *news = store->news;
    uint64_t one = 1;
    if (!news || news->ended)
        return;
    pthread_mutex_lock(&news->lock);
    news->stopping = true;
    pthread_mutex_unlock(&news->lock);
    if (write(news->wake, &one, sizeof one) == (ssize_t)sizeof one)
        pthread_join(news->thread, NULL);
    news->ended = true;
}

void news_close(Store *store) {
    store_news_stop(store);
    if (store->news)
        news_free(store->news);
    store->news = NULL;
}

bool store_news_arrive(Store *store) {
    return store->news && store->news->arrive;
}
