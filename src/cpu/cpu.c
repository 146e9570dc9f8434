/* cpu.c - the backend for every machine: all cores, the widest vectors, one read and one write. */
#include "cpu.h"
#include "cpu_gauss.h"
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
    .box_open = sat_cpu_box_open,
    .box_run = sat_cpu_box_run,
    .gauss_open = sat_cpu_gauss_open,
    .gauss_run = sat_cpu_gauss_run,
    .window_open = sat_cpu_window_open,
    .window_run = sat_cpu_window_run_image,
};
