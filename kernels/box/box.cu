/* box.cu - the box filter without a table: each sample is read, and each mean written, once.
 *
 * Idea    A block walks down a strip of the image, or up.  Some of its warps keep column sums: for each column, the
 *         sum over the window's rows.  In each step one row enters and one leaves.  Each of the other warps makes one
 *         row of means from column sums: each lane owns a run of neighbouring columns, and slides a window over them.
 *         One column enters, one leaves.  Short first windows are summed column by column.  Longer ones come from a
 *         warp scan of the runs' sums: prefixes of one row, held in registers.  So the cost depends on the window's
 *         size only by the halo: columns to the left and right of a strip, and rows above a segment, which two blocks
 *         read.  While the warps of rows do one step, those of columns have summed the rows of the next one and loaded
 *         those of the step after.  A block needs few columns in flight, so that segments are tall, and the rows above
 *         them few.  Those rows are read by all warps: warps of rows form groups as large as the warps of columns, sum
 *         some of the rows above, and store their sums in shared memory.
 *
 * Paper   McDonnell, Box-filtering techniques, CGIP 17, 1981, has the two sliding sums.  This file's: first windows by
 *         a scan; two sums of 16 bits in one word where the window's rows allow it, each added to a sum of 32 bits, or
 *         taken from it, by a dot product with a constant: one instruction, without unpacking.
 *
 * Layout  One block, and the columns of its threads:
 *
 *               |<-- before -->|<------- strip: results -------->|<-- after -->|
 *               +--------------+----------------------------------+------------+   columns: RUN for each lane of a
 *               | t0 t0 t0 t0 t1 t1 t1 t1 ...  OWN columns for each thread of  |   warp, 32 * RUN in all
 *               |                              a warp of columns, PARTS times  |
 *               +--------------------------------------------------------------+
 *     step k    | row y        enters (y + after), leaves (y - 1 - before)     |   the first warp of rows writes this
 *               | row y + 1                                                    |   row's results, the second this one's
 *               | ...  STEP rows                                               |
 *
 *         and the column sums of a row in shared memory (window = 2 runs and r columns):
 *
 *               lane      0          1          2          3
 *               run    |.......E  |.......E  |.......E  |.......E      E: the exclusive prefix of the run (warp scan)
 *                      |          |          |..r P     |..r P         P: E and the run's first r columns
 *               first window of lane 0 = P of lane 2 - E of lane 0     (one shuffle)
 *
 *         A run is an odd number of 16-byte vectors, so that lanes read their vectors without bank conflicts.  The
 *         window's width modulo a vector is known when the kernel is compiled: one of 8 cases, or of 4.
 *
 * Launch  One block for each strip and segment of rows; strips at the edges first, since they take longest.  A
 *         segment begins with the rows above its first window, and a strip loses the window's width: RUN is chosen
 *         for the window, and segments so that blocks fill the multiprocessors evenly (rows_of()).  Every other
 *         segment is walked upwards: neighbours begin at the same rows, or end at the same, and so share them in L2.
 *
 * Traffic 1R1W; the leaving rows a second time, from L2; strips and segments read their halos.
 *
 * Sync    One barrier for STEP rows, where column sums change hands: shared memory holds those of two steps.  Two
 *         barriers before the first step: sources of the halo's columns are stored; all groups have stored the sums of
 *         their rows above.  And one of the warp before it writes the results that its lanes have staged.  Blocks do
 *         not communicate.
 *
 * Limits  u8 and u16, with results of the same type, or of f32 (box_real.cu, which shares box_prepare.cuh).  Column
 *         sums in 16 bits up to 257 rows of u8, else in 32; windows up to a strip's columns; windows that reach
 *         outside the image by at most its size, unless samples there count nothing; rows of less than 2^30 samples.
 *         Other filters go through a table.  Modulo 2^16 or 2^32 all differences are exact, since each window's own
 *         sum fits.  Windows that leave strips little room: box_wide.cu.  Windows of 3x3: box_small.cu.  Floats:
 *         box_float.cu.
 *
 * Steps   All warps: 1. sums of the rows above; barrier.  Warps of columns: 2. add the sums of all groups  3. rows
 *         enter and leave, and their registers are loaded with later rows  4. barrier; the next step.  Warps of rows:
 *         2. barrier  3. first windows, slide, divide by a multiplication (box_divide.cuh proves it), stage; where an
 *         edge cuts windows, their sums are stored and divided one by one; write  4. the next step
 */
