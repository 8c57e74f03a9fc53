/* Standings for a terminal: the table, the cross table, the bracket. See report.h. */
#include "base/memory.h"
#include "base/paint.h"
#include "base/utf8.h"
#include "league/bracket.h"
#include "league/report_common.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum {
    NAME_LEAST = 12,
    NAME_MOST = 40,
    CROSS_NAME_MOST = 20,
    FAILURES_MOST = 20,
    TITLE_MOST = 200
};

/* ---- numbers ---- */

uint32_t report_history_points(const Standings *standings) {
    uint32_t bots = standings_bots(standings);
    return bots <= 300 ? 40 : bots <= 1500 ? 4 : 0;
}

double report_elo(const StandingsRow *row) {
    return fabs(row->elo) < 0.5 ? 0 : row->elo;
}

double report_share(const StandingsRow *row) {
    return row->points_most > 0 ? row->points / row->points_most : 0;
}

double report_pair_share(StandingsPair pair) {
    double met = (double)(pair.wins + pair.draws + pair.losses);
    return met > 0 ? ((double)pair.wins + (double)pair.draws / 2) / met : 0;
}

bool report_has_conduct(const StandingsRow *row) {
    return row->turns || row->timeouts || row->crashes || row->refused;
}

void report_ms(Buffer *to, double nanoseconds) {
    double ms = nanoseconds / 1e6;
    int places = ms < 0.9995 ? 3 : ms < 9.995 ? 2 : ms < 99.95 ? 1 : 0;
    buffer_format(to, "%.*f", places, ms);
}

void report_points(Buffer *to, double points) {
    buffer_format(to, points == floor(points) ? "%.0f" : "%.1f", points);
}

/* Appends "12 matches" or "1 match". */
static void add_count(Buffer *to, uint64_t count, const char *one, const char *many) {
    buffer_format(to, "%" PRIu64 " %s", count, count == 1 ? one : many);
}

/* ---- the table ---- */

typedef enum Column {
    COLUMN_PLACE,
    COLUMN_NAME,
    COLUMN_RATING,
    COLUMN_SWISS,
    COLUMN_BUCHHOLZ,
    COLUMN_BYES,
    COLUMN_POINTS,
    COLUMN_SHARE,
    COLUMN_OUTCOMES,
    COLUMN_TIME,
    COLUMN_TIMEOUTS,
    COLUMN_GRACES,
    COLUMN_CRASHES,
    COLUMN_REFUSED,
    COLUMNS
} Column;

static const struct {
    const char *above;
    const char *head;
} heads[COLUMNS] = {
    [COLUMN_PLACE] = {"", "#"},
    [COLUMN_NAME] = {"", "bot"},
    [COLUMN_RATING] = {"", "rating"},
    [COLUMN_SWISS] = {"Swiss", "points"},
    [COLUMN_BUCHHOLZ] = {"Buch-", "holz"},
    [COLUMN_BYES] = {"", "byes"},
    [COLUMN_POINTS] = {"", "points"},
    [COLUMN_SHARE] = {"", "%"},
    [COLUMN_OUTCOMES] = {"", "W-D-L"},
    [COLUMN_TIME] = {"ms/", "turn"},
    [COLUMN_TIMEOUTS] = {"time", "outs"},
    [COLUMN_GRACES] = {"", "graces"},
    [COLUMN_CRASHES] = {"", "crashes"},
    [COLUMN_REFUSED] = {"re-", "jected"},
};

/* The order in which columns are dropped if they do not fit. Place, name and rating stay. */
static const Column least_first[] = {
    COLUMN_GRACES,   COLUMN_SHARE,  COLUMN_TIME, COLUMN_REFUSED,  COLUMN_CRASHES, COLUMN_TIMEOUTS,
    COLUMN_OUTCOMES, COLUMN_POINTS, COLUMN_BYES, COLUMN_BUCHHOLZ, COLUMN_SWISS};

