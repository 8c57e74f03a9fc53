/* See request.h. */
#include "http/request.h"

#include "http/router.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

static const char *const methods[METHODS + 1] = {"GET",   "HEAD",   "POST",    "PUT",
                                                 "PATCH", "DELETE", "OPTIONS", "OTHER"};

const char *method_name(Method method) {
    return methods[method];
}

Method method_parse(Slice name) {
    for (uint32_t method = 0; method < METHODS; method++)
        if (slice_equals(name, methods[method]))
            return (Method)method;
    return METHODS;
}

void request_id_text(const Request *request, char text[REQUEST_ID_TEXT]) {
    snprintf(text, REQUEST_ID_TEXT, "%016llx", (unsigned long long)request->id);
}

Slice request_path(const Request *request, const char *name) {
    uint32_t index = 0;
    bool found = route_path_index(request->route, name, &index);
    assert(found);
    return found ? request->parameters[index] : (Slice){0};
}

bool request_query(const Request *request, const char *name, Slice *value) {
    return pair_find(request->query, request->query_count, name, value);
}

int64_t request_number(const Request *request, const char *name, int64_t otherwise) {
    uint32_t index = 0;
    Slice text = {0};
    int64_t value = 0;
    if (route_path_index(request->route, name, &index))
        text = request->parameters[index];
    else if (!request_query(request, name, &text))
        return otherwise;
    return slice_int(text, &value) ? value : otherwise;
}

bool request_header(const Request *request, const char *name, Slice *value) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < request->header_count; i++)
        if (decode_same_letters(request->headers[i].name, name)) {
            *value = request->headers[i].value;
            found++;
        }
    return found == 1;
}

bool request_cookie(const Request *request, const char *name, Slice *value) {
    return pair_find(request->cookies, request->cookie_count, name, value);
}

static Outcome defer(Request *request, Pool pool, Deferred work) {
    request->pool = pool;
    request->work = work;
    return OUTCOME_DEFERRED;
}

Outcome request_defer(Request *request, Deferred work) {
    return defer(request, POOL_GENERAL, work);
}

Outcome request_hash(Request *request, Deferred work) {
    return defer(request, POOL_HASHES, work);
}

Outcome request_wait(Request *request, Deferred work) {
    return defer(request, POOL_WAITING, work);
}

Outcome request_watch(Request *request, const char *topic, LiveFrom from) {
    Slice last;
    int64_t id = 0;
    snprintf(request->topic, sizeof request->topic, "%s", topic);
    request->from = from;
    if (request_header(request, "Last-Event-ID", &last) && slice_int(last, &id) && id >= 0) {
        request->from = LIVE_AFTER_ID;
        request->last_id = (uint64_t)id;
    }
    return OUTCOME_LIVE;
}
