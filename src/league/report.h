/* Standings for people and programs: text for a terminal, JSON, CSV, and one HTML page that needs nothing but itself. */
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

/* The table; `colour` through base/paint.h. It fits `columns`, and leaves out columns rather than breaking lines. `rows` 0: all. */
void report_table(const Report *report, bool colour, uint32_t columns, uint32_t rows, Buffer *to);

/* The cross table, in letters if there are many bots; nothing for more than a screen can hold. */
void report_cross(const Report *report, uint32_t columns, Buffer *to);

/* The bracket, drawn; nothing for formats without one. */
void report_bracket(const Report *report, Buffer *to);

void report_json(const Report *report, Buffer *to);
void report_csv(const Report *report, Buffer *to);
void report_html(const Report *report, Buffer *to);

#endif