typedef struct Table {
    const Report *report;
    uint32_t rows;
    bool shown[COLUMNS];
    uint32_t width[COLUMNS];
    uint32_t gap;
    Buffer cell;
} Table;

static const StandingsRow *row_at(const Report *report, uint32_t position) {
    return standings_row(report->standings, standings_at(report->standings, position));
}

/* The text of a cell, except for names. */
static Slice fill_cell(Table *table, Column column, const StandingsRow *row) {
    Buffer *to = &table->cell;
    buffer_clear(to);
    switch (column) {
    case COLUMN_PLACE:
        buffer_uint(to, row->place);
        break;
    case COLUMN_RATING:
        if (row->matches)
            buffer_format(to, "%+.0f ±%3.0f", report_elo(row), row->error);
        else
            buffer_char(to, '-');
        break;
    case COLUMN_SWISS:
        report_points(to, row->swiss.points / 2.0);
        break;
    case COLUMN_BUCHHOLZ:
        report_points(to, (double)row->swiss.buchholz / 2);
        break;
    case COLUMN_POINTS:
        report_points(to, row->points);
        break;
    case COLUMN_SHARE:
        if (row->points_most > 0)
            buffer_format(to, "%.1f", 100 * report_share(row));
        else
            buffer_char(to, '-');
        break;
    case COLUMN_OUTCOMES:
        buffer_format(to, "%" PRIu64 "-%" PRIu64 "-%" PRIu64, row->wins, row->draws, row->losses);
        break;
    case COLUMN_TIME:
        if (row->turns)
            report_ms(to, (double)row->wall / (double)row->turns);
        else
            buffer_char(to, '-');
        break;
    default:
        buffer_uint(to, column == COLUMN_BYES       ? row->swiss.byes
                        : column == COLUMN_TIMEOUTS ? row->timeouts
                        : column == COLUMN_GRACES   ? row->graces
                        : column == COLUMN_CRASHES  ? row->crashes
                                                    : row->refused);
    }
    return (Slice){to->data, to->length};
}

static uint32_t table_width(const Table *table) {
    uint32_t sum = 0;
    for (int column = 0; column < COLUMNS; column++)
        if (table->shown[column])
            sum += table->width[column] + (sum ? table->gap : 0);
    return sum;
}

static void measure(Table *table) {
    uint32_t bots = standings_bots(table->report->standings);
    for (int column = 0; column < COLUMNS; column++) {
        uint32_t above = (uint32_t)strlen(heads[column].above);
        uint32_t head = (uint32_t)strlen(heads[column].head);
        table->shown[column] =
            column < COLUMN_TIME && (column < COLUMN_SWISS || column > COLUMN_BYES);
        table->width[column] = above > head ? above : head;
    }
    for (uint32_t i = 0; i < bots; i++) {
        const StandingsRow *row = row_at(table->report, i);
        table->shown[COLUMN_SWISS] |= row->is_swiss;
        table->shown[COLUMN_BUCHHOLZ] |= row->is_swiss;
        table->shown[COLUMN_BYES] |= row->is_swiss && row->swiss.byes > 0;
        table->shown[COLUMN_GRACES] |= row->graces > 0;
        table->shown[COLUMN_TIME] |= row->turns > 0;
        for (int column = COLUMN_TIMEOUTS; column < COLUMNS; column++)
            if (column != COLUMN_GRACES)
                table->shown[column] |= report_has_conduct(row);
        for (int column = 0; column < COLUMNS && i < table->rows; column++) {
            Slice text =
                column == COLUMN_NAME ? slice_of(row->name) : fill_cell(table, (Column)column, row);
            uint32_t width = utf8_width(text);
            if (width > table->width[column])
                table->width[column] = width;
        }
    }
    if (table->width[COLUMN_NAME] > NAME_MOST)
        table->width[COLUMN_NAME] = NAME_MOST;
}

