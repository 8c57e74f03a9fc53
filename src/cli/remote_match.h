/* A match on an arena: waiting for its end, and printing it. */
#ifndef CLI_REMOTE_MATCH_H
#define CLI_REMOTE_MATCH_H

#include "cli/client.h"

/* Waits until the match is over and leaves it in `reply`. Shows progress on a terminal. */
bool remote_match_wait(Client *client, uint64_t match, bool quiet, Reply *reply, Error *error);

/* Prints the result, seat by seat. `object` is the match in the reply. */
void remote_match_print(const Reply *reply, uint32_t object);

/* Prints one line of a list: number, game, state, players with their ranks. */
void remote_match_print_line(const Reply *reply, uint32_t object);

/* Whether the match was played to a verdict. */
bool remote_match_is_over(const Reply *reply, uint32_t object);

#endif
