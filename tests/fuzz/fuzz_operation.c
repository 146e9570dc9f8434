/* fuzz_operation.c - all operations of operations.def by their contract alone: a spec of any members, views of any
 * strides, masks and batches.
 *
 * A wrong spec or view is refused and nothing touched.  Results do not depend on strides, threads and batches: an
 * object of one thread makes the same, image by image, from plain views.  An object made for some rows (band_rows)
 * makes the same from rows [from, to) alone, which lie in memory of their own. */
#include <math.h>

#include "api.h"
#include "filter.h"
#include "sat_window.h"

enum { SIDE = 12, IMAGES = 3 };

static const sat_operation *const operations[] = {
#define SAT_OPERATION(id) &sat_operation_##id,
#include "operations.def"
#undef SAT_OPERATION
};

/* ---- specs --------------------------------------------------------------------------------------------- */

static double take_number(fuzz_input *in)
{
    static const double reals[] = {1, 1, 2, 3, 1, 2, 7, 20, 1, 2, 3, 0.5, 1.5, 0, -1, NAN};
    return reals[take(in, 1) % 16];
}

static const char *take_border(fuzz_input *in)
{
    sat_border_info info;
    const unsigned i = (unsigned)take(in, 1) % 64;
    return i == 63 ? "no such border" : sat_border_at(i % 7, &info) ? info.name : NULL;
}

/* Not so large that windows take longer than a fuzzer waits. */
static int64_t take_side(fuzz_input *in)
{
    const int64_t side = take_int(in, 1, 9);
    return side > 3 * SIDE && side < INT64_MAX / 2 ? 3 * SIDE : side;
}

static void take_outputs(fuzz_input *in, sat_window_output outputs[SAT_OUTPUTS])
{
    for (int i = 0; i < SAT_OUTPUTS; i++) {
        sat_statistic_info info;
        sat_window_output *o = &outputs[i];
        *o = (sat_window_output){.statistic = sat_statistic_at(take(in, 1) % 32, &info) ? info.name : "mean"};
        const unsigned how = (unsigned)take(in, 1);
        o->compare = how % 8 == 1;
        if (how % 4 == 2) o->result = (sat_type)(take(in, 1) % 13);
        if (how % 32 != 3) continue;
        o->set = (unsigned)take(in, 1);
        const uint64_t which = take(in, 1) % SAT_PARAMETERS;
        o->parameter[which] = take_number(in);
    }
}

static void take_member(fuzz_input *in, void *at, sat_member_kind kind, sat_window_output *outputs)
{
    switch (kind) {
    case SAT_MEMBER_COUNT:
        *(int *)at = take_one_in(in, 16) ? (int)take_int(in, 0, 20) : 1 + (int)(take(in, 1) % 3);
        break;
    case SAT_MEMBER_ENUM:
        *(unsigned *)at = take_one_in(in, 16) ? (unsigned)take_int(in, 0, 12) : (unsigned)(take(in, 1) % 16 / 7);
        break;
    case SAT_MEMBER_INT64: *(int64_t *)at = take_side(in); break;
    case SAT_MEMBER_BOOL: *(bool *)at = take_one_in(in, 4); break;
    case SAT_MEMBER_REAL: *(double *)at = take_number(in); break;
    case SAT_MEMBER_BORDER: *(const char **)at = take_border(in); break;
    case SAT_MEMBER_VALUES:
        for (int c = 0; c < 4; c++) ((double *)at)[c] = (double)(take(in, 1) % 128);
        break;
    case SAT_MEMBER_OUTPUTS:
        take_outputs(in, outputs);
        *(const sat_window_output **)at = outputs;
        break;
    case SAT_NO_MEMBER: break;
    }
}

