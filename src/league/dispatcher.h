/* The dispatcher: sends jobs to runners and receives their records.

   It runs a fixed number of runners, each pinned to its own core, and talks to each over a socket
   pair. A runner plays one job at a time; when jobs are short, the next one already waits in its
   socket, so that runners are never idle while the dispatcher is busy. A runner that dies is
   replaced, and its job is retried. After three deaths during one job, its record is RECORD_FAILED.
   A job that fails to start a bot is also tried three times, because the machine may have been the
   cause.

   Jobs in which a person plays have separate runners: such a match takes as long as the person
   thinks, and hardly uses a core. These runners and their bots get only the CPU time that nothing
   else needs, so that they do not disturb other matches. Bots are not charged for the time that
   they wait for a core (bots/grace.h).

   A live job sends several records, see record_ends.

   It makes no decisions about matches, writes no files, and is driven by its owner: dispatcher_give
   while there is room, dispatcher_take for records. */
#ifndef LEAGUE_DISPATCHER_H
#define LEAGUE_DISPATCHER_H

#include "league/job.h"

typedef struct DispatcherOptions {
    uint32_t runners; /* at most dispatcher_cores() */
    /* additional runners for jobs in which people play; started on demand */
    uint32_t people_runners;
    SandboxMode sandbox;
    const char *program; /* to start runners; NULL: this program */
    int wake;            /* a descriptor that wakes dispatcher_take when readable; 0: none */
    void (*report)(void *context, const char *message); /* messages for the operator; may be NULL */
    void *context;
} DispatcherOptions;

typedef struct Dispatcher Dispatcher;

/* How many cores this process may use. */
uint32_t dispatcher_cores(void);

Dispatcher *dispatcher_new(const DispatcherOptions *options, Error *error);

/* Ends the runners, even during a match, and waits for them. NULL is fine. */
void dispatcher_free(Dispatcher *dispatcher);

/* How many jobs can be given now, with or without people; and how many jobs of both kinds are
   pending. */
uint32_t dispatcher_room(const Dispatcher *dispatcher, bool with_people);
uint32_t dispatcher_pending(const Dispatcher *dispatcher);

/* Whether a job without people is waiting that no runner has received. Even jobs given within the
   room can wait: if their runner is replaced, or if they are large. */
bool dispatcher_waits(const Dispatcher *dispatcher);

/* Gives a job, which is copied. `replay` is the descriptor of the file for its replay, whose
   ownership passes to the dispatcher, or -1. */
void dispatcher_give(Dispatcher *dispatcher, const Job *job, int replay);

/* Aborts a job, running or waiting; no further record of it will come. Its runner is replaced,
   because only this ensures that no process of the job remains. Unknown ids are ignored. */
void dispatcher_cancel(Dispatcher *dispatcher, uint64_t id);

/* When a runner began to work on a job (clock_now); 0 if none has. *followed: whether another job
   is queued on the same runner. */
int64_t dispatcher_began(const Dispatcher *dispatcher, uint64_t id, bool *followed);

typedef enum DispatcherEvent {
    DISPATCHER_NONE,   /* the time is up, a signal arrived, or `wake` is readable */
    DISPATCHER_RECORD, /* *record is filled; record_free it */
    DISPATCHER_BROKEN, /* no runner can be started; see the error */
} DispatcherEvent;

/* Waits for the next record, at most `timeout_ms` milliseconds. */
DispatcherEvent dispatcher_take(Dispatcher *dispatcher, int timeout_ms, Record *record,
                                Error *error);

/* Aborts running jobs, whose records are RECORD_STOPPED, drops waiting jobs, and accepts no more.
   This is complete when no job is pending. */
void dispatcher_stop(Dispatcher *dispatcher);

#endif
