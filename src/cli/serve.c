/* skirmish serve: the arena. */
#include "cli/cli.h"
#include "cli/guard.h"
#include "league/dispatcher.h"
#include "server/arena.h"

#include <getopt.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>

static const char help[] = "Usage: skirmish serve [options]\n"
                           "\n"
                           "Runs the arena: http://localhost:3000 unless told otherwise.\n"
                           "\n"
                           "  --data DIRECTORY      where everything is kept (./skirmish-data)\n"
                           "  --address ADDRESS     to listen on (127.0.0.1)\n"
                           "  --port N              (3000; 0 for any that is free)\n"
                           "  --jobs N              matches at a time (all cores)\n"
                           "  --sandbox MODE        strict (default), best-effort or none\n";

static void tell(const char *sentence) {
    printf("%s\n", sentence);
    fflush(stdout);
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"data", required_argument, NULL, 'd'},
        {"address", required_argument, NULL, 'a'},
        {"port", required_argument, NULL, 'p'},
        {"jobs", required_argument, NULL, 'J'},
        {"sandbox", required_argument, NULL, 'x'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    ArenaOptions arena_options = {.data = "skirmish-data", .sandbox = SANDBOX_STRICT, .tell = tell};
    Error error = {""};
    uint32_t port = 3000;
    int option;
    opterr = 0;
    while ((option = getopt_long(count, arguments, ":", options, NULL)) != -1) {
        bool good = true;
        if (option == 'h')
            return show_help(&command_serve);
        if (option == ':' || option == '?')
            return wrong_usage(&command_serve,
                               option == ':' ? "%s needs a value" : "there is no option %s",
                               arguments[optind - 1]);
        if (option == 'd')
            arena_options.data = optarg;
        else if (option == 'a')
            arena_options.address = optarg;
        else if (option == 'p')
            good = parse_count("--port", optarg, 0, 65534, &port, &error);
        else if (option == 'J')
            good =
                parse_count("--jobs", optarg, 1, dispatcher_cores(), &arena_options.jobs, &error);
        else
            good = guard_read_mode(optarg, &arena_options.sandbox, &error);
        if (!good)
            return wrong_usage(&command_serve, "%s", error.text);
    }
    arena_options.port = (uint16_t)(port ? port : UINT16_MAX);
    catch_interrupts();
    Arena *arena = arena_start(&arena_options, &error);
    if (!arena) {
        complain("%s", error.text);
        return STATUS_USAGE;
    }
    printf("The arena is at http://%s:%u\n",
           arena_options.address ? arena_options.address : "localhost", arena_port(arena));
    fflush(stdout);
    while (!interrupt_seen)
        poll(NULL, 0, -1);
    arena_stop(arena, 10000);
    return STATUS_DONE;
}

const Command command_serve = {"serve", "runs the arena", help, run};
