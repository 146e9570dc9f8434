/* fuzz_rows.c - rows of a file, in parts of any height and at any place: refused in words, or those of the whole image.
 *
 * The input is a file whose format is read by rows; or, where its content says nothing, a line of text for raw_parse(),
 * and samples. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "fuzz.h"
#include "raw.h"
#include "row_source.h"

enum { MAX_PIXELS = 1 << 18, MAX_BYTES = 1 << 22 };

/* The file's path. */
static const char *put_file(const uint8_t *bytes, size_t n)
{
    static char path[32];
    static int file = -1;
    if (file < 0) file = memfd_create("rows", MFD_CLOEXEC);
    if (file < 0 || ftruncate(file, 0) != 0 || pwrite(file, bytes, n, 0) != (ssize_t)n) abort();
    snprintf(path, sizeof path, "/proc/self/fd/%d", file);
    return path;
}

/* Heights and places follow from the number of bytes. */
static const char *check_parts(row_source *s, const image *whole, size_t n)
{
    const int64_t H = s->head.height;
    uint32_t state = (uint32_t)n * 2654435761u + 1;
    const size_t row = s->head.row_bytes, planes = (size_t)image_planes(&s->head);
    uint8_t *rows = malloc((size_t)H * row * planes);
    const char *why = rows ? NULL : "no memory for rows";
    error err = {.text = ""};
    for (int64_t y = 0, k = 0, count; !why && k < 24; k++, y += count) {
        state = state * 1664525u + 1013904223u;
        if (y >= H || k > 16) y = (state >> 8) % H;
        count = 1 + (int64_t)(state >> 12) % (H - y < 40 ? H - y : 40);
        const bool ok = row_source_read(s, y, count, rows, &err);
        if (!ok && whole->data) why = "rows of an image that is decoded are refused";
        if (!ok && !why && (err.text[0] == '\0' || strchr(err.text, '\n')))
            why = "a failure without a line that says why";
        if (!ok) break;
        for (size_t i = 0; whole->data && i < (size_t)count * planes; i++)
            if (memcmp(rows + i * row, (uint8_t *)whole->data + (i % planes * (size_t)H + (size_t)y + i / planes) * row,
                       row) != 0)
                why = "rows are not those of the whole image";
    }
    free(rows);
    return why;
}

static const char *check(const uint8_t *bytes, size_t n, const decode_options *opt)
{
    row_source s;
    image whole = {0};
    error err = {.text = ""}, again = {.text = ""};
    const char *path = put_file(bytes, n), *why = NULL;
    const bool decoded = image_read(path, opt, &whole, NULL, &err);
    if (!decoded && (err.text[0] == '\0' || strchr(err.text, '\n'))) why = "a failure without a line that says why";
    const bool ok = row_source_open(&s, path, opt, &again);
    if (!ok && decoded) why = "an image that is decoded has no rows";
    if (ok && !s.whole && s.head.height <= MAX_PIXELS &&
        image_line_bytes(&s.head) <= (size_t)(MAX_BYTES / s.head.height) && !why)
        why = decoded && (whole.width != s.head.width || whole.height != s.head.height || whole.type != s.head.type ||
                          whole.channels != s.head.channels || whole.row_bytes != s.head.row_bytes ||
                          image_planes(&whole) != image_planes(&s.head))
                  ? "another size"
                  : check_parts(&s, &whole, n);
    row_source_close(&s);
    image_free(&whole);
    return why;
}

static const char *run(const uint8_t *bytes, size_t n)
{
    char text[64] = "";
    raw_layout raw;
    error err;
    decode_options opt = {.max_pixels = MAX_PIXELS,
                          .threads = 1 + (int)(n % 3),
                          .channels.number = n % 5 == 4,
                          .planes_from = n % 2 ? 2 : 0};
    const image_format *format = format_by_content(bytes, n);
    if (format) return format->reads_rows ? check(bytes, n, &opt) : NULL;
    const uint8_t *end = memchr(bytes, '\n', n);
    if (!end || (size_t)(end - bytes) >= sizeof text) return NULL;
    memcpy(text, bytes, (size_t)(end - bytes));
    if (!raw_parse(&raw, text, &err))
        return err.text[0] && !strchr(err.text, '\n') ? NULL : "a refusal without a line that says why";
    opt.raw = &raw;
    return check(end + 1, n - (size_t)(end + 1 - bytes), &opt);
}

const fuzz_target fuzz = {.run = run};
