/* Measures the speed of this machine, so that matches can be restricted to machines of similar
   speed: see docs/scale.md.

   One core plays turns of Planet Wars as a match does: it writes the view of each player into a
   pipe, waits until the other end has read it and answered, and steps the rules. Every run uses the
   same map, seed and answers. The best of several short slices counts, because other load can only
   make a slice slower. */
#ifndef LEAGUE_CALIBRATION_H
#define LEAGUE_CALIBRATION_H

#include <stdint.h>

enum { CALIBRATION_MS = 60 };

/* Returns the speed in percent of the reference: 100 if a turn takes CALIBRATION_REFERENCE_NS. At
   least 1; 0 if it could not be measured. Takes about CALIBRATION_MS. Meanwhile, pins this thread
   to one of its cores; restores its set of cores afterwards. */
uint32_t calibration_measure(void);

enum { CALIBRATION_REFERENCE_NS = 10000 };

#endif
