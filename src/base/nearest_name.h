/* Helps people who mistype a name: of a game, a map, a command, a field of a file. */
#ifndef BASE_NEAREST_NAME_H
#define BASE_NEAREST_NAME_H

#include "base/error.h"
#include "base/slice.h"

#include <stdint.h>

/* The name that was probably meant, or NULL if none is close. `names` ends with NULL. */
const char *nearest_name(Slice typed, const char *const *names);

/* Sets the error: unknown KIND "alien"; did you mean "aliens"? If no name is close, it lists all
   of them. Returns false. */
bool unknown_name(const char *kind, Slice typed, const char *const *names, Error *error);

/* Sets *index to the place of the name in the list, or the error of unknown_name. */
bool find_name(const char *kind, Slice typed, const char *const *names, uint32_t *index,
               Error *error);

#endif