/* Makes the table fit: first shortens names, then gaps, then drops columns. */
static void fit(Table *table, uint32_t columns) {
    uint32_t *name = &table->width[COLUMN_NAME];
    uint32_t wanted = *name;
    for (size_t i = 0; i <= sizeof least_first / sizeof *least_first; i++) {
        for (table->gap = 2; table->gap >= 1; table->gap--) {
            *name = wanted;
            uint32_t width = table_width(table);
            uint32_t least = wanted < NAME_LEAST ? wanted : NAME_LEAST;
            if (width > columns)
                *name = wanted - least > width - columns ? wanted - (width - columns) : least;
            if (table_width(table) <= columns)
                return;
        }
        if (i < sizeof least_first / sizeof *least_first)
            table->shown[least_first[i]] = false;
    }
    table->gap = 1;
}

static void pad(Buffer *to, uint32_t count) {
    while (count-- > 0)
        buffer_char(to, ' ');
}

static void put_line(Table *table, const StandingsRow *row, bool above, Buffer *to) {
    bool first = true;
    for (int column = 0; column < COLUMNS; column++) {
        if (!table->shown[column])
            continue;
        pad(to, first ? 0 : table->gap);
        first = false;
        Slice text = slice_of(above ? heads[column].above : heads[column].head);
        if (row)
            text =
                column == COLUMN_NAME ? slice_of(row->name) : fill_cell(table, (Column)column, row);
        uint32_t room = table->width[column];
        if (column == COLUMN_NAME) {
            pad(to, room - utf8_show(to, text, room));
        } else {
            pad(to, room - utf8_width(text));
            buffer_add(to, text.at, text.length);
        }
    }
    while (to->length && to->data[to->length - 1] == ' ')
        to->length--;
}

static void put_title(const Report *report, uint32_t columns, Buffer *to) {
    Buffer facts = {0};
    add_count(&facts, standings_bots(report->standings), "bot", "bots");
    buffer_text(&facts, ", ");
    add_count(&facts, standings_matches(report->standings), "match", "matches");
    buffer_text(&facts, report->unfinished ? " so far" : "");
    uint32_t room = columns > facts.length + 2 ? columns - (uint32_t)facts.length - 2 : 0;
    if (report->title && *report->title) {
        utf8_show(to, slice_of(report->title), room < TITLE_MOST ? room : TITLE_MOST);
        buffer_text(to, room ? ": " : "");
    }
    buffer_add(to, facts.data, facts.length);
    buffer_free(&facts);
}

/* Moves the line to `to`, in colour, and adds a newline. */
static void put_painted(Buffer *line, bool colour, int paint, Buffer *to) {
    paint_text(to, colour, paint, buffer_string(line));
    buffer_char(to, '\n');
    buffer_clear(line);
}

void report_table(const Report *report, bool colour, uint32_t columns, uint32_t rows, Buffer *to) {
    uint32_t bots = standings_bots(report->standings);
    Table table = {.report = report, .rows = rows && rows < bots ? rows : bots};
    Buffer line = {0};
    put_title(report, columns, &line);
    put_painted(&line, colour, PAINT_BRIGHT, to);
    measure(&table);
    fit(&table, columns);
    buffer_char(to, '\n');
    if (table.shown[COLUMN_TIME] || table.shown[COLUMN_TIMEOUTS] || table.shown[COLUMN_SWISS]) {
        put_line(&table, NULL, true, &line);
        put_painted(&line, colour, PAINT_DIM, to);
    }
    put_line(&table, NULL, false, &line);
    put_painted(&line, colour, PAINT_DIM, to);
    for (uint32_t i = 0; i < table.rows; i++) {
        const StandingsRow *row = row_at(report, i);
        put_line(&table, row, false, &line);
        put_painted(&line, colour, row->place == 1 && row->matches ? PAINT_BRIGHT : PAINT_PLAIN,
                    to);
    }
    if (table.rows < bots) {
        buffer_text(&line, "... and ");
        add_count(&line, bots - table.rows, "more bot", "more bots");
        put_painted(&line, colour, PAINT_DIM, to);
    }
    buffer_free(&line);
    buffer_free(&table.cell);
}

