/* See notices.h. */
#include "sql/notices.h"

#include "base/memory.h"
#include "sql/postgres_connect.h"

#include <libpq-fe.h>
#include <stdio.h>
#include <stdlib.h>

struct Notices {
    char *uri;
    char *channel;
    PGconn *handle; /* NULL while the connection is lost */
    PGnotify *last;
};

static void disconnect(Notices *notices) {
    PQfinish(notices->handle);
    notices->handle = NULL;
}

static void ignore(void *context, const char *message) {
    (void)context;
    (void)message;
}

bool notices_reconnect(Notices *notices) {
    char sql[80];
    disconnect(notices);
    notices->handle = postgres_connect(notices->uri);
    PQsetNoticeProcessor(notices->handle, ignore, NULL);
    snprintf(sql, sizeof sql, "LISTEN %s", notices->channel);
    int sent = PQstatus(notices->handle) == CONNECTION_OK && PQsendQuery(notices->handle, sql);
    PGresult *result = postgres_result(notices->handle, notices->uri, sent);
    bool good = PQresultStatus(result) == PGRES_COMMAND_OK;
    PQclear(result);
    if (!good)
        disconnect(notices);
    return good;
}

Notices *notices_open(const char *uri, const char *channel, Error *error) {
    Notices *notices = xcalloc(1, sizeof *notices);
    notices->uri = xstrdup(uri);
    notices->channel = xstrdup(channel);
    if (notices_reconnect(notices))
        return notices;
    notices_close(notices);
    error_set(error, "cannot listen to the database; check that it accepts another connection");
    return NULL;
}

void notices_close(Notices *notices) {
    if (!notices)
        return;
    disconnect(notices);
    PQfreemem(notices->last);
    free(notices->uri);
    free(notices->channel);
    free(notices);
}

int notices_socket(const Notices *notices) {
    return notices->handle ? PQsocket(notices->handle) : -1;
}

bool notices_send(Notices *notices, const char *text) {
    if (!notices->handle)
        return false;
    const char *values[] = {notices->channel, text};
    int sent = PQsendQueryParams(notices->handle, "SELECT pg_notify($1, $2)", 2, NULL, values, NULL,
                                 NULL, 0);
    PGresult *result = postgres_result(notices->handle, notices->uri, sent);
    bool good = PQresultStatus(result) == PGRES_TUPLES_OK;
    bool lost = !result || PQstatus(notices->handle) != CONNECTION_OK;
    PQclear(result);
    if (lost)
        disconnect(notices);
    return good;
}

bool notices_next(Notices *notices, Slice *text) {
    if (!notices->handle)
        return false;
    if (!PQconsumeInput(notices->handle)) {
        disconnect(notices);
        return false;
    }
    int own = PQbackendPID(notices->handle);
    do {
        PQfreemem(notices->last);
        notices->last = PQnotifies(notices->handle);
    } while (notices->last && notices->last->be_pid == own);
    *text = slice_of(notices->last ? notices->last->extra : "");
    return notices->last != NULL;
}
