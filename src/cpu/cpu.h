/* cpu.h - the parts of the cpu backend; cpu.c is its descriptor. */
#ifndef SAT_CPU_CPU_H
#define SAT_CPU_CPU_H

#include "backend.h"

/* cpu_table.c: a wavefront of bands */
sat_status sat_cpu_table_open(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes);
sat_status sat_cpu_table_run(void *state, const sat_view *image, const sat_view *table, const sat_run *run);

/* Which samples count in the windows of a mean; `empty` is the mean of those in which fewer than `least` do. */
typedef struct sat_cpu_counted {
    bool masked, skip_nan, has_nodata;
    double nodata, least, empty;
    bool keep_holes;
    bool avoids; /* `empty` (cpu_window.h: sat_cpu_avoid()) */
} sat_cpu_counted;

/* cpu_box.c: running column sums.  counted NULL: all samples count; else images have no alpha.  Of floats that count,
 * no window holds 2^16 rows: its height is less, or the image has less than 2^15 rows, and the window reaches beyond
 * the image by the image's size at most where the border repeats rows. */
sat_status sat_cpu_means_open(const sat_box_spec *spec, const sat_cpu_counted *counted, sat_arena *arena, void **state,
                              char *note, size_t note_bytes);
sat_status sat_cpu_means_run(void *state, const sat_view *src, const sat_view *mask, const sat_view *dst,
                             const sat_run *run, sat_counts *counts);

extern const sat_hooks sat_cpu_box;
extern const sat_hooks sat_cpu_windows; /* cpu_window.c */
extern const sat_hooks sat_cpu_gauss;   /* cpu_gauss.c */

#endif
