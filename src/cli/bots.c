/* skirmish bots and skirmish matches: lists from the arena that one is logged in to. */
#include "cli/cli.h"
#include "cli/client.h"
#include "cli/remote_match.h"

#include <getopt.h>
#include <string.h>

enum { ROWS = 50, ROWS_MAX = 100000, PAGE_ROWS = 200 };

static const char bots_help[] =
    "Usage: skirmish bots [options]\n"
    "\n"
    "Lists your bots on the arena that you are logged in to, with the version that plays.\n"
    "\n"
    "  --owner NAME          those of somebody else\n"
    "  --all                 everybody's\n"
    "  --game GAME           only those that play this game\n"
    "  --search TEXT         only those with this text in their names\n"
    "  --limit N             at most so many (50); it says when there are more\n"
    "  --json                the arena's answers as they are, one a line: a page has up to 200 rows\n"
    "\n"
    "Exit status: 0 listed, 2 wrong usage or refused, 130 interrupted.\n";

static const char matches_help[] =
    "Usage: skirmish matches [options]\n"
    "\n"
    "Lists matches on the arena that you are logged in to, the newest first.\n"
    "\n"
    "  --bot BOT             of this bot: yours by its name, others' as owner/bot\n"
    "  --game GAME           of this game\n"
    "  --limit N             at most so many (50); it says when there are more\n"
    "  --json                the arena's answers as they are, one a line: a page has up to 200 rows\n"
    "\n"
    "Exit status: 0 listed, 2 wrong usage or refused, 130 interrupted.\n";

typedef struct Listing {
    const Command *command;
    const char *owner;
    const char *bot;
    const char *game;
    const char *search;
    bool all;
    bool json;
    uint32_t limit;
} Listing;

static void add_query(Buffer *query, const char *name, Slice value) {
    buffer_format(query, "&%s=", name);
    url_add(query, value);
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
        else if (option == 's')
            listing->search = optarg;
        else if (option == 'a')
            listing->all = true;
        else if (option == 'j')
            listing->json = true;
        else if (!parse_count("--limit", optarg, 1, ROWS_MAX, &listing->limit, &error)) {
            *status = usage_error(listing->command, "%s", error.text);
            return false;
        }
    }
    if (optind != count) {
        *status =
            usage_error(listing->command, "\"%s\" is one argument too many", arguments[optind]);
        return false;
    }
    if (listing->all && listing->owner) {
        *status = usage_error(listing->command, "of --owner and --all only one can be given");
        return false;
    }
    return true;
}

static void print_bot(const Reply *reply, uint32_t bot) {
    Slice game = reply_text(reply, bot, "game");
    print_safely(stdout, game);
    printf("%*s", game.length < 14 ? (int)(14 - game.length) : 1, "");
    int64_t version = reply_number(reply, bot, "active_number");
    if (version)
        printf("version %-6lld ", (long long)version);
    else
        printf("%-15s", "does not play");
    print_safely(stdout, reply_text(reply, bot, "owner"));
    fputc('/', stdout);
    print_safely(stdout, reply_text(reply, bot, "name"));
    fputc('\n', stdout);
}

/* Prints a page; how many rows it has. */
static uint32_t print_page(const Reply *reply, bool json, void (*print)(const Reply *, uint32_t)) {
    uint32_t end;
    uint32_t rows = 0;
    for (uint32_t node = reply_items(reply, &end); node < end;
         node = reply->json.nodes[node].next, rows++)
        if (!json)
            print(reply, node);
    if (json)
        print_reply(reply);
    return rows;
}

/* Fetches page after page, each behind the cursor of the one before, until there are enough rows or
   there is no more. */
static int print_list(Client *client, const Listing *listing, const char *path, Buffer *query,
                      void (*print)(const Reply *, uint32_t), const char *none) {
    Reply reply = {0};
    Error error = {""};
    Buffer page = {0};
    Buffer cursor = {0};
    uint32_t left = listing->limit;
    bool good;
    do {
        buffer_clear(&page);
        buffer_format(&page, "%s?limit=%u%s", path, left < PAGE_ROWS ? left : PAGE_ROWS,
                      buffer_string(query));
        if (cursor.length)
            add_query(&page, "cursor", (Slice){cursor.data, cursor.length});
        good = client_get(client, buffer_string(&page), &reply, &error);
        if (!good)
            break;
        uint32_t rows = print_page(&reply, listing->json, print);
        left -= rows < left ? rows : left;
        Slice next = reply_text(&reply, 0, "next");
        good = !next.length || !slice_equals(next, buffer_string(&cursor)) ||
               error_set(&error, "the arena's list does not go on from one page to the next");
        buffer_clear(&cursor);
        buffer_add(&cursor, next.at, next.length);
    } while (good && left && cursor.length && !interrupt_seen);
    if (!good)
        print_error("%s", error.text);
    else if (!listing->json && left == listing->limit)
        printf("%s\n", none);
    else if (!listing->json && cursor.length)
        printf("There are more: --limit says how many are shown.\n");
    reply_free(&reply);
    buffer_free(&cursor);
    buffer_free(&page);
    buffer_free(query);
    if (interrupt_seen)
        return STATUS_INTERRUPTED;
    return good ? STATUS_DONE : STATUS_USAGE;
}

static int run_bots(int count, char **arguments) {
    static const struct option options[] = {
        {"owner", required_argument, NULL, 'o'}, {"all", no_argument, NULL, 'a'},
        {"game", required_argument, NULL, 'g'},  {"search", required_argument, NULL, 's'},
        {"limit", required_argument, NULL, 'l'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    Listing listing = {.command = &command_bots, .limit = ROWS};
    int status = STATUS_DONE;
    if (!read_listing(&listing, count, arguments, options, &status))
        return status;
    Error error;
    SavedLogin account;
    Buffer query = {0};
    catch_interrupts();
    Client *client = client_logged_in(&account, &error);
    if (client) {
        const char *owner = listing.owner ? listing.owner : account.name;
        if (!listing.all && *owner)
            add_query(&query, "owner", slice_of(owner));
        if (listing.game)
            add_query(&query, "game", slice_of(listing.game));
        if (listing.search)
            add_query(&query, "search", slice_of(listing.search));
        status = print_list(client, &listing, "/api/v1/bots", &query, print_bot,
                            "No bots. `skirmish submit` brings one to the arena.");
    } else {
        print_error("%s", error.text);
        status = STATUS_USAGE;
    }
    saved_login_free(&account);
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
    SavedLogin account;
    Buffer query = {0};
    catch_interrupts();
    Client *client = client_logged_in(&account, &error);
    if (client) {
        if (listing.bot) {
            Buffer name = {0};
            if (!strchr(listing.bot, '/'))
                buffer_format(&name, "%s/", account.name);
            buffer_text(&name, listing.bot);
            add_query(&query, "bot", (Slice){name.data, name.length});
            buffer_free(&name);
        }
        if (listing.game)
            add_query(&query, "game", slice_of(listing.game));
        status = print_list(client, &listing, "/api/v1/matches", &query, remote_match_print_line,
                            "No matches.");
    } else {
        print_error("%s", error.text);
        status = STATUS_USAGE;
    }
    saved_login_free(&account);
    client_free(client);
    return status;
}

const Command command_bots = {"bots", "lists bots on the arena", bots_help, run_bots};
const Command command_matches = {"matches", "lists matches on the arena", matches_help,
                                 run_matches};
