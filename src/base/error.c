/* See error.h. */
#include "base/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool error_set(Error *error, const char *format, ...) {
    if (error) {
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        error->field[0] = '\0';
    }
    return false;
}

bool error_about(Error *error, const char *field) {
    if (error)
        snprintf(error->field, sizeof error->field, "%s", field);
    return false;
}

bool error_prefix(Error *error, const char *format, ...) {
    if (error) {
        Error inner = *error;
        va_list arguments;
        va_start(arguments, format);
        vsnprintf(error->text, sizeof error->text, format, arguments);
        va_end(arguments);
        size_t used = strlen(error->text);
        snprintf(error->text + used, sizeof error->text - used, ": %s", inner.text);
    }
    return false;
}
