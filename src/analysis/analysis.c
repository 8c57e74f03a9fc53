/* See analysis.h. */
#include "analysis/analysis.h"

#include "base/hash.h"
#include "base/json.h"
#include "base/memory.h"
#include "league/dispatcher.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    STEP_MS = 250,
    BISECTION_TIMES = 2, /* a bisection takes so many times the continuations of a sample ... */
    PROOF_TIMES = 4,     /* ... and a proof so many for each side, in as many rounds */
};

static const double drop_least = 0.20;    /* a smaller drop is not worth a look */
static const double hope_least = 0.15;    /* a smaller difference ends a proof early */
static const double blunder_least = 0.30; /* a smaller difference is not a blunder */
static const double significance = 0.05;  /* for all proofs together */

/* Continuations from one position. */
typedef struct Batch {
    AnalysisPoint point;
    uint32_t deviator; /* from 1; see MatchVariation */
    uint32_t deviation_turns;
    uint32_t purpose; /* different numbers: different seeds */
    uint32_t wanted;  /* continuations */
    uint32_t given;
} Batch;

/* A drop between two points, for one player. */
typedef struct Candidate {
    uint32_t player;
    uint32_t from; /* turns played before it */
    uint32_t to;
    double drop;
} Candidate;

/* What is only needed while the analysis runs. */
typedef struct Run {
    Analysis *analysis;
    Replay *replay;
    Dispatcher *dispatcher;
    uint32_t total;
    uint32_t proofs;
    bool sound[GAME_PLAYERS_MAX]; /* its bot did not fail in the recorded match */
    ReplayTurn turn;
} Run;

Chance analysis_chance(const AnalysisPoint *point, uint32_t player) {
    double wins = point->wins[player];
    if (!point->continuations)
        return (Chance){wins, wins, wins};
    return proportion_chance(wins, point->continuations);
}

static double share(const AnalysisPoint *point, uint32_t player) {
    return analysis_chance(point, player).value;
}

/* ---- the recorded match ---- */

/* Adds one win, which players on the first rank share. */
static void add_win(AnalysisPoint *point, uint32_t players, const uint32_t *rank) {
    uint32_t winners = 0;
    for (uint32_t i = 0; i < players; i++)
        winners += rank[i] == 1;
    for (uint32_t i = 0; i < players; i++)
        point->wins[i] += rank[i] == 1 ? 1.0 / winners : 0;
}

/* Verifies the replay and notes how the match ended. */
static bool read_match(Run *run, Error *error) {
    Analysis *analysis = run->analysis;
    const ReplayHeader *header = replay_header(run->replay);
    Board board;
    ReplayEnd end = {0};
    ReplayStep step;
    bool good = true;
    analysis->game = header->game;
    analysis->players = header->players;
    for (uint32_t i = 0; i < header->players; i++)
        analysis->names[i] = xstrdup(header->names[i]);
    if (!replay_board(run->replay, &board, error))
        return false;
    while ((step = replay_next(run->replay, &run->turn, &end, error)) == REPLAY_TURN &&
           (good = replay_apply(&board, &run->turn, error)))
        analysis->digest = run->turn.digest;
    good = good && step == REPLAY_END && replay_check_end(&board, &end, error);
    board_free(&board);
    if (!good)
        return error_prefix(error, "%s: verification failed", analysis->options.name);
    analysis->turns = end.turns;
    if (!end.turns)
        return error_set(error, "%s: the match ended before its first turn",
                         analysis->options.name);
    analysis->points = xcalloc(1, sizeof *analysis->points);
    analysis->point_count = 1;
    analysis->points[0].turn = end.turns;
    add_win(&analysis->points[0], analysis->players, end.rank);
    for (uint32_t i = 0; i < analysis->players; i++)
        run->sound[i] = slice_equals(end.status[i], status_name(STATUS_OK));
    return true;
}

