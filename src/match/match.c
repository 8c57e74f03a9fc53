/* See match.h. A match starts the bots; then, in each turn, sends views, reads answers, calls
   board_apply and records the turn; at the end, it releases the bots. */
#include "match/match.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "base/random.h"
#include "base/utf8.h"
#include "bots/sandbox_view.h"

#include <stdio.h>
#include <string.h>

typedef struct Match {
    const MatchOptions *options;
    Board board;
    const GameTalk *talk;
    MatchBots *bots;
    Verdict *verdict;
    Buffer text; /* a view, or a bot's last message */
    PlayerTurn turns[GAME_PLAYERS_MAX];
    bool needs_restart[GAME_PLAYERS_MAX];
    uint32_t restarts[GAME_PLAYERS_MAX]; /* those that count towards the limit */
    bool released[GAME_PLAYERS_MAX];
    uint64_t answered[GAME_PLAYERS_MAX]; /* bytes of the player's answers in the replay */
    bool over_share[GAME_PLAYERS_MAX];
    /* grace used for the hello; added to the record of the next turn */
    int64_t start_grace[GAME_PLAYERS_MAX];
    Random passes;       /* decides which players pass */
    ReplayTurn recorded; /* during the prelude: this turn as recorded */
    Error *error;
} Match;

const char *think_name(MatchThink think) {
    return think == THINK_IN_TURN ? "in-turn" : "together";
}

SandboxLimits match_limits(const SandboxLimits *limits, MatchThink think, bool ponder) {
    SandboxLimits all = *limits;
    all.share = all.share || all.cpu || think == THINK_TOGETHER || ponder;
    return all;
}

static bool in_prelude(const Match *match) {
    return match->board.state->turn < match->options->prelude_turns;
}

/* Whether only one player deviates from the record in this turn. */
static bool in_deviation(const Match *match) {
    const MatchVariation *variation = &match->options->variation;
    uint32_t turn = match->board.state->turn;
    return variation->deviator && !in_prelude(match) &&
           turn - match->options->prelude_turns < variation->deviation_turns;
}

/* How long the person in this seat may think; 0 if a bot plays it. */
static uint32_t person_ms(const Match *match, uint32_t player) {
    return match->options->person_ms ? match->options->person_ms[player] : 0;
}

static Slice text_of(const Match *match) {
    return (Slice){match->text.data, match->text.length};
}

/* Describes how a bot ended, or that a person left. */
static void describe_end(Match *match, uint32_t player, char *text, size_t size) {
    if (person_ms(match, player))
        snprintf(text, size, "left");
    else
        match_bots_describe_end(match->bots, player, text, size);
}

/* The likely reason why a command that ended before its first answer did not find its files; "" if
   unknown. */
static const char *hidden_file(const Match *match, uint32_t player, Error *error) {
    const MatchOptions *options = match->options;
    bool first = match->board.state->turn == 0;
    return first && sandbox_hides_bot(options->sandbox, &options->bots[player], error) ? error->text
                                                                                       : "";
}

/* ---- start ---- */

/* The time limit for the hello; longer for a person, who may have to start the program first. */
static uint32_t hello_ms(const Match *match, uint32_t player) {
    uint32_t person = person_ms(match, player);
    return person > match->talk->start_ms ? person : match->talk->start_ms;
}

/* Checks the reply to a hello; on failure, describes it in the verdict. */
static bool said_hello(Match *match, uint32_t player) {
    const BotReply *reply = match_bots_reply(match->bots, player);
    PlayerVerdict *verdict = &match->verdict->player[player];
    char how[MATCH_BOTS_SILENCE_SIZE] = "";
    const char *hint = "";
    Error error;
    Buffer said = {0};
    switch (reply->kind) {
    case REPLY_ANSWER:
        if (slice_equals(slice_trim(reply->answer), match->talk->hello)) {
            match->start_grace[player] = reply->grace;
            return true;
        }
        utf8_quote(&said, slice_trim(reply->answer));
        snprintf(verdict->failure, sizeof verdict->failure,
                 "said %s at the start instead of \"%s\"", buffer_string(&said),
                 match->talk->hello);
        break;
    case REPLY_EXIT:
        describe_end(match, player, how, sizeof how);
        hint = hidden_file(match, player, &error);
        buffer_format(&said, "%s before it said \"%s\"%s%s", how, match->talk->hello,
                      hint[0] ? "; " : "", hint);
        snprintf(verdict->failure, sizeof verdict->failure, "%s", buffer_string(&said));
        break;
    case REPLY_TIMEOUT:
        match_bots_describe_silence(match->bots, player, how, sizeof how);
        snprintf(verdict->failure, sizeof verdict->failure, "did not say \"%s\" within %u ms%s%s",
                 match->talk->hello, hello_ms(match, player), how[0] ? "; " : "", how);
        break;
    default:
        snprintf(verdict->failure, sizeof verdict->failure,
                 "printed too much at the start; expected \"%s\"", match->talk->hello);
        break;
    }
    buffer_free(&said);
    return false;
}

