/* Notices when the files of a bot change.

   inotify only reports that something happened below the directory. A scan of all files' content
   then finds the changes, so that none is missed when events are lost, directories are renamed or
   an editor saves in several steps, and saves without changes are ignored.

   It ignores files that no author edits: hidden and editor files, those in the directory's
   .gitignore, programs, and common build products. A build may leave others in the directory;
   file_watch_built learns them. */
#ifndef CLI_FILE_WATCH_H
#define CLI_FILE_WATCH_H

#include "base/buffer.h"
#include "base/error.h"

#include <stdbool.h>

typedef struct FileWatch FileWatch;

/* NULL with an error if the directory cannot be watched. */
FileWatch *file_watch_new(const char *directory, Error *error);
void file_watch_free(FileWatch *watch); /* NULL is fine */

/* Readable when something happened. */
int file_watch_descriptor(const FileWatch *watch);

/* Takes the pending events; false if there are none. */
bool file_watch_read(FileWatch *watch);

/* Whether files have changed since the last call; appends their names: "bot.py, map.py and 3 more".
   While a build is running, files that it changes repeatedly do not count. */
bool file_watch_changed(FileWatch *watch, bool is_building, Buffer *names);

/* The same when a build has just ended: files that are new are its products and do not count. */
bool file_watch_built(FileWatch *watch, Buffer *names);

#endif
