/* query_statistics.cu - variances, deviations and more of rectangles, from a table of sums and one of squares.
 *
 * Idea    As in query.cu: reads at random addresses, of two tables, all before the first use.  The types of the tables
 *         are known at run time only: all threads take the same branch, and reads are the limit.
 *
 * Paper   Crow, Summed-area tables for texture mapping, SIGGRAPH 1984; src/lib/moments.h has the formulas.
 *
 * Layout  As in query.cu; an array for each statistic.
 *
 * Launch  As in query.cu.
 *
 * Traffic As in query.cu, twice the corners, and 8 bytes for each answer.
 *
 * Sync    As in query.cu.
 *
 * Limits  As in query.cu.
 *
 * Steps   1. Load the rectangle.  2. Validate it for both tables.  3. For each channel: load all corners, and make and
 *         store what is asked (src/lib/rect_statistics.def).  4. At the end: store the first invalid one.
 */
#include "query/query_rects.cuh"

#define SAT_STORE(to, value) prim::store(to, value)
#include "rect_values.h"

#include "query/query.cuh"

namespace
{

struct answer_statistics {
    static constexpr unsigned threads = query::BLOCK;
    using shared = query::first_invalid;
    sat_rect_question q;
    bool vectors; /* rectangles are aligned to 16 bytes */

    PRIM_DEVICE void operator()(shared &s) const
    {
        const uint64_t first = (uint64_t)prim::block_id() * threads + prim::thread_id();
        const uint64_t stride = (uint64_t)prim::blocks() * threads;
        uint64_t lowest = query::NONE;
        for (uint64_t i = first; i < q.n * (uint64_t)q.sums.count; i += stride)
            if (!answer_one(i) && lowest == query::NONE) lowest = i;
        s.store(lowest, q.rects, q.n, q.bad);
    }

    /* Four corners of any type, as words. */
    struct corners {
        uint64_t at[4];
    };
    PRIM_DEVICE static corners load(const sat_reader &t, uint64_t image, const sat_rect &rect, unsigned channel)
    {
        const int64_t x1 = rect.x + rect.width, y1 = rect.y + rect.height;
        const void *entry[4] = {sat_entry(&t, image, rect.x, rect.y), sat_entry(&t, image, x1, rect.y),
                                sat_entry(&t, image, rect.x, y1), sat_entry(&t, image, x1, y1)};
        const bool narrow = t.type == SAT_U32 || t.type == SAT_I32 || t.type == SAT_Q32 || t.type == SAT_F32;
        corners c;
#pragma unroll
        for (unsigned k = 0; k < 4; k++)
            c.at[k] = entry[k] == nullptr ? 0
                      : narrow            ? (uint64_t)prim::load((const uint32_t *)entry[k] + channel)
                                          : prim::load((const uint64_t *)entry[k] + channel);
        return c;
    }
    PRIM_DEVICE static float f32_of(uint64_t bits)
    {
        return __builtin_bit_cast(float, (uint32_t)bits);
    }
    PRIM_DEVICE static double f64_of(uint64_t bits)
    {
        return __builtin_bit_cast(double, bits);
    }
    PRIM_DEVICE static sat_sum combine(const sat_reader &t, const corners &c)
    {
        const uint64_t a = c.at[0], b = c.at[1], l = c.at[2], d = c.at[3];
        sat_sum sum;
        if (t.type == SAT_F32)
            sum.f = SAT_CORNERS(float, f32_of(a), f32_of(b), f32_of(l), f32_of(d));
        else if (t.type == SAT_F64)
            sum.f = SAT_CORNERS(double, f64_of(a), f64_of(b), f64_of(l), f64_of(d));
        else if (t.type == SAT_U32 || t.type == SAT_I32 || t.type == SAT_Q32)
            sum.u = SAT_CORNERS(uint32_t, (uint32_t)a, (uint32_t)b, (uint32_t)l, (uint32_t)d);
        else
            sum.u = SAT_CORNERS(uint64_t, a, b, l, d);
        return sum;
    }

    template <class T> PRIM_DEVICE static void put(T *to, uint64_t at, T v)
    {
        if (to) prim::store(to + at, v);
    }
    PRIM_DEVICE void put_nothing(uint64_t to) const
    {
        if (q.ask.sums) prim::store(&q.ask.sums[to].u, (uint64_t)0);
        sat_rect_put_nothing(&q.ask, to);
    }

    /* Answer i; false for an invalid rectangle. */
    PRIM_DEVICE bool answer_one(uint64_t i) const
    {
        const uint64_t image = q.sums.count > 1 ? i / q.n : 0, r = i - image * q.n;
        sat_rect rect = query::load_rect(&q.rects[r], vectors);
        /* Both tables cut it alike. */
        sat_rect_status status = sat_rect_validate(&q.sums, &rect);
        if (status == SAT_RECT_INSIDE && q.with_squares) status = sat_rect_validate(&q.squares, &rect);
        const bool inside = status == SAT_RECT_INSIDE;
        const double px = inside ? sat_rect_px(&rect) : 0;
        if (image == 0) put(q.ask.areas, r, inside ? rect.width * rect.height : (int64_t)0);
        if (image == 0) put(q.ask.areas_f64, r, px);
        for (unsigned k = 0; k < (unsigned)q.channels; k++) {
            const uint64_t to = i * (uint64_t)q.channels + k;
            if (inside)
                put_answers(image, rect, px, k, to);
            else
                put_nothing(to);
        }
        return status < SAT_RECT_EMPTY;
    }

    PRIM_DEVICE void put_answers(uint64_t image, const sat_rect &rect, double px, unsigned channel, uint64_t to) const
    {
        const corners of_sums = load(q.sums, image, rect, channel);
        corners of_squares = {};
        if (q.with_squares) of_squares = load(q.squares, image, rect, channel);
        const sat_sum c = combine(q.sums, of_sums), s1 = sat_rect_sum(&q.sums, c, px);
        if (q.ask.sums) prim::store(&q.ask.sums[to].u, s1.u);
        sat_rect_features f = {px, sat_rect_mean(&q.sums, c, px), sat_sum_as_double(q.sums.type, s1), 0, 0};
        if (q.with_squares) {
            const sat_sum s2 = sat_rect_sum(&q.squares, combine(q.squares, of_squares), px);
            if (q.ask.needs & SAT_NEEDS_VAR) f.var = sat_rect_variance(&q.sums, &q.squares, s1, s2, &rect, q.ask.ddof);
            if (q.ask.needs & SAT_NEEDS_SQUARES) f.squares = sat_rect_mean_square(&q.squares, s2, &rect);
        }
        sat_rect_put(&q.ask, to, &f);
    }
};

} // namespace

sat_status query_statistics(const sat_rect_question *question, void *stream)
{
    const bool vectors = (uintptr_t)question->rects % prim::VECTOR_BYTES == 0;
    return prim::launch(answer_statistics{*question, vectors}, query::blocks_of(question->n, question->sums.count),
                        stream);
}
