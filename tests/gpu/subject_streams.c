/* subject_streams.c - runs on streams: captured into a graph and replayed, two at once, beside a kernel that holds all
 * multiprocessors but one. */
#include <stdlib.h>
#include <string.h>

#include <cuda_runtime_api.h>

#include "arrays.h"
#include "hog.h"
#include "sat_query.h"
#include "stage.h"

static bool cuda_ok(cudaError_t e, const char *what)
{
    if (e == cudaSuccess) return true;
    fail("%s: %s", what, cudaGetErrorString(e));
    (void)cudaGetLastError();
    return false;
}

enum { CONTENTS_OF_ONE = 3 }; /* inputs of one shape, which take turns */

/* What the three tests need of a plan or a scan: where its input lies, queueing it, and whether the output is right. */
typedef struct job {
    bool (*put)(void *what, int turn);
    bool (*queue)(void *what, cudaStream_t stream);
    bool (*right)(void *what, int turn);
    void *what;
} job;

/* ---- three tests ----------------------------------------------------------------------------------- */

/* Capture fails on whatever allocates, copies pageable memory or waits, so it also shows that a run does none of it.
 * A replay runs with the arguments of the capture: state that the host hands to each launch would be stale. */
static bool replays(const job *j, int replays_wanted)
{
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    cudaGraphExec_t exec = NULL;
    bool ok = cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream") && j->put(j->what, 0) &&
              cuda_ok(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    if (ok) {
        bool queued = j->queue(j->what, stream);
        ok = cuda_ok(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture") && queued;
    }
    ok = ok && cuda_ok(cudaGraphInstantiateWithFlags(&exec, graph, 0), "cudaGraphInstantiate");
    for (int i = 0; ok && i < replays_wanted; i++) {
        int turn = i % CONTENTS_OF_ONE, times = i % 5 == 4 ? 3 : 1; /* now and then without waiting between */
        ok = j->put(j->what, turn);
        for (int n = 0; ok && n < times; n++) ok = cuda_ok(cudaGraphLaunch(exec, stream), "cudaGraphLaunch");
        ok = ok && cuda_ok(cudaStreamSynchronize(stream), "a replay") && j->right(j->what, turn);
    }
    ok = ok && j->put(j->what, 1) && j->queue(j->what, stream) && /* and without the graph again */
         cuda_ok(cudaStreamSynchronize(stream), "a run after the replays") && j->right(j->what, 1);
    if (exec) (void)cudaGraphExecDestroy(exec);
    if (graph) (void)cudaGraphDestroy(graph);
    if (stream) (void)cudaStreamDestroy(stream);
    return ok;
}

static bool side_by_side(const job *a, const job *b, int runs)
{
    cudaStream_t streams[2] = {NULL, NULL};
    bool ok = cuda_ok(cudaStreamCreateWithFlags(&streams[0], cudaStreamNonBlocking), "a stream") &&
              cuda_ok(cudaStreamCreateWithFlags(&streams[1], cudaStreamNonBlocking), "a stream") &&
              a->put(a->what, 0) && b->put(b->what, 1);
    for (int i = 0; ok && i < runs; i++) ok = a->queue(a->what, streams[0]) && b->queue(b->what, streams[1]);
    for (int i = 0; i < 2; i++)
        if (streams[i]) ok = cuda_ok(cudaStreamSynchronize(streams[i]), "a stream's runs") && ok;
    ok = ok && a->right(a->what, 0) && b->right(b->what, 1);
    for (int i = 0; i < 2; i++)
        if (streams[i]) (void)cudaStreamDestroy(streams[i]);
    return ok;
}

/* The blocks of the run get one multiprocessor: a kernel whose blocks wait for blocks that have not started hangs. */
static bool beside_a_hog(const job *j, int runs)
{
    cudaStream_t stream = NULL;
    hog *h = NULL;
    int held;
    bool ok = cuda_ok(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "a stream") && j->put(j->what, 0);
    /* Kernels are loaded at their first launch, which waits for the device. */
    ok = ok && j->queue(j->what, stream) && cuda_ok(cudaStreamSynchronize(stream), "a run alone");
    ok = ok && cuda_ok(hog_start(&h, 1), "the hog");
    for (int i = 0; ok && i < runs; i++) ok = j->queue(j->what, stream);
    ok = ok && cuda_ok(cudaStreamSynchronize(stream), "runs beside the hog");
    if (!cuda_ok(hog_stop(h, &held), "the hog")) ok = false;
    if (ok && !held) {
        fail("does not end while one multiprocessor is free");
        ok = false;
    }
    ok = ok && j->right(j->what, 0);
    if (stream) (void)cudaStreamDestroy(stream);
    return ok;
}

enum test { REPLAY, TWO_STREAMS, HOG, TESTS };
static const char *const test_names[TESTS] = {"graph replay", "two streams", "beside a hog"};

/* Sanitizers run one kernel at a time, so that nothing runs beside a hog. */
static size_t cases(effort e)
{
    return e == FULL ? 45 : 4;
}
static enum test test_of(size_t k, effort e)
{
    return e == FULL ? (enum test)(k % TESTS) : k % 2 ? TWO_STREAMS : REPLAY;
}

static void put_to(enum test which, const job *a, const job *b, effort e)
{
    if (which == REPLAY)
        replays(a, e == FULL ? 100 : 5);
    else if (which == TWO_STREAMS)
        side_by_side(a, b, e == FULL ? 20 : 2);
    else
        beside_a_hog(a, 3);
}

/* ---- tables ---------------------------------------------------------------------------------------- */

typedef struct table_streams {
    whole *wholes[CONTENTS_OF_ONE]; /* one spec */
    enum test which;
    effort effort;
} table_streams;

/* Other libraries may do on a stream what no graph can record. */
static bool passes_over(const table_streams *s, const target *t)
{
    if (s->which != REPLAY || t->kind != SAT_PEER) return false;
    pass_over();
    return true;
}

static bool fits_tables(const target *t)
{
    return !t->scans && t->device && sums(t);
}

static void drop_tables(void *made)
{
    table_streams *s = made;
    for (int i = 0; i < CONTENTS_OF_ONE; i++)
        if (s->wholes[i]) whole_drop(s->wholes[i]);
    free(s);
}

/* Another image for the same spec. */
static whole *sibling(const whole *w, uint64_t seed)
{
    whole *other = calloc(1, sizeof *other);
    if (other == NULL) {
        fail("out of memory");
        return NULL;
    }
    *other = (whole){.memory = w->memory, .carry = w->carry, .random = w->random};
    if (picture_open(&other->picture, &w->picture.spec, w->picture.image.height, RANDOM, seed))
        return whole_answer(other, picture_answer);
    whole_drop(other);
    return NULL;
}

static void *make_tables(uint64_t seed, size_t k, effort e)
{
    table_streams *s = calloc(1, sizeof *s);
    if (s == NULL) {
        fail("out of memory");
        return NULL;
    }
    int64_t most = e == FULL ? 1500 : 60;
    const pair types = pair_of_case(TABLES, k, &seed);
    shape size = {random_in(&seed, 1, most), random_in(&seed, 1, most)};
    s->which = test_of(k, e);
    s->effort = e;
    whole *first = whole_new(seed, types, size);
    if (first) first->memory = SAT_DEVICE;
    bool ok = (s->wholes[0] = whole_answer(first, picture_answer)) != NULL;
    for (int i = 1; ok && i < CONTENTS_OF_ONE; i++)
        ok = (s->wholes[i] = sibling(s->wholes[0], random64(&seed))) != NULL;
    if (ok) return s;
    drop_tables(s);
    return NULL;
}

typedef struct table_job {
    const table_streams *streams;
    stage stage;
    sat_plan *plan;
    bool fresh;
    uint64_t random;
} table_job;

static bool table_put(void *what, int turn)
{
    table_job *j = what;
    const picture *p = &j->streams->wholes[turn]->picture;
    bool ok = stage_fill(&j->stage, p, &j->random, j->fresh, j->fresh) && area_write(&j->stage.image, &p->image);
    j->fresh = false;
    return ok && is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait");
}

static bool table_queue(void *what, cudaStream_t stream)
{
    table_job *j = what;
    sat_run_options run = {.carry_out = j->streams->wholes[0]->carry ? j->stage.carry.view.data : NULL,
                           .stream = stream};
    return is_status(sat_plan_run(j->plan, &j->stage.image.view, &j->stage.table.view, &run), SAT_OK, "sat_plan_run");
}

/* *table: as it lies on the host. */
static bool table_seen(table_job *j, int turn, sat_view *table)
{
    return is_status(sat_plan_wait(j->plan, NULL), SAT_OK, "sat_plan_wait") &&
           stage_check(&j->stage, j->streams->wholes[turn], true, table);
}

static bool table_right(void *what, int turn)
{
    sat_view table;
    return table_seen(what, turn, &table);
}

static bool table_open(table_job *j, const table_streams *s, int i, const target *t)
{
    *j = (table_job){.streams = s, .fresh = true, .random = s->wholes[0]->random + (uint64_t)i};
    j->plan = plan_of(&s->wholes[0]->picture, t, SAT_DEVICE);
    return j->plan && stage_open(&j->stage, s->wholes[0], SAT_DEVICE, &j->random);
}

static void table_close(table_job *j)
{
    stage_close(&j->stage);
    sat_plan_destroy(&j->plan);
}

static void run_tables(void *made, const target *t)
{
    table_streams *s = made;
    if (passes_over(s, t)) return;
    table_job jobs[2] = {0};
    job calls[2];
    bool ok = true;
    for (int i = 0; ok && i < 2; i++) {
        calls[i] = (job){table_put, table_queue, table_right, &jobs[i]};
        ok = table_open(&jobs[i], s, i, t);
    }
    if (ok) put_to(s->which, &calls[0], &calls[1], s->effort);
    for (int i = 0; i < 2; i++) table_close(&jobs[i]);
}

static void text_tables(const void *made, char *text, size_t bytes)
{
    const table_streams *s = made;
    int n = snprintf(text, bytes, "%s, ", test_names[s->which]);
    whole_text(s->wholes[0], text + n, bytes - (size_t)n);
}

const subject subject_stream_tables = {"stream-tables", fits_tables, cases,      make_tables,
                                       run_tables,      drop_tables, text_tables};

/* ---- tables, and questions to each ----------------------------------------------------------------- */

enum { RECTS = 3000, SUMS = 0, MEANS, ANSWERS };

typedef struct query_job {
    table_job table;
    sat_query *query;
    sat_rect rects[RECTS];
    area given, got[ANSWERS];
} query_job;

static sat_view row(size_t n, sat_type type, void *data, sat_memory memory)
{
    size_t bytes = n * sat_type_bytes(type);
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)bytes,
                      .width = (int64_t)n,
                      .height = 1,
                      .channels = 1,
                      .type = type,
                      .memory = memory};
}

