/* What the role of a worker may do in a PostgreSQL database: play matches, but neither read
   password hashes, sessions, tokens, invitations, the audit log and the secret of visitors'
   matches, nor change accounts and bots. */
#ifndef STORE_GRANTS_H
#define STORE_GRANTS_H

#include "store/types.h"

/* Appends the statements that give the role these rights and no others. Run them again after an
   upgrade. False if `role` is not a valid name of a role. */
bool store_grants_write(const char *role, Buffer *to, Error *error);

#endif
