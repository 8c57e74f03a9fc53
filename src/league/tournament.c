/* See tournament.h. */
#include "league/tournament.h"

#include "base/clock.h"
#include "base/hash.h"
#include "base/memory.h"
#include "league/leg.h"
#include "league/progress.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Marks the ids of build jobs, which contain a bot; ids of matches contain fixture and leg. */
#define BUILD_ID (UINT64_C(1) << 63)

typedef struct Entrant {
    BotSpec spec;
    char *failure; /* why it cannot play, or NULL */
    bool building;
} Entrant;

/* Notes on an open fixture for the `ended` callback. */
typedef struct FixtureNotes {
    uint64_t course; /* of the legs played here: a sum, because they may end in any order */
    char *forfeit;   /* why a bot did not play, or NULL */
} FixtureNotes;

struct Tournament {
    TournamentOptions options;
    const Plan *plan;
    TournamentFile *file;
    bool resumed;
    Progress *progress; /* NULL: the file does not match its plan, see tournament_recall */
    Standings *standings;
    Dispatcher *dispatcher;
    Entrant *entrants;
    uint32_t builds_begun;
    uint32_t builds_left;
    int replays; /* the directory, or -1 */
    uint64_t done;
    uint64_t begun_with;
    bool stopping;
    bool aborted;
};

static void report(const Tournament *tournament, const char *sentence) {
    if (tournament->options.report)
        tournament->options.report(tournament->options.context, sentence);
}

/* ---- bots ---- */

static bool name_is_taken(const Plan *plan, uint32_t before, const char *name) {
    for (uint32_t i = 0; i < before; i++)
        if (strcmp(plan->bots[i].name, name) == 0)
            return true;
    return false;
}

/* How many of the first `before` bots have this name, with or without a number. */
static unsigned count_namesakes(const Plan *plan, uint32_t before, const char *name) {
    size_t length = strlen(name);
    unsigned count = 0;
    for (uint32_t i = 0; i < before; i++) {
        const char *other = plan->bots[i].name;
        count += strncmp(other, name, length) == 0 &&
                 (!other[length] || strncmp(other + length, " (", 2) == 0);
    }
    return count;
}

/* Uses the plan's name, or else the bot's own. The second bot with the same name becomes
   "NAME (2)". */
static void give_name(Plan *plan, uint32_t bot, const char *own) {
    const char *wanted = plan->bots[bot].name ? plan->bots[bot].name : own;
    Buffer name = {0};
    buffer_text(&name, wanted);
    /* All smaller numbers are taken. */
    for (unsigned number = 1 + count_namesakes(plan, bot, wanted);
         name_is_taken(plan, bot, buffer_string(&name)); number++) {
        buffer_clear(&name);
        buffer_format(&name, "%s (%u)", wanted, number);
    }
    free(plan->bots[bot].name);
    plan->bots[bot].name = name.data;
}

static void set_failure(Tournament *tournament, uint32_t bot, const char *failure) {
    Buffer sentence = {0};
    tournament->entrants[bot].failure = xstrdup(failure);
    buffer_format(&sentence, "%s cannot play and forfeits its matches: %s",
                  tournament->plan->bots[bot].name, failure);
    report(tournament, buffer_string(&sentence));
    buffer_free(&sentence);
}

static void parse_bots(Tournament *tournament) {
    Plan *plan = tournament->options.plan;
    for (uint32_t i = 0; i < plan->bot_count; i++) {
        Entrant *entrant = &tournament->entrants[i];
        Error error = {0};
        bool good = bot_spec_parse(&entrant->spec, plan->bots[i].text, plan->game->name,
                                   tournament->options.sandbox, &error);
        give_name(plan, i, entrant->spec.name ? entrant->spec.name : plan->bots[i].text);
        free(entrant->spec.name);
        entrant->spec.name = xstrdup(plan->bots[i].name);
        if (!good)
            set_failure(tournament, i, error.text);
        entrant->building = good && entrant->spec.build;
        tournament->builds_left += entrant->building;
    }
}

/* Gives out builds while there is room. */
static void give_builds(Tournament *tournament) {
    const Plan *plan = tournament->plan;
    for (; tournament->builds_begun < plan->bot_count; tournament->builds_begun++) {
        uint32_t bot = tournament->builds_begun;
        if (!tournament->entrants[bot].building)
            continue;
        if (!dispatcher_room(tournament->dispatcher, false))
            return;
        Job job = {.id = BUILD_ID | bot,
                   .task = TASK_BUILD,
                   .game = plan->game,
                   .players = 1,
                   .bots = {&tournament->entrants[bot].spec}};
        dispatcher_give(tournament->dispatcher, &job, -1);
    }
}

