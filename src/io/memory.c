#include "memory.h"

#include <limits.h>
#include <stdint.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER; /* for taken */
static pthread_cond_t less = PTHREAD_COND_INITIALIZER;   /* taken has become less */
static uint64_t limit, taken;
static const char *limit_words = ", three quarters of the memory";

static void set_default(void)
{
    limit = memory_of_machine("") / 4 * 3;
}

uint64_t memory_limit(void)
{
    pthread_once(&once, set_default);
    return limit;
}

void memory_set_limit(uint64_t bytes)
{
    pthread_once(&once, set_default);
    limit = bytes;
}

void memory_name_limit(const char *words)
{
    limit_words = words;
}

bool memory_allows(uint64_t bytes, const char *what, error *err)
{
    char size[32], most[32];
    if (bytes <= memory_limit()) return true;
    size_texts(size, bytes, most, memory_limit());
    return fail(err, "%s of %s, more than the %s%s", what, size, most, limit_words);
}

void memory_take(memory_share *share, uint64_t bytes)
{
    uint64_t most = memory_limit();
    share->bytes = bytes < most ? bytes : most;
    pthread_mutex_lock(&lock);
    while (share->bytes > most - taken) pthread_cond_wait(&less, &lock);
    taken += share->bytes;
    pthread_mutex_unlock(&lock);
}

void memory_keep(memory_share *share, uint64_t bytes)
{
    if (bytes >= share->bytes) return;
    pthread_mutex_lock(&lock);
    taken -= share->bytes - bytes;
    pthread_cond_broadcast(&less);
    pthread_mutex_unlock(&lock);
    share->bytes = bytes;
}

void *memory_allocate(size_t n)
{
    enum { PAGE = 4096, HUGE_PAGE = 2 << 20 }; /* x86-64, and Arm with 4 KiB pages; elsewhere only alignments */
    void *bytes = NULL;
    bool huge = n >= 2 * HUGE_PAGE;
    if (posix_memalign(&bytes, huge ? HUGE_PAGE : PAGE, n) != 0) return NULL;
    if (huge) madvise(bytes, n, MADV_HUGEPAGE);
    return bytes;
}

void *memory_rows(int64_t rows, size_t row_bytes, error *err)
{
    size_t bytes;
    void *data = __builtin_mul_overflow((size_t)rows, row_bytes, &bytes) ? NULL : memory_allocate(bytes);
    if (!data) fail_memory(err, "out of memory: %lld rows of %zu bytes", (long long)rows, row_bytes);
    return data;
}

/* ---- the machine ----------------------------------------------------------------------------------- */

/* The number in a file; UINT64_MAX without a file or a number ("max"). */
static uint64_t read_limit(const char *path)
{
    unsigned long long value = UINT64_MAX;
    FILE *f = fopen(path, "re");
    if (f && fscanf(f, "%llu", &value) != 1) value = UINT64_MAX;
    if (f) fclose(f);
    return value;
}

/* The least limit of a control group and its parents.  group: its path in the tree, shortened to "".  In a container
 * the tree may contain only the root group. */
static uint64_t least_limit(const char *root, const char *tree, char *group, const char *name)
{
    char path[PATH_MAX];
    uint64_t least = UINT64_MAX;
    for (;;) {
        int n = snprintf(path, sizeof path, "%s%s%s/%s", root, tree, group, name);
        uint64_t value = n > 0 && (size_t)n < sizeof path ? read_limit(path) : UINT64_MAX;
        if (value < least) least = value;
        char *slash = strrchr(group, '/');
        if (!slash) return least;
        *slash = 0;
    }
}

/* Is the word in a list separated by commas? */
static bool lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (; *list; list += strcspn(list, ","), list += *list == ',')
        if (strncmp(list, word, n) == 0 && strcspn(list, ",") == n) return true;
    return false;
}

/* /proc/self/cgroup: lines of NUMBER:CONTROLLERS:PATH, where version 2 has no controllers (cgroups(7)). */
static uint64_t cgroup_limit(const char *root)
{
    char path[PATH_MAX], line[PATH_MAX];
    uint64_t least = UINT64_MAX;
    snprintf(path, sizeof path, "%s/proc/self/cgroup", root);
    FILE *f = fopen(path, "re");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *group = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!group) continue;
        *group++ = 0;
        controllers++;
        uint64_t value = UINT64_MAX;
        if (*controllers == 0) value = least_limit(root, "/sys/fs/cgroup", group, "memory.max");
        if (lists(controllers, "memory"))
            value = least_limit(root, "/sys/fs/cgroup/memory", group, "memory.limit_in_bytes");
        if (value < least) least = value;
    }
    if (f) fclose(f);
    return least;
}

uint64_t memory_of_machine(const char *root)
{
    uint64_t pages = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t group = cgroup_limit(root);
    return group < pages ? group : pages;
}

/* ---- text ------------------------------------------------------------------------------------------ */

static void put_size(char *buffer, double bytes, int digits, bool up)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    size_t u = 0;
    while (bytes >= 1024 && u + 1 < sizeof units / sizeof *units) {
        bytes /= 1024;
        u++;
    }
    double scale = 1;
    for (int i = 0; i < digits; i++) scale *= 10;
    if (up && u > 0) { /* without ceil(), which not every compiler has in itself */
        const double whole = (double)(uint64_t)(bytes * scale);
        bytes = (whole < bytes * scale ? whole + 1 : whole) / scale;
    }
    snprintf(buffer, 32, "%.*f %s", u ? digits : 0, bytes, units[u]);
}

const char *size_text(char *buffer, double bytes)
{
    put_size(buffer, bytes, 1, false);
    return buffer;
}

/* 12 digits show a byte in a TiB. */
void size_texts(char *more, uint64_t more_bytes, char *most, uint64_t most_bytes)
{
    for (int digits = 1; digits <= 12; digits++) {
        put_size(more, (double)more_bytes, digits, true);
        put_size(most, (double)most_bytes, digits, false);
        if (strcmp(more, most) != 0) return;
    }
}