static void ask_hello(Match *match, uint32_t player) {
    match_bots_ask_hello(match->bots, player, slice_of(match->talk->greeting),
                         hello_ms(match, player) * CLOCK_MS);
}

static void take_hello(Match *match, uint32_t player) {
    if (said_hello(match, player))
        return;
    if (match->talk->on_no_hello == FAILURE_RESTARTS) {
        match->needs_restart[player] = true;
    } else {
        if (!match->options->prelude) /* the prelude recorded who was absent */
            board_absent(&match->board, player);
        match_bots_dismiss(match->bots, player);
    }
}

/* With THINK_IN_TURN, bots start one after the other; otherwise all at once. */
static MatchOutcome start_bots(Match *match) {
    bool in_turn = match->options->think == THINK_IN_TURN;
    for (uint32_t i = 0; i < match->board.players; i++) {
        if (!match_bots_start(match->bots, i, match->error)) {
            match->board.status[i] = STATUS_NO_START;
            snprintf(match->verdict->player[i].failure, sizeof match->verdict->player[i].failure,
                     "%.150s", match->error->text);
            return MATCH_BAD_BOT;
        }
        if (!match->talk->hello)
            continue;
        ask_hello(match, i);
        if (in_turn && !match_bots_wait(match->bots))
            return MATCH_INTERRUPTED;
        if (in_turn)
            take_hello(match, i);
    }
    if (!match->talk->hello || in_turn)
        return MATCH_PLAYED;
    if (!match_bots_wait(match->bots))
        return MATCH_INTERRUPTED;
    for (uint32_t i = 0; i < match->board.players; i++)
        take_hello(match, i);
    return MATCH_PLAYED;
}

/* Restarts a bot instead of asking it in this turn. False if interrupted. */
static bool restart(Match *match, uint32_t player) {
    PlayerVerdict *verdict = &match->verdict->player[player];
    if (match->restarts[player] == match->talk->restarts) {
        match->turns[player].kind = ANSWER_GIVEN_UP;
        return true;
    }
    match->restarts[player]++;
    match->turns[player].kind = ANSWER_RESTARTING;
    match->needs_restart[player] = true;
    Error error;
    if (!match_bots_start(match->bots, player, &error)) {
        bool person = person_ms(match, player); /* the person's program no longer listens */
        snprintf(verdict->failure, sizeof verdict->failure, "%.150s",
                 person ? "left before the first turn" : error.text);
        if (person)
            match->turns[player].kind = ANSWER_LEFT;
        return true;
    }
    ask_hello(match, player);
    if (!match_bots_wait(match->bots))
        return false;
    match->needs_restart[player] = !said_hello(match, player);
    return true;
}

/* ---- a turn ---- */

static void note_course(Match *match, Slice text) {
    match->verdict->course = hash64_chain(match->verdict->course, hash64(text.at, text.length));
}

/* How long a player may think about the coming turn. */
static int64_t turn_limit(const Match *match, uint32_t player) {
    bool first = match->board.state->turn == 0 && !match->talk->hello;
    uint32_t person = person_ms(match, player);
    return ((int64_t)(person ? person : match->talk->turn_ms) +
            (first ? match->talk->start_ms : 0)) *
           CLOCK_MS;
}

static void ask_player(Match *match, uint32_t player) {
    const Game *game = match->board.game;
    buffer_clear(&match->text);
    game->view(match->board.setup, match->board.state, player, &match->text);
    match_bots_ask(match->bots, player, text_of(match), turn_limit(match, player));
}

