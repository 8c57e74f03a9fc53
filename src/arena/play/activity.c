/* See activity.h. */
#include "arena/play/activity.h"

#include "base/json.h"
#include "http/schemas.h"

enum {
    EVENTS = 64, /* kept for browsers that reconnect */
    EVENT_BYTES = 1 << 20,
    MATCHES_MAX = 200, /* in one event */
};

static void publish(const Arena *arena, const char *event, Buffer *text) {
    live_publish(arena->live, ACTIVITY_TOPIC, event, (Slice){text->data, text->length});
    buffer_free(text);
}

void activity_open(const Arena *arena) {
    live_open(arena->live, ACTIVITY_TOPIC, EVENTS, EVENT_BYTES);
}

void activity_ratings(const Arena *arena, const char *game) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_text(&out, "game", game);
    json_close(&out, '}');
    publish(arena, "ratings", &text);
}

void activity_build(const Arena *arena, const StoreBot *bot, bool good) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_text(&out, "owner", bot->owner_name);
    json_out_text(&out, "bot", bot->name);
    json_out_bool(&out, "good", good);
    json_close(&out, '}');
    publish(arena, "build", &text);
}

void activity_check(const Arena *arena, const StoreBot *bot) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_text(&out, "owner", bot->owner_name);
    json_out_text(&out, "bot", bot->name);
    json_close(&out, '}');
    publish(arena, "check", &text);
}

void activity_tournament(const Arena *arena, uint64_t tournament) {
    activity_tournament_heard(arena, tournament);
    store_news_send(arena->store, NEWS_TOURNAMENT, tournament);
}

void activity_tournament_heard(const Arena *arena, uint64_t tournament) {
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "id", tournament);
    json_close(&out, '}');
    publish(arena, "tournament", &text);
}

static void write_seat(JsonOut *out, const StoreSeat *seat, const StoreSeatResult *result) {
    json_open(out, NULL, '{');
    json_out_text(out, "name", seat->name);
    if (seat->owner_name[0])
        json_out_text(out, "owner", seat->owner_name);
    else
        json_out_null(out, "owner");
    if (result) {
        json_out_uint(out, "rank", result->rank);
        json_out_text(out, "status", result->status);
    } else {
        json_out_null(out, "rank");
        json_out_null(out, "status");
    }
    json_close(out, '}');
}

void activity_add(ActivityMatches *matches, const StoreMatch *match, StoreMatchState state,
                  const StoreSeatResult *seats) {
    static const char *const kinds[] = NAME_ARRAY(MATCH_KINDS);
    static const char *const states[] = NAME_ARRAY(MATCH_STATES);
    matches->complete = matches->count < MATCHES_MAX;
    matches->count++;
    if (!matches->complete)
        return;
    JsonOut out = {.to = &matches->items, .comma = matches->count > 1};
    json_open(&out, NULL, '{');
    json_out_uint(&out, "id", match->id);
    json_out_text(&out, "kind", kinds[match->kind]);
    json_out_text(&out, "state", states[state]);
    json_out_text(&out, "game", match->game);
    if (match->tournament)
        json_out_uint(&out, "tournament", match->tournament);
    else
        json_out_null(&out, "tournament");
    json_open(&out, "players", '[');
    for (uint32_t i = 0; i < match->players; i++)
        write_seat(&out, &match->seats[i], seats ? &seats[i] : NULL);
    json_close(&out, ']');
    json_close(&out, '}');
}

void activity_forget(const Arena *arena, ActivityMatches *matches) {
    live_drop_events(arena->live, ACTIVITY_TOPIC);
    buffer_clear(&matches->items);
    matches->complete = false; /* so pages reload the matches that are missing */
    activity_publish(arena, matches);
}

void activity_publish(const Arena *arena, ActivityMatches *matches) {
    if (!matches->count)
        return;
    Buffer text = {0};
    buffer_format(&text, "{\"complete\":%s,\"items\":[", matches->complete ? "true" : "false");
    buffer_add(&text, matches->items.data, matches->items.length);
    buffer_text(&text, "]}");
    publish(arena, "matches", &text);
    buffer_clear(&matches->items);
    matches->count = 0;
}