/* How sums are compared; means are f64. */
static sat_type sums_as(const sat_plan_spec *s)
{
    return is_float(s->accum) || s->accum == SAT_Q32 ? SAT_F64 : SAT_U64;
}

static bool query_put(void *what, int turn)
{
    query_job *j = what;
    return area_fill(&j->got[SUMS], 0xa5) && area_fill(&j->got[MEANS], 0x5a) && table_put(&j->table, turn);
}

/* Sums by one call, means by the other. */
static bool query_queue(void *what, cudaStream_t stream)
{
    query_job *j = what;
    const sat_rect *rects = j->given.view.data;
    const sat_rect_output mean = {"mean", j->got[MEANS].view.data};
    const sat_statistics ask = {.output = &mean, .outputs = 1};
    const sat_run_options run = {.stream = stream};
    return table_queue(&j->table, stream) &&
           is_status(sat_query_run(j->query, rects, RECTS, j->got[SUMS].view.data, NULL, &run), SAT_OK,
                     "sat_query_run") &&
           is_status(sat_query_statistics(j->query, rects, RECTS, &ask, &run), SAT_OK, "sat_query_statistics");
}

static bool query_right(void *what, int turn)
{
    query_job *j = what;
    const sat_plan_spec *s = &j->table.streams->wholes[turn]->picture.spec;
    const sat_type as[ANSWERS] = {sums_as(s), SAT_F64};
    const char *const names[ANSWERS] = {"sum", "mean"};
    sat_table table = {.layout = s->layout, .sample = s->sample, .quant = s->quant};
    size_t n = RECTS * (size_t)s->channels;
    sat_sum *sums = calloc(n, sizeof *sums);
    double *means = calloc(n, sizeof *means), *exactly = calloc(n, sizeof *exactly);
    const void *want[ANSWERS] = {sums, means};
    bool ok = sums && means && exactly;
    if (!ok) fail("out of memory");
    ok = ok && table_seen(&j->table, turn, &table.view) &&
         is_status(sat_query_wait(j->query, NULL), SAT_OK, "sat_query_wait") &&
         is_status(sat_table_query(&table, j->rects, RECTS, SAT_CLIP, 1, sums, means), SAT_OK, "sat_table_query");
    for (int a = 0; ok && a < ANSWERS; a++) {
        sat_view seen;
        ok = area_read(&j->got[a], &seen) && area_clean(&j->got[a], names[a]);
        size_t i = ok ? first_wrong(as[a], seen.data, want[a], exactly, 0, n) : n;
        char x[40], y[40];
        if (i == n) continue;
        fail("%s %zu is %s, not %s", names[a], i, value_text(as[a], seen.data, i, x), value_text(as[a], want[a], i, y));
        ok = false;
    }
    free(sums);
    free(means);
    free(exactly);
    return ok;
}

