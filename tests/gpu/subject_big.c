/* subject_big.c - more than 2^31 elements: an index that is 32 bits wide anywhere gives a wrong sum or a fault.
 *
 * Nothing of that size is summed on the host.  The samples are such that each sum has a closed form, and the results
 * come back from the device a chunk at a time, every element of them. */
#include <stdatomic.h>
#include <stdlib.h>

#include "check.h"

enum {
    CHUNK_BYTES = 64 << 20, /* much more than a copy's latency is worth, little memory */
    PART = 1 << 20,         /* samples or sums that a thread takes at a time */
};

static bool on_device(const target *t, bool scans)
{
    return t->scans == scans && t->device && sums(t);
}

/* A row of samples in host memory as a view. */
static sat_view line(void *data, int64_t length, sat_type type, sat_memory memory)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)sat_row_bytes(length, 1, type),
                      .width = length,
                      .height = 1,
                      .channels = 1,
                      .type = type,
                      .memory = memory};
}

/* ---- tables ---------------------------------------------------------------------------------------- */

/* Sample (x, y) is f(x) * g(y), f(x) = x % 13 + 1, g(y) = y % 17 + 1, at most 221, and so the sum of the first x
 * columns and y rows is F(x) * G(y), with F and G the sums of f and g. */
typedef struct big_table {
    int64_t width, height;
    sat_view image; /* on the device */
} big_table;

static uint32_t ramps(int64_t n, int64_t period)
{
    int64_t whole = n / period, part = n % period;
    return (uint32_t)(whole * (period * (period + 1) / 2) + part * (part + 1) / 2);
}

static bool fits_tables(const target *t)
{
    return on_device(t, false);
}

/* 46341^2 > 2^31; one row and one column of as many pixels as make many more blocks than run at a time. */
static const struct {
    int64_t width, height;
} big_shapes[] = {{46341, 46341}, {((int64_t)1 << 26) + 3, 1}, {1, ((int64_t)1 << 26) + 3}};

static size_t table_cases(effort e)
{
    return e == FULL ? sizeof big_shapes / sizeof *big_shapes : 0;
}

static void drop_table(void *made)
{
    big_table *b = made;
    sat_device_free(b->image.data);
    free(b);
}

static bool upload(big_table *b, uint8_t *pixels)
{
    for (int64_t y = 0; y < b->height; y++) {
        uint8_t *row = pixels + y * b->width;
        for (int64_t x = 0; x < b->width; x++) row[x] = (uint8_t)((x % 13 + 1) * (y % 17 + 1));
    }
    sat_view host = b->image;
    host.data = pixels;
    host.memory = SAT_HOST;
    return is_status(sat_device_alloc(&b->image.data, (size_t)(b->width * b->height)), SAT_OK, "sat_device_alloc") &&
           is_status(sat_device_copy(&host, &b->image, NULL), SAT_OK, "sat_device_copy");
}

static void *make_table(uint64_t seed, size_t k, effort e)
{
    (void)seed, (void)e;
    big_table *b = calloc(1, sizeof *b);
    int64_t w = big_shapes[k].width, h = big_shapes[k].height;
    uint8_t *pixels = malloc((size_t)(w * h));
    bool ok = b && pixels;
    if (!ok) fail("out of memory");
    if (b)
        *b = (big_table){.width = w,
                         .height = h,
                         .image = {.row_bytes = (ptrdiff_t)((size_t)w),
                                   .width = w,
                                   .height = h,
                                   .channels = 1,
                                   .type = SAT_U8,
                                   .memory = SAT_DEVICE}};
    ok = ok && upload(b, pixels);
    free(pixels);
    if (ok) return b;
    if (b) drop_table(b);
    return NULL;
}

typedef struct rows_check {
    const big_table *b;
    const uint32_t *seen;
    int64_t first;
    atomic_llong wrong; /* entry of `seen`, some wrong one; -1 = none */
} rows_check;

static void check_row(void *context, int64_t y, int worker)
{
    rows_check *c = context;
    int64_t columns = c->b->width + 1;
    uint32_t above = ramps(c->first + y, 17);
    (void)worker;
    for (int64_t x = 0; x < columns; x++) {
        if (c->seen[y * columns + x] == above * ramps(x, 13)) continue;
        atomic_store(&c->wrong, y * columns + x);
        break;
    }
}

/* Rows [first, first + rows) of the padded table. */
static bool rows_right(const big_table *b, const uint32_t *seen, int64_t first, int64_t rows)
{
    rows_check c = {.b = b, .seen = seen, .first = first, .wrong = -1};
    sat_parallel(0, rows, check_row, &c);
    int64_t wrong = atomic_load(&c.wrong), columns = b->width + 1;
    if (wrong < 0) return true;
    int64_t x = wrong % columns, y = first + wrong / columns;
    fail("entry x=%lld y=%lld is %lu, not %lu", (long long)x, (long long)y, (unsigned long)seen[wrong],
         (unsigned long)(ramps(y, 17) * ramps(x, 13)));
    return false;
}

