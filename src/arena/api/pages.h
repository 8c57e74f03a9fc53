/* The web interface: the files built from web/, which are read into memory when the arena starts.

   A path that names a file serves that file. Any other path serves index.html, whose script shows
   the page for the address; only unknown paths below /assets/ are 404. */
#ifndef ARENA_API_PAGES_H
#define ARENA_API_PAGES_H

#include "base/error.h"

typedef struct Pages Pages;

/* Reads the directory; NULL means the one next to the program, or a placeholder page if there is
   none. Skips names that start with a dot. Returns NULL with an error on links, unknown file types
   and sizes over the limit. */
Pages *pages_read(const char *directory, Error *error);

/* Whether only the placeholder is there. */
bool pages_missing(const Pages *pages);

void pages_free(Pages *pages); /* NULL is fine */

/* The Content-Security-Policy of the pages. */
extern const char pages_policy[];

#endif
