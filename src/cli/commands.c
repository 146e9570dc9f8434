/* commands.c - the tables of commands and options, and the help that is made from them. */
#include "command.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "format.h"
#include "job.h"
#include "names.h"
#include "sat_query.h"

#define COMMAND(id) &command_##id,
#define LEFT_OUT(id)
static const command *const commands[] = {
#include "commands.def"
};
#undef COMMAND
#undef LEFT_OUT

#define COMMAND(id)
#define LEFT_OUT(id) #id,
static const char *const left_out[] = {
#include "commands.def"
    NULL};
#undef COMMAND
#undef LEFT_OUT

const command *command_at(int i)
{
    return i >= 0 && (size_t)i < sizeof commands / sizeof *commands ? commands[i] : NULL;
}

const command *command_find(const char *name)
{
    const command *c;
    for (int i = 0; (c = command_at(i)); i++)
        if (strcmp(c->name, name) == 0) return c;
    return NULL;
}

bool command_left_out(const char *name)
{
    size_t i = 0;
    while (left_out[i] && strcmp(left_out[i], name) != 0) i++;
    return left_out[i] != NULL;
}

const command *command_near(const char *word)
{
    const command *c, *best = NULL;
    size_t least = SIZE_MAX;
    if (dash_bytes(word)) return NULL; /* it was to be an option */
    for (int i = 0; (c = command_at(i)); i++)
        if (*c->name && nearer(word, c->name, &least)) best = c;
    return best;
}

/* ---- options ----------------------------------------------------------------------------------------- */

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

/* ---- help ------------------------------------------------------------------------------------------ */

enum { COLUMNS = 80, LABEL = 9, TEXT = 21 };

static void print_commands(void)
{
    const command *c;
    puts("\nCommands (sat COMMAND --help; a file of such a name is ./NAME):");
    for (int i = 0; (c = command_at(i)); i++)
        if (*c->name) printf("  %-10s %s\n", c->name, c->summary);
}

/* A word more on a line that is *used columns long, or on the next, under the first word of the list. */
static void print_word(int *used, const char *word, const char *more)
{
    int length = 1 + (int)(strlen(word) + strlen(more));
    if (*used + length > COLUMNS) *used = printf("\n%*s", LABEL, "") - 1;
    *used += printf(" %s%s", word, more);
}

static void print_names(void)
{
    sat_border_info border;
    sat_backend_info backend;
    const image_format *format;

    int used = printf("\nborders: ") - 1;
    for (size_t i = 0; sat_border_at(i, &border); i++)
        print_word(&used, border.name, border.takes_value ? ":V[,V...]" : "");
    sat_statistic_info statistic;
    used = printf("\nstats:   ") - 1;
    for (size_t i = 0; sat_statistic_at(i, &statistic); i++) {
        char parameters[64] = "";
        size_t n = 0;
        for (size_t k = 0; k < SAT_PARAMETERS && statistic.parameter[k].name && n < sizeof parameters; k++)
            n += (size_t)snprintf(parameters + n, sizeof parameters - n, "%s%s=", k ? "," : ":",
                                  statistic.parameter[k].name);
        if (window_reads_range(&statistic) && n < sizeof parameters)
            snprintf(parameters + n, sizeof parameters - n, ",%s=", WINDOW_RANGE);
        print_word(&used, statistic.name, parameters);
    }
    used = printf("\nformats: ") - 1;
    for (size_t i = 0; (format = format_at(i)); i++) print_word(&used, format->name, format->encode ? "" : "(read)");
    used = printf("\nbackends:") - 1;
    for (size_t i = 0; sat_backend_entry(i, &backend); i++) print_word(&used, backend.name, "");
    putchar('\n');
}

void help_rect_statistics(void)
{
    sat_rect_statistic_info statistic;
    int used = printf("\nstats:   ") - 1;
    for (size_t i = 0; sat_rect_statistic_at(i, &statistic); i++) print_word(&used, statistic.name, "");
    putchar('\n');
}