/* True: something is wrong that each operation refuses. */
static bool take_spec(fuzz_input *in, const sat_operation *o, char *spec, sat_window_output *outputs)
{
    static const sat_type samples[] = {SAT_U8, SAT_U16, SAT_F32, SAT_U32, SAT_I8, SAT_I16, SAT_I32, SAT_F64};
    static const sat_executor nothing = {0};
    const sat_job j = o->job(spec);
    *j.width = 1 + (int64_t)(take(in, 1) % SIDE);
    *j.height = 1 + (int64_t)(take(in, 1) % SIDE);
    *j.channels = (int)(take(in, 1) % 5);
    *j.sample = take_one_in(in, 16) ? (sat_type)(take(in, 1) % 13) : samples[take(in, 1) % 8];
    *j.count = (int64_t)(take(in, 1) % (IMAGES + 1));
    *j.threads = take_one_in(in, 8) ? take_threads(in) : (int)(take(in, 1) % 4);
    *j.strided = take_one_in(in, 2);
    if (take_one_in(in, 8)) *j.backend = take_backend(in);
    for (const sat_member *m = o->members; m->kind != SAT_NO_MEMBER; m++)
        take_member(in, spec + m->at, m->kind, outputs);
    switch (take(in, 1) % 32) {
    case 0: *j.width = -(int64_t)(take(in, 1) % 3); return true;
    case 1: *j.height = ((int64_t)1 << 40) + 1; return true;
    case 2: *j.channels = take_one_in(in, 2) ? 5 : -1; return true;
    case 3: *j.memory = (sat_memory)(2 + take(in, 1)); return true;
    case 4: *j.count = -1; return true;
    case 5: *j.executor = &nothing; return true;
    case 6: *j.band_rows = take_one_in(in, 2) ? *j.height + 1 : -1; return true;
    default: return !threads_right(*j.threads) || backend_of(*j.backend) != COMPUTES;
    }
}

/* ---- views ------------------------------------------------------------------------------------------------ */

/* Images in memory of their own. */
typedef struct images {
    sat_view view;
    uint8_t *memory, *before;
    size_t bytes;
} images;

static bool open_images(fuzz_input *in, images *m, const sat_view *shape)
{
    static const int orders[][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {3, 0, 1, 2}, {1, 2, 0, 3}};
    const ptrdiff_t size = (ptrdiff_t)sat_type_bytes(shape->type);
    const unsigned how = in ? (unsigned)take(in, 2) : 0;
    sat_view *v = &m->view;
    *v = *shape;
    ptrdiff_t *const bytes[] = {&v->channel_bytes, &v->pixel_bytes, &v->row_bytes, &v->image_bytes};
    const int64_t n[] = {v->channels, v->width, v->height, v->count};
    ptrdiff_t step = size, low = 0;
    for (int k = 0; k < 4; k++) {
        const int i = orders[how % 4][k];
        *bytes[i] = how >> (2 + i) & 1 ? -step : step;
        if (*bytes[i] < 0) low += (n[i] - 1) * step;
        step = n[i] * step + (ptrdiff_t)(how >> (6 + k) & 1) * size;
    }
    m->bytes = (size_t)step;
    m->memory = malloc(m->bytes);
    m->before = malloc(m->bytes);
    if (!m->memory || !m->before) return false;
    memset(m->memory, POISON, m->bytes);
    v->data = m->memory + low;
    return true;
}

static void close_images(images *m)
{
    free(m->memory);
    free(m->before);
}

static sat_view image_of(const sat_view *v, int64_t i)
{
    sat_view one = *v;
    one.count = 1;
    one.data = (uint8_t *)v->data + i * v->image_bytes;
    one.image_bytes = 0;
    return one;
}

static void fill_images(const fuzz_input *in, images *m)
{
    for (int64_t i = 0; i < m->view.count; i++) {
        const fuzz_input rest = {in->at + (in->left > (size_t)i ? i : 0),
                                 in->left > (size_t)i ? in->left - (size_t)i : 0};
        const sat_view one = image_of(&m->view, i);
        fill_view(&rest, &one, false);
    }
    memcpy(m->before, m->memory, m->bytes);
}

static bool as_before(const images *m)
{
    return memcmp(m->memory, m->before, m->bytes) == 0;
}

