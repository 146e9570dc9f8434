#include "bench.h"

#include <math.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "image.h"
#include "sample_type.h"
#include "sat_image.h"

enum {
    COPY_PART_BYTES = 256 << 10, /* some 20 us of copying */
    THREADS_MAX = 1024,          /* sat_parallel()'s */
    PAGES_BYTES = 4 << 20,       /* that a thread touches at a time: two huge pages */
    SECTOR_BYTES = 32,           /* that a GPU's caches fetch at a time */
};

/* ---- memory ------------------------------------------------------------------------------------------ */

bool bench_prepare(bench_case *b, error *err)
{
    int64_t extra = !b->scan && b->window == 0 && b->layout == SAT_PADDED;
    b->reference = (sat_view){.width = b->in.width + extra,
                              .height = (b->in.height + extra) * (b->outputs ? b->outputs : 1),
                              .channels = b->in.channels,
                              .type = b->window ? b->result : b->accum,
                              .count = b->in.count};
    b->full_width = b->reference.width;
    if (!view_alloc(&b->reference, "the reference", err)) return false;
    /* Integers that are summed as floats, and samples of an image, may round. */
    if (b->window || (is_float_type(b->reference.type) && !is_float_type(b->in.type))) b->exact = false;
    if (b->window ? is_float_type(b->in.type) : is_float_type(b->reference.type) && !b->exact)
        b->magnitude = bench_magnitude(b);
    return true;
}

typedef struct setting {
    char *to;
    int byte;
    size_t bytes;
} setting;

static void set_pages(void *context, int64_t part, int worker)
{
    const setting *s = context;
    size_t at = (size_t)part * PAGES_BYTES, left = s->bytes - at;
    (void)worker;
    memset(s->to + at, s->byte, left < PAGES_BYTES ? left : PAGES_BYTES);
}

void bench_set(const bench_case *b, void *to, int byte, size_t bytes)
{
    setting s = {.to = to, .byte = byte, .bytes = bytes};
    sat_parallel(b->threads, (int64_t)(bytes / PAGES_BYTES + 1), set_pages, &s);
}

/* The shape of the reference, but with no memory yet. */
static sat_view like_reference(const bench_case *b, int64_t width)
{
    sat_view v = b->reference;
    v.data = NULL;
    v.width = width ? width : b->full_width;
    v.row_bytes = (ptrdiff_t)sat_row_bytes(v.width, v.channels, v.type);
    return v;
}

static void set_width(sat_view *v, int64_t n)
{
    v->width = n;
    v->row_bytes = (ptrdiff_t)sat_row_bytes(n, v->channels, v->type);
}

bool bench_host_output(bench_case *b, error *err)
{
    if (b->out.data) return true;
    b->out = like_reference(b, b->out_width);
    if (!view_alloc(&b->out, "the output", err)) return false;
    bench_set(b, b->out.data, 0, bench_view_bytes(&b->out));
    set_width(&b->out, b->reference.width);
    return true;
}

/* Half of all bytes that statistics read and write: no more than their results have, where these are as wide as the
 * samples. */
static bool copied_on_device(bench_case *b, error *err)
{
    const size_t bytes = (size_t)bench_least_bytes(b) / 2;
    b->device_from = (sat_view){.row_bytes = (ptrdiff_t)bytes,
                                .width = (int64_t)bytes,
                                .height = 1,
                                .channels = 1,
                                .type = SAT_U8,
                                .memory = SAT_DEVICE};
    b->device_to = b->device_from;
    b->device_to.data = b->device_out.data;
    return sat_device_alloc(&b->device_from.data, bytes) == SAT_OK || fail(err, "%s", sat_detail());
}

