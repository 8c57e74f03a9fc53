/* Rules that keep one requester's long jobs from delaying other requesters.

   The queue hands out runners by fair shares (store/queue_share.h), but a job keeps its runner
   until it ends, and a match of bots that sleep in every turn can take hours. Four rules:

   - One runner is reserved for short jobs. A job is long once it has run for LONG_MS. When all
     runners have long jobs, and a requester without a runner waits or a leased job waits for a
     runner, the most recent of these long jobs returns to the queue. It restarts on one of the
     other runners, where it is not interrupted again. So with two or more runners, the next
     requester waits for at most about LONG_MS. For ten minutes, the other jobs of these requesters
     are treated as long from their start.
   - A job also returns after LONG_MS if another job is queued behind it on the same runner. It is
     not treated as long, because perhaps only the machine is busy, but nothing is queued behind it
     in the next attempt.
   - A casual match is cancelled after options.match_seconds, and so are the check of a version and
     an analysis. For the other two rules, each continuation of an analysis counts as a separate
     job.

   - A runner hangs if it reports no turn for much longer than all players together can think, for
     example because something stopped it. It is replaced, and the attempt fails. The same applies
     to a build, which reports only its end.

   The engine applies these rules itself. If it malfunctions and extends the lease of a job without
   progress, the leader takes the job away from it (store_queue_end_stuck), after more than twice
   the time of the last rule. With only one runner, a restarted job keeps the others waiting until
   it ends.

   Matches with people have their own runners and limits: see remote_seats.h. */
#ifndef ARENA_PLAY_LONG_JOBS_H
#define ARENA_PLAY_LONG_JOBS_H

#include "arena/play/engine_internal.h"

enum { LONG_MS = 3000 };

/* Applies the rules. Call it once a second, then leased_jobs_advance. */
void long_jobs_check(Engine *engine);

/* A match has started, with this header of its replay: how long a turn can take. */
void long_jobs_note_start(LeasedJob *job, Slice header);

/* How many milliseconds the job can go without progress (LeasedJob.steps) while this engine works
   correctly; 0: forever, because it waits for a person. */
int64_t long_jobs_stall_ms(const LeasedJob *job);

/* Whether a long job that was interrupted can be leased now. */
bool long_jobs_have_room(const Engine *engine);

#endif
