/* device.h - what the library asks of a device; kernels/device.cu answers for CUDA.
 *
 * Without CUDA (SAT_WITH_CUDA 0) there is none, and every sat_device_ function says so. */
#ifndef SAT_DEVICE_H
#define SAT_DEVICE_H

#include "rectangle.h"
#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef SAT_WITH_CUDA
#define SAT_WITH_CUDA 0
#endif

/* The functions of sat.h, for arguments that have been checked. */
typedef struct sat_device {
    bool (*probe)(
        const char **why); /* is there one that can run our code?  why: static text, its name or what is missing */
    sat_status (*info)(sat_device_info *info);
    sat_status (*alloc)(void **data, size_t bytes);
    void (*free)(void *data);
    sat_status (*fill)(void *data, int byte, size_t bytes, void *stream);
    sat_status (*copy)(const sat_view *from, const sat_view *to, void *stream);
    sat_status (*wait)(void *stream);
    sat_status (*time)(sat_status (*work)(void *arg), void *arg, void *stream, double *us);

    sat_status (*query)(const sat_reader *table, int channels, const sat_rect *rects, size_t n, sat_sum *sums,
                        double *means, sat_bad_rects *bad, void *stream); /* all of it in device memory; n > 0 */
} sat_device;

extern const sat_device sat_device_cuda; /* with SAT_WITH_CUDA only */

/* NULL and *why, if there is none. */
const sat_device *sat_device_get(const char **why);

#ifdef __cplusplus
}
#endif
#endif