static void describe_failure(Match *match, uint32_t player, ReplyKind kind) {
    PlayerVerdict *verdict = &match->verdict->player[player];
    unsigned turn = match->board.state->turn + 1;
    char how[100] = "";
    char silence[MATCH_BOTS_SILENCE_SIZE] = "";
    const char *more = silence;
    Error error;
    if (kind == REPLY_EXIT) {
        describe_end(match, player, how, sizeof how);
        more = hidden_file(match, player, &error);
    } else if (kind == REPLY_FLOOD)
        snprintf(how, sizeof how, "gave an answer longer than %u bytes", match->talk->answer_limit);
    else if (kind == REPLY_TIMEOUT) {
        snprintf(how, sizeof how, "timed out after %lld ms",
                 (long long)(turn_limit(match, player) / CLOCK_MS));
        match_bots_describe_silence(match->bots, player, silence, sizeof silence);
    }
    if (how[0] && !(kind == REPLY_EXIT && verdict->failure[0] &&
                    (match->board.status[player] == STATUS_CRASHED ||
                     match->board.status[player] == STATUS_OUT_OF_MEMORY ||
                     match->board.status[player] == STATUS_LEFT)))
        snprintf(verdict->failure, sizeof verdict->failure, "%s in turn %u%s%.270s", how, turn,
                 more[0] ? "; " : "", more);
}

/* Turns a bot's reply into the player's turn. False when interrupted. */
static bool take_reply(Match *match, uint32_t player) {
    static const AnswerKind kinds[] = {
        [REPLY_NONE] = ANSWER_NOT_ASKED,  [REPLY_ANSWER] = ANSWER_GIVEN,
        [REPLY_TIMEOUT] = ANSWER_TIMEOUT, [REPLY_EXIT] = ANSWER_EXIT,
        [REPLY_FLOOD] = ANSWER_FLOOD,
    };
    const BotReply *reply = match_bots_reply(match->bots, player);
    PlayerVerdict *verdict = &match->verdict->player[player];
    match->turns[player] = (PlayerTurn){
        .kind = kinds[reply->kind],
        .answer = reply->answer,
        .wall = reply->wall,
        .cpu = reply->cpu,
        .grace = reply->grace + match->start_grace[player],
        .late = reply->late,
    };
    match->start_grace[player] = 0;
    note_course(match, reply->answer);
    if (reply->out_of_memory)
        match->turns[player].kind = ANSWER_OUT_OF_MEMORY;
    if (!in_prelude(match)) {
        verdict->wall_total += reply->wall;
        verdict->wall_longest =
            reply->wall > verdict->wall_longest ? reply->wall : verdict->wall_longest;
        verdict->cpu_longest =
            reply->cpu > verdict->cpu_longest ? reply->cpu : verdict->cpu_longest;
        if (reply->kind != REPLY_ANSWER)
            describe_failure(match, player, reply->kind);
    }
    if (reply->kind == REPLY_EXIT && person_ms(match, player)) {
        match->turns[player].kind = ANSWER_LEFT;
    } else if (reply->kind == REPLY_EXIT && match->talk->on_exit == FAILURE_RESTARTS) {
        match->needs_restart[player] = true;
        /* It had ended before this turn's view, so it is restarted in this turn. */
        if (reply->unheard)
            return restart(match, player);
    }
    return true;
}

static bool passes_turn(Match *match) {
    uint32_t passes = match->options->variation.passes;
    return passes && match->board.state->turn && !in_prelude(match) && !in_deviation(match) &&
           random_below(&match->passes, 1000) < passes;
}

/* Determines whether the player is asked in this turn; restarts its bot instead if that is due.
   False if interrupted. */
static bool prepare_player(Match *match, uint32_t player, bool *asked) {
    match->turns[player] = (PlayerTurn){.kind = ANSWER_NOT_ASKED};
    *asked = false;
    if (!match->board.game->is_active(match->board.setup, match->board.state, player) ||
        (in_prelude(match) && person_ms(match, player)))
        return true;
    if (match->over_share[player]) {
        match->turns[player].kind = ANSWER_OVER_SHARE;
        return true;
    }
    if (match->needs_restart[player])
        return restart(match, player);
    *asked = !passes_turn(match);
    return true;
}

