/* check.h - the check harness: every backend and every scan method against answers known to be right.
 *
 * A subject is one kind of question ("tables of all types and shapes", "bands"), a target is a backend or a scan
 * method, and each pair of the two is one TAP test.  A subject makes its cases from a number, and the number and the
 * seed are all it takes to make a case again.  The answer is made once for each case and compared with every target's.
 *
 *     main.c     options, processes, TAP       area.c      memory with guard zones, on the host and on the device
 *     picture.c  images and their tables       subject_*.c the questions
 *
 * The same sources are linked with the CUDA kernels (make check-gpu) and, with SAT_SIMT, with those that run in the
 * simulator (make check). */
#ifndef CHECK_H
#define CHECK_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "sat_lab.h"

/* ---- what is asked --------------------------------------------------------------------------------- */

/* FULL: everything.  QUICK: small shapes, for compute-sanitizer.  SIMT: smaller ones still, for the simulator. */
typedef enum effort { FULL, QUICK, SIMT } effort;

typedef struct target {
    const char *name, *why;
    sat_kind kind;
    bool scans, device, repeatable, available;
    bool squares;     /* a backend that sums squares */
    int table_filter; /* which of the backends that filter through their tables, from 0; -1: none of them */
    int64_t segment;  /* of a scan method */
} target;

typedef struct subject {
    const char *name;
    bool (*fits)(const target *t);
    size_t (*cases)(effort e);
    void *(*make)(uint64_t seed, size_t k, effort e); /* case k with its answer; NULL after fail() */
    void (*run)(void *made, const target *t);         /* calls fail(), or not */
    void (*drop)(void *made);
    void (*text)(const void *made, char *text, size_t bytes); /* the case in words */
} subject;

extern const subject subject_brute, subject_tables, subject_bands, subject_plans, subject_range, subject_filters,
    subject_crops, subject_queries, subject_squares, subject_statistics, subject_batches, subject_batch_filters,
    subject_windows;
extern const subject subject_hosts, subject_scans, subject_shapes;
extern const subject subject_big_tables, subject_big_scans;
extern const subject subject_stream_tables, subject_stream_queries, subject_stream_scans;

/* ---- what is answered ------------------------------------------------------------------------------ */

/* This target fails in this case; a line that says how. */
__attribute__((format(printf, 1, 2))) void fail(const char *format, ...);

/* `what` did not return `want`: fails with both and sat_detail(). Returns whether it did. */
bool is_status(sat_status got, sat_status want, const char *what);

/* This case asks nothing of this target (a block shape that was not compiled in): it is not counted. */
void pass_over(void);

/* ---- numbers --------------------------------------------------------------------------------------- */

/* SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): any seed will do, also consecutive ones. */
static inline uint64_t random64(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}
static inline int64_t random_in(uint64_t *state, int64_t low, int64_t high)
{
    return low + (int64_t)(random64(state) % (uint64_t)(high - low + 1));
}
/* A sequence of its own for each seed, name and case. */
static inline uint64_t sequence(uint64_t seed, const char *name, size_t k)
{
    uint64_t state = seed;
    for (; *name; name++) state = random64(&state) + (unsigned char)*name;
    state += k;
    return random64(&state);
}

static inline bool is_float(sat_type t)
{
    return t == SAT_F32 || t == SAT_F64;
}

static inline bool is_signed(sat_type t)
{
    return t == SAT_I8 || t == SAT_I16 || t == SAT_I32;
}

/* Signed samples are summed in integers only on a device, and so are squares of 8 and 16 bits. */
static inline bool unsupported_on_devices(sat_type sample, int power, sat_type accum)
{
    if (power == 2) return !is_float(sample) && sat_type_bytes(sample) < 4 && is_float(accum);
    return is_signed(sample) && is_float(accum);
}

/* The laboratory's scans on a device, and the tables made with them, are compiled for four pairs of types. */
static inline bool is_of_lab(const target *t)
{
    return t->device && t->kind == SAT_METHOD && !t->squares;
}
static inline bool unsupported_in_lab(const target *t, sat_type sample, sat_type accum)
{
    if (!is_of_lab(t)) return false;
    return sample != accum ? sample != SAT_U8 || accum != SAT_U32
                           : sample != SAT_U32 && sample != SAT_U64 && sample != SAT_F32;
}

/* Sums that are proven for rectangles of one pixel only. */
static inline bool fits_one_sample(sat_type sample, sat_type accum)
{
    return (sample == SAT_U32 && accum == SAT_U32) || (sample == SAT_I32 && accum == SAT_I32);
}

/* The i-th pair of sample and accumulator that sums exist for: of tables, of samples or squares (as sat_plan_create()
 * on the reference answers), or of scans (as sat.h says).  false past the last. */
