/* machine.c - cores and caches. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "choose.h"
#include "machine.h"
#include "override.h"
#include "path.h"

int sat_machine_threads(int threads, double work, double share)
{
    return threads ? threads : sat_threads_worth(work, share, sat_processors());
}

/* Bytes of the last-level cache, 8 MiB where the system does not say.  From sysfs: sysconf() has been seen
 * to answer for a whole host of which a guest has a part. */
static size_t read_last_level_cache(void)
{
    unsigned long kib = 0;
    for (int level = 3; level >= 2 && kib == 0; level--) {
        char path[64];
        snprintf(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%d/size", level);
        FILE *file = fopen(path, "re");
        if (file == NULL) continue;
        if (fscanf(file, "%luK", &kib) != 1) kib = 0;
        fclose(file);
    }
    return kib ? (size_t)kib << 10 : (size_t)8 << 20;
}

/* Read once for all plans, as it takes longer than all else that creates a small one.  Threads that come here at the
 * same time read the same; there is no lock that a fork could leave locked. */
static size_t last_level_cache(void)
{
    static atomic_size_t known;
    size_t bytes = atomic_load_explicit(&known, memory_order_relaxed);
    if (bytes == 0) {
        bytes = read_last_level_cache();
        atomic_store_explicit(&known, bytes, memory_order_relaxed);
    }
    return bytes;
}

bool sat_machine_streams(size_t row_bytes, int64_t rows)
{
    const char *forced = sat_override("SAT_STREAM");
    if (forced && strcmp(forced, "always") == 0) return true;
    if (forced && strcmp(forced, "never") == 0) return false;
    return SAT_PATH(stream) && row_bytes > last_level_cache() / 3 / (size_t)rows;
}
