/* skirmish bots: lists bots on the arena. */
#include "cli/listing.h"

#include <stdio.h>

static const char help[] =
    "List bots on the arena, with their live versions.\n"
    "\n"
    "Usage: skirmish bots [options]\n"
    "\n"
    "Lists your own bots unless --owner or --all is given.\n"
    "\n"
    "  --owner NAME          list this account's bots\n"
    "  --all                 list everyone's bots\n"
    "  --game GAME           only bots of this game\n"
    "  --search TEXT         only bots with this text in their names\n"
    "  --limit N             at most N bots (50)\n"
    "  --json                print the arena's responses, one per line, up to 200 bots each\n"
    "\n"
    "Exit status: 0 listed, 2 invalid usage or rejected, 130 interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish bots --all --game aliens\n";

static void print_bot(const Reply *reply, uint32_t bot) {
    Slice game = reply_text(reply, bot, "game");
    print_text(stdout, game);
    print("%*s", game.length < 14 ? (int)(14 - game.length) : 1, "");
    int64_t version = reply_number(reply, bot, "active_number");
    if (version)
        print("version %-6lld ", (long long)version);
    else
        print("%-15s", "not live");
    print_text(stdout, reply_text(reply, bot, "owner"));
    print("/");
    print_text(stdout, reply_text(reply, bot, "name"));
    print("\n");
}

static void add_filters(const Listing *listing, const char *account, Buffer *query) {
    const char *owner = listing->owner ? listing->owner : account;
    if (!listing->all && *owner)
        listing_query(query, "owner", slice_of(owner));
    if (listing->game)
        listing_query(query, "game", slice_of(listing->game));
    if (listing->search)
        listing_query(query, "search", slice_of(listing->search));
}

static int run(int count, char **arguments) {
    static const struct option options[] = {
        {"owner", required_argument, NULL, 'o'}, {"all", no_argument, NULL, 'a'},
        {"game", required_argument, NULL, 'g'},  {"search", required_argument, NULL, 's'},
        {"limit", required_argument, NULL, 'l'}, {"json", no_argument, NULL, 'j'},
        {"help", no_argument, NULL, 'h'},        {NULL, 0, NULL, 0},
    };
    static const ListingCommand bots = {.command = &command_bots,
                                        .options = options,
                                        .path = "/api/v1/bots",
                                        .add_filters = add_filters,
                                        .print = print_bot,
                                        .none = "No bots. Upload one with `skirmish submit`."};
    return listing_run(&bots, count, arguments);
}

const Command command_bots = {"bots", help, run};