static bool take_build(Tournament *tournament, const Record *record, Error *error) {
    uint32_t bot = (uint32_t)(record->id & ~BUILD_ID);
    tournament->builds_left--;
    if (record->kind == RECORD_PLAYED || record->kind == RECORD_STOPPED)
        return true;
    set_failure(tournament, bot, record->error.text);
    return tournament_file_set_failure(tournament->file, bot, record->error.text, error);
}

/* ---- progress ---- */

static bool find_recorded(void *context, const Fixture *fixture, uint32_t leg, RecordedLeg *record,
                          bool *found, Error *error) {
    Tournament *tournament = context;
    record->players = fixture->players;
    record->ended = true;
    return tournament_file_find(tournament->file, fixture->number, leg, fixture->players,
                                record->bots, record->ranks, found, error);
}

static void free_notes(OpenFixture *open) {
    FixtureNotes *notes = open->notes;
    if (notes)
        free(notes->forfeit);
    free(notes);
}

static void fixture_decided(void *context, OpenFixture *open) {
    const Tournament *tournament = context;
    const FixtureNotes *notes = open->notes;
    if (tournament->options.ended)
        tournament->options.ended(tournament->options.context, &open->fixture, open->leg_count,
                                  open->ranks, notes ? notes->course : 0,
                                  notes ? notes->forfeit : NULL);
    free_notes(open);
}

static Progress *new_progress(Tournament *tournament, Error *error) {
    ProgressOptions options = {.plan = tournament->plan,
                               .bots = tournament->plan->bot_count,
                               .context = tournament,
                               .recorded = tournament->resumed ? find_recorded : NULL,
                               .decided = fixture_decided};
    return progress_new(&options, error);
}

static void replay_name(char *to, size_t size, uint32_t fixture, uint32_t leg, const char *ending) {
    snprintf(to, size, "%06u-%u.skr%s", fixture + 1, leg + 1, ending);
}

/* Deletes the partial replay of a match that was not recorded. */
static void drop_part(const Tournament *tournament, uint32_t fixture, uint32_t leg) {
    char part[40];
    replay_name(part, sizeof part, fixture, leg, ".part");
    if (tournament->replays >= 0)
        unlinkat(tournament->replays, part, 0);
}

static void free_progress(Tournament *tournament) {
    if (!tournament->progress)
        return;
    for (OpenFixture *open = progress_open(tournament->progress); open; open = open->next) {
        for (uint32_t leg = 0; leg < open->leg_count; leg++)
            if (open->legs[leg].stage == LEG_STARTED)
                drop_part(tournament, open->fixture.number, leg);
        free_notes(open);
    }
    progress_free(tournament->progress);
    tournament->progress = NULL;
}

/* ---- opening and closing ---- */

static void add_played(void *context, const PlayedMatch *match) {
    Tournament *tournament = context;
    standings_add(tournament->standings, match);
    tournament->done++;
}

/* Records the bots, also when resuming: the tournament may have been killed before the bots were
   recorded, and their failures may have changed. */
static bool write_bots(Tournament *tournament, Error *error) {
    const Plan *plan = tournament->plan;
    FileBot *bots = xcalloc(plan->bot_count, sizeof *bots);
    for (uint32_t i = 0; i < plan->bot_count; i++)
        bots[i] =
            (FileBot){plan->bots[i].name, plan->bots[i].text, tournament->entrants[i].failure};
    bool good = tournament_file_set_bots(tournament->file, bots, plan->bot_count, error);
    free(bots);
    return good;
}

static bool open_file(Tournament *tournament, Error *error) {
    if (tournament->resumed)
        return write_bots(tournament, error) &&
               tournament_file_each(tournament->file, add_played, tournament, error);
    Buffer text = {0};
    plan_write(tournament->plan, &text);
    tournament->file =
        tournament_file_create(tournament->options.out, (Slice){text.data, text.length}, error);
    buffer_free(&text);
    return tournament->file && write_bots(tournament, error);
}

