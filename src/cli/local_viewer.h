/* The arena's viewer on this machine, without an arena: a small server on 127.0.0.1 with the web
   pages, a few replays, and the state of a run, which open pages follow.

   Nobody else can read it: other users of this machine do not know the random token in its address,
   and a page of another site that makes its own name resolve to 127.0.0.1 is rejected by its host
   name (http/host.h). */
#ifndef CLI_LOCAL_VIEWER_H
#define CLI_LOCAL_VIEWER_H

#include "base/buffer.h"
#include "base/error.h"
#include "base/slice.h"
#include "games/game.h"

#include <stdbool.h>
#include <stdint.h>

typedef struct LocalViewerOptions {
    uint32_t port;   /* 0: any free port */
    bool no_browser; /* only print the address */
} LocalViewerOptions;

typedef struct LocalViewer LocalViewer;

/* Starts the server. NULL with an error if the port is in use or the pages are not built. */
LocalViewer *local_viewer_start(const LocalViewerOptions *options, Error *error);
void local_viewer_stop(LocalViewer *viewer); /* NULL is fine */

/* The address of the page. */
const char *local_viewer_address(const LocalViewer *viewer);

/* Opens the page in a browser if there is a display. */
void local_viewer_browse(const LocalViewer *viewer);

/* Lets pages load a replay, or the analysis of one, from now on, and returns its number. Takes
   ownership of the file. Forgets all but the last LOCAL_VIEWER_REPLAYS. */
enum { LOCAL_VIEWER_REPLAYS = 128 };
uint32_t local_viewer_add(LocalViewer *viewer, int replay);

/* Shows a new state to all pages, open now or later: a JSON object, see web/src/viewer/local.ts. */
void local_viewer_publish(LocalViewer *viewer, Slice state);

/* Shows one replay until Ctrl-C, and returns the exit status. `title` is its name, or "". Takes
   ownership of the files; `analysis` is the one that `skirmish analyze` wrote, or -1. */
int local_viewer_show(const LocalViewerOptions *options, const char *title, const Game *game,
                      int replay, int analysis);

#endif
