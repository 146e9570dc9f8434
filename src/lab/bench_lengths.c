#include "bench_lengths.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "progress.h"

enum {
    /* 2^26 words are several times the largest of last-level caches; a longer array shows a host's memory no better,
     * and takes the reference, which is one thread, seconds. */
    HOST_LOG2 = 26,
    METHODS_MAX = 128,
};

/* Of a device: two arrays, what hierarchies and double buffers add, and other people's. */
static const double DEVICE_SHARE = 0.4;
/* Of the host: the input, the reference, and the rest of the system. */
static const double HOST_SHARE = 0.75;

const char *lengths_refuse(const bench_request *r)
{
    if (r->min_log2 >= 0 && r->max_log2 >= 0 && r->min_log2 > r->max_log2) return "--min is larger than --max";
    return NULL;
}

static bool any_device(const bench_session *s)
{
    bench_method m;
    for (size_t i = 0; bench_scan_at(i, &m); i++)
        if (m.device && m.available && m.kind != SAT_CEILING && bench_wanted(s->request, m.id, strlen(m.id)))
            return true;
    return false;
}

/* The largest k up to limit for which 2^k elements fit. */
static int64_t largest_that_fits(int64_t limit, double element_bytes, double bytes)
{
    while (limit > 0 && (double)((int64_t)1 << limit) * element_bytes > bytes) limit--;
    return limit;
}

static int64_t default_max(const bench_session *s, const bench_case *b, int64_t limit)
{
    sat_device_info device;
    double element = (double)(sat_type_bytes(b->in.type) + sat_type_bytes(b->accum));
    double host = HOST_SHARE * (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGE_SIZE);
    if (!any_device(s) || sat_device_current(&device) != SAT_OK)
        return largest_that_fits(limit < HOST_LOG2 ? limit : HOST_LOG2, element, host);
    limit = largest_that_fits(limit, element, host);
    return largest_that_fits(limit, element, DEVICE_SHARE * (double)device.memory_bytes);
}

/* Sums of integers of up to 16 bits go into u32, others into their own type. */
static sat_type default_accum(sat_type type)
{
    if (type == SAT_I8 || type == SAT_I16) return SAT_I32;
    return type == SAT_U8 || type == SAT_U16 ? SAT_U32 : type;
}

bool lengths_open(bench_session *s, lengths *of, bench_case *b, error *err)
{
    const bench_request *r = s->request;
    *b = (bench_case){.in = {.height = 1, .channels = 1, .type = r->type ? r->type : SAT_U32},
                      .scan = true,
                      .exclusive = r->exclusive,
                      .threads = r->threads};
    b->accum = r->accum ? r->accum : default_accum(b->in.type);
    if (r->min_log2 >= 0) of->min_log2 = r->min_log2;
    if (r->step) of->step = r->step;
    of->max_log2 = r->max_log2 >= 0 ? r->max_log2 : default_max(s, b, of->max_log2);
    /* One that was given moves the default of the other. */
    if (of->max_log2 < of->min_log2 && r->max_log2 >= 0) of->min_log2 = of->max_log2;
    if (of->max_log2 < of->min_log2) of->max_log2 = of->min_log2;
    b->in.width = (int64_t)1 << of->max_log2;
    if (of->max_log2 > HOST_LOG2 && any_device(s)) b->out_width = (int64_t)1 << HOST_LOG2;
    return bench_fill(b, err) && bench_prepare(b, err);
}

bool lengths_reference(bench_case *b, int64_t segment, error *err)
{
    bench_method m;
    bench_narrow(b, b->full_width);
    for (size_t i = 0; bench_scan_at(i, &m); i++)
        if (m.kind == SAT_REFERENCE) return bench_make_reference(b, &m, segment, err);
    return fail(err, "there is no reference");
}

bool lengths_fits(const bench_case *b, const bench_method *m)
{
    return bench_memory_of(m) == SAT_DEVICE || !b->out_width || b->in.width <= b->out_width;
}

