/* Paths of files. */
#ifndef BASE_PATH_H
#define BASE_PATH_H

#include <stdbool.h>

/* "DIRECTORY/NAME", which the caller frees. */
char *path_join(const char *directory, const char *name);

/* Whether `path` is `root`, a path without a final slash, or below it. Compares only the text. */
bool path_is_below(const char *path, const char *root);

/* The path of a file that belongs to the program (a house bot, a page), given relative to the
   directory of the executable: "bots", "../share/skirmish/web". The file need not exist. The caller
   frees the path. Linux only. */
char *path_of_program_file(const char *relative);

#endif
