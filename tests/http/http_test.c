/* The server listens before it serves. A client that connects in between waits until the server is
   fully set up. */
#include "http/http.h"

#include <arpa/inet.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

static bool ready;

static Outcome handle(Request *request, Response *response) {
    (void)request;
    buffer_text(&response->bytes, ready ? "\"ready\"" : "\"early\"");
    return OUTCOME_ANSWERED;
}

static const Route routes[] = {
    {.method = METHOD_GET, .pattern = "/", .name = "root", .handle = handle}};

static Http *open_one(Metrics *metrics) {
    Error error = {0};
    Http *http =
        http_open(&(HttpOptions){.routes = routes, .route_count = 1, .metrics = metrics}, &error);
    if (!http)
        fail_msg("%s", error.text);
    return http;
}

static int ask(uint16_t port) {
    static const char request[] = "GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n";
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(fd >= 0);
    assert_int_equal(connect(fd, (void *)&address, sizeof address), 0);
    assert_int_equal(write(fd, request, sizeof request - 1), sizeof request - 1);
    return fd;
}

static void an_early_client_waits_until_the_server_serves(void **state) {
    (void)state;
    Error error = {0};
    Metrics *metrics = metrics_new();
    Http *http = open_one(metrics);
    int fd = ask(http_port(http));
    struct pollfd answer = {fd, POLLIN, 0};
    assert_int_equal(poll(&answer, 1, 0), 0);
    ready = true;
    assert_true(http_serve(http, &error));
    char text[4096] = "";
    size_t length = 0;
    ssize_t got;
    while ((got = read(fd, text + length, sizeof text - 1 - length)) > 0)
        length += (size_t)got;
    assert_memory_equal(text, "HTTP/1.1 200", 12);
    assert_non_null(strstr(text, "\"ready\""));
    close(fd);
    http_stop(http, 1000);
    metrics_free(metrics);
}

static void a_server_that_never_served_can_be_stopped(void **state) {
    (void)state;
    Metrics *metrics = metrics_new();
    Http *http = open_one(metrics);
    uint16_t port = http_port(http);
    int fd = ask(port);
    http_stop(http, 1000);
    char byte;
    assert_true(read(fd, &byte, 1) <= 0);
    close(fd);
    metrics_free(metrics);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_early_client_waits_until_the_server_serves),
        cmocka_unit_test(a_server_that_never_served_can_be_stopped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
