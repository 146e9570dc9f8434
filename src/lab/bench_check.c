/* bench_check.c - is what a method wrote right?  Outputs on the device come back in pieces. */
#include <math.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "bench.h"
#include "image.h"
#include "sample_type.h"

enum {
    POISON = 0x88,
    OTHER_POISON = 0x77,
    REFERENCE_POISON = 0x55,
    PIECE_BYTES = 64 << 20, /* a copy of which takes milliseconds, so that its start does not count */
    PART_BYTES = 1 << 20,   /* what a thread compares at a time */
};

static bool device_failed(error *err)
{
    return fail(err, "%s", sat_detail());
}

/* ---- the output, piece by piece ---------------------------------------------------------------------- */

/* Reads n bytes of the output that begin at byte `at`; false ends it. */
typedef bool (*piece_fn)(void *arg, const void *bytes, size_t at, size_t n);

static bool visit_output(bench_work *w, piece_fn visit, void *arg, error *err)
{
    bench_case *b = w->of;
    size_t bytes = bench_view_bytes(&b->reference);
    if (!w->device) {
        visit(arg, b->out.data, 0, bytes);
        return true;
    }
    if (!b->piece) b->piece = malloc(PIECE_BYTES);
    if (!b->piece) return fail(err, "out of memory");
    for (size_t at = 0; at < bytes; at += PIECE_BYTES) {
        size_t n = bytes - at < PIECE_BYTES ? bytes - at : PIECE_BYTES;
        sat_view from = {.data = (char *)b->device_out.data + at,
                         .row_bytes = (ptrdiff_t)n,
                         .width = (int64_t)n,
                         .height = 1,
                         .channels = 1,
                         .type = SAT_U8,
                         .memory = SAT_DEVICE},
                 to = from;
        to.data = b->piece;
        to.memory = SAT_HOST;
        if (sat_device_copy(&from, &to, NULL) != SAT_OK) return device_failed(err);
        if (!visit(arg, b->piece, at, n)) break;
    }
    return true;
}

static bool run_into_poison(bench_work *w, int poison, error *err)
{
    bench_case *b = w->of;
    size_t bytes = bench_view_bytes(&b->reference);
    if (!w->device)
        bench_set(b, b->out.data, poison, bytes);
    else if (sat_device_fill(b->device_out.data, poison, bytes, NULL) != SAT_OK)
        return device_failed(err);
    if (bench_run(w) != SAT_OK || bench_wait(w) != SAT_OK) return device_failed(err);
    return true;
}

/* ---- sums -------------------------------------------------------------------------------------------- */

typedef struct comparison {
    const bench_case *of;
    const char *got, *want; /* the piece at hand, and its size */
    size_t n;
    atomic_size_t first; /* byte of the piece */
    size_t differs_at;   /* byte; SIZE_MAX = nowhere */
} comparison;

/* The smallest part of a window that lies inside the image, at a corner, along one side. */
static int64_t least_inside(int64_t window, int64_t side)
{
    int64_t inside = window - window / 2;
    return inside < side ? inside : side;
}

/* sat_window.h: of n samples a mean is wrong by (n + 1) e a, a variance by (6 n + 40) e (v + a sqrt(v)), where a is the
 * mean of absolute values.  The others follow from these; for samples of the size of 1, as the random ones are, by
 * factors below 64.  Results are rounded once, and all of it counts for both sides. */
static double window_distance(const bench_case *b, double want)
{
    if (!is_float_type(b->in.type)) return 0;
    const double eps = b->result == SAT_F64 ? 0x1p-53 : 0x1p-24, n = (double)b->window * (double)b->window;
    const double size = b->magnitude / ((double)b->in.width * (double)b->in.height * (double)b->in.channels);
    return 2 * (eps * fabs(want) + 64 * (6 * n + 40) * 0x1p-53 * (1 + fabs(want)) * (1 + size) * (1 + size));
}

/* sat.h: float tables of two backends differ by at most 2 (width + height) eps S, S the sum of |samples|.
 *
 * Filters of integers give the same bits.  Those of floats sum in f64, u = 2^-53.  Through a table each of four entries
 * is off by (width + height) u S, and three differences of numbers below 2 S add 6 u S; sums by additions only are
 * nearer.  The mean is that over the window's area, which border shrink makes least at a corner.  The division and the
 * result's type round once each, to neighbouring values of two methods.  All of it counts for both methods. */
