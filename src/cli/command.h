/* command.h - the table of commands.
 *
 * A command is one file cmd_<id>.c, here or in src/lab, that defines `const command command_<id>` at its bottom, and
 * one line in commands.def.  main.c runs it, and turns its result into the exit status. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>

/* An interrupted command dies of the signal, which a shell shows as 130. */
enum { EXIT_FINE = 0, EXIT_INPUT = 1, EXIT_USAGE = 2 };

typedef struct command {
    const char *name;                  /* "query"; "" = the one that runs when no command is named */
    const char *summary;               /* one line for `sat --help` */
    const char *help;                  /* `sat NAME --help`: examples first, one screen */
    void (*help_more)(void);           /* prints lists behind it; may be NULL */
    int (*run)(int argc, char **argv); /* argv[0] is the command's name; returns an exit status */
} command;

#define COMMAND(id) extern const command command_##id;
#define LEFT_OUT(id)
#include "commands.def"
#undef COMMAND
#undef LEFT_OUT

const command *command_at(int i);              /* NULL past the end */
const command *command_find(const char *name); /* NULL if there is none of that name */
bool command_left_out(const char *name);       /* is there one of that name in other builds? */
/* The command that may have been meant by a word that is none; NULL if it is near none of them. */
const command *command_near(const char *word);

#endif
