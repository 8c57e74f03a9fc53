/* Notices when the files of a bot change.

   inotify only reports that something happened below the directory. A scan of all files' contents
   then finds the changes. So no change is missed when events are lost, directories are renamed or
   an editor saves in several steps, and saves without changes are ignored.

   Ignores files that no author edits: hidden files, editor files, files listed in the directory's
   .gitignore, programs, and common build products. A build may leave other files in the directory;
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

/* A descriptor that is readable when something has happened. */
int file_watch_descriptor(const FileWatch *watch);

/* Takes the pending events; false if there are none. */
bool file_watch_read(FileWatch *watch);

/* Whether files have changed since the last call; appends their names: "bot.py, map.py and 3 more".
   While a build is running, files that it changes repeatedly do not count. */
bool file_watch_changed(FileWatch *watch, bool is_building, Buffer *names);

/* The same when a build has just ended: new files are its products and do not count. */
bool file_watch_built(FileWatch *watch, Buffer *names);

#endif
