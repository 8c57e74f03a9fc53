/* Handlers for versions: upload, list, logs, sources, activate. Their routes are in
   bot_routes.c. */
#include "arena/api/bot_routes.h"
#include "arena/bots/bots.h"
#include "arena/disk.h"
#include "arena/people/people.h"
#include "arena/play/play.h"
#include "base/memory.h"
#include "http/schemas.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DAY_MS (INT64_C(24) * 60 * 60 * 1000)

/* ---- JSON ---- */

static const char *const build_names[] = NAME_ARRAY(BUILD_STATES);

void versions_write(JsonOut *out, const char *key, const StoreVersion *version, const StoreBot *bot,
                    bool may_read) {
    json_open(out, key, '{');
    json_out_uint(out, "id", version->id);
    json_out_uint(out, "bot", bot->id);
    json_out_text(out, "owner", bot->owner_name);
    json_out_text(out, "name", bot->name);
    json_out_uint(out, "number", version->number);
    json_out_text(out, "language", version->language);
    if (may_read)
        json_out_text(out, "file_name", version->file_name);
    else
        json_out_null(out, "file_name");
    json_out_int(out, "size", version->size);
    json_out_text(out, "build", build_names[version->build]);
    json_out_bool(out, "active", bot->active == version->id);
    json_out_bool(out, "deleted", !version->source.name[0]);
    api_time(out, "created", version->created);
    api_time(out, "built", version->built);
    if (may_read) {
        json_open(out, "check", '{');
        versions_write_check(out, version);
        json_close(out, '}');
    } else {
        json_out_null(out, "check");
    }
    json_close(out, '}');
}

static void answer_version(const Request *request, Response *response, const StoreVersion *version,
                           const StoreBot *bot) {
    JsonOut out = {.to = &response->bytes};
    versions_write(&out, NULL, version, bot, bots_may_read(request, bot));
}

Outcome handle_versions_list(Request *request, Response *response) {
    Error error;
    StoreBot bot;
    StorePage page;
    if (!bots_of_path(request, response, &bot) || !api_page(request, response, &page))
        return OUTCOME_ANSWERED;
    StoreVersion *rows = xcalloc(page.limit, sizeof *rows);
    StoreResult result = store_versions_list(arena_of(request)->store, bot.id, &page, rows, &error);
    if (result == STORE_OK) {
        JsonOut out = {.to = &response->bytes};
        bool may_read = bots_may_read(request, &bot);
        api_list_open(&out);
        for (uint32_t i = 0; i < page.count; i++)
            versions_write(&out, NULL, &rows[i], &bot, may_read);
        api_list_close(&out, &page);
        response_tag(response);
    } else {
        problem_from_store(request, response, result, &error);
    }
    free(rows);
    return OUTCOME_ANSWERED;
}

/* ---- uploading ---- */

/* The body is the file, with its name in the query; or a JSON object that has both. */
typedef struct Upload {
    char file_name[STORE_LABEL_SIZE];
    Slice bytes;
    JsonObject config; /* owns the content that came as JSON */
} Upload;

static bool name_upload(const Request *request, Response *response, Upload *upload, Slice name) {
    if (name.length && slice_to(name, upload->file_name, sizeof upload->file_name))
        return true;
    problem_about(request, response, 422, "file_name", "A file name must have 1 to %d bytes.",
                  STORE_LABEL_SIZE - 1);
    return false;
}

/* Reads an upload. Answers with a problem and returns false on a mistake. Free upload->config in
   either case. */
static bool read_upload(const Request *request, Response *response, Upload *upload) {
    static const char *const known[] = {"file_name", "source", NULL};
    Error error;
    Slice name;
    *upload = (Upload){.bytes = request->body};
    if (request_query(request, "file_name", &name))
        return name_upload(request, response, upload, name);
    uint32_t named = JSON_NONE;
    uint32_t source = JSON_NONE;
    if (!api_body(request, response, &upload->config))
        return false;
    const JsonObject *config = &upload->config;
    bool good = json_object_allow_only(config, 0, known, &error) &&
                json_object_member(config, 0, "file_name", JSON_STRING, &named, &error) &&
                json_object_member(config, 0, "source", JSON_STRING, &source, &error);
    if (good && (named == JSON_NONE || source == JSON_NONE))
        good = error_set(&error,
                         "\"file_name\" and \"source\" are required; or send the file itself as "
                         "the body and its name as ?file_name=") ||
               error_about(&error, named == JSON_NONE ? "file_name" : "source");
    if (!good) {
        api_body_problem(request, response, &error);
        return false;
    }
    upload->bytes = config->json.nodes[source].text;
    return name_upload(request, response, upload, config->json.nodes[named].text);
}

