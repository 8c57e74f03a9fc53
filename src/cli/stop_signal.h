/* Ctrl-C as a readable descriptor, for commands that wait for several events or have several
   threads. */
#ifndef CLI_STOP_SIGNAL_H
#define CLI_STOP_SIGNAL_H

#include "base/error.h"

/* Catches SIGINT, SIGTERM and SIGHUP from now on. A second Ctrl-C has the default action. Returns
   the descriptor, or -1 with an error. */
int stop_signal_catch(Error *error);

/* Waits until one of these signals has arrived. */
void stop_signal_wait(void);

/* Waits for at most this many milliseconds; true if a signal has arrived. */
bool stop_signal_wait_for(int milliseconds);

/* Whether a signal has arrived, without waiting. */
bool stop_signal_seen(void);

/* Forgets the signals that have arrived, and catches the next one too. */
void stop_signal_again(void);

#endif
