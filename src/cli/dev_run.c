/* See dev_run.h. */
#include "cli/dev_run.h"

#include "base/clock.h"
#include "cli/stop_signal.h"

#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { LOG_LINES = 40, STEP_MS = 1000 };

/* A save often causes several events, and a checkout of many files takes a while. */
#define QUIET (100 * CLOCK_MS)
#define QUIET_MOST (1000 * CLOCK_MS)

bool is_directory(const char *path) {
    struct stat about;
    return stat(path, &about) == 0 && S_ISDIR(about.st_mode);
}

/* ---- the page ---- */

static void publish(Dev *dev) {
    static const char *const states[] = {
        [RUN_BUILDING] = "building",
        [RUN_PLAYING] = "playing",
        [RUN_DONE] = "done",
        [RUN_FAILED] = "failed",
    };
    Buffer text = {0};
    JsonOut out = {.to = &text};
    json_open(&out, NULL, '{');
    json_out_text(&out, "kind", "dev");
    json_out_text(&out, "title", dev->mine.name ? dev->mine.name : dev->bot);
    json_out_text(&out, "game", dev->game->title);
    json_out_text(&out, "state", states[dev->state]);
    json_out_uint(&out, "run", dev->run);
    json_out_uint(&out, "seat", 0);
    if (dev->problem.length)
        json_out_string(&out, "problem", (Slice){dev->problem.data, dev->problem.length});
    if (dev->log.length)
        json_out_string(&out, "log", (Slice){dev->log.data, dev->log.length});
    json_open(&out, "matches", '[');
    for (uint32_t i = 0; i < dev->match_count; i++)
        dev_match_json(&dev->matches[i], &out);
    json_close(&out, ']');
    json_close(&out, '}');
    local_viewer_publish(dev->viewer, (Slice){text.data, text.length});
    buffer_free(&text);
}

/* ---- a run ---- */

static void cancel(Dev *dev) {
    if (dev->build_job)
        dispatcher_cancel(dev->dispatcher, dev->build_job);
    dev->build_job = 0;
    for (uint32_t i = 0; i < dev->match_count; i++) {
        if (dev->matches[i].job)
            dispatcher_cancel(dev->dispatcher, dev->matches[i].job);
        dev_match_reset(&dev->matches[i]);
    }
}

/* Ends the run without a match. Prints the first line of the problem and the end of the log. */
static void fail(Dev *dev, const char *problem) {
    size_t length = strcspn(problem, "\n");
    buffer_add(&dev->problem, problem, length);
    dev->state = RUN_FAILED;
    print_error("%.*s", (int)length, problem);
    Slice log = {dev->log.data, dev->log.length};
    Slice rest = log;
    Slice line;
    uint32_t lines = 0;
    while (slice_line(&rest, &line))
        lines++;
    if (lines > LOG_LINES)
        print("  (%u more lines)\n", lines - LOG_LINES);
    for (uint32_t i = 0; slice_line(&log, &line); i++)
        if (i + LOG_LINES >= lines) {
            print("  | ");
            print_text(stdout, line);
            print("\n");
        }
    print_flush();
    publish(dev);
}

void dev_begin(Dev *dev, const char *why) {
    Error error = {0};
    char now[16] = "";
    time_t seconds = time(NULL);
    struct tm parts;
    if (localtime_r(&seconds, &parts))
        strftime(now, sizeof now, "%H:%M:%S", &parts);
    cancel(dev);
    buffer_clear(&dev->problem);
    buffer_clear(&dev->log);
    bot_spec_free(&dev->mine);
    dev->mine = (BotSpec){0};
    dev->run++;
    print("%s run %u: %s\n", now, dev->run, why);
    print_flush();
    if (dev->has_directory && !is_directory(dev->bot)) {
        error_set(&error, "the directory \"%.300s\" no longer exists", dev->bot);
        fail(dev, error.text);
        return;
    }
    if (!bot_spec_parse(&dev->mine, dev->bot, dev->game->name, dev->sandbox, &error)) {
        fail(dev, error.text);
        return;
    }
    dev->state = RUN_BUILDING;
    dev->build_job = ++dev->next_job;
    Job job = {.id = dev->build_job,
               .task = TASK_BUILD,
               .game = dev->game,
               .players = 1,
               .bots = {&dev->mine}};
    dispatcher_give(dev->dispatcher, &job, -1);
    publish(dev);
}

