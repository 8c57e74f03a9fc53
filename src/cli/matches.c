/* skirmish matches: lists matches on the arena. */
#include "cli/listing.h"
#include "cli/remote_match.h"

#include <string.h>

static const char help[] =
    "List matches on the arena, newest first.\n"
    "\n"
    "Usage: skirmish matches [options]\n"
    "\n"
    "  --bot BOT             only matches of this bot: NAME for your own, OWNER/NAME for others\n"
    "  --game GAME           only matches of this game\n"
    "  --limit N             at most N matches (50)\n"
    "  --json                print the arena's responses, one per line, up to 200 matches each\n"
    "\n"
    "Exit status: 0 listed, 2 invalid usage or rejected, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish matches --bot mine --limit 10\n";

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"bot", required_argument, NULL, 'b'},   {"game", required_argument, NULL, 'g'},
        {"limit", required_argument, NULL, 'l'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    Listing listing = {.command = &command_matches, .limit = LISTING_ROWS};
    int status = STATUS_DONE;
    if (!listing_read(&listing, count, arguments, options, &status))
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
            listing_query(&query, "bot", (Slice){name.data, name.length});
            buffer_free(&name);
        }
        if (listing.game)
            listing_query(&query, "game", slice_of(listing.game));
        status = listing_print(client, &listing, "/api/v1/matches", &query, remote_match_print_line,
                               "No matches.");
    } else {
        print_error("%s", error.text);
        status = STATUS_USAGE;
    }
    saved_login_free(&account);
    client_free(client);
    return status;
}

const Command command_matches = {"matches", help, run};