void lengths_begin(bench_session *s, bench_case *b, int64_t log2, bool host, bool device)
{
    bench_method m;
    bench_narrow(b, (int64_t)1 << log2);
    bench_begin_size(s);
    bench_plain_copy(&m);
    bool plain = host && lengths_fits(b, &m);
    for (size_t i = 0; bench_scan_at(i, &m); i++) {
        if (m.kind != SAT_CEILING || !m.available) continue;
        if (m.device ? device : host && lengths_fits(b, &m)) bench_measure(s, b, &m, false);
        if (!m.device) plain = false;
    }
    bench_plain_copy(&m);
    if (plain) bench_measure(s, b, &m, false);
}

void lengths_shape(bench_method *m, int block_threads, int thread_items, bool naive_staging)
{
    m->block_threads = block_threads;
    m->thread_items = thread_items;
    m->naive_staging = naive_staging;
    snprintf(m->name, sizeof m->name, "%s B=%d Q=%d%s", m->id, block_threads, thread_items,
             naive_staging ? " naive" : "");
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* The wanted methods of one bench, in each shape that was asked for. */
typedef struct method_list {
    bench_method method[METHODS_MAX];
    bool refused[METHODS_MAX]; /* said once already */
    size_t n;
    bool host, device; /* where those that can run work */
} method_list;

static void list_method(method_list *list, const bench_method *m, const block_shape *shape)
{
    if (list->n == METHODS_MAX) return;
    bench_method *to = &list->method[list->n++];
    *to = *m;
    if (shape->block_threads) lengths_shape(to, shape->block_threads, shape->thread_items, shape->naive_staging);
}

static void list_methods(method_list *list, const bench_request *r, bool (*has)(const bench_method *m))
{
    const block_shape one = {(int)r->block_threads, (int)r->thread_items, r->naive_staging};
    const int shapes = r->shape_n ? r->shape_n : 1;
    bench_method m;
    *list = (method_list){0};
    for (int k = 0; k < shapes; k++)
        for (size_t i = 0; bench_scan_at(i, &m); i++) {
            if (m.kind == SAT_CEILING || !has(&m) || !bench_wanted(r, m.id, strlen(m.id))) continue;
            if (m.kind != SAT_METHOD && k > 0) continue; /* those of one shape have one row */
            list->host |= m.available && !m.device;
            list->device |= m.available && m.device;
            list_method(list, &m, m.kind != SAT_METHOD ? &(block_shape){0} : r->shape_n ? &r->shape[k] : &one);
        }
}

static void measure_length(bench_session *s, bench_case *b, method_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        const bench_method *m = &list->method[i];
        if (m->segment != b->segment) continue;
        if (!lengths_fits(b, m))
            progress_step();
        else if (bench_measure(s, b, m, list->refused[i]) == BENCH_REFUSED)
            list->refused[i] = true;
    }
}

bool lengths_measure(bench_session *s, lengths of, bool (*has)(const bench_method *m), error *err)
{
    bench_case b;
    method_list list;
    list_methods(&list, s->request, has);
    if (list.n == 0) return fail(err, "there is no such method in this build");
    if (!list.host && !list.device) of.max_log2 = of.min_log2; /* the reasons are said once */
    bool ok = lengths_open(s, &of, &b, err);
    int64_t sizes = (of.max_log2 - of.min_log2) / of.step + 1;
    progress_begin(sizes * (int64_t)list.n, s->request->quiet);
    for (int64_t segment = -1; ok;) { /* each different segment, from small to large */
        int64_t next = INT64_MAX;
        for (size_t i = 0; i < list.n; i++)
            if (list.method[i].segment > segment && list.method[i].segment < next) next = list.method[i].segment;
        if (next == INT64_MAX) break;
        segment = next;
        progress_label("reference");
        ok = lengths_reference(&b, segment, err);
        for (int64_t log2 = of.min_log2; ok && log2 <= of.max_log2; log2 += of.step) {
            lengths_begin(s, &b, log2, list.host, list.device);
            measure_length(s, &b, &list);
        }
    }
    progress_end();
    bench_free(&b);
    return ok;
}
