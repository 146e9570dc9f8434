/* sat_device.h - what computes, and where: backends of libsat, and memory on a device.  sat.h includes it. */
#ifndef SAT_DEVICE_H
#define SAT_DEVICE_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- backends -------------------------------------------------------------------------------------- */

/* What computes tables: the library's own methods, all of which a caller may be given. */
typedef struct sat_backend_info {
    const char *name, *summary;
    const char *paper; /* citation, or NULL */
    bool device;       /* runs on a device; takes views in its memory */
    bool repeatable;   /* float results are the same from run to run */
    bool filters;      /* has a box filter of its own; the others filter through their tables */
    bool available;    /* can run here and now */
    const char *why;   /* what it runs on ("avx512, 2 cores"), or why it cannot; never NULL */
} sat_backend_info;

/* The i-th backend, best first; false past the last.  Probes that one backend only. */
#define sat_backend_at(...) sat_backend_at_sized(__VA_ARGS__, sizeof(sat_backend_info)) /* i, info */
SAT_API bool sat_backend_at_sized(size_t i, sat_backend_info *info, size_t info_bytes);

/* The same without probing, so that no driver is loaded: available is false, and why no reason. */
#define sat_backend_entry(...) sat_backend_entry_sized(__VA_ARGS__, sizeof(sat_backend_info)) /* i, info */
SAT_API bool sat_backend_entry_sized(size_t i, sat_backend_info *info, size_t info_bytes);

/* The name of the i-th backend that only builds with CUDA have, where this one is without: at most bytes - 1 characters
 * of it.  False past the last, and in builds with CUDA. */
SAT_API bool sat_backend_absent(size_t i, char *name, size_t bytes);

/* ---- device memory ----------------------------------------------------------------------------------- */

/* For programs without a CUDA compiler: what it takes to keep images and tables on the device.  All of it works on the
 * calling thread's current device and returns SAT_ERR_UNAVAILABLE, with the reason, where there is none, SAT_ERR_DEVICE
 * where it fails, and SAT_ERR_MEMORY where its memory is full.  stream: a cudaStream_t, NULL = the default one. */

typedef struct sat_device_info {
    char name[128]; /* "NVIDIA H200" */
    int sm;         /* compute capability: 90 */
    int multiprocessors;
    size_t memory_bytes, l2_bytes;
    int driver, runtime; /* CUDA versions: 13000 */
    int ordinal;         /* its number, as of cudaSetDevice() */
    int reserved_word;   /* 0 */
} sat_device_info;

#define sat_device_current(...) sat_device_current_sized(__VA_ARGS__, sizeof(sat_device_info)) /* info */
SAT_API sat_status sat_device_current_sized(sat_device_info *info, size_t info_bytes);
SAT_API sat_status sat_device_alloc(void **data, size_t bytes); /* aligned to 256 bytes; *data NULL on failure */
SAT_API void sat_device_free(void *data);                       /* waits for the device; accepts NULL */

/* Queues setting all bytes; queues copying views in any memory, of one shape and type, else SAT_ERR_SHAPE, _TYPE (a
 * copy from or to host memory is done when the call returns); waits until the stream is empty. */
SAT_API sat_status sat_device_fill(void *data, int byte, size_t bytes, void *stream);
SAT_API sat_status sat_device_copy(const sat_view *from, const sat_view *to, void *stream);
SAT_API sat_status sat_device_wait(void *stream);

/* Is what is queued on that stream captured into a graph, not run?  Changes nothing. */
SAT_API sat_status sat_device_capturing(void *stream, bool *capturing);

#ifdef __cplusplus
}
#endif
#endif
