/* Shared by the house bots of Footsoldiers: reads views and writes commands. It contains no
   strategy. */
#ifndef BOTS_FOOTSOLDIERS_COMMON_H
#define BOTS_FOOTSOLDIERS_COMMON_H

#include "base/json.h"
#include "games/footsoldiers/footsoldiers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* One view. The lists grow and are reused in every turn. */
typedef struct View {
    uint32_t you; /* 0 or 1 */
    int64_t turns_remaining;
    int64_t money[2];
    int64_t health[2];
    FootsoldiersSquare base[2];
    FootsoldiersSoldier *soldiers;
    uint32_t soldier_count;
    FootsoldiersSquare *rocks;
    uint32_t rock_count;
    uint32_t capacity; /* of both lists */
    Buffer text;
    Json json;
} View;

static inline _Noreturn void give_up(const char *why) {
    fprintf(stderr, "invalid view of Footsoldiers: %s\n", why);
    exit(1);
}

static inline uint32_t view_member(const View *view, uint32_t object, const char *key,
                                   JsonKind kind) {
    if (view->json.nodes[object].kind != JSON_OBJECT)
        give_up("expected an object");
    uint32_t node = json_member(&view->json, object, key);
    if (node == JSON_NONE || view->json.nodes[node].kind != kind)
        give_up(key);
    return node;
}

static inline int64_t view_number(const View *view, uint32_t object, const char *key, int64_t low,
                                  int64_t high) {
    int64_t value;
    if (!json_whole(&view->json, view_member(view, object, key, JSON_NUMBER), &value) ||
        value < low || value > high)
        give_up(key);
    return value;
}

static inline int32_t view_coordinate(const View *view, uint32_t object, const char *key) {
    return (int32_t)view_number(view, object, key, -FOOTSOLDIERS_COORDINATE_MAX,
                                FOOTSOLDIERS_COORDINATE_MAX);
}

static inline FootsoldiersSquare view_square(const View *view, uint32_t object, const char *key) {
    uint32_t node = view_member(view, object, key, JSON_OBJECT);
    return (FootsoldiersSquare){view_coordinate(view, node, "x"), view_coordinate(view, node, "y")};
}

/* The index of a member's value in `names`; `count` if it is not among them. */
static inline uint32_t view_name(const View *view, uint32_t object, const char *key,
                                 const char *const *names, uint32_t count) {
    Slice text = view->json.nodes[view_member(view, object, key, JSON_STRING)].text;
    uint32_t i = 0;
    while (i < count && !slice_equals(text, names[i]))
        i++;
    return i;
}

static inline uint32_t view_team(const View *view, uint32_t object, const char *key) {
    static const char *const teams[] = {"player1", "player2"};
    uint32_t team = view_name(view, object, key, teams, 2);
    if (team == 2)
        give_up(key);
    return team;
}

static inline void view_entry(View *view, uint32_t entry) {
    static const char *const fixtures[] = {"Rock", "Base"};
    FootsoldiersSquare at = view_square(view, entry, "position");
    uint32_t type = view_name(view, entry, "type", footsoldiers_type_names, FOOTSOLDIERS_TYPES);
    if (type < FOOTSOLDIERS_TYPES) {
        uint32_t direction = view_name(view, entry, "attack-direction",
                                       footsoldiers_direction_names, FOOTSOLDIERS_DIRECTIONS);
        view->soldiers[view->soldier_count++] = (FootsoldiersSoldier){
            .at = at,
            .destination = view_square(view, entry, "destination"),
            .health = (int32_t)view_number(view, entry, "health", 0, INT32_MAX),
            .type = (uint8_t)type,
            .player = (uint8_t)view_team(view, entry, "team"),
            .direction = (uint8_t)(direction % FOOTSOLDIERS_DIRECTIONS),
        };
    } else if (view_name(view, entry, "type", fixtures, 2) == 0) {
        view->rocks[view->rock_count++] = at;
    }
}

/* Reads up to the brace that closes the view, because views may come without newlines. False at the
   end of input. */
static inline bool view_text(View *view) {
    int depth = 0;
    bool quoted = false;
    bool escaped = false;
    buffer_clear(&view->text);
    for (int c; (c = getchar()) != EOF;) {
        buffer_char(&view->text, (char)c);
        if (quoted) {
            quoted = escaped || c != '"';
            escaped = !escaped && c == '\\';
        } else if (c == '"') {
            quoted = true;
        } else if (c == '{') {
            depth++;
        } else if (c == '}' && --depth <= 0) {
            return true;
        }
    }
    return false;
}

/* Reads the next view. False at the end of input; ends the program if the input is not a view. */
static inline bool view_read(View *view) {
    Error error;
    if (!view_text(view))
        return false;
    if (!json_parse(&view->json, (Slice){view->text.data, view->text.length}, &error))
        give_up(error.text);
    view->you = view_team(view, 0, "you");
    view->turns_remaining = view_number(view, 0, "turns-remaining", 1, INT32_MAX);
    for (uint32_t player = 0; player < 2; player++) {
        uint32_t node = view_member(view, 0, player ? "player2" : "player1", JSON_OBJECT);
        view->money[player] = view_number(view, node, "money", 0, INT64_MAX);
        view->health[player] = view_number(view, node, "health", 0, INT32_MAX);
        view->base[player] = view_square(view, node, "base");
    }
    uint32_t map = view_member(view, 0, "map", JSON_ARRAY);
    const JsonNode *nodes = view->json.nodes;
    if (nodes[map].count > view->capacity || !view->soldiers) {
        view->capacity = nodes[map].count + 64;
        view->soldiers = realloc(view->soldiers, view->capacity * sizeof *view->soldiers);
        view->rocks = realloc(view->rocks, view->capacity * sizeof *view->rocks);
        if (!view->soldiers || !view->rocks)
            abort();
    }
    view->soldier_count = view->rock_count = 0;
    for (uint32_t node = map + 1; node < nodes[map].next; node = nodes[node].next)
        view_entry(view, node);
    return true;
}

static inline void view_free(View *view) {
    free(view->soldiers);
    free(view->rocks);
    buffer_free(&view->text);
    json_free(&view->json);
}

static inline bool view_occupied(const View *view, FootsoldiersSquare square) {
    for (uint32_t i = 0; i < view->soldier_count; i++)
        if (memcmp(&view->soldiers[i].at, &square, sizeof square) == 0)
            return true;
    for (uint32_t i = 0; i < view->rock_count; i++)
        if (memcmp(&view->rocks[i], &square, sizeof square) == 0)
            return true;
    return memcmp(&view->base[0], &square, sizeof square) == 0 ||
           memcmp(&view->base[1], &square, sizeof square) == 0;
}

/* Writes one command. */
static inline void command_write(const FootsoldiersOrders *order) {
    const char *direction = footsoldiers_direction_names[order->direction];
    switch (order->command) {
    case FOOTSOLDIERS_BUILD:
        printf("Build %s (%d, %d) (%d, %d) %s\n", footsoldiers_type_names[order->type], order->at.x,
               order->at.y, order->destination.x, order->destination.y, direction);
        break;
    case FOOTSOLDIERS_MOVE:
        printf("Move (%d, %d) to (%d, %d)\n", order->at.x, order->at.y, order->destination.x,
               order->destination.y);
        break;
    case FOOTSOLDIERS_CHANGE_DIRECTION:
        printf("Change attack direction (%d, %d) to %s\n", order->at.x, order->at.y, direction);
        break;
    default:
        puts("No-op");
    }
    fflush(stdout);
}

#endif
