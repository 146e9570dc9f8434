/* filter.c - the life cycle of operations: a spec checked, a backend chosen, its states kept, images run.
 *
 *     create   take the spec, complete it, choose a backend, open a state for each image that is worked on at a time
 *     run      check the views, bring them to a device if need be, give the hooks one image or all, add up the counts
 *     wait     for a device, and its counts
 *
 * A backend on a device works on views in its memory.  Views in host memory go there and back in bands, or whole where
 * results need the whole image.  No device is chosen for host memory by default: its caller names one. */
#include <stdio.h>
#include <string.h>

#include "device.h"
#include "filter.h"
#include "images.h"
#include "path.h"
#include "pool.h"
#include "shape.h"
#include "sized.h"
#include "valid.h"

/* ---- creation ------------------------------------------------------------------------------------------ */

static void *spec_of(sat_filter *f)
{
    return (char *)f + f->operation->spec_at;
}

static sat_status check_spec(const sat_operation *o, void *spec, const sat_job *j)
{
    if (*j->channels == 0) *j->channels = 1;
    if (*j->count == 0) *j->count = 1;
    sat_status status = sat_check_job(*j->width, *j->height, *j->count, *j->channels, *j->threads);
    if (status == SAT_OK) status = o->check(spec);
    if (status == SAT_OK) status = sat_check_executor(*j->executor);
    if (status == SAT_OK) status = sat_check_allocator(*j->allocator);
    if (status == SAT_OK && *j->memory != SAT_HOST && *j->memory != SAT_DEVICE)
        status = sat_fail(SAT_ERR_ARGUMENT, "unknown kind of memory");
    if (status == SAT_OK && (*j->band_rows < 0 || *j->band_rows > *j->height))
        status = sat_fail(SAT_ERR_SHAPE, "band_rows is %lld, of images of %lld rows", (long long)*j->band_rows,
                          (long long)*j->height);
    if (status == SAT_OK && *j->memory == SAT_DEVICE && o->on_host)
        status = sat_fail(SAT_ERR_UNAVAILABLE, "%ss are of arrays in host memory: no device has one", o->noun);
    return status;
}

/* A row costs calls, however short it is.  So narrow images are filtered as their transpose, which has few rows; not
 * where a row of that is more than memory should hold sums of.  Rows of an image (band_rows) are columns of that.
 * Integers in bands stay as they are: only rows can follow one another without new sums, and the bits are the same
 * (paths.def: narrow_images). */
static bool turns(const sat_filter *f)
{
    enum { ROW_MOST = 32, COLUMN_MOST = 1 << 20 }; /* samples */
    const sat_job *j = &f->job;
    const int64_t row = *j->width * *j->channels, column = *j->height * *j->channels;
    return SAT_PATH(narrow_images) && f->hooks->turns && j->window_width &&
           (*j->band_rows == 0 || sat_is_float(*j->sample)) && row <= ROW_MOST && row * 8 <= column &&
           column <= COLUMN_MOST;
}

static void swap(int64_t *a, int64_t *b)
{
    const int64_t kept = *a;
    *a = *b, *b = kept;
}

static void turn_spec(const sat_job *j)
{
    swap(j->width, j->height);
    swap(j->window_width, j->window_height);
}

/* first: the image's row that the view begins with. */
static void turn_view(const sat_filter *f, sat_view *v, int64_t first)
{
    v->data = (void *)((uintptr_t)v->data - (uintptr_t)(first * v->row_bytes));
    v->width = *f->job.height, v->height = *f->job.width;
    swap(&v->row_bytes, &v->pixel_bytes);
}

static void turn_run(sat_run *run, int64_t height, int64_t rows)
{
    run->made = (sat_columns){run->first, run->end};
    run->held = (sat_columns){run->from, run->from + rows};
    run->first = run->from = 0;
    run->end = run->height = height;
    run->follows = false;
}

