/* A match on an arena, as the client's commands follow and print it. */
#ifndef CLI_REMOTE_MATCH_H
#define CLI_REMOTE_MATCH_H

#include "cli/client.h"

/* Waits until the match is over, showing on a terminal how far it is, and leaves it in `answer`. */
bool fight_wait(Client *client, uint64_t match, bool quiet, Answer *answer, Error *error);

/* How it ended, seat by seat. `object` is the match in the answer. */
void fight_print(const Answer *answer, uint32_t object);

/* One line of a list: number, game, state, players with their ranks. */
void fight_print_line(const Answer *answer, uint32_t object);

/* Whether it was played to a verdict. */
bool fight_is_over(const Answer *answer, uint32_t object);

#endif
