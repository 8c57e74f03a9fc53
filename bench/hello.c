/* The hello-world example of libmicrohttpd, with which bench/http compares the ladder. Prints its
   port, and exits when its input ends. */
#include <microhttpd.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

static enum MHD_Result say_hello(void *context, struct MHD_Connection *connection, const char *url,
                                 const char *method, const char *version, const char *upload,
                                 size_t *upload_size, void **request) {
    static char hello[] = "Hello, world!";
    static int seen;
    (void)context;
    (void)url;
    (void)method;
    (void)version;
    (void)upload;
    (void)upload_size;
    if (!*request) {
        *request = &seen;
        return MHD_YES;
    }
    struct MHD_Response *response =
        MHD_create_response_from_buffer(strlen(hello), hello, MHD_RESPMEM_PERSISTENT);
    enum MHD_Result queued = MHD_queue_response(connection, 200, response);
    MHD_destroy_response(response);
    return queued;
}

int main(void) {
    struct sockaddr_in local = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD | MHD_USE_TURBO, 0, NULL, NULL, say_hello,
                         NULL, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&local,
                         MHD_OPTION_THREAD_POOL_SIZE, 2U, MHD_OPTION_END);
    if (!daemon)
        return 1;
    printf("%u\n", (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    while (getchar() != EOF)
        continue;
    MHD_stop_daemon(daemon);
    return 0;
}
