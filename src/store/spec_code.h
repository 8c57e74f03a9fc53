/* Inside the store: code in the spec of a match, written in the web editor. It is deleted when the
   match ends. The store does not interpret anything else in a spec. */
#ifndef STORE_SPEC_CODE_H
#define STORE_SPEC_CODE_H

#include "base/buffer.h"
#include "base/slice.h"

bool spec_has_code(const char *spec);

/* Appends the spec without the code of its seats. A spec that is not valid JSON becomes empty. */
void spec_without_code(Slice spec, Buffer *to);

#endif
