/* See check.h: the stages. */
#include "check/check.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "check/places.h"
#include "check/session.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    ANSWER_TURNS = 8, /* after each of these, nothing may be left in the pipe */
    SHORT_TURNS = 3,  /* on every map and in every seat */
    SEATS_MAX = 8,    /* the most seats tried on the default map */
    MATCH_TURNS = 300,
    MATCH_MS = 3000, /* the longest duration of a match in the check */
    TOGETHER = 3,
    REJECTED_SHARE = 2, /* rejected orders in more than one of this many turns are too many */
};

typedef struct Check {
    const CheckOptions *options;
    CheckReport *report;
    Error *error;
    Places places;
    BotSpec opponent;
    bool has_opponent;
    Session session; /* used by the first three stages */
    bool open;
    Buffer answers; /* the bot's answers in the match, concatenated */
    Buffer ends;    /* size_t each: where each answer ends */
    uint32_t answer_count;
    bool fatal;  /* the other stages would be pointless */
    bool broken; /* the check itself failed, or was interrupted */
} Check;

typedef struct Stage {
    const char *name;
    uint32_t weight; /* its approximate share of the time */
    void (*run)(Check *check, CheckStage *stage);
} Stage;

/* ---- findings ---- */

static bool is_reported(const Check *check, Fault fault) {
    const CheckReport *report = check->report;
    for (uint32_t i = 0; i < report->finding_count; i++)
        if (report->findings[i].id == fault_kind(fault)->id)
            return true;
    return false;
}

static CheckFinding *add_finding(Check *check, CheckStage *stage, Fault fault) {
    CheckReport *report = check->report;
    const FaultKind *kind = fault_kind(fault);
    if (is_reported(check, fault) || report->finding_count == CHECK_FINDINGS_MAX)
        return NULL;
    stage->outcome = CHECK_FOUND;
    report->errors += kind->severity == CHECK_ERROR;
    CheckFinding *finding = &report->findings[report->finding_count++];
    *finding = (CheckFinding){
        .id = kind->id, .stage = stage->name, .severity = kind->severity, .change = kind->change};
    return finding;
}

/* Adds a finding without a session. */
static void add_plain(Check *check, CheckStage *stage, Fault fault, const char *what) {
    CheckFinding *finding = add_finding(check, stage, fault);
    if (!finding)
        return;
    finding->where = xstrdup("");
    finding->what = xstrdup(what);
    finding->sent = xstrdup("");
    finding->received = xstrdup("");
    finding->errors = xstrdup("");
}

/* Whether a fault is about how the bot works, not about how much it needs. If such a fault appears
   only on one map or in one seat, the finding says so. */
static bool depends_on_place(Fault fault) {
    return fault != FAULT_SLOW_START && fault != FAULT_SLOW_TURN && fault != FAULT_OUT_OF_MEMORY &&
           fault != FAULT_NEEDS_NETWORK && fault != FAULT_WRITES_FILES;
}

/* Reports what went wrong in a session, as `special` unless that is FAULT_NONE. */
static void add_failure(Check *check, CheckStage *stage, Session *session, Fault special) {
    Failure *failure = &session->failure;
    if (!failure->fault || is_reported(check, failure->fault))
        return;
    CheckFinding *finding = add_finding(check, stage, special ? special : failure->fault);
    if (!finding)
        return;
    Buffer where = {0};
    if (failure->turn)
        buffer_format(&where, "turn %u, ", failure->turn);
    else
        buffer_text(&where, "at the start, ");
    buffer_format(&where, "player %u of %u, map %s", session->options.seat + 1,
                  session->options.place->players, session->options.place->name);
    finding->where = xstrdup(buffer_string(&where));
    finding->what = xstrdup(buffer_string(&failure->what));
    finding->sent = xstrdup(buffer_string(&failure->sent));
    finding->received = xstrdup(buffer_string(&failure->received));
    finding->errors = xstrdup(buffer_string(&failure->errors));
    buffer_free(&where);
}

/* ---- sessions ---- */

static bool open_session(Check *check, Session *session, SessionOptions options) {
    options.check = check->options;
    check->report->sessions++;
    if (session_open(session, &options, check->error))
        return true;
    session_close(session);
    check->broken = true;
    return false;
}