static bool open_replays(Tournament *tournament, Error *error) {
    const char *path = tournament->options.replays;
    if (!path)
        return true;
    if (mkdir(path, 0777) != 0 && errno != EEXIST)
        return error_set(error, "cannot create the directory %s for replays: %s", path,
                         strerror(errno));
    tournament->replays = open(path, O_DIRECTORY | O_RDONLY | O_CLOEXEC);
    if (tournament->replays < 0)
        return error_set(error, "cannot open the directory %s for replays: %s", path,
                         strerror(errno));
    if (faccessat(tournament->replays, ".", W_OK | X_OK, 0) != 0)
        return error_set(error, "cannot write replays to %s: %s", path, strerror(errno));
    return true;
}

static void open_standings(Tournament *tournament) {
    const Plan *plan = tournament->plan;
    const char **names = xcalloc(plan->bot_count, sizeof *names);
    for (uint32_t i = 0; i < plan->bot_count; i++)
        names[i] = plan->bots[i].name;
    tournament->standings = standings_new(plan->bot_count, names);
    free(names);
}

static bool open_parts(Tournament *tournament, Error *error) {
    const Plan *plan = tournament->plan;
    tournament->progress = new_progress(tournament, error);
    if (!tournament->progress)
        return false;
    parse_bots(tournament);
    open_standings(tournament);
    if (!open_file(tournament, error) || !open_replays(tournament, error))
        return false;
    tournament->begun_with = tournament->done;
    DispatcherOptions dispatch = {
        .runners = tournament->options.jobs,
        .sandbox = plan->sandbox,
        .program = tournament->options.program,
        .report = tournament->options.report,
        .context = tournament->options.context,
    };
    tournament->dispatcher = dispatcher_new(&dispatch, error);
    return tournament->dispatcher != NULL;
}

Tournament *tournament_new(const TournamentOptions *options, Error *error) {
    Tournament *tournament = xcalloc(1, sizeof *tournament);
    tournament->options = *options;
    tournament->plan = options->plan;
    tournament->file = options->file;
    tournament->resumed = options->file != NULL;
    tournament->replays = -1;
    tournament->entrants = xcalloc(options->plan->bot_count, sizeof *tournament->entrants);
    if (open_parts(tournament, error))
        return tournament;
    if (tournament->file && !tournament->resumed && options->out)
        unlink(options->out); /* just created, still empty */
    tournament_free(tournament);
    return NULL;
}

void tournament_free(Tournament *tournament) {
    if (!tournament)
        return;
    dispatcher_free(tournament->dispatcher);
    tournament_file_close(tournament->file);
    free_progress(tournament);
    for (uint32_t i = 0; i < tournament->plan->bot_count; i++) {
        bot_spec_free(&tournament->entrants[i].spec);
        free(tournament->entrants[i].failure);
    }
    free(tournament->entrants);
    standings_free(tournament->standings);
    if (tournament->replays >= 0)
        close(tournament->replays);
    free(tournament);
}

Tournament *tournament_recall(Plan *plan, TournamentFile *file, Error *error) {
    Tournament *tournament = xcalloc(1, sizeof *tournament);
    *tournament = (Tournament){
        .options = {.plan = plan}, .plan = plan, .file = file, .resumed = true, .replays = -1};
    tournament->entrants = xcalloc(plan->bot_count, sizeof *tournament->entrants);
    tournament->progress = new_progress(tournament, error);
    open_standings(tournament);
    if (!tournament_file_each(file, add_played, tournament, error)) {
        tournament_free(tournament);
        return NULL;
    }
    Error ignored;
    if (tournament->progress && !progress_replay(tournament->progress, tournament->done, &ignored))
        free_progress(tournament);
    return tournament;
}

/* ---- matches ---- */

/* Gives the replay its final name. */
static bool keep_replay(const Tournament *tournament, uint32_t fixture, uint32_t leg,
                        const char *name, Error *error) {
    char part[40];
    replay_name(part, sizeof part, fixture, leg, ".part");
    return renameat(tournament->replays, part, tournament->replays, name) == 0 ||
           error_set(error, "cannot rename the replay %s/%s: %s", tournament->options.replays, part,
                     strerror(errno));
}

/* Adds the verdict of a leg that was played here to the notes. */
static void note_verdict(OpenFixture *open, uint32_t leg, const Verdict *verdict) {
    if (!open->notes)
        open->notes = xcalloc(1, sizeof(FixtureNotes));
    FixtureNotes *notes = open->notes;
    notes->course += hash64_chain(leg, verdict->course);
    for (uint32_t seat = 0; seat < verdict->players && !notes->forfeit; seat++)
        if (verdict->player[seat].status == STATUS_NO_START)
            notes->forfeit = xstrdup(verdict->player[seat].failure);
}

