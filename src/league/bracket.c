/* See bracket.h.

   The nodes of a side form a forest. Entries without a feeding node are leaves and get the next
   free row; a node's winner is in the middle of its entries. */
#include "league/bracket.h"

#include "base/memory.h"

#include <stdlib.h>

enum { NO_NODE = UINT32_MAX };

typedef struct Layout {
    BracketPicture *picture;
    const BracketNode **nodes; /* of this side, by round and position */
    uint32_t count;
    /* by node and place: the node whose winner comes here */
    uint32_t (*feeders)[GAME_PLAYERS_MAX];
    bool *fed; /* by node: whether its winner has a place in a later node */
    uint32_t next_row;
} Layout;

/* Records the node as the feeder of the place to which its winner advances. */
static void link_node(Layout *layout, uint32_t index) {
    const BracketNode *node = layout->nodes[index];
    for (uint32_t to = index + 1; to < layout->count; to++) {
        const BracketNode *next = layout->nodes[to];
        bool same = node->side != SIDE_WINNERS && node->round % 2;
        uint32_t position = same ? node->position : node->position / next->players;
        uint32_t place = same ? 1 : node->position % next->players;
        if (next->round != node->round + 1 || next->position != position)
            continue;
        layout->feeders[to][place] = index;
        layout->fed[index] = true;
        return;
    }
}

static BracketEntry *add_entry(BracketPicture *picture, uint32_t column, uint32_t row,
                               uint32_t bot) {
    BracketEntry *entry = &picture->entries[picture->entry_count++];
    *entry = (BracketEntry){.column = column, .row = row, .bot = bot};
    picture->columns = column + 1 > picture->columns ? column + 1 : picture->columns;
    picture->rows = row + 1 > picture->rows ? row + 1 : picture->rows;
    return entry;
}

/* Whether a place is drawn. Of a bye, only the place that is or will be taken is drawn. */
static bool is_drawn(const Layout *layout, uint32_t index, uint32_t place) {
    const BracketNode *node = layout->nodes[index];
    if (!node->bye || node->bots[place] != BRACKET_NOBODY ||
        layout->feeders[index][place] != NO_NODE)
        return true;
    for (uint32_t i = 0; i < node->players; i++)
        if (node->bots[i] != BRACKET_NOBODY || layout->feeders[index][i] != NO_NODE)
            return false;
    return place == 0;
}

/* Lays out a node and all its feeders; returns the row of its winner. */
static uint32_t lay_node(Layout *layout, uint32_t index) {
    const BracketNode *node = layout->nodes[index];
    bool played = node->winner != BRACKET_NOBODY;
    uint32_t column = node->round - 1;
    uint32_t first = UINT32_MAX;
    uint32_t last = 0;
    for (uint32_t place = 0; place < node->players; place++)
        played |= node->points[place] > 0;
    for (uint32_t place = 0; place < node->players; place++) {
        if (!is_drawn(layout, index, place))
            continue;
        uint32_t feeder = layout->feeders[index][place];
        uint32_t row = layout->next_row;
        if (feeder != NO_NODE)
            row = lay_node(layout, feeder);
        else
            layout->next_row += 2;
        first = row < first ? row : first;
        last = row;
        BracketEntry *entry = add_entry(layout->picture, column, row, node->bots[place]);
        bool won = node->winner != BRACKET_NOBODY && node->bots[place] == node->winner;
        entry->points = node->points[place];
        entry->scored = played && !node->bye && node->bots[place] != BRACKET_NOBODY;
        entry->out = entry->scored && node->winner != BRACKET_NOBODY && !won;
        entry->by_seeding = won && node->by_seeding;
        entry->bye = node->bye;
    }
    uint32_t out = first + (last - first) / 2;
    layout->picture->nodes_in[column] += !node->bye;
    layout->picture->joins[layout->picture->join_count++] = (BracketJoin){column, first, last, out};
    return out;
}

