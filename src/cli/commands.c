/* commands.c - the table of commands, and a command by its name. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "command.h"
#include "names.h"

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
    for (int i = 0; (c = command_at(i)); i++)
        if (*c->name && nearer(word, c->name, &least)) best = c;
    return best;
}
