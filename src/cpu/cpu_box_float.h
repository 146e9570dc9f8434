/* cpu_box_float.h - the cpu backend's box filter for float samples. */
#ifndef SAT_CPU_BOX_FLOAT_H
#define SAT_CPU_BOX_FLOAT_H

#include "backend.h"
#include "cpu.h"
#include "isa.h"
#include "box_window.h"

typedef struct sat_cpu_box_float sat_cpu_box_float;

/* counted: as of sat_cpu_means_open(); so are the counts of a run. */
sat_status sat_cpu_box_float_open(const sat_box_spec *spec, const sat_cpu_counted *counted,
                                  const sat_box_window *window, const sat_isa *isa, int threads, sat_arena *arena,
                                  sat_cpu_box_float **filter);
sat_status sat_cpu_box_float_run(sat_cpu_box_float *filter, const sat_view *src, const sat_view *mask,
                                 const sat_view *dst, const sat_run *run, sat_counts *counts);

#endif
