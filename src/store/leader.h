/* The leader: of the processes that share a PostgreSQL database, the one that does the work that
   must not happen twice, such as pairing ladder matches. With SQLite, the only process leads.

   A thread asks the database every second for a lock that belongs to its connection. The server
   ends a connection that has asked nothing for a while, so a leader that crashed, hangs or is cut
   off loses the lock, and a new one soon takes over. A leader trusts each answer for a few seconds,
   and a new one leads only when it has had the lock for that long: a connection can end while its
   leader does not know that yet. So there are never two leaders. A former leader may still be in
   the middle of something that it began as the leader. Therefore transactions that store ratings,
   which could overwrite newer ones, also check the lock. */
#ifndef STORE_LEADER_H
#define STORE_LEADER_H

#include "store/types.h"

/* Starts asking; store_close stops it. Once per store. The first answer is there when it returns,
   but a process that gets the lock leads only some seconds later. Does nothing with SQLite. */
bool store_leader_start(Store *store, Error *error);

/* Whether this process leads now; on PostgreSQL only after store_leader_start. From any thread;
   never waits. An action that takes longer than a second or so asks again before it changes
   anything. */
bool store_leads(const Store *store);

/* Whether the database server has answered this thread within the last few seconds; true with
   SQLite, and without store_leader_start. From any thread; never waits. */
bool store_answers(const Store *store);

#endif