/* Numbers that are equal, or both NaN. */
static bool same_results(const sat_view *a, const sat_view *b)
{
    for (int64_t y = 0; y < a->height; y++)
        for (int64_t x = 0; x < a->width; x++)
            for (int c = 0; c < a->channels; c++) {
                const long double l = load_sample(a, x, y, c), r = load_sample(b, x, y, c);
                if (!(l == r || (isnan(l) && isnan(r)))) return false;
            }
    return true;
}

static bool only_samples_written(const images *m)
{
    uint8_t *marks = calloc(m->bytes, 1);
    bool same = marks != NULL;
    for (int64_t i = 0; marks && i < m->view.count; i++) {
        const sat_view one = image_of(&m->view, i);
        mark_view(&one, (uintptr_t)m->memory, marks, m->bytes);
    }
    for (size_t i = 0; same && i < m->bytes; i++) same = marks[i] || m->memory[i] == POISON;
    free(marks);
    return same;
}

/* ---- runs ------------------------------------------------------------------------------------------------- */

typedef struct work {
    const sat_operation *operation;
    sat_filter *filter;
    images src, mask, results[SAT_OUTPUTS];
    sat_view views[SAT_OUTPUTS];
    bool masked;
    int n;
    sat_counts counts;
} work;

static bool open_work(fuzz_input *in, work *w, int64_t count)
{
    const sat_job *j = &w->filter->job;
    sat_view shape = {
        .width = *j->width, .height = *j->height, .channels = *j->channels, .type = *j->sample, .count = count};
    w->masked = j->masked && *j->masked;
    w->n = w->filter->results;
    bool ok = open_images(in, &w->src, &shape);
    for (int i = 0; ok && i < w->n; i++) {
        shape.type = w->filter->type[i];
        ok = open_images(in, &w->results[i], &shape);
        w->views[i] = w->results[i].view;
    }
    shape.type = SAT_U8, shape.channels = 1;
    return ok && open_images(in, &w->mask, &shape);
}

static void close_work(work *w)
{
    sat_filter_destroy(w->filter);
    close_images(&w->src);
    close_images(&w->mask);
    for (int i = 0; i < w->n; i++) close_images(&w->results[i]);
}

static sat_status run_work(work *w, const sat_view *src, const sat_view *mask, const sat_run_options *run)
{
    return sat_filter_run(w->filter, w->operation, src, mask, w->views, run, sizeof *run);
}

static bool no(void *context)
{
    (void)context;
    return false;
}

static const char *check_refusals(fuzz_input *in, work *w)
{
    sat_view src = w->src.view, mask = w->mask.view;
    const sat_view *counting = w->masked ? &mask : NULL, first = w->views[0];
    const sat_run_options ended = {.proceed = no}, all = {0};
    if (run_work(w, &src, counting, &ended) != SAT_ERR_CANCELLED) return "a run that its caller ends goes on";
    switch (take(in, 1) % 8) {
    case 0: src.width++; break;
    case 1: src.type = src.type == SAT_U8 ? SAT_U16 : SAT_U8; break;
    case 2: src.data = NULL; break;
    case 3: counting = w->masked ? NULL : &mask; break;
    case 4: mask.height++, w->views[0].height += !w->masked; break;
    case 5: w->views[0].data = NULL; break;
    case 6: w->views[0].count = w->src.view.count + 1; break;
    default: src.count = 2 + *w->filter->job.count; break;
    }
    const sat_status status = run_work(w, &src, counting, &all);
    w->views[0] = first;
    if (status == SAT_OK) return "a wrong view was taken";
    for (int i = 0; i < w->n; i++)
        if (!untouched(w->results[i].memory, w->results[i].bytes)) return "a refused run has written";
    return NULL;
}

static int64_t counted(int64_t sum, int64_t more)
{
    return more < 0 ? sum : sum < 0 ? more : sum + more;
}

static void add_counts(sat_counts *sum, const sat_counts *more)
{
    sum->clipped = counted(sum->clipped, more->clipped);
    sum->moved = counted(sum->moved, more->moved);
    for (int r = 0; r < SAT_OUTPUTS; r++) sum->empty[r] = counted(sum->empty[r], more->empty[r]);
}

