/* Errors are values: a sentence for the person who will read it. They travel up to cli/, which
   prints them. */
#ifndef BASE_ERROR_H
#define BASE_ERROR_H

#include <stdbool.h>

typedef struct Error {
    char text[480];
} Error;

/* Sets the sentence and returns false, so that `return error_set(error, ...)` is the whole of a
   refusal. `error` may be NULL when nobody wants the sentence. A sentence that is too long is
   cut. */
bool error_set(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* Puts "where: " in front of the sentence, and returns false. */
bool error_prefix(Error *error, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
