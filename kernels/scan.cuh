/* scan.cuh - the one job that every scan method does, and the table of types that it does it for.
 *
 * A job is `rows` independent scans of `length` elements.  One array is one row.  For a table the rows are those of
 * the image, one for each channel; then those of the transposed sums (table.cuh has the drawing).
 *
 *     in   element i of row r = y * step + c is sample number  y * in_pitch + i * step + c
 *     out  element i of row r is sum number                    r * out_pitch + i
 *
 * A method works on type pairs <Sample, Accum>; with_types() turns the two run-time types into the call of a template,
 * with_scan_types() those that the laboratory's scans are compiled for.
 */
#ifndef SCAN_CUH
#define SCAN_CUH

#include <type_traits>

#include "backend.h"
#include "prim/device.cuh"

struct scan_job {
    const void *in;
    sat_type sample;
    int64_t in_pitch;  /* samples from one image row to the next */
    int32_t step;      /* samples from one element to the next: the channels */
    void *out;         /* may be `in`, if step is 1, the types are the same, and so are the pitches */
    sat_type accum;    /* SAT_U32, SAT_U64, SAT_F32, SAT_F64, SAT_Q32 */
    int64_t out_pitch; /* sums from one row to the next */
    int64_t rows, length;
    bool exclusive;
    const void *initial_values; /* device: for each row the sum before its first element, of type accum; NULL = zeros */
    bool is_signed;    /* squares: samples are signed, and `sample` is the type of as many bytes without a sign */
    sat_quant quant;   /* SAT_Q32 */
    uint32_t *outside; /* device: set to 1 where a sample cannot be held by q32; it counts as 0 */
};

/* How a method is called.  B threads for each block and Q elements for each thread; 0 = the method's own choice. */
struct scan_shape {
    int block_threads, thread_items;
    bool naive_staging;
};

struct scan_algorithm {
    const char *name;
    /* Device memory that jobs of up to rows x length need, zeroed once before the first; every launch leaves it ready
     * for the next.  0 bytes are fine.  Refuses shapes that were not compiled in with SAT_ERR_UNAVAILABLE. */
    sat_status (*workspace)(int64_t rows, int64_t length, sat_type accum, const scan_shape *shape, size_t *bytes);
    /* Queues the job, of at most the rows and length that the workspace was made for. */
    sat_status (*queue)(const scan_job *job, const scan_shape *shape, void *workspace, void *stream);
    /* "B=256, Q=16": what the method chose, for notes. */
    void (*describe)(int64_t rows, int64_t length, sat_type accum, const scan_shape *shape, char *text, size_t bytes);
};

/* ---- types ------------------------------------------------------------------------------------------- */

template <class Sample, class Accum> struct type_pair {
    using sample = Sample;
    using accum = Accum; /* the arithmetic: uint32_t for q32 */
};

/* Fixed point: the same as uint32_t but for the way in. */
struct q32 {
};
/* Sums of squares, which are A. */
template <class A> struct squares_in {
};
template <class A> struct sums_in {
    using type = A;
};
template <> struct sums_in<q32> {
    using type = uint32_t;
};
template <class A> struct sums_in<squares_in<A>> {
    using type = A;
};
template <class Accum> constexpr bool sums_squares = false;
template <class A> constexpr bool sums_squares<squares_in<A>> = true;

/* Calls f(type_pair<Sample, Accum>()) for a pair that backends are given (backend.h), and <u64, u64> and
 * <accum, accum>.  Signed samples are summed in integers only: each pair is compiled for each kernel. */
template <class F> sat_status with_types(sat_type sample, sat_type accum, F f)
{
#define SAMPLE_TO(S, s, A, a)                                                                                          \
    if (sample == S && accum == A) return f(type_pair<s, a>())
#define INTEGER(S, s)                                                                                                  \
    SAMPLE_TO(S, s, SAT_U32, uint32_t);                                                                                \
    SAMPLE_TO(S, s, SAT_U64, uint64_t);                                                                                \
    SAMPLE_TO(S, s, SAT_F32, float);                                                                                   \
    SAMPLE_TO(S, s, SAT_F64, double)
    INTEGER(SAT_U8, uint8_t);
    INTEGER(SAT_U16, uint16_t);
    INTEGER(SAT_U32, uint32_t);
    SAMPLE_TO(SAT_I8, int8_t, SAT_U32, uint32_t);
    SAMPLE_TO(SAT_I8, int8_t, SAT_U64, uint64_t);
    SAMPLE_TO(SAT_I16, int16_t, SAT_U32, uint32_t);
    SAMPLE_TO(SAT_I16, int16_t, SAT_U64, uint64_t);
    SAMPLE_TO(SAT_I32, int32_t, SAT_U64, uint64_t);
    SAMPLE_TO(SAT_U64, uint64_t, SAT_U64, uint64_t);
    SAMPLE_TO(SAT_F32, float, SAT_F32, float);
    SAMPLE_TO(SAT_F32, float, SAT_F64, double);
    SAMPLE_TO(SAT_F32, float, SAT_Q32, q32);
    SAMPLE_TO(SAT_F64, double, SAT_F64, double);
    SAMPLE_TO(SAT_F64, double, SAT_Q32, q32);
#undef INTEGER
#undef SAMPLE_TO
    return sat_fail(SAT_ERR_TYPE, "%s samples cannot be summed in %s on a device", sat_type_name(sample),
                    sat_type_name(accum));
}

