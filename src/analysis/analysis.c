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
    BISECTION_TIMES = 2, /* continuations of a bisection, in samples; of a proof, ... */
    PROOF_TIMES = 4,     /* ... for each side; also its number of rounds */
};

static const double drop_least = 0.20;    /* a smaller drop is not examined */
static const double hope_least = 0.15;    /* a smaller difference ends a proof early */
static const double blunder_least = 0.30; /* a smaller difference is not a blunder */
static const double significance = 0.05;  /* for all proofs together */

/* Continuations from one position. */
typedef struct ContinuationBatch {
    AnalysisPoint point;
    uint32_t deviator; /* from 1; see MatchVariation */
    uint32_t deviation_turns;
    uint32_t purpose; /* different purposes have different seeds */
    uint32_t wanted;  /* continuations */
    uint32_t given;
} ContinuationBatch;

/* A drop between two points, for one player. */
typedef struct Candidate {
    uint32_t player;
    uint32_t from; /* turns played before the drop */
    uint32_t to;
    double drop;
} Candidate;

typedef enum AnalysisStage { SAMPLING, BISECTION, PROOF, DONE } AnalysisStage;

/* The state that is only needed while the analysis runs. A stage sets up batches; when all their
   continuations are counted, it evaluates them and sets up the next batches. */
