/* shim.c - makes one call of a program fail; loaded with LD_PRELOAD.
 *
 *   FAULT_KIND=alloc|map|open|read|write|sync|rename|close|thread   which calls
 *   FAULT_NTH=N       the N-th of them fails, counted from 1 since main() began
 *   FAULT_ON=1        and every later one too
 *   FAULT_ERRNO=E     with this errno instead of the usual one
 *   FAULT_SPACE=K     the disk is full after K bytes: write() stops short there, then fails with ENOSPC
 *   FAULT_SHORT=1     read() and write() move at most 1009 bytes and every third one is interrupted first
 *   FAULT_KILL=1      the call that would fail ends the process by SIGKILL instead
 *   FAULT_ENDS=1      the read that would fail finds the end of the file instead
 *   FAULT_NAMED=1     the file system makes no unnamed files (O_TMPFILE)
 *   FAULT_COUNTS=FILE at exit, one line "KIND CALLS" for each kind
 *
 * Calls that the dynamic linker, libtiff or this file make do not count.  Standard error is left
 * alone, so that what went wrong can be said.  System calls are made directly, and memory comes from
 * glibc's own entry points, so nothing here can call itself. */
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

extern void *__libc_malloc(size_t);
extern void *__libc_calloc(size_t, size_t);
extern void *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);

enum kind { ALLOC, MAP, OPEN, READ, WRITE, SYNC, RENAME, CLOSE, THREAD, KINDS };

static const struct {
    const char *name;
    int error;
} kinds[KINDS] = {
    [ALLOC] = {"alloc", ENOMEM}, [MAP] = {"map", ENOMEM},  [OPEN] = {"open", EMFILE},
    [READ] = {"read", EIO},      [WRITE] = {"write", EIO}, [SYNC] = {"sync", EIO},
    [RENAME] = {"rename", EIO},  [CLOSE] = {"close", EIO}, [THREAD] = {"thread", EAGAIN},
};

enum { PIECE = 1009, EXEMPT_MAX = 8 };

static atomic_long calls[KINDS], moves;
static atomic_bool armed;
static int chosen = -1, chosen_error;
static long nth;
static bool on, in_pieces, kills, ends, named;
static atomic_llong space = -1; /* bytes left; negative: no limit */
static struct {
    uintptr_t from, to;
} exempt[EXEMPT_MAX];
static int exempts;

/* ---- what fails ------------------------------------------------------------------------------------ */

static bool is_exempt(const void *caller)
{
    uintptr_t at = (uintptr_t)caller;
    for (int i = 0; i < exempts; i++) {
        if (at >= exempt[i].from && at < exempt[i].to) return true;
    }
    return false;
}

static bool fails(enum kind kind, const void *caller)
{
    if (!atomic_load(&armed) || is_exempt(caller)) return false;
    long n = atomic_fetch_add(&calls[kind], 1) + 1;
    if ((int)kind != chosen || !(on ? n >= nth : n == nth)) return false;
    if (kills) raise(SIGKILL);
    errno = chosen_error ? chosen_error : kinds[kind].error;
    return true;
}

#define FAILS(kind) fails(kind, __builtin_return_address(0))

static bool interrupted(size_t *n)
{
    if (!in_pieces || !atomic_load(&armed)) return false;
    if (*n > PIECE) *n = PIECE;
    if (atomic_fetch_add(&moves, 1) % 3) return false;
    errno = EINTR;
    return true;
}

/* ---- memory ---------------------------------------------------------------------------------------- */

void *malloc(size_t n)
{
    return FAILS(ALLOC) ? NULL : __libc_malloc(n);
}
void *calloc(size_t k, size_t n)
{
    return FAILS(ALLOC) ? NULL : __libc_calloc(k, n);
}
void *realloc(void *p, size_t n)
{
    return FAILS(ALLOC) ? NULL : __libc_realloc(p, n);
}
void *memalign(size_t align, size_t n)
{
    return FAILS(ALLOC) ? NULL : __libc_memalign(align, n);
}
void *aligned_alloc(size_t align, size_t n)
{
    return FAILS(ALLOC) ? NULL : __libc_memalign(align, n);
}

int posix_memalign(void **p, size_t align, size_t n)
{
    int before = errno;
    void *got = FAILS(ALLOC) ? NULL : __libc_memalign(align, n);
    errno = before;
    if (!got) return ENOMEM;
    *p = got;
    return 0;
}

void *mmap(void *at, size_t n, int prot, int flags, int fd, off_t offset)
{
    if (FAILS(MAP)) return MAP_FAILED;
    return (void *)syscall(SYS_mmap, at, n, prot, flags, fd, offset);
}

/* ---- files ----------------------------------------------------------------------------------------- */

static int open_for_real(int dir, const char *path, int flags, va_list args)
{
    bool unnamed = (flags & O_TMPFILE) == O_TMPFILE;
    int mode = unnamed || (flags & O_CREAT) ? va_arg(args, int) : 0;
    if (unnamed && named) {
        errno = EOPNOTSUPP;
        return -1;
    }
    return (int)syscall(SYS_openat, dir, path, flags, mode);
}

int open(const char *path, int flags, ...)
{
    va_list args;
    if (FAILS(OPEN)) return -1;
    va_start(args, flags);
    int fd = open_for_real(AT_FDCWD, path, flags, args);
    va_end(args);
    return fd;
}

int openat(int dir, const char *path, int flags, ...)
{
    va_list args;
    if (FAILS(OPEN)) return -1;
    va_start(args, flags);
    int fd = open_for_real(dir, path, flags, args);
    va_end(args);
    return fd;
}

ssize_t read(int fd, void *bytes, size_t n)
{
    if (FAILS(READ)) return ends ? 0 : -1;
    if (interrupted(&n)) return -1;
    return syscall(SYS_read, fd, bytes, n);
}