/* Clipped, so that any place will do; one pixel where more may not fit; none at the edges that a layout leaves out. */
static bool query_open(query_job *j, const table_streams *s, int i, const target *t)
{
    const picture *p = &s->wholes[0]->picture;
    bool small = fits_one_sample(p->spec.sample, p->spec.accum), edgeless = p->spec.layout == SAT_EXCLUSIVE;
    int64_t w = p->image.width - edgeless, h = p->image.height - edgeless;
    if (!table_open(&j->table, s, i, t)) return false;
    uint64_t *random = &j->table.random;
    for (size_t k = 0; k < RECTS; k++) {
        sat_rect r = {random_in(random, -9, w - 1), random_in(random, -9, h - 1), 1, 1};
        /* i32 is proven for 2^15 samples of u16. */
        if (!small) r.width = random_in(random, 1, 181), r.height = random_in(random, 1, 181);
        if (edgeless && r.x + r.width > w) r.width = w > r.x ? w - r.x : 1;
        if (edgeless && r.y + r.height > h) r.height = h > r.y ? h - r.y : 1;
        if (edgeless && (w == 0 || h == 0)) r = (sat_rect){-9, -9, 1, 1};
        j->rects[k] = r;
    }
    sat_table table = {
        .view = j->table.stage.table.view, .layout = p->spec.layout, .sample = p->spec.sample, .quant = p->spec.quant};
    size_t n = RECTS * (size_t)p->spec.channels;
    sat_view rects = row(4 * RECTS, SAT_U64, j->rects, SAT_HOST);
    return is_status(sat_query_create(&j->query, &table, &(sat_query_spec){.flags = SAT_CLIP}), SAT_OK,
                     "sat_query_create") &&
           area_open(&j->given, row(4 * RECTS, SAT_U64, NULL, SAT_DEVICE), random_placement(random)) &&
           area_open(&j->got[SUMS], row(n, sums_as(&p->spec), NULL, SAT_DEVICE), random_placement(random)) &&
           area_open(&j->got[MEANS], row(n, SAT_F64, NULL, SAT_DEVICE), random_placement(random)) &&
           area_fill(&j->given, 0x5a) && area_write(&j->given, &rects);
}

