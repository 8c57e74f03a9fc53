/* Lists that the arena returns in pages; shared by `bots` and `matches`. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "cli/cli.h"
#include "cli/client.h"

#include <getopt.h>

/* What the user requested. */
typedef struct Listing {
    const char *owner;
    const char *bot;
    const char *game;
    const char *search;
    bool all;
    bool json;
    uint32_t limit;
} Listing;

typedef struct ListingCommand {
    const Command *command;
    const struct option *options;
    const char *path; /* path of the list in the API */
    /* Appends filters to the query with listing_query. `account` is the user's own name. */
    void (*add_filters)(const Listing *listing, const char *account, Buffer *query);
    void (*print)(const Reply *reply, uint32_t row);
    const char *none; /* printed if there are no rows */
} ListingCommand;

/* Appends "&name=value" to a query, escaped. */
void listing_query(Buffer *query, const char *name, Slice value);

/* Runs the command: reads its options, fetches pages until there are enough rows or no more pages,
   and prints each row. Returns the exit status. */
int listing_run(const ListingCommand *list, int count, char **arguments);

#endif
