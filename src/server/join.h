/* Seats that are played from elsewhere: `skirmish join` runs a bot on its owner's machine, and the arena plays a match with it. To the referee such a seat is a bot that listens on a unix socket; behind the socket,
   views go out as events of the topic "seat-SECRET", and answers come in by POST. */
#ifndef SERVER_JOIN_H
#define SERVER_JOIN_H

#include "bots/spec.h"
#include "server/arena.h"

typedef struct Joins Joins;

Joins *joins_new(Arena *arena, Error *error);
void joins_free(Joins *joins);

/* From the engine's thread, when a match is about to be played: where the runner reaches this seat (a BOT_UNIX). False if whoever wanted to play it is gone. bot_spec_free the spec in any case. */
bool joins_seat(Joins *joins, uint64_t match, uint32_t seat, BotSpec *spec, Error *error);

/* The match is over, or goes back to the queue. */
void joins_end(Joins *joins, uint64_t match);

#endif
