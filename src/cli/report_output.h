/* Prints a report as a table, JSON or CSV, and writes it as an HTML page. Shared by `tournament`
   and `rate`. */
#ifndef CLI_REPORT_OUTPUT_H
#define CLI_REPORT_OUTPUT_H

#include "base/error.h"
#include "league/report.h"

typedef struct ReportOutput {
    bool json;
    bool csv;
    bool quiet;       /* print nothing */
    bool cross;       /* print the cross table as well */
    const char *html; /* a file, or NULL */
} ReportOutput;

/* False if the page cannot be written. */
bool report_output(const ReportOutput *output, const Report *report, Error *error);

#endif
