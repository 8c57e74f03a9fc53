/* Routes for administrators: the processes that play, see store/workers.h. */
#include "arena/api/routes.h"
#include "arena/people/people.h"
#include "arena/play/play.h"
#include "base/memory.h"
#include "http/schemas.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    SMALL_BODY = 4096,
    JOBS_SHOWN = 1000, /* of all workers of a page */
};

static const char *const kinds[] = NAME_ARRAY(WORKER_KIND_NAMES);
static const char *const states[] = NAME_ARRAY(WORKER_STATE_NAMES);
static const char *const wanted_states[] = NAME_ARRAY(WORKER_WANTED_NAMES);

static void write_job(JsonOut *out, const StoreHeldJob *job) {
    bool of_match = job->kind == JOB_MATCH || job->kind == JOB_ANALYSIS;
    json_open(out, NULL, '{');
    json_out_text(out, "kind", job_kind_name(job->kind));
    json_out_uint(out, of_match ? "match" : "version", job->subject);
    api_time(out, "leased", job->leased);
    api_time(out, "progressed", job->progressed);
    json_close(out, '}');
}

static void write_worker(JsonOut *out, const StoreWorker *worker, const StoreHeldJob *jobs,
                         uint32_t count) {
    json_open(out, NULL, '{');
    json_out_text(out, "name", worker->name);
    json_out_text(out, "machine", worker->machine);
    json_out_text(out, "kind", kinds[worker->kind]);
    json_out_text(out, "version", worker->version);
    json_out_uint(out, "speed", worker->speed);
    json_out_uint(out, "runners", worker->runners);
    json_out_text(out, "state", states[worker->state]);
    json_out_text(out, "wanted", wanted_states[worker->wanted]);
    api_time(out, "started", worker->started);
    api_time(out, "seen", worker->seen);
    json_out_uint(out, "running", worker->running);
    json_open(out, "jobs", '[');
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(jobs[i].holder, worker->name) == 0)
            write_job(out, &jobs[i]);
    json_close(out, ']');
    json_close(out, '}');
}

/* Writes workers, which are sorted by name. */
static StoreResult write_workers(const Request *request, JsonOut *out, const StoreWorker *rows,
                                 uint32_t count, Error *error) {
    uint32_t job_count = JOBS_SHOWN;
    StoreHeldJob *jobs = xcalloc(job_count, sizeof *jobs);
    StoreResult result = STORE_OK;
    if (count)
        result = store_workers_jobs(arena_of(request)->store, rows[0].name, rows[count - 1].name,
                                    jobs, &job_count, error);
    for (uint32_t i = 0; result == STORE_OK && i < count; i++)
        write_worker(out, &rows[i], jobs, job_count);
    free(jobs);
    return result;
}

