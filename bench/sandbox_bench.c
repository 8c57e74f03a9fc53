/* The cost of the sandbox when a bot starts: milliseconds until its first output, without a
   sandbox, with every available layer, and in bwrap with about the same layers, alternately in one
   run. */
#include "base/clock.h"
#include "bench.h"
#include "bots/process.h"
#include "bots/sandbox.h"

#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SAMPLES_MAX = 256 };

static double first_word(char *command, const char *directory, const Sandbox *sandbox) {
    Process process;
    Error error = {0};
    ProcessStart start = {.command = command,
                          .directory = directory,
                          .sandbox = sandbox,
                          .limits = sandbox_standard_limits};
    int64_t began = clock_now();
    char word = 0;
    if (!process_start(&process, &start, &error)) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    struct pollfd wait = {.fd = process.out, .events = POLLIN};
    bool spoke = poll(&wait, 1, 5000) == 1 && read(process.out, &word, 1) == 1;
    double taken = (double)(clock_now() - began) / 1e6;
    /* As at the end of a match, the bot may exit by itself. */
    close(process.in);
    process.in = -1;
    wait = (struct pollfd){.fd = process.end, .events = POLLIN};
    if (poll(&wait, 1, 5000) == 1)
        process_reap(&process);
    process_end(&process);
    return spoke ? taken : -1;
}

void bench_sandbox(const BenchOptions *options, Report *report) {
    static double bare[SAMPLES_MAX];
    static double inside[SAMPLES_MAX];
    static double bubble[SAMPLES_MAX];
    static double extra[SAMPLES_MAX];
    uint32_t samples = options->quick ? 3 : 101;
    char self[PATH_MAX] = "";
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    char *slash = length > 0 ? strrchr(self, '/') : NULL;
    if (slash)
        *slash = '\0';
    static char plain[] = "exec ./trivial_bot x y z";
    Buffer wrapped = {0};
    buffer_format(
        &wrapped,
        "exec bwrap --unshare-all --die-with-parent --proc /proc --dev /dev --tmpfs /tmp "
        "--ro-bind /usr /usr "
        "--symlink usr/bin /bin --symlink usr/lib /lib"
        " --symlink usr/lib64 /lib64 --ro-bind '%s' '%s' --chdir '%s' ./trivial_bot x y z",
        self, self, self);
    buffer_string(&wrapped);
    bool has_bwrap = access("/usr/bin/bwrap", X_OK) == 0;
    Error error = {0};
    Sandbox *sandbox = process_prepare(&error) ? sandbox_new(SANDBOX_BEST_EFFORT, &error) : NULL;
    if (!sandbox) {
        fprintf(stderr, "%s\n", error.text);
        exit(1);
    }
    for (uint32_t i = 0; i < samples; i++) {
        bare[i] = first_word(plain, self, NULL);
        inside[i] = first_word(plain, self, sandbox);
        if (bare[i] < 0 || inside[i] < 0) {
            fprintf(stderr, "the trivial bot said nothing\n");
            exit(1);
        }
        extra[i] = inside[i] - bare[i];
        bubble[i] = has_bwrap ? first_word(wrapped.data, self, NULL) : 0;
        has_bwrap = has_bwrap && bubble[i] >= 0; /* bwrap may not be permitted here */
    }
    const char *names[LAYERS];
    char note[64];
    snprintf(note, sizeof note, "with %u of %d layers",
             sandbox_names(sandbox, &sandbox_standard_limits, names), LAYERS);
    report_figure(report, "any", "start bare", "ms", stats_of(bare, samples),
                  "to the first word of a bot");
    report_figure(report, "any", "start sandboxed", "ms", stats_of(inside, samples), note);
    report_figure(report, "any", "sandbox adds", "ms", stats_of(extra, samples), NULL);
    if (has_bwrap)
        report_figure(report, "any", "start in bwrap", "ms", stats_of(bubble, samples),
                      "for comparison");
    sandbox_free(sandbox);
    buffer_free(&wrapped);
}