/* One thread, and plain images one after the other, filled as the others are. */
static const char *check_alone(const work *w, char *spec)
{
    work alone = {.operation = w->operation};
    sat_counts sum;
    memset(&sum, 0xff, sizeof sum);
    const char *why = NULL;
    const sat_job j = w->operation->job(spec);
    *j.threads = 1;
    *j.count = 1;
    if (sat_filter_create(&alone.filter, w->operation, spec, w->operation->spec_bytes) != SAT_OK)
        return "one image and thread were refused";
    for (int64_t i = 0; !why && i < w->src.view.count; i++) {
        sat_counts one;
        const sat_run_options run = {.counts = &one};
        work k = {.operation = w->operation, .filter = alone.filter};
        const sat_view from = image_of(&w->src.view, i), mask = image_of(&w->mask.view, i);
        if (!open_work(NULL, &k, 1)) why = "out of memory";
        for (int64_t y = 0; !why && y < from.height; y++)
            for (int64_t x = 0; x < from.width; x++) {
                *(uint8_t *)sample_at(&k.mask.view, x, y, 0) = *(const uint8_t *)sample_at(&mask, x, y, 0);
                for (int c = 0; c < from.channels; c++)
                    memcpy(sample_at(&k.src.view, x, y, c), sample_at(&from, x, y, c), sat_type_bytes(from.type));
            }
        if (!why && run_work(&k, &k.src.view, k.masked ? &k.mask.view : NULL, &run) != SAT_OK)
            why = "one plain image was refused";
        for (int r = 0; !why && r < k.n; r++) {
            const sat_view to = image_of(&w->results[r].view, i);
            if (!same_results(&to, &k.results[r].view)) why = "other strides, threads or batches make other results";
        }
        add_counts(&sum, &one);
        k.filter = NULL;
        close_work(&k);
    }
    sat_filter_destroy(alone.filter);
    return why                                         ? why
           : memcmp(&sum, &w->counts, sizeof sum) != 0 ? "other strides, threads or batches count others"
                                                       : NULL;
}

/* ---- rows ------------------------------------------------------------------------------------------------- */

/* Rows [from, from + the view's height) of an image, its height being a period. */
static void copy_rows(const sat_view *to, const sat_view *image, int64_t from)
{
    for (int64_t i = 0; i < to->count; i++) {
        const sat_view a = image_of(to, i), b = image_of(image, i);
        for (int64_t y = 0; y < a.height; y++) {
            const int64_t row = ((from + y) % b.height + b.height) % b.height;
            for (int64_t x = 0; x < a.width; x++)
                for (int c = 0; c < a.channels; c++)
                    memcpy(sample_at(&a, x, y, c), sample_at(&b, x, row, c), sat_type_bytes(a.type));
        }
    }
}

/* Makes rows [first, end) from those that they need, and compares them with w's. */
static const char *check_band(fuzz_input *in, const work *w, work *some, int64_t first, int64_t end, sat_counts *counts)
{
    int64_t from, to;
    const sat_run_options run = {
        .first_row = first, .rows = end - first, .continues = !take_one_in(in, 4), .counts = counts};
    if (sat_filter_needs(some->filter, w->operation, first, end, &from, &to) != SAT_OK) return "rows need nothing";
    if (from > first || to < end || to - from > w->src.view.height) return "results need other rows than can be";
    sat_view shape = w->src.view;
    shape.height = to - from;
    if (!open_images(in, &some->src, &shape)) return "out of memory";
    copy_rows(&some->src.view, &w->src.view, from);
    shape.type = SAT_U8, shape.channels = 1;
    if (!open_images(in, &some->mask, &shape)) return "out of memory";
    copy_rows(&some->mask.view, &w->mask.view, from);
    for (int i = 0; i < w->n; i++) {
        shape = w->results[i].view;
        shape.height = end - first;
        some->n = i + 1;
        if (!open_images(in, &some->results[i], &shape)) return "out of memory";
        some->views[i] = some->results[i].view;
    }
    if (run_work(some, &some->src.view, w->masked ? &some->mask.view : NULL, &run) != SAT_OK)
        return "some rows were refused";
    for (int i = 0; i < w->n; i++) {
        if (!only_samples_written(&some->results[i])) return "bytes between some rows were written";
        for (int64_t k = 0; k < w->src.view.count; k++) {
            const sat_view made = image_of(&some->results[i].view, k);
            sat_view want = image_of(&w->results[i].view, k);
            want.data = (uint8_t *)want.data + first * want.row_bytes;
            if (!same_results(&made, &want)) return "some rows differ from the whole image's";
        }
    }
    return NULL;
}

