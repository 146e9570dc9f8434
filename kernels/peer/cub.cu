/* cub.cu - CUB's device-wide scans, for comparison: the toolkit's own answer to the same questions.
 *
 * Idea      One array: cub::DeviceScan as it comes, with widening inside its input iterator, so that no pass is added.
 *           Tables: the pipeline of table.cuh needs many rows scanned in one launch.  CUB's segmented scan starts a
 *           block for each row however short, and this toolkit has none; its scan by key is the fast single-pass scan
 *           that restarts where a key changes.  Here the key of an element is its row, computed from its index, not
 *           read: nothing moves that other methods do not move.
 * Paper     Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002
 * Layout    all rows of a job as one array:   key     0 0 0 0 1 1 1 1 2 2 2 2
 *                                             value   a b c d e f g h ..       the first of a row + its carry
 *                                             out     row * pitch + place in the row
 * Launch    CUB's tuning
 * Traffic   1 read, 1 write for each element
 * Sync      CUB's: blocks wait for those before them, in the order of their indices
 * Limits    float sums depend on timing
 * Steps     1. CUB resets its tile states  2. CUB scans */
#include <stdio.h>

/* One of CUB's headers includes <iostream> for a debugging operator, and with it an initialiser in the C++ library,
 * which this library does without.  The operator needs no more than this: */
#define _GLIBCXX_IOSTREAM 1
#include <ostream>

#include <cub/device/device_scan.cuh>
#include <cub/version.cuh>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/iterator/permutation_iterator.h>
#include <thrust/iterator/transform_iterator.h>

#include "prim/runtime.cuh"
#include "table/table.cuh"

namespace
{

void say_version(char *text, size_t bytes)
{
    snprintf(text, bytes, "CUB %d.%d.%d", CUB_MAJOR_VERSION, CUB_MINOR_VERSION, CUB_SUBMINOR_VERSION);
}

/* ---- one array --------------------------------------------------------------------------------------- */

template <class Sample, class Sum> struct widened {
    __host__ __device__ Sum operator()(Sample v) const { return (Sum)v; }
};

/* CUB's calling convention: without memory it tells how much it needs. */
template <class In, class Sum>
cudaError_t scan_from(In in, Sum *out, const sat_scan_spec *spec, void *memory, size_t *bytes, cudaStream_t stream)
{
    return spec->exclusive ? cub::DeviceScan::ExclusiveSum(memory, *bytes, in, out, spec->length, stream)
                           : cub::DeviceScan::InclusiveSum(memory, *bytes, in, out, spec->length, stream);
}

sat_status scan_array(const sat_scan_spec *spec, const void *in, void *out, void *memory, size_t *bytes, void *stream)
{
    return with_scan_types(spec->sample, spec->accum, [=](auto pair) {
        using Sample = typename decltype(pair)::sample;
        using Sum = typename decltype(pair)::accum;
        cudaStream_t on = (cudaStream_t)stream;
        if constexpr (std::is_same_v<Sample, Sum>) {
            return prim::checked(scan_from((const Sum *)in, (Sum *)out, spec, memory, bytes, on), "cub");
        } else {
            auto wide = thrust::make_transform_iterator((const Sample *)in, widened<Sample, Sum>());
            return prim::checked(scan_from(wide, (Sum *)out, spec, memory, bytes, on), "cub");
        }
    });
}

struct array {
    sat_scan_spec spec;
    void *memory;
    size_t bytes;
};

sat_status open_array(const sat_scan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    char version[32];
    const char *device;
    if (spec->block_threads || spec->thread_items || spec->naive_staging)
        return sat_fail(SAT_ERR_UNAVAILABLE, "cub: chooses its own blocks");
    array *a = prim::arena_new<array>(arena);
    if (a == NULL) return SAT_ERR_MEMORY;
    a->spec = *spec;
    sat_status status = scan_array(spec, NULL, NULL, NULL, &a->bytes, NULL);
    if (status == SAT_OK) status = sat_arena_take(arena, SAT_MEMORY_DEVICE, a->bytes, &a->memory);
    if (status != SAT_OK) return status;
    say_version(version, sizeof version);
    (void)device_probe(&device);
    snprintf(note, note_bytes, "cub, %s, %s", version, device);
    *state = a;
    return SAT_OK;
}

sat_status run_array(void *state, const void *in, void *out, void *stream)
{
    array *a = (array *)state;
    return scan_array(&a->spec, in, out, a->memory, &a->bytes, stream);
}

/* ---- rows -------------------------------------------------------------------------------------------- */

/* Which row an element of all rows together is in: i / length.  For i and length below 2^32 that is the upper half of
 * i * ceil(2^64 / length) (Lemire, Kaser & Kurz, Faster remainder by direct computation, 2019); length 1 does not fit.
 */
struct rows {
    int64_t length;
    uint64_t reciprocal; /* 0: divide */