static void run_queries(void *made, const target *t)
{
    table_streams *s = made;
    if (passes_over(s, t)) return;
    query_job *jobs = calloc(2, sizeof *jobs);
    job calls[2];
    bool ok = jobs != NULL;
    if (!ok) fail("out of memory");
    for (int i = 0; ok && i < 2; i++) {
        calls[i] = (job){query_put, query_queue, query_right, &jobs[i]};
        ok = query_open(&jobs[i], s, i, t);
    }
    if (ok) put_to(s->which, &calls[0], &calls[1], s->effort);
    for (int i = 0; jobs && i < 2; i++) {
        sat_query_destroy(&jobs[i].query);
        area_close(&jobs[i].given);
        for (int a = 0; a < ANSWERS; a++) area_close(&jobs[i].got[a]);
        table_close(&jobs[i].table);
    }
    free(jobs);
}

const subject subject_stream_queries = {"stream-queries", fits_tables, cases,      make_tables,
                                        run_queries,      drop_tables, text_tables};

/* ---- scans ----------------------------------------------------------------------------------------- */

typedef struct scan_streams {
    array *arrays[CONTENTS_OF_ONE];
    enum test which;
    effort effort;
} scan_streams;

static bool fits_scans(const target *t)
{
    return t->scans && t->device && sums(t);
}

