/* table.cuh - summed-area tables out of any row scan: scan the rows, transpose, scan the rows again (which are the
 * columns), transpose back.
 *
 *      image H x W x C            sums A: H*C rows of W         sums B: W*C rows of H          table
 *     +--------------+   scan    +--------------+  transpose   +------+   scan in place, from  +----------------+
 *     | y: x,c x,c ..|  ------>  | y,c: x x x ..|  --------->  | x,c: |   the carry row        | 0  0  0  0 ..  |
 *     |              |           |              |   each c     |  y y |  ---------------->     | 0  y: x,c x,c  |
 *     +--------------+           +--------------+              +------+   transpose back       +----------------+
 *
 *     reads and writes for each pixel: 1 image + 3 sums read, 4 sums written
 *
 * Paper: Hensley et al., Fast summed-area table generation, Eurographics 2005; Harris, Sengupta & Owens, Parallel
 * prefix sum (scan) with CUDA, GPU Gems 3 ch. 39.3.2.
 *
 * The functions below are what a backend's and a scan method's descriptors need; a file with an algorithm wraps the two
 * open functions and points to the others. */
#ifndef TABLE_CUH
#define TABLE_CUH

#include "backend.h"
#include "probe.cuh"
#include "scan.cuh"
#include "scan_method.h"

/* The hook sat_backend.wait: waits, then fails if a run has set the flag `outside` (q32; NULL for other sums), and
 * clears it. */
sat_status wait_in_range(uint32_t *outside, void *stream);

sat_status table_open(const scan_algorithm *algorithm, const sat_plan_spec *spec, sat_arena *arena, void **state,
                      char *note, size_t note_bytes);
sat_status table_run(void *state, const sat_view *image, const sat_view *table, const sat_run *run);

sat_status array_open(const scan_algorithm *algorithm, const sat_scan_spec *spec, sat_arena *arena, void **state,
                      char *note, size_t note_bytes);
sat_status array_run(void *state, const void *in, void *out, void *stream);

#endif