#include <stdio.h>

#include "box/box_float.cuh"
#include "box/box_prepare.cuh"
#include "box/box_small.cuh"
#include "box/box_wide.cuh"

namespace
{

using box::NAME, box::strip_plan;

struct filter {
    strip_plan integers;
    box_float *floats; /* float samples; then not the above */
    box_wide *wide;    /* wide or tall windows; then neither */
    box_small *small;  /* beside them, for views that it takes */
};

/* ---- which kernel -------------------------------------------------------------------------------------- */

sat_status prepare_integers(strip_plan *f, box_wide **wide)
{
    sat_status status;
    if (f->spec.weighted_alpha) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: does not weigh integers", NAME);
    if (box_wide_pays(&f->spec, &f->window, &f->reach_x, &f->reach_y)) {
        status = box_wide_open(&f->spec, &f->window, &f->reach_x, &f->reach_y, f->arena, wide);
        if (status != SAT_ERR_UNAVAILABLE) return status;
        *wide = NULL;
    }
    if (f->spec.result != f->spec.sample) return box::prepare_reals(f);
    return f->spec.sample == SAT_U8 ? box::prepare_bytes(f) : box::prepare_words(f);
}

/* The rest goes through a table. */
bool has_kernel(const sat_box_spec *s)
{
    if (sat_is_float(s->sample)) return sat_is_float(s->result);
    return (s->sample == SAT_U8 || s->sample == SAT_U16) && (s->result == s->sample || s->result == SAT_F32);
}

sat_status box_open(const void *given, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const sat_box_spec *spec = (const sat_box_spec *)given;
    filter *f = prim::arena_new<filter>(arena);
    if (f == NULL) return SAT_ERR_MEMORY;
    strip_plan *p = &f->integers;
    const bool real = sat_is_float(spec->sample);
    p->arena = arena;
    p->spec = *spec;
    sat_status status = sat_box_window_of(spec, &p->window);
    if (status == SAT_OK && !has_kernel(spec))
        status = sat_fail(SAT_ERR_UNAVAILABLE, "%s: no %s means of %s samples without a table", NAME,
                          sat_type_name(spec->result), sat_type_name(spec->sample));
    const bool nothing = p->window.border && (p->window.border->shrinks || (real && p->window.border->takes_value));
    if (status == SAT_OK) status = box::clip_reach(&p->window, nothing, &p->reach_x, &p->reach_y);
    if (status == SAT_OK && box_small_fits(spec, &p->reach_x, &p->reach_y)) {
        status = box_small_open(spec, &p->window, &p->reach_x, &p->reach_y, arena, &f->small);
        if (status == SAT_ERR_UNAVAILABLE) status = SAT_OK;
    }
    if (status == SAT_OK)
        status = real ? box_float_open(spec, &p->window, &p->reach_x, &p->reach_y, arena, &f->floats)
                      : prepare_integers(p, &f->wide);
    if (status != SAT_OK) return status;
    const char *device;
    (void)device_probe(&device);
    const int n = snprintf(note, note_bytes, "%s without a table, %s", spec->backend, device);
    if (n > 0 && (size_t)n < note_bytes) sat_box_window_note(&p->window, note + n, note_bytes - (size_t)n);
    *state = f;
    return SAT_OK;
}

sat_status box_run(void *state, const sat_view *src, const sat_view *, const sat_view *dst, const sat_run *run,
                   sat_counts *)
{
    void *stream = run->stream;
    const filter *f = (const filter *)state;
    if (f->small && box_small_takes(src, dst)) return box_small_run(f->small, src, dst, stream);
    if (f->floats) return box_float_run(f->floats, src, dst, stream);
    if (f->wide) return box_wide_run(f->wide, src, dst, stream);
    return f->integers.queue(&f->integers, src, dst, stream);
}

int64_t box_period(const void *given)
{
    const sat_box_spec *spec = (const sat_box_spec *)given;
    return sat_is_float(spec->sample) ? box_float_period(spec->sample, spec->window_height) : 1;
}

} // namespace

const sat_hooks sat_box_on_device = {.open = box_open, .run = box_run, .batches = true, .period = box_period};