static bool ask_everyone(Match *match) {
    bool in_turn = match->options->think == THINK_IN_TURN;
    bool asked[GAME_PLAYERS_MAX] = {false};
    for (uint32_t i = 0; i < match->board.players; i++) {
        if (!prepare_player(match, i, &asked[i]))
            return false;
        if (!asked[i])
            continue;
        ask_player(match, i);
        if (in_turn && (!match_bots_wait(match->bots) || !take_reply(match, i)))
            return false;
    }
    if (in_turn)
        return true;
    if (!match_bots_wait(match->bots))
        return false;
    for (uint32_t i = 0; i < match->board.players; i++)
        if (asked[i] && !take_reply(match, i))
            return false;
    return true;
}

static void take_errors(Match *match) {
    match_bots_settle(match->bots);
    for (uint32_t i = 0; i < match->board.players; i++)
        match->turns[i].errors = match_bots_errors(match->bots, i);
}

/* Sends eliminated players their last message and closes their input; kills bots that forfeited or
   are no longer asked. */
static void release_players(Match *match) {
    const Board *board = &match->board;
    for (uint32_t i = 0; i < board->players; i++) {
        if (match->released[i] || (!board->state->over && !match->over_share[i] &&
                                   board->game->is_active(board->setup, board->state, i)))
            continue;
        match->released[i] = true;
        if (board->forfeited[i] || match->over_share[i]) {
            match_bots_dismiss(match->bots, i);
            continue;
        }
        buffer_clear(&match->text);
        if (board->game->farewell)
            board->game->farewell(board->setup, board->state, i, &match->text);
        match_bots_release(match->bots, i, text_of(match));
    }
}

/* Describes invalid answers in the verdict. Reasons are part of replays and must stay the same, so
   the answer is quoted here, unless the reason does so. */
static void note_malformed(Match *match) {
    const Board *board = &match->board;
    uint32_t at = 0;
    uint32_t player = 0;
    Slice text;
    while (notes_next_refusal(board->notes, &at, &player, &text)) {
        PlayerVerdict *verdict = &match->verdict->player[player];
        const PlayerTurn *turn = &match->turns[player];
        if (turn->kind != ANSWER_GIVEN || board->orders[player]->kind == ORDERS_GIVEN)
            continue;
        Buffer said = {0};
        if (!memchr(text.at, '"', text.length)) {
            buffer_text(&said, "; it printed ");
            utf8_quote(&said, turn->answer);
        }
        snprintf(verdict->failure, sizeof verdict->failure, "%s in turn %u: %.200s%s",
                 board->status[player] == STATUS_DISQUALIFIED ? "was disqualified"
                                                              : "gave an invalid answer",
                 board->state->turn, text.at, buffer_string(&said));
        buffer_free(&said);
    }
}

/* For players that failed during the recorded turns: no details of those failures are known. */
static void note_recorded(Match *match) {
    for (uint32_t i = 0; i < match->board.players; i++) {
        PlayerVerdict *verdict = &match->verdict->player[i];
        if (match->board.status[i] != STATUS_OK && !verdict->failure[0])
            snprintf(verdict->failure, sizeof verdict->failure,
                     "had already failed by turn %u of the recorded match",
                     match->board.state->turn);
    }
}

/* Ends the prelude: failures in it do not count for players that are not eliminated. */
static void forgive(Match *match) {
    for (uint32_t i = 0; i < match->board.players; i++) {
        match->restarts[i] = 0;
        if (match->board.status[i] == STATUS_OK)
            match->verdict->player[i].failure[0] = '\0';
    }
}

uint64_t match_replay_bytes(uint32_t players) {
    uint64_t least = (uint64_t)players * MATCH_REPLAY_SHARE;
    return least > MATCH_REPLAY_BYTES ? least : MATCH_REPLAY_BYTES;
}

/* Counts the answers that the replay will hold. Once their total exceeds the limit, players with
   more than an equal share are disqualified: the answer is dropped, and the bot is not asked again.
   Until then a player may use what others leave, because the player with the most units has the
   longest answers. */
