/* Hides passwords in the arguments and the environment that the program was started with. */
#ifndef CLI_SECRET_ARGUMENTS_H
#define CLI_SECRET_ARGUMENTS_H

/* Replaces arguments with the URI of a database, and SKIRMISH_STORE, by copies, and erases
   passwords and options from the original text, which `ps` and /proc show to everyone on the
   machine, and to bots without a sandbox. Call it before starting threads. */
void hide_secret_arguments(int count, char **arguments);

#endif
