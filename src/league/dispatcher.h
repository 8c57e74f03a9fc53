/* The dispatcher: hands jobs to runners and takes their records in.

   It keeps as many runners as it was told, each pinned to a core of its own, and talks to each over
   a socket pair. A runner plays one job at a time; when jobs are brief the next one already waits
   in its socket, so that it never stands idle while we are busy. A runner that dies is replaced,
   and what it was at is given out again: three deaths over one job are taken for a fault of ours
   and make its record RECORD_FAILED. A job that failed to start a bot is tried three times as well,
   since it may have been the machine's fault.

   Jobs in which a person plays have runners of their own: such a match takes as long as the person
   thinks, and uses a core for moments only.

   Of a live job there are records before its last one: see record_ends.

   It decides nothing about matches, writes no files, and is driven by its owner: dispatcher_give
   while there is room, dispatcher_take for what comes. */
#ifndef LEAGUE_DISPATCHER_H
#define LEAGUE_DISPATCHER_H

#include "league/job.h"

typedef struct DispatcherOptions {
    uint32_t runners; /* at most dispatcher_cores() */
    /* runners beside those, for jobs in which people play; started when they are needed */
    uint32_t patient;
    SandboxMode sandbox;
    const char *program; /* to start runners from; NULL: this one */
    int wake; /* a descriptor that ends dispatcher_take's wait when it can be read; 0: none */
    void (*tell)(void *context,
                 const char *sentence); /* what an operator should know; may be NULL */
    void *context;
} DispatcherOptions;

typedef struct Dispatcher Dispatcher;

/* How many cores this process may use. */
uint32_t dispatcher_cores(void);

Dispatcher *dispatcher_new(const DispatcherOptions *options, Error *error);

/* Ends the runners, whatever they are at, and waits for them. NULL is fine. */
void dispatcher_free(Dispatcher *dispatcher);

/* How many jobs can be given now, of those in which people play or of the others; and how many of
   all are not back yet. */
uint32_t dispatcher_room(const Dispatcher *dispatcher, bool patient);
uint32_t dispatcher_pending(const Dispatcher *dispatcher);

/* Gives a job, of which everything is copied. `replay` is the file that its replay goes to, taken
   over, or -1. */
void dispatcher_give(Dispatcher *dispatcher, const Job *job, int replay);

typedef enum DispatcherNews {
    NEWS_NONE,   /* the time is up, a signal came, or `wake` can be read */
    NEWS_RECORD, /* *record is filled; record_free it */
    NEWS_BROKEN, /* no runner can be started: the error tells why */
} DispatcherNews;

/* Waits for the next record, for so many milliseconds at most. */
DispatcherNews dispatcher_take(Dispatcher *dispatcher, int timeout_ms, Record *record,
                               Error *error);

/* Breaks off what the runners are at: the records of that are RECORD_STOPPED. Jobs that were not
   begun are forgotten, and no more can be given. All is over when none is pending. */
void dispatcher_stop(Dispatcher *dispatcher);

#endif
