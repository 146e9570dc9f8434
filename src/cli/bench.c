#include "bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"

/* ---- input and output ------------------------------------------------------------------------------ */

/* SplitMix64 (Steele, Lea, Flood 2014): good bits from a counter. */
static uint64_t random_bits(uint64_t *state)
{
    uint64_t z = (*state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static size_t view_bytes(const sat_view *v)
{
    return v->row_bytes * (size_t)v->height;
}

bool bench_fill(bench_case *b, error *err)
{
    uint64_t state = 1;
    if (!view_alloc(&b->in, "the input", err)) return false;
    b->owned = b->in.data;
    size_t bytes = view_bytes(&b->in), i = 0;
    unsigned char *to = b->in.data;
    if (b->in.type == SAT_F32)
        for (float *f = b->in.data; i + sizeof *f <= bytes; i += sizeof *f)
            *f++ = (float)(random_bits(&state) >> 40) * 0x1p-24f;
    else if (b->in.type == SAT_F64)
        for (double *f = b->in.data; i + sizeof *f <= bytes; i += sizeof *f)
            *f++ = (double)(random_bits(&state) >> 11) * 0x1p-53;
    for (uint64_t bits; i < bytes; i += sizeof bits) {
        bits = random_bits(&state);
        memcpy(to + i, &bits, bytes - i < sizeof bits ? bytes - i : sizeof bits);
    }
    return true;
}

static double sum_of_magnitudes(const sat_view *in)
{
    double sum = 0;
    size_t n = (size_t)in->width * (size_t)in->channels;
    for (int64_t y = 0; y < in->height; y++) {
        const void *row = (const char *)in->data + (size_t)y * in->row_bytes;
        const uint8_t *u8 = row;
        const uint16_t *u16 = row;
        const uint32_t *u32 = row;
        const float *f32 = row;
        const double *f64 = row;
        for (size_t i = 0; i < n; i++) switch (in->type) {
            case SAT_U8: sum += u8[i]; break;
            case SAT_U16: sum += u16[i]; break;
            case SAT_U32: sum += u32[i]; break;
            case SAT_F32: sum += fabs((double)f32[i]); break;
            default: sum += fabs(f64[i]); break;
            }
    }
    return sum;
}

bool bench_outputs(bench_case *b, error *err)
{
    int64_t extra = b->window == 0 && b->layout == SAT_PADDED;
    b->out = (sat_view){.width = b->in.width + extra,
                        .height = b->in.height + extra,
                        .channels = b->in.channels,
                        .type = b->window ? b->in.type : b->accum};
    b->reference = b->out;
    if (!view_alloc(&b->out, "the output", err) || !view_alloc(&b->reference, "the reference", err)) return false;
    memset(b->out.data, 0, view_bytes(&b->out));
    memset(b->reference.data, 0, view_bytes(&b->reference));
    if (b->out.type == SAT_F32 || b->out.type == SAT_F64) b->magnitude = sum_of_magnitudes(&b->in);
    return true;
}

void bench_free(bench_case *b)
{
    free(b->owned);
    image_free(&b->img);
    free(b->out.data);
    free(b->reference.data);
}

/* ---- the work -------------------------------------------------------------------------------------- */

bool bench_open(bench_work *w, bench_case *of, const char *backend)
{
    *w = (bench_work){.of = of, .to = &of->out};
    if (!backend) return true;
    if (of->window) {
        sat_box_spec spec = {.width = of->in.width,
                             .height = of->in.height,
                             .channels = of->in.channels,
                             .sample = of->in.type,
                             .window_width = of->window,
                             .window_height = of->window,
                             .backend = backend,
                             .threads = of->threads};
        return sat_box_create(&w->box, &spec) == SAT_OK;
    }
    sat_spec spec = {.width = of->in.width,
                     .height = of->in.height,
                     .channels = of->in.channels,
                     .sample = of->in.type,
                     .accum = of->accum,
                     .layout = of->layout,
                     .backend = backend,
                     .threads = of->threads};
    return sat_plan_create(&w->plan, &spec) == SAT_OK;
}

/* The yardstick of filters, which have no ceiling backend: the image copied by as many threads. */
static bool copy(const bench_work *w)
{
    size_t bytes = view_bytes(w->to), parts = (size_t)w->of->threads, part = bytes / parts;
    const char *from = w->of->in.data;
    char *to = w->to->data;
#pragma omp parallel for num_threads(w->of->threads) schedule(static, 1)
    for (size_t i = 0; i < parts; i++) memcpy(to + i * part, from + i * part, i + 1 < parts ? part : bytes - i * part);
    return true;
}

bool bench_run(void *work)
{
    const bench_work *w = work;
    if (w->plan) return sat_plan_run(w->plan, &w->of->in, w->to, NULL) == SAT_OK;
    if (w->box) return sat_box_run(w->box, &w->of->in, w->to, NULL) == SAT_OK;
    return copy(w);
}

void bench_close(bench_work *w)
{
    sat_plan_destroy(&w->plan);
    sat_box_destroy(&w->box);
}

/* ---- the check ------------------------------------------------------------------------------------- */

enum { POISON = 0x88, OTHER_POISON = 0x77 };

static bool run_into(bench_work *w, const sat_view *to, int poison)
{
    memset(to->data, poison, view_bytes(to));
    w->to = to;
    bool ok = bench_run(w);
    w->to = &w->of->out;
    return ok;
}

bool bench_make_reference(bench_case *b, const char *backend)
{
    bench_work w;
    bool ok = bench_open(&w, b, backend) && run_into(&w, &b->reference, OTHER_POISON);
    bench_close(&w);
    b->has_reference = ok;
    return ok;
}

/* sat.h: float tables of two backends differ by at most 2 (width + height) eps (sum of |samples|); float
 * filters round an f64 mean to f32, which two of them may do to neighbouring values. */
static bool close_enough(const bench_case *b, size_t *at)
{
    size_t n = view_bytes(&b->out) / sat_type_bytes(b->out.type);
    double eps = b->out.type == SAT_F64 ? 0x1p-53 : 0x1p-24, reach = (double)(b->in.width + b->in.height);
    for (size_t i = 0; i < n; i++) {
        double got, want;
        if (b->out.type == SAT_F64) {
            got = ((const double *)b->out.data)[i];
            want = ((const double *)b->reference.data)[i];
        } else {
            got = (double)((const float *)b->out.data)[i];
            want = (double)((const float *)b->reference.data)[i];
        }
        double bound = b->window ? 2 * eps * fabs(want) : 2 * reach * eps * b->magnitude;
        if (!(fabs(got - want) <= bound)) {
            *at = i;
            return false;
        }
    }
    return true;
}

bool bench_check(bench_work *w, error *err)
{
    const bench_case *b = w->of;
    size_t bytes = view_bytes(&b->out), at = 0;
    if (!run_into(w, &b->out, POISON)) return fail(err, "%s", sat_detail());
    if (b->out.type == SAT_F32 || b->out.type == SAT_F64) {
        if (close_enough(b, &at)) return true;
    } else {
        const unsigned char *got = b->out.data, *want = b->reference.data;
        if (memcmp(got, want, bytes) == 0) return true;
        while (got[at] == want[at]) at++;
        at /= sat_type_bytes(b->out.type);
    }
    size_t row = (size_t)b->out.width * (size_t)b->out.channels;
    return fail(err, "differs from the reference first at x=%zu y=%zu", at % row / (size_t)b->out.channels, at / row);
}

bool bench_check_writes(bench_work *w, error *err)
{
    const bench_case *b = w->of;
    if (!run_into(w, &b->out, POISON) || !run_into(w, &b->reference, OTHER_POISON))
        return fail(err, "%s", sat_detail());
    return memcmp(b->out.data, b->reference.data, view_bytes(&b->out)) == 0 ? true
                                                                            : fail(err, "leaves bytes unwritten");
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

double bench_least_bytes(const bench_case *b)
{
    return (double)view_bytes(&b->in) + (double)view_bytes(&b->out);
}

double bench_model_bytes(const bench_case *b, const sat_backend_info *info)
{
    if (b->window) return bench_least_bytes(b);
    return info->in_reads * (double)view_bytes(&b->in) +
           (info->out_reads + info->out_writes) * (double)view_bytes(&b->out);
}
