/* Members of a JSON body that are texts, read so that they can be C strings and lines of a list: no
   control characters, a known length. Beside base/json_object.h, which reads the rest. */
#ifndef ARENA_FIELDS_H
#define ARENA_FIELDS_H

#include "base/json_object.h"

/* Copies a member of at most `size` - 1 bytes. Absent: "". False, with a sentence, for anything
   that is no such text. */
bool field_text(const Config *config, const char *field, char *to, size_t size, Error *error);

/* The same for a member that must be there, and hold something that can be seen. */
bool field_needed(const Config *config, const char *field, char *to, size_t size, Error *error);

/* A member that must be there, as it stands: for what may hold anything, such as a password. Good
   until the config is freed. */
bool field_bytes(const Config *config, const char *field, Slice *to, Error *error);

/* A member that is one of the words of a list, which ends with NULL: *index becomes its place.
   Absent: *index stays. */
bool field_choice(const Config *config, const char *field, const char *const *words,
                  uint32_t *index, Error *error);

#endif
