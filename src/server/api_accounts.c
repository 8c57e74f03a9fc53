/* Placeholder: the group has no routes yet. */
#include "server/api.h"

const ApiGroup api_accounts = {0};