static void drop_scans(void *made)
{
    scan_streams *s = made;
    for (int i = 0; i < CONTENTS_OF_ONE; i++)
        if (s->arrays[i]) array_drop(s->arrays[i]);
    free(s);
}

static void *make_scans(uint64_t seed, size_t k, effort e)
{
    scan_streams *s = calloc(1, sizeof *s);
    if (s == NULL) {
        fail("out of memory");
        return NULL;
    }
    pair types = pair_of_case(SCANS, k, &seed);
    /* The scans of a warp take samples of the sums' type alone: such ones in the first case of each test. */
    if (k < TESTS) types.sample = types.accum = k % 2 ? SAT_F32 : SAT_U32;
    sat_scan_spec spec = {.length = random_in(&seed, 1, e == FULL ? 1500000 : 20000),
                          .sample = types.sample,
                          .accum = types.accum,
                          .exclusive = random64(&seed) % 2};
    s->which = test_of(k, e);
    s->effort = e;
    bool ok = true;
    for (int i = 0; ok && i < CONTENTS_OF_ONE; i++) ok = (s->arrays[i] = array_new(random64(&seed), &spec)) != NULL;
    if (ok) return s;
    drop_scans(s);
    return NULL;
}

typedef struct scan_job {
    const scan_streams *streams;
    area in, out;
    sat_scan *scan;
} scan_job;

static sat_view line(const array *a, sat_type type, void *data, sat_memory memory)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)sat_row_bytes(a->spec.length, 1, type),
                      .width = a->spec.length,
                      .height = 1,
                      .channels = 1,
                      .type = type,
                      .memory = memory};
}

static bool scan_put(void *what, int turn)
{
    scan_job *j = what;
    const array *a = j->streams->arrays[turn];
    sat_view packed = line(a, a->spec.sample, a->in, SAT_HOST);
    return area_fill(&j->in, 0x5a) && area_write(&j->in, &packed) && area_fill(&j->out, 0xa5 + turn) &&
           is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait");
}

static bool scan_queue(void *what, cudaStream_t stream)
{
    scan_job *j = what;
    return is_status(sat_scan_run(j->scan, j->in.view.data, j->out.view.data, stream), SAT_OK, "sat_scan_run");
}

static bool scan_right(void *what, int turn)
{
    scan_job *j = what;
    sat_view out;
    return area_read(&j->out, &out) && area_clean(&j->out, "out") &&
           array_same(j->streams->arrays[turn], out.data, "out");
}

static void run_scans(void *made, const target *t)
{
    scan_streams *s = made;
    scan_job jobs[2] = {0};
    job calls[2];
    bool ok = true;
    uint64_t random = s->arrays[0]->random;
    for (int i = 0; ok && i < CONTENTS_OF_ONE; i++) ok = array_answer(s->arrays[i], t->segment);
    for (int i = 0; ok && i < 2; i++) {
        const array *a = s->arrays[0];
        jobs[i].streams = s;
        calls[i] = (job){scan_put, scan_queue, scan_right, &jobs[i]};
        jobs[i].scan = scan_of(a, t, SAT_DEVICE);
        ok = jobs[i].scan &&
             area_open(&jobs[i].in, line(a, a->spec.sample, NULL, SAT_DEVICE), random_placement(&random)) &&
             area_open(&jobs[i].out, line(a, a->spec.accum, NULL, SAT_DEVICE), random_placement(&random));
    }
    if (ok) put_to(s->which, &calls[0], &calls[1], s->effort);
    for (int i = 0; i < 2; i++) {
        area_close(&jobs[i].in);
        area_close(&jobs[i].out);
        sat_scan_destroy(&jobs[i].scan);
    }
}

static void text_scans(const void *made, char *text, size_t bytes)
{
    const scan_streams *s = made;
    int n = snprintf(text, bytes, "%s, ", test_names[s->which]);
    array_text(s->arrays[0], text + n, bytes - (size_t)n);
}

const subject subject_stream_scans = {"stream-scans", fits_scans, cases, make_scans, run_scans, drop_scans, text_scans};
