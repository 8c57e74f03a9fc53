/* The HTTP API of the arena and its web interface. README.md describes the files. */
#ifndef ARENA_API_API_H
#define ARENA_API_API_H

#include "arena/arena.h"

/* All routes in one table, which is never freed. Uploads are limited by the arena's options. */
const Route *api_routes(const Arena *arena, uint32_t *count);

/* Generates the OpenAPI document from the routes into arena->openapi. */
bool api_write_document(Arena *arena, Error *error);

/* The rate limits that the routes use, for HttpOptions. */
extern const LimitClass api_limits[];
extern const uint32_t api_limit_count;

/* ---- pages.c ---- */

/* The web interface: the files built from web/, which are read into memory when the arena starts.

   A path that names a file serves that file. Any other path serves index.html, whose script shows
   the page for the address; only unknown paths below /assets/ are 404. */
typedef struct Pages Pages;

/* Reads the directory; NULL means the one next to the program, or a placeholder page if there is
   none. Skips names that start with a dot. Returns NULL with an error on links, unknown file types
   and sizes over the limit. */
Pages *pages_read(const char *directory, Error *error);

/* Whether there are no pages except the placeholder. */
bool pages_missing(const Pages *pages);

void pages_free(Pages *pages); /* NULL is fine */

/* Answers with index.html, with these elements added to its head. */
void pages_answer(const Pages *pages, Slice elements, Response *response);

/* Answers with the file of this path; false if there is none. */
bool pages_answer_file(const Pages *pages, Slice path, Response *response);

/* The Content-Security-Policy of the pages. */
extern const char pages_policy[];

#endif