static void give_match(Dev *dev, DevMatch *match) {
    match->job = ++dev->next_job;
    match->state = DEV_PLAYING;
    match->replay = memfd_create("replay", MFD_CLOEXEC);
    Job job = {.id = match->job,
               .game = dev->game,
               .config = match->setup.config,
               .map = match->setup.map,
               .seed = dev->seed,
               .overrides = dev->overrides,
               .players = dev->players,
               .bots = {&dev->mine}};
    for (uint32_t i = 1; i < dev->players; i++)
        job.bots[i] = &dev->opponents[i];
    dispatcher_give(dev->dispatcher, &job,
                    match->replay < 0 ? -1 : fcntl(match->replay, F_DUPFD_CLOEXEC, 0));
}

static void end_build(Dev *dev, const Record *record) {
    Buffer names = {0};
    dev->build_job = 0;
    if (record->kind != RECORD_PLAYED) {
        buffer_add(&dev->log, record->build.data, record->build.length);
        fail(dev, record->error.text);
    } else if (file_watch_built(dev->watch, &names)) {
        /* Saved while the build was ending, so the build does not include this change. */
        buffer_text(&names, " changed");
        dev_begin(dev, buffer_string(&names));
    } else {
        dev->state = RUN_PLAYING;
        for (uint32_t i = 0; i < dev->match_count; i++)
            give_match(dev, &dev->matches[i]);
        publish(dev);
    }
    buffer_free(&names);
}

static void end_match(Dev *dev, DevMatch *match, const Record *record) {
    dev_match_judge(match, record);
    if (match->state == DEV_PLAYED && match->replay >= 0) {
        match->number = local_viewer_add(dev->viewer, match->replay);
        match->replay = -1;
    }
    dev_match_print(match, dev->columns);
    print_flush();
    bool over = true;
    for (uint32_t i = 0; i < dev->match_count; i++)
        over = over && !dev->matches[i].job;
    if (over)
        dev->state = RUN_DONE;
    publish(dev);
}

static void take_record(Dev *dev, const Record *record) {
    if (record->id == dev->build_job) {
        end_build(dev, record);
        return;
    }
    for (uint32_t i = 0; i < dev->match_count; i++)
        if (dev->matches[i].job == record->id)
            end_match(dev, &dev->matches[i], record);
}

/* ---- events ---- */

/* Begins a run if files have changed and no event has arrived for a moment. */
static void look_at_files(Dev *dev) {
    int64_t now = clock_now();
    if (file_watch_read(dev->watch)) {
        if (!dev->changed_at)
            dev->changed_at = now;
        int64_t most = dev->changed_at + QUIET_MOST;
        dev->look_at = now + QUIET < most ? now + QUIET : most;
    }
    if (!dev->changed_at || now < dev->look_at)
        return;
    Buffer names = {0};
    dev->changed_at = 0;
    if (file_watch_changed(dev->watch, dev->build_job != 0, &names)) {
        buffer_text(&names, " changed");
        dev_begin(dev, buffer_string(&names));
    }
    buffer_free(&names);
}

/* False to quit. */
static bool read_keys(Dev *dev) {
    char keys[32];
    char why[64];
    struct pollfd waiting = {.fd = STDIN_FILENO, .events = POLLIN};
    bool some = dev->has_keys && poll(&waiting, 1, 0) > 0;
    ssize_t got = some ? read(STDIN_FILENO, keys, sizeof keys) : -1;
    if (got == 0) { /* the terminal is gone */
        epoll_ctl(dev->wake, EPOLL_CTL_DEL, STDIN_FILENO, NULL);
        dev->has_keys = false;
    }
    for (ssize_t i = 0; i < got; i++)
        switch (keys[i]) {
        case 'q':
            return false;
        case 'r':
            dev_begin(dev, "play again");
            break;
        case 'n':
            dev->seed++;
            snprintf(why, sizeof why, "seed %" PRIu64, dev->seed);
            dev_begin(dev, why);
            break;
        case 'o':
            local_viewer_browse(dev->viewer);
            print("Viewer: %s\n", local_viewer_address(dev->viewer));
            print_flush();
            break;
        default:
            break;
        }
    return true;
}

int dev_loop(Dev *dev) {
    for (;;) {
        Record record = {0};
        Error error = {0};
        int64_t left = (dev->look_at - clock_now()) / CLOCK_MS + 1;
        int timeout = !dev->changed_at ? STEP_MS : left > 0 ? (int)left : 0;
        DispatcherEvent event = dispatcher_take(dev->dispatcher, timeout, &record, &error);
        if (event == DISPATCHER_RECORD) {
            take_record(dev, &record);
            record_free(&record);
        } else if (event == DISPATCHER_BROKEN) {
            print_error("%s", error.text);
            return STATUS_FAILURE;
        }
        if (stop_signal_seen() || !read_keys(dev) || output_is_closed())
            return STATUS_DONE;
        look_at_files(dev);
    }
}
