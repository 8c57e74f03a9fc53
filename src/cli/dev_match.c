/* See dev_match.h. */
#include "cli/dev_match.h"

#include "cli/terminal.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

enum { TAIL_LINES = 12, TAIL_BYTES = 4096 };

bool dev_match_load(DevMatch *match, const Game *game, const char *config, const char *map,
                    uint32_t players, uint64_t seed, Error *error) {
    *match = (DevMatch){.setup = {.game = game}, .replay = -1};
    return match_setup_load(&match->setup, config, map, players, seed, error);
}

void dev_match_reset(DevMatch *match) {
    if (match->replay >= 0)
        close(match->replay);
    match->replay = -1;
    match->job = 0;
    match->state = DEV_WAITING;
    match->result = NULL;
    buffer_clear(&match->summary);
    buffer_clear(&match->pace);
    buffer_clear(&match->errors);
}

void dev_match_free(DevMatch *match) {
    dev_match_reset(match);
    match_setup_free(&match->setup);
    pace_free(&match->before);
    buffer_free(&match->summary);
    buffer_free(&match->pace);
    buffer_free(&match->errors);
}

const char *dev_match_name(const DevMatch *match) {
    return match->setup.map.name ? match->setup.map.name : match->setup.game->name;
}

/* ---- the result ---- */

/* Opens the replay of the match through a duplicate descriptor; NULL if there is none. */
static Replay *open_replay(const DevMatch *match) {
    Error error;
    int fd = match->replay < 0 ? -1 : fcntl(match->replay, F_DUPFD_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    lseek(fd, 0, SEEK_SET);
    return replay_open_on("the match", fd, &error);
}

/* Keeps the last lines of the bot's standard error. */
static void keep_errors(DevMatch *match) {
    Error error;
    Buffer all = {0};
    Replay *replay = open_replay(match);
    if (replay && replay_errors(replay, 0, &all, &error) && all.length) {
        size_t from = all.length;
        uint32_t lines = 0;
        while (from && all.length - from < TAIL_BYTES) {
            lines += all.data[from - 1] == '\n' && from < all.length;
            if (lines == TAIL_LINES)
                break;
            from--;
        }
        buffer_add(&match->errors, all.data + from, all.length - from);
    }
    replay_free(replay);
    buffer_free(&all);
}

/* Writes the speed, and keeps it for the next match. */
static void write_pace(DevMatch *match, const Verdict *verdict) {
    static ReplayTurn turn; /* too large for the stack */
    ReplayEnd end;
    Error error;
    Pace now = {0};
    Replay *replay = verdict->player[0].status == STATUS_OK ? open_replay(match) : NULL;
    while (replay && replay_next(replay, &turn, &end, &error) == REPLAY_TURN)
        if (turn.players[0].kind == ANSWER_GIVEN)
            pace_add(&now, turn.players[0].cpu, turn.players[0].wall);
    replay_free(replay);
    pace_write(&match->before, &now, &match->pace);
    if (now.count) {
        pace_free(&match->before);
        match->before = now;
    }
}

static const char *ordinal_ending(uint32_t number) {
    static const char *const endings[] = {"th", "st", "nd", "rd"};
    uint32_t last = number % 10;
    return number % 100 / 10 != 1 && last < 4 ? endings[last] : endings[0];
}

static void write_result(DevMatch *match, const Verdict *verdict) {
    const PlayerVerdict *mine = &verdict->player[0];
    uint32_t winners = 0;
    for (uint32_t i = 0; i < verdict->players; i++)
        winners += verdict->player[i].rank == 1;
    match->result = mine->rank > 1 ? "lost" : winners == 1 ? "won" : "drew";
    if (mine->status != STATUS_OK && mine->failure[0]) {
        buffer_format(&match->summary, "%s: %s", match->result, mine->failure);
        return;
    }
    buffer_text(&match->summary, match->result);
    if (mine->rank > 1 && verdict->players > 2)
        buffer_format(&match->summary, " (%u%s of %u)", mine->rank, ordinal_ending(mine->rank),
                      verdict->players);
    buffer_format(&match->summary, " in turn %u (%s)", verdict->turns, verdict->reason);
    if (mine->failure[0])
        buffer_format(&match->summary, "; %s", mine->failure);
    if (mine->refused)
        buffer_format(&match->summary, ", %llu orders rejected", (unsigned long long)mine->refused);
}

void dev_match_judge(DevMatch *match, const Record *record) {
    match->job = 0;
    if (record->kind == RECORD_PLAYED) {
        match->state = DEV_PLAYED;
        write_result(match, &record->verdict);
        write_pace(match, &record->verdict);
        if (record->verdict.player[0].failure[0])
            keep_errors(match);
    } else {
        match->state = DEV_FAILED;
        buffer_format(&match->summary, "not played: %s", record->error.text);
    }
}

/* ---- output ---- */

void dev_match_print(const DevMatch *match, uint32_t columns) {
    bool good = match->result && strcmp(match->result, "won") == 0;
    bool bad = match->state == DEV_FAILED || (match->result && strcmp(match->result, "lost") == 0);
    bool colour = terminal_has_colour(stdout) && (good || bad);
    print("  ");
    print_column(dev_match_name(match), columns);
    print("  ");
    if (colour)
        print_control(stdout, good ? "\033[32m" : "\033[31m");
    print_text(stdout, (Slice){match->summary.data, match->summary.length});
    if (colour)
        print_control(stdout, "\033[39m");
    if (match->pace.length) {
        print(", ");
        print_text(stdout, (Slice){match->pace.data, match->pace.length});
    }
    print("\n");
    Slice rest = {match->errors.data, match->errors.length};
    Slice line;
    while (slice_line(&rest, &line)) {
        print("      | ");
        print_text(stdout, line);
        print("\n");
    }
}

void dev_match_json(const DevMatch *match, JsonOut *out) {
    static const char *const states[] = {
        [DEV_WAITING] = "waiting",
        [DEV_PLAYING] = "playing",
        [DEV_PLAYED] = "played",
        [DEV_FAILED] = "failed",
    };
    json_open(out, NULL, '{');
    json_out_text(out, "map", dev_match_name(match));
    json_out_text(out, "state", states[match->state]);
    if (match->result)
        json_out_text(out, "result", match->result);
    json_out_string(out, "summary", (Slice){match->summary.data, match->summary.length});
    json_out_string(out, "pace", (Slice){match->pace.data, match->pace.length});
    json_out_string(out, "stderr", (Slice){match->errors.data, match->errors.length});
    if (match->state == DEV_PLAYED)
        json_out_uint(out, "replay", match->number);
    json_close(out, '}');
}
