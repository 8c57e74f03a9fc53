/* See secret_arguments.h. */
#include "cli/secret_arguments.h"

#include "base/memory.h"
#include "sql/database.h"

#include <assert.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

/* The URI in the text of an option, such as --store=URI; NULL if there is none. */
static char *find_uri(char *text) {
    for (char *at = text; *at; at++)
        if (database_is_uri(at))
            return at;
    return NULL;
}

/* Removes everything secret from the URI; the result is never longer. */
static void erase_secrets(char *uri) {
    size_t length = strlen(uri);
    char *shown = database_uri_to_show(uri);
    size_t shown_length = strlen(shown);
    assert(shown_length <= length);
    sodium_memzero(uri, length);
    memcpy(uri, shown, shown_length + 1);
    free(shown);
}

void hide_secret_arguments(int count, char **arguments) {
    for (int i = 1; i < count; i++) {
        char *original = arguments[i];
        char *uri = find_uri(original);
        if (!uri)
            continue;
        arguments[i] = xstrdup(original); /* used until the program ends */
        erase_secrets(uri);
    }
    char *value = getenv("SKIRMISH_STORE");
    char *uri = value ? find_uri(value) : NULL;
    if (uri) {
        char *copy = xstrdup(value);
        setenv("SKIRMISH_STORE", copy, 1);
        erase_secrets(uri);
        sodium_memzero(copy, strlen(copy));
        free(copy);
    }
}
