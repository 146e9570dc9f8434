/* samples.h - where the samples of a view lie, for what reads them one by one. */
#ifndef SAT_SAMPLES_H
#define SAT_SAMPLES_H

#include "shape.h"
#include "status.h"

/* Channel c of pixel (x, y) of image i of a view whose defaults are filled in. */
static inline void *sat_sample_in(const sat_view *v, int64_t i, int64_t x, int64_t y, int c)
{
    return (char *)v->data + i * v->image_bytes + y * v->row_bytes + x * v->pixel_bytes + c * v->channel_bytes;
}

/* From a sample to that of the next pixel, in samples. */
static inline ptrdiff_t sat_sample_step(const sat_view *v)
{
    return v->pixel_bytes / (ptrdiff_t)sat_type_bytes(v->type);
}

/* A sample, which f64 holds. */
static inline double sat_sample_value(sat_type type, const void *at)
{
    switch (type) {
    case SAT_U8: return *(const uint8_t *)at;
    case SAT_U16: return *(const uint16_t *)at;
    case SAT_U32: return *(const uint32_t *)at;
    case SAT_I8: return *(const int8_t *)at;
    case SAT_I16: return *(const int16_t *)at;
    case SAT_I32: return *(const int32_t *)at;
    case SAT_F32: return (double)*(const float *)at;
    default: return *(const double *)at;
    }
}

/* Takes a view of samples in host memory. */
static inline sat_status sat_take_samples(sat_view *view, const sat_view *given, const char *what)
{
    sat_status status = sat_take_view(view, given, what);
    if (status != SAT_OK) return status;
    if (view->memory == SAT_DEVICE)
        return sat_fail(SAT_ERR_UNAVAILABLE, "%s: lies in device memory; copy it to the host first (sat_device_copy)",
                        what);
    return sat_check_sample(view->type);
}

#endif
