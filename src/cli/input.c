#include "input.h"

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
    ssize_t n = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) ? pread(fd, magic, sizeof magic, 0) : -1;
    if (!is_stdin) close(fd);
    return n > 0 && table_file_sniff(magic, (size_t)n);
}

const char *input_table_path(const char *path)
{
    return strcmp(path, "-") == 0 ? "/dev/stdin" : path;
}
