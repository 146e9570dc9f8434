/* emulated.h - tests that QEMU cannot run (tests/machines/run.sh). */
#ifndef TEST_EMULATED_H
#define TEST_EMULATED_H

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

/* Returns whether QEMU runs this program, as a machine whose name begins so. */
static inline bool emulated_as(const char *machine)
{
    const char *name = getenv("SAT_EMULATED");
    return name != NULL && strncmp(name, machine, strlen(machine)) == 0;
}

#endif
