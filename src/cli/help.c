#include "help.h"

#include <stdio.h>
#include <string.h>

#include "format.h"
#include "sat.h"

static void print_commands(void)
{
    const command *c;
    puts("\nCommands (sat COMMAND --help; a file of such a name is ./NAME):");
    for (int i = 0; (c = command_at(i)); i++)
        if (*c->name) printf("  %-10s %s\n", c->name, c->summary);
}

static void print_names(void)
{
    sat_border_info border;
    sat_backend_info backend;
    const image_format *format;

    printf("\nborders: ");
    for (size_t i = 0; sat_border_at(i, &border); i++)
        printf(" %s%s", border.name, border.takes_value ? ":V[,V...]" : "");
    printf("\nformats: ");
    for (size_t i = 0; (format = format_at(i)); i++) printf(" %s%s", format->name, format->encode ? "" : "(read)");
    printf("\nbackends:");
    for (size_t i = 0; sat_backend_entry(i, &backend); i++)
        if (backend.kind < SAT_CEILING) printf(" %s", backend.name);
    putchar('\n');
}

void help_print(const command *self)
{
    fputs(self->help, stdout);
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
