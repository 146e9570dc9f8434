/* device.cu - sat_device_cuda: the library's functions for a CUDA device (device.h), and the probe of all kernels.
 *
 * The static runtime loads the driver at its first call, so this file calls nothing before it is called.  Nothing here
 * makes a context unless it must: the probe runs before any job has chosen the device. */
#include <cuda.h>
#include <pthread.h>
#include <stdio.h>

#include "device.h"
#include "prim/runtime.cuh"
#include "probe.cuh"
#include "query/query.cuh"
#include "view_copy.cuh"

namespace
{

/* ---- probe ------------------------------------------------------------------------------------------- */

/* The probe of a device, made once; the texts are never freed.  More devices than a host has. */
struct probed {
    bool known, usable;
    char why[192];
};
constexpr int MAX_DEVICES = 64;
probed devices[MAX_DEVICES];
char no_device[192];
pthread_mutex_t devices_lock = PTHREAD_MUTEX_INITIALIZER;

/* Its attributes show whether the driver can compile the PTX of this build. */
struct empty_kernel {
    static constexpr unsigned threads = 1;
    struct shared {
    };
    PRIM_DEVICE void operator()(shared &) const {}
};

/* The architectures in this build: machine code for sm_XY runs on sm_XZ, Z >= Y; PTX on what is newer; nvcc has
 * no list of those that hold PTX. */
enum code { CODE_NONE, CODE_PERHAPS, CODE_PRESENT };
code code_for(int major, int minor)
{
    const int built[] = {__CUDA_ARCH_LIST__};
    int sm = major * 100 + minor * 10;
    code best = CODE_NONE;
    for (int arch : built) {
        if (arch / 100 == major && arch <= sm) return CODE_PRESENT;
        if (arch < sm) best = CODE_PERHAPS;
    }
    return best;
}

void probe_device(int device, probed *f)
{
    cudaDeviceProp props;
    cudaError_t error = cudaGetDeviceProperties(&props, device);
    if (error != cudaSuccess) {
        (void)cudaGetLastError();
        snprintf(f->why, sizeof f->why, "CUDA device %d: %s", device, cudaGetErrorString(error));
        return;
    }
    code c = code_for(props.major, props.minor);
    if (c == CODE_PERHAPS) {
        cudaFuncAttributes attributes;
        if (cudaFuncGetAttributes(&attributes, prim::enter<empty_kernel>) == cudaSuccess)
            c = CODE_PRESENT;
        else
            (void)cudaGetLastError();
    }
    f->usable = c == CODE_PRESENT;
    if (f->usable)
        snprintf(f->why, sizeof f->why, "%.100s, sm_%d%d", props.name, props.major, props.minor);
    else
        snprintf(f->why, sizeof f->why, "no code for sm_%d%d (%.100s) in this build", props.major, props.minor,
                 props.name);
}

/* Why there is no device, for an error of the first call. */
const char *missing(cudaError_t error)
{
    int driver = 0;
    (void)cudaGetLastError();
    if (error == cudaErrorNoDevice) return "no CUDA device";
    if (error != cudaErrorInsufficientDriver) return cudaGetErrorString(error); /* static */
    if (cudaDriverGetVersion(&driver) != cudaSuccess || driver == 0) return "no CUDA driver";
    snprintf(no_device, sizeof no_device, "the CUDA driver is for %d.%d, this build needs %d.%d", driver / 1000,
             driver / 10 % 100, CUDART_VERSION / 1000, CUDART_VERSION / 10 % 100);
    return no_device;
}

bool probe_locked(const char **why)
{
    int count = 0, device = 0;
    cudaError_t error = cudaGetDeviceCount(&count);
    if (error == cudaSuccess && count == 0) error = cudaErrorNoDevice;
    if (error == cudaSuccess) error = cudaGetDevice(&device);
    if (error != cudaSuccess) {
        *why = missing(error);
        return false;
    }
    if (device >= MAX_DEVICES) {
        *why = "the current CUDA device is not among the first 64";
        return false;
    }
    probed *f = &devices[device];
    if (!f->known) probe_device(device, f);
    f->known = true;
    *why = f->why;
    return f->usable;
}

/* ---- sat_device -------------------------------------------------------------------------------------- */

sat_status info(sat_device_info *info)
{
    int device;
    cudaDeviceProp props;
    *info = {};
    sat_status status = prim::checked(cudaGetDevice(&device), "the current device");
    if (status == SAT_OK) status = prim::checked(cudaGetDeviceProperties(&props, device), "the device's properties");
    if (status == SAT_OK) status = prim::checked(cudaDriverGetVersion(&info->driver), "the driver's version");
    if (status == SAT_OK) status = prim::checked(cudaRuntimeGetVersion(&info->runtime), "the runtime's version");
    if (status != SAT_OK) return status;
    snprintf(info->name, sizeof info->name, "%.120s", props.name);
    info->sm = props.major * 10 + props.minor;
    info->multiprocessors = props.multiProcessorCount;
    info->memory_bytes = props.totalGlobalMem;
    info->l2_bytes = (size_t)props.l2CacheSize;
    info->ordinal = device;
    return SAT_OK;
}

int ordinal()
{
    int device = -1;
    return cudaGetDevice(&device) == cudaSuccess ? device : -1;
}

sat_status alloc(void **data, size_t bytes)
{
    return prim::device_alloc((unsigned char **)data, bytes); /* cudaMalloc aligns to 256 bytes */
}

/* The runtime may still read pageable host memory, and does read pinned memory, after an asynchronous copy's call. */
sat_status copy(const sat_view *from, const sat_view *to, void *stream)
{
    sat_status status = queue_view_copy(from, to, stream);
    if (status != SAT_OK || (from->memory == SAT_DEVICE && to->memory == SAT_DEVICE)) return status;
    return prim::stream_wait(stream);
}

sat_status time_work(sat_status (*work)(void *arg), void *arg, void *stream, double *us)
{
    cudaEvent_t begin = nullptr, end = nullptr;
    float ms = 0;
    sat_status status = prim::checked(cudaEventCreate(&begin), "making an event");
    if (status == SAT_OK) status = prim::checked(cudaEventCreate(&end), "making an event");
    if (status == SAT_OK) status = prim::checked(cudaEventRecord(begin, (cudaStream_t)stream), "recording an event");
    if (status == SAT_OK) status = work(arg);
    if (status == SAT_OK) status = prim::checked(cudaEventRecord(end, (cudaStream_t)stream), "recording an event");
    if (status == SAT_OK) status = prim::checked(cudaEventSynchronize(end), "waiting for the device");
    if (status == SAT_OK) status = prim::checked(cudaEventElapsedTime(&ms, begin, end), "timing");
    if (begin) (void)cudaEventDestroy(begin);
    if (end) (void)cudaEventDestroy(end);
    *us = (double)ms * 1e3;
    return status;
}

/* ---- copies beside work ------------------------------------------------------------------------------ */

/* Pinned memory is page-aligned, and every device of the process may use it. */
sat_status pinned_alloc(void **data, size_t bytes)
{
    *data = nullptr;
    return prim::checked(cudaHostAlloc(data, bytes, cudaHostAllocPortable), "pinned host memory");
}

void pinned_free(void *data)
{
    if (data) (void)cudaFreeHost(data);
}

/* The runtime knows the kind of memory of an address; only the driver knows the end of its allocation. */
size_t pinned(const void *data)
{
    using get_attributes = CUresult (*)(unsigned count, CUpointer_attribute *names, void **values, CUdeviceptr data);
    CUpointer_attribute names[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR,
                                   CU_POINTER_ATTRIBUTE_RANGE_SIZE};
    unsigned type = 0; /* stays 0 for memory that CUDA does not know */
    CUdeviceptr begin = 0;
    size_t bytes = 0;
    void *values[] = {&type, &begin, &bytes}, *entry = nullptr;
#if CUDART_VERSION >= 12050
    cudaError_t error = cudaGetDriverEntryPointByVersion("cuPointerGetAttributes", &entry, 12000, cudaEnableDefault);
#else
    cudaError_t error = cudaGetDriverEntryPoint("cuPointerGetAttributes", &entry, cudaEnableDefault);
#endif
    if (error != cudaSuccess) (void)cudaGetLastError();
    if (error != cudaSuccess || !entry || ((get_attributes)entry)(3, names, values, (CUdeviceptr)data) != CUDA_SUCCESS)
        return 0;
    return type == CU_MEMORYTYPE_HOST ? bytes - (size_t)((CUdeviceptr)data - begin) : 0;
}

/* Not ordered with the default stream, on which other parts of the program may have work. */
sat_status stream_open(void **stream)
{
    cudaStream_t made = nullptr;
    sat_status status = prim::checked(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "making a stream");
    *stream = status == SAT_OK ? made : nullptr;
    return status;
}

void stream_close(void *stream)
{
    if (stream) (void)cudaStreamDestroy((cudaStream_t)stream);
}

sat_status event_create(void **event)
{
    cudaEvent_t made = nullptr;
    sat_status status = prim::checked(cudaEventCreateWithFlags(&made, cudaEventDisableTiming), "making an event");
    *event = status == SAT_OK ? made : nullptr;
    return status;
}

void event_destroy(void *event)
{
    if (event) (void)cudaEventDestroy((cudaEvent_t)event);
}

sat_status event_record(void *event, void *stream)
{
    return prim::checked(cudaEventRecord((cudaEvent_t)event, (cudaStream_t)stream), "recording an event");
}

sat_status stream_wait_event(void *stream, void *event)
{
    return prim::checked(cudaStreamWaitEvent((cudaStream_t)stream, (cudaEvent_t)event, 0), "waiting for an event");
}

sat_status event_wait(void *event)
{
    return prim::checked(cudaEventSynchronize((cudaEvent_t)event), "waiting for the device");
}

/* A query of the default stream fails while a stream that it would wait for is captured. */
sat_status captured(void *stream, bool *captured)
{
    cudaStreamCaptureStatus is = cudaStreamCaptureStatusNone;
    cudaError_t error = cudaStreamIsCapturing((cudaStream_t)stream, &is);
    *captured = error == cudaErrorStreamCaptureImplicit || is != cudaStreamCaptureStatusNone;
    if (error != cudaErrorStreamCaptureImplicit) return prim::checked(error, "asking whether a stream is captured");
    (void)cudaGetLastError();
    return SAT_OK;
}

} // namespace

bool device_probe(const char **why)
{
    pthread_mutex_lock(&devices_lock);
    bool usable = probe_locked(why);
    pthread_mutex_unlock(&devices_lock);
    return usable;
}

extern "C" const sat_device sat_device_cuda = {
    .probe = device_probe,
    .info = info,
    .ordinal = ordinal,
    .alloc = alloc,
    .free = prim::device_free,
    .fill = prim::fill_bytes,
    .copy = copy,
    .wait = prim::stream_wait,
    .time = time_work,
    .pinned_alloc = pinned_alloc,
    .pinned_free = pinned_free,
    .pinned = pinned,
    .queue_copy = queue_view_copy,
    .stream_open = stream_open,
    .stream_close = stream_close,
    .event_create = event_create,
    .event_destroy = event_destroy,
    .event_record = event_record,
    .stream_wait = stream_wait_event,
    .event_wait = event_wait,
    .captured = captured,
    .query = query_rectangles,
    .statistics = query_statistics,
};