/* Writes the player's answers and orders in the turns of a blunder. */
static bool read_orders(Run *run, AnalysisBlunder *blunder, Error *error) {
    Board board;
    ReplayEnd end;
    JsonOut out = {.to = &blunder->orders};
    if (!replay_rewind(run->replay, error) || !replay_board(run->replay, &board, error))
        return false;
    json_open(&out, NULL, '[');
    bool good = true;
    while (good && board.state->turn < blunder->last_turn) {
        good = replay_next(run->replay, &run->turn, &end, error) == REPLAY_TURN &&
               replay_apply(&board, &run->turn, error);
        if (!good || board.state->turn < blunder->first_turn)
            continue;
        const PlayerTurn *player = &run->turn.players[blunder->player];
        const GameOrders *orders = board.orders[blunder->player];
        json_open(&out, NULL, '{');
        json_out_uint(&out, "turn", board.state->turn);
        json_out_text(&out, "answer", answer_kind_name(player->kind));
        if (player->kind == ANSWER_GIVEN && orders->kind == ORDERS_GIVEN) {
            Buffer text = {0};
            board.game->orders_json(board.setup, orders, &text);
            json_out_raw(&out, "orders", (Slice){text.data, text.length});
            buffer_free(&text);
        } else {
            json_out_null(&out, "orders");
        }
        json_close(&out, '}');
    }
    json_close(&out, ']');
    board_free(&board);
    return good;
}

/* ---- continuations ---- */

static uint64_t continuation_seed(const Run *run, const Batch *batch, uint32_t number) {
    const uint64_t key[2] = {run->analysis->options.seed, 0x73697379616c616eu /* "analysis" */};
    const uint64_t which[] = {batch->point.turn, batch->deviator, batch->deviation_turns,
                              batch->purpose, number};
    return hash64_keyed(key, which, sizeof which) | 1;
}

static void give(Run *run, Batch *batches, uint32_t batch) {
    const AnalysisOptions *options = &run->analysis->options;
    const ReplayHeader *header = replay_header(run->replay);
    Batch *of = &batches[batch];
    Job job = {
        .id = (uint64_t)batch << 32 | of->given,
        .game = header->game,
        .config = header->config,
        .map = header->map,
        .seed = header->seed,
        .overrides = {.turn_ms = header->turn_ms, .start_ms = header->start_ms},
        .players = header->players,
        .prelude = options->replay,
        .prelude_turns = of->point.turn,
        .variation = {.seed = continuation_seed(run, of, of->given),
                      .passes = options->passes,
                      .deviator = of->deviator,
                      .deviation_turns = of->deviation_turns},
    };
    for (uint32_t i = 0; i < header->players; i++)
        job.bots[i] = &options->bots[i];
    dispatcher_give(run->dispatcher, &job, -1);
    of->given++;
}

/* Counts a continuation; false if it could not be played. */
static bool count_record(Run *run, Batch *batch, const Record *record, Error *error) {
    Analysis *analysis = run->analysis;
    const Verdict *verdict = &record->verdict;
    uint32_t rank[GAME_PLAYERS_MAX] = {0};
    bool failed = false;
    if (record->kind == RECORD_STOPPED)
        return error_set(error, "interrupted");
    if (record->kind != RECORD_PLAYED || verdict->players != analysis->players)
        return error_set(error, "%s", record->error.text);
    for (uint32_t i = 0; i < verdict->players; i++) {
        const PlayerVerdict *player = &verdict->player[i];
        rank[i] = player->rank;
        if (player->status == STATUS_OK || !run->sound[i])
            continue;
        failed = true;
        snprintf(analysis->failure, sizeof analysis->failure, "%s %.150s", player->name,
                 player->failure);
    }
    add_win(&batch->point, analysis->players, rank);
    batch->point.continuations++;
    analysis->played++;
    analysis->failed += failed;
    return true;
}

static bool interrupted(const Run *run) {
    const volatile sig_atomic_t *interrupt = run->analysis->options.interrupt;
    return interrupt && *interrupt;
}

static void show_progress(const Run *run) {
    const AnalysisOptions *options = &run->analysis->options;
    if (options->progress)
        options->progress(options->context, run->analysis->played, run->total);
}

/* Plays the wanted continuations of all batches. */
static bool play(Run *run, Batch *batches, uint32_t count, Error *error) {
    uint32_t left = 0;
    uint32_t next = 0;
    for (uint32_t i = 0; i < count; i++)
        left += batches[i].wanted - batches[i].given;
    run->total = run->analysis->played + left;
    while (left) {
        while (next < count && dispatcher_room(run->dispatcher, false)) {
            if (batches[next].given < batches[next].wanted)
                give(run, batches, next);
            else
                next++;
        }
        show_progress(run);
        if (interrupted(run))
            return error_set(error, "interrupted");
        Record record;
        DispatcherEvent event = dispatcher_take(run->dispatcher, STEP_MS, &record, error);
        if (event == DISPATCHER_BROKEN)
            return false;
        if (event == DISPATCHER_NONE)
            continue;
        bool good = count_record(run, &batches[record.id >> 32], &record, error);
        record_free(&record);
        if (!good)
            return false;
        left--;
    }
    show_progress(run);
    return true;
}

