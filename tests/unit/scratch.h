/* scratch.h - a folder of a test's own: setup and teardown of a cmocka group. */
#ifndef TEST_SCRATCH_H
#define TEST_SCRATCH_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char scratch[64]; /* its path, once it is made */

static inline int scratch_make(void **state)
{
    (void)state;
    strcpy(scratch, "/tmp/sat-test-XXXXXX");
    return !mkdtemp(scratch);
}

/* With all that is in it. */
static inline int scratch_remove(void **state)
{
    char command[128];
    (void)state;
    snprintf(command, sizeof command, "rm -rf %s", scratch);
    return system(command);
}

#endif
