/* See listing.h. */
#include "cli/listing.h"

#include <stdio.h>

enum {
    ROWS_DEFAULT = 50,
    ROWS_MAX = 100000,
    PAGE_ROWS = 200,
};

void listing_query(Buffer *query, const char *name, Slice value) {
    buffer_format(query, "&%s=", name);
    url_add(query, value);
}

/* Reads the options of either command; false when the exit status is in *status. */
static bool read_options(const ListingCommand *list, int count, char **arguments, Listing *listing,
                         int *status) {
    Error error;
    int option;
    *listing = (Listing){.limit = ROWS_DEFAULT};
    while ((option = next_option(list->command, count, arguments, list->options, status)) != 0) {
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
            *status = usage_error(list->command, "%s", error.text);
            return false;
        }
    }
    if (optind != count) {
        *status = unexpected_argument(list->command, arguments[optind]);
        return false;
    }
    if (listing->all && listing->owner) {
        *status = usage_error(list->command, "--owner and --all cannot be combined");
        return false;
    }
    return true;
}

/* Prints a page and returns the number of its rows. */
static uint32_t print_page(const Reply *reply, bool json,
                           void (*print_row)(const Reply *, uint32_t)) {
    uint32_t end;
    uint32_t rows = 0;
    for (uint32_t node = reply_items(reply, &end); node < end;
         node = reply->json.nodes[node].next, rows++)
        if (!json)
            print_row(reply, node);
    if (json)
        print_reply(reply);
    return rows;
}

static int print_pages(Client *client, const ListingCommand *list, const Listing *listing,
                       Buffer *query) {
    Reply reply = {0};
    Error error = {0};
    Buffer page = {0};
    Buffer cursor = {0};
    uint32_t left = listing->limit;
    bool good;
    do {
        buffer_clear(&page);
        buffer_format(&page, "%s?limit=%u%s", list->path, left < PAGE_ROWS ? left : PAGE_ROWS,
                      buffer_string(query));
        if (cursor.length)
            listing_query(&page, "cursor", (Slice){cursor.data, cursor.length});
        good = client_get(client, buffer_string(&page), &reply, &error);
        if (!good)
            break;
        uint32_t rows = print_page(&reply, listing->json, list->print);
        left -= rows < left ? rows : left;
        Slice next = reply_text(&reply, 0, "next");
        good = !next.length || !slice_equals(next, buffer_string(&cursor)) ||
               error_set(&error, "the arena sent the same page of the list twice");
        buffer_clear(&cursor);
        buffer_add(&cursor, next.at, next.length);
    } while (good && left && cursor.length && !interrupt_seen);
    if (!good)
        print_error("%s", error.text);
    else if (!listing->json && left == listing->limit)
        print("%s\n", list->none);
    else if (!listing->json && cursor.length)
        print("More available; use --limit to list more.\n");
    reply_free(&reply);
    buffer_free(&cursor);
    buffer_free(&page);
    if (interrupt_seen)
        return STATUS_INTERRUPTED;
    return good ? STATUS_DONE : STATUS_USAGE;
}

int listing_run(const ListingCommand *list, int count, char **arguments) {
    Listing listing;
    int status = STATUS_DONE;
    if (!read_options(list, count, arguments, &listing, &status))
        return status;
    Error error;
    SavedLogin account;
    Buffer query = {0};
    catch_interrupts();
    Client *client = client_logged_in(&account, &error);
    if (client) {
        list->add_filters(&listing, account.name, &query);
        status = print_pages(client, list, &listing, &query);
    } else {
        print_error("%s", error.text);
        status = STATUS_USAGE;
    }
    buffer_free(&query);
    saved_login_free(&account);
    client_free(client);
    return status;
}
