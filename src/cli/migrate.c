/* skirmish migrate: copies an arena to another database and another place for its files. */
#include "store/migrate.h"

#include "cli/data_command.h"
#include "cli/progress_bar.h"
#include "sql/database.h"

#include <getopt.h>
#include <inttypes.h>
#include <string.h>

static const char help[] =
    "Move an arena to PostgreSQL, or back to a data directory.\n"
    "\n"
    "Usage: skirmish migrate --from STORE --to STORE [--from-files PLACE] [--to-files PLACE]\n"
    "\n"
    "Copies everything: accounts, sessions, bots, matches, replays, ratings and the queue. Stop\n"
    "the arena first. The source does not change. If the copy is interrupted, run the same\n"
    "command again.\n"
    "\n"
    "  --from STORE          the arena's data directory, or the URI of its PostgreSQL database,\n"
    "                        such as postgresql://arena@db/arena; keep its password in a file\n"
    "                        named by PGPASSFILE\n"
    "  --to STORE            a new data directory, or the URI of an empty PostgreSQL database\n"
    "  --from-files PLACE    where its files are, as for skirmish serve; required with a URI. A\n"
    "                        directory may be the arena's data directory\n"
    "  --to-files PLACE      where to copy its files, in the same way\n"
    "\n"
    "Exit status: 0 copied, 1 copy failed, 2 invalid usage, or a place that cannot be used, 130\n"
    "interrupted.\n"
    "\n"
    "Examples\n"
    "  skirmish migrate --from skirmish-data --to postgresql://arena@db/arena --to-files database\n"
    "  skirmish migrate --from postgresql://arena@db/arena --from-files database --to new-data\n";

enum { FROM, TO, FROM_FILES, TO_FILES, PLACES };

static const struct option options[] = {{"help", no_argument, NULL, 'h'},
                                        {"from", required_argument, NULL, FROM + 1},
                                        {"to", required_argument, NULL, TO + 1},
                                        {"from-files", required_argument, NULL, FROM_FILES + 1},
                                        {"to-files", required_argument, NULL, TO_FILES + 1},
                                        {NULL, 0, NULL, 0}};

static bool show(const char *what, uint64_t done, uint64_t total) {
    progress_bar_show(total ? (double)done / (double)total : -1, "%" PRIu64 " of %" PRIu64 " %s",
                      done, total, what);
    return !interrupt_seen;
}

/* Whether a text that is not the URI of a PostgreSQL database means one all the same, or another
   database: "host=db password=secret" is what libpq also accepts. */
static bool means_database(const char *text) {
    static const char *const signs[] = {"://", "host=", "hostaddr=", "dbname=", "password="};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (strstr(text, signs[i]))
            return true;
    return false;
}

/* The name of a database may contain a password, so it is not shown. */
static bool check_place(const char *option, const StorePlace *place, Error *error) {
    if (!place->store || !place->store[0])
        return error_set(error, "--%s is required", option);
    if (!database_is_uri(place->store) && means_database(place->store))
        return error_set(error,
                         "--%s is not the URI of a PostgreSQL database; use the form "
                         "postgresql://USER@HOST/DATABASE, or name a directory",
                         option);
    if (database_is_uri(place->store) && !place->files)
        return error_set(error,
                         "--%s-files is required with a PostgreSQL database; name a directory, "
                         "\"database\", or a bucket as s3://BUCKET",
                         option);
    return true;
}

static int run(int count, char **arguments) {
    const char *given[PLACES] = {0};
    int status = STATUS_DONE;
    int option;
    Error error = {0};
    MigrateCounts counts;
    while ((option = next_option(&command_migrate, count, arguments, options, &status)) > 0)
        given[option - 1] = optarg;
    if (option < 0)
        return status;
    if (optind < count)
        return unexpected_argument(&command_migrate, arguments[optind]);
    StorePlace from = {given[FROM], given[FROM_FILES]};
    StorePlace to = {given[TO], given[TO_FILES]};
    if (!check_place("from", &from, &error) || !check_place("to", &to, &error))
        return usage_error(&command_migrate, "%s", error.text);
    catch_interrupts();
    progress_bar_begin(false, 0);
    StoreResult result = store_migrate(&from, &to, show, &counts, &error);
    progress_bar_end();
    if (result == STORE_OK)
        print("Copied %" PRIu64 " rows of %" PRIu64 " tables, and %" PRIu64 " file%s\n",
              counts.rows, counts.tables, counts.files, counts.files == 1 ? "" : "s");
    else
        print_error("%s", error.text);
    return result != STORE_OK && interrupt_seen ? STATUS_INTERRUPTED : store_exit_status(result);
}

const Command command_migrate = {"migrate", help, run};
