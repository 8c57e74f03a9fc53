/* Shared by all kinds of reports: formats of numbers, and the charts. */
#ifndef LEAGUE_REPORT_COMMON_H
#define LEAGUE_REPORT_COMMON_H

#include "league/report.h"

/* How many points of the history a report shows: fewer for many bots and none for very many,
   because each point is a separate fit, which takes almost a second for a thousand bots. */
uint32_t report_history_points(const Standings *standings);

/* The rating in whole points, without negative zero. */
double report_elo(const StandingsRow *row);

/* The share of the possible points, 0 to 1; 0 if none were possible. */
double report_share(const StandingsRow *row);
double report_pair_share(StandingsPair pair);

/* Whether times and failures of the bot are known. A plain list of results has none. */
bool report_has_conduct(const StandingsRow *row);

/* Milliseconds with three significant digits: "0.012", "3.40", "125". */
void report_ms(Buffer *to, double nanoseconds);

/* Points, which come in halves: "12", "12.5". */
void report_points(Buffer *to, double points);

/* A heat map of at most this many bots fits into half of the page. */
enum { HEAT_FITS = 14 };

/* The charts of the HTML page (report_charts.c). They append SVG, or nothing if there is nothing to
   show. `shown`: the number of bots, from the top of the table. */
void report_rating_chart(const Report *report, uint32_t shown, Buffer *to);
void report_time_chart(const Report *report, uint32_t shown, Buffer *to);
void report_history_chart(const Report *report, uint32_t shown, Buffer *to);
void report_heat_map(const Report *report, uint32_t shown, Buffer *to);
void report_bracket_chart(const Report *report, Buffer *to);

/* Appends text to HTML: escaped, valid UTF-8, no control characters, at most `most` columns. */
void report_escape(Buffer *to, const char *text, uint32_t most);

#endif