double bench_distance_allowed(const bench_case *b, double want)
{
    const double eps = b->reference.type == SAT_F64 ? 0x1p-53 : 0x1p-24, sides = (double)(b->in.width + b->in.height);
    if (b->outputs) return window_distance(b, want);
    if (!b->window) return b->exact ? 0 : 2 * sides * eps * b->magnitude;
    if (!is_float_type(b->in.type)) return 0;
    const double area = (double)least_inside(b->window, b->in.width) * (double)least_inside(b->window, b->in.height);
    return 2 * (eps * fabs(want) + (4 * sides + 6) * 0x1p-53 * b->magnitude / area);
}

/* The first float, counted in bytes, that lies too far from its reference; n if none does. */
static size_t far_apart(const bench_case *b, const char *got, const char *want, size_t n)
{
    size_t step = sat_type_bytes(b->reference.type);
    for (size_t i = 0; i < n; i += step) {
        double g, w;
        if (b->reference.type == SAT_F64) {
            memcpy(&g, got + i, sizeof g);
            memcpy(&w, want + i, sizeof w);
        } else {
            float gf, wf;
            memcpy(&gf, got + i, sizeof gf);
            memcpy(&wf, want + i, sizeof wf);
            g = (double)gf;
            w = (double)wf;
        }
        if (!(fabs(g - w) <= bench_distance_allowed(b, w)) && !(b->outputs && isnan(g) && isnan(w))) return i;
    }
    return n;
}

static size_t different(const bench_case *b, const char *got, const char *want, size_t n)
{
    if (is_float_type(b->reference.type)) return far_apart(b, got, want, n);
    if (memcmp(got, want, n) == 0) return n;
    size_t i = 0;
    while (got[i] == want[i]) i++;
    return i;
}

static void compare_part(void *context, int64_t index, int worker)
{
    comparison *c = context;
    size_t part = (size_t)index * PART_BYTES, size = c->n - part < PART_BYTES ? c->n - part : PART_BYTES;
    size_t i = different(c->of, c->got + part, c->want + part, size), first = atomic_load(&c->first);
    (void)worker;
    while (i < size && part + i < first && !atomic_compare_exchange_weak(&c->first, &first, part + i)) {}
}

static bool compare(void *arg, const void *bytes, size_t at, size_t n)
{
    comparison *c = arg;
    c->got = bytes;
    c->want = (const char *)c->of->reference.data + at;
    c->n = n;
    atomic_store(&c->first, SIZE_MAX);
    sat_parallel(c->of->threads, (int64_t)((n + PART_BYTES - 1) / PART_BYTES), compare_part, c);
    size_t first = atomic_load(&c->first);
    if (first < SIZE_MAX) c->differs_at = at + first;
    return first == SIZE_MAX;
}

/* The output that a row of the reference belongs to, and the row in the image. */
static const char *place_of(const bench_case *b, size_t row, size_t *image_row)
{
    const size_t height = (size_t)b->in.height;
    *image_row = row % height;
    return b->output[row / height % (size_t)b->outputs].statistic;
}

bool bench_check(bench_work *w, error *err)
{
    const bench_case *b = w->of;
    comparison c = {.of = b, .differs_at = SIZE_MAX};
    if (!run_into_poison(w, POISON, err) || !visit_output(w, compare, &c, err)) return false;
    if (c.differs_at == SIZE_MAX) return true;
    size_t at = c.differs_at / sat_type_bytes(b->reference.type), channels = (size_t)b->reference.channels;
    size_t row = (size_t)b->reference.width * channels, y = at / row;
    if (b->outputs) {
        const char *statistic = place_of(b, at / row, &y);
        return fail(err, "%s differs from the reference first at x=%zu y=%zu", statistic, at % row / channels, y);
    }
    return fail(err, "differs from the reference first at x=%zu y=%zu", at % row / channels, y);
}

/* ---- copies ------------------------------------------------------------------------------------------ */

typedef struct digest {
    const char *from; /* the piece at hand: n bytes, the first of them byte `at` of the output */
    size_t at, n;
    size_t until; /* so many bytes of the output count */
    atomic_ullong sum;
} digest;

