/* sat_lab.h - the laboratory's interface of libsat: what is compared, beside what is used.
 *
 * UNSTABLE: unlike sat.h, this header may change in any version, and a library that was built as the product alone
 * (make LAB=0) has none of it.  sat_lab_backend_info, sat_scan_spec and sat_scan_info travel with their size, as the
 * structs of sat.h do.
 *
 * Every table and every scan is compared with two things.  A ceiling copies the same number of bytes and sums nothing:
 * no method is faster.  A peer is another library's code for the same job.  Neither is chosen unless it is named. */
#ifndef SAT_LAB_H
#define SAT_LAB_H

#include "sat.h"

#ifdef __cplusplus
extern "C" {
#endif

SAT_API const char *sat_kind_name(sat_kind kind); /* "method", "reference", "ceiling", "peer"; "none" */

/* ---- backends ---------------------------------------------------------------------------------------- */

/* sat_backend_info with what the laboratory compares. */
typedef struct sat_lab_backend_info {
    const char *name, *summary;
    const char *paper;                      /* citation, or NULL */
    double in_reads, out_reads, out_writes; /* modelled memory accesses per pixel: "1R1W" = 1, 0, 1 */
    sat_kind kind;
    bool device, repeatable, filters, available;
    const char *why;  /* what it runs on, or why it cannot; never NULL */
    bool squares;     /* sums the squares of samples, too: sat_plan_spec.power */
    bool reserved[7]; /* false */
} sat_lab_backend_info;

/* The i-th backend, the ceilings and peers among them, best first; false past the last.  sat_plan_create() takes all of
 * their names, sat_box_create() the names of sat_backend_at().  Probes that one backend only. */
#define sat_lab_backend_at(...) sat_lab_backend_at_sized(__VA_ARGS__, sizeof(sat_lab_backend_info)) /* i, info */
SAT_API bool sat_lab_backend_at_sized(size_t i, sat_lab_backend_info *info, size_t info_bytes);

/* The same without probing, so that no driver is loaded: available is false, and why no reason. */
#define sat_lab_backend_entry(...)                                                                                     \
    sat_lab_backend_entry_sized(__VA_ARGS__, sizeof(sat_lab_backend_info)) /* i, info                                  \
                                                                            */
SAT_API bool sat_lab_backend_entry_sized(size_t i, sat_lab_backend_info *info, size_t info_bytes);

/* ---- scans of one array ------------------------------------------------------------------------------ */

/* out[i] = in[0] + ... + in[i], inclusive; exclusive without in[i].  What tables are made of, one row long:
 * every scan method behind the backends can be run, compared and tuned by itself. */
typedef struct sat_scan_spec {
    int64_t length;         /* elements, 1 .. 2^40 */
    sat_type sample, accum; /* the combinations and the default of sat_plan_spec but q32, and u64 to u64 or i64 */
    bool exclusive;         /* out[i] = in[0] + ... + in[i-1], out[0] = 0 */
    bool naive_staging;     /* without what avoids conflicts of shared-memory banks */
    sat_memory memory;      /* where the arrays of all runs lie */
    const char *method;     /* a name of sat_scan_at(), NULL = the first that can do the job */
    int block_threads;      /* threads in a block; 0 = the method's choice */
    int thread_items;       /* elements for each thread; 0 = the method's choice */
} sat_scan_spec;

typedef struct sat_scan sat_scan;

/* Makes a scan with all memory that its runs need.  On SAT_OK *scan is the caller's, to be given to
 * sat_scan_destroy(); else it is NULL and the status is SAT_ERR_ARGUMENT, _SHAPE, _TYPE, _MEMORY, _DEVICE or
 * _UNAVAILABLE: no method of that name here, or a block_threads x thread_items that was not compiled in. */
#define sat_scan_create(...) sat_scan_create_sized(__VA_ARGS__, sizeof(sat_scan_spec)) /* scan, spec */
SAT_API sat_status sat_scan_create_sized(sat_scan **scan, const sat_scan_spec *spec, size_t spec_bytes);

/* in: length samples, out: length sums, aligned to their types, in the spec's memory, not overlapping.  stream
 * as in sat_run_options; on device memory the work is queued there, as for sat_plan_run().  A method with a segment
 * (below) starts anew after each segment. Integer results are exact modulo 2^32 or 2^64; float ones differ by at most 2
 * * length * eps * (sum of |samples|).  Returns SAT_ERR_ARGUMENT, _DEVICE. */
SAT_API sat_status sat_scan_run(sat_scan *scan, const void *in, void *out, void *stream);
SAT_API const char *sat_scan_note(const sat_scan *scan); /* one line: method, block, items, device */
SAT_API void sat_scan_destroy(sat_scan **scan);          /* frees it and sets *scan to NULL */

typedef struct sat_scan_info {
    const char *name, *summary, *paper;     /* paper may be NULL */
    double in_reads, out_reads, out_writes; /* modelled memory accesses per element */
    sat_kind kind;
    int64_t segment; /* elements; 0 = the whole array is one scan, 32 = each warp's 32 elements are, samples and
                        sums of one type */
    bool device, repeatable, available;
    const char *why; /* what it runs on, or why it cannot; never NULL */
} sat_scan_info;

/* The i-th scan method, best first; false past the last. */
#define sat_scan_at(...) sat_scan_at_sized(__VA_ARGS__, sizeof(sat_scan_info)) /* i, info */
SAT_API bool sat_scan_at_sized(size_t i, sat_scan_info *info, size_t info_bytes);

/* The name of the i-th scan method that builds with CUDA have and this one lacks, cut to fit: of the methods for whole
 * arrays, or for the elements of each warp.  False past the last. */
SAT_API bool sat_scan_absent(size_t i, bool warps, char *name, size_t bytes);

/* ---- time on a device -------------------------------------------------------------------------------- */

/* Calls work(arg), which queues work on the stream, and measures how long the device took for it, in microseconds,
 * between two events on the stream.  A status other than SAT_OK from work ends it and is returned; else SAT_ERR_DEVICE,
 * or SAT_ERR_UNAVAILABLE where there is no device. */
SAT_API sat_status sat_device_time(sat_status (*work)(void *arg), void *arg, void *stream, double *us);

#ifdef __cplusplus
}
#endif
#endif
