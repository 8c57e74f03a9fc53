/* Text that a database accepts: UTF-8 without NUL. Build logs and bots' messages may contain any
   bytes. */
#ifndef SQL_VALID_TEXT_H
#define SQL_VALID_TEXT_H

#include "base/buffer.h"
#include "base/slice.h"

bool valid_text_is(Slice text);

/* Appends the text with U+FFFD in place of every byte that is not valid. */
void valid_text_add(Buffer *to, Slice text);

#endif
