/* Standings for people and programs: text for a terminal, JSON, CSV and a self-contained HTML
   page. */
#ifndef LEAGUE_REPORT_H
#define LEAGUE_REPORT_H

#include "base/buffer.h"
#include "league/standings.h"

typedef struct Report {
    const char *title;  /* "Aliens, Swiss"; untrusted */
    const char *game;   /* its name, or NULL if unknown */
    const char *format; /* as format_name, or NULL */
    uint64_t seed;
    const Standings *standings; /* settled */
    const Schedule *schedule;   /* for the bracket; may be NULL */
    bool unfinished;            /* stopped, or still running */
} Report;

/* The table; `colour` uses base/paint.h. It fits in `columns` and drops columns rather than
   breaking lines. `rows` 0: all. */
void report_table(const Report *report, bool colour, uint32_t columns, uint32_t rows, Buffer *to);

/* Each bot's last failure, one per line; nothing if there are none. Lines are not truncated: the
   end may be what matters. */
void report_failures(const Report *report, Buffer *to);

/* The cross table: wins, draws and losses; percentages if these are too wide; a message if those
   are too. Columns have letters, or numbers if there are more than 26. */
void report_cross(const Report *report, uint32_t columns, Buffer *to);

/* The bracket, drawn; nothing for formats without one. */
void report_bracket(const Report *report, Buffer *to);

/* Everything, in one line. Names are unchanged; pairs, bracket and history number the bots. */
void report_json(const Report *report, Buffer *to);

/* One row per bot (RFC 4180). Control characters in names become U+FFFD, and a name that starts
   with one of =+-@ gets a leading apostrophe, so that no spreadsheet runs it as a formula: names
   are untrusted. JSON has the name itself. */
void report_csv(const Report *report, Buffer *to);

/* One page that makes no network requests and runs only its own script. */
void report_html(const Report *report, Buffer *to);

/* The Content-Security-Policy for that page: only its own style and script, by their hashes, in an
   opaque origin, so that its script cannot reach the site that serves it. */
extern const char report_html_policy[];

#endif
