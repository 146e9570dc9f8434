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

/* The functions of sat.h and sat_lab.h, for arguments that have been checked. */
typedef struct sat_device {
    bool (*probe)(
        const char **why); /* is there one that can run our code?  why: static text, its name or what is missing */
    sat_status (*info)(sat_device_info *info);
    int (*ordinal)(void); /* of the current one; -1 if that is not known */
    sat_status (*alloc)(void **data, size_t bytes);
    void (*free)(void *data);
    sat_status (*fill)(void *data, int byte, size_t bytes, void *stream);
    sat_status (*copy)(const sat_view *from, const sat_view *to, void *stream);
    sat_status (*wait)(void *stream);
    sat_status (*time)(sat_status (*work)(void *arg), void *arg, void *stream, double *us);

    /* For copies beside work: host memory that the device reads and writes itself, streams of one's own, and events.
     * What is queued on a stream runs in its order, and at the same time as what is on others, but for these:
     * stream_wait() lets a stream wait for an event as it was last recorded on another stream, event_wait() the host.
     */
    sat_status (*pinned_alloc)(void **data, size_t bytes); /* aligned to 256 bytes; *data NULL on failure */
    void (*pinned_free)(void *data);                       /* accepts NULL */
    /* Bytes from `data` on to the end of such memory, or of what the caller made so in one piece; 0: it is none.  The
     * device copies nothing that reaches from one piece into the next. */
    size_t (*pinned)(const void *data);
    sat_status (*queue_copy)(const sat_view *from, const sat_view *to, void *stream); /* host memory: pinned */
    sat_status (*stream_open)(void **stream);                                         /* *stream NULL on failure */
    void (*stream_close)(void *stream);                                               /* accepts NULL */
    sat_status (*event_create)(void **event);                                         /* *event NULL on failure */
    void (*event_destroy)(void *event);                                               /* accepts NULL */
    sat_status (*event_record)(void *event, void *stream);
    sat_status (*stream_wait)(void *stream, void *event);
    sat_status (*event_wait)(void *event);
    /* Is what is queued there recorded for a graph, not run?  SAT_ERR_DEVICE if the device cannot tell. */
    sat_status (*captured)(void *stream, bool *captured);

    sat_status (*query)(const sat_reader *table, int channels, const sat_rect *rects, size_t n, sat_sum *sums,
                        double *means, sat_bad_rects *bad, void *stream);      /* all of it in device memory; n > 0 */
    sat_status (*statistics)(const sat_rect_question *question, void *stream); /* n > 0 */
} sat_device;

extern const sat_device sat_device_cuda; /* with SAT_WITH_CUDA only */

/* NULL and *why, if there is none. */
const sat_device *sat_device_get(const char **why);

/* SAT_OK and the device, or SAT_ERR_UNAVAILABLE with the reason, and NULL. */
sat_status sat_device_need(const sat_device **device);

/* The number of the current device, where an object works on one; else -1. */
int sat_device_ordinal(bool on_device);

/* SAT_ERR_ARGUMENT, in words, while the stream is captured: checked, before anything is queued, by all that waits for a
 * caller's stream, as the wait would spoil the capture. */
sat_status sat_device_may_wait(const sat_device *device, void *stream);

#ifdef __cplusplus
}
#endif
#endif
