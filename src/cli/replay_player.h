/* Plays a replay in the terminal, with keys to pause, step, jump and change the speed. */
#ifndef CLI_REPLAY_PLAYER_H
#define CLI_REPLAY_PLAYER_H

/* Returns an exit status. `speed` is in turns per second. */
int replay_player_run(const char *path, unsigned speed);

#endif
