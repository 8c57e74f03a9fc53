/* The leader: of the processes that share a PostgreSQL database, the one that does the work that
   must not happen twice, such as pairing ladder matches. With SQLite, the only process leads.

   A thread asks the database every second for a lock that belongs to its connection. The server
   closes a connection that has been idle for a while, so a leader that crashed, hangs or is cut off
   loses the lock, and a new one soon takes over. A leader trusts each answer for a few seconds, and
   a new leader starts only after it has held the lock for that long, because the old one may not
   know yet that its connection was closed. So there are never two leaders. A former leader may
   still be executing something that it began as the leader. Therefore transactions that store
   ratings, which could overwrite newer ones, also check the lock. */
#ifndef STORE_LEADER_H
#define STORE_LEADER_H

#include "store/types.h"

/* Starts the thread; store_close stops it. Call it once per store. It has asked for the lock when
   this returns, but a process that gets the lock leads only some seconds later. Does nothing with
   SQLite. */
bool store_leader_start(Store *store, Error *error);

/* Whether this process leads now; on PostgreSQL only after store_leader_start. Callable from any
   thread; never waits. An action that takes longer than about a second must call this again before
   it changes anything. */
bool store_leads(const Store *store);

/* Whether the database server has answered the leader's thread within the last few seconds; true
   with SQLite, and without store_leader_start. Callable from any thread; never waits. */
bool store_answers(const Store *store);

#endif