static bool table_right(const big_table *b, const sat_view *table)
{
    int64_t chunk = CHUNK_BYTES / (int64_t)table->row_bytes + 1;
    uint32_t *seen = malloc((size_t)chunk * (size_t)table->row_bytes);
    bool ok = seen != NULL;
    if (!ok) fail("out of memory");
    for (int64_t y = 0; ok && y < table->height; y += chunk) {
        sat_view from = *table;
        from.data = (char *)table->data + (size_t)y * (size_t)table->row_bytes;
        from.height = table->height - y < chunk ? table->height - y : chunk;
        sat_view to = from;
        to.data = seen;
        to.memory = SAT_HOST;
        ok = is_status(sat_device_copy(&from, &to, NULL), SAT_OK, "sat_device_copy") &&
             rows_right(b, seen, y, from.height);
    }
    free(seen);
    return ok;
}

static void run_table(void *made, const target *t)
{
    big_table *b = made;
    sat_plan_spec spec = {.width = b->width,
                          .height = b->height,
                          .sample = SAT_U8,
                          .accum = SAT_U32,
                          .backend = t->name,
                          .memory = SAT_DEVICE};
    sat_view table = {.row_bytes = (ptrdiff_t)sat_row_bytes(b->width + 1, 1, SAT_U32),
                      .width = b->width + 1,
                      .height = b->height + 1,
                      .channels = 1,
                      .type = SAT_U32,
                      .memory = SAT_DEVICE};
    size_t bytes = (size_t)table.row_bytes * (size_t)table.height;
    sat_plan *plan = NULL;
    bool ok = is_status(sat_device_alloc(&table.data, bytes), SAT_OK, "sat_device_alloc") &&
              is_status(sat_plan_create(&plan, &spec), SAT_OK, "sat_plan_create");
    for (int i = 0; ok && i < 2; i++)
        ok = is_status(sat_device_fill(table.data, 0xa5, bytes, NULL), SAT_OK, "sat_device_fill") &&
             is_status(sat_plan_run(plan, &b->image, &table, NULL), SAT_OK, "sat_plan_run") &&
             is_status(sat_plan_wait(plan, NULL), SAT_OK, "sat_plan_wait") && (i == 0 || table_right(b, &table));
    sat_plan_destroy(&plan);
    sat_device_free(table.data);
}

static void table_text(const void *made, char *text, size_t bytes)
{
    const big_table *b = made;
    snprintf(text, bytes, "%lldx%lld u8 to u32", (long long)b->width, (long long)b->height);
}

const subject subject_big_tables = {"big-tables", fits_tables, table_cases, make_table,
                                    run_table,    drop_table,  table_text};

/* ---- scans ----------------------------------------------------------------------------------------- */

/* Sample i is i % 251, so the first n sum to so many whole periods and a ramp. */
typedef struct big_scan {
    int64_t length;
    sat_type sample;
    bool exclusive;
    void *in; /* on the device */
} big_scan;

enum { PERIOD_LENGTH = 251 };

static uint32_t sum_of_first(int64_t n)
{
    int64_t whole = n / PERIOD_LENGTH, part = n % PERIOD_LENGTH;
    return (uint32_t)(whole * (PERIOD_LENGTH * (PERIOD_LENGTH - 1) / 2) + part * (part - 1) / 2);
}

static bool fits_scans(const target *t)
{
    return on_device(t, true);
}

/* Bytes, where an index of elements overflows, and words, where that of bytes does; warps by themselves take words. */
static const sat_type big_samples[] = {SAT_U8, SAT_U32};

static size_t scan_cases(effort e)
{
    return e == FULL ? sizeof big_samples / sizeof *big_samples : 0;
}

static void drop_scan(void *made)
{
    big_scan *b = made;
    sat_device_free(b->in);
    free(b);
}

typedef struct samples_job {
    void *samples;
    int64_t n;
    sat_type type;
} samples_job;

static void make_samples(void *context, int64_t part, int worker)
{
    const samples_job *j = context;
    uint8_t *bytes = j->samples;
    uint32_t *words = j->samples;
    (void)worker;
    for (int64_t i = part * PART; i < j->n && i < (part + 1) * PART; i++)
        if (j->type == SAT_U8)
            bytes[i] = (uint8_t)(i % PERIOD_LENGTH);
        else
            words[i] = (uint32_t)(i % PERIOD_LENGTH);
}