/* Adds the session's measurements to the report and ends the session. */
static void close_session(Check *check, Session *session) {
    CheckReport *report = check->report;
    const GameTalk *talk = &session->board.setup->talk;
    int64_t start = talk->start_ms + (talk->hello ? 0 : talk->turn_ms);
    report->start_limit = start * CLOCK_MS;
    report->turn_limit = talk->turn_ms * CLOCK_MS;
    report->memory_limit = session->memory_limit;
    report->turns += session->turns;
    if (session->first_answer > report->first_answer)
        report->first_answer = session->first_answer;
    if (session->longest_turn > report->longest_turn)
        report->longest_turn = session->longest_turn;
    session_close(session);
    if (session->bot.memory_peak > report->memory_peak)
        report->memory_peak = session->bot.memory_peak;
}

/* The fault to report if a fault appears only in a certain place or style of session. */
static Fault name_fault(Fault fault, const SessionOptions *options, Fault special) {
    bool slow = fault == FAULT_SLOW_START || fault == FAULT_SLOW_TURN;
    if (special == FAULT_FAILS_AT_LIMITS && slow)
        return FAULT_SLOW_AT_LIMITS;
    return options->style != STYLE_PLAIN || depends_on_place(fault) ? special : FAULT_NONE;
}

/* Plays a session of a few turns. `stage` and `special` determine how a failure is reported. */
static SessionStep try_turns(Check *check, CheckStage *stage, SessionOptions options,
                             uint32_t turns, Fault special) {
    Session session;
    if (!open_session(check, &session, options))
        return SESSION_INTERRUPTED;
    SessionStep step = session_hello(&session);
    for (uint32_t i = 0; i < turns && step == SESSION_CONTINUES; i++)
        step = session_turn(&session);
    if (step == SESSION_FAILED)
        add_failure(check, stage, &session, name_fault(session.failure.fault, &options, special));
    check->broken |= step == SESSION_INTERRUPTED;
    close_session(check, &session);
    return step;
}

/* The last seat; or the first one if the bot fails in other seats. */
static uint32_t last_seat(const Check *check, const Place *place) {
    return is_reported(check, FAULT_FAILS_IN_SEAT) ? 0 : place->players - 1;
}

/* Marks a stage as skipped if it would only repeat a known finding. */
static bool skip_after(const Check *check, CheckStage *stage, Fault fault) {
    if (!is_reported(check, fault))
        return false;
    stage->outcome = CHECK_SKIPPED;
    snprintf(stage->note, sizeof stage->note, "because of %s", fault_kind(fault)->id);
    return true;
}

/* ---- the first three stages: one session ---- */

static void run_start(Check *check, CheckStage *stage) {
    Session *session = &check->session;
    SessionOptions options = {.place = places_default(&check->places), .rests = ANSWER_TURNS};
    check->open = open_session(check, session, options);
    if (!check->open)
        return;
    SessionStep step = session_hello(session);
    if (step == SESSION_CONTINUES)
        step = session_turn(session);
    check->broken |= step == SESSION_INTERRUPTED;
    check->fatal = step == SESSION_FAILED;
    if (check->fatal)
        add_failure(check, stage, session, FAULT_NONE);
    snprintf(stage->note, sizeof stage->note, "first answer after %lld ms",
             (long long)(session->first_answer / CLOCK_MS));
}

static void run_answers(Check *check, CheckStage *stage) {
    Session *session = &check->session;
    SessionStep step = SESSION_CONTINUES;
    while (session->turns < ANSWER_TURNS && step == SESSION_CONTINUES)
        step = session_turn(session);
    check->broken |= step == SESSION_INTERRUPTED;
    check->fatal = step == SESSION_FAILED;
    if (check->fatal)
        add_failure(check, stage, session, FAULT_NONE);
    snprintf(stage->note, sizeof stage->note, "%u turns, one flushed answer each", session->turns);
}

static void run_end_of_input(Check *check, CheckStage *stage) {
    Session *session = &check->session;
    if (session_finish(session, false) == SESSION_FAILED)
        add_failure(check, stage, session, FAULT_NONE);
    snprintf(stage->note, sizeof stage->note, "exited after %lld ms",
             (long long)(session->bot.charged / CLOCK_MS));
}

/* ---- matches against a house bot ---- */

static SessionStep play(Check *check, Session *session, bool record) {
    int64_t until = clock_now() + MATCH_MS * CLOCK_MS;
    SessionStep step = session_hello(session);
    while (step == SESSION_CONTINUES && session->turns < MATCH_TURNS && clock_now() < until) {
        step = session_turn(session);
        if (!record || step == SESSION_FAILED || step == SESSION_INTERRUPTED)
            continue;
        buffer_add(&check->answers, session->answer.at, session->answer.length);
        buffer_add(&check->ends, &check->answers.length, sizeof check->answers.length);
        check->answer_count++;
    }
    check->broken |= step == SESSION_INTERRUPTED;
    return step;
}