/* Stores a checked version: one at a time, so that concurrent uploads cannot exceed the limits. */
static bool add_version(const Request *request, Response *response, const StoreBot *bot,
                        StoreNewVersion *version, uint64_t *id) {
    static pthread_mutex_t adding = PTHREAD_MUTEX_INITIALIZER;
    const Arena *arena = arena_of(request);
    Error error = {0};
    uint32_t today = 0;
    uint32_t most = arena->options.versions_max;
    bool room = false;
    pthread_mutex_lock(&adding);
    StoreResult result = store_usage_added(arena->store, bot->owner,
                                           store_now(arena->store) - DAY_MS, &today, &error);
    if (result == STORE_OK && today < most)
        room = versions_have_room(arena, bot->owner, (uint64_t)version->size, 0, &error);
    if (room)
        result = store_version_add(arena->store, version, id, &error);
    pthread_mutex_unlock(&adding);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
    } else if (today >= most) {
        snprintf(error.text, sizeof error.text,
                 "You have reached the limit of %u versions per day, of all your bots together. "
                 "Try again later.",
                 (unsigned)most);
        problem_retry(request, response, 429, 3600, error.text);
    } else if (!room) {
        problem_from_error(request, response, 413, &error);
    }
    return result == STORE_OK && room;
}

static void upload_version(const Request *request, Response *response, const StoreBot *bot,
                           const Upload *upload) {
    Arena *arena = arena_of(request);
    Error error = {0};
    char language[STORE_GAME_SIZE];
    char request_id[REQUEST_ID_TEXT];
    StoreNewVersion version = {.bot = bot->id,
                               .language = language,
                               .file_name = upload->file_name,
                               .size = (int64_t)upload->bytes.length,
                               .spec = "",
                               .most = arena->options.waiting_max,
                               .request = request_id};
    uint64_t id = 0;
    request_id_text(request, request_id);
    if (!versions_check(arena, upload->file_name, upload->bytes, language, &error)) {
        problem(request, response, 422, "%s", error.text);
        return;
    }
    StoreResult result = store_file_put(arena->store, upload->bytes, &version.source, &error);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return;
    }
    if (!add_version(request, response, bot, &version, &id))
        return;
    engine_wake(arena->engine);
    StoreVersion made;
    result = store_version_get(arena->store, id, &made, &error);
    if (result != STORE_OK) {
        problem_from_store(request, response, result, &error);
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "version %" PRIu32 " (%" PRIu64 ")", made.number, id);
    bots_audit(request, "version.add", bot, text);
    snprintf(text, sizeof text, "/api/v1/versions/%" PRIu64, id);
    response->status = 201;
    response_header(response, HEADER_LOCATION, slice_of(text));
    answer_version(request, response, &made, bot);
}

static void upload_later(Request *request, Response *response) {
    StoreBot bot;
    Upload upload;
    if (!bots_of_path(request, response, &bot)) /* it may have been retired in the meantime */
        return;
    if (read_upload(request, response, &upload))
        upload_version(request, response, &bot, &upload);
    json_object_free(&upload.config);
}

bool permit_version_add(Request *request, Response *response) {
    StoreBot bot;
    return bots_of_path(request, response, &bot) &&
           bots_may_change(request, response, &bot, false) && !disk_refuse(request, response);
}

Outcome handle_version_add(Request *request, Response *response) {
    (void)response;
    return request_defer(request, upload_later);
}

/* ---- one version ---- */

static bool find_version(const Request *request, Response *response, StoreVersion *version,
                         StoreBot *bot) {
    Error error;
    const Arena *arena = arena_of(request);
    uint64_t id = (uint64_t)request_number(request, "version", 0);
    StoreResult result = store_version_get(arena->store, id, version, &error);
    if (result == STORE_OK)
        result = store_bot_get(arena->store, version->bot, bot, &error);
    if (result != STORE_OK)
        problem_from_store(request, response, result, &error);
    return result == STORE_OK;
}

