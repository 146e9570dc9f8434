/* border.c - the table of border modes. */
#include <float.h>
#include <math.h>
#include <string.h>

#include "border.h"
#include "sized.h"
#include "status.h"
#include "types.h"

static const sat_border *const table[] = {
#define SAT_BORDER(id) &sat_border_##id,
#include "borders.def"
#undef SAT_BORDER
};
enum { BORDERS = sizeof table / sizeof *table };

const sat_border *sat_border_find(const char *name)
{
    if (name == NULL) return table[0];
    for (size_t i = 0; i < BORDERS; i++)
        if (strcmp(table[i]->name, name) == 0) return table[i];
    return NULL;
}

sat_status sat_border_check_values(const sat_border *border, sat_type sample, int channels, const double *values)
{
    const double high = (double)sat_sample_max(sample), low = (double)sat_sample_min(sample);
    for (int c = 0; border->takes_value && c < channels; c++) {
        const double v = values[c];
        if (sample == SAT_F32 && isfinite(v) && fabs(v) > (double)FLT_MAX)
            return sat_fail(SAT_ERR_ARGUMENT, "a border value of %.9g; f32 samples go from %.9g to %.9g", v,
                            -(double)FLT_MAX, (double)FLT_MAX);
        if (!sat_is_float(sample) && !(v >= low && v <= high && v == floor(v)))
            return sat_fail(SAT_ERR_ARGUMENT, "a border value of %.17g; %s samples take integers from %.0f to %.0f", v,
                            sat_type_name(sample), low, high);
    }
    return SAT_OK;
}

bool sat_border_at_sized(size_t i, sat_border_info *info, size_t info_bytes)
{
    if (i >= BORDERS || info == NULL) return false;
    const sat_border *b = table[i];
    const sat_border_info ours = {
        .name = b->name, .summary = b->summary, .takes_value = b->takes_value, .repeats_all = b->repeats_all};
    sat_give_struct(info, info_bytes, &ours, sizeof ours);
    return true;
}

int sat_border_inside(int64_t low, int64_t high, int64_t n, sat_segment segments[SAT_SEGMENTS])
{
    int64_t begin = low > 0 ? low : 0, end = high < n ? high : n;
    if (begin >= end) return 0;
    segments[0] = (sat_segment){begin, end, 1};
    return 1;
}

/* One period runs forwards over [0, n) and backwards over the rest, [n, period), where position p sees
 * sample 2n - 1 - shared - p.  Whole periods become weights; what remains is shorter than a period and,
 * begun inside one, overlaps at most three runs. */
int sat_border_mirrored(int64_t low, int64_t high, int64_t n, int shared, sat_segment segments[SAT_SEGMENTS])
{
    int64_t period = n > shared ? 2 * (n - shared) : 1, length = high - low, whole = length / period;
    int count = 0;
    if (n == shared) {
        segments[0] = (sat_segment){0, 1, length};
        return 1;
    }
    if (whole > 0) {
        segments[count++] = (sat_segment){0, n, shared ? whole : 2 * whole};
        if (shared && n > 2) segments[count++] = (sat_segment){1, n - 1, whole};
    }
    int64_t begin = (low % period + period) % period, end = begin + length % period;
    for (int64_t run = 0; run < end; run += period) {
        int64_t a = begin > run ? begin - run : 0, b = end - run; /* positions in this period */
        int64_t forwards = b < n ? b : n;
        if (a < forwards) segments[count++] = (sat_segment){a, forwards, 1};
        int64_t back = a > n ? a : n, last = b < period ? b : period, mirror = 2 * n - shared;
        if (back < last) segments[count++] = (sat_segment){mirror - last, mirror - back, 1};
    }
    return count;
}
