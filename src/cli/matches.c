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

static void add_filters(const Listing *listing, const char *account, Buffer *query) {
    if (listing->bot) {
        Buffer name = {0};
        if (!strchr(listing->bot, '/'))
            buffer_format(&name, "%s/", account);
        buffer_text(&name, listing->bot);
        listing_query(query, "bot", (Slice){name.data, name.length});
        buffer_free(&name);
    }
    if (listing->game)
        listing_query(query, "game", slice_of(listing->game));
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"bot", required_argument, NULL, 'b'},   {"game", required_argument, NULL, 'g'},
        {"limit", required_argument, NULL, 'l'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    static const ListingCommand matches = {.command = &command_matches,
                                           .options = options,
                                           .path = "/api/v1/matches",
                                           .add_filters = add_filters,
                                           .print = remote_match_print_line,
                                           .none = "No matches."};
    return listing_run(&matches, count, arguments);
}

const Command command_matches = {"matches", help, run};