static SessionOptions match_options(const Check *check) {
    return (SessionOptions){.place = places_default(&check->places),
                            .opponent = check->has_opponent ? &check->opponent : NULL};
}

static void run_match(Check *check, CheckStage *stage) {
    Session session;
    if (!open_session(check, &session, match_options(check)))
        return;
    SessionStep step = play(check, &session, true);
    bool over = step == SESSION_OVER;
    if (step != SESSION_FAILED && step != SESSION_INTERRUPTED)
        step = session_finish(&session, true);
    /* Occasionally an opponent's move makes an order impossible; that is not a fault. */
    if (step == SESSION_FAILED || session.rejected * REJECTED_SHARE > session.turns)
        add_failure(check, stage, &session, FAULT_NONE);
    snprintf(stage->note, sizeof stage->note, "%u turns against %s%s, %u with rejected orders",
             session.turns,
             check->has_opponent ? check->opponent.text : "an opponent that does nothing",
             over ? "" : " (not to the end)", session.rejected);
    close_session(check, &session);
}

/* Ignores the bot's orders, so that a decent opponent wins. */
static void run_elimination(Check *check, CheckStage *stage) {
    Session session;
    SessionOptions options = match_options(check);
    options.paralysed = true;
    options.seat = last_seat(check, options.place);
    if (!open_session(check, &session, options))
        return;
    SessionStep step = play(check, &session, false);
    bool over = step == SESSION_OVER;
    if (step != SESSION_FAILED && step != SESSION_INTERRUPTED)
        step = session_finish(&session, true);
    if (step == SESSION_FAILED)
        add_failure(check, stage, &session,
                    session.failure.fault == FAULT_SLOW_TURN ? FAULT_NONE
                                                             : FAULT_FAILS_WHEN_ELIMINATED);
    snprintf(stage->note, sizeof stage->note, "%s after %u turns without orders",
             over ? "match over" : "still in the match", session.turns);
    close_session(check, &session);
}

/* ---- seats, maps, limits ---- */

static void run_seats(Check *check, CheckStage *stage) {
    const Place *place = places_default(&check->places);
    uint32_t seats = place->players < SEATS_MAX ? place->players : SEATS_MAX;
    for (uint32_t seat = 0; seat < seats && !check->broken; seat++)
        try_turns(check, stage, (SessionOptions){.place = place, .seat = seat}, SHORT_TURNS,
                  FAULT_FAILS_IN_SEAT);
    snprintf(stage->note, sizeof stage->note, "all %u seats of map %s", seats, place->name);
}

static void run_maps(Check *check, CheckStage *stage) {
    const Places *places = &check->places;
    const Place *usual = places_default(places);
    for (uint32_t i = 0; i < places->count && !check->broken; i++) {
        const Place *place = &places->list[i];
        SessionOptions options = {.place = place};
        Fault special =
            place->players == usual->players ? FAULT_FAILS_ON_MAP : FAULT_FAILS_WITH_PLAYERS;
        if (place == usual)
            continue;
        if (try_turns(check, stage, options, SHORT_TURNS, special) == SESSION_FAILED)
            continue;
        options.seat = last_seat(check, place);
        try_turns(check, stage, options, SHORT_TURNS, special);
    }
    uint32_t fewest = places_fewest_players(places);
    uint32_t most = places_most_players(places);
    char range[32] = "";
    if (most > fewest)
        snprintf(range, sizeof range, " to %u", most);
    snprintf(stage->note, sizeof stage->note, "%u maps, %u%s players", places->count, fewest,
             range);
}

static void run_limits(Check *check, CheckStage *stage) {
    const Place *place = &check->places.largest;
    CheckReport *report = check->report;
    int64_t longest = report->longest_turn;
    int64_t first = report->first_answer;
    size_t bytes = 0;
    uint32_t seat = places_longest_view(check->options->game, place, check->options->seed, &bytes);
    if (skip_after(check, stage, FAULT_FAILS_ON_MAP) ||
        skip_after(check, stage, FAULT_FAILS_WITH_PLAYERS))
        return;
    seat = is_reported(check, FAULT_FAILS_IN_SEAT) ? 0 : seat;
    try_turns(check, stage, (SessionOptions){.place = place, .seat = seat}, SHORT_TURNS,
              FAULT_FAILS_AT_LIMITS);
    report->longest_turn = longest; /* the report's headroom is for usual matches */
    report->first_answer = first;
    snprintf(stage->note, sizeof stage->note, "%u players, a view of %zu bytes", place->players,
             bytes);
}

