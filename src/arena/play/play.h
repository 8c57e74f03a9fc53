/* Executes the jobs in the queue: the public header of this part.

   activity.h      the live topic that reports what changed
   engine.h        the thread that has matches played and bots built
   queued_match.h  what a match is played with, as the queue stores it
   remote_seats.h  seats of bots on their owners' machines, and of people in browsers
   shared_seats.h  the same seats, for requests that arrive at any front end
   topic_relay.h   live topics that several processes share */
#ifndef ARENA_PLAY_PLAY_H
#define ARENA_PLAY_PLAY_H

#include "arena/play/activity.h"
#include "arena/play/engine.h"
#include "arena/play/queued_match.h"
#include "arena/play/remote_seats.h"
#include "arena/play/shared_seats.h"
#include "arena/play/topic_relay.h"

#endif
