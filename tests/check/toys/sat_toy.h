/* sat_toy.h - the public header of an operation for the tests: the mean of the samples that count around each pixel,
 * times a gain. */
#ifndef SAT_TOY_H
#define SAT_TOY_H

#include "sat.h"

typedef struct sat_toy_spec {
    int64_t width, height;
    int channels;
    sat_type sample;
    int64_t reach; /* px, 0 .. 100: windows have 2 * reach + 1 columns and rows */
    double gain;   /* finite */
    const char *border;
    double border_value[4];
    bool masked, strided, reserved[2];
    int threads;
    sat_memory memory;
    sat_type result; /* SAT_F64, which SAT_TYPE_NONE means */
    const char *backend;
    int64_t count;
    const sat_executor *executor;
    const sat_allocator *allocator;
    int64_t band_rows; /* 0: whole images only */
} sat_toy_spec;

typedef struct sat_toy sat_toy;

#define sat_toy_create(...) sat_toy_create_sized(__VA_ARGS__, sizeof(sat_toy_spec)) /* toy, spec */
#define sat_toy_bytes(...)  sat_toy_bytes_sized(__VA_ARGS__, sizeof(sat_toy_spec))  /* spec, bytes */
#define sat_toy_run(...)    sat_toy_run_sized(__VA_ARGS__, sizeof(sat_run_options)) /* toy, src, mask, dst, run */
SAT_API sat_status sat_toy_create_sized(sat_toy **toy, const sat_toy_spec *spec, size_t spec_bytes);
SAT_API sat_status sat_toy_run_sized(sat_toy *toy, const sat_view *src, const sat_view *mask, const sat_view *dst,
                                     const sat_run_options *run, size_t run_bytes);
SAT_API sat_status sat_toy_needs(const sat_toy *toy, int64_t first, int64_t end, int64_t *from, int64_t *to);
SAT_API sat_status sat_toy_bytes_sized(const sat_toy_spec *spec, sat_bytes *bytes, size_t spec_bytes);
SAT_API const char *sat_toy_backend(const sat_toy *toy);
SAT_API const char *sat_toy_note(const sat_toy *toy);
SAT_API int sat_toy_device(const sat_toy *toy);
SAT_API void sat_toy_destroy(sat_toy **toy);

#endif