/* ---- failures ---- */

void report_failures(const Report *report, Buffer *to) {
    uint32_t bots = standings_bots(report->standings);
    uint32_t name = 0;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < bots; i++) {
        const StandingsRow *row = row_at(report, i);
        uint32_t width = row->failure ? utf8_width(slice_of(row->name)) : 0;
        failed += row->failure != NULL;
        name = width > name ? width : name;
    }
    if (!name)
        return;
    name = name > CROSS_NAME_MOST ? CROSS_NAME_MOST : name;
    buffer_text(to, "Last failures\n\n");
    uint32_t shown = 0;
    for (uint32_t i = 0; i < bots && shown < FAILURES_MOST; i++) {
        const StandingsRow *row = row_at(report, i);
        if (!row->failure)
            continue;
        shown++;
        pad(to, name - utf8_show(to, slice_of(row->name), name));
        buffer_text(to, "  ");
        Slice text = slice_of(row->failure);
        Slice line = {0};
        if (slice_line(&text, &line)) /* all other lines are build output */
            utf8_show(to, line, UINT32_MAX);
        buffer_char(to, '\n');
    }
    if (shown < failed) {
        buffer_text(to, "... and ");
        add_count(to, failed - shown, "more bot; see the HTML report\n",
                  "more bots; see the HTML report\n");
    }
}

/* ---- the cross table ---- */

/* The name of a column: a letter, or a number if there are too many. */
static void put_key(Buffer *to, uint32_t position, uint32_t bots) {
    if (bots <= 26)
        buffer_char(to, (char)('A' + position));
    else
        buffer_uint(to, position + 1);
}

static void put_cross_cell(const Report *report, uint32_t row, uint32_t column, bool percent,
                           Buffer *to) {
    StandingsPair pair = standings_pair(report->standings, standings_at(report->standings, row),
                                        standings_at(report->standings, column));
    if (row == column)
        buffer_char(to, '.');
    else if (pair.wins + pair.draws + pair.losses == 0)
        buffer_char(to, '-');
    else if (percent)
        buffer_format(to, "%.0f", 100 * report_pair_share(pair));
    else
        buffer_format(to, "%" PRIu64 "-%" PRIu64 "-%" PRIu64, pair.wins, pair.draws, pair.losses);
}

static uint32_t cross_cell_width(const Report *report, bool percent) {
    uint32_t bots = standings_bots(report->standings);
    uint32_t most = bots > 999 ? 4 : bots > 99 ? 3 : 2;
    Buffer cell = {0};
    for (uint32_t row = 0; row < bots; row++)
        for (uint32_t column = 0; column < bots; column++) {
            buffer_clear(&cell);
            put_cross_cell(report, row, column, percent, &cell);
            most = cell.length > most ? (uint32_t)cell.length : most;
        }
    buffer_free(&cell);
    return most;
}

static void put_right(Buffer *to, const Buffer *text, uint32_t width) {
    pad(to, text->length < width ? width - (uint32_t)text->length : 0);
    buffer_add(to, text->data, text->length);
}

static void put_cross(const Report *report, bool percent, uint32_t cell, uint32_t name,
                      Buffer *to) {
    uint32_t bots = standings_bots(report->standings);
    uint32_t key = bots <= 26 ? 1 : bots > 99 ? 3 : 2;
    Buffer text = {0};
    buffer_text(to, percent ? "Percentage of points won by row against column\n\n"
                            : "Wins, draws and losses of row against column\n\n");
    pad(to, key + 1 + name);
    for (uint32_t i = 0; i < bots; i++) {
        buffer_clear(&text);
        put_key(&text, i, bots);
        put_right(to, &text, cell + 1);
    }
    buffer_char(to, '\n');
    for (uint32_t row = 0; row < bots; row++) {
        buffer_clear(&text);
        put_key(&text, row, bots);
        put_right(to, &text, key);
        buffer_char(to, ' ');
        pad(to, name - utf8_show(to, slice_of(row_at(report, row)->name), name));
        for (uint32_t column = 0; column < bots; column++) {
            buffer_clear(&text);
            put_cross_cell(report, row, column, percent, &text);
            put_right(to, &text, cell + 1);
        }
        buffer_char(to, '\n');
    }
    buffer_free(&text);
}

