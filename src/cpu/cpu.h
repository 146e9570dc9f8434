/* cpu.h - the parts of the cpu backend; cpu.c is its descriptor. */
#ifndef SAT_CPU_CPU_H
#define SAT_CPU_CPU_H

#include "backend.h"

/* cpu_table.c: a wavefront of bands */
sat_status sat_cpu_table_open(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
sat_status sat_cpu_table_run(void *state, const sat_view *image, const sat_view *table, const sat_run *run);

/* cpu_box.c: running column sums */
sat_status sat_cpu_box_open(const sat_box_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
sat_status sat_cpu_box_run(void *state, const sat_view *src, const sat_view *dst, const sat_run *run);

/* cpu_window.c: window statistics */
sat_status sat_cpu_window_open(const sat_window_spec *spec, sat_arena *arena, void **state, char *note,
                               size_t note_bytes);
sat_status sat_cpu_window_run_image(void *state, const sat_view *src, const sat_view *mask, const sat_view *results,
                                    const sat_run *run, sat_counts *counts);

#endif
