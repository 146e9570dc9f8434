/* cpu_gauss.h - the cpu backend's Gaussian filter (cpu_gauss.c). */
#ifndef SAT_CPU_GAUSS_H
#define SAT_CPU_GAUSS_H

#include "backend.h"

sat_status sat_cpu_gauss_open(const sat_gauss_spec *spec, sat_arena *arena, void **state, char *note,
                              size_t note_bytes);
sat_status sat_cpu_gauss_run(void *state, const sat_view *src, const sat_view *dst, const sat_run *run,
                             sat_counts *counts);

#endif
