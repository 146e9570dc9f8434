/* picture.c - images, and the tables that they should give. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

/* ---- samples --------------------------------------------------------------------------------------- */

const char *content_name(content c)
{
    static const char *const names[] = {"random", "largest", "impulse", "period", "infinite"};
    return (unsigned)c < CONTENTS ? names[c] : "?";
}

static void put_integer(void *samples, size_t i, sat_type type, uint64_t v)
{
    switch (type) {
    case SAT_U8:
    case SAT_I8: ((uint8_t *)samples)[i] = (uint8_t)v; break;
    case SAT_U16:
    case SAT_I16: ((uint16_t *)samples)[i] = (uint16_t)v; break;
    case SAT_U32:
    case SAT_I32: ((uint32_t *)samples)[i] = (uint32_t)v; break;
    default: ((uint64_t *)samples)[i] = v;
    }
}

static void put_real(void *samples, size_t i, sat_type type, double v)
{
    if (type == SAT_F32)
        ((float *)samples)[i] = (float)v;
    else
        ((double *)samples)[i] = v;
}

/* 251 is a prime, so that no power of two of the shapes falls in step with it. */
enum { PERIOD_LENGTH = 251 };

void fill_samples(void *samples, size_t n, sat_type type, const sat_quant *quant, content c, uint64_t *random)
{
    double low = -1, high = 1;
    if (quant) low = quant->offset, high = quant->offset + quant->step * (double)quant->largest;
    bool real = is_float(type);
    if (c == INFINITE && (quant || !real)) c = RANDOM;
    size_t where = (size_t)random_in(random, 0, (int64_t)n - 1);
    const uint64_t extreme = is_signed(type) ? (uint64_t)1 << (8 * sat_type_bytes(type) - 1) : UINT64_MAX;
    for (size_t i = 0; i < n; i++) {
        uint64_t bits = c == RANDOM || c == INFINITE ? random64(random)
                        : c == LARGEST               ? extreme
                        : c == IMPULSE               ? (i == where ? extreme : 0)
                                                     : i % PERIOD_LENGTH;
        double unit = c == PERIOD ? (double)bits / PERIOD_LENGTH : (double)(bits >> 11) / (double)(UINT64_MAX >> 11);
        if (!real)
            put_integer(samples, i, type, bits);
        else
            put_real(samples, i, type, c == IMPULSE && bits == 0 && !quant ? 0 : fmin(low + unit * (high - low), high));
    }
    if (c == INFINITE) put_real(samples, where, type, HUGE_VAL);
}

/* ---- memory ---------------------------------------------------------------------------------------- */

static bool packed(sat_view *v, int64_t width, int64_t height, int channels, sat_type type)
{
    *v = (sat_view){.row_bytes = (ptrdiff_t)sat_row_bytes(width, channels, type),
                    .width = width,
                    .height = height,
                    .channels = channels,
                    .type = type};
    v->data = calloc((size_t)height, (size_t)v->row_bytes);
    if (v->data == NULL) fail("out of memory for %lldx%lld", (long long)width, (long long)height);
    return v->data != NULL;
}

bool picture_open(picture *p, const sat_plan_spec *spec, int64_t rows, content c, uint64_t random)
{
    *p = (picture){.spec = *spec, .content = c, .random = random};
    bool padded = spec->layout == SAT_PADDED;
    size_t entries = (size_t)(spec->width * spec->channels);
    if (!packed(&p->image, spec->width, rows, spec->channels, spec->sample) ||
        !packed(&p->table, spec->width + padded, rows + padded, spec->channels, spec->accum))
        return false;
    p->carry = calloc(entries, sat_type_bytes(spec->accum));
    p->carry_sizes = calloc(entries, sizeof(double));
    if (p->carry == NULL || p->carry_sizes == NULL) {
        fail("out of memory for a carry row");
        return false;
    }
    if (is_float(spec->accum) && !packed(&p->sizes, p->table.width, p->table.height, spec->channels, SAT_F64))
        return false;
    double eps = spec->accum == SAT_F32 ? ldexp(1, -24) : ldexp(1, -53);
    p->scale = 2 * (double)(spec->width + rows) * eps;
    fill_samples(p->image.data, entries * (size_t)rows, spec->sample, spec->accum == SAT_Q32 ? &spec->quant : NULL, c,
                 &p->random);
    return true;
}