typedef enum summed { TABLES, SQUARES, SCANS, SUMMED } summed;
typedef struct pair {
    sat_type sample, accum;
    int power; /* of the samples */
} pair;
bool pair_at(summed what, size_t i, pair *p);
size_t pairs(summed what);
/* A pair at random; in every other case one that the laboratory's scans have. */
pair pair_of_case(summed what, size_t k, uint64_t *random);

/* The backend of kind SAT_REFERENCE. */
const char *reference(void);

/* All filters through tables are the same code behind the table.  So each of these backends takes every fifth case of a
 * full check, and five of them take all.  5 has no divisor in common with the numbers of types, which take turns. */
static inline bool takes_filter(const target *t, size_t k, effort e)
{
    return e != FULL || t->table_filter < 0 || k % 5 == (size_t)t->table_filter % 5;
}

/* ---- memory ---------------------------------------------------------------------------------------- */

/* A view inside an allocation of its own.  `shift` elements off 256 bytes, rows `gap` elements longer than they must
 * be, and up to the next multiple of 16 bytes if they are `even`, `guard` bytes on both sides; with guard 0 the
 * allocation ends with the view, so that memory checkers see what reaches beyond. */
typedef struct placement {
    size_t shift, gap, guard;
    bool even;
} placement;

typedef struct area {
    sat_view view;
    unsigned char *base, *seen; /* the allocation; device: a copy on the host, by area_read() */
    size_t bytes, start;
    int poison; /* of the bytes that are not the view's; -1: not poisoned */
} area;

placement random_placement(uint64_t *random);

/* All return false after fail(). The shape's data and row_bytes are ignored. */
bool area_open(area *a, sat_view shape, placement p);
bool area_fill(area *a, int poison);              /* all bytes, guards and gaps included                          */
bool area_write(area *a, const sat_view *packed); /* host pixels of the same shape into the view                  */
bool area_read(area *a, sat_view *seen);          /* *seen: the view as it lies on the host, valid until the next */
bool area_clean(const area *a, const char *what); /* after area_read(): is what is not the view's untouched?      */
void area_close(area *a);                         /* accepts a zeroed one                                         */

/* Are two host views of one shape bit-equal?  Fails with the first difference if not. */
bool same_bits(const sat_view *got, const sat_view *want, const char *what);

/* Elements [0, n) of type against what they should be, within bound[i] where that is not NULL (integers never use it).
 * Returns the index of the first that is wrong, or n.  Infinity and NaN must be met exactly. */
size_t first_wrong(sat_type type, const void *got, const void *want, const double *bound, double scale, size_t n);

/* Element i in words. */
const char *value_text(sat_type type, const void *data, size_t i, char text[40]);

/* ---- pictures -------------------------------------------------------------------------------------- */

typedef enum content { RANDOM, LARGEST, IMPULSE, PERIOD, INFINITE, CONTENTS } content;

/* Element i of an input, of n in all. */
void fill_samples(void *samples, size_t n, sat_type type, const sat_quant *quant, content c, uint64_t *random);
const char *content_name(content c);

/* An image, its table, and its bounds, rows without gaps, in host memory. */
typedef struct picture {
    sat_plan_spec spec; /* backend NULL; height may exceed the image's */
    content content;
    sat_view image, table;
    sat_view sizes; /* f64: the table of |samples|; no data where sums are integers */
    void *carry;    /* the inclusive table's last row */
    double *carry_sizes;
    double scale; /* what a size is multiplied by for the bound of sat.h */
    uint64_t random;
} picture;

/* Allocates the picture that the spec asks for (its height: `rows`) and fills the image. */
bool picture_open(picture *p, const sat_plan_spec *spec, int64_t rows, content c, uint64_t random);
bool picture_answer(picture *p); /* fills the table and so on with the reference's */
bool picture_brute(picture *p);  /* the same by adding up each entry's rectangle */
void picture_close(picture *p);  /* accepts a zeroed one */
void picture_text(const picture *p, char *text, size_t bytes);

/* Compares a host view of table rows from row `first` of the picture's table on; fails with the first difference. */
bool picture_same(const picture *p, const sat_view *got, int64_t first, const char *what);
bool picture_same_carry(const picture *p, const void *got, const char *what);

/* Makes a plan of the target for the picture.  NULL: after fail(), or after pass_over() where the target may refuse. */
sat_plan *plan_of(const picture *p, const target *t, sat_memory memory);

/* A backend that sums: its tables can be compared.  The others must only keep to their memory. */
static inline bool sums(const target *t)
{
    return t->kind != SAT_CEILING;
}

#endif
