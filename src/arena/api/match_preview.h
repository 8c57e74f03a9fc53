/* The preview that other sites show for a link to a match. */
#ifndef ARENA_API_MATCH_PREVIEW_H
#define ARENA_API_MATCH_PREVIEW_H

#include "arena/api/match_routes.h"

/* The handler of GET /api/v1/matches/{match}/picture. */
Outcome match_handle_picture(Request *request, Response *response);

/* Appends the elements of the head that describe the match: Open Graph, https://ogp.me. */
void match_preview_tags(const Request *request, const StoreMatch *match, Buffer *to);

#endif