static void lay_side(Layout *layout) {
    uint32_t rounds = layout->nodes[layout->count - 1]->round;
    uint32_t places = layout->count; /* including a winner for each last node */
    for (uint32_t i = 0; i < layout->count; i++) {
        places += layout->nodes[i]->players;
        layout->picture->duels &= layout->nodes[i]->players <= 2;
        for (uint32_t place = 0; place < GAME_PLAYERS_MAX; place++)
            layout->feeders[i][place] = NO_NODE;
    }
    layout->picture->entries = xcalloc(places, sizeof *layout->picture->entries);
    layout->picture->joins = xcalloc(layout->count, sizeof *layout->picture->joins);
    layout->picture->nodes_in = xcalloc(rounds, sizeof *layout->picture->nodes_in);
    for (uint32_t i = 0; i < layout->count; i++)
        link_node(layout, i);
    for (uint32_t i = 0; i < layout->count; i++)
        if (!layout->fed[i]) {
            uint32_t row = lay_node(layout, i);
            add_entry(layout->picture, layout->nodes[i]->round, row, layout->nodes[i]->winner);
        }
}

uint32_t bracket_lay_out(const Schedule *schedule, BracketPicture pictures[BRACKET_SIDES]) {
    uint32_t total = schedule ? schedule_bracket(schedule) : 0;
    uint32_t sides = 0;
    for (int side = SIDE_WINNERS; side <= SIDE_FINAL; side++) {
        Layout layout = {.picture = &pictures[sides]};
        /* NOLINTNEXTLINE(bugprone-sizeof-expression): the array contains pointers */
        layout.nodes = xcalloc(total, sizeof *layout.nodes);
        layout.feeders = xcalloc(total, sizeof *layout.feeders);
        layout.fed = xcalloc(total, sizeof *layout.fed);
        for (uint32_t i = 0; i < total; i++) {
            const BracketNode *node = schedule_bracket_node(schedule, i);
            if ((int)node->side == side)
                layout.nodes[layout.count++] = node;
        }
        if (layout.count) {
            pictures[sides] = (BracketPicture){.side = (BracketSide)side, .duels = true};
            lay_side(&layout);
            sides++;
        }
        free(layout.nodes);
        free(layout.feeders);
        free(layout.fed);
    }
    if (sides == 1)
        pictures[0].alone = true;
    return sides;
}

void bracket_free(BracketPicture *picture) {
    free(picture->entries);
    free(picture->joins);
    free(picture->nodes_in);
    *picture = (BracketPicture){0};
}

void bracket_heading(const BracketPicture *picture, uint32_t column, Buffer *to) {
    uint32_t from_end = picture->columns - 1 - column;
    if (picture->side == SIDE_FINAL)
        buffer_text(to, column == 0 ? "final" : from_end ? "second final" : "winner");
    else if (from_end == 0)
        buffer_text(to, picture->alone ? "winner" : "advances");
    else if (picture->alone && from_end == 1)
        buffer_text(to, "final");
    else if (picture->alone && picture->duels && from_end == 2 && picture->nodes_in[column] == 2)
        buffer_text(to, "semi-finals");
    else if (picture->alone && picture->duels && from_end == 3 && picture->nodes_in[column] == 4)
        buffer_text(to, "quarter-finals");
    else
        buffer_format(to, "round %u", column + 1);
}

const char *bracket_title(const BracketPicture *picture) {
    static const char *const titles[] = {"Winners", "Losers", "Final"};
    return picture->alone ? "" : titles[picture->side];
}

void bracket_points(const BracketEntry *entry, Buffer *to) {
    if (!entry->scored)
        return;
    if (entry->points > 1 || entry->points == 0)
        buffer_uint(to, entry->points / 2);
    if (entry->points % 2)
        buffer_text(to, "½");
    if (entry->by_seeding)
        buffer_char(to, '*');
}
