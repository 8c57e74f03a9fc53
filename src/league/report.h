/* Standings for people and programs: text for a terminal, JSON, CSV and a self-contained HTML
   page. */
#ifndef LEAGUE_REPORT_H
#define LEAGUE_REPORT_H

#include "base/buffer.h"
#include "league/standings.h"

typedef struct Report {
    const char *title;  /* "Aliens, Swiss"; untrusted */
    const char *game;   /* the game's name, or NULL if unknown */
    const char *format; /* as format_name, or NULL */
    uint64_t seed;
    const Standings *standings; /* settled */
    const Schedule *schedule;   /* for the bracket; may be NULL */
    bool unfinished;            /* stopped, or still running */
} Report;

/* Appends the table; `colour` uses base/paint.h. It is at most `columns` wide: table columns are
   dropped rather than lines broken. `rows` 0: all. */
void report_table(const Report *report, bool colour, uint32_t columns, uint32_t rows, Buffer *to);

/* Appends each bot's last failure, one per line; nothing if there are none. Lines are not
   truncated, because their end may be important. */
void report_failures(const Report *report, Buffer *to);

/* Appends the cross table: wins, draws and losses; percentages if these are too wide; a message if
   the percentages are too wide as well. Columns have letters, or numbers if there are more than
   26. */
void report_cross(const Report *report, uint32_t columns, Buffer *to);

/* Appends a drawing of the bracket; nothing for formats without one. */
void report_bracket(const Report *report, Buffer *to);

/* Appends all data as JSON, in one line. Names are unchanged; pairs, bracket and history refer to
   bots by number. */
void report_json(const Report *report, Buffer *to);

/* Appends a CSV row per bot (RFC 4180). Names are untrusted: control characters become U+FFFD, and
   a name that starts with one of =+-@ gets a leading apostrophe, so that no spreadsheet runs it as
   a formula. JSON has the unchanged name. */
void report_csv(const Report *report, Buffer *to);

/* Appends an HTML page that makes no network requests and runs only the script it contains. */
void report_html(const Report *report, Buffer *to);

/* The Content-Security-Policy for that page: it allows only the page's style and script, by their
   hashes, in an opaque origin, so that the script cannot reach the site that serves the page. */
extern const char report_html_policy[];

#endif
