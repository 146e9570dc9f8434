/* command.h - the tables of commands and options, and the help that is made from them.
 *
 * A command is one file cmd_<id>.c, here or in src/lab, that defines `const command command_<id>` at its bottom, and
 * one line in commands.def.  main.c runs it, and turns its result into the exit status. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

/* An interrupted command dies of the signal, which a shell shows as 130. */
enum { EXIT_FINE = 0, EXIT_INPUT = 1, EXIT_USAGE = 2 };

typedef struct command {
    const char *name;                  /* "query"; "" = the one that runs when no command is named */
    const char *summary;               /* one line for `sat --help` */
    const char *help;                  /* `sat NAME --help`: examples first; its options follow by themselves */
    bool help_is_whole;                /* nothing follows it */
    const char *notes;                 /* what stands behind the options; may be NULL */
    void (*help_more)(void);           /* prints lists behind that; may be NULL */
    int options;                       /* which of options.def: FILTER, QUERY ... */
    const struct option_line *own;     /* its own besides, ended by one without a name; may be NULL */
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

/* ---- options ---- */

/* Every option's number, from options.def.  A command's own options have those from OPT_OWN on. */
enum {
    OPT_FIRST = 256,
#define OPTION(id, ...) id,
#include "options.def"
    OPT_OWN
};

/* The commands that have an option; OTHERS: with a table of their own besides. */
enum { FILTER = 1, QUERY = 2, INFO = 4, BACKENDS = 8, OTHERS = 16 };

/* Sets of options, which rules and options_given() take in place of one. */
enum {
    FILTERS = 1 << 12,   /* what is made of an image's samples */
    GAUSSIANS = 1 << 13, /* filters without a window */
    WINDOWS = 1 << 14,   /* of windows and of weighted sums */
    STATS = 1 << 15,     /* of statistics of windows or rectangles */
    RECTS = 1 << 16,     /* which rectangles */
    ONE_RECT = 1 << 17,  /* one of the command line */
    OF_ANSWERS = 1 << 18,
    OF_BLURS = 1 << 19,
    OF_TABLES = 1 << 20,
    OF_IMAGES = 1 << 21,
    REPEATS = 1 << 22,  /* no option with a value is given twice but these */
    UNLISTED = 1 << 23, /* is in the help of a part of the command alone */
    VALID = 1 << 24,    /* which samples count, of windows and rectangles */
    REAL = 1 << 25,     /* numbers that may have a fraction, and no comma between them */
    SETS_OWN = 1 << 26  /* a command's own sets start here */
};

typedef struct option_line { /* in OPTION's order: NOLINT(clang-analyzer-optin.performance.Padding) */
    int id;
    const char *name; /* "--box" */
    char letter;      /* 0: none */
    const char *argument, *values;
    int commands, sets;
    const char *help;
} option_line;

/* The i-th option of that command, its own first; NULL past the last. */
const option_line *option_at(const command *self, size_t i);

/* Is it that option, or one of that set? */
bool option_is(const option_line *l, int what);

/* Two options, or sets, that do not go together; or the first needs the second. */
typedef struct option_rule {
    int a, b;
    bool needs;
    const char *text; /* with %s for the names of the options that were given, at most two */
} option_rule;

/* The i-th; NULL past the last. */
const option_rule *option_rule_at(size_t i);

/* ---- what the tool says about itself, on standard output; lists are read from the tables ---- */

void help_print(const command *self);
/* Prints the options for shell completions, one a line: name, letter, argument, values
 * and help text, separated by tabs. The options that only the help of a part of the
 * command shows follow after an empty line. The values are words, "@files", or "" if they
 * are not known. If they begin with a comma, the option takes a list with commas between
 * items. */
void help_list(const command *self);
void version_print(void);
void help_rect_statistics(void); /* the list of statistics of rectangles */

#endif
