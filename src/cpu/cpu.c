/* cpu.c - the backend for every machine: all cores, the widest vectors, one read and one write. */
#include "cpu.h"
#include "isa.h"

static bool probe(const char **why)
{
    return sat_isa_in_use(why) != NULL;
}

const sat_backend sat_backend_cpu = {
    .name = "cpu",
    .summary = "all cores, vectors, a wavefront of bands with non-temporal stores",
    .paper = "Zhang, Wang & Ross, Parallel prefix sum with SIMD, ADMS 2020 (cache-sized partitions)",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .gaps = true,
    .squares = true,
    .probe = probe,
    .open = sat_cpu_table_open,
    .run = sat_cpu_table_run,
    .box = &sat_cpu_box,
    .window = &sat_cpu_windows,
    .gauss = &sat_cpu_gauss,
};
