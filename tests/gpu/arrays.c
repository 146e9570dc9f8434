/* arrays.c - arrays at random, their scans, and running them. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "arrays.h"

bool scans_arrays(const target *t)
{
    return t->scans;
}

/* ---- cases ----------------------------------------------------------------------------------------- */

array *array_new(uint64_t seed, const sat_scan_spec *spec)
{
    array *a = calloc(1, sizeof *a);
    uint64_t random = seed;
    size_t n = (size_t)spec->length;
    if (a) {
        *a = (array){.spec = *spec, .segment = -1};
        a->in = malloc(n * sat_type_bytes(spec->sample));
        a->want = malloc(n * sat_type_bytes(spec->accum));
        a->sizes = malloc(n * sizeof(double));
    }
    if (a == NULL || a->in == NULL || a->want == NULL || a->sizes == NULL) {
        fail("out of memory for %zu elements", n);
        if (a) array_drop(a);
        return NULL;
    }
    a->spec.memory = random64(&random) % 4 == 0 ? SAT_HOST : SAT_DEVICE;
    a->spec.naive_staging = random64(&random) % 4 == 0;
    a->content = (content)(random64(&random) % CONTENTS);
    fill_samples(a->in, n, spec->sample, NULL, a->content, &random);
    a->random = random;
    return a;
}

void array_drop(void *made)
{
    array *a = made;
    free(a->in);
    free(a->want);
    free(a->sizes);
    free(a);
}

void array_text(const void *made, char *line, size_t bytes)
{
    const array *a = made;
    snprintf(line, bytes, "%lld %s to %s, %s, B=%d Q=%d%s, %s", (long long)a->spec.length,
             sat_type_name(a->spec.sample), sat_type_name(a->spec.accum), a->spec.exclusive ? "exclusive" : "inclusive",
             a->spec.block_threads, a->spec.thread_items, a->spec.naive_staging ? " naive" : "",
             content_name(a->content));
}

/* ---- answers --------------------------------------------------------------------------------------- */

typedef struct number {
    uint64_t u;
    long double f, size;
} number;

static number sample_at(const array *a, int64_t i)
{
    number n = {0};
    switch (a->spec.sample) {
    case SAT_U8: n.u = ((const uint8_t *)a->in)[i]; break;
    case SAT_U16: n.u = ((const uint16_t *)a->in)[i]; break;
    case SAT_U32: n.u = ((const uint32_t *)a->in)[i]; break;
    case SAT_I8: n.u = (uint64_t)((const int8_t *)a->in)[i]; break;
    case SAT_I16: n.u = (uint64_t)((const int16_t *)a->in)[i]; break;
    case SAT_I32: n.u = (uint64_t)((const int32_t *)a->in)[i]; break;
    case SAT_F32: n.f = (long double)((const float *)a->in)[i]; break;
    case SAT_F64: n.f = (long double)((const double *)a->in)[i]; break;
    default: n.u = ((const uint64_t *)a->in)[i];
    }
    if (!is_float(a->spec.sample)) n.f = (long double)(int64_t)n.u; /* u64 samples are not summed in floats */
    n.size = fabsl(n.f);
    return n;
}

static void put_sum(array *a, int64_t i, number sum)
{
    switch (a->spec.accum) {
    case SAT_U32:
    case SAT_I32: ((uint32_t *)a->want)[i] = (uint32_t)sum.u; break;
    case SAT_F32: ((float *)a->want)[i] = (float)sum.f; break;
    case SAT_F64: ((double *)a->want)[i] = (double)sum.f; break;
    default: ((uint64_t *)a->want)[i] = sum.u;
    }
    a->sizes[i] = (double)sum.size;
}

bool array_answer(array *a, int64_t segment)
{
    if (a->segment == segment) return true;
    number sum = {0};
    for (int64_t i = 0; i < a->spec.length; i++) {
        if (segment && i % segment == 0) sum = (number){0};
        if (a->spec.exclusive) put_sum(a, i, sum);
        number n = sample_at(a, i);
        sum = (number){sum.u + n.u, sum.f + n.f, sum.size + n.size};
        if (!a->spec.exclusive) put_sum(a, i, sum);
    }
    a->segment = segment;
    return true;
}

