/* See dispatcher.h. */
#include "league/dispatcher.h"

#include "base/clock.h"
#include "base/memory.h"
#include "bots/process.h"
#include "league/message.h"
#include "league/own_program.h"
#include "league/runner.h"

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum {
    TRIES = 3,             /* of one job, and of starting a runner */
    AHEAD = 2,             /* jobs that a runner holds if they are short */
    AHEAD_BYTES = 64 << 10 /* always fits into a socket buffer */
};

#define SHORT_JOB (250 * CLOCK_MS)
#define SHUTDOWN_GRACE (5000 * CLOCK_MS) /* enough for a runner to end its bots */

/* A job without a final record: waiting, or sent to a runner. */
typedef struct PendingJob {
    struct PendingJob *next;
    uint64_t id;
    int replay;
    uint32_t tries;
    bool with_people; /* a person plays in it */
    bool alone;       /* see Job */
    bool cancelled;   /* its owner gets no record */
    Buffer message;
} PendingJob;

typedef struct Runner {
    pid_t pid;
    int socket; /* -1: not running */
    int core;
    bool with_people; /* only plays matches with people */
    bool ready;
    bool short_jobs;         /* its last job was short */
    PendingJob *jobs[AHEAD]; /* sent to the runner, which works on the first */
    uint32_t job_count;
    int64_t began;   /* when it got jobs[0], or finished the job before it */
    int64_t kill_at; /* when to kill it, after it was told to end; 0: it was not told */
    Buffer in;
} Runner;

struct Dispatcher {
    DispatcherOptions options;
    Runner *runners;
    struct pollfd *polled;
    uint32_t count;         /* runners of both kinds */
    uint32_t pending[2];    /* jobs without a final record; [1]: with people */
    PendingJob *waiting;    /* not sent to a runner yet */
    uint32_t failed_starts; /* consecutive runners that died before they were ready */
    bool stopping;
};

static void report(const Dispatcher *dispatcher, const char *sentence) {
    if (dispatcher->options.report)
        dispatcher->options.report(dispatcher->options.context, sentence);
}

uint32_t dispatcher_cores(void) {
    cpu_set_t allowed;
    return sched_getaffinity(0, sizeof allowed, &allowed) == 0 ? (uint32_t)CPU_COUNT(&allowed) : 1;
}

/* The core for a runner: allowed cores are assigned round robin. */
static int core_of(uint32_t index) {
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0)
        return -1;
    uint32_t skip = index % (uint32_t)CPU_COUNT(&allowed);
    for (int core = 0; core < CPU_SETSIZE; core++)
        if (CPU_ISSET((unsigned)core, &allowed) && skip-- == 0)
            return core;
    return -1;
}

/* ---- starting and ending runners ---- */

static bool start_runner(Dispatcher *dispatcher, Runner *runner, Error *error) {
    int ends[2];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0)
        return error_set(error, "cannot open a socket pair to a runner: %s", strerror(errno));
    char mode[16];
    snprintf(mode, sizeof mode, "%s", sandbox_mode_names[dispatcher->options.sandbox]);
    char core[16];
    snprintf(core, sizeof core, "%d", runner->core);
    char rank[16];
    snprintf(rank, sizeof rank, "%s", runner->with_people ? "people" : "normal");
    char *arguments[] = {(char[]){"skirmish"}, (char[]){"runner"}, mode, core, rank, NULL};
    OwnProgram start = {.program = dispatcher->options.program,
                        .arguments = arguments,
                        .in = -1,
                        .out = -1,
                        .socket = ends[1]};
    int failure = own_program_start(&start, &runner->pid);
    close(ends[1]);
    if (failure) {
        close(ends[0]);
        return error_set(error, "cannot start a runner: %s", strerror(failure));
    }
    runner->socket = ends[0];
    runner->ready = runner->short_jobs = false;
    runner->kill_at = 0;
    buffer_clear(&runner->in);
    return true;
}

