/* See cli.h. */
#include "cli/cli.h"

#include "base/clock.h"
#include "base/memory.h"
#include "base/nearest_name.h"
#include "base/utf8.h"

#include <errno.h>
#include <fcntl.h>
#include <getopt.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

enum { FILE_MIB = 16, BOT_MIB = 1024, RESULTS_MIB = 1024 };

int usage_error(const Command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    char *text = xvasprintf(format, arguments);
    va_end(arguments);
    print_error("%s\nTry: skirmish help %s", text, command->name);
    free(text);
    return STATUS_USAGE;
}

int show_help(const Command *command) {
    print("%s", command->help);
    return print_flush() ? STATUS_DONE : STATUS_FAILURE;
}

int unexpected_argument(const Command *command, const char *argument) {
    return usage_error(command, "unexpected argument \"%s\"", argument);
}

bool option_error(int code, char **arguments, const struct option *options, Error *error) {
    enum { OPTIONS_MAX = 64 };
    const char *word = arguments[optind - 1];
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)strcspn(word, "="), word);
    if (code == ':')
        return error_set(error, "option %s requires a value", name);
    if (optopt && strncmp(name, "--", 2) == 0)
        return error_set(error, "option %s takes no value", name);
    const char *names[OPTIONS_MAX + 1] = {NULL};
    for (uint32_t i = 0; options[i].name && i < OPTIONS_MAX; i++)
        names[i] = options[i].name;
    const char *nearest = nearest_name(slice_of(name + strspn(name, "-")), names);
    if (nearest)
        return error_set(error, "unknown option \"%s\"; did you mean \"--%s\"?", name, nearest);
    return error_set(error, "unknown option \"%s\"", name);
}

int next_option(const Command *command, int count, char **arguments, const struct option *options,
                int *status) {
    opterr = 0;
    int option = getopt_long(count, arguments, ":", options, NULL);
    if (option == -1)
        return 0;
    if (option == 'h')
        *status = show_help(command);
    else if (option == ':' || option == '?') {
        Error error;
        option_error(option, arguments, options, &error);
        *status = usage_error(command, "%s", error.text);
    } else
        return option;
    return -1;
}

bool read_each_option(const Command *command, int count, char **arguments,
                      const struct option *options, OptionReader *read, void *context,
                      int *status) {
    Error error;
    int option;
    while ((option = next_option(command, count, arguments, options, status)) > 0)
        if (!read(context, option, optarg, &error)) {
            *status = usage_error(command, "%s", error.text);
            return false;
        }
    return option == 0;
}

/* `what`: "configuration or map", for the message about one that is too large. */
static bool load(const char *path, size_t most_mib, const char *what, Buffer *to, Error *error) {
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_set(error, "cannot read %s: %s", path, strerror(errno));
    ssize_t got = 0;
    do {
        got = read(fd, buffer_reserve(to, 65536), 65536);
        to->length += got > 0 ? (size_t)got : 0;
    } while ((got > 0 && to->length <= most_mib << 20) || (got < 0 && errno == EINTR));
    int reason = errno;
    if (!standard)
        close(fd);
    if (got < 0)
        return error_set(error, "cannot read %s: %s", path, strerror(reason));
    return got == 0 ||
           error_set(error, "%s is too large; a %s has at most %zu MiB", path, what, most_mib);
}

bool load_file(const char *path, Buffer *to, Error *error) {
    bool good = load(path, FILE_MIB, "configuration or map", to, error);
    utf8_skip_mark(to);
    return good;
}

bool load_bot(const char *path, Buffer *to, Error *error) {
    return load(path, BOT_MIB, "bot", to, error);
}

bool load_results(const char *path, Buffer *to, Error *error) {
    bool good = load(path, RESULTS_MIB, "list of results", to, error);
    utf8_skip_mark(to);
    return good;
}

bool parse_number(const char *option, const char *text, uint64_t low, uint64_t high,
                  uint64_t *value, Error *error) {
    uint64_t sum = 0;
    bool good = *text != '\0';
    for (const char *c = text; *c && good; c++) {
        uint64_t digit = (uint64_t)(*c - '0');
        good = *c >= '0' && *c <= '9' && sum <= (UINT64_MAX - digit) / 10;
        sum = sum * 10 + digit;
    }
    if (!good || sum < low || sum > high)
        return error_set(error,
                         "%s must be a whole number from %" PRIu64 " to %" PRIu64 ", not \"%.40s\"",
                         option, low, high, text);
    *value = sum;
    return true;
}

bool parse_count(const char *option, const char *text, uint32_t low, uint32_t high, uint32_t *value,
                 Error *error) {
    uint64_t wide = 0;
    if (!parse_number(option, text, low, high, &wide, error))
        return false;
    *value = (uint32_t)wide;
    return true;
}

bool parse_choice(const char *option, const char *text, const char *const *choices, uint32_t *index,
                  Error *error) {
    return find_name("value", slice_of(text), choices, index, error) ||
           error_prefix(error, "%s", option);
}

uint64_t draw_seed(void) {
    uint64_t seed = 0;
    if (getrandom(&seed, sizeof seed, 0) != sizeof seed)
        seed = (uint64_t)clock_now();
    return seed >> 11;
}

volatile sig_atomic_t interrupt_seen;

static void on_interrupt(int signal_number) {
    interrupt_seen = signal_number;
}

void catch_interrupts(void) {
    /* No SA_RESTART: waiting calls must return. A second Ctrl-C has the default action. */
    struct sigaction action = {.sa_handler = on_interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    sigaction(SIGHUP, &action, NULL);
}