/* ---- other referees ---- */

static void run_line_ends(Check *check, CheckStage *stage) {
    SessionOptions options = {.place = places_default(&check->places), .style = STYLE_CRLF};
    try_turns(check, stage, options, SHORT_TURNS, FAULT_CRLF);
    snprintf(stage->note, sizeof stage->note, "views with CRLF");
}

static void run_slow_referee(Check *check, CheckStage *stage) {
    SessionOptions options = {.place = places_default(&check->places), .style = STYLE_PIECES};
    try_turns(check, stage, options, SHORT_TURNS, FAULT_VIEW_IN_PIECES);
    snprintf(stage->note, sizeof stage->note, "views in pieces, with pauses");
}

static void run_early_referee(Check *check, CheckStage *stage) {
    Session session;
    SessionOptions options = {.place = places_default(&check->places)};
    if (skip_after(check, stage, FAULT_VIEW_IN_PIECES) || !open_session(check, &session, options))
        return;
    SessionStep step = session_hello(&session);
    if (step == SESSION_CONTINUES)
        step = session_turns_together(&session, TOGETHER);
    if (step == SESSION_FAILED)
        add_failure(check, stage, &session, FAULT_VIEWS_TOGETHER);
    check->broken |= step == SESSION_INTERRUPTED;
    snprintf(stage->note, sizeof stage->note, "%d views in one write", TOGETHER);
    close_session(check, &session);
}

/* ---- determinism, resources, sandbox ---- */

static Slice recorded_answer(const Check *check, uint32_t index) {
    const size_t *ends = (const size_t *)(const void *)check->ends.data;
    size_t start = index ? ends[index - 1] : 0;
    return slice_trim((Slice){check->answers.data + start, ends[index] - start});
}

/* Replays the recorded match; true while the answers are the same. */
static bool repeats(Check *check, CheckStage *stage, Session *session) {
    SessionStep step = session_hello(session);
    while (step == SESSION_CONTINUES && session->turns < check->answer_count) {
        uint32_t turn = session->turns;
        Slice before = recorded_answer(check, turn);
        step = session_turn(session);
        if (step == SESSION_FAILED || step == SESSION_INTERRUPTED)
            break;
        Slice now = slice_trim(session->answer);
        if (now.length == before.length && memcmp(now.at, before.at, now.length) == 0)
            continue;
        Buffer first = {0};
        utf8_quote(&first, before);
        session_fail(
            session, FAULT_NOT_DETERMINISTIC,
            "gave a different answer in a second match with the same seed; the first was %s",
            buffer_string(&first));
        session->failure.turn = turn + 1;
        buffer_free(&first);
        add_failure(check, stage, session, FAULT_NONE);
        return false;
    }
    check->broken |= step == SESSION_INTERRUPTED;
    return step != SESSION_FAILED;
}

static void run_determinism(Check *check, CheckStage *stage) {
    Session session;
    if (!check->answer_count) {
        stage->outcome = CHECK_SKIPPED;
        snprintf(stage->note, sizeof stage->note, "the match had no answers");
        return;
    }
    if (!open_session(check, &session, match_options(check)))
        return;
    repeats(check, stage, &session);
    snprintf(stage->note, sizeof stage->note, "the same match twice, %u turns", session.turns);
    close_session(check, &session);
}

static void run_resources(Check *check, CheckStage *stage) {
    const CheckReport *report = check->report;
    char what[160];
    if (report->longest_turn * 2 > report->turn_limit && !is_reported(check, FAULT_SLOW_TURN)) {
        snprintf(what, sizeof what, "took %lld ms for a turn, of %lld ms",
                 (long long)(report->longest_turn / CLOCK_MS),
                 (long long)(report->turn_limit / CLOCK_MS));
        add_plain(check, stage, FAULT_LITTLE_TIME, what);
    } else if (report->first_answer * 2 > report->start_limit &&
               !is_reported(check, FAULT_SLOW_START)) {
        snprintf(what, sizeof what, "took %lld ms for its first answer, of %lld ms",
                 (long long)(report->first_answer / CLOCK_MS),
                 (long long)(report->start_limit / CLOCK_MS));
        add_plain(check, stage, FAULT_LITTLE_TIME, what);
    }
    if (report->memory_peak * 2 > report->memory_limit &&
        !is_reported(check, FAULT_OUT_OF_MEMORY)) {
        snprintf(what, sizeof what, "used %llu MiB of memory, of %llu MiB",
                 (unsigned long long)(report->memory_peak >> 20),
                 (unsigned long long)(report->memory_limit >> 20));
        add_plain(check, stage, FAULT_LITTLE_MEMORY, what);
    }
    char memory[40] = "not measured";
    if (report->memory_peak)
        snprintf(memory, sizeof memory, "%.1f%%",
                 100 * (double)report->memory_peak / (double)report->memory_limit);
    snprintf(stage->note, sizeof stage->note, "longest turn %.1f%% of the limit, memory %s",
             100 * (double)report->longest_turn / (double)report->turn_limit, memory);
}

