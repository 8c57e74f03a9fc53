/* The OpenAPI 3.1 document, generated from the table of routes and a list of schemas, so that it
   always matches the server. */
#ifndef HTTP_OPENAPI_H
#define HTTP_OPENAPI_H

#include "base/buffer.h"
#include "http/router.h"

typedef struct Schema {
    const char *name;
    const char *json; /* a JSON Schema; refers to others as #/components/schemas/NAME */
} Schema;

typedef struct OpenApi {
    const char *title;
    const char *version;
    const Route *routes; /* routes without a summary are omitted */
    uint32_t route_count;
    const Schema *schemas; /* "Problem" is added */
    uint32_t schema_count;
    const char *const *roles; /* names of the values of Route.needs, from 1 */
    /* Names of the values of Route.scope, from 1, terminated by NULL. Higher values mean that API
       tokens are not accepted. NULL: there are no scopes. */
    const char *const *scopes;
    const char *session_cookie; /* the name of the cookie that carries a session */
} OpenApi;

/* Appends the document. False if a schema is not valid JSON or refers to an unknown schema. */
bool openapi_write(const OpenApi *api, Buffer *to, Error *error);

#endif
