/* Notices when the files of a bot change.

   inotify only says that something happened below the directory. What has changed is found by
   looking at the content of all files, so that nothing is missed when events are lost, directories
   are renamed or an editor saves in several steps, and a save that changes nothing counts for
   nothing.

   Left out are files that no author edits: hidden ones, those of editors, those that .gitignore in
   the directory names, programs, and common products of builds. A build may leave others in the
   directory; file_watch_built learns them. */
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

/* Takes what happened; false if nothing did. */
bool file_watch_read(FileWatch *watch);

/* Whether files have changed since the last call; appends their names: "bot.py, map.py and 3 more".
   While a build is running, files that it changes again and again do not count. */
bool file_watch_changed(FileWatch *watch, bool is_building, Buffer *names);

/* The same when a build has just ended: files that are new are its products and do not count. */
bool file_watch_built(FileWatch *watch, Buffer *names);

#endif