/* Kills the bots of a runner that died, and waits for them, because they have become children of
   this process. */
static void end_orphans(void) {
    while (!own_program_end_others())
        poll(NULL, 0, 1);
}

/* Tells a runner to abort its match and to end. */
static void tell_to_end(Runner *runner) {
    if (!runner->pid || runner->kill_at)
        return;
    runner->kill_at = clock_now() + SHUTDOWN_GRACE;
    kill(runner->pid, SIGTERM);
}

/* Stops a runner, aborting its match, and waits until it and its bots have ended. Returns its wait
   status. */
static int end_runner(Runner *runner) {
    int status = 0;
    close(runner->socket);
    runner->socket = -1;
    kill(runner->pid, SIGTERM);
    int64_t deadline = clock_now() + SHUTDOWN_GRACE;
    pid_t pid = runner->pid;
    while (waitpid(pid, &status, WNOHANG) == 0) {
        if (clock_now() > deadline) {
            kill(pid, SIGKILL);
            waitpid(pid, &status, 0);
            break;
        }
        poll(NULL, 0, 1);
    }
    own_program_forget(pid);
    runner->pid = 0;
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
        end_orphans();
    return status;
}

Dispatcher *dispatcher_new(const DispatcherOptions *options, Error *error) {
    if (!process_prepare(error))
        return NULL;
    Dispatcher *dispatcher = xcalloc(1, sizeof *dispatcher);
    dispatcher->options = *options;
    dispatcher->count = options->runners + options->people_runners;
    dispatcher->runners = xcalloc(dispatcher->count, sizeof *dispatcher->runners);
    dispatcher->polled = xcalloc(dispatcher->count + 1, sizeof *dispatcher->polled);
    for (uint32_t i = 0; i < dispatcher->count; i++)
        dispatcher->runners[i] =
            (Runner){.socket = -1, .core = core_of(i), .with_people = i >= options->runners};
    for (uint32_t i = 0; i < options->runners; i++)
        if (!start_runner(dispatcher, &dispatcher->runners[i], error)) {
            dispatcher_free(dispatcher);
            return NULL;
        }
    return dispatcher;
}

static void free_job(PendingJob *job) {
    if (job->replay >= 0)
        close(job->replay);
    buffer_free(&job->message);
    free(job);
}

/* Frees a job that has its final record, or will never have one. */
static void finish_job(Dispatcher *dispatcher, PendingJob *job) {
    dispatcher->pending[job->with_people]--;
    free_job(job);
}

void dispatcher_stop(Dispatcher *dispatcher) {
    dispatcher->stopping = true;
    for (uint32_t i = 0; i < dispatcher->count; i++)
        tell_to_end(&dispatcher->runners[i]);
    while (dispatcher->waiting) {
        PendingJob *job = dispatcher->waiting;
        dispatcher->waiting = job->next;
        finish_job(dispatcher, job);
    }
}

void dispatcher_free(Dispatcher *dispatcher) {
    if (!dispatcher)
        return;
    dispatcher_stop(dispatcher); /* tells all runners first, so that they shut down in parallel */
    for (uint32_t i = 0; i < dispatcher->count; i++) {
        Runner *runner = &dispatcher->runners[i];
        if (runner->pid)
            end_runner(runner);
        for (uint32_t k = 0; k < runner->job_count; k++)
            free_job(runner->jobs[k]);
        buffer_free(&runner->in);
    }
    free(dispatcher->runners);
    free(dispatcher->polled);
    free(dispatcher);
}

/* ---- jobs ---- */

uint32_t dispatcher_pending(const Dispatcher *dispatcher) {
    return dispatcher->pending[false] + dispatcher->pending[true];
}

/* How many more jobs a runner can receive. A job is queued after another one only if that one is
   likely to be over soon. */