void report_cross(const Report *report, uint32_t columns, Buffer *to) {
    uint32_t bots = standings_bots(report->standings);
    uint32_t name = 0;
    for (uint32_t i = 0; i < bots; i++) {
        uint32_t width = utf8_width(slice_of(row_at(report, i)->name));
        name = width > name ? width : name;
    }
    name = name > CROSS_NAME_MOST ? CROSS_NAME_MOST : name;
    uint32_t least = name < NAME_LEAST ? name : NAME_LEAST;
    /* Do not measure a million cells that cannot fit. */
    for (int percent = 0; percent < 2 && bots * 3ULL < columns; percent++) {
        uint32_t cell = cross_cell_width(report, percent);
        uint64_t rest = 4 + bots * (cell + 1ULL);
        if (rest + least <= columns) {
            put_cross(report, percent, cell,
                      rest + name <= columns ? name : columns - (uint32_t)rest, to);
            return;
        }
    }
    buffer_format(to,
                  "The cross table of %u bots does not fit in %u columns; see the HTML report.\n",
                  bots, columns);
}

/* ---- the bracket ---- */

typedef enum Stroke { IS_INPUT = 1, IS_OUTPUT = 2, GOES_UP = 4, GOES_DOWN = 8 } Stroke;

/* The five characters between two rounds, where lines enter, go up or down, and leave. */
static const char *stroke_text(unsigned stroke) {
    switch (stroke) {
    case 0:
        return "     ";
    case IS_INPUT | IS_OUTPUT:
        return " ─── ";
    case IS_INPUT | GOES_DOWN:
        return " ─┐  ";
    case IS_INPUT | GOES_UP:
        return " ─┘  ";
    case IS_INPUT | GOES_UP | GOES_DOWN:
        return " ─┤  ";
    case IS_INPUT | IS_OUTPUT | GOES_UP | GOES_DOWN:
        return " ─┼─ ";
    case IS_OUTPUT | GOES_UP | GOES_DOWN:
        return "  ├─ ";
    default:
        return "  │  ";
    }
}

/* A side as a grid: for each row and round, the entry, if any, and the stroke after it. */
typedef struct BracketGrid {
    const Report *report;
    const BracketPicture *picture;
    const BracketEntry **entries;
    unsigned *strokes;
    uint32_t name;
    uint32_t points;
} BracketGrid;

static size_t grid_at(const BracketGrid *grid, uint32_t row, uint32_t column) {
    return (size_t)row * grid->picture->columns + column;
}

static void fill_grid(BracketGrid *grid) {
    const BracketPicture *picture = grid->picture;
    for (uint32_t i = 0; i < picture->entry_count; i++) {
        const BracketEntry *entry = &picture->entries[i];
        size_t at = grid_at(grid, entry->row, entry->column);
        grid->entries[at] = entry;
        grid->strokes[at] |= entry->column + 1 < picture->columns ? IS_INPUT : 0;
    }
    for (uint32_t i = 0; i < picture->join_count; i++) {
        const BracketJoin *join = &picture->joins[i];
        for (uint32_t row = join->first; row <= join->last; row++)
            grid->strokes[grid_at(grid, row, join->column)] |=
                (row > join->first ? (unsigned)GOES_UP : 0) |
                (row < join->last ? (unsigned)GOES_DOWN : 0) |
                (row == join->out ? (unsigned)IS_OUTPUT : 0);
    }
}

