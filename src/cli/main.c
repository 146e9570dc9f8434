/* main.c - runs the command, and does what is common to all: signals, standard output, the exit status. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "command.h"
#include "memory.h"
#include "messages.h"
#include "sink.h"

/* A standard stream that the caller closed must not become the number of a file that we open: a stand-in
 * takes its place, on which every use fails. */
static void occupy_standard_streams(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) != fd) return;
}

/* `sat -v query T`: a command behind options that take no value. */
static const command *late_command(int argc, char **argv)
{
    static const char *const switches[] = {"-q", "-v", "--quiet", "--verbose"};
    int i = 1, t = 0;
    while (i < argc && t < 4) {
        for (t = 0; t < 4 && strcmp(argv[i], switches[t]) != 0;) t++;
        i += t < 4;
    }
    return i > 1 && i < argc && *argv[i] && access(argv[i], F_OK) != 0 ? command_find(argv[i]) : NULL;
}

/* sat help [--options] [COMMAND] */
static int help_command(int argc, char **argv)
{
    const bool list = argc > 2 && strcmp(argv[2], "--options") == 0;
    argc -= list;
    argv += list;
    if (argc > 3) return usage_error("", "help: one command at a time");
    const command *c = command_find(argc == 3 ? argv[2] : "");
    if (!c && command_left_out(argv[2])) return usage_error("", "help: this build of sat is without `sat %s`", argv[2]);
    const command *near = c ? NULL : command_near(argv[2]);
    if (near)
        return usage_error("", "help: there is no command '%s'; did you mean `sat help %s`?", argv[2], near->name);
    if (!c) return usage_error("", "help: there is no command '%s'", argv[2]);
    (list ? help_list : help_print)(c);
    return EXIT_FINE;
}

/* `sat --help query`; NULL where no command follows. */
static const command *helped_command(int argc, char **argv)
{
    bool asked = strcmp(argv[1], "-h") == 0 || strcmp(argv[1], "--help") == 0;
    return asked && argc > 2 ? command_find(argv[2]) : NULL;
}

static int finish(int status)
{
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout)) return status;
    if (errno == EPIPE) sink_reader_left();
    if (errno == EPIPE)
        say(output_name("-"), "closed pipe");
    else
        say(output_name("-"), "cannot write: %s", errno ? strerror(errno) : "unknown error");
    return status == EXIT_FINE ? EXIT_INPUT : status;
}

int main(int argc, char **argv)
{
    error err;
    occupy_standard_streams();
    if (argc < 2)
        return usage_error(
            "", "no input: sat INPUT --box N -o OUT blurs an image, sat INPUT -o OUT.npy writes its table; an INPUT "
                "of - is standard input");
    if (strcmp(argv[1], "help") == 0) return finish(help_command(argc, argv));
    const command *helped = helped_command(argc, argv);
    if (helped) {
        help_print(helped);
        return finish(EXIT_FINE);
    }

    memory_name_limit(" of --max-memory");
    sink_refuse_own_descriptors();
    if (!sink_guard_signals(&err)) {
        say(NULL, "%s", err.text);
        return EXIT_INPUT;
    }
    if (command_left_out(argv[1]) && access(argv[1], F_OK) != 0)
        return usage_error("", "this build of sat is without `sat %s`", argv[1]);
    const command *c = *argv[1] ? command_find(argv[1]) : NULL,
                  *near = c || access(argv[1], F_OK) == 0 ? NULL : command_near(argv[1]);
    if (near)
        return usage_error("", "there is neither a file nor a command '%s'; did you mean `sat %s`?", argv[1],
                           near->name);
    const command *late = late_command(argc, argv);
    if (late) return usage_error(late->name, "the command comes first: `sat %s %s`", late->name, argv[1]);
    return finish(c ? c->run(argc - 1, argv + 1) : command_find("")->run(argc, argv));
}
