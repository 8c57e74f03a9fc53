/* Lists that the arena serves in pages. Shared by `bots` and `matches`. */
#ifndef CLI_LISTING_H
#define CLI_LISTING_H

#include "cli/cli.h"
#include "cli/client.h"

#include <getopt.h>

enum { LISTING_ROWS = 50 }; /* unless --limit says otherwise */

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

/* Reads the options of either command; false when the exit status is in *status. */
bool listing_read(Listing *listing, int count, char **arguments, const struct option *options,
                  int *status);

/* Appends "&name=value" to a query, escaped. */
void listing_query(Buffer *query, const char *name, Slice value);

/* Fetches page after page until there are enough rows or no more, and prints each row with `print`;
   `none` if there are none. Frees the query. Returns the exit status. */
int listing_print(Client *client, const Listing *listing, const char *path, Buffer *query,
                  void (*print)(const Reply *, uint32_t), const char *none);

#endif
