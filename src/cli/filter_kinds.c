#include "filter_kinds.h"

#include <string.h>

#include "number.h"
#include "sat_gauss.h"
#include "sat_image.h"

bool filter_pass_of(filter_pass *p, const stream *s, const job *j, const image *img, int channels, error *err)
{
    *p = (filter_pass){.j = j, .shape = image_shape_of(img), .threads = s->threads, .band_rows = stream_band_rows(s)};
    p->shape.channels = channels;
    return job_border_values(j, img, channels, p->border_value, err);
}

/* ---- Gaussian filters ----------------------------------------------------------------------------- */

STREAM_OF(gauss, sat_gauss_run(o, src, results, run))

enum { SIDE = -1 /* a mode: number[0] is the side of a window, in place of the Gaussian */ };
#define SIGMA "in pixels, above 0 and up to 16384"

static sat_status open_gauss(stream *s, const filter_pass *p, stream_filter *f, error *err)
{
    const int mode = p->j->filter.kind->mode;
    const double *number = p->j->filter.number;
    const sat_gauss_spec spec = {FILTER_PASS(p),
                                 FILTER_VALID(p),
                                 .sigma = number[0],
                                 .weighted_alpha = p->weighted,
                                 .mode = mode == SIDE ? SAT_GAUSS_BLUR : (sat_gauss_mode)mode,
                                 .amount = number[1],
                                 .sigma2 = number[1],
                                 .result = p->result,
                                 .empty_set = p->valid.has_nodata && sat_type_holds(p->result, p->valid.nodata),
                                 .side = mode == SIDE ? number[0] : 0};
    return stream_make(s, &stream_gauss, &spec, f, err);
}

static bool takes_sigma(const double *number)
{
    return number[0] > 0 && number[0] <= SAT_GAUSS_SIGMA_MAX;
}

static bool takes_sigmas(const double *number)
{
    return takes_sigma(number) && takes_sigma(number + 1);
}

static const filter_kind of_side = {
    .mode = SIDE, .sparse = "too little of the window's weight lies on pixels that count", .open = open_gauss};

/* ---- all of them ---------------------------------------------------------------------------------- */

static const filter_kind kinds[] = {
    {OPT_GAUSS, SAT_GAUSS_BLUR, 1, 0, takes_sigma, "the standard deviation " SIGMA, false, false,
     "too little of the Gaussian's weight lies on pixels that count", open_gauss},
    {OPT_UNSHARP, SAT_GAUSS_UNSHARP, 2, NUMBER_SIGN, takes_sigma,
     "S,A, the blur's standard deviation " SIGMA ", and the amount", true, false, NULL, open_gauss},
    {OPT_DOG, SAT_GAUSS_DOG, 2, 0, takes_sigmas, "A,B, two standard deviations " SIGMA, true, true, NULL, open_gauss},
};

bool filter_option(filter_choice *f, options *o, int c)
{
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        const filter_kind *kind = &kinds[i];
        if (kind->option != c) continue;
        *f = (filter_choice){.kind = kind, .name = o->line->name};
        const int n = numbers_of(optarg, ',', NUMBER_REAL, NUMBER_REAL | kind->sign, f->number, kind->numbers);
        if (n != kind->numbers || !kind->takes(f->number)) options_wrong(o, "%s", kind->value);
        return true;
    }
    return false;
}

bool filter_side(filter_choice *f, const options *o, bool is_radius)
{
    double value, side;
    if (!number_of(optarg, NUMBER_REAL, &value)) return false;
    side = is_radius ? 2 * value + 1 : value;
    if (!(side > 1 && side <= SAT_GAUSS_SIDE_MAX) || value == (double)(int64_t)value) return false;
    *f = (filter_choice){.kind = &of_side, .name = o->line->name, .number = {side}};
    return true;
}