/* ---- points ---- */

/* The first point at or after a turn. */
static uint32_t find_point(const Analysis *analysis, uint32_t turn) {
    uint32_t at = 0;
    while (at < analysis->point_count && analysis->points[at].turn < turn)
        at++;
    return at;
}

/* Adds continuations to the point of their turn. */
static void add_point(Analysis *analysis, const AnalysisPoint *point) {
    uint32_t at = find_point(analysis, point->turn);
    AnalysisPoint *there = &analysis->points[at];
    if (there->turn == point->turn) {
        there->continuations += point->continuations;
        for (uint32_t i = 0; i < analysis->players; i++)
            there->wins[i] += point->wins[i];
        return;
    }
    analysis->points =
        xrealloc(analysis->points, (analysis->point_count + 1) * sizeof *analysis->points);
    there = &analysis->points[at];
    memmove(there + 1, there, (analysis->point_count - at) * sizeof *there);
    *there = *point;
    analysis->point_count++;
}

static bool sample(Run *run, Error *error) {
    Analysis *analysis = run->analysis;
    uint32_t count = analysis->options.samples;
    count = count < analysis->turns ? count : analysis->turns;
    Batch *batches = xcalloc(count, sizeof *batches);
    for (uint32_t i = 0; i < count; i++)
        batches[i] = (Batch){.point.turn = (uint32_t)((uint64_t)i * analysis->turns / count),
                             .wanted = analysis->options.continuations};
    bool good = play(run, batches, count, error);
    for (uint32_t i = 0; good && i < count; i++)
        add_point(analysis, &batches[i].point);
    free(batches);
    return good;
}

/* ---- blunders ---- */

/* The largest drops between neighbouring points, the largest first. Returns how many. */
static uint32_t find_candidates(const Analysis *analysis, Candidate *best) {
    uint32_t count = 0;
    for (uint32_t at = 0; at + 1 < analysis->point_count; at++)
        for (uint32_t player = 0; player < analysis->players; player++) {
            const AnalysisPoint *from = &analysis->points[at];
            Candidate one = {player, from->turn, from[1].turn,
                             share(from, player) - share(from + 1, player)};
            uint32_t place = count;
            if (one.drop < drop_least)
                continue;
            while (place > 0 && best[place - 1].drop < one.drop)
                place--;
            if (place == ANALYSIS_CANDIDATES)
                continue;
            count += count < ANALYSIS_CANDIDATES;
            memmove(&best[place + 1], &best[place], (count - place - 1) * sizeof *best);
            best[place] = one;
        }
    return count;
}

/* Narrows the drop down to one turn. */
static bool bisect(Run *run, Candidate *candidate, Error *error) {
    Analysis *analysis = run->analysis;
    while (candidate->to - candidate->from > 1) {
        Batch middle = {.point.turn = candidate->from + (candidate->to - candidate->from) / 2,
                        .wanted = BISECTION_TIMES * analysis->options.continuations,
                        .purpose = 1};
        const AnalysisPoint *known = &analysis->points[find_point(analysis, middle.point.turn)];
        if (known->turn != middle.point.turn) {
            if (!play(run, &middle, 1, error))
                return false;
            add_point(analysis, &middle.point);
        }
        double before =
            share(&analysis->points[find_point(analysis, candidate->from)], candidate->player);
        double between =
            share(&analysis->points[find_point(analysis, middle.point.turn)], candidate->player);
        double after =
            share(&analysis->points[find_point(analysis, candidate->to)], candidate->player);
        if (before - between > between - after)
            candidate->to = middle.point.turn;
        else
            candidate->from = middle.point.turn;
    }
    return true;
}

/* Compares the recorded orders in the turns after `from` up to `to` with the bot's. More
   continuations are played as long as they may show a difference. */
