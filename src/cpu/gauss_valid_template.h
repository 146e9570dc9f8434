/* gauss_valid_template.h - a part of gauss_template.h: samples that do not count.
 *
 * Beside each line of values goes one of weights through the same passes: of zeros and ones, or of alpha and zeros.
 * A line of ones would become other numbers near 1, by rounding, and the same ones wherever all samples within reach
 * count: sums are of the same terms in the same order there.  settle() makes them 1 again after each axis.  So a
 * quotient has the bits of a blur where no hole is near. */

/* Weights below that are none: of smaller ones, values beside them could have lost their digits. */
#if BITS_OF(REAL) == 32
#define LEAST_WEIGHT 0x1p-64f
#else
#define LEAST_WEIGHT 0x1p-512
#endif

TARGET static void NAME(count)(void *lines, void *weights, int64_t n, const sat_gauss_valid *valid, bool zeros)
{
    const NAME(line) nodata = NAME(get)(valid->nodata);
    const MASKS nan = (MASKS){0} - (MASK)valid->skip_nan;
    const REALS zero = {0};
    NAME(line) ones;
    EACH ones.v[g] = (REAL)1 - zero;
    REAL *v = lines, *w = weights;
    for (int64_t y = 0; y < n; y++, v += GAUSS_LANES, w += GAUSS_LANES) {
        const int64_t block = (valid->first + y) / GAUSS_LANES, line = (valid->first + y) % GAUSS_LANES;
        NAME(line) value = NAME(get)(v), weight = ones;
        if (valid->mask) {
            const uint8_t *mask = valid->mask + (size_t)block * valid->block_bytes + line * GAUSS_LANES;
            REAL counts[GAUSS_LANES];
            for (int i = 0; i < GAUSS_LANES; i++) counts[i] = (REAL)mask[i];
            weight = NAME(get)(counts);
        }
        EACH
        {
            const __typeof__(value.v[g]) same = value.v[g]; /* which a NaN is not equal to */
            const MASKS none = (MASKS)(value.v[g] == nodata.v[g]) | (nan & (MASKS)(value.v[g] != same));
            weight.v[g] = SELECT(none, zero, weight.v[g]);
            value.v[g] = SELECT(weight.v[g] == zero, zero, value.v[g]);
        }
        NAME(put)(w, weight);
        if (zeros) NAME(put)(v, value);
    }
}

TARGET static void NAME(weigh_counting)(void *lines, void *weights, int64_t n, int channels)
{
    REAL *v = lines, *w = weights;
    for (int64_t i = 0; i < n * GAUSS_LANES; i += channels) {
        const REAL alpha = v[i + channels - 1];
        const bool counts = w[i + channels - 1] != 0;
        for (int c = 0; c < channels - 1; c++) {
            const bool both = counts && w[i + c] != 0;
            v[i + c] = both ? v[i + c] * alpha : 0;
            w[i + c] = both ? alpha : 0;
        }
    }
}

TARGET static void NAME(settle)(void *weights, const double *ones, const double *scale, const void *whole, int64_t n)
{
    const NAME(line) lanes = NAME(get)(whole);
    REAL *w = weights;
    for (int64_t i = 0; i < n; i++, w += GAUSS_LANES) {
        const REALS all = (REAL)ones[i] - (REALS){0}, one = (REAL)1 - (REALS){0};
        const REALS by = (scale ? (REAL)scale[i] : 1) - (REALS){0};
        NAME(line) weight = NAME(get)(w);
        EACH
        {
            const MASKS settles = (MASKS)(weight.v[g] == all) & (MASKS)(lanes.v[g] == one);
            weight.v[g] = SELECT(settles, one, weight.v[g] * by);
        }
        NAME(put)(w, weight);
    }
}

TARGET static void NAME(divide)(void *values, void *weights, int64_t n, const sat_gauss_divisor *by)
{
    const NAME(line) least = NAME(get)(by->least);
    const REALS zero = {0}, one = (REAL)1 - zero, tiny = LEAST_WEIGHT - zero;
    const REAL *a = by->alpha, *aw = by->alpha_weights;
    REAL *v = values, *w = weights;
    for (int64_t i = 0; i < n * GAUSS_LANES; i += GAUSS_LANES) {
        const REALS scale = (by->scale ? (REAL)by->scale[i / GAUSS_LANES] : 1) - zero;
        NAME(line) value = NAME(get)(v + i), weight = NAME(get)(w + i), alpha = weight, share = weight;
        if (a) alpha = NAME(get)(a + i), share = NAME(get)(aw + i);
        EACH
        {
            REALS enough = least.v[g] * scale;
            enough = SELECT(enough > tiny, enough, tiny);
            value.v[g] = value.v[g] / weight.v[g];
            if (a) {
                value.v[g] = SELECT(weight.v[g] != zero, value.v[g], zero);
                share.v[g] = SELECT(alpha.v[g] != zero, share.v[g] * (weight.v[g] / alpha.v[g]), share.v[g]);
            }
            weight.v[g] = SELECT(share.v[g] < enough, zero, one);
        }
        NAME(put)(v + i, value);
        NAME(put)(w + i, weight);
    }
}

/* Colours count where alpha does, too. */
INLINE void NAME(join_alpha)(REAL *centres, int channels)
{
    for (int i = 0; i < GAUSS_LANES; i += channels)
        for (int c = 0; c < channels - 1; c++) centres[i + c] *= centres[i + channels - 1];
}

TARGET static int64_t NAME(finish)(void *block, void *kinds, int64_t n, int lanes, const sat_gauss_holes *holes)
{
    const REALS none = {0};
    const NAME(line) empty = NAME(get)(holes->empty);
    MASKS empties[VECTORS] = {{0}};
    int64_t sum = 0;
    for (int64_t i = 0; i < n * GAUSS_LANES; i += GAUSS_LANES) {
        REAL *b = (REAL *)block + i, *k = (REAL *)kinds + i;
        NAME(line) value = NAME(get)(b), kind = NAME(get)(k), other;
        if (holes->first) {
            other = NAME(get)((const REAL *)holes->first + i);
            EACH kind.v[g] = SELECT(other.v[g] == none, none, kind.v[g]);
        }
        if (holes->centres) {
            if (holes->alpha) NAME(join_alpha)((REAL *)holes->centres + i, holes->alpha);
            other = NAME(get)((REAL *)holes->centres + i);
            EACH kind.v[g] = SELECT(other.v[g] == none, none, kind.v[g]);
        }
        EACH
        {
            const MASKS is_empty = (MASKS)(kind.v[g] == none);
            empties[g] -= is_empty;
            value.v[g] = SELECT(is_empty, empty.v[g], value.v[g]);
        }
        NAME(put)(b, value);
        NAME(put)(k, kind);
        for (int c = holes->alpha - 1; holes->alpha && c < GAUSS_LANES; c += holes->alpha) k[c] = GAUSS_ALPHA;
    }
    for (int i = 0; i < lanes; i++) sum += empties[i / REAL_LANES][i % REAL_LANES];
    return sum;
}

#undef LEAST_WEIGHT
