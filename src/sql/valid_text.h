/* Texts that may hold any bytes (what a build said, why a bot failed) made fit for a database:
   UTF-8 without NUL. */
#ifndef STORE_CLEAN_H
#define STORE_CLEAN_H

#include "base/buffer.h"
#include "base/slice.h"

bool clean_is(Slice text);

/* Appends the text with U+FFFD in place of every byte that does not belong. */
void clean_text(Buffer *to, Slice text);

#endif