bool versions_find_readable(const Request *request, Response *response, StoreVersion *version,
                            StoreBot *bot) {
    if (!find_version(request, response, version, bot))
        return false;
    if (bots_may_read(request, bot))
        return true;
    problem(request, response, 404, "The sources and logs of version %" PRIu64 " are not public.",
            version->id);
    return false;
}

Outcome handle_version_get(Request *request, Response *response) {
    StoreVersion version;
    StoreBot bot;
    if (find_version(request, response, &version, &bot)) {
        answer_version(request, response, &version, &bot);
        response_tag(response);
    }
    return OUTCOME_ANSWERED;
}

Outcome handle_version_log(Request *request, Response *response) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    if (!versions_find_readable(request, response, &version, &bot))
        return OUTCOME_ANSWERED;
    StoreResult result =
        store_version_log(arena_of(request)->store, version.id, &response->bytes, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    response->type = TYPE_TEXT;
    response_tag(response);
    return OUTCOME_ANSWERED;
}

Outcome handle_version_diagnostics(Request *request, Response *response) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    Buffer log = {0};
    if (!versions_find_readable(request, response, &version, &bot))
        return OUTCOME_ANSWERED;
    StoreResult result = store_version_log(arena_of(request)->store, version.id, &log, &error);
    if (result == STORE_OK) {
        JsonOut out = {.to = &response->bytes};
        Slice text = {log.data, log.length};
        json_open(&out, NULL, '{');
        json_out_text(&out, "build", build_names[version.build]);
        json_out_string(&out, "log", text);
        diagnostics_write(&out, &text, 1);
        json_close(&out, '}');
        response_tag(response);
    }
    buffer_free(&log);
    return result == STORE_OK ? OUTCOME_ANSWERED
                              : problem_from_store(request, response, result, &error);
}

Outcome handle_version_source(Request *request, Response *response) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    int64_t size = 0;
    if (!versions_find_readable(request, response, &version, &bot))
        return OUTCOME_ANSWERED;
    if (!version.source.name[0] || strcmp(version.language, "house") == 0)
        return problem(request, response, 404, "Version %" PRIu64 " has no source to download.",
                       version.id);
    int file = store_file_open(arena_of(request)->store, &version.source, &size, &error);
    if (file < 0)
        return problem_from_store(request, response, STORE_FAILED, &error);
    if (request->account != bot.owner && !bot.published) {
        char detail[64];
        snprintf(detail, sizeof detail, "version %" PRIu32 " (%" PRIu64 ")", version.number,
                 version.id);
        bots_audit(request, "source.read", &bot, detail);
    }
    response->type = TYPE_BYTES;
    response->file = file;
    response->file_size = (uint64_t)size;
    response->cache = CACHE_ASK;
    snprintf(response->etag, sizeof response->etag, "\"%.32s\"", version.source.name);
    char text[STORE_LABEL_SIZE + 32];
    snprintf(text, sizeof text, "attachment; filename=\"%s\"", version.file_name);
    for (char *quote = strchr(strchr(text, '"') + 1, '"'); quote && quote[1];
         quote = strchr(quote, '"'))
        *quote = '_'; /* a quote inside the name */
    response_header(response, HEADER_CONTENT_DISPOSITION, slice_of(text));
    return OUTCOME_ANSWERED;
}

Outcome handle_version_delete(Request *request, Response *response) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    if (!find_version(request, response, &version, &bot) ||
        !bots_may_change(request, response, &bot, false))
        return OUTCOME_ANSWERED;
    StoreResult result = store_usage_delete(arena_of(request)->store, version.id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    char text[64];
    snprintf(text, sizeof text, "version %" PRIu32 " (%" PRIu64 ")", version.number, version.id);
    bots_audit(request, "version.delete", &bot, text);
    return api_no_content(response);
}

Outcome handle_version_activate(Request *request, Response *response) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    Arena *arena = arena_of(request);
    if (!find_version(request, response, &version, &bot) ||
        !bots_may_change(request, response, &bot, false))
        return OUTCOME_ANSWERED;
    StoreResult result = store_version_activate(arena->store, bot.id, version.id, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    char text[64];
    snprintf(text, sizeof text, "version %" PRIu32 " (%" PRIu64 ")", version.number, version.id);
    bots_audit(request, "version.activate", &bot, text);
    engine_wake(arena->engine);
    bot.active = version.id;
    answer_version(request, response, &version, &bot);
    return OUTCOME_ANSWERED;
}
