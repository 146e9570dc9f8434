/* npp.cu - NVIDIA's Performance Primitives, for comparison: the integral image of the toolkit's image library.
 *
 * Idea      nppiIntegral_8u32s_C1R computes the padded table of 8-bit samples in 32 bits.  It is used where it is
 *           installed, and needed nowhere: the library is opened when this backend is asked for the first time, and
 *           declared here, since a build has its headers no more than a machine has its library.
 * Paper     none; NVIDIA 2D Image and Signal Processing Performance Primitives, documentation of nppiIntegral
 * Layout    padded, (width + 1) x (height + 1)
 * Launch    NPP's
 * Traffic   unknown; counted as the least there is
 * Sync      NPP's
 * Limits    one channel, u8 to u32, whole images, strides below 2^31; at most 65535 rows, as a grid has blocks in y:
 * NPP leaves out rows of an image of 2^26, and does not say so Steps     1. one call */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>

#include "prim/runtime.cuh"
#include "table/table.cuh"

#if __has_include(<nppi_statistics_functions.h>)
#include <nppi_statistics_functions.h>
#else
/* As NPP declares them, in versions 12 and 13. */
struct NppiSize {
    int width, height;
};
struct NppStreamContext {
    cudaStream_t hStream;
    int nCudaDeviceId;
    int nMultiProcessorCount;
    int nMaxThreadsPerMultiProcessor;
    int nMaxThreadsPerBlock;
    size_t nSharedMemPerBlock;
    int nCudaDevAttrComputeCapabilityMajor;
    int nCudaDevAttrComputeCapabilityMinor;
    unsigned int nStreamFlags;
    int nReserved0;
};
#endif

namespace
{

/* The status is an enum; 0 is success, errors are negative, warnings positive. */
typedef int integral(const uint8_t *src, int src_step, int32_t *dst, int dst_step, NppiSize roi, int32_t first,
                     NppStreamContext context);

pthread_once_t opened = PTHREAD_ONCE_INIT;
integral *npp_integral; /* NULL: not here */

void open_library()
{
    const char *const names[] = {"libnppist.so.13", "libnppist.so.12"};
    for (const char *name : names) {
        void *library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
        if (library == NULL) continue;
        npp_integral = (integral *)dlsym(library, "nppiIntegral_8u32s_C1R_Ctx");
        if (npp_integral) return;
        dlclose(library);
    }
}

bool probe(const char **why)
{
    if (!device_probe(why)) return false;
    pthread_once(&opened, open_library);
    if (npp_integral == NULL) *why = "no libnppist.so.13 or .12 here";
    return npp_integral != NULL;
}

struct plan {
    NppStreamContext context; /* but for the stream */
};

sat_status describe_device(NppStreamContext *c)
{
    cudaDeviceProp props;
    sat_status status = prim::checked(cudaGetDevice(&c->nCudaDeviceId), "the current device");
    if (status == SAT_OK)
        status = prim::checked(cudaGetDeviceProperties(&props, c->nCudaDeviceId), "the device's properties");
    if (status != SAT_OK) return status;
    c->nMultiProcessorCount = props.multiProcessorCount;
    c->nMaxThreadsPerMultiProcessor = props.maxThreadsPerMultiProcessor;
    c->nMaxThreadsPerBlock = props.maxThreadsPerBlock;
    c->nSharedMemPerBlock = props.sharedMemPerBlock;
    c->nCudaDevAttrComputeCapabilityMajor = props.major;
    c->nCudaDevAttrComputeCapabilityMinor = props.minor;
    return SAT_OK;
}

sat_status open_plan(const sat_plan_spec *spec, sat_arena *arena, void **state, char *note, size_t note_bytes)
{
    const char *device;
    if (spec->sample != SAT_U8 || spec->accum != SAT_U32 || spec->channels != 1 || spec->layout != SAT_PADDED)
        return sat_fail(SAT_ERR_TYPE, "npp: padded tables of one channel, u8 to u32, only");
    if (spec->width >= INT32_MAX / (int64_t)sizeof(int32_t) || spec->height > UINT16_MAX)
        return sat_fail(SAT_ERR_UNAVAILABLE, "npp: strides below 2^31 and at most 65535 rows");
    plan *p = prim::arena_new<plan>(arena);
    if (p == NULL) return SAT_ERR_MEMORY;
    sat_status status = describe_device(&p->context);
    if (status != SAT_OK) return status;
    (void)device_probe(&device);
    snprintf(note, note_bytes, "npp, %s", device);
    *state = p;
    return SAT_OK;
}

sat_status run_plan(void *state, const sat_view *image, const sat_view *table, const sat_run *run)
{
    const plan *p = (const plan *)state;
    NppStreamContext context = p->context;
    if (run->carry_in || run->carry_out || run->continues)
        return sat_fail(SAT_ERR_UNAVAILABLE, "npp: whole images only, no bands");
    if (image->row_bytes > INT32_MAX || table->row_bytes > INT32_MAX)
        return sat_fail(SAT_ERR_SHAPE, "npp: strides are below 2^31");
    context.hStream = (cudaStream_t)run->stream;
    sat_status status = prim::checked(cudaStreamGetFlags(context.hStream, &context.nStreamFlags), "the stream's flags");
    if (status != SAT_OK) return status;
    NppiSize roi = {(int)image->width, (int)image->height};
    int result = npp_integral((const uint8_t *)image->data, (int)image->row_bytes, (int32_t *)table->data,
                              (int)table->row_bytes, roi, 0, context);
    return result == 0 ? SAT_OK : sat_fail(SAT_ERR_DEVICE, "npp: status %d", result);
}

} // namespace

const sat_backend sat_backend_npp = {
    .name = "npp",
    .summary = "NPP's nppiIntegral, 8 to 32 bits",
    .traffic = {.in_reads = 1, .out_reads = 0, .out_writes = 1},
    .kind = SAT_PEER,
    .device = true,
    .probe = probe,
    .open = open_plan,
    .run = run_plan,
};