ssize_t pread(int fd, void *bytes, size_t n, off_t offset)
{
    if (FAILS(READ)) return ends ? 0 : -1;
    if (interrupted(&n)) return -1;
    return syscall(SYS_pread64, fd, bytes, n, offset);
}

/* How many of n bytes the disk still holds; -1 if none. */
static ssize_t take_space(size_t n)
{
    long long left = atomic_load(&space);
    if (left < 0 || !atomic_load(&armed)) return (ssize_t)n;
    if (left == 0 && n > 0) {
        errno = ENOSPC;
        return -1;
    }
    size_t k = n < (size_t)left ? n : (size_t)left;
    atomic_fetch_sub(&space, (long long)k);
    return (ssize_t)k;
}

ssize_t write(int fd, const void *bytes, size_t n)
{
    if (fd != STDERR_FILENO) {
        if (FAILS(WRITE) || interrupted(&n)) return -1;
        ssize_t k = take_space(n);
        if (k < 0) return -1;
        n = (size_t)k;
    }
    return syscall(SYS_write, fd, bytes, n);
}

ssize_t pwrite(int fd, const void *bytes, size_t n, off_t offset)
{
    if (FAILS(WRITE) || interrupted(&n)) return -1;
    return syscall(SYS_pwrite64, fd, bytes, n, offset);
}

int fsync(int fd)
{
    return FAILS(SYNC) ? -1 : (int)syscall(SYS_fsync, fd);
}
int fdatasync(int fd)
{
    return FAILS(SYNC) ? -1 : (int)syscall(SYS_fdatasync, fd);
}

int rename(const char *from, const char *to)
{
    return FAILS(RENAME) ? -1 : (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int renameat2(int from_dir, const char *from, int to_dir, const char *to, unsigned flags)
{
    return FAILS(RENAME) ? -1 : (int)syscall(SYS_renameat2, from_dir, from, to_dir, to, flags);
}

int link(const char *from, const char *to)
{
    return FAILS(RENAME) ? -1 : (int)syscall(SYS_linkat, AT_FDCWD, from, AT_FDCWD, to, 0);
}

int linkat(int from_dir, const char *from, int to_dir, const char *to, int flags)
{
    return FAILS(RENAME) ? -1 : (int)syscall(SYS_linkat, from_dir, from, to_dir, to, flags);
}

/* The descriptor is gone even when close() fails. */
int close(int fd)
{
    bool failed = FAILS(CLOSE);
    int error = errno;
    int result = (int)syscall(SYS_close, fd);
    if (failed) errno = error;
    return failed ? -1 : result;
}

/* ---- threads --------------------------------------------------------------------------------------- */

int pthread_create(pthread_t *thread, const pthread_attr_t *attr, void *(*body)(void *), void *arg)
{
    static int (*real)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    if (FAILS(THREAD)) return errno;
    if (!real) real = (__typeof__(real))(uintptr_t)dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attr, body, arg);
}

/* ---- start and end --------------------------------------------------------------------------------- */

static int find_exempt(struct dl_phdr_info *info, size_t size, void *self)
{
    (void)size;
    for (int i = 0; i < info->dlpi_phnum && exempts < EXEMPT_MAX; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        if (part->p_type != PT_LOAD || !(part->p_flags & PF_X)) continue;
        uintptr_t from = info->dlpi_addr + part->p_vaddr, to = from + part->p_memsz;
        bool mine = (uintptr_t)self >= from && (uintptr_t)self < to;
        /* libtiff 4.5 ends in a crash when an allocation of its own fails. */
        if (mine || strstr(info->dlpi_name, "/ld-") || strstr(info->dlpi_name, "/libtiff.")) {
            exempt[exempts].from = from;
            exempt[exempts++].to = to;
        }
    }
    return 0;
}

static long from_environment(const char *name, long otherwise)
{
    const char *text = getenv(name);
    return text ? strtol(text, NULL, 10) : otherwise;
}

static int (*real_main)(int, char **, char **);

static int armed_main(int argc, char **argv, char **env)
{
    const char *kind = getenv("FAULT_KIND");
    for (int i = 0; kind && i < KINDS; i++) {
        if (!strcmp(kind, kinds[i].name)) chosen = i;
    }
    nth = from_environment("FAULT_NTH", 0);
    on = from_environment("FAULT_ON", 0);
    chosen_error = (int)from_environment("FAULT_ERRNO", 0);
    in_pieces = from_environment("FAULT_SHORT", 0);
    kills = from_environment("FAULT_KILL", 0);
    ends = from_environment("FAULT_ENDS", 0);
    named = from_environment("FAULT_NAMED", 0);
    atomic_store(&space, from_environment("FAULT_SPACE", -1));
    dl_iterate_phdr(find_exempt, (void *)(uintptr_t)&armed_main);
    atomic_store(&armed, true);
    return real_main(argc, argv, env);
}

int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void), void (*fini)(void),
                      void (*rtld_fini)(void), void *stack_end)
{
    __typeof__(&__libc_start_main) start = (__typeof__(start))(uintptr_t)dlsym(RTLD_NEXT, "__libc_start_main");
    real_main = main;
    return start(armed_main, argc, argv, init, fini, rtld_fini, stack_end);
}

__attribute__((destructor)) static void say_counts(void)
{
    const char *path = getenv("FAULT_COUNTS");
    atomic_store(&armed, false);
    if (!path) return;
    int fd = (int)syscall(SYS_openat, AT_FDCWD, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    for (int i = 0; i < KINDS; i++) dprintf(fd, "%s %ld\n", kinds[i].name, atomic_load(&calls[i]));
    syscall(SYS_close, fd);
}
