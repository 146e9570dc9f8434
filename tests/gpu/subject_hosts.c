/* subject_hosts.c - images in host memory on backends that work on a device: large ones, which go there in many bands,
 * from and to pageable memory and memory that the caller has pinned, in one run and in two that a carry row joins; and
 * on a GPU, what a run does with the caller's stream. */
#include <stdlib.h>
#include <string.h>

#if SAT_WITH_CUDA && !defined(SAT_SIMT)
#include <cuda_runtime_api.h>
#include <unistd.h>
#endif

#include "../../src/lib/device.h" /* the simulator has a device.h too */
#include "stage.h"

static bool fits_hosts(const target *t)
{
    return !t->scans && t->device && sums(t);
}

static size_t host_cases(effort e)
{
    return pairs(TABLES) * (e == FULL ? 6 : e == QUICK ? 1 : 3);
}

/* On a GPU a band has half a megabyte at least, in the simulator 64 bytes. */
static void *make_hosts(uint64_t seed, size_t k, effort e)
{
    pair types;
    pair_at(TABLES, k % pairs(TABLES), &types);
    int64_t most = e == FULL ? 1500000 : e == QUICK ? 2000 : 900, width = random_in(&seed, 1, e == FULL ? 4000 : 40);
    if (e == FULL && k / pairs(TABLES) == 0) width = random_in(&seed, 100000, 300000);
    int64_t height = most / width;
    if (height > 3 * width) height = 3 * width;
    whole *w = whole_new(seed, types, (shape){width, random_in(&seed, (height + 1) / 2, height)});
    if (w) w->memory = SAT_HOST;
    return whole_answer(w, picture_answer);
}

/* ---- memory ------------------------------------------------------------------------------------------ */

/* Exchanges an area's memory, which nobody has written yet, for pinned one; *memory: NULL, if there is none. */
static bool pin(const sat_device *device, area *a, void **memory)
{
    if (!is_status(device->pinned_alloc(memory, a->bytes), SAT_OK, "pinned memory")) return false;
    free(a->base);
    a->base = *memory;
    a->view.data = a->base + a->start;
    return true;
}

static void unpin(const sat_device *device, area *a, void *memory)
{
    if (memory) a->base = NULL;
    device->pinned_free(memory);
}

/* ---- runs -------------------------------------------------------------------------------------------- */

static sat_view part(const area *a, int64_t first, int64_t rows)
{
    sat_view v = a->view;
    v.data = (char *)v.data + (size_t)first * (size_t)v.row_bytes;
    v.height = rows;
    return v;
}

/* Rows [0, half) and [half, height), with the carry row in host memory between. */
static bool run_halves(stage *st, sat_plan *plan, int64_t half)
{
    int64_t height = st->image.view.height, zero_row = st->table.view.height - height;
    void *carry = st->carry.view.data;
    sat_view image = part(&st->image, 0, half), table = part(&st->table, 0, half + zero_row);
    sat_run_options run = {.carry_out = carry};
    if (!is_status(sat_plan_run(plan, &image, &table, &run), SAT_OK, "sat_plan_run of the first rows")) return false;
    image = part(&st->image, half, height - half), table = part(&st->table, half + zero_row, height - half);
    run = (sat_run_options){.carry_in = carry, .carry_out = carry, .continues = true};
    return is_status(sat_plan_run(plan, &image, &table, &run), SAT_OK, "sat_plan_run of the other rows");
}

#if SAT_WITH_CUDA && !defined(SAT_SIMT)
typedef struct late {
    area *image;
    const sat_view *pixels;
} late;

static void CUDART_CB arrive(void *what)
{
    const late *l = what;
    usleep(2000);
    area_write(l->image, l->pixels);
}

/* A run waits for what brings the image on the caller's stream.  It cannot be captured, and says so; the next one is
 * right all the same. */
static bool run_on_streams(stage *st, const whole *w, sat_plan *plan, uint64_t *random)
{
    sat_run_options run = {0};
    late l = {&st->image, &w->picture.image};
    cudaStream_t stream = NULL;
    cudaGraph_t graph = NULL;
    sat_view table;
    bool ok = stage_fill(st, &w->picture, random, false, false) && area_fill(&st->image, 0x5a);
    if (ok && cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking) != cudaSuccess) fail("no stream");
    ok = ok && stream;
    run.stream = stream;
    for (int captured = 0; ok && captured < 2; captured++) {
        if (captured) {
            if (cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal) != cudaSuccess) fail("no capture");
            ok = is_status(sat_plan_run(plan, &st->image.view, &st->table.view, &run), SAT_ERR_ARGUMENT,
                           "sat_plan_run of host views in a capture");
            if (cudaStreamEndCapture(stream, &graph) != cudaSuccess) fail("the capture was spoiled");
            if (graph) (void)cudaGraphDestroy(graph);
            ok = ok && stage_fill(st, &w->picture, random, false, false);
        } else if (cudaLaunchHostFunc(stream, arrive, &l) != cudaSuccess) {
            fail("no host function");
            ok = false;
        }
        ok = ok && is_status(sat_plan_run(plan, &st->image.view, &st->table.view, &run), SAT_OK, "sat_plan_run") &&
             stage_check(st, w, true, &table);
    }
    if (stream) {
        (void)cudaStreamSynchronize(stream);
        (void)cudaStreamDestroy(stream);
    }
    return ok;
}
#else
static bool run_on_streams(stage *st, const whole *w, sat_plan *plan, uint64_t *random)
{
    (void)st, (void)w, (void)plan, (void)random;
    return true;
}
#endif

static void run_hosts(void *made, const target *t)
{
    whole w = *(whole *)made;
    uint64_t random = w.random;
    const char *why;
    const sat_device *device = sat_device_get(&why);
    sat_plan *plan = plan_of(&w.picture, t, SAT_HOST);
    if (plan == NULL) return;
    stage st;
    sat_view table;
    void *pinned_image = NULL, *pinned_table = NULL;
    bool ok = stage_open(&st, &w, SAT_HOST, &random);
    if (ok && random64(&random) % 2) ok = pin(device, &st.image, &pinned_image);
    if (ok && random64(&random) % 2) ok = pin(device, &st.table, &pinned_table);
    for (int i = 0; ok && i < 3; i++) {
        int64_t height = w.picture.image.height;
        bool halves = height > 1 && random64(&random) % 2;
        w.carry = halves || random64(&random) % 2;
        ok = stage_fill(&st, &w.picture, &random, i == 0, false) &&
             (halves ? run_halves(&st, plan, random_in(&random, 1, height - 1)) : stage_queue(&st, &w, plan)) &&
             stage_check(&st, &w, true, &table);
    }
    w.carry = false;
    if (ok) run_on_streams(&st, &w, plan, &random);
    unpin(device, &st.image, pinned_image);
    unpin(device, &st.table, pinned_table);
    stage_close(&st);
    sat_plan_destroy(&plan);
}

const subject subject_hosts = {"hosts", fits_hosts, host_cases, make_hosts, run_hosts, whole_drop, whole_text};