bool bench_device_arrays(bench_case *b, error *err)
{
    if (b->device_out.data) return true;
    sat_view in = b->in;
    if (b->scan) set_width(&in, b->full_width);
    b->device_in = in;
    b->device_in.memory = SAT_DEVICE;
    b->device_in.row_bytes = (ptrdiff_t)sat_row_bytes(in.width, in.channels, in.type);
    b->device_out = like_reference(b, 0);
    b->device_out.memory = SAT_DEVICE;
    if (sat_device_alloc(&b->device_in.data, bench_view_bytes(&b->device_in)) != SAT_OK ||
        sat_device_alloc(&b->device_out.data, bench_view_bytes(&b->device_out)) != SAT_OK ||
        sat_device_copy(&in, &b->device_in, NULL) != SAT_OK) {
        sat_device_free(b->device_in.data);
        sat_device_free(b->device_out.data);
        b->device_in.data = b->device_out.data = NULL;
        return fail(err, "%s", sat_detail());
    }
    if (b->scan) set_width(&b->device_in, b->in.width);
    set_width(&b->device_out, b->reference.width);
    return b->outputs == 0 || copied_on_device(b, err);
}

void bench_narrow(bench_case *b, int64_t n)
{
    sat_view *const views[] = {&b->in, &b->reference, &b->out, &b->device_in, &b->device_out};
    for (size_t i = 0; i < sizeof views / sizeof *views; i++) set_width(views[i], n);
}

void bench_free(bench_case *b)
{
    free(b->owned);
    image_free(&b->img);
    free(b->out.data);
    free(b->reference.data);
    free(b->valid.mask.data);
    free(b->piece);
    sat_device_free(b->device_in.data);
    sat_device_free(b->device_out.data);
    sat_device_free(b->device_from.data);
    sat_device_free(b->device_table.view.data);
}

/* ---- methods ----------------------------------------------------------------------------------------- */

/* Of a sat_lab_backend_info or a sat_scan_info. */
#define DESCRIBE(m, info)                                                                                              \
    *(m) = (bench_method){.id = (info).name,                                                                           \
                          .summary = (info).summary,                                                                   \
                          .paper = (info).paper,                                                                       \
                          .kind = (info).kind,                                                                         \
                          .device = (info).device,                                                                     \
                          .available = (info).available,                                                               \
                          .why = (info).why,                                                                           \
                          .in_reads = (info).in_reads,                                                                 \
                          .out_reads = (info).out_reads,                                                               \
                          .out_writes = (info).out_writes};                                                            \
    snprintf((m)->name, sizeof(m)->name, "%s", (info).name)

static bool backend(size_t i, bool probes, bench_method *m)
{
    sat_lab_backend_info info;
    if (!(probes ? sat_lab_backend_at(i, &info) : sat_lab_backend_entry(i, &info))) return false;
    DESCRIBE(m, info);
    return true;
}

bool bench_backend_at(size_t i, bench_method *m)
{
    return backend(i, true, m);
}

bool bench_backend_entry(size_t i, bench_method *m)
{
    return backend(i, false, m);
}

bool bench_scan_at(size_t i, bench_method *m)
{
    sat_scan_info info;
    if (!sat_scan_at(i, &info)) return false;
    DESCRIBE(m, info);
    m->segment = info.segment;
    return true;
}

bool bench_scan_absent(size_t i, char *name, size_t bytes)
{
    return sat_scan_absent(i, false, name, bytes);
}

const char *bench_unknown_scan(const char *name)
{
    sat_scan *scan;
    sat_status status = sat_scan_create(&scan, &(sat_scan_spec){.length = 1, .sample = SAT_U32, .method = name});
    sat_scan_destroy(&scan);
    return status == SAT_OK ? "" : sat_detail();
}

void bench_plain_copy(bench_method *m)
{
    *m = (bench_method){
        .name = "memcpy", .kind = SAT_CEILING, .available = true, .why = "", .in_reads = 1, .out_writes = 1};
}

void bench_device_copy(bench_method *m)
{
    sat_device_info info;
    bool here = sat_device_current(&info) == SAT_OK;
    *m = (bench_method){.name = "device-memcpy",
                        .kind = SAT_CEILING,
                        .device = true,
                        .available = here,
                        .why = here ? "" : sat_detail(),
                        .in_reads = 1,
                        .out_writes = 1};
}

/* ---- the work -------------------------------------------------------------------------------------- */

/* A ceiling copies the images of a batch at once, as one that is as tall as all, in no other order of samples; of a
 * padded table, with one zero row. */
static sat_view as_one(sat_view v, int64_t zero_rows)
{
    v.height = (v.height - zero_rows) * (v.count ? v.count : 1) + zero_rows;
    v.count = 0;
    return v;
}