static void count_match(Tournament *tournament, const RecordedLeg *record, const Verdict *verdict) {
    PlayedMatch played = {.turns = verdict->turns, .players = record->players};
    for (uint32_t seat = 0; seat < record->players; seat++) {
        const PlayerVerdict *player = &verdict->player[seat];
        played.seats[seat] = (PlayedSeat){
            .bot = record->bots[seat],
            .rank = player->rank,
            .score = player->score,
            .status = player->status,
            .refused = player->refused,
            .timeouts = player->timeouts,
            .graces = player->graces,
            .wall = player->wall_total,
            .wall_longest = player->wall_longest,
            .cpu = player->cpu_total,
            .failure = player->failure[0] ? player->failure : NULL,
        };
    }
    add_played(tournament, &played);
}

/* Records a match that has ended, then counts it. */
static bool record_match(Tournament *tournament, OpenFixture *open, uint32_t leg,
                         const Verdict *verdict, bool forfeited, int64_t wall, Error *error) {
    const Fixture *fixture = &open->fixture;
    char name[40];
    replay_name(name, sizeof name, fixture->number, leg, "");
    bool kept = tournament->replays >= 0 && !forfeited;
    if (kept && !keep_replay(tournament, fixture->number, leg, name, error))
        return false;
    RecordedLeg record = {.players = fixture->players, .ended = true};
    for (uint32_t seat = 0; seat < fixture->players; seat++) {
        record.bots[seat] = fixture->bots[leg_player(fixture->players, leg, seat)];
        record.ranks[seat] = verdict->player[seat].rank;
    }
    FileMatch match = {
        .fixture = fixture->number,
        .leg = leg,
        .round = fixture->round,
        .map = plan_map(tournament->plan, leg_map(tournament->plan, fixture, leg)).name,
        .seed = leg_seed(tournament->plan, fixture, leg),
        .forfeited = forfeited,
        .replay = kept ? name : NULL,
        .wall = wall,
        .bots = record.bots,
        .verdict = verdict,
    };
    if (!tournament_file_add_match(tournament->file, &match, error))
        return false;
    count_match(tournament, &record, verdict);
    note_verdict(open, leg, verdict);
    return progress_end_leg(tournament->progress, open, leg, &record, error);
}

/* Records a leg as forfeited, without playing it, because a bot cannot play. */
static bool forfeit_leg(Tournament *tournament, OpenFixture *open, uint32_t leg, Error *error) {
    uint32_t players = open->fixture.players;
    Verdict *verdict = xcalloc(1, sizeof *verdict);
    verdict->players = players;
    for (uint32_t seat = 0; seat < players; seat++) {
        uint32_t bot = open->fixture.bots[leg_player(players, leg, seat)];
        const char *failure = tournament->entrants[bot].failure;
        verdict->player[seat].status = failure ? STATUS_NO_START : STATUS_OK;
        snprintf(verdict->player[seat].failure, sizeof verdict->player[seat].failure, "%s",
                 failure ? failure : "");
    }
    verdict_forfeit(verdict);
    bool good = record_match(tournament, open, leg, verdict, true, 0, error);
    free(verdict);
    return good;
}

static bool has_failed_bot(const Tournament *tournament, const Fixture *fixture) {
    for (uint32_t i = 0; i < fixture->players; i++)
        if (tournament->entrants[fixture->bots[i]].failure)
            return true;
    return false;
}

