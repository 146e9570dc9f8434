/* isa_template.h - the loops over one row, compiled for one instruction set.
 *
 * Parameters: ISA (its name), SET (its sat_set), TARGET (the function attribute that turns it on), VECTOR_BYTES (0:
 * plain loops), and the function fence(). With vectors also LOAD(), which widens samples into one, LOAD_SCANS(), which
 * says whether LOAD() has scanned the vector, too, MOVE_UP(), stream_vector() and CORRECTED().
 */
#include "isa.h"
#include "loops_template.h"

#define STRING_(a) #a
#define STRING(a)  STRING_(a)

/* ---- tables -------------------------------------------------------------------------------------------- */

/* What there is for a type of samples and one of sums. */
typedef struct pair_loops {
    sat_widen *widen;
    sat_scan_loops scan[4]; /* of 1 .. 4 channels */
} pair_loops;

typedef i32 flag_f32; /* as many bits */
typedef i64 flag_f64;
#define next_f32 nextafterf
#define next_f64 nextafter

#define EACH_SAMPLE "scan_sample_template.h"
#include "samples_template.h"

/* Fixed point sums u32 after quantise().  Signed samples are summed modulo 2^32 and 2^64 too; i32 ones modulo 2^32 are
 * u32 to a backend. */
static const pair_loops *loops_of(sat_type sample, sat_type accum)
{
#define LOOPS(S, s, A, a)     [SAT_##S][SAT_##A] = &loops_##s##_##a
#define LOOPS_TO_FLOATS(S, s) LOOPS(S, s, F32, f32), LOOPS(S, s, F64, f64)
#define LOOPS_TO_ALL(S, s)    LOOPS(S, s, U32, u32), LOOPS(S, s, U64, u64), LOOPS_TO_FLOATS(S, s)
    static const pair_loops *const loops[SAT_F16 + 1][SAT_F16 + 1] = {
        LOOPS_TO_ALL(U8, u8),      LOOPS_TO_ALL(U16, u16),    LOOPS_TO_ALL(U32, u32),
        LOOPS_TO_ALL(I8, i8),      LOOPS_TO_ALL(I16, i16),    LOOPS(I32, i32, U64, u64),
        LOOPS_TO_FLOATS(I32, i32), LOOPS_TO_FLOATS(F32, f32), LOOPS(F64, f64, F64, f64),
    };
#undef LOOPS
    return loops[sample][accum];
}

static sat_widen *widen(sat_type sample, sat_type accum)
{
    const pair_loops *loops = loops_of(sample, accum);
    return loops ? loops->widen : NULL;
}

static const sat_scan_loops *scan(sat_type sample, sat_type accum, int channels)
{
    const pair_loops *loops = loops_of(sample, accum);
    return loops ? &loops->scan[channels - 1] : NULL;
}

static sat_square *square(sat_type sample)
{
    static sat_square *const squares[] = {
        [SAT_U8] = square_u8,   [SAT_U16] = square_u16, [SAT_U32] = square_u32, [SAT_I8] = square_i8,
        [SAT_I16] = square_i16, [SAT_I32] = square_i32, [SAT_F32] = square_f32, [SAT_F64] = square_f64,
    };
    return squares[sample];
}

static sat_quantise *quantise(sat_type sample)
{
    return sample == SAT_F32 ? quantise_f32 : quantise_f64;
}

/* ---- stream -------------------------------------------------------------------------------------------- */

#if VECTOR_BYTES == 0
static void stream(void *dst, const void *src, size_t bytes)
{
    memcpy(dst, src, bytes);
}
#else
/* Whole, aligned 64-byte lines go past the caches; the two ends, which other calls share, do not. */
TARGET static void stream(void *dst, const void *src, size_t bytes)
{
    char *d = dst;
    const char *s = src;
    size_t head = (size_t)(-(uintptr_t)d & 63);
    if (head > bytes) head = bytes;
    memcpy(d, s, head);
    d += head, s += head, bytes -= head;
    for (; bytes >= 64; d += 64, s += 64, bytes -= 64)
        for (int i = 0; i < 64; i += VECTOR_BYTES) stream_vector(d + i, s + i);
    memcpy(d, s, bytes);
}
#endif

#include "box_template.h"
#include "box_float_template.h"

#define REAL f32
#include "gauss_template.h"
#define REAL f64
#include "gauss_template.h"

#include "window_template.h"

const sat_isa NAME_2(sat_isa, ISA) = {
    .name = STRING(ISA),
    .set = SET,
    .widen = widen,
    .scan = scan,
    .square = square,
    .quantise = quantise,
    .stream = stream,
    .fence = fence,
    .box = &box_ops,
    .box_float = &box_float_ops,
    .gauss = {&gauss_ops_f32, &gauss_ops_f64},
    .window = &window_ops,
};
