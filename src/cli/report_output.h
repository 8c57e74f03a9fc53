/* A report goes out: printed as a table, JSON or CSV, and written as a page. Shared by `tournament`
   and `rate`. */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include "base/error.h"
#include "league/report.h"

typedef struct Publication {
    bool json;
    bool csv;
    bool quiet;       /* print nothing */
    bool cross;       /* the cross table too */
    const char *html; /* a file, or NULL */
} Publication;

/* False if the page cannot be written. */
bool publish(const Publication *publication, const Report *report, Error *error);

#endif
