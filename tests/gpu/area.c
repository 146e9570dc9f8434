/* area.c - memory that tells who wrote where it should not. */
#include <stdlib.h>
#include <string.h>

#include "check.h"

static sat_view flat(void *data, size_t bytes, sat_memory memory)
{
    return (sat_view){.data = data,
                      .row_bytes = (ptrdiff_t)bytes,
                      .width = (int64_t)bytes,
                      .height = 1,
                      .channels = 1,
                      .type = SAT_U8,
                      .memory = memory};
}

/* One in four begins and ends with its allocation and has no gaps; half of the others have rows that all begin on
 * vectors, or so many elements behind. */
placement random_placement(uint64_t *random)
{
    placement p = {0};
    if (random64(random) % 4 == 0) return p;
    if (random64(random) % 4 != 0) p.shift = random64(random) % 16;
    if (random64(random) % 2 != 0) p.gap = random64(random) % 9;
    if (random64(random) % 2 != 0) p.guard = 1024;
    if (random64(random) % 2 != 0) {
        p.even = true;
        p.shift = p.shift > 8 ? 0 : p.shift;
    }
    return p;
}

bool area_open(area *a, sat_view shape, placement p)
{
    size_t size = sat_type_bytes(shape.type), row = sat_row_bytes(shape.width, shape.channels, shape.type);
    *a = (area){.view = shape, .poison = -1};
    a->view.row_bytes = (ptrdiff_t)(row + p.gap * size);
    if (p.even) a->view.row_bytes = (a->view.row_bytes + 15) / 16 * 16;
    a->start = p.guard + p.shift * size;
    a->bytes = a->start + (size_t)a->view.row_bytes * (size_t)(shape.height - 1) + row + p.guard;
    if (shape.memory == SAT_DEVICE) {
        void *data;
        if (!is_status(sat_device_alloc(&data, a->bytes), SAT_OK, "sat_device_alloc")) return false;
        a->base = data;
    } else {
        a->base = aligned_alloc(256, (a->bytes + 255) / 256 * 256);
        if (a->base == NULL) {
            fail("out of memory for %zu bytes", a->bytes);
            return false;
        }
    }
    a->view.data = a->base + a->start;
    return true;
}

bool area_fill(area *a, int poison)
{
    a->poison = poison;
    if (a->view.memory == SAT_DEVICE)
        return is_status(sat_device_fill(a->base, poison, a->bytes, NULL), SAT_OK, "sat_device_fill");
    memset(a->base, poison, a->bytes);
    return true;
}

bool area_write(area *a, const sat_view *packed)
{
    if (a->view.memory == SAT_DEVICE)
        return is_status(sat_device_copy(packed, &a->view, NULL), SAT_OK, "sat_device_copy");
    size_t row = sat_row_bytes(packed->width, packed->channels, packed->type);
    for (int64_t y = 0; y < packed->height; y++)
        memcpy((char *)a->view.data + (size_t)y * (size_t)a->view.row_bytes,
               (const char *)packed->data + (size_t)y * (size_t)packed->row_bytes, row);
    return true;
}

bool area_read(area *a, sat_view *seen)
{
    *seen = a->view;
    if (a->view.memory == SAT_HOST) return true;
    if (a->seen == NULL) a->seen = malloc(a->bytes);
    if (a->seen == NULL) {
        fail("out of memory for %zu bytes", a->bytes);
        return false;
    }
    sat_view from = flat(a->base, a->bytes, SAT_DEVICE), to = flat(a->seen, a->bytes, SAT_HOST);
    seen->data = a->seen + a->start;
    seen->memory = SAT_HOST;
    return is_status(sat_device_copy(&from, &to, NULL), SAT_OK, "sat_device_copy");
}

static bool untouched(const unsigned char *bytes, size_t n, int poison, size_t *at)
{
    for (*at = 0; *at < n; ++*at)
        if (bytes[*at] != (unsigned char)poison) return false;
    return true;
}

bool area_clean(const area *a, const char *what)
{
    if (a->poison < 0) return true;
    const unsigned char *bytes = a->seen ? a->seen : a->base;
    size_t row = sat_row_bytes(a->view.width, a->view.channels, a->view.type), at;
    if (!untouched(bytes, a->start, a->poison, &at)) {
        fail("%s: byte %zu before it was written", what, a->start - at);
        return false;
    }
    for (int64_t y = 0; y < a->view.height; y++) {
        size_t end = a->start + (size_t)y * (size_t)a->view.row_bytes + row;
        size_t next = y + 1 < a->view.height ? end - row + (size_t)a->view.row_bytes : a->bytes;
        if (!untouched(bytes + end, next - end, a->poison, &at)) {
            fail("%s: byte %zu behind row %lld was written", what, at, (long long)y);
            return false;
        }
    }
    return true;
}

void area_close(area *a)
{
    if (a->view.memory == SAT_DEVICE)
        sat_device_free(a->base);
    else
        free(a->base);
    free(a->seen);
    *a = (area){0};
}

const char *value_text(sat_type type, const void *data, size_t i, char text[40])
{
    switch (type) {
    case SAT_U8: snprintf(text, 40, "%u", ((const uint8_t *)data)[i]); break;
    case SAT_U16: snprintf(text, 40, "%u", ((const uint16_t *)data)[i]); break;
    case SAT_U32:
    case SAT_Q32: snprintf(text, 40, "%lu", (unsigned long)((const uint32_t *)data)[i]); break;
    case SAT_F32: snprintf(text, 40, "%.9g", (double)((const float *)data)[i]); break;
    case SAT_F64: snprintf(text, 40, "%.17g", ((const double *)data)[i]); break;
    default: snprintf(text, 40, "%llu", (unsigned long long)((const uint64_t *)data)[i]);
    }
    return text;
}

/* Not within the bound, or one of them no number. */
static bool differs(double got, double want, double bound)
{
    if (got == want) return false;
    if (got != got && want != want) return false;
    return !(got - want <= bound && want - got <= bound);
}

size_t first_wrong(sat_type type, const void *got, const void *want, const double *bound, double scale, size_t n)
{
    size_t size = sat_type_bytes(type), i = 0;
    if (memcmp(got, want, n * size) == 0) return n;
    if (!is_float(type) || bound == NULL) {
        while (i < n && memcmp((const char *)got + i * size, (const char *)want + i * size, size) == 0) i++;
        return i;
    }
    for (; i < n; i++) {
        double g = type == SAT_F32 ? (double)((const float *)got)[i] : ((const double *)got)[i];
        double w = type == SAT_F32 ? (double)((const float *)want)[i] : ((const double *)want)[i];
        if (differs(g, w, bound[i] * scale)) return i;
    }
    return n;
}

bool same_bits(const sat_view *got, const sat_view *want, const char *what)
{
    size_t samples = (size_t)(got->width * got->channels);
    for (int64_t y = 0; y < got->height; y++) {
        const char *g = (const char *)got->data + (size_t)y * (size_t)got->row_bytes;
        const char *w = (const char *)want->data + (size_t)y * (size_t)want->row_bytes;
        size_t i = first_wrong(got->type, g, w, NULL, 0, samples);
        char a[40], b[40];
        if (i < samples) {
            fail("%s: element %zu of row %lld is %s, not %s", what, i, (long long)y, value_text(got->type, g, i, a),
                 value_text(got->type, w, i, b));
            return false;
        }
    }
    return true;
}
