/* skirmish bots and skirmish matches: lists from the arena that one is logged in to. */
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/fight.h"

#include <getopt.h>
#include <string.h>

enum { ROWS = 50, ROWS_MAX = 200 };

static const char bots_help[] =
    "Usage: skirmish bots [options]\n"
    "\n"
    "Lists your bots on the arena that you are logged in to, with the version that plays.\n"
    "\n"
    "  --owner NAME          those of somebody else\n"
    "  --all                 everybody's\n"
    "  --game GAME           only those that play this game\n"
    "  --limit N             at most so many (50, at most 200)\n"
    "  --json                the arena's answer as it is\n"
    "\n"
    "Exit status: 0 listed, 2 wrong usage or refused, 130 interrupted.\n";

static const char matches_help[] =
    "Usage: skirmish matches [options]\n"
    "\n"
    "Lists matches on the arena that you are logged in to, the newest first.\n"
    "\n"
    "  --bot BOT             of this bot: yours by its name, others' as owner/bot\n"
    "  --game GAME           of this game; not with --bot\n"
    "  --limit N             at most so many (50, at most 200)\n"
    "  --json                the arena's answer as it is\n"
    "\n"
    "Exit status: 0 listed, 2 wrong usage or refused, 130 interrupted.\n";

typedef struct Listing {
    const Command *command;
    const char *owner;
    const char *bot;
    const char *game;
    bool all;
    bool json;
    uint32_t limit;
} Listing;

static void add_query(Buffer *path, const char *name, Slice value) {
    buffer_format(path, "&%s=", name);
    url_add(path, value);
}

static bool read_listing(Listing *listing, int count, char **arguments,
                         const struct option *options, int *status) {
    Error error;
    int option;
    while ((option = next_option(listing->command, count, arguments, options, status)) != 0) {
        if (option < 0)
            return false;
        if (option == 'o')
            listing->owner = optarg;
        else if (option == 'b')
            listing->bot = optarg;
        else if (option == 'g')
            listing->game = optarg;
        else if (option == 'a')
            listing->all = true;
        else if (option == 'j')
            listing->json = true;
        else if (!parse_count("--limit", optarg, 1, ROWS_MAX, &listing->limit, &error)) {
            *status = wrong_usage(listing->command, "%s", error.text);
            return false;
        }
    }
    if (optind != count) {
        *status =
            wrong_usage(listing->command, "\"%s\" is one argument too many", arguments[optind]);
        return false;
    }
    if (listing->all && listing->owner) {
        *status = wrong_usage(listing->command, "of --owner and --all only one can be given");
        return false;
    }
    if (listing->bot && listing->game) {
        *status = wrong_usage(listing->command, "of --bot and --game only one can be given");
        return false;
    }
    return true;
}

static void print_bot(const Answer *answer, uint32_t bot) {
    Slice game = answer_text(answer, bot, "game");
    print_safely(stdout, game);
    printf("%*s", game.length < 14 ? (int)(14 - game.length) : 1, "");
    int64_t version = answer_number(answer, bot, "active_version");
    if (version)
        printf("version %-6lld ", (long long)version);
    else
        printf("%-15s", "does not play");
    print_safely(stdout, answer_text(answer, bot, "owner"));
    fputc('/', stdout);
    print_safely(stdout, answer_text(answer, bot, "name"));
    fputc('\n', stdout);
}

/* Fetches the page and prints it row by row. */
static int print_page(Client *client, const Listing *listing, Buffer *path,
                      void (*print)(const Answer *, uint32_t), const char *none) {
    Answer answer = {0};
    Error error = {""};
    bool good = client_get(client, buffer_string(path), &answer, &error);
    uint32_t end;
    uint32_t first = answer_items(&answer, &end);
    if (!good)
        complain("%s", error.text);
    else if (listing->json)
        print_answer(&answer);
    else if (first >= end)
        printf("%s\n", none);
    else
        for (uint32_t node = first; node < end; node = answer.json.nodes[node].next)
            print(&answer, node);
    if (good && !listing->json && answer_text(&answer, 0, "next").length)
        printf("There are more; --limit shows up to %d.\n", ROWS_MAX);
    answer_free(&answer);
    buffer_free(path);
    if (interrupt_seen)
        return STATUS_INTERRUPTED;
    return good ? STATUS_DONE : STATUS_USAGE;
}

static int run_bots(int count, char **arguments) {
    static const struct option options[] = {
        {"owner", required_argument, NULL, 'o'},
        {"all", no_argument, NULL, 'a'},
        {"game", required_argument, NULL, 'g'},
        {"limit", required_argument, NULL, 'l'},
        {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},
        {NULL, 0, NULL, 0},
    };
    Listing listing = {.command = &command_bots, .limit = ROWS};
    int status = STATUS_DONE;
    if (!read_listing(&listing, count, arguments, options, &status))
        return status;
    Error error;
    Account account;
    Buffer path = {0};
    catch_interrupts();
    Client *client = client_of_account(&account, &error);
    if (client) {
        buffer_format(&path, "/api/v1/bots?limit=%u", listing.limit);
        const char *owner = listing.owner ? listing.owner : account.name;
        if (!listing.all && *owner)
            add_query(&path, "owner", slice_of(owner));
        if (listing.game)
            add_query(&path, "game", slice_of(listing.game));
        status = print_page(client, &listing, &path, print_bot,
                            "No bots. `skirmish submit` brings one to the arena.");
    } else {
        complain("%s", error.text);
        status = STATUS_USAGE;
    }
    account_free(&account);
    client_free(client);
    return status;
}

static int run_matches(int count, char **arguments) {
    static const struct option options[] = {
        {"bot", required_argument, NULL, 'b'},   {"game", required_argument, NULL, 'g'},
        {"limit", required_argument, NULL, 'l'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    Listing listing = {.command = &command_matches, .limit = ROWS};
    int status = STATUS_DONE;
    if (!read_listing(&listing, count, arguments, options, &status))
        return status;
    Error error;
    Account account;
    Buffer path = {0};
    catch_interrupts();
    Client *client = client_of_account(&account, &error);
    if (client) {
        buffer_format(&path, "/api/v1/matches?limit=%u", listing.limit);
        if (listing.bot) {
            Buffer name = {0};
            if (!strchr(listing.bot, '/'))
                buffer_format(&name, "%s/", account.name);
            buffer_text(&name, listing.bot);
            add_query(&path, "bot", (Slice){name.data, name.length});
            buffer_free(&name);
        }
        if (listing.game)
            add_query(&path, "game", slice_of(listing.game));
        status = print_page(client, &listing, &path, fight_print_line, "No matches.");
    } else {
        complain("%s", error.text);
        status = STATUS_USAGE;
    }
    account_free(&account);
    client_free(client);
    return status;
}

const Command command_bots = {"bots", "lists bots on the arena", bots_help, run_bots};
const Command command_matches = {"matches", "lists matches on the arena", matches_help,
                                 run_matches};