static void measure_grid(BracketGrid *grid) {
    uint32_t most = grid->picture->columns > 5 ? 14 : 20;
    grid->name = 8;
    Buffer points = {0};
    for (uint32_t i = 0; i < grid->picture->entry_count; i++) {
        const BracketEntry *entry = &grid->picture->entries[i];
        if (entry->bot != BRACKET_NOBODY) {
            uint32_t width =
                utf8_width(slice_of(standings_row(grid->report->standings, entry->bot)->name));
            grid->name = width > grid->name ? width : grid->name;
        }
        buffer_clear(&points);
        bracket_points(entry, &points);
        uint32_t width = utf8_width((Slice){points.data, points.length});
        grid->points = width > grid->points ? width : grid->points;
    }
    grid->name = grid->name > most ? most : grid->name;
    buffer_free(&points);
}

static void put_entry(const BracketGrid *grid, const BracketEntry *entry, Buffer *to) {
    uint32_t room = grid->name + 1 + grid->points;
    if (!entry) {
        pad(to, room);
        return;
    }
    Buffer points = {0};
    bracket_points(entry, &points);
    Slice name = slice_of("?");
    if (entry->bot != BRACKET_NOBODY)
        name = slice_of(standings_row(grid->report->standings, entry->bot)->name);
    room -= utf8_show(to, name, grid->name);
    uint32_t width = utf8_width((Slice){points.data, points.length});
    if (entry->bye) {
        buffer_char(to, ' ');
        for (uint32_t i = 1; i < room; i++)
            buffer_text(to, "─");
    } else {
        pad(to, room - width);
        buffer_add(to, points.data, points.length);
    }
    buffer_free(&points);
}

/* Removes trailing spaces and ends the line. */
static void end_line(Buffer *to) {
    while (to->length && to->data[to->length - 1] == ' ')
        to->length--;
    buffer_char(to, '\n');
}

static void put_headings(const BracketGrid *grid, Buffer *to) {
    uint32_t room = grid->name + 1 + grid->points + 5;
    Buffer text = {0};
    for (uint32_t column = 0; column < grid->picture->columns; column++) {
        buffer_clear(&text);
        bracket_heading(grid->picture, column, &text);
        pad(to, room - utf8_show(to, (Slice){text.data, text.length}, room - 1));
    }
    end_line(to);
    buffer_free(&text);
}

static void put_side(const Report *report, const BracketPicture *picture, Buffer *to) {
    size_t cells = (size_t)picture->rows * picture->columns;
    BracketGrid grid = {.report = report, .picture = picture};
    /* NOLINTNEXTLINE(bugprone-sizeof-expression): the array contains pointers */
    grid.entries = xcalloc(cells, sizeof *grid.entries);
    grid.strokes = xcalloc(cells, sizeof *grid.strokes);
    fill_grid(&grid);
    measure_grid(&grid);
    if (!picture->alone)
        buffer_format(to, "%s\n\n", bracket_title(picture));
    put_headings(&grid, to);
    for (uint32_t row = 0; row < picture->rows; row++) {
        for (uint32_t column = 0; column < picture->columns; column++) {
            const BracketEntry *entry = grid.entries[grid_at(&grid, row, column)];
            unsigned stroke = grid.strokes[grid_at(&grid, row, column)];
            put_entry(&grid, entry, to);
            if (column + 1 < picture->columns)
                buffer_text(to, entry && entry->bye ? "──── " : stroke_text(stroke));
        }
        end_line(to);
    }
    free(grid.entries);
    free(grid.strokes);
}

void report_bracket(const Report *report, Buffer *to) {
    BracketPicture pictures[BRACKET_SIDES];
    uint32_t sides = bracket_lay_out(report->schedule, pictures);
    bool by_seeding = false;
    for (uint32_t i = 0; i < sides; i++) {
        if (i)
            buffer_char(to, '\n');
        put_side(report, &pictures[i], to);
        for (uint32_t j = 0; j < pictures[i].entry_count; j++)
            by_seeding |= pictures[i].entries[j].by_seeding;
        bracket_free(&pictures[i]);
    }
    if (by_seeding)
        buffer_text(to, "\n* tied after the play-offs; the higher seed advanced\n");
}
