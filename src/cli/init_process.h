/* The first process of a container.

   Process 1 of a pid namespace adopts the orphans of all programs in it. Commands that run bots
   kill the orphans that they adopt, because these are leftovers of bots (bots/process.h). As
   process 1, they would also kill orphans of other programs. */
#ifndef CLI_INIT_PROCESS_H
#define CLI_INIT_PROCESS_H

/* Returns at once unless this is process 1. Process 1 creates a child in which this function
   returns and the command runs; process 1 itself reaps orphans, forwards signals to the child, and
   exits with its status. If the child cannot be created, it returns in process 1. */
void init_process_separate(void);

#endif
