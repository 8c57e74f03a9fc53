/* The pages: what was built from web/, read into memory when the arena starts and sent from there.
   What they show they ask the API for.

   A path is a file's name, or it is the pages' own affair: they get index.html and look at the
   address themselves. Only below /assets/ what is not there is not there. */
#ifndef ARENA_API_PAGES_H
#define ARENA_API_PAGES_H

#include "arena/api/api.h"

typedef struct Pages Pages;

/* Reads the directory. NULL: the one beside the program; if there is none, the pages are a single
   one that says so. Takes no links, nothing whose name begins with a dot, no ending that it does
   not know, and bounded sizes. NULL with an error if something is not as it should be. */
Pages *pages_read(const char *directory, Error *error);

/* Whether there was none to read. */
bool pages_missing(const Pages *pages);

void pages_free(Pages *pages); /* NULL is fine */

/* What the pages may load and do: Content-Security-Policy. */
extern const char pages_policy[];

extern const ApiGroup api_pages;

#endif