static void *make_scan(uint64_t seed, size_t k, effort e)
{
    (void)e;
    big_scan *b = calloc(1, sizeof *b);
    int64_t n = ((int64_t)1 << 31) + 12345;
    sat_type type = big_samples[k];
    size_t bytes = (size_t)n * sat_type_bytes(type);
    uint8_t *samples = malloc(bytes);
    bool ok = b && samples;
    if (!ok) fail("out of memory");
    if (ok) {
        *b = (big_scan){.length = n, .sample = type, .exclusive = seed % 2};
        samples_job job = {.samples = samples, .n = n, .type = type};
        sat_parallel(0, (n - 1) / PART + 1, make_samples, &job);
        sat_view host = line(samples, n, type, SAT_HOST), device = line(NULL, n, type, SAT_DEVICE);
        ok = is_status(sat_device_alloc(&b->in, bytes), SAT_OK, "sat_device_alloc");
        device.data = b->in;
        ok = ok && is_status(sat_device_copy(&host, &device, NULL), SAT_OK, "sat_device_copy");
    }
    free(samples);
    if (ok) return b;
    if (b) drop_scan(b);
    return NULL;
}

static uint32_t sum_at(const big_scan *b, const target *t, int64_t i)
{
    int64_t begin = t->segment ? i - i % t->segment : 0;
    return sum_of_first(b->exclusive ? i : i + 1) - sum_of_first(begin);
}

typedef struct sums_check {
    const big_scan *b;
    const target *t;
    const uint32_t *seen;
    int64_t first, n;
    atomic_llong wrong; /* the first that is */
} sums_check;

static void check_sums(void *context, int64_t part, int worker)
{
    sums_check *c = context;
    long long wrong = atomic_load(&c->wrong);
    (void)worker;
    for (int64_t i = part * PART; i < c->n && i < (part + 1) * PART; i++) {
        if (c->seen[i] == sum_at(c->b, c->t, c->first + i)) continue;
        while (i < wrong && !atomic_compare_exchange_weak(&c->wrong, &wrong, i)) {}
        break;
    }
}

static bool chunk_right(const big_scan *b, const target *t, const uint32_t *seen, int64_t first, int64_t n)
{
    sums_check c = {.b = b, .t = t, .seen = seen, .first = first, .n = n, .wrong = INT64_MAX};
    sat_parallel(0, (n - 1) / PART + 1, check_sums, &c);
    int64_t wrong = atomic_load(&c.wrong);
    if (wrong == INT64_MAX) return true;
    fail("element %lld is %lu, not %lu", (long long)(first + wrong), (unsigned long)seen[wrong],
         (unsigned long)sum_at(b, t, first + wrong));
    return false;
}

static bool scan_right(const big_scan *b, const target *t, uint32_t *out)
{
    int64_t chunk = CHUNK_BYTES / (int64_t)sizeof *out;
    uint32_t *seen = malloc(CHUNK_BYTES);
    bool ok = seen != NULL;
    if (!ok) fail("out of memory");
    for (int64_t i = 0; ok && i < b->length; i += chunk) {
        int64_t n = b->length - i < chunk ? b->length - i : chunk;
        sat_view from = line(out + i, n, SAT_U32, SAT_DEVICE), to = line(seen, n, SAT_U32, SAT_HOST);
        ok = is_status(sat_device_copy(&from, &to, NULL), SAT_OK, "sat_device_copy") && chunk_right(b, t, seen, i, n);
    }
    free(seen);
    return ok;
}

static void run_scan(void *made, const target *t)
{
    big_scan *b = made;
    if (t->segment && b->sample != SAT_U32) { /* warps by themselves show one type at a time */
        pass_over();
        return;
    }
    sat_scan_spec spec = {.length = b->length,
                          .sample = b->sample,
                          .accum = SAT_U32,
                          .exclusive = b->exclusive,
                          .memory = SAT_DEVICE,
                          .method = t->name};
    size_t bytes = (size_t)b->length * sizeof(uint32_t);
    sat_scan *scan = NULL;
    void *out = NULL;
    bool ok = is_status(sat_device_alloc(&out, bytes), SAT_OK, "sat_device_alloc") &&
              is_status(sat_scan_create(&scan, &spec), SAT_OK, "sat_scan_create");
    for (int i = 0; ok && i < 2; i++)
        ok = is_status(sat_device_fill(out, 0xa5, bytes, NULL), SAT_OK, "sat_device_fill") &&
             is_status(sat_scan_run(scan, b->in, out, NULL), SAT_OK, "sat_scan_run") &&
             is_status(sat_device_wait(NULL), SAT_OK, "sat_device_wait") && (i == 0 || scan_right(b, t, out));
    sat_scan_destroy(&scan);
    sat_device_free(out);
}

static void scan_text(const void *made, char *text, size_t bytes)
{
    const big_scan *b = made;
    snprintf(text, bytes, "%lld %s to u32, %s", (long long)b->length, sat_type_name(b->sample),
             b->exclusive ? "exclusive" : "inclusive");
}

const subject subject_big_scans = {"big-scans", fits_scans, scan_cases, make_scan, run_scan, drop_scan, scan_text};