/* FNV-1a's step over words, for each part; the parts' values are added, so that their order does not count. */
static void digest_part(void *context, int64_t index, int worker)
{
    digest *d = context;
    size_t part = (size_t)index * PART_BYTES, size = d->n - part < PART_BYTES ? d->n - part : PART_BYTES;
    uint64_t hash = 0xcbf29ce484222325u ^ (d->at + part);
    (void)worker;
    for (size_t i = 0; i < size; i += sizeof(uint64_t)) {
        uint64_t word = 0;
        memcpy(&word, d->from + part + i, size - i < sizeof word ? size - i : sizeof word);
        hash = (hash ^ word) * 0x100000001b3u;
    }
    atomic_fetch_add(&d->sum, hash);
}

static bool take_digest(void *arg, const void *bytes, size_t at, size_t n)
{
    digest *d = arg;
    if (at >= d->until) return false;
    d->from = bytes;
    d->at = at;
    d->n = n < d->until - at ? n : d->until - at;
    sat_parallel(0, (int64_t)((d->n + PART_BYTES - 1) / PART_BYTES), digest_part, d);
    return true;
}

bool bench_digest(bench_work *w, uint64_t *sum, error *err)
{
    digest d = {.until = bench_view_bytes(&w->of->reference)};
    const bool ok = visit_output(w, take_digest, &d, err);
    *sum = atomic_load(&d.sum);
    return ok;
}

/* The plain copy writes a beginning of the output. */
static bool check_plain_copy(bench_work *w, error *err)
{
    const bench_case *b = w->of;
    size_t bytes = (size_t)bench_least_bytes(b) / 2;
    if (!run_into_poison(w, POISON, err)) return false;
    if (memcmp(b->out.data, bench_copy_source(b), bytes) == 0) return true;
    return fail(err, "the copy differs");
}

/* A copy of half of what is read and written altogether fills a beginning of the output; 16 bytes of tolerance are for
 * copies of whole words. */
bool bench_check_copy(bench_work *w, error *err)
{
    size_t least = bench_copied_bytes(w), out = bench_view_bytes(&w->of->reference);
    size_t until = least < out ? least / 16 * 16 : out;
    digest one = {.until = until}, other = {.until = until};
    if (!w->plan && !w->box && !w->gauss && !w->windows && !w->scan && !w->device) return check_plain_copy(w, err);
    if (!run_into_poison(w, POISON, err) || !visit_output(w, take_digest, &one, err)) return false;
    if (!run_into_poison(w, OTHER_POISON, err) || !visit_output(w, take_digest, &other, err)) return false;
    return atomic_load(&one.sum) == atomic_load(&other.sum) ? true : fail(err, "leaves bytes unwritten");
}

/* ---- the right answer -------------------------------------------------------------------------------- */

static sat_status scan_segments(bench_case *b, const bench_method *reference, int64_t segment)
{
    sat_status status = SAT_OK;
    sat_scan *scan = NULL;
    int64_t made_for = 0;
    for (int64_t at = 0; status == SAT_OK && at < b->in.width; at += segment) {
        int64_t n = b->in.width - at < segment ? b->in.width - at : segment;
        const char *in = (const char *)b->in.data + (size_t)at * sat_type_bytes(b->in.type);
        char *out = (char *)b->reference.data + (size_t)at * sat_type_bytes(b->accum);
        if (n != made_for) {
            sat_scan_spec spec = {.length = n,
                                  .sample = b->in.type,
                                  .accum = b->accum,
                                  .exclusive = b->exclusive,
                                  .method = reference->id};
            sat_scan_destroy(&scan);
            status = sat_scan_create(&scan, &spec);
            made_for = n;
        }
        if (status == SAT_OK) status = sat_scan_run(scan, in, out, NULL);
    }
    sat_scan_destroy(&scan);
    return status;
}

bool bench_make_reference(bench_case *b, const bench_method *reference, int64_t segment, error *err)
{
    sat_status status;
    b->segment = segment;
    bench_set(b, b->reference.data, REFERENCE_POISON, bench_view_bytes(&b->reference));
    if (b->scan) {
        status = scan_segments(b, reference, segment ? segment : b->in.width);
    } else {
        bench_work w;
        sat_view out = b->out;
        b->out = b->reference;
        status = bench_open(&w, b, reference);
        if (status == SAT_OK) status = bench_run(&w);
        bench_close(&w);
        b->out = out;
    }
    b->has_reference = status == SAT_OK;
    return b->has_reference ? true : fail(err, "%s", sat_detail());
}
