/* Limits that protect accounts: how often passwords may be tried, and accounts be created. Arenas
   that share a PostgreSQL database count together, in the store (store/rates.h), so that several of
   them do not allow more attempts than one. A single arena counts in memory (http/limits.h).

   All of this is checked before a password is hashed, on the threads of request_hash. If the store
   fails, nobody can log in (500): logging in needs it anyway. Private to arena/api. */
#ifndef ARENA_API_ATTEMPTS_H
#define ARENA_API_ATTEMPTS_H

#include "arena/arena.h"

/* Takes a token of the sender's network address, for a route with this `rate`; the HTTP server has
   already taken one from its limits in memory. Answers with a problem and returns false if none is
   left. */
bool attempt_from_address(const Request *request, Response *response, uint32_t rate);

/* An attempt to log in, as the limits count it. */
typedef struct Attempt {
    uint64_t account_key; /* unknown names have keys as well */
    uint64_t pair_key;    /* of the account and the address */
    bool known_address;   /* the owner has logged in from there, so other people cannot lock it */
} Attempt;

/* The attempt to log in with a name, which belongs to this account or to none (0). */
Attempt attempt_of(const Request *request, const char *name, uint64_t account);

/* Counts the attempt until attempt_succeeded. Answers with a problem and returns false if there
   were too many wrong ones. */
bool attempt_begin(const Request *request, Response *response, const Attempt *attempt);
void attempt_succeeded(const Request *request, const Attempt *attempt);

/* The same for the password of somebody who is logged in. Failures count for this session only,
   so that other people's attempts cannot prevent the owner of an account from changing the
   password. */
bool attempt_confirmation(const Request *request, Response *response);
void attempt_confirmed(const Request *request);

#endif
