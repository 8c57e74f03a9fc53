/* Live topics that several processes share, if their store is in PostgreSQL: viewers are connected
   to one front end, and a match is played by another one or by a worker.

   Theory of operation. The process that publishes a topic registers it (topic_relay_own), and its
   Live keeps the last events. A process with viewers of a topic that it does not publish follows it
   (topic_relay_follow), and announces this every few seconds in the news as long as it has viewers.
   The publisher then writes the events that it has kept, and all later ones, to a table
   (store/relay.h) in batches, and announces in the news which topics have new events. Followers
   read the rows and add them to their own topics with the same ids. Without viewers elsewhere,
   nothing is written. A thread does all of this, so that publishers do not wait for the database.
   News may get lost, so watches are repeated, and followed topics are also checked once a second.

   An event's id has the attempt at the match in its upper half (live_restart). So if a match is
   repeated elsewhere, its events follow those of the previous attempt, and late events of that
   attempt are ignored.

   With SQLite, Arena.relay is NULL, which is fine for all functions, and nothing happens. */
#ifndef ARENA_PLAY_TOPIC_RELAY_H
#define ARENA_PLAY_TOPIC_RELAY_H

#include "arena/arena.h"

typedef struct TopicRelay TopicRelay;

/* Sets arena->relay. */
bool topic_relay_start(Arena *arena, Error *error);

/* Passes on the remaining events, and ends the thread; later calls do nothing. topic_relay_free
   calls it too. */
void topic_relay_stop(TopicRelay *relay);
void topic_relay_free(TopicRelay *relay);

/* From any thread; never waits. */

/* Registers this process as the publisher of an open topic, until the topic is removed. */
void topic_relay_own(TopicRelay *relay, StoreRelayKind kind, const char *topic);

/* This process stops publishing the topic; another process may publish it now. */
void topic_relay_disown(TopicRelay *relay, const char *topic);

/* Follows a topic that someone watches here: it is open here, and may be published elsewhere. When
   it has been without viewers for a while, it is removed. */
void topic_relay_follow(TopicRelay *relay, StoreRelayKind kind, const char *topic);

/* Whether more events may arrive: the topic is followed and has not ended. */
bool topic_relay_expects(TopicRelay *relay, const char *topic);

/* Takes news of the kinds NEWS_MISSED, NEWS_WATCH and NEWS_EVENTS, and ignores others. */
void topic_relay_hear(TopicRelay *relay, StoreNewsKind kind, uint64_t subject);

#endif