typedef struct AnalysisRun {
    Analysis *analysis;
    Replay *replay;
    AnalysisStage stage;
    ContinuationBatch *batches;
    uint32_t batch_count;
    uint32_t next; /* the batch whose continuations are given out */
    uint32_t left; /* continuations that have not been counted yet */
    Candidate candidates[ANALYSIS_CANDIDATES];
    uint32_t candidate_count;
    uint32_t candidate; /* the candidate that is being examined */
    uint32_t rounds;    /* of its proof */
    uint32_t proofs;
    bool sound[GAME_PLAYERS_MAX]; /* whether the player's bot did not fail in the recorded match */
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

/* Adds one win, shared by all players with rank 1. */
static void add_win(AnalysisPoint *point, uint32_t players, const uint32_t *rank) {
    uint32_t winners = 0;
    for (uint32_t i = 0; i < players; i++)
        winners += rank[i] == 1;
    for (uint32_t i = 0; i < players; i++)
        point->wins[i] += rank[i] == 1 ? 1.0 / winners : 0;
}

/* Verifies the replay and records how the match ended. */
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

static uint64_t continuation_seed(const Run *run, const ContinuationBatch *batch, uint32_t number) {
    const uint64_t key[2] = {run->analysis->options.seed, 0x73697379616c616eu /* "analysis" */};
    const uint64_t which[] = {batch->point.turn, batch->deviator, batch->deviation_turns,
                              batch->purpose, number};
    return hash64_keyed(key, which, sizeof which) | 1;
}

/* Schedules all wanted continuations of the batches that have not been given out yet. */
static void play(Run *run) {
    run->next = run->left = 0;
    for (uint32_t i = 0; i < run->batch_count; i++)
        run->left += run->batches[i].wanted - run->batches[i].given;
    run->analysis->total = run->analysis->played + run->left;
}

/* Replaces the batches with new ones, which the caller fills in before it calls play. */
static ContinuationBatch *set_batches(Run *run, uint32_t count) {
    free(run->batches);
    run->batches = count ? xcalloc(count, sizeof *run->batches) : NULL;
    run->batch_count = count;
    return run->batches;
}

bool analysis_next(Analysis *analysis, Job *job) {
    const AnalysisOptions *options = &analysis->options;
    Run *run = analysis->run;
    const ReplayHeader *header = replay_header(run->replay);
    while (run->next < run->batch_count &&
           run->batches[run->next].given == run->batches[run->next].wanted)
        run->next++;
    if (run->next == run->batch_count)
        return false;
    ContinuationBatch *of = &run->batches[run->next];
    *job = (Job){
        .id = (uint64_t)run->next << 32 | of->given,
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
        job->bots[i] = &options->bots[i];
    of->given++;
    return true;
}

/* Counts the record of a continuation; false if it could not be played. */
static bool count_record(Run *run, ContinuationBatch *batch, const Record *record, Error *error) {
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

static void begin_sampling(Run *run) {
    const Analysis *analysis = run->analysis;
    uint32_t count = analysis->options.samples;
    count = count < analysis->turns ? count : analysis->turns;
    ContinuationBatch *batches = set_batches(run, count);
    for (uint32_t i = 0; i < count; i++)
        batches[i] =
            (ContinuationBatch){.point.turn = (uint32_t)((uint64_t)i * analysis->turns / count),
                                .wanted = analysis->options.continuations};
    play(run);
}

/* ---- blunders ---- */

/* Finds the largest drops between neighbouring points, the largest first. Returns how many there
   are, at most ANALYSIS_CANDIDATES. */
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

static void end_sampling(Run *run) {
    for (uint32_t i = 0; i < run->batch_count; i++)
        add_point(run->analysis, &run->batches[i].point);
    set_batches(run, 0);
    run->candidate_count = find_candidates(run->analysis, run->candidates);
    run->stage = BISECTION;
}

/* Chooses the half with the larger drop. */
static void narrow(const Analysis *analysis, Candidate *candidate, uint32_t middle) {
    uint32_t player = candidate->player;
    double before = share(&analysis->points[find_point(analysis, candidate->from)], player);
    double between = share(&analysis->points[find_point(analysis, middle)], player);
    double after = share(&analysis->points[find_point(analysis, candidate->to)], player);
    if (before - between > between - after)
        candidate->to = middle;
    else
        candidate->from = middle;
}

/* Sets up the proof of a candidate: its recorded orders against the bot's orders. */
static void begin_proof(Run *run) {
    const Candidate *of = &run->candidates[run->candidate];
    ContinuationBatch *sides = set_batches(run, 2);
    sides[0] = (ContinuationBatch){
        .point.turn = of->from, .deviator = of->player + 1, .deviation_turns = of->to - of->from};
    sides[1] = (ContinuationBatch){.point.turn = of->to, .purpose = 2 + run->proofs++};
    run->rounds = 0;
    run->stage = PROOF;
}

/* Whether these turns overlap a blunder of the player that was already found. */
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

/* Narrows the drop down, if necessary with continuations from its middle. Once it is one turn,
   begins the proof. */
static void bisect(Run *run) {
    Analysis *analysis = run->analysis;
    Candidate *candidate = &run->candidates[run->candidate];
    uint32_t middle = candidate->from + (candidate->to - candidate->from) / 2;
    if (run->batch_count) {
        add_point(analysis, &run->batches[0].point);
        set_batches(run, 0);
    }
    if (candidate->to - candidate->from <= 1) {
        if (is_known(analysis, *candidate))
            run->candidate++;
        else
            begin_proof(run);
    } else if (analysis->points[find_point(analysis, middle)].turn == middle) {
        narrow(analysis, candidate, middle);
    } else {
        *set_batches(run, 1) =
            (ContinuationBatch){.point.turn = middle,
                                .wanted = BISECTION_TIMES * analysis->options.continuations,
                                .purpose = 1};
        play(run);
    }
}

/* Evaluates all rounds of a proof, and records a blunder if it is proven. */
static bool conclude(Run *run, bool at_end, Error *error) {
    Analysis *analysis = run->analysis;
    Candidate of = run->candidates[run->candidate];
    uint32_t player = of.player;
    const AnalysisPoint *instead = &run->batches[0].point;
    const AnalysisPoint *after = &run->batches[1].point;
    /* A known result counts as if every continuation had it. */
    double count = at_end ? instead->continuations : after->continuations;
    double wins = at_end ? after->wins[player] * count : after->wins[player];
    double p_value = proportion_p_value(instead->wins[player], instead->continuations, wins, count);
    bool proven = share(instead, player) - share(after, player) >= blunder_least &&
                  p_value < significance / run->candidate_count;
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

/* Plays the next round of a proof as long as it may still show a difference. Otherwise concludes it
   and moves on to the next candidate. */
static bool prove(Run *run, Error *error) {
    const Analysis *analysis = run->analysis;
    const Candidate *of = &run->candidates[run->candidate];
    ContinuationBatch *sides = run->batches;
    bool at_end = of->to == analysis->turns; /* the result after the recorded orders is known */
    if (at_end)
        sides[1].point.wins[of->player] =
            analysis->points[analysis->point_count - 1].wins[of->player];
    bool hope =
        !run->rounds ||
        share(&sides[0].point, of->player) - share(&sides[1].point, of->player) >= hope_least;
    if (hope && run->rounds < PROOF_TIMES) {
        sides[0].wanted += analysis->options.continuations;
        sides[1].wanted += at_end ? 0 : analysis->options.continuations;
        run->rounds++;
        play(run);
        return true;
    }
    bool good = conclude(run, at_end, error);
    set_batches(run, 0);
    run->candidate++;
    run->stage = BISECTION;
    return good;
}

/* Finds the turn from which the winner's chance stays high until the end. */
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

static void finish(Run *run) {
    Analysis *analysis = run->analysis;
    qsort(analysis->blunders, analysis->blunder_count, sizeof *analysis->blunders,
          compare_blunders);
    find_decision(analysis);
    run->stage = DONE;
}

/* Runs the stages until continuations are needed or the analysis is done. */
static bool advance(Run *run, Error *error) {
    bool good = true;
    while (good && !run->left && run->stage != DONE)
        if (run->stage == SAMPLING)
            end_sampling(run);
        else if (run->stage == PROOF)
            good = prove(run, error);
        else if (run->candidate < run->candidate_count)
            bisect(run);
        else
            finish(run);
    return good;
}

bool analysis_begin(Analysis *analysis, const AnalysisOptions *options, Error *error) {
    Run *run = xcalloc(1, sizeof *run);
    *analysis = (Analysis){.options = *options, .run = run};
    run->analysis = analysis;
    run->replay = replay_open_memory(options->name, options->replay, error);
    if (!run->replay || !read_match(run, error))
        return false;
    begin_sampling(run);
    return true;
}

bool analysis_take(Analysis *analysis, const Record *record, Error *error) {
    Run *run = analysis->run;
    if (!count_record(run, &run->batches[record->id >> 32], record, error))
        return false;
    run->left--;
    return advance(run, error);
}

bool analysis_is_done(const Analysis *analysis) {
    return analysis->run && analysis->run->stage == DONE;
}

/* Gives the dispatcher as many continuations as it has room for, and counts the next one that
   ends. */
static bool step(Analysis *analysis, Dispatcher *dispatcher, Error *error) {
    const AnalysisOptions *options = &analysis->options;
    Job job;
    Record record;
    while (dispatcher_room(dispatcher, false) && analysis_next(analysis, &job))
        dispatcher_give(dispatcher, &job, -1);
    if (options->progress)
        options->progress(options->context, analysis->played, analysis->total);
    if (options->interrupt && *options->interrupt)
        return error_set(error, "interrupted");
    DispatcherEvent event = dispatcher_take(dispatcher, STEP_MS, &record, error);
    if (event != DISPATCHER_RECORD)
        return event == DISPATCHER_NONE;
    bool good = analysis_take(analysis, &record, error);
    record_free(&record);
    return good;
}

bool analysis_run(Analysis *analysis, const AnalysisOptions *options, Error *error) {
    DispatcherOptions dispatch = {
        .runners = options->jobs,
        .sandbox = options->sandbox,
        .program = options->program,
        .report = options->report,
        .context = options->context,
    };
    Dispatcher *dispatcher = NULL;
    bool good = analysis_begin(analysis, options, error) &&
                (dispatcher = dispatcher_new(&dispatch, error)) != NULL;
    while (good && !analysis_is_done(analysis))
        good = step(analysis, dispatcher, error);
    if (good && options->progress)
        options->progress(options->context, analysis->played, analysis->total);
    dispatcher_free(dispatcher);
    return good;
}

void analysis_free(Analysis *analysis) {
    if (analysis->run) {
        replay_free(analysis->run->replay);
        free(analysis->run->batches);
        free(analysis->run);
    }
    for (uint32_t i = 0; i < analysis->players; i++)
        free(analysis->names[i]);
    for (uint32_t i = 0; i < analysis->blunder_count; i++)
        buffer_free(&analysis->blunders[i].orders);
    free(analysis->points);
    *analysis = (Analysis){0};
}
