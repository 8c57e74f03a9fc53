/* Standings for people and programs: text for a terminal, JSON, CSV, and one HTML page that needs
   nothing but itself. */
#ifndef LEAGUE_REPORT_H
#define LEAGUE_REPORT_H

#include "base/buffer.h"
#include "league/standings.h"

typedef struct Report {
    const char *title;  /* "Aliens, Swiss": anything, also hostile */
    const char *game;   /* its name, or NULL when it is not known */
    const char *format; /* as format_name, or NULL */
    uint64_t seed;
    const Standings *standings; /* settled */
    const Schedule *schedule;   /* for the bracket; may be NULL */
    bool unfinished;            /* it was stopped, or is still going on */
} Report;

/* The table; `colour` through base/paint.h. It fits `columns`, and leaves out columns rather than
   breaking lines. `rows` 0: all. */
void report_table(const Report *report, bool colour, uint32_t columns, uint32_t rows, Buffer *to);

/* What went wrong last with each bot that something went wrong with, if that is known; else
   nothing. A line each, as wide as the sentence is: its end may be what matters. */
void report_failures(const Report *report, Buffer *to);

/* The cross table: wins, draws and losses, or per cent where these are too wide, or a sentence
   where that is too. Columns are called by letters, or by the position in the table if there are
   more than 26. */
void report_cross(const Report *report, uint32_t columns, Buffer *to);

/* The bracket, drawn; nothing for formats without one. */
void report_bracket(const Report *report, Buffer *to);

/* Everything, in one line. Names are as they are; bots are known by number in pairs, bracket and
   history. */
void report_json(const Report *report, Buffer *to);

/* A row a bot (RFC 4180). Controls in names come out as U+FFFD, and a name that a spreadsheet would
   take for a formula, beginning with one of =+-@, has an apostrophe in front: names come from
   strangers, and the file is opened with a double click. JSON has the name itself. */
void report_csv(const Report *report, Buffer *to);

/* One page that asks nothing of the network and runs no script but its own. */
void report_html(const Report *report, Buffer *to);

/* The Content-Security-Policy to send that page with: its own style and its own script, by their
   hashes, and nothing else; it is nobody's page, so that its script could reach nothing of who
   serves it. */
extern const char report_html_policy[];

#endif
