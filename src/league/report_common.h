/* What the kinds of report share: how numbers are written. */
#ifndef LEAGUE_REPORT_COMMON_H
#define LEAGUE_REPORT_COMMON_H

#include "league/report.h"

/* How many points of the history a report shows: fewer for many bots and none for very many, since
   each is a fit of its own, and that of a thousand bots takes most of a second. */
uint32_t report_history_points(const Standings *standings);

/* The rating as it is to be shown in whole points: no zero has a minus. */
double report_elo(const StandingsRow *row);

/* The share of the points that were to be had, 0 to 1; 0 when there were none. */
double report_share(const StandingsRow *row);
double report_pair_share(StandingsPair pair);

/* Whether anything is known of how the bot behaved: a list of results that somebody wrote says only
   who won. */
bool report_has_conduct(const StandingsRow *row);

/* Milliseconds with three digits that matter: "0.012", "3.40", "125". */
void report_ms(Buffer *to, double nanoseconds);

/* Points, which come in halves: "12", "12.5". */
void report_points(Buffer *to, double points);

/* "12 matches", "1 match". */
void report_count(Buffer *to, uint64_t count, const char *one, const char *many);

/* A heat map of so many bots fits into half the page. */
enum { HEAT_FITS = 14 };

/* The charts of the HTML page (report_charts.c). They append SVG, and nothing when there is nothing
   to show. `shown` is how many bots, from the top of the table. */
void report_rating_chart(const Report *report, uint32_t shown, Buffer *to);
void report_time_chart(const Report *report, uint32_t shown, Buffer *to);
void report_history_chart(const Report *report, uint32_t shown, Buffer *to);
void report_heat_map(const Report *report, uint32_t shown, Buffer *to);
void report_bracket_chart(const Report *report, Buffer *to);

/* Text for HTML: escaped, valid UTF-8, without controls, cut to `most` columns. */
void report_escape(Buffer *to, const char *text, uint32_t most);

#endif
