/* Nobody waits for somebody else's long job.

   The queue hands out runners by fair shares (store/queue_share.h), but a job keeps its runner
   until it ends, and a match of bots that sleep in every turn can take hours. Four rules:

   - One runner is kept for short jobs. A job is long once it has run for LONG_MS. When all runners
     have long jobs, and a requester without a runner waits or a leased job waits for a runner, the
     youngest of these long jobs goes back to the queue. It starts again on one of the other
     runners, where it is not interrupted a second time. So with two or more runners, a requester
     who is next waits for at most about LONG_MS. For ten minutes, the other jobs of these
     requesters are treated as long from their start.
   - A job that another one waits behind, on the same runner, goes back after LONG_MS as well. It is
     not treated as long, because perhaps only the machine is busy, but nothing waits behind it in
     the next attempt.
   - A casual match is cancelled after options.match_seconds, and so are the check of a version and
     an analysis. For the other two rules, each continuation of an analysis is a job of its own.

   - A runner that reports no turn for much longer than all players together can think hangs, for
     example because something stopped it. It is replaced, and the attempt has failed. The same
     holds for a build, which reports only its end.

   These rules are the engine's own. Should it be in such disorder that it extends the lease of a
   job for which it does nothing, the leader takes the job away from it (store_queue_end_stuck),
   after more than twice the time of the last rule.

   With only one runner, a job that starts again keeps the others waiting until it ends.

   Matches with people have their own runners and limits: see remote_seats.h. */
#ifndef ARENA_PLAY_LONG_JOBS_H
#define ARENA_PLAY_LONG_JOBS_H

#include "arena/play/engine_internal.h"

enum { LONG_MS = 3000 };

/* Applies the rules. Call it once a second, then leased_jobs_advance. */
void long_jobs_check(Engine *engine);

/* A match has started, with this header of its replay: how long a turn can take. */
void long_jobs_note_start(LeasedJob *job, Slice header);

/* For how many milliseconds the job can make no progress (LeasedJob.steps) while this engine is in
   order; 0: for any time, because a person thinks. */
int64_t long_jobs_patience(const LeasedJob *job);

/* Whether a long job that was interrupted can be leased now. */
bool long_jobs_have_room(const Engine *engine);

#endif