static sat_status open_states(sat_filter *f)
{
    const sat_operation *o = f->operation;
    const sat_job *j = &f->job;
    const int64_t rows = *j->band_rows ? *j->band_rows : *j->height;
    const double samples = (double)*j->width * (double)rows * *j->channels;
    const double image_us = samples / (sat_is_float(*j->sample) ? o->floats_per_us : o->integers_per_us);
    sat_image_threads threads = {1, f->threads};
    if (!f->backend->device) threads = sat_image_threads_for(*j->count, image_us, f->threads);
    *j->threads = threads.each;
    f->worker = sat_arena_alloc(&f->arena, (size_t)threads.workers * sizeof *f->worker);
    sat_status status = f->worker ? SAT_OK : SAT_ERR_MEMORY;
    f->turned = turns(f);
    const int64_t band_rows = *j->band_rows;
    if (f->turned) turn_spec(j), *j->band_rows = 0;
    const int64_t height = *j->height, count = *j->count;
    if (f->bands.rows) {
        *j->height = f->bands.rows, *j->count = f->bands.images;
        *j->band_rows = f->bands.rows < height ? f->bands.rows : 0;
    }
    for (; status == SAT_OK && f->workers < threads.workers; f->workers += status == SAT_OK)
        status = f->hooks->open(spec_of(f), &f->arena, &f->worker[f->workers].state, f->note, sizeof f->note);
    if (f->bands.rows) *j->height = height, *j->count = count, *j->band_rows = 0;
    if (f->turned) turn_spec(j), *j->band_rows = band_rows;
    const size_t used = strlen(f->note);
    if (status == SAT_OK && threads.workers > 1)
        snprintf(f->note + used, sizeof f->note - used, "; %d images at a time", threads.workers);
    return status;
}

static void close_states(sat_filter *f)
{
    while (f->workers > 0) {
        const sat_worker *worker = &f->worker[--f->workers];
        if (f->hooks->close) f->hooks->close(worker->state);
    }
}

/* Frees what a backend has taken. */
static void leave(sat_filter *f)
{
    close_states(f);
    sat_bands_close(&f->bands.bands);
    f->bands = (sat_filter_bands){.rows = 0};
    sat_arena_reset(&f->arena, f);
    f->note[0] = 0;
}

/* A view of that many rows of the object's images: of its samples, a mask or results. */
static sat_view shape_of(const sat_filter *f, int64_t rows, int channels, sat_type type)
{
    return sat_packed_view(*f->job.width, rows, *f->job.count, channels, type, *f->job.memory);
}

/* The views of all images of the object. */
typedef struct shapes {
    sat_view src, mask, results[SAT_OUTPUTS];
    sat_views views;
} shapes;

static void take_shapes(const sat_filter *f, shapes *s)
{
    const bool host = *f->job.memory == SAT_HOST;
    const int64_t rows = *f->job.height;
    s->src = shape_of(f, rows, *f->job.channels, *f->job.sample);
    s->mask = shape_of(f, rows, 1, SAT_U8);
    for (int i = 0; i < f->results; i++) s->results[i] = shape_of(f, rows, *f->job.channels, f->type[i]);
    const bool masked = host && f->job.masked && *f->job.masked;
    s->views = (sat_views){&s->src, masked ? &s->mask : NULL, s->results, host ? f->results : 0};
}

/* Bands of rows need a border mode that looks no further than the window, and the image's own bits from a crop. */
static sat_filter_bands bands_of(const sat_filter *f, const sat_views *views)
{
    sat_filter_shape shape = {.height = *f->job.height, .count = *f->job.count};
    const sat_operation *o = f->operation;
    const sat_border *border = o->reach ? o->reach((const char *)f + o->spec_at, &shape.above, &shape.below) : NULL;
    if (border && !border->repeats_all && f->hooks->period)
        shape.period = f->hooks->period((const char *)f + o->spec_at);
    return sat_filter_bands_of(&shape, views);
}

/* The states, and the memory between them and host memory: of bands, else of whole images. */
static sat_status open_hooks(sat_filter *f, const sat_hooks *hooks)
{
    const bool host = *f->job.memory == SAT_HOST;
    shapes s;
    take_shapes(f, &s);
    f->hooks = hooks;
    if (!f->backend->device) return open_states(f);
    if (host) f->bands = bands_of(f, &s.views);
    sat_status status = open_states(f);
    if (status == SAT_ERR_UNAVAILABLE && f->bands.rows) {
        leave(f);
        status = open_states(f);
    }
    if (status != SAT_OK) return status;
    if (f->bands.rows) {
        const sat_device *device;
        status = sat_device_need(&device);
        return status != SAT_OK
                   ? status
                   : sat_filter_bands_open(&f->bands, device, &s.views, f->threads, *f->job.executor, &f->arena);
    }
    return host || *f->job.strided ? sat_offload_open(&f->offload, &s.views, &f->arena) : SAT_OK;
}