static uint32_t places(const Runner *runner) {
    bool can_start = runner->with_people && !runner->pid; /* see start_people_runner */
    bool ahead = runner->short_jobs && !runner->with_people;
    if ((runner->socket < 0 && !can_start) || runner->kill_at)
        return 0;
    if (!runner->job_count)
        return ahead ? AHEAD : 1;
    return ahead && !runner->jobs[0]->alone && clock_now() - runner->began < SHORT_JOB
               ? AHEAD - runner->job_count
               : 0;
}

static uint32_t count_waiting(const Dispatcher *dispatcher, bool with_people) {
    uint32_t count = 0;
    for (const PendingJob *job = dispatcher->waiting; job; job = job->next)
        count += job->with_people == with_people;
    return count;
}

uint32_t dispatcher_room(const Dispatcher *dispatcher, bool with_people) {
    uint32_t free_places = 0;
    uint32_t waiting = count_waiting(dispatcher, with_people);
    for (uint32_t i = 0; i < dispatcher->count; i++)
        if (dispatcher->runners[i].with_people == with_people)
            free_places += places(&dispatcher->runners[i]);
    return dispatcher->stopping || free_places <= waiting ? 0 : free_places - waiting;
}

bool dispatcher_waits(const Dispatcher *dispatcher) {
    return count_waiting(dispatcher, false) > 0;
}

/* Whether this job can now be sent to the runner without blocking. */
static bool has_place(const Runner *runner, const PendingJob *job) {
    if (runner->socket < 0 || runner->with_people != job->with_people || !places(runner))
        return false;
    return !runner->job_count || (!job->alone && job->message.length < AHEAD_BYTES);
}

/* The least busy runner that can receive this job, or NULL. */
static Runner *find_place(const Dispatcher *dispatcher, const PendingJob *job) {
    Runner *best = NULL;
    for (uint32_t i = 0; i < dispatcher->count; i++) {
        Runner *runner = &dispatcher->runners[i];
        if (has_place(runner, job) && (!best || runner->job_count < best->job_count))
            best = runner;
    }
    return best;
}

/* Starts a runner for matches with people. NULL if all are running, or if it cannot be started;
   then the next dispatcher_take tries again. */
static Runner *start_people_runner(Dispatcher *dispatcher) {
    Error error;
    for (uint32_t i = dispatcher->options.runners; i < dispatcher->count; i++) {
        Runner *runner = &dispatcher->runners[i];
        if (runner->socket >= 0)
            continue;
        if (start_runner(dispatcher, runner, &error))
            return runner;
        report(dispatcher, error.text);
        return NULL;
    }
    return NULL;
}

/* Sends waiting jobs to the least busy runners. Ignores failures: if a runner has died, reading
   from its socket will show it. */
static void send_waiting(Dispatcher *dispatcher) {
    for (PendingJob **at = &dispatcher->waiting; *at && !dispatcher->stopping;) {
        PendingJob *job = *at;
        Runner *best = find_place(dispatcher, job);
        if (!best && job->with_people)
            best = start_people_runner(dispatcher);
        if (!best) {
            at = &job->next; /* a job of the other kind may still have a runner */
            continue;
        }
        *at = job->next;
        job->next = NULL;
        best->jobs[best->job_count++] = job;
        if (best->job_count == 1)
            best->began = clock_now();
        message_send(best->socket, (Slice){job->message.data, job->message.length}, job->replay);
    }
}

/* Returns a job that a runner did not finish to the front of the queue, unless it was cancelled. */
static void requeue(Dispatcher *dispatcher, PendingJob *job) {
    if (job->cancelled) {
        finish_job(dispatcher, job);
        return;
    }
    if (job->replay >= 0 &&
        (ftruncate(job->replay, 0) != 0 || lseek(job->replay, 0, SEEK_SET) != 0))
        report(dispatcher, "a replay could not be restarted");
    job->next = dispatcher->waiting;
    dispatcher->waiting = job;
}

