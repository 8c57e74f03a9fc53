/* Chooses the users that bots run as, if they have their own. */
#ifndef BOTS_BOT_USERS_H
#define BOTS_BOT_USERS_H

#include <stdint.h>

/* The first of `count` users, and groups with the same numbers, for the bots of one process. They
   are in a range that no common tool assigns, and outside the ranges that /etc/subuid and
   /etc/subgid assign to others, whose containers may run as these users. Processes with different
   pids get different users. 0 if none are left. */
uint32_t bot_users_first(uint32_t pid, uint32_t count);

#endif