static sat_status open_with(void *object, const sat_backend *b)
{
    sat_filter *f = object;
    const sat_operation *o = f->operation;
    const sat_hooks *own = *(const sat_hooks *const *)((const char *)b + o->hooks_at);
    const sat_hooks *any = o->any && (o->any->any_device || !b->device) ? o->any : NULL;
    if (b->kind >= SAT_CEILING) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: sums nothing and filters nothing", b->name);
    if (own == NULL && any == NULL)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: has no %s", b->name, o->missing ? o->missing : o->noun);
    sat_status status = sat_check_memory(b->name, *f->job.memory, b->device);
    if (status != SAT_OK) return status;
    const char *host_only = b->device && o->host_only ? o->host_only(spec_of(f)) : NULL;
    if (host_only) return sat_fail(SAT_ERR_UNAVAILABLE, "%s: no device has %s", b->name, host_only);
    f->backend = b;
    *f->job.backend = b->name;
    const sat_hooks *first = own ? own : any;
    if (*f->job.band_rows && !first->rows)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: a %s of whole images, not of some rows (band_rows)", b->name,
                        o->noun);
    status = open_hooks(f, first);
    if (status == SAT_ERR_UNAVAILABLE && b->device && own && any) {
        leave(f);
        status = open_hooks(f, any);
    }
    if (status != SAT_OK) leave(f);
    return status;
}

sat_status sat_filter_create(sat_filter **made, const sat_operation *o, const void *given, size_t spec_bytes)
{
    _Alignas(max_align_t) char spec[SAT_SPEC_BYTES];
    const sat_job job = o->job(spec);
    if (made == NULL) return sat_fail(SAT_ERR_ARGUMENT, "%s is NULL", o->name);
    *made = NULL;
    sat_status status = sat_take_struct(spec, o->spec_bytes, given, spec_bytes, "spec");
    if (status == SAT_OK) status = check_spec(o, spec, &job);
    if (status != SAT_OK) return status;
    sat_arena arena = {.allocator = *job.allocator};
    sat_filter *f = sat_arena_zeros(&arena, o->object_bytes);
    if (f == NULL) return SAT_ERR_MEMORY;
    f->arena = arena;
    f->operation = o;
    f->job = o->job(memcpy(spec_of(f), spec, o->spec_bytes));
    f->threads = *f->job.threads;
    f->results = 1;
    if (o->keep)
        status = o->keep(f, f->type, &f->results);
    else
        f->type[0] = *f->job.result;
    /* No device unless it is named: host images are copied there and back, and an operation that reads and writes each
     * sample once is rarely slow beside that. */
    const sat_choice choice = {.memory = *f->job.memory, .device_pays = false};
    if (status == SAT_OK) status = sat_backend_choose(*f->job.backend, &choice, open_with, f);
    if (status == SAT_OK) {
        f->device = sat_device_ordinal(f->backend->device);
        *made = f;
    } else {
        sat_filter_destroy(f);
    }
    return status;
}

void sat_filter_destroy(sat_filter *f)
{
    if (f == NULL) return;
    close_states(f);
    sat_bands_close(&f->bands.bands);
    sat_arena arena = f->arena;
    sat_arena_reset(&arena, NULL);
}

/* ---- runs ---------------------------------------------------------------------------------------------- */