static bool prove(Run *run, Candidate of, uint32_t tests, Error *error) {
    Analysis *analysis = run->analysis;
    uint32_t player = of.player;
    Batch sides[2] = {
        {.point.turn = of.from, .deviator = player + 1, .deviation_turns = of.to - of.from},
        {.point.turn = of.to, .purpose = 2 + run->proofs++},
    };
    bool at_end = of.to == analysis->turns; /* its result is known */
    for (uint32_t round = 0; round < PROOF_TIMES; round++) {
        sides[0].wanted += analysis->options.continuations;
        sides[1].wanted += at_end ? 0 : analysis->options.continuations;
        if (!play(run, sides, 2, error))
            return false;
        if (at_end)
            sides[1].point.wins[player] = analysis->points[analysis->point_count - 1].wins[player];
        if (share(&sides[0].point, player) - share(&sides[1].point, player) < hope_least)
            break;
    }
    const AnalysisPoint *instead = &sides[0].point;
    const AnalysisPoint *after = &sides[1].point;
    /* A known result counts as if every continuation had it. */
    double count = at_end ? instead->continuations : after->continuations;
    double wins = at_end ? after->wins[player] * count : after->wins[player];
    double p_value = proportion_p_value(instead->wins[player], instead->continuations, wins, count);
    bool proven = share(instead, player) - share(after, player) >= blunder_least &&
                  p_value < significance / tests;
    if (!at_end)
        add_point(analysis, after);
    if (!proven)
        return true;
    AnalysisBlunder *blunder = &analysis->blunders[analysis->blunder_count++];
    *blunder = (AnalysisBlunder){
        .player = player,
        .first_turn = of.from + 1,
        .last_turn = of.to,
        .instead = analysis_chance(instead, player),
        .after = analysis_chance(after, player),
        .p_value = p_value,
    };
    return read_orders(run, blunder, error);
}

/* Whether these turns touch a blunder of the player that was found already. */
static bool is_known(const Analysis *analysis, Candidate of) {
    for (uint32_t i = 0; i < analysis->blunder_count; i++) {
        const AnalysisBlunder *blunder = &analysis->blunders[i];
        if (blunder->player == of.player && of.from + 1 <= blunder->last_turn &&
            of.to >= blunder->first_turn)
            return true;
    }
    return false;
}

static int compare_blunders(const void *left, const void *right) {
    const AnalysisBlunder *a = left;
    const AnalysisBlunder *b = right;
    return (a->first_turn > b->first_turn) - (a->first_turn < b->first_turn);
}

static bool find_blunders(Run *run, Error *error) {
    Analysis *analysis = run->analysis;
    Candidate candidates[ANALYSIS_CANDIDATES];
    uint32_t count = find_candidates(analysis, candidates);
    for (uint32_t i = 0; i < count; i++) {
        Candidate one = candidates[i];
        if (!bisect(run, &one, error))
            return false;
        if (!is_known(analysis, one) && !prove(run, one, count, error))
            return false;
    }
    qsort(analysis->blunders, analysis->blunder_count, sizeof *analysis->blunders,
          compare_blunders);
    return true;
}

/* Finds the turn from which on the winner's chance stays high. */
static void find_decision(Analysis *analysis) {
    const AnalysisPoint *end = &analysis->points[analysis->point_count - 1];
    for (uint32_t player = 0; player < analysis->players; player++) {
        if (end->wins[player] < 1)
            continue;
        uint32_t at = analysis->point_count - 1;
        while (at > 0 && share(&analysis->points[at - 1], player) * 100 >= ANALYSIS_SURE)
            at--;
        analysis->decided = true;
        analysis->winner = player;
        analysis->decided_turn = analysis->points[at].turn;
    }
}

/* ---- the whole ---- */

bool analysis_run(Analysis *analysis, const AnalysisOptions *options, Error *error) {
    Run *run = xcalloc(1, sizeof *run);
    DispatcherOptions dispatch = {
        .runners = options->jobs,
        .sandbox = options->sandbox,
        .program = options->program,
        .report = options->report,
        .context = options->context,
    };
    *analysis = (Analysis){.options = *options};
    run->analysis = analysis;
    bool good = (run->replay = replay_open_memory(options->name, options->replay, error)) &&
                read_match(run, error) && (run->dispatcher = dispatcher_new(&dispatch, error)) &&
                sample(run, error) && find_blunders(run, error);
    if (good)
        find_decision(analysis);
    dispatcher_free(run->dispatcher);
    replay_free(run->replay);
    free(run);
    return good;
}

void analysis_free(Analysis *analysis) {
    for (uint32_t i = 0; i < analysis->players; i++)
        free(analysis->names[i]);
    for (uint32_t i = 0; i < analysis->blunder_count; i++)
        buffer_free(&analysis->blunders[i].orders);
    free(analysis->points);
    *analysis = (Analysis){0};
}
