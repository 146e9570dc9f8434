/* hog.cu - see hog.h.
 *
 * Idea    One block for each multiprocessor that is to be occupied, each with all the shared memory that a block can
 *         have, so that two do not fit one multiprocessor, nor anything that needs shared memory beside one.
 * Launch  One thread in a block: it is the shared memory that is taken away.
 * Sync    The host writes a word of pinned memory, which the blocks poll; they count themselves in another. */
#include <stdlib.h>
#include <time.h>

#include <cuda_runtime.h>

#include "hog.h"

struct words {
    unsigned started, stop, gave_up;
};

struct hog {
    words *shared; /* with the host */
    cudaStream_t stream;
};

static const unsigned long long PATIENCE_NS = 10ull * 1000 * 1000 * 1000;

__global__ void occupy(volatile words *w, unsigned long long patience_ns)
{
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    atomicAdd_system((unsigned *)&w->started, 1u);
    do {
        __nanosleep(2000);
        asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    } while (!w->stop && now - begin < patience_ns);
    if (!w->stop) w->gave_up = 1;
}

static void sleep_us(long us)
{
    timespec t = {0, us * 1000};
    nanosleep(&t, nullptr);
}

extern "C" cudaError_t hog_start(hog **out, int leave)
{
    int device = 0, multiprocessors = 0, bytes = 0;
    hog *h = (hog *)calloc(1, sizeof *h);
    *out = h;
    if (h == nullptr) return cudaErrorMemoryAllocation;
    cudaError_t e = cudaGetDevice(&device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device);
    if (e == cudaSuccess) e = cudaDeviceGetAttribute(&bytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
    if (e == cudaSuccess) e = cudaHostAlloc((void **)&h->shared, sizeof *h->shared, cudaHostAllocMapped);
    if (e == cudaSuccess) e = cudaStreamCreateWithFlags(&h->stream, cudaStreamNonBlocking);
    if (e == cudaSuccess) e = cudaFuncSetAttribute(occupy, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes);
    if (e != cudaSuccess) return e;
    *h->shared = words{};
    unsigned blocks = (unsigned)(multiprocessors > leave ? multiprocessors - leave : 1);
    occupy<<<blocks, 1, bytes, h->stream>>>(h->shared, PATIENCE_NS);
    e = cudaGetLastError();
    volatile words *w = h->shared;
    while (e == cudaSuccess && w->started < blocks && !w->gave_up) sleep_us(50);
    return e;
}

extern "C" cudaError_t hog_stop(hog *h, int *held)
{
    *held = 0;
    if (h == nullptr) return cudaSuccess;
    cudaError_t e = cudaSuccess;
    if (h->shared) {
        *held = !h->shared->gave_up;
        *(volatile unsigned *)&h->shared->stop = 1;
    }
    if (h->stream) {
        e = cudaStreamSynchronize(h->stream);
        (void)cudaStreamDestroy(h->stream);
    }
    if (h->shared) (void)cudaFreeHost(h->shared);
    free(h);
    return e;
}