static sat_status open_plan(bench_work *w, const bench_method *m)
{
    const bench_case *b = w->of;
    w->as_one = m->kind == SAT_CEILING && (b->in.count > 1 || b->order || b->valid.mask.data);
    const sat_view in = w->as_one ? as_one(b->in, 0) : b->in;
    sat_plan_spec spec = {.width = in.width,
                          .height = in.height,
                          .count = in.count,
                          .channels = b->in.channels,
                          .sample = b->in.type,
                          .accum = b->accum,
                          .layout = b->layout,
                          .backend = m->id,
                          .threads = b->threads,
                          .memory = w->device ? SAT_DEVICE : SAT_HOST};
    if (m->kind != SAT_CEILING) {
        spec.power = b->squares ? 2 : 1;
        spec.masked = b->valid.mask.data != NULL;
        spec.skip_nan = b->valid.skip_nan, spec.has_nodata = b->valid.has_nodata, spec.nodata = b->valid.nodata;
    }
    return sat_plan_create(&w->plan, &spec);
}

static sat_status open_box(bench_work *w, const bench_method *m)
{
    const bench_case *b = w->of;
    sat_box_spec spec = {.width = b->in.width,
                         .height = b->in.height,
                         .count = b->in.count,
                         .channels = b->in.channels,
                         .sample = b->in.type,
                         .window_width = b->window,
                         .window_height = b->window,
                         .result = b->result,
                         .weighted_alpha = b->weighted,
                         .backend = m->id,
                         .threads = b->threads,
                         .memory = w->device ? SAT_DEVICE : SAT_HOST};
    return sat_box_create(&w->box, &spec);
}

static sat_status open_gauss(bench_work *w, const bench_method *m)
{
    const bench_case *b = w->of;
    sat_gauss_spec spec = {.width = b->in.width,
                           .height = b->in.height,
                           .count = b->in.count,
                           .channels = b->in.channels,
                           .sample = b->in.type,
                           .sigma = b->sigma,
                           .result = b->result,
                           .masked = b->valid.mask.data != NULL,
                           .skip_nan = b->valid.skip_nan,
                           .has_nodata = b->valid.has_nodata,
                           .nodata = b->valid.nodata,
                           .empty_set = b->valid.has_nodata && sat_type_holds(b->result, b->valid.nodata),
                           .empty = b->valid.nodata,
                           .backend = m->id,
                           .threads = b->threads,
                           .memory = w->device ? SAT_DEVICE : SAT_HOST};
    return sat_gauss_create(&w->gauss, &spec);
}

sat_window_spec bench_window_spec(const bench_case *b)
{
    const bool empty = b->valid.has_nodata && sat_type_holds(b->result, b->valid.nodata);
    return (sat_window_spec){.width = b->in.width,
                             .height = b->in.height,
                             .count = b->in.count,
                             .channels = b->in.channels,
                             .sample = b->in.type,
                             .window_width = b->window,
                             .window_height = b->window,
                             .outputs = b->outputs,
                             .output = b->output,
                             .masked = b->valid.mask.data != NULL,
                             .skip_nan = b->valid.skip_nan,
                             .has_nodata = b->valid.has_nodata,
                             .nodata = b->valid.nodata,
                             .empty_set = empty,
                             .avoid_empty = empty,
                             .empty = b->valid.nodata,
                             .threads = b->threads};
}

static sat_status open_windows(bench_work *w, const bench_method *m)
{
    sat_window_spec spec = bench_window_spec(w->of);
    spec.backend = m->id;
    spec.memory = w->device ? SAT_DEVICE : SAT_HOST;
    return sat_window_create(&w->windows, &spec);
}

/* The results of an image lie one below the other, in one view. */
void bench_window_results(const bench_case *b, const sat_view *out, sat_view to[SAT_OUTPUTS])
{
    for (int k = 0; k < b->outputs; k++) {
        to[k] = *out;
        to[k].height = out->height / b->outputs;
        to[k].image_bytes = out->height * out->row_bytes;
        to[k].data = (char *)out->data + k * to[k].height * out->row_bytes;
    }
}