static void limit_answers(Match *match) {
    const MatchOptions *options = match->options;
    uint32_t players = match->board.players;
    uint64_t most = options->replay_bytes ? options->replay_bytes : match_replay_bytes(players);
    uint64_t share = most / players;
    uint64_t all = 0;
    for (uint32_t i = 0; i < players; i++) {
        match->answered[i] += match->turns[i].answer.length;
        all += match->answered[i];
    }
    for (uint32_t i = 0; all > most && i < players; i++) {
        PlayerTurn *turn = &match->turns[i];
        if (match->answered[i] <= share || turn->kind != ANSWER_GIVEN)
            continue;
        match->over_share[i] = true;
        turn->kind = ANSWER_OVER_SHARE;
        turn->answer = (Slice){0};
        snprintf(match->verdict->player[i].failure, sizeof match->verdict->player[i].failure,
                 "was disqualified in turn %u: all answers together exceed %llu bytes, and its own "
                 "exceed its share of %llu",
                 match->board.state->turn + 1, (unsigned long long)most, (unsigned long long)share);
    }
}

/* Replaces the answers of all players but the deviator by the recorded ones, if the recorded match
   has this turn. */
static bool take_recorded(Match *match) {
    ReplayEnd end;
    ReplayTurn *recorded = &match->recorded;
    ReplayStep step = replay_next(match->options->prelude, recorded, &end, match->error);
    for (uint32_t i = 0; step == REPLAY_TURN && i < match->board.players; i++) {
        if (i + 1 == match->options->variation.deviator)
            continue;
        Slice errors = match->turns[i].errors;
        match->turns[i] = recorded->players[i];
        match->turns[i].errors = errors;
    }
    return step != REPLAY_BROKEN;
}

/* Turns the answers into orders and plays the turn. */
static bool apply_turn(Match *match) {
    Board *board = &match->board;
    if (in_deviation(match) && !take_recorded(match))
        return false;
    if (!in_prelude(match)) {
        limit_answers(match);
        board_apply(board, match->turns);
        note_malformed(match);
        return true;
    }
    ReplayEnd end;
    ReplayTurn *recorded = &match->recorded;
    ReplayStep step = replay_next(match->options->prelude, recorded, &end, match->error);
    if (step == REPLAY_END)
        return error_set(match->error, "the recorded match ended after turn %u",
                         board->state->turn);
    if (step != REPLAY_TURN || !replay_apply(board, recorded, match->error))
        return false;
    for (uint32_t i = 0; i < board->players; i++) {
        Slice errors = match->turns[i].errors;
        match->turns[i] = recorded->players[i];
        match->turns[i].errors = errors;
        match->answered[i] += match->turns[i].answer.length;
    }
    note_malformed(match);
    note_recorded(match);
    if (!in_prelude(match))
        forgive(match);
    return true;
}

static MatchOutcome play_turns(Match *match) {
    const MatchWatcher *watcher = match->options->watcher;
    const volatile sig_atomic_t *interrupt = match->options->interrupt;
    Board *board = &match->board;
    while (!board->state->over) {
        /* Waiting for bots also checks this, but fast bots may need no waiting. */
        if ((interrupt && *interrupt) || !ask_everyone(match))
            return MATCH_INTERRUPTED;
        take_errors(match);
        if (!apply_turn(match))
            return MATCH_FAILED;
        if (match->options->replay &&
            !replay_write_turn(match->options->replay, board, match->turns, match->error))
            return MATCH_FAILED;
        if (watcher && watcher->turn)
            watcher->turn(watcher->context, board, match->turns);
        release_players(match);
    }
    return MATCH_PLAYED;
}

/* Mentions unread answers in the verdict: a bot that prints more than one answer per view does not
   notice that its answers lag behind by more and more views. */
static void note_unread(Match *match, uint32_t player) {
    PlayerVerdict *verdict = &match->verdict->player[player];
    uint32_t count = person_ms(match, player) ? 0 : match_bots_unread(match->bots, player);
    size_t length = strlen(verdict->failure);
    if (count)
        snprintf(verdict->failure + length, sizeof verdict->failure - length,
                 "%s%u %s never read: print one %s per turn", length ? "; " : "", count,
                 count == 1 ? "answer was" : "answers were",
                 match->talk->framing == FRAMING_LINE ? "line" : "answer");
}

