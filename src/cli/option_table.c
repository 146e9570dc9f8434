/* option_table.c - the tables that options.def makes. */
#include "option_table.h"

#define OPTION(...) {__VA_ARGS__},
#define ALSO(...)   {__VA_ARGS__},
static const option_line shared[] = {
#include "options.def"
    {.name = NULL},
};

static const option_rule rules[] = {
#define EXCLUDES(a, b, text) {a, b, false, text},
#define NEEDS(a, b, text)    {a, b, true, text},
#include "options.def"
};

const option_line *option_at(const command *self, size_t i)
{
    for (const option_line *l = self->own; l && l->name; l++)
        if (i-- == 0) return l;
    for (const option_line *l = shared; l->name; l++)
        if ((l->commands & self->options) != 0 && i-- == 0) return l;
    return NULL;
}

bool option_is(const option_line *l, int what)
{
    return what < FILTERS ? l->id == what : (l->sets & what) != 0; /* sets lie above all numbers */
}

const option_rule *option_rule_at(size_t i)
{
    return i < sizeof rules / sizeof *rules ? &rules[i] : NULL;
}
