/* gauss.c - a Gaussian filter: its spec, and its public functions. */
#include <math.h>

#include "border.h"
#include "filter.h"
#include "gauss_kernel.h"
#include "sat_image.h"
#include "shape.h"
#include "valid.h"

struct sat_gauss {
    sat_filter filter;
    sat_gauss_spec spec;
};

/* ---- the spec ---------------------------------------------------------------------------------------- */

static sat_status check_sigma(double sigma)
{
    if (sigma > 0 && sigma <= SAT_GAUSS_SIGMA_MAX) return SAT_OK;
    return sat_fail(SAT_ERR_ARGUMENT, "a sigma of %.17g; above 0 and up to %.0f px are possible", sigma,
                    SAT_GAUSS_SIGMA_MAX);
}

static sat_status check_side(const sat_gauss_spec *s)
{
    if (!(s->side > 1 && s->side <= SAT_GAUSS_SIDE_MAX))
        return sat_fail(SAT_ERR_ARGUMENT, "a side of %.17g; above 1 and up to %.0f px are possible", s->side,
                        SAT_GAUSS_SIDE_MAX);
    if (fmod(s->side, 2) == 1)
        return sat_fail(SAT_ERR_ARGUMENT, "a side of %.17g: windows of odd whole sides are a box filter's", s->side);
    return s->mode != SAT_GAUSS_DOG ? SAT_OK : sat_fail(SAT_ERR_ARGUMENT, "a side, of a difference of Gaussians");
}

static sat_status check_mode(const sat_gauss_spec *s)
{
    sat_status status = s->side != 0 ? check_side(s) : check_sigma(s->sigma);
    if (status != SAT_OK) return status;
    switch (s->mode) {
    case SAT_GAUSS_BLUR: return SAT_OK;
    case SAT_GAUSS_UNSHARP:
        return isfinite(s->amount) ? SAT_OK : sat_fail(SAT_ERR_ARGUMENT, "an amount that is not finite");
    case SAT_GAUSS_DOG: return check_sigma(s->sigma2);
    }
    return sat_fail(SAT_ERR_ARGUMENT, "unknown mode of a Gaussian filter");
}

/* Fills in the result's type, too. */
static sat_status check_types(sat_gauss_spec *s)
{
    const char *name = sat_type_name(s->sample);
    const bool differs = s->mode == SAT_GAUSS_DOG;
    const sat_status status = sat_check_sample(s->sample);
    if (status != SAT_OK) return status;
    if (s->result == SAT_TYPE_NONE) s->result = differs ? sat_real_type(s->sample) : s->sample;
    if (sat_is_float(s->result) || (s->result == s->sample && !differs)) return SAT_OK;
    if (differs)
        return sat_fail(SAT_ERR_TYPE, "differences of type %s; f32 and f64 are possible", sat_type_name(s->result));
    return sat_fail(SAT_ERR_TYPE, "results of type %s from %s samples; %s%sf32 and f64 are possible",
                    sat_type_name(s->result), name, sat_is_float(s->sample) ? "" : name,
                    sat_is_float(s->sample) ? "" : ", ");
}

/* The one that reaches farthest. */
static sat_gauss_kernel kernel_of(const sat_gauss_spec *s)
{
    if (s->side != 0) return sat_gauss_kernel_of_side(s->side);
    return sat_gauss_kernel_for(s->mode == SAT_GAUSS_DOG && s->sigma2 > s->sigma ? s->sigma2 : s->sigma);
}

static sat_status check_border(const sat_gauss_spec *s)
{
    const sat_border *border = sat_border_find(s->border);
    if (border == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no border mode is called '%s'", s->border);
    if (s->band_rows && border->repeats_all && !kernel_of(s).direct)
        return sat_fail(SAT_ERR_UNAVAILABLE, "some rows (band_rows) of a %s, with border %s",
                        s->side != 0 ? "window whose side is above 33" : "Gaussian of sigma above 4", border->name);
    return sat_border_check_values(border, s->sample, s->channels, s->border_value);
}

/* What counts, as backends compare it with samples; and what results are where nothing does. */
static sat_status take_valid(sat_gauss_spec *s)
{
    const sat_status status = SAT_VALID_TAKE(s);
    const bool holds = s->has_nodata && sat_type_holds(s->result, s->nodata);
    if (!s->empty_set) s->empty = s->keep_holes && holds ? s->nodata : NAN;
    if (isnan(s->empty) && !sat_is_float(s->result)) s->empty = 0;
    if (status != SAT_OK || (s->min_valid >= 0 && s->min_valid <= 1)) return status;
    return sat_fail(SAT_ERR_ARGUMENT, "min_valid is %.17g; a share of the Gaussian's weight, 0 to 1, is possible",
                    s->min_valid);
}

static sat_status check(void *spec)
{
    sat_gauss_spec *s = spec;
    sat_status status = check_mode(s);
    if (status == SAT_OK) status = check_types(s);
    if (status == SAT_OK) status = check_border(s);
    if (status == SAT_OK) status = take_valid(s);
    if (status == SAT_OK && s->weighted_alpha && s->channels % 2 != 0)
        status = sat_fail(SAT_ERR_ARGUMENT, "weights from alpha need 2 or 4 channels, not %d", s->channels);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved, sizeof s->reserved);
    if (status == SAT_OK) status = sat_check_reserved(&s->reserved_word, sizeof s->reserved_word);
    if (status == SAT_OK) status = sat_check_reserved(s->reserved_flags, sizeof s->reserved_flags);
    return status == SAT_OK ? sat_check_images(s->width, s->height, s->count, s->channels, SAT_F64) : status;
}

static sat_job job(void *spec)
{
    sat_gauss_spec *s = spec;
    return (sat_job){SAT_JOB_OF(s), .result = &s->result, .masked = &s->masked};
}

static const sat_border *reach(const void *spec, int64_t *above, int64_t *below)
{
    const sat_gauss_spec *s = spec;
    const sat_gauss_kernel k = kernel_of(s);
    *above = *below = k.passes * k.reach;
    return sat_border_find(s->border);
}

/* ---- the filter ---------------------------------------------------------------------------------------- */

#define OWN(member) SAT_MEMBER(sat_gauss_spec, member)
const sat_operation sat_operation_gauss = {
    SAT_OPERATION_OF(gauss),
    .noun = "Gaussian filter",
    .missing = "Gaussian filter; there is one on the CPU",
    .integers_per_us = 300,
    .floats_per_us = 300,
    .on_host = true,
    .members = {OWN(sigma), OWN(border), OWN(border_value), OWN(weighted_alpha), OWN(mode), OWN(amount), OWN(sigma2),
                OWN(result), OWN(masked), OWN(skip_nan), OWN(has_nodata), OWN(keep_holes), OWN(empty_set), OWN(nodata),
                OWN(min_valid), OWN(empty), OWN(side)},
    .job = job,
    .check = check,
    .reach = reach,
};

SAT_FILTER(gauss, side)

sat_status sat_gauss_run_sized(sat_gauss *gauss, const sat_view *src, const sat_view *dst, const sat_run_options *run,
                               size_t run_bytes)
{
    return sat_filter_run((sat_filter *)gauss, &sat_operation_gauss, src, NULL, dst, run, run_bytes);
}
