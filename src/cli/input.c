#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table_file.h"

enum { MAGIC_BYTES = 16 };

bool input_is_table(const char *path)
{
    uint8_t magic[MAGIC_BYTES];
    struct stat st;
    bool is_stdin = strcmp(path, "-") == 0;
    int fd = is_stdin ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0) return false;
    size_t n = 0;
    ssize_t part = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? 1 : 0;
    while (part != 0 && n < sizeof magic) {
        part = pread(fd, magic + n, sizeof magic - n, (off_t)n);
        if (part > 0) n += (size_t)part;
        if (part < 0 && errno != EINTR) break;
    }
    if (!is_stdin) close(fd);
    return table_file_sniff(magic, n);
}

const char *input_table_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}

bool input_is_output(const char *input, const char *output)
{
    struct stat a, b;
    return strcmp(input, "-") != 0 && strcmp(output, "-") != 0 && stat(input, &a) == 0 && stat(output, &b) == 0 &&
           S_ISREG(a.st_mode) && a.st_dev == b.st_dev && a.st_ino == b.st_ino;
}