void dispatcher_give(Dispatcher *dispatcher, const Job *job, int replay) {
    PendingJob *added = xcalloc(1, sizeof *added);
    added->id = job->id;
    added->replay = replay;
    added->with_people = job_has_person(job);
    added->alone = job->alone;
    job_encode(job, &added->message);
    PendingJob **end = &dispatcher->waiting;
    while (*end)
        end = &(*end)->next;
    *end = added;
    dispatcher->pending[added->with_people]++;
    send_waiting(dispatcher);
}

/* Drops a waiting job; false if no waiting job has this id. */
static bool drop_waiting(Dispatcher *dispatcher, uint64_t id) {
    for (PendingJob **at = &dispatcher->waiting; *at; at = &(*at)->next) {
        PendingJob *job = *at;
        if (job->id != id)
            continue;
        *at = job->next;
        finish_job(dispatcher, job);
        return true;
    }
    return false;
}

void dispatcher_cancel(Dispatcher *dispatcher, uint64_t id) {
    if (drop_waiting(dispatcher, id))
        return;
    for (uint32_t i = 0; i < dispatcher->count; i++) {
        Runner *runner = &dispatcher->runners[i];
        for (uint32_t k = 0; k < runner->job_count; k++)
            if (runner->jobs[k]->id == id) {
                runner->jobs[k]->cancelled = true;
                tell_to_end(runner); /* its other jobs are requeued */
            }
    }
}

int64_t dispatcher_began(const Dispatcher *dispatcher, uint64_t id, bool *followed) {
    for (uint32_t i = 0; i < dispatcher->count; i++) {
        const Runner *runner = &dispatcher->runners[i];
        *followed = runner->job_count > 1;
        if (runner->job_count && runner->jobs[0]->id == id)
            return runner->began;
    }
    *followed = false;
    return 0;
}

/* Removes the first job of a runner. */
static PendingJob *shift_job(Runner *runner) {
    PendingJob *job = runner->jobs[0];
    runner->began = clock_now();
    runner->job_count--;
    for (uint32_t i = 0; i < runner->job_count; i++)
        runner->jobs[i] = runner->jobs[i + 1];
    return job;
}

/* ---- records ---- */

/* Handles a record. Returns whether to pass it on to the dispatcher's owner. */
static bool take_record(Dispatcher *dispatcher, Runner *runner, Record *record) {
    if (!runner->ready && record->kind == RECORD_READY) {
        runner->ready = true;
        dispatcher->failed_starts = 0;
        return false;
    }
    if (!runner->job_count || runner->jobs[0]->id != record->id)
        return false;
    if (!record_ends(record))
        return !dispatcher->stopping && !runner->jobs[0]->cancelled;
    if (record->kind == RECORD_STOPPED && runner->kill_at && !dispatcher->stopping)
        return false; /* another job of this runner was cancelled: see replace_runner */
    runner->short_jobs = record->wall < SHORT_JOB;
    PendingJob *job = shift_job(runner);
    if (job->cancelled) {
        finish_job(dispatcher, job);
        return false;
    }
    if (record->kind == RECORD_BAD_BOT && record->verdict.players && !dispatcher->stopping &&
        ++job->tries < TRIES) {
        requeue(dispatcher, job);
        return false;
    }
    finish_job(dispatcher, job);
    return true;
}