bool array_same(const array *a, const void *got, const char *what)
{
    size_t n = (size_t)a->spec.length;
    sat_type type = a->spec.accum;
    double scale = 2 * (double)n * ldexp(1, type == SAT_F32 ? -24 : -53);
    size_t i = first_wrong(type, got, a->want, is_float(type) ? a->sizes : NULL, scale, n);
    char is[40], should[40];
    if (i == n) return true;
    fail("%s: element %zu is %s, not %s (bound %g)", what, i, value_text(type, got, i, is),
         value_text(type, a->want, i, should), is_float(type) ? a->sizes[i] * scale : 0);
    return false;
}

/* ---- running --------------------------------------------------------------------------------------- */

sat_scan *scan_of(const array *a, const target *t, sat_memory memory)
{
    sat_scan_spec spec = a->spec;
    sat_scan *scan;
    spec.method = t->name;
    spec.memory = memory;
    sat_status status = sat_scan_create(&scan, &spec);
    if (status == SAT_ERR_UNAVAILABLE && spec.naive_staging) { /* a method that stages nothing */
        spec.naive_staging = false;
        status = sat_scan_create(&scan, &spec);
    }
    bool ours = t->kind == SAT_METHOD || t->kind == SAT_REFERENCE;
    bool refused = (status == SAT_ERR_UNAVAILABLE && (!ours || spec.block_threads || spec.thread_items)) ||
                   (status == SAT_ERR_TYPE && (!ours || t->segment)); /* warps by themselves show one type at a time */
    refused = refused || (status == SAT_ERR_TYPE && unsupported_in_lab(t, spec.sample, spec.accum));
    if (refused)
        pass_over();
    else
        is_status(status, SAT_OK, "sat_scan_create");
    return status == SAT_OK ? scan : NULL;
}

static sat_view line_of(int64_t length, sat_type type, sat_memory memory, void *data)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)sat_row_bytes(length, 1, type),
                      .width = length,
                      .height = 1,
                      .channels = 1,
                      .type = type,
                      .memory = memory};
}

static bool run_once(sat_scan *scan, const array *a, area *in, area *out, bool compare, sat_view *sums)
{
    sat_view samples, packed = line_of(a->spec.length, a->spec.sample, SAT_HOST, a->in);
    return is_status(sat_scan_run(scan, in->view.data, out->view.data, NULL), SAT_OK, "sat_scan_run") &&
           (out->view.memory == SAT_HOST || is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait")) &&
           area_read(in, &samples) && area_read(out, sums) && area_clean(in, "in") && area_clean(out, "out") &&
           same_bits(&samples, &packed, "in after the run") && (!compare || array_same(a, sums->data, "out"));
}

void array_run(void *made, const target *t)
{
    array *a = made;
    uint64_t random = a->random;
    sat_memory memory = t->device ? a->spec.memory : SAT_HOST;
    sat_scan *scan = array_answer(a, t->segment) ? scan_of(a, t, memory) : NULL;
    if (scan == NULL) return;
    area in = {0}, out = {0};
    sat_view packed = line_of(a->spec.length, a->spec.sample, SAT_HOST, a->in), sums_seen;
    size_t bytes = sat_row_bytes(a->spec.length, 1, a->spec.accum);
    void *before = malloc(bytes);
    bool ok = area_open(&in, line_of(a->spec.length, a->spec.sample, memory, NULL), random_placement(&random)) &&
              area_open(&out, line_of(a->spec.length, a->spec.accum, memory, NULL), random_placement(&random)) &&
              area_fill(&in, 0x5a) && area_write(&in, &packed);
    for (int i = 0; ok && before && i < 2; i++) {
        bool fresh = i == 0 && out.bytes == bytes && sums(t); /* not poisoned: see stage_fill() */
        ok = (fresh || area_fill(&out, (int)(random64(&random) % 256))) &&
             run_once(scan, a, &in, &out, sums(t), &sums_seen);
        if (ok && i == 0) memcpy(before, sums_seen.data, bytes);
        if (ok && i == 1 && t->repeatable && sums(t)) {
            sat_view first = line_of(a->spec.length, a->spec.accum, SAT_HOST, before);
            ok = same_bits(&sums_seen, &first, "the second run's out");
        }
    }
    if (before == NULL) fail("out of memory for %zu bytes", bytes);
    free(before);
    area_close(&in);
    area_close(&out);
    sat_scan_destroy(&scan);
}
