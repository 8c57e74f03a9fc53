/* Passwords in the arguments and the environment that the program was started with. */
#ifndef CLI_SECRET_ARGUMENTS_H
#define CLI_SECRET_ARGUMENTS_H

/* Replaces arguments that have the URI of a database, and SKIRMISH_STORE, by copies, and erases
   passwords and options from the original text: `ps` and /proc show that to everyone on the
   machine, or to bots without a sandbox. Call it before there are threads. */
void hide_secret_arguments(int count, char **arguments);

#endif