static Outcome handle_workers(Request *request, Response *response) {
    StoreWorker rows[STORE_PAGE_MAX];
    uint32_t count = STORE_PAGE_MAX;
    Slice after;
    char from[WORKER_NAME_SIZE] = "";
    Error error;
    if (request_query(request, "after", &after) && !slice_to(after, from, sizeof from))
        return problem_about(request, response, 422, "after",
                             "\"after\" is not the name of a worker.");
    StoreResult result = store_workers_list(arena_of(request)->store, from, rows, &count, &error);
    JsonOut out = {.to = &response->bytes};
    json_open(&out, NULL, '{');
    json_open(&out, "items", '[');
    if (result == STORE_OK)
        result = write_workers(request, &out, rows, count, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    json_close(&out, ']');
    if (count == STORE_PAGE_MAX)
        json_out_text(&out, "next", rows[count - 1].name);
    else
        json_out_null(&out, "next");
    json_close(&out, '}');
    return OUTCOME_ANSWERED;
}

static void audit(const Request *request, const StoreWorker *worker, StoreWorkerWanted wanted) {
    static const char *const actions[] = {"worker.resume", "worker.drain", "worker.block"};
    char subject[STORE_LABEL_SIZE];
    char detail[STORE_LINE_SIZE];
    snprintf(subject, sizeof subject, "%.*s", (int)sizeof subject - 1, worker->name);
    snprintf(detail, sizeof detail, "on %s", worker->machine);
    auth_audit(request, actions[wanted], subject, detail);
}

static bool read_wanted(const Request *request, Response *response, uint32_t *wanted) {
    static const char *const known[] = {"wanted", NULL};
    JsonObject config = {0};
    Error error;
    bool good = api_body(request, response, &config);
    if (good && (!json_object_allow_only(&config, 0, known, &error) ||
                 !json_object_choice(&config, "wanted", wanted_states, wanted, &error))) {
        api_body_problem(request, response, &error);
        good = false;
    }
    json_object_free(&config);
    return good;
}

static Outcome handle_change_worker(Request *request, Response *response) {
    const Arena *arena = arena_of(request);
    StoreWorker worker;
    Error error;
    char name[WORKER_NAME_SIZE];
    slice_to(request_path(request, "worker"), name, sizeof name); /* no worker is called "" */
    StoreResult result = store_worker_get(arena->store, name, &worker, &error);
    if (result != STORE_OK)
        return problem_from_store(request, response, result, &error);
    uint32_t wanted = worker.wanted;
    if (!read_wanted(request, response, &wanted))
        return OUTCOME_ANSWERED;
    if (wanted != worker.wanted) {
        result = store_worker_ask(arena->store, name, (StoreWorkerWanted)wanted, &error);
        if (result == STORE_OK)
            audit(request, &worker, (StoreWorkerWanted)wanted);
        engine_wake_for_worker(arena->engine);
    }
    if (result == STORE_OK)
        result = store_worker_get(arena->store, name, &worker, &error);
    JsonOut out = {.to = &response->bytes};
    if (result == STORE_OK)
        result = write_workers(request, &out, &worker, 1, &error);
    return result == STORE_OK ? OUTCOME_ANSWERED
                              : problem_from_store(request, response, result, &error);
}

/* ---- routes and schemas ---- */

#define JOB_SCHEMA                                                                                 \
 SCHEMA_OBJECT("\"kind\",\"leased\",\"progressed\"",                                               \
               SCHEMA_CHOICE("kind", JOB_KIND_NAMES) "," SCHEMA_NUMBER("match") "," SCHEMA_NUMBER( \
                   "version") "," SCHEMA_TIME("leased") "," SCHEMA_TIME_OR_NULL("progressed"))
#define WANTED_MEMBER SCHEMA_CHOICE("wanted", WORKER_WANTED_NAMES)
#define SPEED_SCHEMA \
 "{\"type\":\"integer\",\"description\":\"percent of the reference; 0: unknown\"}"

static const Schema schemas[] = {
    {"Worker",
     SCHEMA_OBJECT(
         "\"name\",\"machine\",\"kind\",\"version\",\"speed\",\"runners\",\"state\","
         "\"wanted\",\"started\",\"seen\",\"running\",\"jobs\"",
         "\"name\":" TEXT_SCHEMA ",\"machine\":" TEXT_SCHEMA ",\"kind\":" ENUM_SCHEMA(
             WORKER_KIND_NAMES) ",\"version\":" TEXT_SCHEMA ",\"speed\":" SPEED_SCHEMA
                                ",\"runners\":" COUNT_SCHEMA ",\"state\":" ENUM_SCHEMA(
                                    WORKER_STATE_NAMES) "," WANTED_MEMBER
                                                        ",\"started\":" TIME_SCHEMA
                                                        ",\"seen\":" TIME_SCHEMA
                                                        ",\"running\":" COUNT_SCHEMA
                                                        ",\"jobs\":" ARRAY_SCHEMA(JOB_SCHEMA))},
    {"Workers", SCHEMA_LIST("Worker")},
    {"WorkerChange", SCHEMA_OBJECT("", WANTED_MEMBER)},
};

#define GROUP "administration"
#define ROOT "/api/v1/admin/workers"

static const Route routes[] = {
    {METHOD_GET, ROOT, "workers", handle_workers, NEEDS_ADMINISTRATOR, SCOPE_ADMINISTER, RATE_READ,
     0, "Lists the processes that play matches, by name, with their current jobs", GROUP,
     .parameters = {{"after", PARAMETER_TEXT, 0, WORKER_NAME_SIZE - 1, NULL,
                     "the `next` of the previous page"}},
     .gives = "Workers"},
    {METHOD_PATCH, ROOT "/{worker}", "worker_change", handle_change_worker, NEEDS_ADMINISTRATOR,
     SCOPE_ADMINISTER, RATE_WRITE, SMALL_BODY,
     "Drains a worker (it finishes its jobs and takes no more), blocks it (its jobs also return "
     "to the queue), or resumes it",
     GROUP,
     .parameters = {{"worker", PARAMETER_TEXT, 0, WORKER_NAME_SIZE - 1, NULL,
                     "the name of the worker"}},
     .takes = "WorkerChange", .gives = "Worker"},
};

const ApiGroup api_workers = {routes, sizeof routes / sizeof *routes, schemas,
                              sizeof schemas / sizeof *schemas};