/* ---- the whole ---- */

/* Passes the header to the replay writer and to the watcher. */
static bool write_header(Match *match) {
    const MatchWatcher *watcher = match->options->watcher;
    const MatchOptions *options = match->options;
    const char *layers[LAYERS];
    ReplayHeader header = {
        .game = match->board.game,
        .seed = options->seed,
        .players = match->board.players,
        .config = *options->config,
        .map = *options->map,
        .turn_ms = match->talk->turn_ms,
        .start_ms = match->talk->start_ms,
        .think = think_name(options->think),
        .prelude_turns = options->prelude_turns,
    };
    for (uint32_t i = 0; i < match->board.players; i++) {
        header.names[i] = options->bots[i].name;
        header.bots[i] = options->bots[i].text;
        header.person_ms[i] = person_ms(match, i);
        header.absent[i] = match->board.status[i] == STATUS_NO_START;
    }
    SandboxLimits limits = match_limits(&options->limits, options->think, options->ponder);
    header.layers = layers;
    header.layer_count = sandbox_names(options->sandbox, &limits, layers);
    if (watcher && watcher->header)
        watcher->header(watcher->context, &header);
    return !options->replay || replay_write_header(options->replay, &header, match->error);
}

static MatchOutcome run(Match *match) {
    const MatchWatcher *watcher = match->options->watcher;
    MatchOutcome outcome = start_bots(match);
    if (outcome != MATCH_PLAYED)
        return outcome;
    for (uint32_t i = 0; match->options->prelude && i < match->board.players; i++)
        if (replay_header(match->options->prelude)->absent[i])
            board_absent(&match->board, i);
    if (!write_header(match))
        return MATCH_FAILED;
    if (watcher && watcher->started)
        watcher->started(watcher->context, &match->board);
    release_players(match);
    return play_turns(match);
}

static void finish(Match *match) {
    const MatchWatcher *watcher = match->options->watcher;
    match_bots_end(match->bots);
    for (uint32_t i = 0; i < match->board.players; i++) {
        match->turns[i] = (PlayerTurn){.errors = match_bots_errors(match->bots, i)};
        match->verdict->player[i].cpu_total = match_bots_cpu(match->bots, i);
        note_unread(match, i);
    }
    buffer_clear(&match->text);
    match->board.game->state_json(match->board.setup, match->board.state, &match->text);
    note_course(match, text_of(match));
    if (watcher && watcher->ended)
        watcher->ended(watcher->context, &match->board, match->turns);
}

MatchOutcome match_play(const MatchOptions *options, Verdict *verdict, Error *error) {
    Match match = {.options = options, .verdict = verdict, .error = error};
    *verdict = (Verdict){.players = options->setup->players};
    board_init(&match.board, options->setup, options->seed);
    match.board.notes->wants_events = options->watcher && options->watcher->wants_events;
    match.talk = &match.board.setup->talk;
    match.passes = random_seeded(options->variation.seed);
    for (uint32_t i = 0; i < verdict->players; i++)
        verdict->player[i].name = xstrdup(options->bots[i].name);
    MatchBotsOptions bots_options = {
        .framing = match.talk->framing,
        .answer_limit = match.talk->answer_limit,
        .in_turn = options->think == THINK_IN_TURN,
        .sandbox = options->sandbox,
        .limits = match_limits(&options->limits, options->think, options->ponder),
        .ponder = options->ponder,
        .seed = options->variation.seed ? options->variation.seed : options->seed,
        .stderr_match = options->stderr_match,
        .interrupt = options->interrupt,
        .waiting_hint = match.talk->waiting_hint,
    };
    MatchOutcome outcome = MATCH_FAILED;
    match.bots = match_bots_new(verdict->players, options->bots, &bots_options, error);
    if (match.bots) {
        outcome = run(&match);
        finish(&match);
        verdict_judge(verdict, &match.board);
        if (outcome == MATCH_PLAYED && options->replay &&
            !replay_write_end(options->replay, verdict, match.turns, error))
            outcome = MATCH_FAILED;
        match_bots_free(match.bots);
    }
    board_free(&match.board);
    buffer_free(&match.text);
    return outcome;
}