    static rows of_job(const scan_job *j)
    {
        bool small = j->length > 1 && j->rows <= UINT32_MAX / j->length;
        return {j->length, small ? UINT64_MAX / (uint64_t)j->length + 1 : 0};
    }
    PRIM_DEVICE int64_t operator()(int64_t i) const
    {
        return reciprocal ? (int64_t)__umul64hi((uint64_t)i, reciprocal) : i / length;
    }
};

struct key_at {
    rows row;
    PRIM_DEVICE uint32_t operator()(int64_t i) const { return (uint32_t)row(i); } /* neighbouring rows differ in it */
};

template <class Sample, class Sum> struct value_at {
    rows row;
    scan_source<Sample, Sum> source;
    const Sum *initial_values;
    PRIM_DEVICE Sum operator()(int64_t i) const
    {
        int64_t r = row(i), at = i - r * row.length;
        Sum v = source.at(source.row(r), at);
        return initial_values && at == 0 ? initial_values[r] + v : v;
    }
};

struct place_of {
    rows row;
    int64_t pitch;
    PRIM_DEVICE int64_t operator()(int64_t i) const { return i + row(i) * (pitch - row.length); }
};

template <class F> auto for_each_index(F f)
{
    return thrust::make_transform_iterator(thrust::make_counting_iterator(int64_t(0)), f);
}

template <class Sample, class Sum>
cudaError_t scan_by_row(const scan_job *j, void *memory, size_t *bytes, cudaStream_t stream)
{
    rows row = rows::of_job(j);
    auto source = scan_source<Sample, Sum>::of_job(j);
    auto keys = for_each_index(key_at{row});
    auto values = for_each_index(value_at<Sample, Sum>{row, source, (const Sum *)j->initial_values});
    auto out = thrust::make_permutation_iterator((Sum *)j->out, for_each_index(place_of{row, j->out_pitch}));
    return cub::DeviceScan::InclusiveSumByKey(memory, *bytes, keys, values, out, j->rows * j->length,
                                              ::cuda::std::equal_to<>(), stream);
}

/* What CUB needs follows from the types of keys and sums, not from that of the samples. */
sat_status workspace(int64_t count, int64_t length, sat_type accum, const scan_shape *, size_t *bytes)
{
    scan_job job = {};
    job.rows = count;
    job.length = length;
    return with_scan_sums(accum, [&job, bytes](auto zero) {
        using sum = decltype(zero);
        return prim::checked(scan_by_row<sum, sum>(&job, NULL, bytes, NULL), "cub");
    });
}

sat_status queue(const scan_job *job, const scan_shape *shape, void *memory, void *stream)
{
    size_t bytes = 0;
    if (job->exclusive) return sat_fail(SAT_ERR_UNAVAILABLE, "cub-rows: inclusive sums only");
    sat_status status = workspace(job->rows, job->length, job->accum, shape, &bytes);
    if (status != SAT_OK) return status;
    return with_scan_types(job->sample, job->accum, [=](auto pair) {
        using Sample = typename decltype(pair)::sample;
        using Sum = typename decltype(pair)::accum;
        size_t given = bytes;
        return prim::checked(scan_by_row<Sample, Sum>(job, memory, &given, (cudaStream_t)stream), "cub");
    });
}

void describe(int64_t, int64_t, sat_type, const scan_shape *, char *text, size_t bytes)
{
    say_version(text, bytes);
}

const scan_algorithm cub_rows = {.name = "cub-rows", .workspace = workspace, .queue = queue, .describe = describe};

sat_status open_table(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    return table_open(&cub_rows, spec, arena, state, note, note_bytes);
}

} // namespace

/* ---- descriptors ------------------------------------------------------------------------------------- */

const sat_scan_method sat_scan_cub = {
    .name = "cub",
    .summary = "CUB's DeviceScan",
    .paper = "Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .kind = SAT_PEER,
    .device = true,
    .unrepeatable = true,
    .probe = device_probe,
    .open = open_array,
    .run = run_array,
};

const sat_backend sat_backend_cub_rows = {
    .name = "cub-rows",
    .summary = "CUB's DeviceScan by key over all rows, transposed, and over all columns",
    .paper = "Merrill & Garland, Single-pass parallel prefix scan with decoupled look-back, NVIDIA NVR-2016-002",
    .traffic = {.in_reads = 1, .out_reads = 3, .out_writes = 4},
    .kind = SAT_PEER,
    .device = true,
    .unrepeatable = true,
    .probe = device_probe,
    .open = open_table,
    .run = table_run,
};
