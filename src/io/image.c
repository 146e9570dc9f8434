#include "image.h"

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "memory.h"

/* The size of a huge page on x86-64 and on Arm with 4 KiB pages; elsewhere only an alignment. */
enum { HUGE_PAGE = 2 << 20 };

bool image_alloc(image *img, int64_t width, int64_t height, int channels, sat_type type, error *err)
{
    *img = (image){0};
    size_t row_bytes = width < 1 || height < 1 ? 0 : sat_row_bytes(width, channels, type);
    size_t bytes;
    if (row_bytes == 0 || __builtin_mul_overflow(row_bytes, (size_t)height, &bytes) || bytes > PTRDIFF_MAX) {
        return fail(err, "an image of %lldx%lld with %d channels of %s cannot be addressed", (long long)width,
                    (long long)height, channels, sat_type_name(type));
    }
    if (!memory_allows(bytes, "pixels", err)) return false;
    void *data = NULL;
    if (bytes >= 2 * HUGE_PAGE) {
        if (posix_memalign(&data, HUGE_PAGE, bytes) != 0) data = NULL;
        if (data) madvise(data, bytes, MADV_HUGEPAGE);
    } else {
        data = malloc(bytes);
    }
    if (!data) return fail(err, "out of memory: the image needs %zu MiB", (bytes >> 20) + 1);
    *img = (image){
        .width = width, .height = height, .channels = channels, .type = type, .row_bytes = row_bytes, .data = data};
    return true;
}

void image_free(image *img)
{
    free(img->data);
    free(img->meta.icc);
    *img = (image){0};
}

sat_view image_view(const image *img)
{
    return (sat_view){.data = img->data,
                      .row_bytes = img->row_bytes,
                      .width = img->width,
                      .height = img->height,
                      .channels = img->channels,
                      .type = img->type,
                      .memory = SAT_HOST};
}