sat_status sat_filter_needs(const sat_filter *f, const sat_operation *o, int64_t first, int64_t end, int64_t *from,
                            int64_t *to)
{
    if (f == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no %s", o->noun);
    const int64_t n = *f->job.height;
    if (from == NULL || to == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no place for the rows that results need");
    if (first < 0 || end <= first || end > n)
        return sat_fail(SAT_ERR_SHAPE, "rows [%lld, %lld) of images of %lld rows", (long long)first, (long long)end,
                        (long long)n);
    int64_t above = n, below = n;
    const sat_border *border = o->reach ? o->reach((const char *)f + o->spec_at, &above, &below) : NULL;
    const int64_t low = first - above - 1, high = end + below + 1; /* of positions */
    if (*f->job.band_rows == 0 || above >= n || below >= n) {
        *from = 0, *to = n;
    } else if (border->repeats_all) {
        *from = high - low < n ? low : 0, *to = high - low < n ? high : n;
    } else {
        *from = low < 0 ? 0 : low, *to = high > n ? n : high;
        for (int64_t p = low; p < 0; p++) {
            const int64_t row = sat_border_index(border, p, n);
            if (row >= *to) *to = row + 1;
        }
        for (int64_t p = n; p < high; p++) {
            const int64_t row = sat_border_index(border, p, n);
            if (row >= 0 && row < *from) *from = row;
        }
    }
    return SAT_OK;
}

/* The rows of a run; of the source, `rows` of them. */
static sat_status take_rows(const sat_filter *f, sat_run *run, int64_t *rows)
{
    const int64_t height = *f->job.height, most = *f->job.band_rows, asked = run->end;
    const sat_operation *o = f->operation;
    if (most == 0 && (run->first || run->end || run->follows))
        return sat_fail(SAT_ERR_ARGUMENT, "run: rows of an image; the %s was made for whole images (band_rows)",
                        o->noun);
    if (run->first < 0 || asked < 0 || run->first > height - (asked ? asked : 1))
        return sat_fail(SAT_ERR_SHAPE, "run: %lld rows from row %lld on, of images of %lld rows", (long long)asked,
                        (long long)run->first, (long long)height);
    run->height = height;
    run->end = run->first + (asked ? asked : height - run->first);
    if (most && run->end - run->first > most)
        return sat_fail(SAT_ERR_SHAPE, "run: %lld rows; the %s makes %lld at a time (band_rows)",
                        (long long)(run->end - run->first), o->noun, (long long)most);
    *rows = height;
    int64_t to;
    if (most == 0) return SAT_OK;
    const sat_status status = sat_filter_needs(f, o, run->first, run->end, &run->from, &to);
    /* NOLINTNEXTLINE(clang-analyzer-core.UndefinedBinaryOperatorResult): rows that are in the image have a reach */
    *rows = to - run->from;
    return status;
}

/* Is a view that a run is given one of those that the object was made for, with as many images as src? */
static sat_status fits(const sat_filter *f, const sat_view *view, int64_t rows, int channels, sat_type type,
                       const sat_view *src, const char *what)
{
    const sat_view made = shape_of(f, rows, channels, type);
    const sat_status status = sat_check_fit(view, &made, what, f->operation->noun);
    if (status != SAT_OK || view->count == src->count) return status;
    return sat_fail(SAT_ERR_SHAPE, "%s: %lld images for %lld", what, (long long)view->count, (long long)src->count);
}

static sat_status take_result(const sat_filter *f, const sat_run *run, sat_view *results, int i, const sat_view *given,
                              const sat_view *src, const sat_view *mask)
{
    sat_status status = sat_take_output(&results[i], given, "result");
    if (status == SAT_OK)
        status = fits(f, &results[i], run->end - run->first, *f->job.channels, f->type[i], src, "result");
    if (status != SAT_OK) return status;
    if (sat_overlap(src, &results[i])) return sat_fail(SAT_ERR_ARGUMENT, "a result overlaps the source");
    if (mask && sat_overlap(mask, &results[i])) return sat_fail(SAT_ERR_ARGUMENT, "a result overlaps the mask");
    for (int k = 0; k < i; k++)
        if (sat_overlap(&results[k], &results[i])) return sat_fail(SAT_ERR_ARGUMENT, "results %d and %d overlap", k, i);
    return SAT_OK;
}

static void add(int64_t *to, int64_t more)
{
    if (more >= 0) *to = *to < 0 ? more : *to + more;
}

static void add_counts(sat_counts *to, const sat_counts *more)
{
    add(&to->clipped, more->clipped);
    for (int i = 0; i < SAT_OUTPUTS; i++) add(&to->empty[i], more->empty[i]);
}

static void give_counts(const sat_filter *f, const sat_run *run)
{
    for (int i = 0; i < f->workers; i++) {
        add_counts(run->counts, &f->worker[i].counts);
        if (run->moved) add(run->moved, f->worker[i].counts.moved);
    }
}

static void count_nothing(sat_counts *counts)
{
    memset(counts, 0xff, sizeof *counts);
}

typedef struct images {
    sat_filter *filter;
    const sat_views *views;
} images;

static sat_status run_image(void *context, const sat_run *run, int64_t i, int worker)
{
    const images *b = context;
    const sat_views *v = b->views;
    sat_view results[SAT_OUTPUTS], src = sat_images_of(v->src, i, 1), mask;
    sat_counts counts;
    if (v->mask) mask = sat_images_of(v->mask, i, 1);
    for (int k = 0; k < v->n; k++) results[k] = sat_images_of(&v->results[k], i, 1);
    count_nothing(&counts);
    const sat_filter *f = b->filter;
    sat_status status = f->hooks->run(f->worker[worker].state, &src, v->mask ? &mask : NULL, results, run, &counts);
    add_counts(&f->worker[worker].counts, &counts);
    add(&f->worker[worker].counts.moved, counts.moved);
    return status;
}

/* Views in the memory where the backend works. */
static sat_status run_images(void *context, const sat_views *v, const sat_run *run)
{
    sat_filter *f = context;
    images b = {f, v};
    for (int i = 0; i < f->workers; i++) count_nothing(&f->worker[i].counts);
    if (f->hooks->batches || v->src->count == 1)
        return f->hooks->run(f->worker->state, v->src, v->mask, v->results, run, &f->worker->counts);
    sat_run each = *run;
    each.follows = false; /* a worker's last image may have been another */
    return sat_each_image(&each, *f->job.executor, f->workers, v->src->count, run_image, &b);
}

static sat_status fetch_counts(sat_filter *f)
{
    sat_counts *to = f->waited_for;
    f->waited_for = NULL;
    return to && f->hooks->counts ? f->hooks->counts(f->worker->state, to) : SAT_OK;
}

/* Views that fit. */
static sat_status run_views(sat_filter *f, const sat_views *views, const sat_run *run)
{
    f->waited_for = f->backend->device ? run->counts : NULL;
    sat_status status = f->bands.rows        ? sat_filter_bands_run(&f->bands, views, run, run_images, f)
                        : f->backend->device ? sat_offload_run(f->offload, views, run, run_images, f)
                                             : run_images(f, views, run);
    if (status != SAT_OK) f->waited_for = NULL; /* the caller may drop them */
    if (status != SAT_OK || run->counts == NULL) return status;
    give_counts(f, run);
    return *f->job.memory == SAT_HOST ? fetch_counts(f) : SAT_OK;
}

sat_status sat_filter_run(sat_filter *f, const sat_operation *o, const sat_view *given_src, const sat_view *given_mask,
                          const sat_view *given_results, const sat_run_options *given, size_t run_bytes)
{
    sat_run run;
    sat_control control;
    sat_view src, mask, results[SAT_OUTPUTS];
    if (f == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no %s", o->noun);
    if (given_results == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no results");
    int64_t rows = 0;
    sat_status status = sat_take_run(&run, &control, given, run_bytes, SAT_RUN_MASK | SAT_RUN_ROWS);
    if (status == SAT_OK) status = take_rows(f, &run, &rows);
    if (status != SAT_OK) return status;
    if (given_mask && run.mask) return sat_fail(SAT_ERR_ARGUMENT, "run: a mask, beside the one of the call");
    if (run.mask) given_mask = run.mask;
    if ((given_mask != NULL) != (f->job.masked && *f->job.masked))
        return sat_fail(SAT_ERR_ARGUMENT,
                        given_mask ? "a mask; the %s was not made for one" : "no mask; the %s was made for one",
                        o->noun);
    const sat_views views = {&src, given_mask ? &mask : NULL, results, f->results};
    status = sat_take_view(&src, given_src, "source");
    if (status == SAT_OK) status = fits(f, &src, rows, *f->job.channels, *f->job.sample, &src, "source");
    if (status == SAT_OK) status = sat_check_strides(&src, *f->job.strided, "source");
    if (status == SAT_OK && given_mask) status = sat_mask_take(&mask, given_mask, &src);
    for (int i = 0; i < views.n && status == SAT_OK; i++)
        status = take_result(f, &run, results, i, &given_results[i], &src, views.mask);
    if (status == SAT_OK) status = sat_run_asked(&run);
    if (status == SAT_OK && f->hooks->check && src.memory == SAT_HOST) status = f->hooks->check(&src, &run);
    if (status != SAT_OK) return status;
    run.made = run.held = (sat_columns){0, *f->job.width};
    if (f->turned) {
        turn_view(f, &src, run.from);
        if (given_mask) turn_view(f, &mask, run.from);
        for (int i = 0; i < views.n; i++) turn_view(f, &results[i], run.first);
        turn_run(&run, *f->job.width, rows);
    }
    return run_views(f, &views, &run);
}

sat_status sat_filter_wait(sat_filter *f, const sat_operation *o, void *stream)
{
    if (f == NULL) return sat_fail(SAT_ERR_ARGUMENT, "no %s", o->noun);
    if (*f->job.memory == SAT_HOST) return SAT_OK;
    sat_status status = sat_device_wait(stream);
    return status == SAT_OK ? fetch_counts(f) : status;
}
