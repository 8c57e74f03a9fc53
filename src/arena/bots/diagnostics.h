/* Places in a bot's own files that a compiler or a crash names, found in what was printed: for an
   editor to show at their lines.

   Knows what gcc, g++, javac and go say of sources, and how Python, node, Ruby, Lua, Perl, Java and
   Go tell of a program that broke: of a traceback the innermost frame in a file of the bot's, with
   the message. A file that is not named from the bot's own directory (an absolute path, a library)
   is not the bot's: see versions_show. What it does not know it passes over. */
#ifndef ARENA_BOTS_DIAGNOSTICS_H
#define ARENA_BOTS_DIAGNOSTICS_H

#include "base/json.h"

typedef struct Diagnostic {
    Slice file;
    uint32_t line;   /* from 1 */
    uint32_t column; /* from 1; 0: not told */
    Slice message;   /* one line; may be empty */
} Diagnostic;

enum { DIAGNOSTICS_MAX = 50 };

/* Finds up to DIAGNOSTICS_MAX, in the order of the text, which must stay; how many. */
uint32_t diagnostics_find(Slice text, Diagnostic found[DIAGNOSTICS_MAX]);

/* Writes the member "diagnostics" with what several texts name. */
void diagnostics_write(JsonOut *out, const Slice *texts, uint32_t count);

/* For the tables of schemas. */
#define DIAGNOSTIC_SCHEMA                                                                            \
 "{\"type\":\"object\",\"additionalProperties\":false,\"required\":[\"file\",\"line\",\"message\"]," \
 "\"properties\":{\"file\":{\"type\":\"string\"},\"line\":{\"type\":\"integer\",\"minimum\":1},"     \
 "\"column\":{\"type\":\"integer\",\"minimum\":1},\"message\":{\"type\":\"string\"}}}"

#endif