static bool give_leg(Tournament *tournament, const OpenFixture *open, uint32_t leg, Error *error) {
    const Plan *plan = tournament->plan;
    const Fixture *fixture = &open->fixture;
    Job job = {
        .id = (uint64_t)fixture->number << 31 | leg,
        .game = plan->game,
        .config = plan_config(plan),
        .map = plan_map(plan, leg_map(plan, fixture, leg)),
        .seed = leg_seed(plan, fixture, leg),
        .overrides = plan->overrides,
        .players = fixture->players,
    };
    for (uint32_t seat = 0; seat < fixture->players; seat++)
        job.bots[seat] =
            &tournament->entrants[fixture->bots[leg_player(fixture->players, leg, seat)]].spec;
    int replay = -1;
    if (tournament->replays >= 0) {
        char part[40];
        replay_name(part, sizeof part, fixture->number, leg, ".part");
        replay = openat(tournament->replays, part, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
        if (replay < 0)
            return error_set(error, "cannot write the replay %s/%s: %s",
                             tournament->options.replays, part, strerror(errno));
    }
    dispatcher_give(tournament->dispatcher, &job, replay);
    return true;
}

/* Starts matches as long as there is room. Returns at `until` in any case, because there may be
   many forfeits, which need no room. */
static bool give_matches(Tournament *tournament, int64_t until, Error *error) {
    while (!tournament->stopping && dispatcher_room(tournament->dispatcher, false)) {
        uint32_t leg;
        OpenFixture *open;
        if (!progress_next(tournament->progress, &open, &leg, error))
            return false;
        if (!open)
            return true;
        bool forfeit = has_failed_bot(tournament, &open->fixture);
        if (forfeit ? !forfeit_leg(tournament, open, leg, error)
                    : !give_leg(tournament, open, leg, error))
            return false;
        if (forfeit && clock_now() >= until)
            return true;
    }
    return true;
}

static bool take_match(Tournament *tournament, Record *record, Error *error) {
    uint32_t fixture = (uint32_t)(record->id >> 31);
    uint32_t leg = (uint32_t)(record->id & 0x7fffffff);
    OpenFixture *open = progress_find(tournament->progress, fixture);
    if (!open)
        return error_set(error, "a runner returned a match that was not requested");
    if (record->kind != RECORD_PLAYED)
        drop_part(tournament, fixture, leg);
    switch (record->kind) {
    case RECORD_PLAYED:
        return record_match(tournament, open, leg, &record->verdict, false, record->wall, error);
    case RECORD_BAD_BOT:
        verdict_forfeit(&record->verdict);
        return record_match(tournament, open, leg, &record->verdict, true, record->wall, error);
    case RECORD_STOPPED:
        return true;
    default:
        *error = record->error;
        return false;
    }
}

/* ---- running ---- */

static bool keep_busy(Tournament *tournament, int64_t until, Error *error) {
    if (tournament->stopping)
        return true;
    give_builds(tournament);
    return tournament->builds_left > 0 || give_matches(tournament, until, error);
}

static TournamentState fail(Tournament *tournament) {
    tournament_abort(tournament);
    return TOURNAMENT_FAILED;
}

TournamentState tournament_step(Tournament *tournament, int milliseconds, Error *error) {
    int64_t until = clock_now() + milliseconds * CLOCK_MS;
    do {
        if (!keep_busy(tournament, until, error))
            return fail(tournament);
        if (!dispatcher_pending(tournament->dispatcher)) {
            if (progress_finished(tournament->progress))
                return TOURNAMENT_FINISHED;
            if (tournament->stopping)
                return TOURNAMENT_STOPPED;
        }
        int64_t left = (until - clock_now()) / CLOCK_MS;
        Record record;
        DispatcherEvent event =
            dispatcher_take(tournament->dispatcher, left > 0 ? (int)left : 0, &record, error);
        if (event == DISPATCHER_BROKEN)
            return fail(tournament);
        if (event == DISPATCHER_NONE)
            break; /* the time is up, or a signal arrived */
        bool good = record.id & BUILD_ID ? take_build(tournament, &record, error)
                                         : take_match(tournament, &record, error);
        record_free(&record);
        if (!good)
            return fail(tournament);
    } while (clock_now() < until);
    return TOURNAMENT_IN_PROGRESS;
}

void tournament_stop(Tournament *tournament) {
    tournament->stopping = true;
}

void tournament_abort(Tournament *tournament) {
    tournament->stopping = tournament->aborted = true;
    dispatcher_stop(tournament->dispatcher);
}

uint64_t tournament_done(const Tournament *tournament) {
    return tournament->done;
}

uint64_t tournament_begun_with(const Tournament *tournament) {
    return tournament->begun_with;
}

uint64_t tournament_total(const Tournament *tournament) {
    return progress_total(tournament->progress);
}

uint32_t tournament_under_way(const Tournament *tournament) {
    return dispatcher_pending(tournament->dispatcher);
}

Standings *tournament_standings(Tournament *tournament) {
    return tournament->standings;
}

const Schedule *tournament_schedule(const Tournament *tournament) {
    return tournament->progress ? progress_schedule(tournament->progress) : NULL;
}

const char *tournament_bot_failure(const Tournament *tournament, uint32_t bot) {
    return tournament->entrants[bot].failure;
}
