#include "machine_info.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

#include "memory.h"
#include "sat.h"

/* /proc/cpuinfo: "model name : ..." on x86; Arm names no model, and the machine type has to do. */
static void read_cpu(char *to, size_t size)
{
    char line[512];
    FILE *f = fopen("/proc/cpuinfo", "r");
    while (f && fgets(line, sizeof line, f)) {
        char *colon = strchr(line, ':');
        if (strncmp(line, "model name", 10) != 0 || !colon) continue;
        colon += strspn(colon, ": \t");
        snprintf(to, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        break;
    }
    if (f) fclose(f);
}

/* CUDA's versions are 1000 * major + 10 * minor. */
static void read_device(machine_info *m)
{
    sat_device_info d;
    char memory[32], l2[32];
    if (sat_device_current(&d) != SAT_OK) return;
    snprintf(m->gpu, sizeof m->gpu, "%s, sm_%d, %d multiprocessors, L2 %s, memory %s", d.name, d.sm, d.multiprocessors,
             size_text(l2, (double)d.l2_bytes), size_text(memory, (double)d.memory_bytes));
    snprintf(m->cuda, sizeof m->cuda, "driver %d.%d, runtime %d.%d", d.driver / 1000, d.driver % 1000 / 10,
             d.runtime / 1000, d.runtime % 1000 / 10);
}

void machine_read(machine_info *m, bool with_device)
{
    struct utsname system;
    time_t now = time(NULL);
    struct tm utc;

    memset(m, 0, sizeof *m);
    m->cores = sat_processors();
    if (uname(&system) == 0) {
        snprintf(m->kernel, sizeof m->kernel, "%.40s %.60s", system.sysname, system.release);
        snprintf(m->cpu, sizeof m->cpu, "%.60s", system.machine);
    }
    read_cpu(m->cpu, sizeof m->cpu);
#ifdef __clang__
    snprintf(m->compiler, sizeof m->compiler, "%s", __VERSION__);
#else
    snprintf(m->compiler, sizeof m->compiler, "gcc %s", __VERSION__);
#endif
    if (with_device) read_device(m);
    if (gmtime_r(&now, &utc)) strftime(m->date, sizeof m->date, "%Y-%m-%d", &utc);
}
