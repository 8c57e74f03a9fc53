/* The route of a version's check: the report of the conformance test that follows an upload. */
#include "arena/api/bot_routes.h"
#include "arena/bots/bots.h"
#include "http/schemas.h"

void versions_write_check(JsonOut *out, const StoreVersion *version) {
    static const char *const states[] = NAME_ARRAY(CHECK_STATES);
    json_out_text(out, "state", states[version->check]);
    json_out_uint(out, "errors", version->check_errors);
    json_out_uint(out, "warnings", version->check_warnings);
}

static Outcome handle_check(Request *request, Response *response) {
    StoreVersion version;
    StoreBot bot;
    Error error;
    Buffer report = {0};
    Buffer failure = {0};
    int64_t time = 0;
    const Arena *arena = arena_of(request);
    if (!versions_find_readable(request, response, &version, &bot))
        return OUTCOME_ANSWERED;
    StoreResult result =
        store_version_check(arena->store, version.id, &time, &report, &failure, &error);
    if (result == STORE_OK) {
        JsonOut out = {.to = &response->bytes};
        Buffer sentence = {0};
        versions_hide_paths(arena, (Slice){failure.data, failure.length}, &sentence);
        json_open(&out, NULL, '{');
        versions_write_check(&out, &version);
        api_time(&out, "time", time);
        if (sentence.length)
            json_out_string(&out, "failure", (Slice){sentence.data, sentence.length});
        else
            json_out_null(&out, "failure");
        if (report.length)
            json_out_raw(&out, "report", (Slice){report.data, report.length});
        else
            json_out_null(&out, "report");
        json_close(&out, '}');
        response_tag(response);
        buffer_free(&sentence);
    }
    buffer_free(&report);
    buffer_free(&failure);
    return result == STORE_OK ? OUTCOME_ANSWERED
                              : problem_from_store(request, response, result, &error);
}

#define REPORT_OR_NULL_SCHEMA OR_NULL_SCHEMA("CheckReport")
#define FINDINGS_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("CheckFinding"))
#define STAGES_SCHEMA ARRAY_SCHEMA(REF_SCHEMA("CheckStage"))

static const Schema schemas[] = {
    {"VersionCheck",
     SCHEMA_OBJECT(CHECK_REQUIRED ",\"time\",\"failure\",\"report\"", CHECK_MEMBERS
                   ",\"time\":" TIME_OR_NULL_SCHEMA ",\"failure\":" TEXT_OR_NULL_SCHEMA
                   ",\"report\":" REPORT_OR_NULL_SCHEMA)},
    {"CheckReport",
     SCHEMA_OBJECT("\"passed\",\"findings\",\"stages\"",
                   "\"passed\":" BOOL_SCHEMA ",\"findings\":" FINDINGS_SCHEMA
                   ",\"stages\":" STAGES_SCHEMA ",\"sessions\":" COUNT_SCHEMA
                   ",\"turns\":" COUNT_SCHEMA ",\"first_answer_ms\":" NUMBER_SCHEMA
                   ",\"first_answer_limit_ms\":" NUMBER_SCHEMA ",\"longest_turn_ms\":" NUMBER_SCHEMA
                   ",\"turn_limit_ms\":" NUMBER_SCHEMA ",\"memory_peak\":" INTEGER_OR_NULL_SCHEMA
                   ",\"memory_limit\":" COUNT_SCHEMA ",\"took_ms\":" NUMBER_SCHEMA)},
    {"CheckFinding",
     SCHEMA_OBJECT("\"id\",\"severity\",\"stage\",\"where\",\"what\",\"sent\",\"received\","
                   "\"stderr\",\"change\"",
                   "\"id\":" TEXT_SCHEMA ",\"severity\":" TEXT_SCHEMA ",\"stage\":" TEXT_SCHEMA
                   ",\"where\":" TEXT_SCHEMA ",\"what\":" TEXT_SCHEMA ",\"sent\":" TEXT_SCHEMA
                   ",\"received\":" TEXT_SCHEMA ",\"stderr\":" TEXT_SCHEMA
                   ",\"change\":" TEXT_SCHEMA)},
    {"CheckStage",
     SCHEMA_OBJECT("\"name\",\"outcome\",\"note\"",
                   "\"name\":" TEXT_SCHEMA ",\"outcome\":" TEXT_SCHEMA ",\"note\":" TEXT_SCHEMA)},
};

static const Route routes[] = {
    {.method = METHOD_GET,
     .pattern = "/api/v1/versions/{version}/check",
     .name = "version_check",
     .handle = handle_check,
     .scope = SCOPE_READ,
     .rate = RATE_READ,
     .summary = "Returns the report of the conformance test that follows an upload; for the owner "
                "and organisers only, unless published",
     .group = "bots",
     .parameters = {{"version", PARAMETER_NUMBER, 1, INT64_MAX, NULL, "the id of the version"}},
     .gives = "VersionCheck",
     .tagged = true},
};

const ApiGroup api_checks = {routes, sizeof routes / sizeof *routes, schemas,
                             sizeof schemas / sizeof *schemas};