/* All rows, one band after the other, and sometimes others between them. */
static const char *check_rows(fuzz_input *in, const work *w, char *spec)
{
    work some = {.operation = w->operation};
    sat_counts sum, counts;
    memset(&sum, 0xff, sizeof sum);
    const sat_job j = w->operation->job(spec);
    const int64_t height = *j.height, most = 1 + (int64_t)(take(in, 1) % (uint64_t)height);
    *j.band_rows = most;
    const sat_status status = sat_filter_create(&some.filter, w->operation, spec, w->operation->spec_bytes);
    *j.band_rows = 0;
    if (status != SAT_OK) return status == SAT_ERR_UNAVAILABLE ? NULL : "rows of a right spec were refused";
    const char *why = NULL;
    for (int64_t first = 0, end; !why && first < height; first = end) {
        const bool between = take_one_in(in, 4);
        const int64_t from = between ? (int64_t)(take(in, 1) % (uint64_t)height) : first;
        end = from + 1 + (int64_t)(take(in, 1) % (uint64_t)most);
        if (end > height) end = height;
        work one = {.operation = w->operation, .filter = some.filter};
        why = check_band(in, w, &one, from, end, &counts);
        one.filter = NULL;
        close_work(&one);
        if (between)
            end = first;
        else
            add_counts(&sum, &counts);
    }
    sat_filter_destroy(some.filter);
    if (why || memcmp(&sum, &w->counts, sizeof sum) == 0) return why;
    return "rows count others than the whole image";
}

static const char *check_run(fuzz_input *in, work *w, char *spec)
{
    const sat_run_options run = {.counts = &w->counts};
    if (!open_work(in, w, 1 + (int64_t)(take(in, 1) % (uint64_t)*w->filter->job.count))) return NULL;
    fill_images(in, &w->src);
    fill_images(in, &w->mask);
    const char *why = check_refusals(in, w);
    if (why) return why;
    if (run_work(w, &w->src.view, w->masked ? &w->mask.view : NULL, &run) != SAT_OK) return "a right run was refused";
    if (!as_before(&w->src) || !as_before(&w->mask)) return "the source or the mask was written";
    for (int i = 0; i < w->n; i++)
        if (!only_samples_written(&w->results[i])) return "bytes between the results were written";
    why = check_rows(in, w, spec);
    return why ? why : check_alone(w, spec);
}

static const char *run(const uint8_t *bytes, size_t n)
{
    fuzz_input in = {bytes, n};
    _Alignas(max_align_t) char spec[SAT_SPEC_BYTES] = {0};
    sat_window_output outputs[SAT_OUTPUTS];
    work w = {.operation = operations[take(&in, 1) % (sizeof operations / sizeof *operations)]};
    const bool wrong = take_spec(&in, w.operation, spec, outputs);
    w.filter = (sat_filter *)&w;
    const sat_status status = sat_filter_create(&w.filter, w.operation, spec, w.operation->spec_bytes);
    const char *why = NULL;
    if ((status == SAT_OK) != (w.filter != NULL)) why = "a status and an object that disagree";
    if (status == SAT_OK && wrong) why = "a wrong spec was taken";
    if (status != SAT_OK && !*sat_detail()) why = "a failure without a line that says why";
    if (!why && w.filter) why = check_run(&in, &w, spec);
    close_work(&w);
    return why;
}

const fuzz_target fuzz = {.run = run};
