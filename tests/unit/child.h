/* child.h - part of a test in a process of its own, for what changes a whole process. */
#ifndef TEST_CHILD_H
#define TEST_CHILD_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "error.h"

#include <cmocka.h> /* last: its macro fail() hides the function of error.h */

/* Runs body in a child whose descriptor `target` is fd, or closed if fd < 0; returns its wait status: 0 if
 * body returned. */
static inline int in_child(int target, int fd, void (*body)(void))
{
    int status;
    fflush(NULL);
    pid_t pid = fork();
    assert_true(pid >= 0);
    if (pid == 0) {
        if (fd < 0)
            close(target);
        else
            dup2(fd, target);
        body();
        _exit(0);
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

#endif
