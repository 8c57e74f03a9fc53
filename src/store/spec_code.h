/* Inside the store: code from an editor in the spec of a match. It is deleted when the match ends,
   and nothing else in a spec is looked at. */
#ifndef STORE_SPEC_CODE_H
#define STORE_SPEC_CODE_H

#include "base/buffer.h"
#include "base/slice.h"

bool spec_has_code(const char *spec);

/* Appends the spec without the code of its seats. Of a spec that is not JSON nothing is left. */
void spec_without_code(Slice spec, Buffer *to);

#endif
