/* See bot.h: connecting to a bot that listens at tcp:HOST:PORT or unix:PATH. */
#include "bots/bot.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

enum { CONNECT_MS = 5000 };

static bool connect_within(int fd, const struct sockaddr *address, socklen_t size) {
    if (connect(fd, address, size) == 0)
        return true;
    if (errno != EINPROGRESS)
        return false;
    struct pollfd wait = {.fd = fd, .events = POLLOUT};
    int failure = ETIMEDOUT;
    socklen_t length = sizeof failure;
    if (poll(&wait, 1, CONNECT_MS) == 1)
        getsockopt(fd, SOL_SOCKET, SO_ERROR, &failure, &length);
    errno = failure;
    return failure == 0;
}

static bool connect_tcp(const BotSpec *spec, int *fd, Error *error) {
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM};
    struct addrinfo *found = NULL;
    int wrong = getaddrinfo(spec->host, spec->port, &hints, &found);
    if (wrong)
        return error_set(error, "bot %s: cannot find the host: %s", spec->text,
                         gai_strerror(wrong));
    *fd = -1;
    int reason = 0;
    for (struct addrinfo *address = found; address && *fd < 0; address = address->ai_next) {
        *fd = socket(address->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
        if (*fd >= 0 && !connect_within(*fd, address->ai_addr, address->ai_addrlen)) {
            reason = errno;
            close(*fd);
            *fd = -1;
        }
    }
    freeaddrinfo(found);
    if (*fd < 0)
        return error_set(error, "bot %s: cannot connect: %s; is the bot listening there?",
                         spec->text, strerror(reason));
    setsockopt(*fd, IPPROTO_TCP, TCP_NODELAY, &(int){1}, sizeof(int));
    return true;
}

static bool connect_unix(const BotSpec *spec, int *fd, Error *error) {
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    snprintf(address.sun_path, sizeof address.sun_path, "%s", spec->path);
    *fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (*fd >= 0 && connect_within(*fd, (const struct sockaddr *)&address, sizeof address))
        return true;
    int reason = errno;
    if (*fd >= 0)
        close(*fd);
    return error_set(error, "bot %s: cannot connect: %s; is the bot listening there?", spec->text,
                     strerror(reason));
}

bool bot_connect(const BotSpec *spec, int *fd, Error *error) {
    return spec->kind == BOT_TCP ? connect_tcp(spec, fd, error) : connect_unix(spec, fd, error);
}
