#include "input.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "table_file.h"

enum { MAGIC_BYTES = 16 };

static bool write_all(int fd, const char *bytes, size_t n)
{
    while (n > 0) {
        ssize_t part = write(fd, bytes, n);
        if (part < 0 && errno == EINTR) continue;
        if (part < 0) return false;
        bytes += part;
        n -= (size_t)part;
    }
    return true;
}

bool input_settle(const char *path, error *err)
{
    struct stat st;
    char part[1 << 16];
    if (strcmp(path, "-") != 0 || fstat(STDIN_FILENO, &st) != 0) return true;
    if (!S_ISFIFO(st.st_mode) && !S_ISSOCK(st.st_mode)) return true;
    int fd = memfd_create("standard input", MFD_CLOEXEC);
    bool ok = fd >= 0 || fail_errno(err, "cannot be kept");
    for (ssize_t n = 1; ok && n != 0;) {
        n = read(STDIN_FILENO, part, sizeof part);
        if (n > 0) ok = write_all(fd, part, (size_t)n) || fail_errno(err, "cannot be kept");
        if (n < 0 && errno != EINTR) ok = fail_errno(err, "cannot be read");
    }
    if (ok)
        ok = (lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO) ||
             fail_errno(err, "cannot be kept");
    if (fd >= 0) close(fd);
    return ok;
}

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
