/* option_table.h - what options.def says: options, their numbers and sets, and rules. */
#ifndef CLI_OPTION_TABLE_H
#define CLI_OPTION_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "command.h"

/* Every option's number, from options.def.  A command's own options have those from OPT_OWN on. */
enum {
    OPT_FIRST = 256,
#define OPTION(id, ...) id,
#include "options.def"
    OPT_OWN
};

/* The commands that have an option; OTHERS: those with a table of their own besides (command.h). */
enum { FILTER = 1, QUERY = 2, INFO = 4, BACKENDS = 8, OTHERS = 16 };

/* Sets of options, which rules and options_given() take in place of one. */
enum {
    FILTERS = 1 << 12,   /* what is made of an image's samples */
    GAUSSIANS = 1 << 13, /* filters without a window */
    WINDOWS = 1 << 14,   /* of statistics of windows alone */
    STATS = 1 << 15,     /* of statistics of windows or rectangles */
    RECTS = 1 << 16,     /* which rectangles */
    ONE_RECT = 1 << 17,  /* one of the command line */
    OF_ANSWERS = 1 << 18,
    OF_BLURS = 1 << 19,
    OF_TABLES = 1 << 20,
    OF_IMAGES = 1 << 21,
    REPEATS = 1 << 22,  /* no option with a value is given twice but these */
    UNLISTED = 1 << 23, /* is in the help of a part of the command alone */
    SETS_OWN = 1 << 24  /* a command's own sets start here */
};

typedef struct option_line {
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
    const char *text; /* with two %s, the names of the options that were given */
} option_rule;

/* The i-th; NULL past the last. */
const option_rule *option_rule_at(size_t i);

#endif
