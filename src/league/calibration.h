/* The speed of this machine, which makes its matches comparable: see docs/scale.md.

   One core plays turns of Planet Wars as a match does: it writes the view of each player into a
   pipe, waits until the other end has read it and answered, and steps the rules. Everything is the
   same in each run: the map, the seed, the answers. The best of several short slices counts, since
   other load can only make a slice slower. */
#ifndef LEAGUE_CALIBRATION_H
#define LEAGUE_CALIBRATION_H

#include <stdint.h>

enum { CALIBRATION_MS = 60 };

/* The speed in percent of the reference: 100 if a turn takes CALIBRATION_REFERENCE_NS. At least 1;
   0 if it could not be measured. Takes about CALIBRATION_MS, on one core of those that this thread
   may use, which are the same afterwards. */
uint32_t calibration_measure(void);

enum { CALIBRATION_REFERENCE_NS = 10000 };

#endif