static sat_status run_windows(const bench_work *w, const sat_view *in, const sat_view *out)
{
    sat_view results[SAT_OUTPUTS];
    const sat_run_options how = bench_valid_run(w->of);
    bench_window_results(w->of, out, results);
    return sat_window_run(w->windows, in, NULL, results, &how);
}

static sat_status open_scan(bench_work *w, const bench_method *m)
{
    const bench_case *b = w->of;
    sat_scan_spec spec = {.length = b->in.width,
                          .sample = b->in.type,
                          .accum = b->accum,
                          .exclusive = b->exclusive,
                          .memory = w->device ? SAT_DEVICE : SAT_HOST,
                          .method = m->id,
                          .block_threads = m->block_threads,
                          .thread_items = m->thread_items,
                          .naive_staging = m->naive_staging};
    return sat_scan_create(&w->scan, &spec);
}

static sat_status table_to_device(bench_case *b)
{
    sat_view *view = &b->device_table.view;
    if (view->data) return SAT_OK;
    b->device_table = *b->table;
    view->memory = SAT_DEVICE;
    sat_status status = sat_device_alloc(&view->data, bench_view_bytes(view));
    return status == SAT_OK ? sat_device_copy(&b->table->view, view, NULL) : status;
}

/* A query is about a table that is there: this one's copy comes before the arrays. */
static sat_status open_query(bench_work *w, bench_case *of)
{
    sat_status status = w->device ? table_to_device(of) : SAT_OK;
    return status == SAT_OK ? sat_query_create(&w->query, w->device ? &of->device_table : of->table, NULL) : status;
}

sat_status bench_open(bench_work *w, bench_case *of, const bench_method *m)
{
    *w = (bench_work){.of = of, .device = m->device};
    if (!m->id) return SAT_OK;
    if (of->table) return open_query(w, of);
    if (of->outputs) return open_windows(w, m);
    if (of->sigma > 0) return open_gauss(w, m);
    return of->window ? open_box(w, m) : of->scan ? open_scan(w, m) : open_plan(w, m);
}

typedef struct plain_copy {
    char *to;
    const char *from;
    size_t bytes, parts, part; /* part: bytes of each but the last, which may have more */
    atomic_bool taken[THREADS_MAX];
} plain_copy;

/* Each thread takes the part that it took last, since its caches may hold it, or one that no thread has taken. */
static void copy_part(void *context, int64_t index, int worker)
{
    static _Thread_local size_t i;
    plain_copy *c = context;
    (void)index, (void)worker;
    if (i >= c->parts) i = 0;
    while (atomic_exchange(&c->taken[i], true)) i = i + 1 < c->parts ? i + 1 : 0;
    size_t at = i * c->part;
    memcpy(c->to + at, c->from + at, i + 1 < c->parts ? c->part : c->bytes - at);
}

const void *bench_copy_source(const bench_case *b)
{
    return b->window && !b->outputs && b->result == b->in.type ? b->in.data : b->reference.data;
}

/* The ceiling where the table has none: so many bytes, copied by all threads, that as many are read and written as
 * the input and the output have together.  A part that takes less time than waking a thread is not worth one. */
static void copy(const bench_work *w)
{
    const bench_case *b = w->of;
    plain_copy c = {.to = b->out.data, .from = bench_copy_source(b), .bytes = (size_t)bench_least_bytes(b) / 2};
    c.parts = c.bytes / COPY_PART_BYTES + 1;
    if (c.parts > (size_t)b->threads) c.parts = (size_t)b->threads;
    if (c.parts > THREADS_MAX) c.parts = THREADS_MAX;
    c.part = c.bytes / c.parts;
    sat_parallel((int)c.parts, (int64_t)c.parts, copy_part, &c);
}

const char *const bench_order_name[ORDERS] = {"packed", "flipped", "bgr", "planes", "turned"};