/* All stages ran in the sandbox; this one reports how strict it was. */
static void run_sandbox(Check *check, CheckStage *stage) {
    const Sandbox *sandbox = check->options->sandbox;
    Buffer missing = {0};
    if (sandbox_mode(sandbox) == SANDBOX_NONE) {
        stage->outcome = CHECK_SKIPPED;
        snprintf(stage->note, sizeof stage->note, "the bot ran without a sandbox");
        return;
    }
    for (Layer layer = 0; layer < LAYERS; layer++)
        if (!sandbox_has(sandbox, layer))
            buffer_format(&missing, "%s%s", missing.length ? ", " : "", layer_name(layer));
    if (missing.length)
        stage->outcome = CHECK_SKIPPED;
    snprintf(stage->note, sizeof stage->note, "%s%.100s",
             missing.length ? "missing: " : "everything ran with all layers",
             missing.length ? buffer_string(&missing) : "");
    buffer_free(&missing);
}

/* ---- the whole ---- */

static const Stage stages[] = {
    {"start", 1, run_start},
    {"answers", 1, run_answers},
    {"end of input", 1, run_end_of_input},
    {"seats", 2, run_seats},
    {"maps and players", 4, run_maps},
    {"limits", 1, run_limits},
    {"line ends", 1, run_line_ends},
    {"slow referee", 1, run_slow_referee},
    {"early referee", 1, run_early_referee},
    {"match", 6, run_match},
    {"elimination", 6, run_elimination},
    {"determinism", 6, run_determinism},
    {"time and memory", 0, run_resources},
    {"sandbox", 0, run_sandbox},
};

#define STAGES (sizeof stages / sizeof *stages)
_Static_assert(STAGES <= CHECK_STAGES_MAX, "the report has room for all stages");

/* A decent house bot of the game: the middle level, or else any. */
static void find_opponent(Check *check) {
    const CheckOptions *options = check->options;
    Error unread;
    Buffer names = {0};
    char best[80] = "";
    bot_house_names(options->game->name, &names);
    Slice rest = {names.data, names.length};
    for (Slice name; slice_word(&rest, &name);)
        if (!best[0] || slice_equals(name, "medium"))
            snprintf(best, sizeof best, "house:%.*s", (int)name.length, name.at);
    buffer_free(&names);
    check->has_opponent = best[0] && bot_spec_parse(&check->opponent, best, options->game->name,
                                                    options->sandbox, &unread);
}

static void run_stages(Check *check) {
    const CheckOptions *options = check->options;
    CheckReport *report = check->report;
    uint32_t total = 0;
    uint32_t done = 0;
    for (size_t i = 0; i < STAGES; i++)
        total += stages[i].weight;
    report->stage_count = (uint32_t)STAGES;
    for (size_t i = 0; i < STAGES; i++)
        report->stages[i].name = stages[i].name;
    for (size_t i = 0; i < STAGES && !check->fatal && !check->broken; i++) {
        if (options->progress)
            options->progress(options->context, stages[i].name, (double)done / total);
        report->stages[i].outcome = CHECK_PASSED;
        stages[i].run(check, &report->stages[i]);
        if (report->stages[i].outcome == CHECK_FOUND)
            report->stages[i].note[0] = '\0';
        done += stages[i].weight;
    }
}

bool check_run(const CheckOptions *options, CheckReport *report, Error *error) {
    Check check = {.options = options, .report = report, .error = error};
    int64_t began = clock_now();
    *report = (CheckReport){0};
    *error = (Error){0};
    if (options->bot->kind != BOT_PROCESS)
        return error_set(error, "a bot at a socket cannot be checked; give its command instead");
    if (!process_prepare(error) || !places_find(&check.places, options->game, options->seed, error))
        return false;
    find_opponent(&check);
    run_stages(&check);
    if (check.open)
        close_session(&check, &check.session);
    bot_spec_free(&check.opponent);
    places_free(&check.places);
    buffer_free(&check.answers);
    buffer_free(&check.ends);
    process_sweep(options->sandbox);
    report->took = clock_now() - began;
    return !check.broken || (!error->text[0] && error_set(error, "interrupted"));
}
