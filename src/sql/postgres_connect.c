/* See postgres_connect.h. */
#include "sql/postgres_connect.h"

#include <libpq-fe.h>
#include <poll.h>
#include <stdlib.h>

enum { SILENCE_MS = 10000 };

/* The options are defaults that the URI and the environment override. The loss of a server is
   noticed within 15 s, so that requests do not hang much longer. If the URI names several hosts,
   the one that accepts writes is used, because a standby may lag behind what this process has
   written. */
PGconn *postgres_connect(const char *uri) {
    static const char *const defaults[][3] = {
        {"connect_timeout", "5", "PGCONNECT_TIMEOUT"},
        {"target_session_attrs", "read-write", "PGTARGETSESSIONATTRS"},
        {"fallback_application_name", "skirmish", NULL},
        {"keepalives_idle", "5", NULL},
        {"keepalives_interval", "5", NULL},
        {"keepalives_count", "2", NULL},
        {"tcp_user_timeout", "10000", NULL},
    };
    enum { DEFAULTS = sizeof defaults / sizeof *defaults };
    const char *names[DEFAULTS + 3] = {NULL};
    const char *values[DEFAULTS + 3] = {NULL};
    size_t count = 0;
    for (size_t i = 0; i < DEFAULTS; i++)
        if (!defaults[i][2] || !getenv(defaults[i][2])) {
            names[count] = defaults[i][0];
            values[count++] = defaults[i][1];
        }
    names[count] = "dbname";
    values[count++] = uri;
    names[count] = "client_encoding";
    values[count] = "UTF8";
    PGconn *handle = PQconnectdbParams(names, values, 1);
    if (PQstatus(handle) == CONNECTION_OK)
        PQsetnonblocking(handle, 1);
    return handle;
}

/* Whether a new connection to the server of `handle` gets a response. The URI may name several
   servers. */
static bool server_answers(const PGconn *handle, const char *uri) {
    const char *const names[] = {"dbname", "connect_timeout", "host", "hostaddr", "port", NULL};
    const char *const values[] = {uri, "5", PQhost(handle), PQhostaddr(handle), PQport(handle),
                                  NULL};
    return PQpingParams(names, values, 1) != PQPING_NO_RESPONSE;
}

bool postgres_next(PGconn *handle, const char *uri, PGresult **next) {
    *next = NULL;
    int unsent;
    /* PQgetResult reports any failure here. */
    while ((unsent = PQflush(handle)) > 0 || (unsent == 0 && PQisBusy(handle))) {
        struct pollfd ready = {.fd = PQsocket(handle),
                               .events = (short)(unsent ? POLLIN | POLLOUT : POLLIN)};
        int events = poll(&ready, 1, SILENCE_MS);
        if (events == 0 && !server_answers(handle, uri))
            return false;
        if (events > 0 && ready.revents != POLLOUT && !PQconsumeInput(handle))
            break;
    }
    *next = PQgetResult(handle);
    return true;
}

PGresult *postgres_result(PGconn *handle, const char *uri, int sent) {
    PGresult *last = NULL;
    PGresult *next = NULL;
    bool answers = sent;
    while (answers && (answers = postgres_next(handle, uri, &next)) && next) {
        PQclear(last);
        last = next;
    }
    if (!answers) {
        PQclear(last);
        last = NULL;
    }
    return last;
}