/* The same for the squares of samples, as type_pair<Sample, squares_in<Accum>>(); for signed samples, of their
 * magnitudes: Sample has no sign. */
template <class F> sat_status with_squares(sat_type sample, sat_type accum, F f)
{
#define SAMPLE_TO(S, T, s, A, a)                                                                                       \
    if ((sample == S || sample == T) && accum == A) return f(type_pair<s, squares_in<a>>())
    SAMPLE_TO(SAT_U8, SAT_I8, uint8_t, SAT_U32, uint32_t);
    SAMPLE_TO(SAT_U8, SAT_I8, uint8_t, SAT_U64, uint64_t);
    SAMPLE_TO(SAT_U16, SAT_I16, uint16_t, SAT_U32, uint32_t);
    SAMPLE_TO(SAT_U16, SAT_I16, uint16_t, SAT_U64, uint64_t);
    SAMPLE_TO(SAT_U32, SAT_I32, uint32_t, SAT_F64, double);
    SAMPLE_TO(SAT_F32, SAT_F32, float, SAT_F64, double);
    SAMPLE_TO(SAT_F64, SAT_F64, double, SAT_F64, double);
#undef SAMPLE_TO
    return sat_fail(SAT_ERR_TYPE, "squares of %s samples cannot be summed in %s on a device", sat_type_name(sample),
                    sat_type_name(accum));
}

/* Is there a kernel for these types?  For open(): a plan that exists can be run. */
inline sat_status has_types(sat_type sample, sat_type accum)
{
    return with_types(sample, accum, [](auto) { return SAT_OK; });
}

/* The same for the laboratory's scans and CUB's.  They are compared in these four pairs, and each pair is compiled for
 * each of them. */
template <class F> sat_status with_scan_types(sat_type sample, sat_type accum, F f)
{
    if (sample == SAT_U8 && accum == SAT_U32) return f(type_pair<uint8_t, uint32_t>());
    if (sample == accum && sample == SAT_U32) return f(type_pair<uint32_t, uint32_t>());
    if (sample == accum && sample == SAT_U64) return f(type_pair<uint64_t, uint64_t>());
    if (sample == accum && sample == SAT_F32) return f(type_pair<float, float>());
    return sat_fail(SAT_ERR_TYPE, "the laboratory's scans sum u8 in u32, and u32, u64, f32 in themselves: not %s in %s",
                    sat_type_name(sample), sat_type_name(accum));
}
inline sat_status has_scan_types(sat_type sample, sat_type accum)
{
    return with_scan_types(sample, accum, [](auto) { return SAT_OK; });
}

/* Calls f(Sum()) for the sums of these scans. */
template <class F> sat_status with_scan_sums(sat_type accum, F f)
{
    switch (accum) {
    case SAT_U32: return f(uint32_t());
    case SAT_U64: return f(uint64_t());
    case SAT_F32: return f(float());
    default: return sat_fail(SAT_ERR_TYPE, "the laboratory's scans have no sums of %s", sat_type_name(accum));
    }
}

/* ---- reading a row ------------------------------------------------------------------------------------- */

/* The samples of a job as sums; what methods read their input through. */
template <class Sample, class Accum> struct scan_source {
    using sum = typename sums_in<Accum>::type;
    const Sample *in;
    int64_t pitch;
    int32_t step;
    double offset, reciprocal, largest; /* q32; the reciprocal of a power of two is exact */
    uint32_t *outside;
    bool is_signed; /* squares: of signed samples */

    static scan_source of_job(const scan_job *j)
    {
        return {(const Sample *)j->in,    j->in_pitch, j->step,     j->quant.offset, 1 / j->quant.step,
                (double)j->quant.largest, j->outside,  j->is_signed};
    }

    /* Where row r begins; its elements lie `step` apart. */
    PRIM_DEVICE const Sample *row(int64_t r) const
    {
        return step == 1 ? in + r * pitch : in + r / step * pitch + r % step;
    }

    /* q32: to the nearest multiple of the quantum, half up; a sample that does not fit counts as 0 and sets `outside`.
     */
    PRIM_DEVICE sum widen(Sample v) const
    {
        if constexpr (std::is_same_v<Accum, q32>) {
            double q = ((double)v - offset) * reciprocal;
            if (q >= 0 && q <= largest) return (uint32_t)(q + 0.5);
            prim::store_relaxed(outside, 1u);
            return 0;
        } else if constexpr (sums_squares<Accum>) {
            if constexpr (std::is_integral_v<Sample>)
                if (is_signed && v >> (8 * sizeof v - 1)) v = (Sample)(0 - v);
            if constexpr (std::is_integral_v<sum>)
                return (sum)v * (sum)v;
            else
                return prim::product((sum)v, (sum)v);
        } else {
            return (sum)v; /* of a negative sample: extended by its sign, modulo 2^32 or 2^64 */
        }
    }
    PRIM_DEVICE sum at(const Sample *row, int64_t i) const { return widen(prim::load(row + i * step)); }
};
#endif