void picture_close(picture *p)
{
    free(p->image.data);
    free(p->table.data);
    free(p->sizes.data);
    free(p->carry);
    free(p->carry_sizes);
    *p = (picture){0};
}

void picture_text(const picture *p, char *text, size_t bytes)
{
    const sat_plan_spec *s = &p->spec;
    snprintf(text, bytes, "%lldx%lldx%d %s%s to %s %s, %s", (long long)s->width, (long long)p->image.height,
             s->channels, s->power == 2 ? "squares of " : "", sat_type_name(s->sample), sat_type_name(s->accum),
             sat_layout_name(s->layout), content_name(p->content));
}

/* ---- answers --------------------------------------------------------------------------------------- */

const char *reference(void)
{
    sat_lab_backend_info info;
    for (size_t i = 0; sat_lab_backend_at(i, &info); i++)
        if (info.kind == SAT_REFERENCE) return info.name;
    return NULL;
}

static sat_status refer(const sat_plan_spec *spec, const sat_view *image, const sat_view *table, void *carry)
{
    sat_plan_spec s = *spec;
    sat_plan *plan;
    s.height = image->height;
    s.backend = reference();
    s.memory = SAT_HOST;
    sat_status status = s.backend ? sat_plan_create(&plan, &s) : SAT_ERR_UNAVAILABLE;
    if (status != SAT_OK) return status;
    status = sat_plan_run(plan, image, table, &(sat_run_options){.carry_out = carry});
    sat_plan_destroy(&plan);
    return status;
}

/* The image of |samples|, for bounds.  The magnitude of the lowest signed sample is its bits, read as unsigned. */
static bool absolutes(const sat_view *image, sat_view *out)
{
    if (!packed(out, image->width, image->height, image->channels, image->type)) return false;
    size_t n = (size_t)(image->width * image->height * image->channels);
    memcpy(out->data, image->data, n * sat_type_bytes(image->type));
    for (size_t i = 0; i < n && is_float(image->type); i++)
        if (image->type == SAT_F32)
            ((float *)out->data)[i] = fabsf(((float *)out->data)[i]);
        else
            ((double *)out->data)[i] = fabs(((double *)out->data)[i]);
    if (image->type == SAT_I8)
        for (size_t i = 0; i < n; i++) ((uint8_t *)out->data)[i] = (uint8_t)abs(((int8_t *)out->data)[i]);
    if (image->type == SAT_I16)
        for (size_t i = 0; i < n; i++) ((uint16_t *)out->data)[i] = (uint16_t)abs(((int16_t *)out->data)[i]);
    if (image->type == SAT_I32)
        for (size_t i = 0; i < n; i++) ((uint32_t *)out->data)[i] = (uint32_t)llabs(((int32_t *)out->data)[i]);
    if (is_signed(image->type)) out->type = image->type == SAT_I8 ? SAT_U8 : image->type == SAT_I16 ? SAT_U16 : SAT_U32;
    return true;
}

bool picture_answer(picture *p)
{
    if (!is_status(refer(&p->spec, &p->image, &p->table, p->carry), SAT_OK, "the reference")) return false;
    if (p->sizes.data == NULL) return true;
    sat_plan_spec wide = p->spec;
    sat_view sizes;
    wide.accum = SAT_F64;
    bool ok = absolutes(&p->image, &sizes);
    wide.sample = sizes.type;
    ok = ok && is_status(refer(&wide, &sizes, &p->sizes, p->carry_sizes), SAT_OK, "the reference of bounds");
    free(sizes.data);
    return ok;
}