/* "-o, --output OUT    what it is"; those without a text of their own stand before the next. */
static void print_options(const command *self)
{
    const option_line *l;
    int used = 0;
    for (size_t i = 0; (l = option_at(self, i)); i++) {
        if (l->sets & UNLISTED) continue;
        if (i == 0) putchar('\n');
        used += printf("%s", used == 0 ? "  " : l->letter ? "   " : ", ");
        if (l->letter) used += printf("-%c, ", l->letter);
        used += printf("%s%s%s", l->name, l->argument ? " " : "", l->argument ? l->argument : "");
        if (!l->help) continue;
        if (*l->help) printf("%*s", used < TEXT - 1 ? TEXT - used : 2, "");
        for (const char *at = l->help; *at; at++) {
            putchar(*at);
            if (*at == '\n') printf("%*s", TEXT, "");
        }
        putchar('\n');
        used = 0;
    }
}

/* ---- the list for completions ---- */

/* Prints the values of an option of options.def: if `words` is "@LIST", the names in that
 * list, else `words` as they are. */
static void print_values(const char *words)
{
    sat_border_info border;
    sat_statistic_info statistic;
    sat_rect_statistic_info column;
    sat_backend_info backend;
    const image_format *format;
    const bool thresholds = strcmp(words, "@thresholds") == 0;

    if (thresholds || strcmp(words, "@stats") == 0) {
        for (size_t i = 0; sat_statistic_at(i, &statistic); i++)
            if (statistic.threshold || !thresholds) printf("%s ", statistic.name);
    } else if (strcmp(words, "@borders") == 0) {
        for (size_t i = 0; sat_border_at(i, &border); i++) printf("%s ", border.name);
    } else if (strcmp(words, "@columns") == 0) {
        for (size_t i = 0; sat_rect_statistic_at(i, &column); i++) printf("%s ", column.name);
    } else if (strcmp(words, "@formats") == 0) {
        for (size_t i = 0; (format = format_at(i)); i++)
            if (format->encode) printf("%s ", format->name);
    } else if (strcmp(words, "@backends") == 0) {
        for (size_t i = 0; sat_backend_entry(i, &backend); i++) printf("%s ", backend.name);
    } else {
        printf("%s", words);
    }
}

static void list_option(const command *self, const option_line *l, size_t i)
{
    const option_line *text = l;
    const bool several = *l->values == ',';
    while (text && !text->help) text = option_at(self, ++i);
    const char *help = text ? text->help : "";
    printf("%s\t%.1s\t%s\t%s", l->name, &l->letter, l->argument ? l->argument : "", several ? "," : "");
    print_values(l->values + several);
    printf("\t%.*s\n", (int)strcspn(help, "\n"), help);
}

void help_list(const command *self)
{
    const option_line *l;
    for (int unlisted = 0; unlisted < 2; unlisted++) {
        if (unlisted) putchar('\n');
        for (size_t i = 0; (l = option_at(self, i)); i++)
            if (((l->sets & UNLISTED) != 0) == unlisted) list_option(self, l, i);
    }
}

void help_print(const command *self)
{
    fputs(self->help, stdout);
    if (self->help_is_whole) return;
    print_options(self);
    if (self->notes) printf("\n%s", self->notes);
    if (self->help_more) self->help_more();
    if (*self->name) return;
    print_commands();
    print_names();
}

void version_print(void)
{
    const image_format *format;
    sat_backend_info backend;

    printf("sat %s\n\ncompiler  %s %s\n", sat_version(),
#ifdef __clang__
           "clang",
#else
           "gcc",
#endif
           __VERSION__);
    for (size_t i = 0; (format = format_at(i)); i++)
        printf("%-9s %s: %s\n", i ? "" : "formats", format->name, format->library ? format->library() : "built in");
    for (size_t i = 0; sat_backend_at(i, &backend); i++)
        printf("%-9s %s: %s%s\n", i ? "" : "can run", backend.name, backend.available ? "" : "not available, ",
               backend.why);
}
