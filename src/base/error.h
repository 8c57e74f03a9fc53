/* Errors are values: a message for the person who will read it. They travel up to cli/ and the API,
   which print them.

   A message starts in lower case and has no full stop. The remedy follows a semicolon; names and
   values that users typed are in double quotes: unknown game "alien"; did you mean "aliens"? */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

typedef struct Error {
    char text[480];
    char field[64]; /* the field that the message is about, or ""; see error_about */
} Error;

/* Sets the message, cut to fit, and clears the field. Returns false, so that
   `return error_set(error, ...)` is all a caller needs. `error` may be NULL. */
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Names the member of a JSON object, or the parameter, that the message is about, such as
   "seats.0.bot", so that a form can show the message next to that field. Returns false. */
bool error_about(Error *error, const char *field);

/* Puts "where: " before the message, and returns false. */
bool error_prefix(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