/* Sample i as a sum sees it. */
typedef struct number {
    uint64_t u;
    long double f;
} number;

static number sample_of(const picture *p, size_t i)
{
    const void *d = p->image.data;
    number n = {0};
    switch (p->image.type) {
    case SAT_U8: n.u = ((const uint8_t *)d)[i]; break;
    case SAT_U16: n.u = ((const uint16_t *)d)[i]; break;
    case SAT_U32: n.u = ((const uint32_t *)d)[i]; break;
    case SAT_I8: n.u = (uint64_t)((const int8_t *)d)[i]; break;
    case SAT_I16: n.u = (uint64_t)((const int16_t *)d)[i]; break;
    case SAT_I32: n.u = (uint64_t)((const int32_t *)d)[i]; break;
    case SAT_F32: n.f = (long double)((const float *)d)[i]; break;
    default: n.f = (long double)((const double *)d)[i];
    }
    if (!is_float(p->image.type)) n.f = (long double)(int64_t)n.u;
    if (p->spec.power == 2) n.u *= n.u, n.f *= n.f;
    const sat_quant *q = &p->spec.quant;
    if (p->spec.accum == SAT_Q32) n.u = (uint64_t)floor(((double)n.f - q->offset) / q->step + 0.5);
    return n;
}

/* The sum of the first `rows` rows and `columns` columns of channel c; with sizes, of |samples|. */
static number rectangle(const picture *p, int64_t columns, int64_t rows, int c, bool sizes)
{
    number sum = {0};
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++) {
            number n = sample_of(p, (size_t)((y * p->spec.width + x) * p->spec.channels + c));
            sum.u += n.u;
            sum.f += sizes ? fabsl(n.f) : n.f;
        }
    return sum;
}

static void put_number(void *data, size_t i, sat_type type, number n)
{
    if (is_float(type))
        put_real(data, i, type, (double)n.f);
    else
        put_integer(data, i, type == SAT_Q32 ? SAT_U32 : type, n.u);
}

bool picture_brute(picture *p)
{
    int channels = p->spec.channels;
    int more = p->spec.layout == SAT_INCLUSIVE; /* entry (x, y) holds x + more columns and y + more rows */
    for (int64_t y = 0; y < p->table.height; y++)
        for (int64_t x = 0; x < p->table.width; x++)
            for (int c = 0; c < channels; c++) {
                size_t i = (size_t)((y * p->table.width + x) * channels + c);
                put_number(p->table.data, i, p->table.type, rectangle(p, x + more, y + more, c, false));
                if (p->sizes.data) put_number(p->sizes.data, i, SAT_F64, rectangle(p, x + more, y + more, c, true));
            }
    for (int64_t x = 0; x < p->spec.width; x++)
        for (int c = 0; c < channels; c++) {
            size_t i = (size_t)(x * channels + c);
            put_number(p->carry, i, p->table.type, rectangle(p, x + 1, p->image.height, c, false));
            put_number(p->carry_sizes, i, SAT_F64, rectangle(p, x + 1, p->image.height, c, true));
        }
    return true;
}

/* ---- comparing ------------------------------------------------------------------------------------- */

bool picture_same(const picture *p, const sat_view *got, int64_t first, const char *what)
{
    size_t entries = (size_t)(p->table.width * p->table.channels);
    for (int64_t y = 0; y < got->height; y++) {
        const char *g = (const char *)got->data + (size_t)y * (size_t)got->row_bytes;
        const char *w = (const char *)p->table.data + (size_t)(first + y) * (size_t)p->table.row_bytes;
        const double *sizes = p->sizes.data ? (const double *)p->sizes.data + (size_t)(first + y) * entries : NULL;
        size_t i = first_wrong(p->table.type, g, w, sizes, p->scale, entries);
        char a[40], b[40];
        if (i < entries) {
            fail("%s: entry x=%zu y=%lld channel %zu is %s, not %s (bound %g)", what, i / (size_t)p->table.channels,
                 (long long)(first + y), i % (size_t)p->table.channels, value_text(p->table.type, g, i, a),
                 value_text(p->table.type, w, i, b), sizes ? sizes[i] * p->scale : 0);
            return false;
        }
    }
    return true;
}

