/* Placeholder: the group has no routes yet. */
#include "server/api.h"

const ApiGroup api_matches = {0};