/* A view of the host's, whose samples stand in another order. */
static sat_view ordered(sat_view v, bench_order order)
{
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(v.type), pixel = v.channels * size;
    if (order == ORDER_PACKED) return v;
    v.image_bytes = v.height * v.row_bytes;
    v.pixel_bytes = order == ORDER_FLIPPED  ? -pixel
                    : order == ORDER_PLANES ? size
                    : order == ORDER_TURNED ? v.height * pixel
                                            : pixel;
    v.channel_bytes = order == ORDER_BGR ? -size : order == ORDER_PLANES ? v.image_bytes / v.channels : size;
    if (order == ORDER_FLIPPED) v.data = (char *)v.data + (v.width - 1) * pixel;
    if (order == ORDER_BGR) v.data = (char *)v.data + pixel - size;
    if (order == ORDER_PLANES) v.row_bytes /= v.channels;
    if (order == ORDER_TURNED) v.row_bytes = pixel;
    return v;
}

sat_status bench_run(void *work)
{
    const bench_work *w = work;
    const bench_order order = w->as_one ? ORDER_PACKED : w->of->order;
    const sat_view host_in = ordered(w->of->in, order), host_out = ordered(w->of->out, order);
    const sat_view *in = w->device ? &w->of->device_in : &host_in;
    const sat_view *out = w->device ? &w->of->device_out : &host_out;
    const sat_run_options how = bench_valid_run(w->of);
    if (w->as_one) {
        const sat_view all_in = as_one(*in, 0), all_out = as_one(*out, w->of->layout == SAT_PADDED);
        return sat_plan_run(w->plan, &all_in, &all_out, NULL);
    }
    if (w->plan) return sat_plan_run(w->plan, in, out, &how);
    if (w->box) return sat_box_run(w->box, in, out, NULL);
    if (w->gauss) return sat_gauss_run(w->gauss, in, out, &how);
    if (w->scan) return sat_scan_run(w->scan, in->data, out->data, NULL);
    if (w->query) return sat_query_run(w->query, in->data, (size_t)in->width, NULL, out->data, NULL);
    if (w->windows) return run_windows(w, in, out);
    if (w->device && w->of->outputs) return sat_device_copy(&w->of->device_from, &w->of->device_to, NULL);
    if (w->device) return sat_device_copy(in, out, NULL);
    copy(w);
    return SAT_OK;
}

sat_status bench_wait(bench_work *w)
{
    if (w->query) return sat_query_wait(w->query, NULL);
    return w->device ? sat_device_wait(NULL) : SAT_OK;
}

const char *bench_note(const bench_work *w)
{
    return w->plan      ? sat_plan_note(w->plan)
           : w->box     ? sat_box_note(w->box)
           : w->gauss   ? sat_gauss_note(w->gauss)
           : w->windows ? sat_window_note(w->windows)
           : w->scan    ? sat_scan_note(w->scan)
                        : NULL;
}

void bench_close(bench_work *w)
{
    sat_plan_destroy(&w->plan);
    sat_box_destroy(&w->box);
    sat_gauss_destroy(&w->gauss);
    sat_window_destroy(&w->windows);
    sat_scan_destroy(&w->scan);
    sat_query_destroy(&w->query);
}

size_t bench_copied_bytes(const bench_work *w)
{
    const bench_case *b = w->of;
    if (!w->as_one) return (size_t)bench_least_bytes(b) / 2;
    const sat_view in = as_one(b->in, 0), out = as_one(b->reference, b->layout == SAT_PADDED);
    return (bench_view_bytes(&in) + bench_view_bytes(&out)) / 2;
}

/* ---- bytes ----------------------------------------------------------------------------------------- */

/* What is read at the corners of all rectangles, if each corner costs so many bytes. */
static double corner_bytes(const bench_case *b, size_t bytes)
{
    return b->table ? 4.0 * (double)bytes * (double)b->in.width : 0;
}

double bench_least_bytes(const bench_case *b)
{
    return (double)bench_view_bytes(&b->in) + (double)bench_view_bytes(&b->reference) +
           corner_bytes(b, sat_type_bytes(b->accum));
}

double bench_model_bytes(const bench_case *b, const bench_method *m)
{
    if (b->table) return bench_least_bytes(b) + corner_bytes(b, SECTOR_BYTES - sat_type_bytes(b->accum));
    if (b->window || !m->id) return bench_least_bytes(b);
    double out = (double)bench_view_bytes(&b->reference), in = bench_least_bytes(b) - out;
    return m->in_reads * in + (m->out_reads + m->out_writes) * out;
}