static void describe(int status, char *text, size_t size) {
    if (WIFSIGNALED(status))
        snprintf(text, size, "was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(text, size, "ended with status %d", WEXITSTATUS(status));
}

/* Replaces a runner that has died and requeues its jobs. Returns DISPATCHER_RECORD if its current
   job has failed too often. */
static DispatcherEvent replace_runner(Dispatcher *dispatcher, Runner *runner, Record *record,
                                      Error *error) {
    char how[80];
    char sentence[200];
    bool was_ready = runner->ready;
    bool was_ending = runner->kill_at != 0;
    describe(end_runner(runner), how, sizeof how);
    if (dispatcher->stopping) {
        while (runner->job_count)
            finish_job(dispatcher, shift_job(runner));
        return DISPATCHER_NONE;
    }
    while (runner->job_count > 1)
        requeue(dispatcher, runner->jobs[--runner->job_count]);
    PendingJob *job = runner->job_count ? shift_job(runner) : NULL;
    if (was_ending) {
        if (job)
            requeue(dispatcher, job);
        if (!start_runner(dispatcher, runner, error))
            return DISPATCHER_BROKEN;
        send_waiting(dispatcher);
        return DISPATCHER_NONE;
    }
    if (!was_ready && ++dispatcher->failed_starts >= TRIES) {
        error_set(error, "a runner %s right after it was started", how);
        if (job)
            requeue(dispatcher, job);
        return DISPATCHER_BROKEN;
    }
    snprintf(sentence, sizeof sentence, "a runner %s; %s", how,
             job ? "its match is replayed" : "a new one replaces it");
    bool enough = job && was_ready && ++job->tries >= TRIES;
    if (!enough)
        report(dispatcher, sentence);
    if (enough) {
        *record = (Record){.id = job->id, .kind = RECORD_FAILED};
        error_set(&record->error, "%u runners died during this match; the last one %s", TRIES, how);
        finish_job(dispatcher, job);
    } else if (job) {
        requeue(dispatcher, job);
    }
    if (!start_runner(dispatcher, runner, error))
        return DISPATCHER_BROKEN;
    send_waiting(dispatcher);
    return enough ? DISPATCHER_RECORD : DISPATCHER_NONE;
}

/* Handles what a runner has sent. */
static DispatcherEvent read_runner(Dispatcher *dispatcher, Runner *runner, Record *record,
                                   Error *error) {
    Slice message;
    bool broken = false;
    while (message_next(&runner->in, &message, &broken)) {
        bool sensible = record_decode(record, message);
        message_drop(&runner->in);
        if (sensible && !runner->ready && record->kind == RECORD_FAILED) {
            *error = record->error;
            record_free(record);
            return DISPATCHER_BROKEN;
        }
        if (sensible && take_record(dispatcher, runner, record)) {
            send_waiting(dispatcher);
            return DISPATCHER_RECORD;
        }
        record_free(record);
        send_waiting(dispatcher);
        broken = broken || !sensible;
    }
    return broken ? replace_runner(dispatcher, runner, record, error) : DISPATCHER_NONE;
}

DispatcherEvent dispatcher_take(Dispatcher *dispatcher, int timeout_ms, Record *record,
                                Error *error) {
    uint32_t count = dispatcher->count;
    if (dispatcher->waiting)
        send_waiting(dispatcher); /* a runner that could not be started may start now */
    for (uint32_t i = 0; i < count; i++)
        if (dispatcher->runners[i].pid && dispatcher->runners[i].kill_at &&
            clock_now() > dispatcher->runners[i].kill_at)
            kill(dispatcher->runners[i].pid, SIGKILL);
    /* A message may already be buffered. */
    for (uint32_t i = 0; i < count; i++) {
        DispatcherEvent event = read_runner(dispatcher, &dispatcher->runners[i], record, error);
        if (event != DISPATCHER_NONE)
            return event;
    }
    for (uint32_t i = 0; i < count; i++)
        dispatcher->polled[i] =
            (struct pollfd){.fd = dispatcher->runners[i].socket, .events = POLLIN};
    dispatcher->polled[count] = (struct pollfd){
        .fd = dispatcher->options.wake > 0 ? dispatcher->options.wake : -1, .events = POLLIN};
    if (poll(dispatcher->polled, count + 1, timeout_ms) <= 0)
        return DISPATCHER_NONE;
    for (uint32_t i = 0; i < count; i++) {
        Runner *runner = &dispatcher->runners[i];
        if (!dispatcher->polled[i].revents)
            continue;
        DispatcherEvent event = message_receive(runner->socket, &runner->in)
                                    ? read_runner(dispatcher, runner, record, error)
                                    : replace_runner(dispatcher, runner, record, error);
        if (event != DISPATCHER_NONE)
            return event;
    }
    return DISPATCHER_NONE;
}
