/* sums_moments_template.h - mean and variance from prefix sums of VALUE (numbers_template.h), of 32 or 64 bits, and of
 * squares in SQUARES: u64, or u32 if BITS are 32. */
#include "numbers_template.h"

TARGET static void NAME_3(moments, VALUE, SQUARES)(f64 *restrict mean, f64 *restrict var, const void *sums,
                                                   const void *squares, int64_t reach, f64 count, f64 ddof, int64_t n)
{
    const SUM *restrict s = sums;
    const SQUARES *restrict q = squares;
    const f64 per_count = 1 / count, by = count * (count - ddof), per_by = 1 / by;
    for (int64_t i = 0; !squares && i < n; i++)
        mean[i] = quotient_f64(OF_VALUE(F64)((SUM)(s[i + reach] - s[i])), count, per_count);
    for (int64_t i = 0; squares && i < n; i++) {
        const f64 sum = OF_VALUE(F64)((SUM)(s[i + reach] - s[i]));
        const f64 sum_of_squares = f64_of((SQUARES)(q[i + reach] - q[i]));
        mean[i] = quotient_f64(sum, count, per_count);
        var[i] = quotient_f64(count * sum_of_squares - sum * sum, by, per_by);
    }
}
#undef SQUARES