bool picture_same_carry(const picture *p, const void *got, const char *what)
{
    size_t n = (size_t)(p->spec.width * p->spec.channels);
    const double *sizes = is_float(p->table.type) ? p->carry_sizes : NULL;
    size_t i = first_wrong(p->table.type, got, p->carry, sizes, p->scale, n);
    char a[40], b[40];
    if (i == n) return true;
    fail("%s: entry %zu is %s, not %s", what, i, value_text(p->table.type, got, i, a),
         value_text(p->table.type, p->carry, i, b));
    return false;
}

/* ---- types ----------------------------------------------------------------------------------------- */

static bool combines(summed what, sat_type sample, sat_type accum)
{
    if (what == SCANS) {
        if (sample == SAT_U64 && accum == SAT_U64) return true;
        if (accum == SAT_Q32) return false;
    }
    sat_plan_spec spec = {.width = 1,
                          .height = 1,
                          .sample = sample,
                          .accum = accum,
                          .power = what == SQUARES ? 2 : 1,
                          .backend = reference(),
                          .quant = {.offset = 0, .step = 1, .largest = 1}};
    sat_plan *plan;
    sat_status status = sat_plan_create(&plan, &spec);
    sat_plan_destroy(&plan);
    return status == SAT_OK;
}

bool pair_at(summed what, size_t i, pair *p)
{
    static pair found[SUMMED][64];
    static size_t n[SUMMED];
    if (n[what] == 0)
        for (sat_type s = SAT_U8; s <= SAT_I32; s++)
            for (sat_type a = SAT_U8; a <= SAT_I32; a++)
                if (combines(what, s, a)) found[what][n[what]++] = (pair){s, a, what == SQUARES ? 2 : 1};
    if (i >= n[what]) return false;
    *p = found[what][i];
    return true;
}

size_t pairs(summed what)
{
    size_t n = 0;
    for (pair p; pair_at(what, n, &p);) n++;
    return n;
}

pair pair_of_case(summed what, size_t k, uint64_t *random)
{
    static const pair of_lab[] = {
        {SAT_U8, SAT_U32, 1}, {SAT_U32, SAT_U32, 1}, {SAT_F32, SAT_F32, 1}, {SAT_U64, SAT_U64, 1}};
    pair p = of_lab[random64(random) % (what == SCANS ? 4 : 3)];
    if (k % 2) pair_at(what, (size_t)random_in(random, 0, (int64_t)pairs(what) - 1), &p);
    return p;
}

sat_plan *plan_of(const picture *p, const target *t, sat_memory memory)
{
    sat_plan_spec spec = p->spec;
    sat_plan *plan;
    spec.backend = t->name;
    spec.memory = memory;
    sat_status status = sat_plan_create(&plan, &spec);
    bool refused = status == SAT_ERR_TYPE || status == SAT_ERR_UNAVAILABLE;
    const bool unsupported =
        status == SAT_ERR_TYPE && ((t->device && unsupported_on_devices(spec.sample, spec.power, spec.accum)) ||
                                   unsupported_in_lab(t, spec.sample, spec.accum));
    if (unsupported || (refused && (t->kind == SAT_PEER || t->kind == SAT_CEILING)))
        pass_over();
    else if (is_status(status, SAT_OK, "sat_plan_create") && sat_plan_accum(plan) != p->spec.accum)
        fail("the plan has another accumulator");
    return status == SAT_OK ? plan : NULL;
}
