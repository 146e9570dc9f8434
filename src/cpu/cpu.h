/* cpu.h - the parts of the cpu backend; cpu.c is its descriptor. */
#ifndef SAT_CPU_CPU_H
#define SAT_CPU_CPU_H

#include "backend.h"

/* cpu_table.c: a wavefront of bands */
sat_status sat_cpu_table_open(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
sat_status sat_cpu_table_run(void *state, const sat_view *image, const sat_view *table, const sat_run *run);

extern const sat_hooks sat_cpu_box;     /* cpu_box.c: running column sums */
extern const sat_hooks sat_cpu_windows; /* cpu_window.c */
extern const sat_hooks sat_cpu_gauss;   /* cpu_gauss.c */

#endif
