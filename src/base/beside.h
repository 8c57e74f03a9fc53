/* Finding what belongs to the program: house bots, pages. They stand beside it where it was built,
   or in the folders of an installation. */
#ifndef BASE_BESIDE_H
#define BASE_BESIDE_H

#include <limits.h>

enum { BESIDE_SIZE = PATH_MAX + 64 };

/* The path of something whose place is known relative to the directory that the program is in:
   "bots", "../share/skirmish/web". It need not be there. */
void beside_program(const char *relative, char path[BESIDE_SIZE]);

#endif
